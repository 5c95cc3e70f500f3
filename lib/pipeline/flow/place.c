/* pipeline/flow/place.c - the last nodes: images to their places in a batch, records to theirs,
 * and samples that are dropped after the last stage of a list without batch.
 *
 * Places are given in the order of the samples, so that the contents of a batch do not depend on
 * which worker makes them.  An image that becomes several takes as many places, which may be in
 * two batches or more. */
#include <assert.h>

#include "base/error.h"
#include "pipeline/flow/nodes.h"

/* After an epoch without any record all others would be empty, too: the present one is the last. */
static void end_epoch(struct tfr_flow *flow, struct tfr_flow_node *n)
{
	n->epochs++;
	if (!n->epoch_items) {
		tfr_record_source_end_with_epoch(flow->source);
		flow->epochs = n->epochs + 1;
	}
	n->epoch_items = 0;
	tfr_transfer_end_epoch(flow->transfer);
}

/* There was no input. */
static void note_lack(struct tfr_flow *flow, struct tfr_worker *w, const struct tfr_flow_node *n)
{
	bool over = tfr_flow_node_over(flow, n->up);

	w->lack = over ? LACK_NOTHING : LACK_INPUT;
	if (over)
		tfr_transfer_end(flow->transfer);
}

/* Up to `max` samples, NULL at the end of them where an epoch ends, with a batch open for them and
 * room for `ahead` more.  0: w->lack says what is missing. */
static unsigned take_placed(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n,
	unsigned ahead, struct tfr_pipeline_sample **to, unsigned max)
{
	bool over = tfr_flow_node_over(flow, n->up);
	unsigned count;

	if (!over && !tfr_transfer_room(flow->transfer, ahead)) {
		w->lack = LACK_ROOM;
		return 0;
	}
	count = over ? 0 : tfr_flow_node_take(flow, n->up, to, max);
	if (!count) {
		note_lack(flow, w, n);
		return 0;
	}
	n->epoch_items += count - !to[count - 1];
	if (to[0])
		tfr_transfer_open_batch(flow->transfer);
	return count;
}

/* ---- images ---- */

bool tfr_place_claim(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n)
{
	uint32_t copies = tfr_flow_node_copies(n), batch = flow->settings->batch;

	do {
		if (!take_placed(flow, w, n, (copies + batch - 2) / batch, &w->sample, 1))
			return false;
		if (!w->sample)
			end_epoch(flow, n);
	} while (!w->sample);
	/* There is room for all copies: it was asked for. */
	for (uint32_t k = 0; k < copies; k++)
		w->places[k] = tfr_transfer_next_place(flow->transfer, w->sample->epoch);
	w->node = n;
	tfr_control_wake_workers(flow->control);
	return true;
}

static void *place_in_batch(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct tfr_worker *w = ctx;

	(void)form;
	assert(k < tfr_flow_node_copies(w->node));
	return tfr_transfer_place_memory(w->flow->transfer, w->places[k], mask);
}

/* Pixels that were finished before: they only go to their place. */
static enum tfr_status copy_image(struct tfr_flow *flow, struct tfr_worker *w)
{
	const struct tfr_pipeline_sample *s = w->sample;
	uint64_t start = tfr_clock_ns();

	tfr_pixels_pack(&s->pixels[0], place_in_batch(w, 0, false, NULL));
	if (flow->settings->masks)
		tfr_pixels_pack(&s->pixels[1], place_in_batch(w, 0, true, NULL));
	tfr_work_time_spend(&w->time, flow->settings, w->node->row, start, s->ordinal);
	return TFR_OK;
}

static enum tfr_status make_image(struct tfr_flow *flow, struct tfr_worker *w)
{
	struct tfr_image_input in = tfr_sample_image(w->sample);
	uint64_t start = tfr_clock_ns();
	enum tfr_status status = tfr_image_executor_run(
		w->executor, &w->node->recipe, &in, place_in_batch, w, &w->err);

	if (status == TFR_OK)
		tfr_worker_spent_images(flow, w, w->sample, start,
			tfr_flow_node_copies(w->node) * tfr_transfer_image_bytes(flow->transfer));
	return status;
}

