/* pipeline/transfer/uploader.c - the threads of a device: one uploads transfers in order, another
 * waits for the floats that the device makes of them.
 *
 * They are threads of their own because they wait.  The uploader starts every copy that can start,
 * then waits for the oldest: copies go on while kernels run.  Staging memory is free again once its
 * copy has arrived, a target once the consumer has released all batches in it.  Where an upload is
 * verified, both are needed until the kernels are done, and the uploader waits for them itself.
 * Batches that are handed out in place take no time, and the threads have nothing to do.  A list
 * that ends with batch has one uploader without a device: its batches arrive as they are ready. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

/* ---- verifying: an upload is compared with the staging memory, and floats that the device made
 * with those that this processor makes of the same bytes ---- */

static enum tfr_status fail_differing(const struct tfr_uploader *l,
	const struct tfr_staged_batch *f, uint64_t byte, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "batch %llu on %s is not what was sent: byte %llu differs",
		(unsigned long long)f->number, tfr_device_name(l->device),
		(unsigned long long)byte);
}

static enum tfr_status compare_bytes(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_staged_batch *f, struct tfr_error *err)
{
	uint64_t at = (uint64_t)(f - b->batches) * l->transfer->layout.stride;
	const uint8_t *sent = b->memory + at, *got = l->check + at;
	uint64_t i = 0;

	assert(at + f->used <= l->check_capacity);
	if (!memcmp(sent, got, f->used))
		return TFR_OK;
	while (sent[i] == got[i]) /* one differs */
		i++;
	return fail_differing(l, f, i, err);
}

static enum tfr_status compare_made(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_device_buffer *t, const struct tfr_staged_batch *f, struct tfr_error *err)
{
	const struct tfr_transfer *tr = l->transfer;
	uint64_t number = (uint64_t)(f - b->batches), one = tr->layout.image_bytes;
	const uint8_t *sent = b->memory + number * tr->layout.stride;
	const uint8_t *got =
		l->check + t->made_at + number * tr->settings->batch * one * sizeof(float);

	for (uint64_t i = 0; i < f->records * one; i++) {
		unsigned c = (unsigned)(i % tr->settings->channels);
		float made = ((float)sent[i] - tr->settings->mean[c]) / tr->settings->std[c];

		if (memcmp(&made, got + i * sizeof(made), sizeof(made)))
			return fail_differing(l, f, i * sizeof(made), err);
	}
	return TFR_OK;
}

/* The memory that an upload is copied back to. */
static enum tfr_status grow_check(struct tfr_uploader *l, uint64_t need, struct tfr_error *err)
{
	uint64_t size = need + need / 8;
	uint8_t *larger;

	if (need <= l->check_capacity)
		return TFR_OK;
	larger = malloc(size);
	TFR_NEED_MEMORY(larger, err, "making room for a batch copied back");
	free(l->check);
	l->check = larger;
	l->check_capacity = size;
	return TFR_OK;
}

enum tfr_status tfr_uploader_verify(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_device_buffer *t, struct tfr_error *err)
{
	struct tfr_transfer *tr = l->transfer;

	TFR_TRY(grow_check(l, tr->made_bytes ? t->made_at + tr->made_bytes : b->bytes, err));
	TFR_TRY(tfr_device_download(l->device, l->check, t->memory, b->bytes, err));
	if (tr->made_bytes)
		TFR_TRY(tfr_device_download(l->device, l->check + t->made_at,
			t->memory + t->made_at, tr->made_bytes, err));
	for (unsigned i = 0; i < tr->settings->opts.steps_per_transfer; i++) {
		const struct tfr_staged_batch *f = &b->batches[i];

		if (f->state != STAGED_READY || !f->records)
			continue;
		TFR_TRY(compare_bytes(l, b, f, err));
		if (tr->made_bytes)
			TFR_TRY(compare_made(l, b, t, f, err));
	}
	return TFR_OK;
}

/* ---- kernels ---- */

/* Whether a thread of its own waits for the kernels of this device. */
static bool leaves_kernels(const struct tfr_uploader *l)
{
	return l->device && l->transfer->settings->opts.normalise_on_device &&
	       !l->transfer->settings->opts.verify;
}

static enum tfr_status await_kernels(
	struct tfr_device_buffer *t, double *seconds, struct tfr_error *err)
{
	*seconds = 0;
	for (unsigned i = 0; i < t->count; i++) {
		double one = 0;

		TFR_TRY(tfr_event_wait(t->batches[i].made, &one, err));
		*seconds += one;
	}
	return TFR_OK;
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
	tfr_trace_work(tr->settings, tr->settings->rows, l->thread + tr->uploader_count, now - took,
		now, t->number);
}

