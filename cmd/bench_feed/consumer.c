/* cmd/bench_feed/consumer.c - takes the batches, as a training would.
 *
 * Without --compute-ms a batch is returned at once.  With it, each batch occupies the device for a
 * random time, and is returned after that.  Devices take turns: the step of a device must end
 * before its next batch is requested, while the other devices keep working.  A device is idle from
 * the end of a step to the start of its next one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_feed/bench_feed.h"
#include "common/text.h"

/* A step in progress on one device. */
struct step {
	struct tfr_event *event;
	struct tfr_batch batch; /* held until the step ends */
	bool running;
	uint64_t start_ns;
	double seconds; /* of the step, as drawn */
};

/* A running step checks for a signal every LOOK_NS, until SPARE_NS before its end.  The rest is a
 * wait for the device's event, exact to the microsecond. */
enum { LOOK_NS = 20000000, SPARE_NS = 5000000 };

static double draw_uniform(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

/* The seconds of the next step: normally distributed, never negative. */
static double draw_seconds(struct feed_compute *k)
{
	double a, b, seconds;

	if (k->deviation <= 0)
		return k->mean;
	a = draw_uniform(&k->random);
	b = draw_uniform(&k->random);
	seconds = k->mean + k->deviation * sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
	return seconds > 0 ? seconds : 0;
}

/* Counts the time that the device was idle before the step of `batch`, which starts now. */
static void note_start(
	struct feed_compute *k, struct feed_device_use *use, const struct tfr_batch *batch)
{
	double idle = cmd_seconds() - use->free_since;

	if (use->free_since <= 0)
		return;
	use->idle += idle > 0 ? idle : 0;
	k->steps++;
	if (idle > k->longest)
		k->longest = idle;
	if (idle <= k->threshold)
		return;
	if (!k->idle_steps++)
		k->first_idle_step = batch->index;
}

/* The step holds the batch if it starts. */
static enum tfr_status start_step(
	struct feed *f, struct step *step, const struct tfr_batch *batch, struct tfr_error *err)
{
	struct feed_device_use *use = &f->compute.devices[batch->device];
	double seconds = draw_seconds(&f->compute);

	note_start(&f->compute, use, batch);
	step->start_ns = feed_trace_now();
	TFR_TRY(tfr_device_compute(f->devices[batch->device], seconds, step->event, err));
	step->batch = *batch;
	step->running = true;
	step->seconds = seconds;
	return TFR_OK;
}

/* Waits until the step is nearly over.  False: a signal came. */
static bool outwait_step(const struct feed *f, const struct step *step)
{
	uint64_t end = step->start_ns + (uint64_t)(step->seconds * 1e9);

	while (!*f->interrupted) {
		uint64_t now = feed_trace_now(),
			 left = end > now + SPARE_NS ? end - now - SPARE_NS : 0;

		feed_guard_alive(f->guard);
		if (!left)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = left < LOOK_NS ? (long)left : LOOK_NS },
			NULL);
	}
	return false;
}

/* A signal ends a simulated step at once.  A kernel on a GPU keeps running; the process then ends
 * without waiting for it, and its event is not freed. */
static bool leave_step(struct feed *f, struct step *step)
{
	tfr_event_cut_short(step->event);
	if (tfr_device_in_process(f->devices[step->batch.device]) || tfr_event_done(step->event))
		return false;
	step->running = false;
	step->event = NULL;
	f->left_running = true;
	tfr_pipeline_release(f->pipeline, &step->batch);
	return true;
}

static enum tfr_status finish_step(
	struct feed *f, struct step *step, struct feed_device_use *use, struct tfr_error *err)
{
	double seconds = 0, since_start;
	enum tfr_status status;

	if (!step->running)
		return TFR_OK;
	if (!outwait_step(f, step) && leave_step(f, step)) {
		*err = (struct tfr_error){ .status = TFR_ECANCELLED, .message = "cancelled" };
		return TFR_ECANCELLED;
	}
	step->running = false;
	status = tfr_event_wait(step->event, &seconds, err);
	since_start = (double)(feed_trace_now() - step->start_ns) * 1e-9;
	use->computing += seconds;
	use->steps++;
	/* The step may have ended long ago, while other devices had their turn. */
	use->free_since = cmd_seconds() - (since_start > seconds ? since_start - seconds : 0);
	feed_trace_step(f->trace, step->batch.device, step->batch.index, step->start_ns,
		step->start_ns + (uint64_t)(seconds * 1e9));
	tfr_pipeline_release(f->pipeline, &step->batch);
	return status;
}

