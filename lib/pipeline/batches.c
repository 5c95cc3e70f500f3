/* pipeline/batches.c - batches from the first sample to the consumer: staging memory, upload,
 * device.
 *
 * Batch k is assembled in staging buffer k % n and uploaded in the order of k, so what reaches the
 * device does not depend on who finishes first.  A place whose picture was broken is filled with
 * the batch's last one, the lowest place first: again the same for any number of workers.
 *
 * Uploading has a thread of its own, for it waits: it starts every copy that can start, then waits
 * for the oldest.  Staging memory is free again once its copy has arrived. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/state.h"

static void line_put(struct line *l, unsigned value)
{
	assert(l->count < l->capacity);
	l->at[(l->head + l->count++) % l->capacity] = value;
}

static unsigned line_take(struct line *l)
{
	unsigned value = l->at[l->head];

	l->head = (l->head + 1) % l->capacity;
	l->count--;
	return value;
}

static enum tfr_status staging_init(
	struct tfr_pipeline *p, struct staging *b, struct tfr_error *err)
{
	enum tfr_status status = tfr_event_new(&b->event, p->opts.device, err);

	if (status)
		return status;
	b->capacity = p->plan.batch_bytes;
	b->bad = calloc(p->opts.batch, sizeof(*b->bad));
	if (!p->pictures)
		b->samples = calloc(p->opts.batch, sizeof(*b->samples));
	if (!b->bad || (!p->pictures && !b->samples))
		return tfr_fail_nomem(err, "making room for batches");
	return tfr_device_alloc(p->opts.device, TFR_MEMORY_STAGING, b->capacity, &b->memory, err);
}

enum tfr_status batches_init(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	p->staging = calloc(p->plan.staging, sizeof(*p->staging));
	p->targets = calloc(p->plan.device, sizeof(*p->targets));
	p->flying =
		(struct line){ calloc(p->plan.staging, sizeof(unsigned)), p->plan.staging, 0, 0 };
	p->full = (struct line){ calloc(p->plan.device, sizeof(unsigned)), p->plan.device, 0, 0 };
	if (!p->staging || !p->targets || !p->flying.at || !p->full.at)
		return tfr_fail_nomem(err, "making room for batches");
	for (unsigned i = 0; status == TFR_OK && i < p->plan.staging; i++)
		status = staging_init(p, &p->staging[i], err);
	for (unsigned i = 0; status == TFR_OK && i < p->plan.device; i++) {
		p->targets[i].capacity = p->plan.batch_bytes;
		status = tfr_device_alloc(p->opts.device, TFR_MEMORY_DEVICE, p->targets[i].capacity,
			&p->targets[i].memory, err);
	}
	return status;
}

void batches_clear(struct tfr_pipeline *p)
{
	for (unsigned i = 0; p->staging && i < p->plan.staging; i++) {
		struct staging *b = &p->staging[i];

		for (uint32_t k = 0; b->samples && k < b->assigned; k++)
			sample_put(&p->store, b->samples[k]);
		tfr_event_free(b->event);
		tfr_device_free(p->opts.device, TFR_MEMORY_STAGING, b->memory);
		free(b->bad);
		free(b->samples);
	}
	for (unsigned i = 0; p->targets && i < p->plan.device; i++)
		tfr_device_free(p->opts.device, TFR_MEMORY_DEVICE, p->targets[i].memory);
	free(p->staging);
	free(p->targets);
	free(p->flying.at);
	free(p->full.at);
}

bool batch_open(struct tfr_pipeline *p)
{
	struct staging *b = &p->staging[p->fill_number % p->plan.staging];

	if (b->state != STAGING_FREE)
		return false;
	b->state = STAGING_FILLING;
	b->assigned = b->done = b->records = 0;
	b->closed = false;
	b->payload_bytes = b->used = 0;
	p->open = b;
	return true;
}

/* Fills the gaps that broken pictures left, the lowest first, with the last good ones. */
static void close_gaps(const struct tfr_pipeline *p, struct staging *b)
{
	size_t one = (size_t)p->opts.width * p->opts.height * 3 * sizeof(float);
	uint32_t end = b->assigned;

	for (uint32_t i = 0; i < end; i++) {
		if (!b->bad[i])
			continue;
		while (end > i + 1 && b->bad[end - 1])
			end--;
		end--;
		if (end > i)
			memcpy((char *)b->memory + i * one, (char *)b->memory + end * one, one);
	}
	memset(b->bad, 0, p->opts.batch * sizeof(*b->bad));
	b->used = b->records * one;
}

