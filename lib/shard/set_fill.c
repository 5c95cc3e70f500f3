/* shard/set_fill.c - shards that fill one after another.
 *
 * The sizes of the earlier records alone decide whether a record begins the next shard, so the
 * shards are the same for any number of threads.  A full shard frees its memory and its descriptor,
 * except the first, which has the lock. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "record/framing.h"
#include "shard/set_writer_state.h"

enum { SHARDS_MAX = 1000000 };

enum tfr_status tfr_set_fill_grow(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err)
{
	enum tfr_status status;

	if (w->count == SHARDS_MAX)
		return tfr_fail(err, TFR_EUSAGE, "the shard size is too small: more than %d shards",
			SHARDS_MAX);
	if (TFR_ARRAY_RESERVE(w->shards, w->cap, w->count + 1u))
		return tfr_fail_nomem(err, "creating a set");
	w->shards[w->count] = NULL;
	status = tfr_set_writer_open_shard(w, w->count, mark, err);
	if (!status)
		w->count++;
	w->bytes = w->records = 0;
	return status;
}

static enum tfr_status make_room(struct tfr_set_writer *w, uint64_t size, struct tfr_error *err)
{
	uint32_t last = w->count - 1;
	enum tfr_status status;

	if (!w->records || !((w->fill.records && w->records == w->fill.records) ||
				   (w->fill.bytes && w->bytes + size > w->fill.bytes)))
		return TFR_OK;
	status = tfr_writer_end(w->shards[last], last, err);
	return status ? status : tfr_set_fill_grow(w, NULL, err);
}

enum tfr_status tfr_set_writer_append(struct tfr_set_writer *w, const struct iovec *pieces,
	int count, const struct tfr_digest *digest, struct tfr_error *err)
{
	uint64_t size = digest->size + TFR_RECORD_OVERHEAD;
	enum tfr_status status = make_room(w, size, err);

	w->bytes += size;
	w->records++;
	return status ? status
		      : tfr_writer_put_pieces(w->shards[w->count - 1], pieces, count, digest, err);
}

enum tfr_status tfr_set_writer_append_framed(struct tfr_set_writer *w, const struct iovec *piece,
	const struct tfr_totals *add, struct tfr_error *err)
{
	enum tfr_status status = make_room(w, piece->iov_len, err);

	w->bytes += piece->iov_len;
	w->records++;
	return status ? status : tfr_writer_put_framed(w->shards[w->count - 1], piece, 1, add, err);
}

enum tfr_status tfr_set_fill_name(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status;

	w->name.count = w->count;
	status = tfr_set_writer_check_others(w, err);
	w->files = calloc(w->count, sizeof(*w->files));
	if (!w->files)
		return tfr_fail_nomem(err, "creating a set");
	for (uint32_t k = 0; !status && k < w->count; k++) {
		w->files[k] = tfr_set_name_file(&w->name, k);
		status = w->files[k] ? tfr_writer_name(w->shards[k], w->files[k], err)
				     : tfr_fail_nomem(err, "creating a set");
	}
	return status;
}
