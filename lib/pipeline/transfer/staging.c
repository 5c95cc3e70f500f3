/* pipeline/transfer/staging.c - batches in staging memory, from their first place to the last.
 *
 * Batches are numbered as they are begun; batch n travels in transfer n / K (K steps a transfer),
 * in the lane of device t % count, in that lane's staging buffers in turn.  So what reaches which
 * device does not depend on who finishes first.  A batch whose places are all done and that needs
 * more (a gap closed, features parsed, records copied) waits in a line for a worker to complete it.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/state.h"

enum { ALIGN = 64, STRIDE = 256 };

static uint64_t align(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

void tfr_batch_layout_make(struct tfr_pipeline *p, uint64_t records_bytes)
{
	struct tfr_batch_layout *l = &p->layout;

	l->batch = p->batch;
	l->image_bytes = l->images ? tfr_image_form_bytes(&l->image) : 0;
	l->mask_bytes = l->masks ? tfr_image_form_bytes(&l->mask) : 0;
	l->mask_at = align(l->batch * l->image_bytes, ALIGN);
	l->features_at = align(l->mask_at + l->batch * l->mask_bytes, ALIGN);
	l->bytes = records_bytes ? l->features_at + records_bytes
				 : (l->masks ? l->mask_at + l->batch * l->mask_bytes
					     : l->batch * l->image_bytes);
	l->fixed = !records_bytes;
	l->stride = p->opts.steps_per_transfer > 1 ? align(l->bytes, STRIDE) : l->bytes;
}

/* ---- making and unmaking ---- */

static enum tfr_status alloc_staging(
	struct tfr_uploader *l, uint64_t size, uint8_t **memory, struct tfr_error *err)
{
	void *got = NULL;
	enum tfr_status status;

	if (!l->device) {
		got = aligned_alloc(STRIDE, align(size, STRIDE));
		*memory = got;
		return got ? TFR_OK : tfr_fail_nomem(err, "making room for batches");
	}
	status = tfr_device_alloc(l->device,
		l->p->opts.pageable ? TFR_MEMORY_PAGEABLE : TFR_MEMORY_STAGING, size, &got, err);
	*memory = got;
	return status;
}

static void free_staging(struct tfr_uploader *l, uint8_t *memory)
{
	if (!l->device)
		free(memory);
	else if (memory)
		tfr_device_free(l->device,
			l->p->opts.pageable ? TFR_MEMORY_PAGEABLE : TFR_MEMORY_STAGING, memory);
}

static enum tfr_status fill_init(struct tfr_pipeline *p, struct tfr_staging_buffer *home,
	struct tfr_staged_batch *b, struct tfr_error *err)
{
	b->home = home;
	b->bad = calloc(p->batch, sizeof(*b->bad));
	b->tensors = calloc(p->tensors_most, sizeof(*b->tensors));
	if (p->features || !p->images)
		b->samples = calloc(p->batch, sizeof(struct tfr_feed_sample *));
	if (p->features)
		b->records_at = calloc(p->batch, sizeof(*b->records_at));
	if (!b->bad || !b->tensors || ((p->features || !p->images) && !b->samples) ||
		(p->features && !b->records_at))
		return tfr_fail_nomem(err, "making room for batches");
	return TFR_OK;
}

static enum tfr_status staging_init(
	struct tfr_uploader *l, struct tfr_staging_buffer *b, struct tfr_error *err)
{
	struct tfr_pipeline *p = l->p;
	enum tfr_status status = TFR_OK;

	b->fills = calloc(p->opts.steps_per_transfer, sizeof(*b->fills));
	if (!b->fills)
		return tfr_fail_nomem(err, "making room for batches");
	for (unsigned i = 0; status == TFR_OK && i < p->opts.steps_per_transfer; i++)
		status = fill_init(p, b, &b->fills[i], err);
	b->capacity = p->plan.transfer_bytes;
	return status ? status : alloc_staging(l, b->capacity, &b->memory, err);
}

static enum tfr_status target_init(
	struct tfr_uploader *l, struct tfr_device_buffer *t, struct tfr_error *err)
{
	struct tfr_pipeline *p = l->p;
	enum tfr_status status = TFR_OK;
	void *memory = NULL;

