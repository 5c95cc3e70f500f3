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

	return l->landed > l->passed ? &l->targets[l->staged_in[l->passed % tr->set->plan.device]]
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
bool tfr_transfer_has_batch(struct tfr_transfer *tr)
{
	struct tfr_device_buffer *t;

	if (!tr->set->batches)
		return tr->dropped_records > 0;
	while ((t = next_target(tr))) {
		if (tr->deliver_batch < t->count)
			return true;
		pass_transfer(tr, t);
	}
	if (tr->set->opts.no_overlap) /* an upload starts now that its batch is waited for */
		tfr_uploader_look(next_uploader(tr));
	return false;
}

bool tfr_transfer_all_delivered(const struct tfr_transfer *tr)
{
	uint64_t steps = tr->set->opts.steps_per_transfer;

	if (!tr->ended || tr->incomplete || tr->open || tr->dropping)
		return false;
	return !tr->set->batches || tr->deliver_transfer >= (tr->next_number + steps - 1) / steps;
}

/* What left a list that ends before batch. */
static uint64_t deliver_counts(struct tfr_transfer *tr, struct tfr_batch *batch)
{
	uint64_t bytes = tr->dropped_bytes, records = tr->dropped_records;

	*batch = (struct tfr_batch){ .epoch = tr->dropped_epoch,
		.records = records < UINT32_MAX ? (uint32_t)records : UINT32_MAX };
	tr->dropped_records -= batch->records;
	tr->dropped_bytes = 0;
	return bytes;
}

uint64_t tfr_transfer_deliver(struct tfr_transfer *tr, struct tfr_batch *batch)
{
	struct tfr_device_buffer *t;
	const struct tfr_device_batch *a;

	if (!tr->set->batches)
		return deliver_counts(tr, batch);
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
	*l = &tr->uploaders[batch->buffer / tr->set->plan.device];
	return &(*l)->targets[batch->buffer % tr->set->plan.device];
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

static enum tfr_status stalled_kernels(const struct tfr_uploader *l, struct tfr_error *err)
{
	const struct tfr_settings *set = l->transfer->set;
	const struct tfr_device_buffer *t = &l->targets[l->staged_in[l->landed % set->plan.device]];

	tfr_fail(err, TFR_ESYS,
		"nothing moved for %g s: stage 'upload' waits for %s to normalise batch %llu",
		set->opts.stall_timeout, tfr_device_name(l->device), (unsigned long long)t->number);
	return tfr_control_timed_out(err);
}

enum tfr_status tfr_transfer_stalled(const struct tfr_transfer *tr, struct tfr_error *err)
{
	const struct tfr_uploader *l = tr->set->uploads ? next_uploader(tr) : NULL;
	const struct tfr_staging_buffer *b = l ? tfr_uploader_oldest(l) : NULL;
	char size[TFR_SIZE_TEXT];

	if (l && l->arrived > l->landed)
		return stalled_kernels(l, err);
	if (!b)
		return TFR_OK;
	tfr_fail(err, TFR_ESYS,
		"nothing moved for %g s: stage 'upload' waits for %s to take batch %llu of %s",
		tr->set->opts.stall_timeout, tfr_device_name(l->device),
		(unsigned long long)b->batches[0].number, tfr_format_size(b->bytes, size));
	return tfr_control_timed_out(err);
}

double tfr_transfer_oldest_upload(const struct tfr_transfer *tr)
{
	uint64_t now = tfr_clock_ns(), oldest = now;

	for (unsigned i = 0; i < tr->uploader_count; i++) {
		const struct tfr_uploader *l = &tr->uploaders[i];
		const struct tfr_staging_buffer *b = l->device ? tfr_uploader_oldest(l) : NULL;

		if (b && l->targets[b->target].started_ns < oldest)
			oldest = l->targets[b->target].started_ns;
	}
	return (double)(now - oldest) * 1e-9;
}

unsigned tfr_transfer_uploaders(const struct tfr_transfer *tr)
{
	return tr->uploader_count;
}

/* Batches in staging memory wait after the last stage before upload, those on devices after
 * upload. */
static void report_queues(const struct tfr_transfer *tr, struct tfr_pipeline_stats *st)
{
	uint64_t each = (uint64_t)tr->uploader_count * tr->set->opts.steps_per_transfer;
	unsigned last = tr->set->rows - 1;

	if (tr->set->uploads)
		tfr_queue_meter_report(
			&tr->arrived, each * tr->set->plan.device, &st->stages[last]);
	tfr_queue_meter_report(&tr->assembled, each * tr->set->plan.staging,
		&st->stages[tr->set->uploads ? last - 1 : last]);
}

void tfr_transfer_report(const struct tfr_transfer *tr, struct tfr_pipeline_stats *st)
{
	if (tr->uploader_count)
		report_queues(tr, st);
	for (unsigned i = 0; tr->set->uploads && i < tr->uploader_count && i < TFR_DEVICES_MAX;
		i++) {
		const struct tfr_uploader *l = &tr->uploaders[i];

		st->devices[st->device_count++] = (struct tfr_device_stats){
			.busy = (double)l->busy_ns * 1e-9,
			.batches = l->sent_batches,
			.bytes = l->sent_bytes,
		};
	}
}
