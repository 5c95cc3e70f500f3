/* pipeline/transfer/staging.c - the buffers of the transfer: where things are in a batch, and the
 * memory that batches are assembled in and sent to.
 *
 * A target's events are freed before the staging memory that its upload reads.  Memory for batches
 * that are larger than planned is allocated before the old one is given up, so that a failure
 * leaves the buffer as it was.  A driver that frees memory waits for all work on its device, be it
 * another batch's: memory of its kind is kept until the feed ends.  Each time it is at least twice
 * as large, so that all that was outgrown is together smaller than what is used. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

enum { ALIGN = 64, STRIDE = 256, HUGE_PAGE = 2 << 20 };

static uint64_t align(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

enum tfr_status tfr_transfer_new(
	struct tfr_transfer **out, const struct tfr_pipeline_context *feed, struct tfr_error *err)
{
	struct tfr_transfer *tr = calloc(1, sizeof(*tr));

	*out = tr;
	TFR_NEED_MEMORY(tr, err, "starting a feed");
	tr->settings = feed->settings;
	tr->control = feed->control;
	tr->statistics = feed->statistics;
	tr->pool = feed->pool;
	tr->incomplete_end = &tr->incomplete;
	return TFR_OK;
}

/* ---- layout ---- */

void tfr_transfer_set_images(struct tfr_transfer *tr, const struct tfr_image_form *image,
	const struct tfr_image_form *mask, bool audio)
{
	struct tfr_batch_layout *l = &tr->layout;

	assert(image->fixed);
	l->images = true;
	l->image = *image;
	l->masks = mask;
	if (mask)
		l->mask = *mask;
	l->audio = audio;
}

uint64_t tfr_transfer_image_bytes(const struct tfr_transfer *tr)
{
	return tr->layout.image_bytes + tr->layout.mask_bytes;
}

static void make_layout(struct tfr_transfer *tr, uint64_t records_bytes)
{
	struct tfr_batch_layout *l = &tr->layout;
	uint64_t batch = tr->settings->batch;

	l->image_bytes = l->images ? tfr_image_form_bytes(&l->image) : 0;
	l->mask_bytes = l->masks ? tfr_image_form_bytes(&l->mask) : 0;
	l->mask_at = align(batch * l->image_bytes, ALIGN);
	l->features_at = align(l->mask_at + batch * l->mask_bytes, ALIGN);
	l->bytes = records_bytes ? l->features_at + records_bytes
		   : l->masks	 ? l->mask_at + batch * l->mask_bytes
				 : batch * l->image_bytes;
	l->stride = tr->settings->opts.steps_per_transfer > 1 ? align(l->bytes, STRIDE) : l->bytes;
}

void tfr_transfer_plan(
	struct tfr_transfer *tr, uint64_t records_bytes, struct tfr_pipeline_plan *plan)
{
	uint64_t steps = tr->settings->opts.steps_per_transfer;

	make_layout(tr, records_bytes);
	if (tr->layout.audio) {
		plan->audio_samples = tr->layout.image.width;
		plan->audio_channels = tr->layout.image.channels;
	}
	plan->batch_bytes = tr->settings->batches ? tr->layout.bytes : 0;
	plan->transfer_bytes =
		tr->settings->batches ? tr->layout.stride * (steps - 1) + tr->layout.bytes : 0;
	if (tr->settings->opts.normalise_on_device) {
		tr->made_at = align(plan->transfer_bytes, STRIDE);
		tr->made_bytes =
			steps * tr->settings->batch * tr->layout.image_bytes * sizeof(float);
	}
}

static uint64_t target_bytes(const struct tfr_transfer *tr)
{
	return tr->made_bytes ? tr->made_at + tr->made_bytes : tr->settings->plan.transfer_bytes;
}

uint64_t tfr_transfer_bytes(const struct tfr_transfer *tr, unsigned staging, unsigned device,
	bool device_counted, uint64_t held)
{
	uint64_t bytes = staging * tr->settings->plan.transfer_bytes;

	if (!tr->settings->batches)
		return 0;
	if (device_counted)
		bytes += device * target_bytes(tr);
	if (tr->settings->opts.verify)
		bytes += target_bytes(tr);
	return bytes + staging * tr->settings->opts.steps_per_transfer * held;
}

/* ---- making and unmaking ---- */

enum tfr_status tfr_staging_alloc(
	struct tfr_uploader *l, uint64_t size, void **memory, struct tfr_error *err)
{
	bool huge = size >= HUGE_PAGE;