	t->batches = calloc(p->opts.steps_per_transfer, sizeof(*t->batches));
	if (!t->batches)
		return tfr_fail_nomem(err, "making room for batches");
	for (unsigned i = 0; i < p->opts.steps_per_transfer; i++) {
		t->batches[i].tensors = calloc(p->tensors_most, sizeof(struct tfr_tensor));
		if (!t->batches[i].tensors)
			return tfr_fail_nomem(err, "making room for batches");
	}
	if (!l->device)
		return TFR_OK;
	status = tfr_event_new(&t->event, l->device, err);
	for (unsigned i = 0; status == TFR_OK && p->made_bytes && i < p->opts.steps_per_transfer;
		i++)
		status = tfr_event_new(&t->batches[i].made, l->device, err);
	t->capacity = p->made_bytes ? p->made_at + p->made_bytes : p->plan.transfer_bytes;
	if (status == TFR_OK)
		status = tfr_device_alloc(l->device, TFR_MEMORY_DEVICE, t->capacity, &memory, err);
	t->memory = memory;
	return status;
}

static enum tfr_status lane_init(struct tfr_pipeline *p, unsigned i, struct tfr_error *err)
{
	struct tfr_uploader *l = &p->uploaders[i];
	enum tfr_status status = TFR_OK;

	l->p = p;
	l->number = i;
	l->device = p->uploads ? p->opts.devices[i] : NULL;
	pthread_cond_init(&l->uploads, NULL);
	l->staging = calloc(p->plan.staging, sizeof(*l->staging));
	l->targets = calloc(p->plan.device, sizeof(*l->targets));
	l->flying = (struct tfr_index_queue){ calloc(p->plan.staging, sizeof(unsigned)),
		p->plan.staging, 0, 0 };
	l->full = (struct tfr_index_queue){ calloc(p->plan.device, sizeof(unsigned)),
		p->plan.device, 0, 0 };
	l->check_capacity = p->made_bytes ? p->made_at + p->made_bytes : p->plan.transfer_bytes;
	if (p->opts.verify)
		l->check = malloc(l->check_capacity);
	if (!l->staging || !l->targets || !l->flying.at || !l->full.at ||
		(p->opts.verify && !l->check))
		return tfr_fail_nomem(err, "making room for batches");
	for (unsigned k = 0; status == TFR_OK && k < p->plan.staging; k++)
		status = staging_init(l, &l->staging[k], err);
	for (unsigned k = 0; status == TFR_OK && k < p->plan.device; k++)
		status = target_init(l, &l->targets[k], err);
	return status;
}

enum tfr_status tfr_transfer_init(struct tfr_pipeline *p, struct tfr_error *err)
{
	unsigned count = p->uploads ? p->opts.device_count : 1;
	enum tfr_status status = TFR_OK;

	p->complete_end = &p->complete;
	if (!p->batches_rows)
		return TFR_OK;
	p->uploaders = calloc(count, sizeof(*p->uploaders));
	if (!p->uploaders)
		return tfr_fail_nomem(err, "making room for batches");
	for (; status == TFR_OK && p->uploader_count < count; p->uploader_count++)
		status = lane_init(p, p->uploader_count, err);
	return status;
}

static void clear_staging(struct tfr_uploader *l, struct tfr_staging_buffer *b)
{
	struct tfr_pipeline *p = l->p;

	for (unsigned i = 0; b->fills && i < p->opts.steps_per_transfer; i++) {
		struct tfr_staged_batch *f = &b->fills[i];

		if (f->samples)
			tfr_samples_put(&p->store, f->samples, f->assigned);
		free(f->bad);
		free(f->tensors);
		free(f->samples);
		free(f->records_at);
	}
	free(b->fills);
	free_staging(l, b->memory);
}

static void clear_target(struct tfr_uploader *l, struct tfr_device_buffer *t)
{
	for (unsigned i = 0; t->batches && i < l->p->opts.steps_per_transfer; i++) {
		free(t->batches[i].tensors);
		tfr_event_free(t->batches[i].made);
	}
	free(t->batches);
	tfr_event_free(t->event);
	if (t->memory)
		tfr_device_free(l->device, TFR_MEMORY_DEVICE, t->memory);
}

