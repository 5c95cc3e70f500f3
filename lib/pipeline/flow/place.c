/* pipeline/flow/place.c - images to their places in a batch, records to theirs, and what the last
 * stage of a list gives to nobody.
 *
 * Places are given in the order that samples come in, so that what a batch holds does not depend on
 * who works on it.  An image that becomes several takes as many places, which may lie in two
 * batches and more. */
#include <string.h>

#include "base/error.h"
#include "pipeline/state.h"

enum { DROP_AT_ONCE = 256 };

/* An epoch that brought nothing at all would be followed by another, for ever: the one that is
 * under way is the last. */
static void end_epoch(struct tfr_pipeline *p, struct tfr_flow_node *n)
{
	n->epochs++;
	if (!n->epoch_items) {
		p->source.epochs = p->source.epoch + 1;
		p->opts.epochs = n->epochs + 1;
	}
	n->epoch_items = 0;
	if (p->open)
		tfr_staged_close(p, true);
}

static void end_all(struct tfr_pipeline *p)
{
	if (p->fed_all)
		return;
	p->fed_all = true;
	p->moves++;
	tfr_transfer_end(p);
	pthread_cond_signal(&p->arrivals);
}

/* Up to `max` samples, NULL at the end of them where an epoch ends, with a batch open for them and
 * room for `ahead` more.  0: *lack says what is missing. */
static unsigned take_placed(struct tfr_pipeline *p, struct tfr_flow_node *n, unsigned ahead,
	struct tfr_feed_sample **to, unsigned max, enum tfr_lack *lack)
{
	unsigned count;

	if (tfr_flow_node_over(p, n->up)) {
		*lack = LACK_NOTHING;
		end_all(p);
		return 0;
	}
	if (!tfr_staged_room(p, ahead)) {
		*lack = LACK_ROOM;
		return 0;
	}
	count = tfr_flow_node_take(p, n->up, to, max);
	if (!count) {
		*lack = tfr_flow_node_over(p, n->up) ? LACK_NOTHING : LACK_INPUT;
		if (*lack == LACK_NOTHING)
			end_all(p);
		return 0;
	}
	n->epoch_items += count - !to[count - 1];
	if (to[0] && !p->open)
		tfr_staged_open(p);
	return count;
}

/* ---- images ---- */

static uint32_t copies_of(const struct tfr_flow_node *n)
{
	return n->decodes ? n->recipe.copies : 1;
}

bool tfr_place_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack)
{
	uint32_t copies = copies_of(n), batch = p->batch;

	do {
		if (!take_placed(p, n, (copies + batch - 2) / batch, &w->sample, 1, lack))
			return false;
		if (!w->sample)
			end_epoch(p, n);
	} while (!w->sample);
	for (uint32_t k = 0; k < copies; k++) {
		if (!p->open)
			tfr_staged_open(p); /* there is room: it was asked for */
		p->open->epoch = w->sample->epoch;
		w->fills[k] = p->open;
		w->places[k] = p->open->assigned++;
		if (p->open->assigned == batch)
			tfr_staged_close(p, false);
	}
	w->node = n;
	tfr_feed_wake_workers(p);
	return true;
}

static uint8_t *place_of(
	const struct tfr_pipeline *p, const struct tfr_worker *w, uint32_t k, bool mask)
{
	const struct tfr_batch_layout *l = &p->layout;
	uint8_t *memory = tfr_staged_memory(p, w->fills[k]);

	return mask ? memory + l->mask_at + w->places[k] * l->mask_bytes
		    : memory + w->places[k] * l->image_bytes;
}

static void *place_in_batch(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct tfr_worker *w = ctx;

	(void)form;
	return place_of(w->p, w, k, mask);
}

static void copy_pixels(uint8_t *to, const struct tfr_pixels *px)
{
	size_t row = px->width * px->channels * tfr_dtype_size(px->dtype);

	for (uint32_t y = 0; y < px->height; y++)
		memcpy(to + y * row, (const uint8_t *)px->data + y * px->stride, row);
}

/* Pixels that were finished before: they only go to their place. */
static enum tfr_status copy_image(struct tfr_pipeline *p, struct tfr_worker *w)
{
	const struct tfr_feed_sample *s = w->sample;
	uint64_t start = tfr_clock_ns(), end;