void batch_ready(struct tfr_pipeline *p, struct staging *b)
{
	struct counter *c = &p->counters[STAGE_BATCH];

	b->state = STAGING_READY;
	c->items++;
	c->bytes += b->used;
	pthread_cond_signal(&p->uploads);
}

static void finish_pictures(struct tfr_pipeline *p, struct staging *b)
{
	uint64_t start = tfr_clock_ns();

	close_gaps(p, b);
	p->counters[STAGE_BATCH].busy += tfr_clock_ns() - start;
	batch_ready(p, b);
}

void batch_close(struct tfr_pipeline *p, struct staging *b)
{
	b->closed = true;
	p->open = NULL;
	p->fill_number++;
	if (!p->pictures)
		p->to_assemble = b;
	else if (b->done == b->assigned)
		finish_pictures(p, b);
}

void batch_done(
	struct tfr_pipeline *p, struct staging *b, uint32_t place, bool good, uint64_t bytes)
{
	b->done++;
	b->bad[place] = !good;
	if (good) {
		b->records++;
		b->payload_bytes += bytes;
	}
	if (b->closed && b->done == b->assigned)
		finish_pictures(p, b);
}

/* Grows a buffer of the device that nobody uses.  Payloads differ in size: the plan's guess may be
 * too small for a batch. */
static enum tfr_status grow(struct tfr_pipeline *p, enum tfr_memory kind, void **memory,
	uint64_t *capacity, uint64_t need, struct tfr_error *err)
{
	if (need <= *capacity)
		return TFR_OK;
	if (need > p->opts.memory / 4) {
		char text[TFR_SIZE_TEXT];

		tfr_fail(err, TFR_ENOMEM,
			"a batch of %u records takes %s, a quarter of the memory allowed and more",
			p->opts.batch, tfr_format_size(need, text));
		tfr_error_hint(err, "Lower --batch or raise --memory.");
		return TFR_ENOMEM;
	}
	tfr_device_free(p->opts.device, kind, *memory);
	*memory = NULL;
	*capacity = need + need / 8;
	return tfr_device_alloc(p->opts.device, kind, *capacity, memory, err);
}

/* Payloads one behind the other, behind a table of where each begins. */
enum tfr_status batch_assemble(struct tfr_pipeline *p, struct staging *b, struct tfr_error *err)
{
	uint64_t at = (b->assigned + 1) * sizeof(uint64_t), offset = 0;
	enum tfr_status status =
		grow(p, TFR_MEMORY_STAGING, &b->memory, &b->capacity, at + b->payload_bytes, err);
	uint64_t *offsets = b->memory;

	if (status)
		return status;
	for (uint32_t i = 0; i < b->assigned; i++) {
		const struct sample *s = b->samples[i];

		offsets[i] = offset;
		memcpy((char *)b->memory + at + offset, s->data, s->size);
		offset += s->size;
	}
	offsets[b->assigned] = offset;
	for (uint32_t i = 0; i < b->assigned; i++)
		sample_put(&p->store, b->samples[i]);
	b->records = b->assigned;
	b->assigned = 0; /* its samples are gone */
	b->used = at + offset;
	return TFR_OK;
}

/* ---- uploading ---- */

/* Short batches that nobody wants and those that lost every picture are passed over. */
static bool unwanted(const struct tfr_pipeline *p, const struct staging *b)
{
	return b->records == 0 || (p->opts.drop_remainder && b->records < p->opts.batch &&
					  (!p->pictures || b->assigned < p->opts.batch));
}