static enum tfr_status take_batch(struct feed *f, struct tfr_batch *batch, struct tfr_error *err)
{
	uint64_t since = feed_trace_now();
	enum tfr_status status = tfr_pipeline_next(f->pipeline, batch, err);

	feed_trace_wait(f->trace, since, feed_trace_now());
	return status;
}

static enum tfr_status describe_first(
	struct feed *f, const struct tfr_batch *batch, struct tfr_error *err)
{
	struct text text;

	if (batch->index || f->tensors)
		return TFR_OK;
	if (!text_open(&text))
		return cmd_fill_no_memory(err);
	for (unsigned i = 0; i < batch->tensor_count; i++) {
		const struct tfr_tensor *t = &batch->tensors[i];

		fprintf(text.f, "%s%s %s [", i ? "; " : "", t->name, tfr_dtype_name(t->dtype));
		for (unsigned k = 0; k < t->rank; k++)
			fprintf(text.f, "%s%llu", k ? " " : "", (unsigned long long)t->shape[k]);
		fputc(']', text.f);
	}
	f->tensors = text_close(&text);
	if (!f->tensors)
		return cmd_fill_no_memory(err);
	return f->s->html ? feed_gallery_fill(f, batch, err) : TFR_OK;
}

/* No --compute-ms: as fast as possible. */
static enum tfr_status take_all(struct feed *f, struct tfr_error *err)
{
	struct tfr_batch batch;
	enum tfr_status status;

	while ((status = take_batch(f, &batch, err)) == TFR_OK) {
		status = describe_first(f, &batch, err);
		tfr_pipeline_release(f->pipeline, &batch);
		if (status)
			break;
	}
	return status;
}

/* Ends the steps that hold memory which the next batch needs: the step of its device, or all steps
 * if a device has room for one batch only. */
static enum tfr_status make_room(
	struct feed *f, struct step *steps, uint64_t index, struct tfr_error *err)
{
	unsigned next = (unsigned)(index / f->s->steps_per_transfer % f->device_count);
	bool all = tfr_pipeline_plan(f->pipeline)->device < 2;

	for (unsigned d = 0; d < f->device_count; d++)
		if (d == next || all)
			TFR_TRY(finish_step(f, &steps[d], &f->compute.devices[d], err));
	return TFR_OK;
}

/* Ends the step of the batch's device, and starts the one of the batch. */
static enum tfr_status next_step(
	struct feed *f, struct step *steps, const struct tfr_batch *batch, struct tfr_error *err)
{
	struct step *step = &steps[batch->device];

	TFR_TRY(describe_first(f, batch, err));
	TFR_TRY(finish_step(f, step, &f->compute.devices[batch->device], err));
	return start_step(f, step, batch, err);
}

static enum tfr_status train_until_end(struct feed *f, struct step *steps, struct tfr_error *err)
{
	for (unsigned i = 0; i < f->device_count; i++)
		TFR_TRY(tfr_event_new(&steps[i].event, f->devices[i], err));
	for (uint64_t index = 0;; index++) {
		struct tfr_batch batch;
		enum tfr_status status;

		TFR_TRY(make_room(f, steps, index, err));
		TFR_TRY(take_batch(f, &batch, err));
		status = next_step(f, steps, &batch, err);
		if (status) {
			tfr_pipeline_release(f->pipeline, &batch);
			return status;
		}
	}
}

static enum tfr_status train_devices(struct feed *f, struct tfr_error *err)
{
	struct step *steps;
	enum tfr_status status;
	struct tfr_error late;

	steps = calloc(f->device_count, sizeof(*steps));
	if (!steps)
		return cmd_fill_no_memory(err);
	f->compute.random = f->s->opts.seed;
	f->compute.threshold = fmax(f->compute.mean / 100, 1e-3);
	status = train_until_end(f, steps, err);
	/* What a device that hangs still computes would be waited for. */
	for (unsigned i = 0; !feed_is_stuck(f, err) && i < f->device_count; i++) {
		enum tfr_status end = finish_step(f, &steps[i], &f->compute.devices[i], &late);

		if (end && status == TFR_END) {
			*err = late;
			status = end;
		}
		tfr_event_free(steps[i].event);
	}
	free(steps);
	return status;
}

enum tfr_status feed_consume(struct feed *f, struct tfr_error *err)
{
	enum tfr_status status;

	feed_guard_phase(f->guard, "feeding", 0);
	status = f->compute.mean > 0 ? train_devices(f, err) : take_all(f, err);
	feed_guard_phase(f->guard, NULL, 0);
	return status;
}
