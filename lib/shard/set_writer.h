/* shard/set_writer.h - set writers beyond the public functions: more shards than open files, shards
 * that fill one after another, and resuming a run. */
#ifndef TFR_SHARD_SET_WRITER_H
#define TFR_SHARD_SET_WRITER_H

#include <tfr-private/shard.h>

#include "base/buf.h"
#include "base/unread.h"

struct tfr_output;

/* When a shard of a set that fills one after another is full; 0: no such limit. */
struct tfr_set_fill {
	uint64_t bytes;	  /* the next record would exceed this, framed, before compression */
	uint64_t records; /* it has this many */
};

/* All may be 0. */
struct tfr_set_how {
	/* Only this many shards are opened now.  The others are checked for write permission, and
	 * each is opened for its first record. */
	uint32_t open_now;
	/* The target is BASE@auto[.EXT] and gets as many shards as it takes: with
	 * tfr_set_writer_append() only.  Their number, and so their names, are known when it is
	 * sealed; until then the temporaries are named for BASE-NNNNN[.EXT].  NULL: the name has
	 * the number. */
	const struct tfr_set_fill *fill;
	/* Of a part: its options and inputs, as struct tfr_set_info has them, so that shards of a
	 * run with others are not replaced without `force`.  NULL: not known. */
	const struct tfr_set_info *terms;
	/* The mark that tfr_set_writer_mark() made in another run: continues there.  TFR_EDATA: the
	 * temporaries are not the files of that run.  NULL: from the start. */
	struct tfr_unread *mark;
};

enum tfr_status tfr_set_writer_open_as(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, const struct tfr_set_how *how,
	void (*warn)(void *ctx, const char *text), void *ctx, struct tfr_error *err);
/* Writes one record to the shard that fills now; one thread at a time. */
enum tfr_status tfr_set_writer_append(struct tfr_set_writer *w, const struct iovec *pieces,
	int count, const struct tfr_digest *digest, struct tfr_error *err);
/* The same for a framed record. */
enum tfr_status tfr_set_writer_append_framed(struct tfr_set_writer *w, const struct iovec *piece,
	const struct tfr_totals *add, struct tfr_error *err);

/* Adds a sealed file that is published together with the set; the caller keeps it and closes it
 * afterwards.  `proof`: it states that the set is complete, as the manifest does. */
enum tfr_status tfr_set_writer_company(
	struct tfr_set_writer *w, struct tfr_output *file, bool proof, struct tfr_error *err);
/* Adds a file of an old set to remove, if it exists, when the new set is published. */
enum tfr_status tfr_set_writer_withdraw(
	struct tfr_set_writer *w, const char *path, struct tfr_error *err);
/* Publishes several sets and their companion files together or not at all; info[i] belongs to
 * w[i]. */
enum tfr_status tfr_set_writers_publish(struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_error *err);

/* Whether a process is writing the set, or the file, that a temporary belongs to. */
bool tfr_temporary_is_written(const char *path);

/* Whether the names of its files are known; those of a set that fills are known once it is sealed.
 */
bool tfr_set_writer_is_named(const struct tfr_set_writer *w);
/* The path of file `what` beside the set, once its names are known (shard/set_name.h); the caller
 * frees it.  NULL: out of memory. */
char *tfr_set_writer_beside(const struct tfr_set_writer *w, const char *what);

/* Whether this process writes a shard: all of them, or those of its part. */
bool tfr_set_writer_owns(const struct tfr_set_writer *w, uint32_t shard);
/* What the note of a part says besides its shards: `labels` is the text of the labels file, or
 * NULL. Both stay the caller's until the set is published. */
void tfr_set_writer_tally(
	struct tfr_set_writer *w, const struct tfr_part_tally *tally, const char *labels);

/* The shard that fills now: the one that got the last record. */
uint32_t tfr_set_writer_filling(const struct tfr_set_writer *w);
/* Records written to a shard so far; for the thread that writes to it. */
uint64_t tfr_set_writer_records(const struct tfr_set_writer *w, uint32_t shard);

/* Forces everything written so far to disk, and appends to `mark` what another process needs to
 * continue here.  No thread may write meanwhile. */
enum tfr_status tfr_set_writer_mark(
	struct tfr_set_writer *w, struct tfr_buf *mark, struct tfr_error *err);
/* From now on the temporaries survive failures and signals, so that a run can resume. */
void tfr_set_writer_keep(struct tfr_set_writer *w);
/* Writes framed records, as tfr_writer_put_framed() does. */
enum tfr_status tfr_set_writer_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err);
/* Completes a shard that gets no more records: it is on disk and holds neither memory nor a
 * descriptor. */
enum tfr_status tfr_set_writer_finish(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err);

#endif