void tfr_uploader_cut_short(struct tfr_uploader *l)
{
	for (unsigned k = 0; l->device && l->targets && k < l->p->plan.device; k++) {
		struct tfr_device_buffer *t = &l->targets[k];

		if (t->event)
			tfr_event_cut_short(t->event);
		for (unsigned i = 0; t->batches && i < l->p->opts.steps_per_transfer; i++)
			if (t->batches[i].made)
				tfr_event_cut_short(t->batches[i].made);
	}
}

/* A target's events come before the staging memory that they read.  An upload that began as the
 * feed was stopping is cut short here. */
void tfr_transfer_clear(struct tfr_pipeline *p)
{
	for (unsigned i = 0; i < p->uploader_count; i++) {
		struct tfr_uploader *l = &p->uploaders[i];

		tfr_uploader_cut_short(l);
		for (unsigned k = 0; l->targets && k < p->plan.device; k++)
			clear_target(l, &l->targets[k]);
		for (unsigned k = 0; l->staging && k < p->plan.staging; k++)
			clear_staging(l, &l->staging[k]);
		pthread_cond_destroy(&l->uploads);
		free(l->staging);
		free(l->targets);
		free(l->flying.at);
		free(l->full.at);
		free(l->check);
	}
	free(p->uploaders);
}

static enum tfr_status may_grow(const struct tfr_pipeline *p, uint64_t need, struct tfr_error *err)
{
	char text[TFR_SIZE_TEXT];

	if (need <= p->opts.memory / 4 && p->opts.steps_per_transfer == 1)
		return TFR_OK;
	tfr_fail(err, TFR_ENOMEM, "a batch of %u records takes %s, %s", p->batch,
		tfr_format_size(need, text),
		p->opts.steps_per_transfer > 1 ? "more than its part of a transfer"
					       : "a quarter of the memory allowed and more");
	tfr_error_hint(err, "Lower --batch or raise --memory.");
	return TFR_ENOMEM;
}

enum tfr_status tfr_staging_grow(
	struct tfr_uploader *l, struct tfr_staging_buffer *b, uint64_t need, struct tfr_error *err)
{
	enum tfr_status status;
	uint8_t *larger;

	if (need <= b->capacity)
		return TFR_OK;
	status = may_grow(l->p, need, err);
	need += need / 8;
	if (status == TFR_OK)
		status = alloc_staging(l, need, &larger, err);
	if (status)
		return status;
	memcpy(larger, b->memory, b->capacity);
	free_staging(l, b->memory);
	b->memory = larger;
	b->capacity = need;
	return TFR_OK;
}

enum tfr_status tfr_device_buffer_grow(
	struct tfr_uploader *l, struct tfr_device_buffer *t, uint64_t bytes, struct tfr_error *err)
{
	const struct tfr_pipeline *p = l->p;
	uint64_t need = bytes;
	enum tfr_status status;
	void *got = NULL;

	t->made_at = p->made_at;
	if (bytes > p->plan.transfer_bytes)
		t->made_at = align(bytes, STRIDE);
	if (p->made_bytes)
		need = t->made_at + p->made_bytes;
	if (need <= t->capacity)
		return TFR_OK;
	status = may_grow(p, bytes, err);
	if (status)
		return status;
	need += bytes / 8;
	tfr_device_free(l->device, TFR_MEMORY_DEVICE, t->memory);
	status = tfr_device_alloc(l->device, TFR_MEMORY_DEVICE, need, &got, err);
	t->memory = got;
	t->capacity = status ? 0 : need;
	return status;
}

/* ---- filling ---- */

static struct tfr_staged_batch *fill_at(const struct tfr_pipeline *p, uint64_t number)
{
	uint64_t transfer = number / p->opts.steps_per_transfer;
	struct tfr_uploader *l = &p->uploaders[transfer % p->uploader_count];
	struct tfr_staging_buffer *b = &l->staging[transfer / p->uploader_count % p->plan.staging];

	return &b->fills[number % p->opts.steps_per_transfer];
}

static bool is_free(const struct tfr_pipeline *p, uint64_t number)
{
	const struct tfr_staged_batch *b = fill_at(p, number);

	if (b->state != STAGED_EMPTY)
		return false;
	return b->home->state == STAGING_FREE ||
	       (b->home->state == STAGING_FILLING && (b > b->home->fills || b->unwanted));
}