static int free_target(const struct tfr_pipeline *p)
{
	for (unsigned i = 0; i < p->plan.device; i++)
		if (p->targets[i].state == TARGET_FREE)
			return (int)i;
	return -1;
}

static void start_upload(struct tfr_pipeline *p, struct staging *b, unsigned target)
{
	struct target *t = &p->targets[target];
	struct tfr_error err = { 0 };
	enum tfr_status status;

	b->state = STAGING_FLYING;
	b->target = target;
	*t = (struct target){ .state = TARGET_FLYING,
		.memory = t->memory,
		.capacity = t->capacity,
		.epoch = b->epoch,
		.bytes = b->used,
		.payload_bytes = b->payload_bytes,
		.records = b->records };
	p->upload_number++;
	line_put(&p->flying, (unsigned)(b - p->staging));
	pthread_mutex_unlock(&p->lock);
	status = grow(p, TFR_MEMORY_DEVICE, &t->memory, &t->capacity, t->bytes, &err);
	if (status == TFR_OK)
		status = tfr_device_upload(
			p->opts.device, t->memory, b->memory, b->used, b->event, &err);
	pthread_mutex_lock(&p->lock);
	if (status)
		pipeline_fail(p, status, &err);
}

static void pass_over(struct tfr_pipeline *p, struct staging *b)
{
	b->state = STAGING_FREE;
	p->upload_number++;
	pipeline_wake_workers(p);
	pthread_cond_signal(&p->arrivals);
}

/* Starts every upload that can start.  Whether a batch waits for a target afterwards. */
static bool start_uploads(struct tfr_pipeline *p)
{
	while (!p->stopping) {
		struct staging *b = &p->staging[p->upload_number % p->plan.staging];
		int target = free_target(p);

		if (b->state != STAGING_READY)
			return false;
		if (unwanted(p, b))
			pass_over(p, b);
		else if (target < 0)
			return true;
		else
			start_upload(p, b, (unsigned)target);
	}
	return false;
}

/* The link was occupied since the copy before ended, and no longer than the device says. */
static void account_upload(struct tfr_pipeline *p, double seconds, uint64_t bytes)
{
	struct counter *c = &p->counters[STAGE_UPLOAD];
	uint64_t now = tfr_clock_ns(), took = (uint64_t)(seconds * 1e9);

	if (took > now - p->link_done_ns)
		took = now - p->link_done_ns;
	p->link_done_ns = now;
	c->busy += took;
	c->items++;
	c->bytes += bytes;
}

static void finish_upload(struct tfr_pipeline *p)
{
	unsigned number = p->flying.at[p->flying.head];
	struct staging *b = &p->staging[number];
	struct tfr_error err = { 0 };
	double seconds = 0;
	enum tfr_status status;

	pthread_mutex_unlock(&p->lock);
	status = tfr_event_wait(b->event, &seconds, &err);
	pthread_mutex_lock(&p->lock);
	if (status) {
		pipeline_fail(p, status, &err);
		return;
	}
	line_take(&p->flying);
	account_upload(p, seconds, b->used);
	p->targets[b->target].state = TARGET_FULL;
	line_put(&p->full, b->target);
	b->state = STAGING_FREE;
	b->assigned = 0;
	pipeline_wake_workers(p);
	pthread_cond_signal(&p->arrivals);
}

void *uploader_main(void *arg)
{
	struct tfr_pipeline *p = arg;
	struct counter *c = &p->counters[STAGE_UPLOAD];

	pthread_mutex_lock(&p->lock);
	p->link_done_ns = tfr_clock_ns();
	while (!p->stopping) {
		bool blocked = start_uploads(p);

		if (p->stopping)
			break;
		if (p->flying.count) {
			finish_upload(p);
			continue;
		}
		p->uploader_span.since = tfr_clock_ns();
		span_charge(&p->uploader_span, blocked ? &c->blocked : &c->starved);
		pthread_cond_wait(&p->uploads, &p->lock);
		span_end(&p->uploader_span);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