	copy_pixels(place_of(p, w, 0, false), &s->pixels[0]);
	if (p->layout.masks)
		copy_pixels(place_of(p, w, 0, true), &s->pixels[1]);
	end = tfr_clock_ns();
	tfr_worker_spent(w, w->node->row, end - start, 0, 0);
	tfr_feed_trace(p, w->node->row, w->number, start, end, s->ordinal);
	return TFR_OK;
}

static enum tfr_status make_image(struct tfr_pipeline *p, struct tfr_worker *w)
{
	struct tfr_image_input in = tfr_sample_image(w->sample);
	uint64_t start = tfr_clock_ns();
	enum tfr_status status = tfr_image_executor_run(
		w->executor, &w->node->recipe, &in, place_in_batch, w, &w->err);

	if (status == TFR_OK)
		tfr_worker_spent_images(p, w, w->sample, start,
			copies_of(w->node) * (p->layout.image_bytes + p->layout.mask_bytes));
	return status;
}

void tfr_place_run(struct tfr_pipeline *p, struct tfr_worker *w)
{
	uint32_t copies = copies_of(w->node);
	uint64_t size = w->sample->size;
	enum tfr_status status = w->node->decodes ? make_image(p, w) : copy_image(p, w);

	if (status)
		tfr_feed_bad_record(p, w->sample, &w->err);
	if (!p->features || status) {
		tfr_sample_put(&p->store, w->sample);
		w->sample = NULL;
	}
	tfr_worker_settle(p, w);
	for (uint32_t k = 0; k < copies; k++) {
		if (p->features) /* the record is needed until the batch is complete */
			w->fills[k]->samples[w->places[k]] = k ? NULL : w->sample;
		tfr_staged_done(p, w->fills[k], w->places[k], status == TFR_OK, k ? 0 : size);
	}
}

/* ---- records ---- */

bool tfr_records_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack)
{
	while (!p->complete) {
		struct tfr_feed_sample **to =
			p->open ? p->open->samples + p->open->assigned : w->dropped;
		unsigned max = p->open ? p->batch - p->open->assigned : 1;
		unsigned count = take_placed(p, n, 0, to, max, lack);
		bool ends = count && !to[count - 1];
		struct tfr_staged_batch *b = p->open;

		if (!count)
			break;
		if (b && to == w->dropped)
			b->samples[0] = to[0];
		if (b) { /* its samples are looked at without the lock: they may be far */
			b->assigned += count - ends;
			b->done = b->records = b->assigned;
		}
		if (ends)
			end_epoch(p, n);
		else if (b && b->assigned == p->batch)
			tfr_staged_close(p, false);
	}
	return tfr_complete_claim(p, w);
}

/* ---- nobody ---- */

bool tfr_drop_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack)
{
	w->dropped_count = tfr_flow_node_take(p, n->up, w->dropped, DROP_AT_ONCE);
	if (!w->dropped_count) {
		*lack = tfr_flow_node_over(p, n->up) ? LACK_NOTHING : LACK_INPUT;
		if (*lack == LACK_NOTHING)
			end_all(p);
		return false;
	}
	w->node = n;
	n->epoch_items += w->dropped_count - !w->dropped[w->dropped_count - 1];
	if (!w->dropped[w->dropped_count - 1])
		end_epoch(p, n);
	p->dropping++;
	return true;
}

void tfr_drop_run(struct tfr_pipeline *p, struct tfr_worker *w)
{
	uint64_t records = 0, bytes = 0, epoch = 0;

	for (unsigned i = 0; i < w->dropped_count; i++)
		if (w->dropped[i]) {
			records++;
			bytes += w->dropped[i]->size;
			epoch = w->dropped[i]->epoch;
		}
	tfr_samples_put(&p->store, w->dropped, w->dropped_count);
	pthread_mutex_lock(&p->lock);
	p->dropping--;
	p->dropped_records += records;
	p->dropped_bytes += bytes;
	if (records && epoch > p->dropped_epoch)
		p->dropped_epoch = epoch;
	tfr_feed_wake_workers(p);
	pthread_cond_signal(&p->arrivals);
}
