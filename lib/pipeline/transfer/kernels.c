/* pipeline/transfer/kernels.c - waits for the floats that a device makes of what has arrived.
 *
 * A thread of its own waits, since the thread that uploads has the next copy to start: copies go on
 * while kernels run, and staging memory is free as soon as its copy has arrived.  Where an upload
 * is verified, both are needed until the kernels are done, and the uploader waits for them itself.
 */
#include <assert.h>

#include "pipeline/transfer/buffers.h"

bool tfr_uploader_leaves_kernels(const struct tfr_uploader *l)
{
	return l->device && l->transfer->set->opts.normalise_on_device &&
	       !l->transfer->set->opts.verify;
}

enum tfr_status tfr_uploader_await_kernels(
	struct tfr_device_buffer *t, double *seconds, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	*seconds = 0;
	for (unsigned i = 0; status == TFR_OK && i < t->count; i++) {
		double one = 0;

		status = tfr_event_wait(t->batches[i].made, &one, err);
		*seconds += one;
	}
	return status;
}

/* The device was busy since the kernels before were done, and no longer than it reports.  Traces
 * have a row for the kernels of each device, after those of all uploads. */
static void account_kernels(
	struct tfr_uploader *l, const struct tfr_device_buffer *t, double seconds)
{
	struct tfr_transfer *tr = l->transfer;
	uint64_t now = tfr_clock_ns(), took = (uint64_t)(seconds * 1e9), records = 0;

	if (took > now - l->kernels_done_ns)
		took = now - l->kernels_done_ns;
	l->kernels_done_ns = now;
	for (unsigned i = 0; i < t->count; i++)
		records += t->batches[i].batch.records;
	tfr_statistics_kernels(
		tr->statistics, took, t->count, records * tr->layout.image_bytes * sizeof(float));
	tfr_feed_trace(
		tr->set, tr->set->rows, l->thread + tr->uploader_count, now - took, now, t->number);
}

void tfr_uploader_land(struct tfr_uploader *l, double kernel_seconds)
{
	struct tfr_transfer *tr = l->transfer;
	struct tfr_device_buffer *t = &l->targets[l->staged_in[l->landed % tr->set->plan.device]];

	assert(l->landed < l->arrived && t->state == DEVICE_FLYING);
	if (l->device && tr->set->opts.normalise_on_device)
		account_kernels(l, t, kernel_seconds);
	t->state = DEVICE_FULL;
	l->landed++;
	tr->arrived.now += t->count;
	tr->control->moves++;
	pthread_cond_signal(&tr->control->arrivals);
}

void *tfr_kernel_waiter_main(void *arg)
{
	struct tfr_uploader *l = arg;
	struct tfr_transfer *tr = l->transfer;

	pthread_mutex_lock(&tr->control->lock);
	while (!tr->control->stopping) {
		unsigned target = l->staged_in[l->landed % tr->set->plan.device];
		enum tfr_status status;
		double seconds;

		if (l->landed == l->arrived) {
			pthread_cond_wait(&l->arrival.changed, &tr->control->lock);
			continue;
		}
		pthread_mutex_unlock(&tr->control->lock);
		status = tfr_uploader_await_kernels(&l->targets[target], &seconds, &l->kernel_err);
		pthread_mutex_lock(&tr->control->lock);
		if (status)
			tfr_feed_fail(tr->control, status, &l->kernel_err);
		else
			tfr_uploader_land(l, seconds);
	}
	pthread_mutex_unlock(&tr->control->lock);
	return NULL;
}