static void land_transfer(struct tfr_uploader *l, double kernel_seconds)
{
	struct tfr_transfer *tr = l->transfer;
	struct tfr_device_buffer *t =
		&l->targets[l->staged_in[l->landed % tr->settings->plan.device]];

	assert(l->landed < l->arrived && t->state == DEVICE_FLYING);
	if (l->device && tr->settings->opts.normalise_on_device)
		account_kernels(l, t, kernel_seconds);
	t->state = DEVICE_FULL;
	l->landed++;
	tr->arrived.now += t->count;
	tr->control->moves++;
	pthread_cond_signal(&tr->control->arrivals);
}

static void *await_all_kernels(void *arg)
{
	struct tfr_uploader *l = arg;
	struct tfr_transfer *tr = l->transfer;

	pthread_mutex_lock(&tr->control->lock);
	while (!tr->control->stopping) {
		unsigned target = l->staged_in[l->landed % tr->settings->plan.device];
		enum tfr_status status;
		double seconds;

		if (l->landed == l->arrived) {
			pthread_cond_wait(&l->arrival.changed, &tr->control->lock);
			continue;
		}
		pthread_mutex_unlock(&tr->control->lock);
		status = await_kernels(&l->targets[target], &seconds, &l->kernel_err);
		pthread_mutex_lock(&tr->control->lock);
		if (status)
			tfr_control_fail(tr->control, status, &l->kernel_err);
		else
			land_transfer(l, seconds);
	}
	pthread_mutex_unlock(&tr->control->lock);
	return NULL;
}

/* ---- uploading ---- */

static int free_target(const struct tfr_uploader *l)
{
	for (unsigned i = 0; i < l->transfer->settings->plan.device; i++)
		if (l->targets[i].state == DEVICE_FREE)
			return (int)i;
	return -1;
}

/* The number of this uploader's next transfer among all transfers. */
static uint64_t next_number(const struct tfr_uploader *l)
{
	return l->transfers * l->transfer->uploader_count + l->number;
}

/* Batches that the next transfer has when it can travel; 0: it cannot yet, or there is none. */
static unsigned transfer_ready(const struct tfr_uploader *l)
{
	const struct tfr_transfer *tr = l->transfer;
	const struct tfr_staging_buffer *b = &l->staging[l->transfers % tr->settings->plan.staging];
	uint64_t first = next_number(l) * tr->settings->opts.steps_per_transfer;
	unsigned wanted = tr->settings->opts.steps_per_transfer;

	if (b->state != STAGING_FILLING)
		return 0;
	if (tr->ended && tr->next_number < first + wanted)
		wanted = tr->next_number > first ? (unsigned)(tr->next_number - first) : 0;
	return wanted && b->ready == wanted ? wanted : 0;
}

/* Describes the batches of a transfer in its target; returns the bytes to upload. */
static uint64_t note_batches(struct tfr_uploader *l, struct tfr_staging_buffer *b, unsigned count,
	struct tfr_device_buffer *t)
{
	struct tfr_transfer *tr = l->transfer;
	uint64_t bytes = 0;

	t->count = t->held = 0;
	t->number = b->batches[0].number;
	t->handed_out = false;
	for (unsigned i = 0; i < count; i++) {
		const struct tfr_staged_batch *f = &b->batches[i];
		struct tfr_device_batch *a = &t->batches[t->count];
		uint64_t at = i * tr->layout.stride;

		if (!f->records) /* it lost every image */
			continue;
		t->count++;
		bytes = at + f->used;
		a->at = at;
		a->payload_bytes = f->payload_bytes;
		a->batch = (struct tfr_batch){
			.epoch = f->epoch,
			.records = f->records,
			.device = l->number,
			.event = t->event,
			.tensors = a->tensors,
			.buffer =
				l->number * tr->settings->plan.device + (unsigned)(t - l->targets),
		};
		if (!l->device)
			continue;
		a->batch.bytes = f->used;
		a->batch.tensor_count = f->tensor_count;
		memcpy(a->tensors, f->tensors, f->tensor_count * sizeof(*f->tensors));
		for (unsigned k = 0; k < f->tensor_count; k++)
			a->tensors[k].offset += at;
	}
	return bytes;
}

/* Images were uploaded as bytes: the device makes floats of them, after the uploaded bytes. */
static enum tfr_status normalise_images(
	struct tfr_uploader *l, struct tfr_device_buffer *t, struct tfr_error *err)
{
	struct tfr_transfer *tr = l->transfer;
	uint64_t one = tr->layout.image_bytes;