	if (l->device)
		return tfr_device_alloc(l->device,
			l->transfer->settings->opts.pageable ? TFR_MEMORY_PAGEABLE
							     : TFR_MEMORY_STAGING,
			size, memory, err);
	*memory = aligned_alloc(huge ? HUGE_PAGE : STRIDE, align(size, huge ? HUGE_PAGE : STRIDE));
	if (*memory && huge)
		madvise(*memory, size, MADV_HUGEPAGE);
	return *memory ? TFR_OK : tfr_fail_nomem(err, "making room for batches");
}

static void free_staging(struct tfr_uploader *l, void *memory)
{
	if (!l->device)
		free(memory);
	else if (memory)
		tfr_device_free(l->device,
			l->transfer->settings->opts.pageable ? TFR_MEMORY_PAGEABLE
							     : TFR_MEMORY_STAGING,
			memory);
}

/* ---- growing ---- */

static bool is_kept(const struct tfr_uploader *l)
{
	return l->device && !tfr_device_in_process(l->device);
}

/* What to allocate for `need` bytes in place of `capacity`, at most `most`. */
static uint64_t size_for(
	const struct tfr_uploader *l, uint64_t need, uint64_t capacity, uint64_t most)
{
	uint64_t size = need + need / 8;

	if (is_kept(l) && size < 2 * capacity)
		size = 2 * capacity;
	if (size > most)
		size = most;
	return size > need ? size : need;
}

/* Accepts NULL. */
static void release_device(struct tfr_uploader *l, void *memory)
{
	if (memory)
		tfr_device_free(l->device, TFR_MEMORY_DEVICE, memory);
}

/* Keeps the memory, or frees it: without keeping all, the device would be waited for. */
static void give_up(struct tfr_uploader *l, struct tfr_outgrown *old, void *memory,
	void (*release)(struct tfr_uploader *l, void *memory))
{
	if (is_kept(l) && memory && old->count < OUTGROWN_MAX)
		old->memory[old->count++] = memory;
	else
		release(l, memory);
}

static void release_all(struct tfr_uploader *l, const struct tfr_outgrown *old,
	void (*release)(struct tfr_uploader *l, void *memory))
{
	for (unsigned i = 0; i < old->count; i++)
		release(l, old->memory[i]);
}

static enum tfr_status may_grow(const struct tfr_transfer *tr, uint64_t need, struct tfr_error *err)
{
	char text[TFR_SIZE_TEXT];

	if (need <= tr->settings->opts.memory / 4 && tr->settings->opts.steps_per_transfer == 1)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_ENOMEM, "Lower --batch or raise --memory.",
		"a batch of %u records takes %s, %s", tr->settings->batch,
		tfr_format_size(need, text),
		tr->settings->opts.steps_per_transfer > 1
			? "more than its part of a transfer"
			: "a quarter of the memory allowed and more");
}

enum tfr_status tfr_staging_grow(struct tfr_staging_buffer *b, uint64_t need, struct tfr_error *err)
{
	struct tfr_uploader *l = b->uploader;
	uint64_t size;
	void *larger;

	if (need <= b->capacity)
		return TFR_OK;
	TFR_TRY(may_grow(l->transfer, need, err));
	size = size_for(l, need, b->capacity, l->transfer->settings->opts.memory / 4);
	TFR_TRY(tfr_staging_alloc(l, size, &larger, err));
	memcpy(larger, b->memory, b->capacity);
	give_up(l, &b->outgrown, b->memory, free_staging);
	b->memory = larger;
	b->capacity = size;
	return TFR_OK;
}

/* As much as is wanted, or only what is needed. */
static enum tfr_status alloc_device(
	struct tfr_uploader *l, uint64_t need, uint64_t *size, void **memory, struct tfr_error *err)
{
	enum tfr_status status = tfr_device_alloc(l->device, TFR_MEMORY_DEVICE, *size, memory, err);

	if (status != TFR_ENOMEM || *size == need)
		return status;
	*size = need;
	return tfr_device_alloc(l->device, TFR_MEMORY_DEVICE, need, memory, err);
}

enum tfr_status tfr_device_buffer_grow(
	struct tfr_uploader *l, struct tfr_device_buffer *t, uint64_t bytes, struct tfr_error *err)
{
	const struct tfr_transfer *tr = l->transfer;
	uint64_t need = bytes, size;
	void *larger;

