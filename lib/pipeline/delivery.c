/* pipeline/delivery.c - batches handed out in order, and what ends the feed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/state.h"

/* How often a waiting consumer looks whether it is to stop. */
#define LOOK_NS 20000000u

static struct tfr_uploader *next_lane(const struct tfr_pipeline *p)
{
	return &p->uploaders[p->deliver_transfer % p->uploader_count];
}

static struct tfr_device_buffer *next_target(const struct tfr_pipeline *p)
{
	struct tfr_uploader *l = next_lane(p);

	return l->full.count ? &l->targets[l->full.at[l->full.head]] : NULL;
}

/* The transfer's last batch was handed out. */
static void pass_transfer(struct tfr_pipeline *p, struct tfr_device_buffer *t)
{
	struct tfr_uploader *l = next_lane(p);

	tfr_index_queue_take(&l->full);
	p->deliver_transfer++;
	p->deliver_batch = 0;
	t->handed_out = true;
	if (!t->held) {
		t->state = DEVICE_FREE;
		pthread_cond_signal(&l->uploads);
	}
}

/* Whether there is a batch; passes over transfers that have none. */
static bool there_is_one(struct tfr_pipeline *p)
{
	struct tfr_device_buffer *t;

	if (!p->batches_rows)
		return p->dropped_records > 0;
	while ((t = next_target(p))) {
		if (p->deliver_batch < t->count)
			return true;
		pass_transfer(p, t);
	}
	return false;
}

/* Whether every batch that will be has been delivered. */
static bool all_delivered(const struct tfr_pipeline *p)
{
	uint64_t steps = p->opts.steps_per_transfer;

	if (!p->fed_all || p->complete || p->open || p->dropping)
		return false;
	return !p->batches_rows || p->deliver_transfer >= (p->fill_number + steps - 1) / steps;
}

static bool out_of_time(const struct tfr_pipeline *p, uint64_t now)
{
	return p->opts.seconds > 0 && (double)(now - p->start_ns) * 1e-9 >= p->opts.seconds;
}

/* An upload that is under way to the device whose turn it is. */
static enum tfr_status upload_stalled(
	const struct tfr_pipeline *p, const struct tfr_uploader *l, struct tfr_error *err)
{
	const struct tfr_staging_buffer *b = &l->staging[l->flying.at[l->flying.head]];
	char size[TFR_SIZE_TEXT];

	tfr_fail(err, TFR_ESYS,
		"nothing moved for %g s: stage 'upload' waits for %s to take batch %llu of %s",
		p->opts.stall_timeout, tfr_device_name(l->device),
		(unsigned long long)b->fills[0].number, tfr_format_size(b->bytes, size));
	if (err)
		err->sys_errno = ETIMEDOUT;
	return TFR_ESYS;
}

/* The stage that waits, seen from the end of the list: the last one that nothing comes to. */
enum tfr_status tfr_feed_stalled(struct tfr_pipeline *p, struct tfr_error *err)
{
	const char *path = tfr_record_source_waits_for(p), *stage = p->list.at[0].row->name;

	if (p->uploads && next_lane(p)->flying.count)
		return upload_stalled(p, next_lane(p), err);
	for (unsigned i = 1; i < p->node_count; i++)
		if (tfr_flow_node_waiting(p, &p->nodes[i - 1]) ||
			p->nodes[i].claimed > p->nodes[i].taken)
			stage = p->nodes[i].row < p->list.count
					? p->list.at[p->nodes[i].row].row->name
					: stage;
	if (path)
		tfr_fail_path(err, TFR_ESYS, path, "nothing moved for %g s: stage '%s' waits for",
			p->opts.stall_timeout, "read");
	else
		tfr_fail(err, TFR_ESYS, "nothing moved for %g s: stage '%s' waits",
			p->opts.stall_timeout, stage);
	if (err)
		err->sys_errno = ETIMEDOUT;
	return TFR_ESYS;
}

static bool is_stalled(struct tfr_pipeline *p, uint64_t now)
{
	if (p->moves != p->moves_seen || !p->moved_ns) {
		p->moves_seen = p->moves;
		p->moved_ns = now;
	}
	return p->opts.stall_timeout > 0 &&
	       (double)(now - p->moved_ns) * 1e-9 >= p->opts.stall_timeout;
}