	for (unsigned i = 0; i < t->count; i++) {
		struct tfr_device_batch *a = &t->batches[i];
		struct tfr_tensor *image = &a->tensors[0];
		uint64_t to = t->made_at + (a->at / tr->layout.stride) * tr->settings->batch * one *
						   sizeof(float);

		TFR_TRY(tfr_device_normalise(l->device, (float *)(t->memory + to),
			t->memory + a->at, a->batch.records * one, tr->settings->channels,
			tr->settings->mean, tr->settings->std, a->made, err));
		image->offset = to;
		image->dtype = TFR_FLOAT32;
		for (unsigned k = 0; k < image->rank; k++)
			image->strides[k] *= sizeof(float);
	}
	return TFR_OK;
}

/* The two exchange their memory.  That of a target was taken along with its last batch, perhaps. */
static enum tfr_status exchange_memory(struct tfr_uploader *l, struct tfr_staging_buffer *b,
	struct tfr_device_buffer *t, struct tfr_error *err)
{
	uint64_t capacity = t->memory ? t->capacity : l->transfer->settings->plan.transfer_bytes;
	void *memory = t->memory;

	if (!memory)
		TFR_TRY(tfr_staging_alloc(l, capacity, &memory, err));
	t->memory = b->memory;
	t->capacity = b->capacity;
	b->memory = memory;
	b->capacity = capacity;
	return TFR_OK;
}

static enum tfr_status send_transfer(struct tfr_uploader *l, struct tfr_staging_buffer *b,
	struct tfr_device_buffer *t, uint64_t bytes, struct tfr_error *err)
{
	const struct tfr_pipeline_opts *opts = &l->transfer->settings->opts;

	if (!l->device)
		return TFR_OK;
	if (opts->in_place) {
		TFR_TRY(exchange_memory(l, b, t, err));
	} else {
		TFR_TRY(tfr_device_buffer_grow(l, t, bytes, err));
		TFR_TRY(tfr_device_upload(l->device, t->memory, b->memory, bytes, t->event, err));
	}
	if (opts->normalise_on_device)
		TFR_TRY(normalise_images(l, t, err));
	for (unsigned i = 0; i < t->count; i++) {
		struct tfr_device_batch *a = &t->batches[i];

		a->batch.memory = t->memory + a->at;
		for (unsigned k = 0; k < a->batch.tensor_count; k++)
			a->tensors[k].data = t->memory + a->tensors[k].offset;
	}
	return TFR_OK;
}

static void start_upload(
	struct tfr_uploader *l, struct tfr_staging_buffer *b, unsigned count, unsigned target)
{
	struct tfr_transfer *tr = l->transfer;
	struct tfr_device_buffer *t = &l->targets[target];
	enum tfr_status status;

	tfr_queue_meter_look(&tr->assembled);
	tr->assembled.now -= count;
	assert(b->state == STAGING_FILLING && t->state == DEVICE_FREE && !t->held);
	b->state = STAGING_FLYING;
	b->target = target;
	b->bytes = note_batches(l, b, count, t);
	t->state = DEVICE_FLYING;
	t->started_ns = tfr_clock_ns();
	l->transfers++;
	if (!t->count)
		return;
	if (!tr->settings->opts.in_place)
		pthread_mutex_unlock(&tr->control->lock);
	status = send_transfer(l, b, t, b->bytes, &l->err);
	if (!tr->settings->opts.in_place)
		pthread_mutex_lock(&tr->control->lock);
	if (status)
		tfr_control_fail(tr->control, status, &l->err);
}

/* Whether the consumer is to ask first, and has not. */
static bool held_back(const struct tfr_uploader *l)
{
	const struct tfr_transfer *tr = l->transfer;

	return tr->settings->opts.no_overlap && l->device &&
	       !(tr->asked && tr->deliver_transfer == next_number(l));
}

/* Starts every upload that can start.  Whether a batch waits for a target afterwards. */
static bool start_uploads(struct tfr_uploader *l)
{
	struct tfr_transfer *tr = l->transfer;

	while (!tr->control->stopping) {
		unsigned count = transfer_ready(l);
		int target = free_target(l);

		if (!count)
			return false;
		if (target < 0 || held_back(l))
			return true;
		start_upload(l, &l->staging[l->transfers % tr->settings->plan.staging], count,
			(unsigned)target);
	}
	return false;
}

/* The link was busy since the end of the copy before, and no longer than the device reports. */
static void account_upload(
	struct tfr_uploader *l, double seconds, const struct tfr_staging_buffer *b)
{
	struct tfr_transfer *tr = l->transfer;
	const struct tfr_device_buffer *t = &l->targets[b->target];
	uint64_t now = tfr_clock_ns(), took = (uint64_t)(seconds * 1e9);

