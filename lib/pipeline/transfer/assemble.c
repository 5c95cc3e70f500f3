/* pipeline/transfer/assemble.c - batches in staging memory, from their first place to the last.
 *
 * A batch is open until its last place is assigned, closed until all its places are done, and
 * ready when it can be uploaded.  The thread that ends the last place of a closed batch finishes
 * it. */
#include <assert.h>
#include <string.h>

#include "pipeline/transfer/buffers.h"

static struct tfr_staged_batch *batch_at(const struct tfr_transfer *tr, uint64_t number)
{
	uint64_t transfer = number / tr->set->opts.steps_per_transfer;
	struct tfr_uploader *l = &tr->uploaders[transfer % tr->uploader_count];
	struct tfr_staging_buffer *b =
		&l->staging[transfer / tr->uploader_count % tr->set->plan.staging];

	return &b->batches[number % tr->set->opts.steps_per_transfer];
}

static bool is_free(const struct tfr_transfer *tr, uint64_t number)
{
	const struct tfr_staged_batch *b = batch_at(tr, number);

	if (b->state != STAGED_EMPTY)
		return false;
	return b->home->state == STAGING_FREE ||
	       (b->home->state == STAGING_FILLING && (b > b->home->batches || b->unwanted));
}

bool tfr_transfer_room(const struct tfr_transfer *tr, unsigned ahead)
{
	uint64_t number = tr->next_number + (tr->open != NULL);
	unsigned more = ahead + (tr->open == NULL);

	for (unsigned i = 0; i < more; i++)
		if (!is_free(tr, number + i))
			return false;
	return true;
}

void tfr_transfer_open_batch(struct tfr_transfer *tr)
{
	struct tfr_staged_batch *b;

	if (tr->open)
		return;
	b = batch_at(tr, tr->next_number);
	assert(b->state == STAGED_EMPTY && !b->assigned);
	if (b == b->home->batches) {
		assert(b->home->state != STAGING_FLYING);
		b->home->ready = 0;
		b->home->state = STAGING_FILLING;
	}
	b->state = STAGED_OPEN;
	b->number = tr->next_number;
	b->done = b->records = b->pieces = 0;
	b->unwanted = b->gaps = false;
	b->payload_bytes = b->used = 0;
	b->tensor_count = 0;
	tr->open = b;
}

void tfr_staged_end_images(const struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	const struct tfr_batch_layout *l = &tr->layout;
	uint64_t end = b->records * l->image_bytes;

	/* The bytes between tensors are uploaded, too, and are the same every time. */
	if (l->masks)
		memset(tfr_staged_memory(tr, b) + end, 0, l->mask_at - end);
	if (l->masks)
		end = l->mask_at + b->records * l->mask_bytes;
	if (tr->set->features)
		memset(tfr_staged_memory(tr, b) + end, 0, l->features_at - end);
	b->used = b->records * tr->layout.image_bytes;
	if (tr->layout.masks)
		b->used = tr->layout.mask_at + b->records * tr->layout.mask_bytes;
	tfr_staged_describe(tr, b);
}

/* All its places are done. */
static void finish(struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	assert(b->state == STAGED_CLOSED && b->done == b->assigned);
	if (b->unwanted) {
		if (b->samples)
			tfr_samples_put(tr->pool, b->samples, b->assigned);
		b->assigned = 0;
		b->state = STAGED_EMPTY;
		memset(b->bad, 0, tr->set->batch * sizeof(*b->bad));
		tfr_feed_wake_workers(tr->control);
	} else if (b->pieces && tfr_staged_end_pieces(tr, b)) {
		b->assigned = 0;
		tfr_staged_ready(tr, b);
	} else if (b->gaps || b->samples || (tr->layout.masks && b->records < tr->set->batch)) {
		b->next = NULL;
		*tr->incomplete_end = b;
		tr->incomplete_end = &b->next;
		tfr_feed_wake_workers(tr->control);
	} else {
		tfr_staged_end_images(tr, b);
		b->assigned = 0;
		tfr_staged_ready(tr, b);
	}
}

static void close_batch(struct tfr_transfer *tr, bool epoch_ends)
{
	struct tfr_staged_batch *b = tr->open;

	assert(b && b->state == STAGED_OPEN && b->assigned <= tr->set->batch);
	b->unwanted = epoch_ends && tr->set->opts.drop_remainder && b->assigned < tr->set->batch;
	b->state = STAGED_CLOSED;
	tr->open = NULL;
	tr->next_number += !b->unwanted;
	if (b->done == b->assigned)
		finish(tr, b);
}

void tfr_transfer_end_epoch(struct tfr_transfer *tr)
{
	if (tr->open)
		close_batch(tr, true);
}

