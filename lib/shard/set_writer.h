/* shard/set_writer.h - writing whole ranges of a set, shard after shard: for sets of more shards
 * than may be open. */
#ifndef TFR_SHARD_SET_WRITER_H
#define TFR_SHARD_SET_WRITER_H

#include <tfr/shard.h>

/* As tfr_set_writer_open(), with at most `max_open` shards opened now; of the others it is only
 * made sure that they may be written, and each is opened when its first record comes.  Shard 0
 * stays open until the set is closed, so that its lock keeps a second run away from all. */
enum tfr_status tfr_set_writer_open_few(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, uint32_t max_open,
	void (*warn)(void *ctx, const char *text), void *ctx, struct tfr_error *err);
/* Records that are framed already, as tfr_writer_put_framed(). */
enum tfr_status tfr_set_writer_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err);
/* No record comes to this shard any more: it is whole and on disk, and holds neither memory nor,
 * unless it is shard 0, a descriptor. */
enum tfr_status tfr_set_writer_finish(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err);

#endif