	t->made_at = bytes > tr->settings->plan.transfer_bytes ? align(bytes, STRIDE) : tr->made_at;
	if (tr->made_bytes)
		need = t->made_at + tr->made_bytes;
	if (need <= t->capacity)
		return TFR_OK;
	/* The memory of the plan is replaced if it was taken. */
	TFR_TRY(bytes > tr->settings->plan.transfer_bytes ? may_grow(tr, bytes, err) : TFR_OK);
	size = size_for(l, need, t->capacity, UINT64_MAX);
	TFR_TRY(alloc_device(l, need, &size, &larger, err));
	give_up(l, &t->outgrown, t->memory, release_device);
	t->memory = larger;
	t->capacity = size;
	return TFR_OK;
}

/* ---- from start to end ---- */

static enum tfr_status batch_init(struct tfr_transfer *tr, struct tfr_staging_buffer *home,
	struct tfr_staged_batch *b, struct tfr_error *err)
{
	b->home = home;
	b->bad = calloc(tr->settings->batch, sizeof(*b->bad));
	b->tensors = calloc(tr->settings->tensors_max, sizeof(*b->tensors));
	if (tr->settings->features || !tr->settings->images)
		b->samples = calloc(tr->settings->batch, sizeof(struct tfr_pipeline_sample *));
	if (tr->settings->features)
		b->records_at = calloc(tr->settings->batch, sizeof(*b->records_at));
	if (!b->bad || !b->tensors ||
		((tr->settings->features || !tr->settings->images) && !b->samples) ||
		(tr->settings->features && !b->records_at))
		return tfr_fail_nomem(err, "making room for batches");
	return TFR_OK;
}

static enum tfr_status staging_init(
	struct tfr_uploader *l, struct tfr_staging_buffer *b, struct tfr_error *err)
{
	struct tfr_transfer *tr = l->transfer;
	void *memory;

	b->uploader = l;
	b->batches = calloc(tr->settings->opts.steps_per_transfer, sizeof(*b->batches));
	TFR_NEED_MEMORY(b->batches, err, "making room for batches");
	for (unsigned i = 0; i < tr->settings->opts.steps_per_transfer; i++)
		TFR_TRY(batch_init(tr, b, &b->batches[i], err));
	b->capacity = tr->settings->plan.transfer_bytes;
	TFR_TRY(tfr_staging_alloc(l, b->capacity, &memory, err));
	b->memory = memory;
	return TFR_OK;
}

static enum tfr_status target_init(
	struct tfr_uploader *l, struct tfr_device_buffer *t, struct tfr_error *err)
{
	struct tfr_transfer *tr = l->transfer;
	void *memory;

	t->batches = calloc(tr->settings->opts.steps_per_transfer, sizeof(*t->batches));
	TFR_NEED_MEMORY(t->batches, err, "making room for batches");
	for (unsigned i = 0; i < tr->settings->opts.steps_per_transfer; i++) {
		t->batches[i].tensors =
			calloc(tr->settings->tensors_max, sizeof(struct tfr_tensor));
		TFR_NEED_MEMORY(t->batches[i].tensors, err, "making room for batches");
	}
	if (!l->device)
		return TFR_OK;
	TFR_TRY(tfr_event_new(&t->event, l->device, err));
	for (unsigned i = 0; tr->made_bytes && i < tr->settings->opts.steps_per_transfer; i++)
		TFR_TRY(tfr_event_new(&t->batches[i].made, l->device, err));
	t->capacity = target_bytes(tr);
	TFR_TRY(tfr_device_alloc(l->device, TFR_MEMORY_DEVICE, t->capacity, &memory, err));
	t->memory = memory;
	return TFR_OK;
}

static enum tfr_status uploader_init(struct tfr_transfer *tr, unsigned i, struct tfr_error *err)
{
	struct tfr_uploader *l = &tr->uploaders[i];