	if (!l->device)
		return;
	if (took > now - l->link_done_ns)
		took = now - l->link_done_ns;
	l->link_done_ns = now;
	l->busy_ns += took;
	l->sent_batches += t->count;
	l->sent_bytes += b->bytes;
	tfr_statistics_uploaded(tr->statistics, took, now - t->started_ns, t->count, b->bytes);
	tfr_trace_work(tr->settings, tr->settings->rows - 1, l->thread, now - took, now,
		b->batches[0].number);
}

/* The seconds of the copy and, where they are waited for here, of the kernels after it. */
static enum tfr_status await_upload(
	struct tfr_uploader *l, struct tfr_staging_buffer *b, double *seconds, double *kernels)
{
	struct tfr_device_buffer *t = &l->targets[b->target];
	const struct tfr_pipeline_opts *opts = &l->transfer->settings->opts;

	*seconds = *kernels = 0;
	if (!l->device || !t->count || opts->in_place)
		return TFR_OK;
	TFR_TRY(tfr_event_wait(t->event, seconds, &l->err));
	if (opts->normalise_on_device && !leaves_kernels(l))
		TFR_TRY(await_kernels(t, kernels, &l->err));
	return opts->verify ? tfr_uploader_verify(l, b, t, &l->err) : TFR_OK;
}

static void finish_upload(struct tfr_uploader *l)
{
	struct tfr_transfer *tr = l->transfer;
	struct tfr_staging_buffer *b = tfr_uploader_oldest(l);
	double seconds, kernels;
	enum tfr_status status;

	if (!tr->settings->opts.in_place)
		pthread_mutex_unlock(&tr->control->lock);
	status = await_upload(l, b, &seconds, &kernels);
	if (!tr->settings->opts.in_place)
		pthread_mutex_lock(&tr->control->lock);
	if (status) {
		tfr_control_fail(tr->control, status, &l->err);
		return;
	}
	account_upload(l, seconds, b);
	assert(b->state == STAGING_FLYING);
	l->staged_in[l->arrived++ % tr->settings->plan.device] = b->target;
	if (leaves_kernels(l))
		pthread_cond_signal(&l->arrival.changed);
	else
		land_transfer(l, kernels);
	b->state = STAGING_FREE;
	b->ready = 0;
	for (unsigned i = 0; i < tr->settings->opts.steps_per_transfer; i++)
		b->batches[i].state = STAGED_EMPTY;
	tfr_control_wake_workers(tr->control);
}

/* In place there is nothing to wait for: the caller, which has the lock, does the work of the
 * thread. */
void tfr_uploader_look(struct tfr_uploader *l)
{
	if (!l->device || !l->transfer->settings->opts.in_place) {
		pthread_cond_signal(&l->ready.changed);
		return;
	}
	while (!l->transfer->control->stopping) {
		start_uploads(l);
		if (!tfr_uploader_oldest(l))
			break;
		finish_upload(l);
	}
}

/* Waits for a transfer, or for a target; a list without upload has no row to charge that to. */
static void wait_for_work(struct tfr_uploader *l, bool blocked)
{
	struct tfr_transfer *tr = l->transfer;

	tfr_span_begin(&l->span);
	if (l->device)
		tfr_statistics_charge(tr->statistics, &l->span, tr->settings->rows - 1,
			blocked ? TFR_ACCOUNT_BLOCKED : TFR_ACCOUNT_STARVED);
	pthread_cond_wait(&l->ready.changed, &tr->control->lock);
	tfr_span_end(&l->span);
}

static void *upload_all(void *arg)
{
	struct tfr_uploader *l = arg;
	struct tfr_transfer *tr = l->transfer;

	pthread_mutex_lock(&tr->control->lock);
	l->link_done_ns = l->kernels_done_ns = tfr_clock_ns();
	while (!tr->control->stopping) {
		bool blocked = start_uploads(l);

		if (tr->control->stopping)
			break;
		if (tfr_uploader_oldest(l))
			finish_upload(l);
		else
			wait_for_work(l, blocked);
	}
	l->span.count = 0;
	pthread_mutex_unlock(&tr->control->lock);
	return NULL;
}

int tfr_uploader_start(struct tfr_uploader *l)
{
	int rc = pthread_create(&l->id, NULL, upload_all, l);

	l->started = rc == 0;
	if (rc || !leaves_kernels(l))
		return rc;
	rc = pthread_create(&l->kernel_waiter, NULL, await_all_kernels, l);
	l->kernel_waiter_started = rc == 0;
	return rc;
}

void tfr_transfer_stop(struct tfr_transfer *tr)
{
	for (unsigned i = 0; i < tr->uploader_count; i++) {
		if (tr->uploaders[i].started)
			pthread_join(tr->uploaders[i].id, NULL);
		if (tr->uploaders[i].kernel_waiter_started)
			pthread_join(tr->uploaders[i].kernel_waiter, NULL);
	}
}
