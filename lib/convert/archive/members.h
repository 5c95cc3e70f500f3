/* convert/archive/members.h - reads the members of an archive one after the other, without
 * unpacking.
 *
 * A kind of archive is one `const struct tfr_archive_ops`.  Our own code (tar.c) reads plain tar
 * archives: in a file it reads only the headers, and then any thread can read a member's bytes
 * from the file.  The module archive (libarchive.c) reads compressed ones and zip archives as one
 * stream. */
#ifndef TFR_CONVERT_ARCHIVE_MEMBERS_H
#define TFR_CONVERT_ARCHIVE_MEMBERS_H

#include "base/buf.h"
#include "io/source.h"

/* --- bytes --- */

enum { TFR_FEED_MOST = 256 << 10 };

/* The bytes of an archive in order, with the next few in memory.  A file is read by position and
 * can be read again; a pipe is read once.  `place` is the position of the next byte. */
struct tfr_feed {
	struct tfr_source *source;
	const char *name; /* of the source, for messages */
	uint8_t *data;	  /* `size` bytes are in memory; those before `at` are consumed */
	size_t at, size;
	size_t block; /* read at a time, which is enough for headers; at most TFR_FEED_MOST */
	uint64_t place;
	bool seekable;
};

/* "-" is standard input. */
enum tfr_status tfr_feed_open(struct tfr_feed *f, const char *path, struct tfr_error *err);
/* The stream owns the source from now on, even on failure. */
enum tfr_status tfr_feed_of(struct tfr_feed *f, struct tfr_source *source, struct tfr_error *err);
/* Shows the next bytes without consuming them: at least `least` (at most 4096), or all up to the
 * end if these are fewer. */
enum tfr_status tfr_feed_peek(
	struct tfr_feed *f, size_t least, const uint8_t **data, size_t *got, struct tfr_error *err);
/* Consumes bytes that were shown. */
static inline void tfr_feed_take(struct tfr_feed *f, size_t bytes)
{
	f->at += bytes;
	f->place += bytes;
}
/* Reads `size` bytes, fewer only at the end. */
enum tfr_status tfr_feed_read(
	struct tfr_feed *f, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Skips `bytes`.  *there: how many of them existed. */
enum tfr_status tfr_feed_skip(
	struct tfr_feed *f, uint64_t bytes, bool *there, struct tfr_error *err);
/* Whether `bytes` more can exist: false only if the size is known and too small. */
bool tfr_feed_has(struct tfr_feed *f, uint64_t bytes);
/* The position at which a truncated file ends. */
uint64_t tfr_feed_end(struct tfr_feed *f);
/* Moves to `place`; only if the input is seekable. */
void tfr_feed_seek(struct tfr_feed *f, uint64_t place);
void tfr_feed_close(struct tfr_feed *f);

/* --- members --- */

#define TFR_SIZE_UNKNOWN UINT64_MAX

enum tfr_member_kind { TFR_MEMBER_FILE, TFR_MEMBER_FOLDER, TFR_MEMBER_OTHER };

struct tfr_member {
	const char *path; /* its path in the archive, valid until the next call */
	enum tfr_member_kind kind;
	const char *fault; /* why it cannot be used: "a symbolic link"; NULL: it can */
	uint64_t size;	   /* as the archive claims, or TFR_SIZE_UNKNOWN */
	uint64_t place;	   /* of its bytes, for tfr_archive_read_at() */
};

/* The first member of each kind's own struct. */
struct tfr_archive {
	const struct tfr_archive_ops *ops;
	struct tfr_feed feed;
	unsigned shared; /* copies that are open; atomic */
	uint64_t begin;	 /* of the archive in its file */
	bool placed;	 /* tfr_archive_read_at() can be used */
	bool rewindable; /* ops->rewind() can be used */
	/* Set by tfr_archive_read(): the fault of this member alone; "": none. */
	char fault[200];
};

struct tfr_archive_ops {
	/* TFR_END: there are no more.  Any failure is one of the complete archive. */
	enum tfr_status (*next)(
		struct tfr_archive *m, struct tfr_member *member, struct tfr_error *err);
	enum tfr_status (*read)(
		struct tfr_archive *m, struct tfr_buf *into, size_t most, struct tfr_error *err);
	enum tfr_status (*rewind)(struct tfr_archive *m, struct tfr_error *err);
	void (*close)(struct tfr_archive *m);
};

/* Whether a file with these first bytes can be an archive; compressed contents are not examined. */
bool tfr_archive_recognises(const uint8_t *head, size_t size);
/* Selects the kind by the first bytes.  TFR_EFORMAT: not an archive; TFR_EUNAVAILABLE:
 * libarchive is needed but not installed.  *m can be set on failure, and must be closed. */
enum tfr_status tfr_archive_open(struct tfr_archive **m, const char *path, struct tfr_error *err);

static inline enum tfr_status tfr_archive_next(
	struct tfr_archive *m, struct tfr_member *member, struct tfr_error *err)
{
	m->fault[0] = '\0';
	return m->ops->next(m, member, err);
}

/* Appends up to `most` bytes of the last member, from the end of the previous call; fewer only
 * at its end, or if m->fault is set.  Memory grows with the bytes that arrive. */
static inline enum tfr_status tfr_archive_read(
	struct tfr_archive *m, struct tfr_buf *into, size_t most, struct tfr_error *err)
{
	return m->ops->read(m, into, most, err);
}

/* Appends `size` bytes at `place`; any number of threads may call it at any time. */
enum tfr_status tfr_archive_read_at(const struct tfr_archive *m, struct tfr_buf *into,
	uint64_t place, size_t size, struct tfr_error *err);
/* The archive stays open until it is closed once more; returns it. */
struct tfr_archive *tfr_archive_share(struct tfr_archive *m);
void tfr_archive_close(struct tfr_archive *m); /* accepts NULL */

/* Puts a member's path into `name`, with its NUL, as a path below a folder: "./a//b" becomes
 * "a/b".  *hidden: a part begins with a dot, and every input ignores it.  *fault, else NULL: the
 * path leads out of the folder, and `name` is the path unchanged.  False: out of memory. */
bool tfr_member_name(const char *path, struct tfr_buf *name, bool *hidden, const char **fault);

/* The kinds. */
bool tfr_tar_recognises(const uint8_t *head, size_t size);
enum tfr_status tfr_tar_open(struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err);
enum tfr_status tfr_packed_open(
	struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err);

/* The calls of the module archive, as tfr_packed_open(). */
struct tfr_archive_module {
	enum tfr_status (*open)(
		struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err);
};

#endif