	l->transfer = tr;
	l->number = i;
	l->thread = tr->first_thread + i;
	l->device = tr->settings->uploads ? tr->settings->opts.devices[i] : NULL;
	pthread_mutex_lock(&tr->control->lock);
	tfr_control_add_waiter(tr->control, &l->ready);
	tfr_control_add_waiter(tr->control, &l->arrival);
	tfr_statistics_watch(tr->statistics, &l->span);
	pthread_mutex_unlock(&tr->control->lock);
	l->staging = calloc(tr->settings->plan.staging, sizeof(*l->staging));
	l->targets = calloc(tr->settings->plan.device, sizeof(*l->targets));
	l->staged_in = calloc(tr->settings->plan.device, sizeof(*l->staged_in));
	l->check_capacity = target_bytes(tr);
	if (tr->settings->opts.verify)
		l->check = malloc(l->check_capacity);
	if (!l->staging || !l->targets || !l->staged_in || (tr->settings->opts.verify && !l->check))
		return tfr_fail_nomem(err, "making room for batches");
	for (unsigned k = 0; k < tr->settings->plan.staging; k++)
		TFR_TRY(staging_init(l, &l->staging[k], err));
	for (unsigned k = 0; k < tr->settings->plan.device; k++)
		TFR_TRY(target_init(l, &l->targets[k], err));
	return TFR_OK;
}

enum tfr_status tfr_transfer_start(
	struct tfr_transfer *tr, unsigned first_thread, struct tfr_error *err)
{
	unsigned count = tr->settings->uploaders;
	int rc = 0;

	tr->first_thread = first_thread;
	if (!tr->settings->batches)
		return TFR_OK;
	tr->uploaders = calloc(count, sizeof(*tr->uploaders));
	TFR_NEED_MEMORY(tr->uploaders, err, "making room for batches");
	while (tr->uploader_count < count) /* one that fails is cleared as well */
		TFR_TRY(uploader_init(tr, tr->uploader_count++, err));
	for (unsigned i = 0; rc == 0 && i < count; i++)
		rc = tfr_uploader_start(&tr->uploaders[i]);
	return rc ? tfr_fail(err, TFR_ESYS, "cannot start the workers: %s", strerror(rc)) : TFR_OK;
}

static void clear_staging(struct tfr_uploader *l, struct tfr_staging_buffer *b)
{
	struct tfr_transfer *tr = l->transfer;

	for (unsigned i = 0; b->batches && i < tr->settings->opts.steps_per_transfer; i++) {
		struct tfr_staged_batch *f = &b->batches[i];

		if (f->samples)
			tfr_samples_put(tr->pool, f->samples, f->assigned);
		free(f->bad);
		free(f->tensors);
		free(f->samples);
		free(f->records_at);
	}
	free(b->batches);
	free_staging(l, b->memory);
	release_all(l, &b->outgrown, free_staging);
}

static void clear_target(struct tfr_uploader *l, struct tfr_device_buffer *t)
{
	for (unsigned i = 0; t->batches && i < l->transfer->settings->opts.steps_per_transfer;
		i++) {
		free(t->batches[i].tensors);
		tfr_event_free(t->batches[i].made);
	}
	free(t->batches);
	tfr_event_free(t->event);
	release_device(l, t->memory);
	release_all(l, &t->outgrown, release_device);
}

static void cut_short(struct tfr_uploader *l)
{
	for (unsigned k = 0; l->device && l->targets && k < l->transfer->settings->plan.device;
		k++) {
		struct tfr_device_buffer *t = &l->targets[k];

		if (t->event)
			tfr_event_cut_short(t->event);
		for (unsigned i = 0;
			t->batches && i < l->transfer->settings->opts.steps_per_transfer; i++)
			if (t->batches[i].made)
				tfr_event_cut_short(t->batches[i].made);
	}
}

void tfr_transfer_cut_short(struct tfr_transfer *tr)
{
	for (unsigned i = 0; i < tr->uploader_count; i++)
		cut_short(&tr->uploaders[i]);
}

void tfr_transfer_free(struct tfr_transfer *tr)
{
	if (!tr)
		return;
	/* An upload that began as the feed was stopping is cut short here. */
	tfr_transfer_cut_short(tr);
	for (unsigned i = 0; i < tr->uploader_count; i++) {
		struct tfr_uploader *l = &tr->uploaders[i];

		for (unsigned k = 0; l->targets && k < tr->settings->plan.device; k++)
			clear_target(l, &l->targets[k]);
		for (unsigned k = 0; l->staging && k < tr->settings->plan.staging; k++)
			clear_staging(l, &l->staging[k]);
		pthread_cond_destroy(&l->ready.changed);
		pthread_cond_destroy(&l->arrival.changed);
		free(l->staging);
		free(l->targets);
		free(l->staged_in);
		free(l->check);
	}
	free(tr->uploaders);
	free(tr);
}
