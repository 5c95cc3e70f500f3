/* pipeline/transfer/payloads.c - batches of payloads: offsets, then the payloads one after the
 * other.
 *
 * Large payloads are copied as they come, a few at a time, while the block that they were read into
 * is in a cache, and past the caches, for the processor does not read them again.  A batch that
 * waited for its last record would hold all of its blocks, and they would come from memory again.
 * Payloads that do not fit into the planned memory, and small ones, are copied when the batch is
 * complete. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "device/stream_copy.h"
#include "pipeline/transfer/buffers.h"

/* Where the payloads begin in a batch of so many. */
static uint64_t payloads_at(uint32_t records)
{
	return ((uint64_t)records + 1) * sizeof(int64_t);
}

/* ---- pieces ---- */

/* The part of a transfer that the batch has. */
static uint64_t room_of(const struct tfr_transfer *tr, const struct tfr_staged_batch *b)
{
	return tr->set->opts.steps_per_transfer > 1 ? tr->layout.stride : b->home->capacity;
}

bool tfr_transfer_add_piece(struct tfr_transfer *tr, struct tfr_feed_sample **samples,
	unsigned count, struct tfr_batch_piece *piece)
{
	struct tfr_staged_batch *b = tr->open;
	uint64_t bytes = 0, end;

	if (!count)
		return false;
	assert(b && b->samples && count <= tr->set->batch - b->assigned);
	for (unsigned i = 0; i < count; i++)
		bytes += samples[i]->size;
	end = payloads_at(tr->set->batch) + b->payload_bytes + bytes;
	if (b->pieces < b->assigned || end > room_of(tr, b)) {
		tfr_transfer_add_samples(tr, samples, count);
		return false;
	}
	*piece = (struct tfr_batch_piece){ b, b->assigned, count, b->payload_bytes };
	b->payload_bytes += bytes;
	b->pieces += count;
	b->epoch = samples[0]->epoch;
	tfr_staged_assign(tr, samples, count);
	return true;
}

void tfr_transfer_copy_piece(
	struct tfr_transfer *tr, const struct tfr_batch_piece *piece, struct tfr_job_time *time)
{
	struct tfr_staged_batch *b = piece->batch;
	struct tfr_feed_sample **samples = b->samples + piece->from;
	int64_t *offsets = (int64_t *)tfr_staged_memory(tr, b) + piece->from;
	uint8_t *to = tfr_staged_memory(tr, b) + payloads_at(tr->set->batch);
	uint64_t start = tfr_clock_ns(), at = piece->at, end;

	for (unsigned i = 0; i < piece->count; i++) {
		offsets[i] = (int64_t)at;
		tfr_device_stream_store(to + at, samples[i]->data, samples[i]->size);
		at += samples[i]->size;
	}
	tfr_samples_put(tr->pool, samples, piece->count);
	memset(samples, 0, piece->count * sizeof(*samples));
	end = tfr_clock_ns();
	tfr_job_time_add(time, tr->set->batch_row, end - start, 0, 0);
	tfr_feed_trace(tr->set, tr->set->batch_row, time->thread, start, end, b->number);
}

bool tfr_staged_end_pieces(const struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	uint64_t at = payloads_at(b->records);

	if (b->pieces < tr->set->batch)
		return false;
	((int64_t *)tfr_staged_memory(tr, b))[b->records] = (int64_t)b->payload_bytes;
	b->used = at + b->payload_bytes;
	tfr_staged_describe(tr, b);
	return true;
}

/* ---- the rest, when a batch is complete ---- */

void tfr_staged_weigh(struct tfr_staged_batch *b)
{
	enum { AHEAD = 16 };

	for (uint32_t i = b->pieces; i < b->assigned; i++) {
		if (i + AHEAD < b->assigned)
			__builtin_prefetch(b->samples[i + AHEAD]);
		b->payload_bytes += b->samples[i]->size;
		b->epoch = b->samples[i]->epoch;
	}
}

enum tfr_status tfr_staged_copy_payloads(
	struct tfr_transfer *tr, struct tfr_staged_batch *b, struct tfr_error *err)
{
	uint64_t at = payloads_at(b->records), offset = b->payload_bytes;
	int64_t *offsets;
	uint8_t *bytes;

	TFR_TRY(tfr_staging_grow(b->home,
		(uint64_t)(b - b->home->batches) * tr->layout.stride + at + b->payload_bytes, err));
	if (tr->set->opts.steps_per_transfer > 1 && at + b->payload_bytes > tr->layout.stride)
		return tfr_staging_grow(b->home, b->home->capacity + b->payload_bytes, err);
	offsets = (int64_t *)tfr_staged_memory(tr, b);
	bytes = (uint8_t *)offsets + at;
	for (uint32_t i = b->pieces; i < b->records; i++)
		offset -= b->samples[i]->size;
	if (b->pieces) /* they are where those of a full batch are */
		memmove(bytes, (uint8_t *)offsets + payloads_at(tr->set->batch), offset);
	for (uint32_t i = b->pieces; i < b->records; i++) {
		const struct tfr_feed_sample *s = b->samples[i];

		offsets[i] = (int64_t)offset;
		memcpy(bytes + offset, s->data, s->size);
		offset += s->size;
	}
	offsets[b->records] = (int64_t)offset;
	b->used = at + offset;
	return TFR_OK;
}