void tfr_place_run(struct tfr_flow *flow, struct tfr_worker *w)
{
	uint32_t copies = tfr_flow_node_copies(w->node);
	uint64_t size = w->sample->size;
	enum tfr_status status = w->node->decodes ? make_image(flow, w) : copy_image(flow, w);

	if (status)
		tfr_control_bad_record(flow->control, w->sample, &w->err);
	if (!flow->settings->features ||
		status) { /* else the batch needs the record until the end */
		tfr_sample_put(flow->pool, w->sample);
		w->sample = NULL;
	}
	tfr_worker_lock_and_settle(flow, w);
	for (uint32_t k = 0; k < copies; k++)
		tfr_transfer_place_done(flow->transfer, w->places[k], k ? NULL : w->sample,
			status == TFR_OK, k ? 0 : size);
}

/* ---- records ---- */

static bool has_next(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	return n->kind == NODE_SOURCE ? tfr_record_source_has_next(flow->source) : n->waiting > 0;
}

/* Adds records to the open batch.  Of large payloads, w->piece is what the worker copies to its
 * places, unless it is empty.  Small ones go to the batch, which is completed once it has all of
 * them.  False: there were none. */
static bool add_records(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n)
{
	struct tfr_pipeline_sample **to =
		n->pieces ? NULL : tfr_transfer_sample_room(flow->transfer);
	unsigned max = tfr_transfer_places(flow->transfer), count;
	bool ends;

	if (n->pieces)
		max = max < n->per_job ? max : n->per_job;
	else if (!to) /* the first of a batch, which opens once it is there */
		max = 1;
	if (!to)
		to = w->dropped;
	count = take_placed(flow, w, n, 0, to, max);
	if (!count)
		return false;
	ends = !to[count - 1];
	if (!n->pieces)
		tfr_transfer_add_samples(flow->transfer, to, count - ends);
	else if (tfr_transfer_add_piece(flow->transfer, to, count - ends, &w->piece) &&
		 has_next(flow, n->up)) /* a piece for another */
		tfr_control_wake_worker(flow->control);
	if (ends)
		end_epoch(flow, n);
	return true;
}

bool tfr_records_claim(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n)
{
	while (!tfr_transfer_has_incomplete(flow->transfer) && add_records(flow, w, n))
		if (w->piece.count)
			return true;
	w->batch = tfr_transfer_take_incomplete(flow->transfer);
	return w->batch;
}

void tfr_records_run(struct tfr_flow *flow, struct tfr_worker *w)
{
	enum tfr_status status;

	if (w->piece.count) {
		tfr_transfer_copy_piece(flow->transfer, &w->piece, &w->time);
		tfr_worker_lock_and_settle(flow, w);
		tfr_transfer_piece_done(flow->transfer, &w->piece);
		w->piece.count = 0;
		return;
	}
	status = tfr_transfer_complete(flow->transfer, w->batch, w->parser, &w->time, &w->err);
	tfr_worker_lock_and_settle(flow, w);
	tfr_transfer_completed(flow->transfer, w->batch, status == TFR_OK);
	w->batch = NULL;
	if (status)
		tfr_control_fail(flow->control, status, &w->err);
}

/* ---- lists without batch ---- */

bool tfr_drop_claim(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n)
{
	unsigned count = tfr_flow_node_take(flow, n->up, w->dropped, DROP_AT_ONCE);

	if (!count) {
		note_lack(flow, w, n);
		return false;
	}
	w->node = n;
	w->dropped_count = count;
	n->epoch_items += count - !w->dropped[count - 1];
	if (!w->dropped[count - 1])
		end_epoch(flow, n);
	tfr_transfer_begin_drop(flow->transfer);
	return true;
}

void tfr_drop_run(struct tfr_flow *flow, struct tfr_worker *w)
{
	uint64_t records = 0, bytes = 0, epoch = 0;

	for (unsigned i = 0; i < w->dropped_count; i++)
		if (w->dropped[i]) {
			records++;
			bytes += w->dropped[i]->size;
			epoch = w->dropped[i]->epoch;
		}
	tfr_samples_put(flow->pool, w->dropped, w->dropped_count);
	pthread_mutex_lock(&flow->control->lock);
	tfr_transfer_end_drop(flow->transfer, records, bytes, epoch);
}
