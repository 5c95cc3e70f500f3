/* pipeline/transfer/delivery.c - batches handed out in the order of their numbers, and reports.
 *
 * A device buffer is free again once all its batches were handed out and released. */
#include <assert.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

static struct tfr_uploader *next_uploader(const struct tfr_transfer *tr)
{
	assert(tr->uploader_count);
	return &tr->uploaders[tr->deliver_transfer % tr->uploader_count];
}

static struct tfr_device_buffer *next_target(const struct tfr_transfer *tr)
{
	struct tfr_uploader *l = next_uploader(tr);

	return l->landed > l->passed
		       ? &l->targets[l->staged_in[l->passed % tr->settings->plan.device]]
		       : NULL;
}

static void free_target(struct tfr_uploader *l, struct tfr_device_buffer *t)
{
	assert(t->state == DEVICE_FULL);
	t->state = DEVICE_FREE;
	tfr_uploader_look(l);
}

/* The transfer's last batch was handed out. */
static void pass_transfer(struct tfr_transfer *tr, struct tfr_device_buffer *t)
{
	struct tfr_uploader *l = next_uploader(tr);

	l->passed++;
	tr->deliver_transfer++;
	tr->deliver_batch = 0;
	t->handed_out = true;
	if (!t->held)
		free_target(l, t);
}

void tfr_transfer_ask(struct tfr_transfer *tr, bool asked)
{
	tr->asked = asked;
	if (asked)
		tfr_queue_meter_look(&tr->arrived);
}

/* Passes over transfers that have no batch. */
bool tfr_transfer_find_batch(struct tfr_transfer *tr)
{
	struct tfr_device_buffer *t;

	if (!tr->settings->batches)
		return tr->dropped_records > 0;
	while ((t = next_target(tr))) {
		if (tr->deliver_batch < t->count)
			return true;
		pass_transfer(tr, t);
	}
	if (tr->settings->opts.no_overlap) /* an upload starts now that its batch is waited for */
		tfr_uploader_look(next_uploader(tr));
	return false;
}

bool tfr_transfer_all_delivered(const struct tfr_transfer *tr)
{
	uint64_t steps = tr->settings->opts.steps_per_transfer;

	if (!tr->ended || tr->incomplete || tr->open || tr->dropping)
		return false;
	return !tr->settings->batches ||
	       tr->deliver_transfer >= (tr->next_number + steps - 1) / steps;
}

uint64_t tfr_transfer_deliver(struct tfr_transfer *tr, struct tfr_batch *batch)
{
	struct tfr_device_buffer *t;
	const struct tfr_device_batch *a;

	if (!tr->settings->batches) { /* counts of what left the list */
		uint64_t bytes = tr->dropped_bytes, records = tr->dropped_records;

		*batch = (struct tfr_batch){ .epoch = tr->dropped_epoch,
			.records = records < UINT32_MAX ? (uint32_t)records : UINT32_MAX };
		tr->dropped_records -= batch->records;
		tr->dropped_bytes = 0;
		return bytes;
	}
	t = next_target(tr);
	assert(t && tr->deliver_batch < t->count && tr->arrived.now);
	a = &t->batches[tr->deliver_batch++];
	tr->arrived.now--;
	t->held++;
	*batch = a->batch;
	if (tr->deliver_batch == t->count)
		pass_transfer(tr, t);
	return a->payload_bytes;
}

static struct tfr_device_buffer *target_of(
	struct tfr_transfer *tr, const struct tfr_batch *batch, struct tfr_uploader **l)
{
	*l = &tr->uploaders[batch->buffer / tr->settings->plan.device];
	return &(*l)->targets[batch->buffer % tr->settings->plan.device];
}

/* The next upload to this target finds it too small and allocates. */
void *tfr_transfer_take(struct tfr_transfer *tr, const struct tfr_batch *batch)
{
	struct tfr_uploader *l;
	struct tfr_device_buffer *t = target_of(tr, batch, &l);
	void *memory = t->memory;

	assert(t->held == 1);
	t->memory = NULL;
	t->capacity = 0;
	tfr_transfer_release(tr, batch);
	return memory;
}

void tfr_transfer_release(struct tfr_transfer *tr, const struct tfr_batch *batch)
{
	struct tfr_uploader *l;
	struct tfr_device_buffer *t;

	if (!tr->uploader_count)
		return;
	t = target_of(tr, batch, &l);
	assert(t->held);
	if (--t->held == 0 && t->handed_out) {
		free_target(l, t);
		tr->control->moves++;
	}
}

/* ---- reports ---- */

enum tfr_status tfr_transfer_stalled(const struct tfr_transfer *tr, struct tfr_error *err)
{
	const struct tfr_uploader *l = tr->settings->uploads ? next_uploader(tr) : NULL;
	const struct tfr_staging_buffer *b = l ? tfr_uploader_oldest(l) : NULL;
	double seconds = tr->settings->opts.stall_timeout;
	char size[TFR_SIZE_TEXT];

	if (l && l->arrived > l->landed)
		tfr_fail(err, TFR_ESYS,
			"nothing moved for %g s: stage 'upload' waits for %s to normalise batch "
			"%llu",
			seconds, tfr_device_name(l->device),
			(unsigned long long)l
				->targets[l->staged_in[l->landed % tr->settings->plan.device]]
				.number);
	else if (b)
		tfr_fail(err, TFR_ESYS,
			"nothing moved for %g s: stage 'upload' waits for %s to take batch %llu of "
			"%s",
			seconds, tfr_device_name(l->device),
			(unsigned long long)b->batches[0].number, tfr_format_size(b->bytes, size));
	else
		return TFR_OK;
	return tfr_control_timed_out(err);
}

/* Batches in staging memory wait after the last stage before upload, those on devices after
 * upload. */
void tfr_transfer_report(const struct tfr_transfer *tr, struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *st)
{
	const struct tfr_settings *settings = tr->settings;
	uint64_t now = tfr_clock_ns(), oldest = now;
	uint64_t each = (uint64_t)tr->uploader_count * settings->opts.steps_per_transfer;
	struct tfr_stage_stats *last = &st->stages[settings->rows - 1];

	if (settings->uploads)
		tfr_queue_meter_report(&tr->arrived, each * settings->plan.device, last--);
	if (settings->batches)
		tfr_queue_meter_report(&tr->assembled, each * settings->plan.staging, last);
	for (unsigned i = 0; settings->uploads && i < tr->uploader_count; i++) {
		const struct tfr_uploader *l = &tr->uploaders[i];
		const struct tfr_staging_buffer *b = tfr_uploader_oldest(l);

		if (b && l->targets[b->target].started_ns < oldest)
			oldest = l->targets[b->target].started_ns;
		if (i < TFR_DEVICES_MAX)
			st->devices[st->device_count++] = (struct tfr_device_stats){
				.busy = (double)l->busy_ns * 1e-9,
				.batches = l->sent_batches,
				.bytes = l->sent_bytes,
			};
	}
	facts->oldest_upload = (double)(now - oldest) * 1e-9;
	facts->image_dtype = tr->layout.images ? tr->layout.image.dtype : TFR_UINT8;
}