void tfr_staged_ready(struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	b->state = STAGED_READY;
	b->home->ready++;
	assert(b->home->ready <= tr->set->opts.steps_per_transfer);
	tr->assembled.now++;
	tfr_statistics_count(tr->statistics, tr->set->batch_row, 1, b->used);
	tr->control->moves++;
	tfr_uploader_look(b->home->uploader);
}

void tfr_transfer_end(struct tfr_transfer *tr)
{
	if (tr->ended)
		return;
	tr->ended = true;
	tr->control->moves++;
	for (unsigned i = 0; i < tr->uploader_count; i++)
		tfr_uploader_look(&tr->uploaders[i]);
	pthread_cond_signal(&tr->control->arrivals);
}

/* ---- images ---- */

struct tfr_batch_place tfr_transfer_next_place(struct tfr_transfer *tr, uint64_t epoch)
{
	struct tfr_batch_place place;

	tfr_transfer_open_batch(tr);
	place = (struct tfr_batch_place){ tr->open, tr->open->assigned++ };
	tr->open->epoch = epoch;
	if (tr->open->assigned == tr->set->batch)
		close_batch(tr, false);
	return place;
}

uint8_t *tfr_transfer_place_memory(
	const struct tfr_transfer *tr, struct tfr_batch_place place, bool mask)
{
	const struct tfr_batch_layout *l = &tr->layout;
	uint8_t *memory = tfr_staged_memory(tr, place.batch);

	assert(place.at < l->batch);
	return mask ? memory + l->mask_at + place.at * l->mask_bytes
		    : memory + place.at * l->image_bytes;
}

void tfr_transfer_place_done(struct tfr_transfer *tr, struct tfr_batch_place place,
	struct tfr_feed_sample *record, bool good, uint64_t bytes)
{
	struct tfr_staged_batch *b = place.batch;

	assert(b->done < b->assigned && place.at < b->assigned);
	if (b->samples)
		b->samples[place.at] = record;
	b->done++;
	b->bad[place.at] = !good;
	b->gaps |= !good;
	if (good) {
		b->records++;
		b->payload_bytes += bytes;
	}
	if (b->state == STAGED_CLOSED && b->done == b->assigned)
		finish(tr, b);
}

/* ---- records ---- */

struct tfr_feed_sample **tfr_transfer_sample_room(struct tfr_transfer *tr, unsigned *max)
{
	struct tfr_staged_batch *b = tr->open;

	if (!b)
		return NULL;
	assert(b->samples && b->assigned < tr->set->batch);
	*max = tr->set->batch - b->assigned;
	return b->samples + b->assigned;
}

unsigned tfr_transfer_places(const struct tfr_transfer *tr)
{
	return tr->set->batch - (tr->open ? tr->open->assigned : 0);
}

void tfr_staged_assign(struct tfr_transfer *tr, struct tfr_feed_sample **samples, unsigned count)
{
	struct tfr_staged_batch *b = tr->open;

	assert(b && count <= tr->set->batch - b->assigned);
	if (samples != b->samples + b->assigned)
		memcpy(b->samples + b->assigned, samples, count * sizeof(*samples));
	b->assigned += count;
	b->records = b->assigned;
	if (b->assigned == tr->set->batch)
		close_batch(tr, false);
}

/* The samples are not looked at here, under the lock: they may be in no cache. */
void tfr_transfer_add_samples(
	struct tfr_transfer *tr, struct tfr_feed_sample **samples, unsigned count)
{
	if (!count)
		return;
	tr->open->done += count; /* before it is closed, which may end it */
	tfr_staged_assign(tr, samples, count);
}

void tfr_transfer_piece_done(struct tfr_transfer *tr, const struct tfr_batch_piece *piece)
{
	struct tfr_staged_batch *b = piece->batch;

	assert(piece->count <= b->assigned - b->done);
	b->done += piece->count;
	if (b->state == STAGED_CLOSED && b->done == b->assigned)
		finish(tr, b);
}

/* ---- lists without batch ---- */

void tfr_transfer_begin_drop(struct tfr_transfer *tr)
{
	assert(!tr->set->batches);
	tr->dropping++;
}

void tfr_transfer_end_drop(
	struct tfr_transfer *tr, uint64_t records, uint64_t bytes, uint64_t epoch)
{
	assert(tr->dropping);
	tr->dropping--;
	tr->dropped_records += records;
	tr->dropped_bytes += bytes;
	if (records && epoch > tr->dropped_epoch)
		tr->dropped_epoch = epoch;
	tfr_feed_wake_workers(tr->control);
	pthread_cond_signal(&tr->control->arrivals);
}
