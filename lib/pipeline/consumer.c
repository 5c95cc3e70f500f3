/* pipeline/consumer.c - the thread that takes batches: what it waits for, and what ends the feed.
 */
#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "base/error.h"
#include "pipeline/parts.h"

/* How often a waiting consumer looks whether it is to stop. */
#define LOOK_NS 20000000u

/* The stage that waits, seen from the end of the list: the last one that nothing comes to. */
enum tfr_status tfr_feed_stalled(struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_feed_settings *set = p->set;
	const char *path = tfr_record_source_waits_for(p->source);
	enum tfr_status status = p->transfer ? tfr_transfer_stalled(p->transfer, err) : TFR_OK;

	if (status)
		return status;
	if (path)
		tfr_fail_path(err, TFR_ESYS, path, "nothing moved for %g s: stage '%s' waits for",
			set->opts.stall_timeout, "read");
	else
		tfr_fail(err, TFR_ESYS, "nothing moved for %g s: stage '%s' waits",
			set->opts.stall_timeout,
			set->list.at[p->flow ? tfr_flow_waiting_row(p->flow) : 0].row->name);
	if (err)
		err->sys_errno = ETIMEDOUT;
	return TFR_ESYS;
}

static bool is_stalled(struct tfr_pipeline *p, uint64_t now)
{
	uint64_t moves = p->control.moves;

	if (moves != p->moves_seen || !p->moved_ns) {
		p->moves_seen = moves;
		p->moved_ns = now;
	}
	return p->set->opts.stall_timeout > 0 &&
	       (double)(now - p->moved_ns) * 1e-9 >= p->set->opts.stall_timeout;
}

/* An epoch that a fault cut short does not count. */
static enum tfr_status end_of_feed(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status fault = tfr_record_source_fault(p->source, err);
	uint64_t epochs = tfr_flow_epochs(p->flow);

	tfr_statistics_set_epochs(p->statistics, epochs - (fault && epochs));
	return fault ? fault : TFR_END;
}

static bool out_of_time(const struct tfr_pipeline *p, uint64_t now)
{
	return p->set->opts.seconds > 0 &&
	       tfr_statistics_seconds(p->statistics, now) >= p->set->opts.seconds;
}

/* Waits until there is a batch (TFR_OK) or will be none. */
static enum tfr_status await_batch(struct tfr_pipeline *p, struct tfr_error *err)
{
	p->moved_ns = 0;
	for (;;) {
		uint64_t now = tfr_clock_ns();

		if (p->control.failed && err)
			*err = p->control.failure;
		if (p->control.failed)
			return p->control.failed;
		if (p->set->opts.cancelled && p->set->opts.cancelled(p->set->opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (out_of_time(p, now))
			return TFR_END;
		if (tfr_transfer_has_batch(p->transfer))
			return TFR_OK;
		if (tfr_transfer_all_delivered(p->transfer))
			return end_of_feed(p, err);
		if (is_stalled(p, now))
			return tfr_feed_stalled(p, err);
		tfr_feed_consumer_wait(&p->control, now + LOOK_NS);
	}
}

static void deliver(struct tfr_pipeline *p, struct tfr_batch *batch, uint64_t waited_since)
{
	uint64_t now = tfr_clock_ns();
	uint64_t payload_bytes = tfr_transfer_deliver(p->transfer, batch);

	batch->index = tfr_statistics_batches(p->statistics);
	tfr_statistics_delivered(p->statistics, batch, payload_bytes, now - waited_since, now);
}

static void charge(struct tfr_pipeline *p, enum tfr_account which)
{
	tfr_span_charge(
		&p->consumer_span, tfr_statistics_account(p->statistics, p->set->rows, which));
}

enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err)
{
	uint64_t steps = p->set->opts.steps, start = tfr_clock_ns();
	enum tfr_status status = TFR_END;

	pthread_mutex_lock(&p->control.lock);
	tfr_span_end(&p->consumer_span);
	charge(p, TFR_ACCOUNT_STARVED);
	tfr_transfer_ask(p->transfer, true);
	if (!steps || tfr_statistics_batches(p->statistics) < steps)
		status = await_batch(p, err);
	tfr_transfer_ask(p->transfer, false);
	tfr_span_end(&p->consumer_span);
	if (status == TFR_OK) {
		charge(p, TFR_ACCOUNT_BUSY);
		deliver(p, batch, start);
	}
	pthread_mutex_unlock(&p->control.lock);
	return status;
}

void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch)
{
	pthread_mutex_lock(&p->control.lock);
	tfr_transfer_release(p->transfer, batch);
	pthread_mutex_unlock(&p->control.lock);
}
