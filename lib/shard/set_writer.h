/* shard/set_writer.h - writing a set, beyond the public calls: more shards than may be open, shards
 * that fill one after another, and going on where another run stopped. */
#ifndef TFR_SHARD_SET_WRITER_H
#define TFR_SHARD_SET_WRITER_H

#include <tfr-private/shard.h>

#include "base/buf.h"
#include "base/unread.h"

struct tfr_output;

/* When a shard of a set that fills one after another is full; 0: that does not fill it. */
struct tfr_set_fill {
	uint64_t bytes;	  /* the next record would make it larger, framed and not compressed */
	uint64_t records; /* it has so many */
};

/* All may be 0. */
struct tfr_set_how {
	/* Only so many shards are opened now; of the others it is made sure that they may be
	 * written, and each is opened when its first record comes. */
	uint32_t open_now;
	/* The target is BASE@auto[.EXT] and gets as many shards as it takes: with
	 * tfr_set_writer_append() only.  Their number, and so their names, are known when it is
	 * sealed; the temporaries are called after BASE-NNNNN[.EXT].  NULL: the name says how many.
	 */
	const struct tfr_set_fill *fill;
	/* What tfr_set_writer_mark() noted in another run: goes on from there.  TFR_EDATA: the
	 * temporaries are not what that run wrote.  NULL: from the start. */
	struct tfr_unread *mark;
};

enum tfr_status tfr_set_writer_open_as(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, const struct tfr_set_how *how,
	void (*warn)(void *ctx, const char *text), void *ctx, struct tfr_error *err);
/* Writes one record of a set that fills to the shard whose turn it is; one thread at a time. */
enum tfr_status tfr_set_writer_append(struct tfr_set_writer *w, const struct iovec *pieces,
	int count, const struct tfr_digest *digest, struct tfr_error *err);
/* The same with a record that is framed already. */
enum tfr_status tfr_set_writer_append_framed(struct tfr_set_writer *w, const struct iovec *piece,
	const struct tfr_totals *add, struct tfr_error *err);

/* A sealed file that is published together with the set; it stays the caller's, who closes it after
 * that.  `proof`: it says that the set is complete, as the manifest does. */
enum tfr_status tfr_set_writer_company(
	struct tfr_set_writer *w, struct tfr_output *file, bool proof, struct tfr_error *err);
/* A file of an old set that is removed, if it exists, when the new one is published. */
enum tfr_status tfr_set_writer_withdraw(
	struct tfr_set_writer *w, const char *path, struct tfr_error *err);
/* Publishes several sets, and what belongs to each, together or not at all; info[i] is that of
 * w[i]. */
enum tfr_status tfr_set_writers_publish(struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_error *err);

/* What the lock file of a set is called after: "out/train.tfrecord" for train@16.tfrecord and all
 * other numbers of shards.  The caller frees it; NULL: out of memory. */
char *tfr_set_name_target(const struct tfr_set_name *name);

/* Whether a process writes the set, or the file, that a temporary belongs to. */
bool tfr_temporary_is_written(const char *path);

/* Whether its files have their names, which a set that fills has when it is sealed. */
bool tfr_set_writer_is_named(const struct tfr_set_writer *w);
/* The file `what` beside the set once that is named (shard/set_name.h); the caller frees it.  NULL:
 * out of memory. */
char *tfr_set_writer_beside(const struct tfr_set_writer *w, const char *what);

/* The shard of a set that fills whose turn it is: where the last record went. */
uint32_t tfr_set_writer_filling(const struct tfr_set_writer *w);
/* Records put to a shard so far; for whoever puts to it. */
uint64_t tfr_set_writer_records(const struct tfr_set_writer *w, uint32_t shard);

/* Forces all that was put to disk, and appends to `mark` what another process needs to go on from
 * here.  While nobody puts. */
enum tfr_status tfr_set_writer_mark(
	struct tfr_set_writer *w, struct tfr_buf *mark, struct tfr_error *err);
/* From now on the temporaries survive a failure and a signal, for a run that resumes. */
void tfr_set_writer_keep(struct tfr_set_writer *w);
/* Records that are framed already, as tfr_writer_put_framed(). */
enum tfr_status tfr_set_writer_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err);
/* No record comes to this shard any more: it is complete and on disk, and holds neither memory nor a
 * descriptor. */
enum tfr_status tfr_set_writer_finish(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err);

#endif
