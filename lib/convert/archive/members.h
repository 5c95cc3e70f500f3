/* convert/archive/members.h - the members of an archive, one after the other, nothing unpacked.
 *
 * A kind of archive is one `const struct tfr_archive_ops`.  Plain tar archives are walked by our
 * own code (tar.c): in a file, only headers are read, and any thread may then read a member's bytes
 * where they lie.  Compressed ones and zip archives come through libarchive (packed.c), as one
 * stream. */
#ifndef TFR_CONVERT_ARCHIVE_MEMBERS_H
#define TFR_CONVERT_ARCHIVE_MEMBERS_H

#include "base/buf.h"
#include "convert/archive/byte_stream.h"

#define TFR_SIZE_UNKNOWN UINT64_MAX

enum tfr_member_kind { TFR_MEMBER_FILE, TFR_MEMBER_FOLDER, TFR_MEMBER_OTHER };

struct tfr_member {
	const char *path; /* as it stands in the archive, until the next call */
	enum tfr_member_kind kind;
	const char *fault; /* why it cannot be used: "a symbolic link"; NULL: it can */
	uint64_t size;	   /* as the archive claims, or TFR_SIZE_UNKNOWN */
	uint64_t place;	   /* of its bytes, for tfr_archive_read_at() */
};

/* The first member of each kind's own struct. */
struct tfr_archive {
	const struct tfr_archive_ops *ops;
	struct tfr_feed feed;
	uint64_t begin;	 /* of the archive in its file */
	bool placed;	 /* tfr_archive_read_at() works */
	bool rewindable; /* tfr_archive_rewind() works */
	/* After tfr_archive_read(): what is wrong with this member alone; "": nothing. */
	char fault[200];
};

struct tfr_archive_ops {
	/* TFR_END: there are no more.  A failure is of the whole archive. */
	enum tfr_status (*next)(
		struct tfr_archive *m, struct tfr_member *member, struct tfr_error *err);
	enum tfr_status (*read)(
		struct tfr_archive *m, struct tfr_buf *into, size_t most, struct tfr_error *err);
	enum tfr_status (*rewind)(struct tfr_archive *m, struct tfr_error *err);
	void (*close)(struct tfr_archive *m);
};

/* Whether a file that begins so may be an archive: what compression hides is not looked at. */
bool tfr_archive_recognises(const uint8_t *head, size_t size);
/* By its first bytes.  TFR_EFORMAT: no archive; TFR_EUNAVAILABLE: libarchive is needed and not
 * there.  *m may be set on failure, and is to be closed. */
enum tfr_status tfr_archive_open(struct tfr_archive **m, const char *path, struct tfr_error *err);

static inline enum tfr_status tfr_archive_next(
	struct tfr_archive *m, struct tfr_member *member, struct tfr_error *err)
{
	m->fault[0] = '\0';
	return m->ops->next(m, member, err);
}

/* Appends up to `most` bytes of the last member, from where the last call ended; fewer only where
 * it ends, or where m->fault says why.  Memory grows with what arrives. */
static inline enum tfr_status tfr_archive_read(
	struct tfr_archive *m, struct tfr_buf *into, size_t most, struct tfr_error *err)
{
	return m->ops->read(m, into, most, err);
}

static inline enum tfr_status tfr_archive_rewind(struct tfr_archive *m, struct tfr_error *err)
{
	return m->ops->rewind(m, err);
}

/* Appends `size` bytes at `place`; by any number of threads, whatever else is done with it. */
enum tfr_status tfr_archive_read_at(const struct tfr_archive *m, struct tfr_buf *into,
	uint64_t place, size_t size, struct tfr_error *err);
void tfr_archive_close(struct tfr_archive *m); /* accepts NULL */

/* Puts a member's path into `name`, with its NUL, as a path below a folder: "./a//b" is "a/b".
 * *hidden: a part of it begins with a dot, which no input looks at.  *fault, else NULL: it leads
 * out of the folder; `name` is then the path as it stands.  False: out of memory. */
bool tfr_member_name(const char *path, struct tfr_buf *name, bool *hidden, const char **fault);

/* The kinds. */
bool tfr_tar_recognises(const uint8_t *head, size_t size);
enum tfr_status tfr_tar_open(struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err);
enum tfr_status tfr_packed_open(
	struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err);

#endif