bool tfr_staged_room(const struct tfr_pipeline *p, unsigned ahead)
{
	uint64_t number = p->fill_number + (p->open != NULL);
	unsigned more = ahead + (p->open == NULL);

	for (unsigned i = 0; i < more; i++)
		if (!is_free(p, number + i))
			return false;
	return true;
}

void tfr_staged_open(struct tfr_pipeline *p)
{
	struct tfr_staged_batch *b = fill_at(p, p->fill_number);

	assert(b->state == STAGED_EMPTY);
	if (b == b->home->fills) {
		b->home->ready = 0;
		b->home->state = STAGING_FILLING;
	}
	b->state = STAGED_OPEN;
	b->number = p->fill_number;
	b->assigned = b->done = b->records = 0;
	b->unwanted = b->gaps = false;
	b->payload_bytes = b->used = 0;
	b->tensor_count = 0;
	p->open = b;
}

void tfr_staged_end_images(const struct tfr_pipeline *p, struct tfr_staged_batch *b)
{
	const struct tfr_batch_layout *l = &p->layout;
	uint64_t end = b->records * l->image_bytes;

	/* What lies between tensors travels, too, and is the same every time. */
	if (l->masks)
		memset(tfr_staged_memory(p, b) + end, 0, l->mask_at - end);
	if (l->masks)
		end = l->mask_at + b->records * l->mask_bytes;
	if (p->features)
		memset(tfr_staged_memory(p, b) + end, 0, l->features_at - end);
	b->used = b->records * p->layout.image_bytes;
	if (p->layout.masks)
		b->used = p->layout.mask_at + b->records * p->layout.mask_bytes;
	tfr_staged_describe(p, b);
}

/* All its places are done. */
static void finish(struct tfr_pipeline *p, struct tfr_staged_batch *b)
{
	if (b->unwanted) {
		if (b->samples)
			tfr_samples_put(&p->store, b->samples, b->assigned);
		b->assigned = 0;
		b->state = STAGED_EMPTY;
		memset(b->bad, 0, p->batch * sizeof(*b->bad));
		tfr_feed_wake_workers(p);
	} else if (b->gaps || b->samples || (p->layout.masks && b->records < p->batch)) {
		b->next = NULL;
		*p->complete_end = b;
		p->complete_end = &b->next;
		tfr_feed_wake_workers(p);
	} else {
		tfr_staged_end_images(p, b);
		tfr_staged_ready(p, b);
	}
}

void tfr_staged_close(struct tfr_pipeline *p, bool epoch_ends)
{
	struct tfr_staged_batch *b = p->open;

	b->unwanted = epoch_ends && p->opts.drop_remainder && b->assigned < p->batch;
	b->state = STAGED_CLOSED;
	p->open = NULL;
	p->fill_number += !b->unwanted;
	if (b->done == b->assigned)
		finish(p, b);
}

void tfr_staged_done(struct tfr_pipeline *p, struct tfr_staged_batch *b, uint32_t place, bool good,
	uint64_t bytes)
{
	b->done++;
	b->bad[place] = !good;
	b->gaps |= !good;
	if (good) {
		b->records++;
		b->payload_bytes += bytes;
	}
	if (b->state == STAGED_CLOSED && b->done == b->assigned)
		finish(p, b);
}

static void ready_to_travel(struct tfr_pipeline *p, struct tfr_staging_buffer *b)
{
	for (unsigned i = 0; i < p->uploader_count; i++)
		if (b >= p->uploaders[i].staging && b < p->uploaders[i].staging + p->plan.staging)
			pthread_cond_signal(&p->uploaders[i].uploads);
}

void tfr_staged_ready(struct tfr_pipeline *p, struct tfr_staged_batch *b)
{
	struct tfr_stage_counter *c = &p->counters[p->batch_row];

	b->state = STAGED_READY;
	b->home->ready++;
	p->assembled.now++;
	c->items++;
	c->bytes += b->used;
	p->moves++;
	ready_to_travel(p, b->home);
}

void tfr_transfer_end(struct tfr_pipeline *p)
{
	for (unsigned i = 0; i < p->uploader_count; i++)
		pthread_cond_signal(&p->uploaders[i].uploads);
}