static enum tfr_status end_of_feed(struct tfr_pipeline *p, struct tfr_error *err)
{
	p->epochs = tfr_flow_last(p)->epochs - (p->ended && tfr_flow_last(p)->epochs);
	if (p->ended && err)
		*err = p->end;
	return p->ended ? p->ended : TFR_END;
}

/* Waits until there is a batch (TFR_OK) or will be none. */
static enum tfr_status await_batch(struct tfr_pipeline *p, struct tfr_error *err)
{
	p->moved_ns = 0;
	for (;;) {
		uint64_t now = tfr_clock_ns();
		struct timespec ts;

		if (p->failed) {
			if (err)
				*err = p->failure;
			return p->failed;
		}
		if (p->opts.cancelled && p->opts.cancelled(p->opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (out_of_time(p, now))
			return TFR_END;
		if (there_is_one(p))
			return TFR_OK;
		if (all_delivered(p))
			return end_of_feed(p, err);
		if (is_stalled(p, now))
			return tfr_feed_stalled(p, err);
		if (p->opts.no_overlap && p->uploader_count)
			pthread_cond_signal(&next_lane(p)->uploads);
		now += LOOK_NS;
		ts = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
		pthread_cond_timedwait(&p->arrivals, &p->lock, &ts);
	}
}

/* What left a list that ends before batch. */
static void deliver_counts(struct tfr_pipeline *p, struct tfr_batch *batch, uint64_t waited_since)
{
	uint64_t now = tfr_clock_ns(), most = UINT32_MAX;
	struct tfr_device_batch a = { .epoch = p->dropped_epoch,
		.payload_bytes = p->dropped_bytes,
		.records = (uint32_t)(p->dropped_records < most ? p->dropped_records : most) };

	*batch = (struct tfr_batch){ .index = p->batches, .epoch = a.epoch, .records = a.records };
	p->dropped_records -= a.records;
	p->dropped_bytes = 0;
	tfr_statistics_delivered(p, &a, now - waited_since, now);
}

static void deliver(struct tfr_pipeline *p, struct tfr_batch *batch, uint64_t waited_since)
{
	uint64_t now = tfr_clock_ns();
	struct tfr_uploader *l = next_lane(p);
	struct tfr_device_buffer *t = next_target(p);
	const struct tfr_device_batch *a = &t->batches[p->deliver_batch++];

	p->arrived.now--;

	t->held++;
	*batch = (struct tfr_batch){ .index = p->batches,
		.epoch = a->epoch,
		.records = a->records,
		.bytes = l->device ? a->bytes : 0,
		.device = l->number,
		.event = t->event,
		.tensors = a->tensors,
		.tensor_count = a->tensor_count,
		.memory = l->device ? t->memory + a->at : NULL,
		.buffer = l->number * p->plan.device + (unsigned)(t - l->targets) };
	tfr_statistics_delivered(p, a, now - waited_since, now);
	if (p->deliver_batch == t->count)
		pass_transfer(p, t);
}

enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err)
{
	struct tfr_stage_counter *c = &p->counters[p->rows];
	enum tfr_status status = TFR_END;
	uint64_t start = tfr_clock_ns();

	pthread_mutex_lock(&p->lock);
	tfr_span_end(&p->consumer_span);
	tfr_span_charge(&p->consumer_span, &c->starved);
	p->asked = true;
	tfr_queue_meter_look(&p->arrived);
	if (!p->opts.steps || p->batches < p->opts.steps)
		status = await_batch(p, err);
	p->asked = false;
	tfr_span_end(&p->consumer_span);
	if (status == TFR_OK) {
		tfr_span_charge(&p->consumer_span, &c->busy);
		if (p->batches_rows)
			deliver(p, batch, start);
		else
			deliver_counts(p, batch, start);
	}
	pthread_mutex_unlock(&p->lock);
	return status;
}

void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch)
{
	struct tfr_uploader *l;
	struct tfr_device_buffer *t;

	pthread_mutex_lock(&p->lock);
	if (p->uploader_count) {
		l = &p->uploaders[batch->buffer / p->plan.device];
		t = &l->targets[batch->buffer % p->plan.device];
		if (--t->held == 0 && t->handed_out) {
			t->state = DEVICE_FREE;
			p->moves++;
			pthread_cond_signal(&l->uploads);
		}
	}
	pthread_mutex_unlock(&p->lock);
}
