/* pipeline/transfer/grow.c - larger memory for batches that are larger than planned.
 *
 * The new memory is allocated before the old one is given up, so that a failure leaves the buffer
 * as it was.  A driver that frees memory waits for all work on its device, be it another batch's:
 * memory of its kind is kept until the feed ends.  Each time it is at least twice as large, so that
 * all that was outgrown is together smaller than what is used. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

struct tfr_outgrown {
	struct tfr_outgrown *next;
	void *memory;
};

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

/* Keeps the memory, or frees it.  `entry` was allocated before. */
static void give_up(struct tfr_uploader *l, struct tfr_outgrown **list, struct tfr_outgrown *entry,
	void *memory, void (*release)(struct tfr_uploader *l, void *memory))
{
	if (is_kept(l)) {
		*entry = (struct tfr_outgrown){ *list, memory };
		*list = entry;
	} else {
		release(l, memory);
		free(entry);
	}
}

static void release_device(struct tfr_uploader *l, void *memory)
{
	tfr_device_free(l->device, TFR_MEMORY_DEVICE, memory);
}

static void release_all(struct tfr_uploader *l, struct tfr_outgrown **list,
	void (*release)(struct tfr_uploader *l, void *memory))
{
	while (*list) {
		struct tfr_outgrown *entry = *list;

		*list = entry->next;
		release(l, entry->memory);
		free(entry);
	}
}

void tfr_staging_free_outgrown(struct tfr_staging_buffer *b)
{
	if (b->uploader)
		release_all(b->uploader, &b->outgrown, tfr_staging_free);
}

void tfr_device_buffer_free_outgrown(struct tfr_uploader *l, struct tfr_device_buffer *t)
{
	release_all(l, &t->outgrown, release_device);
}

static enum tfr_status may_grow(const struct tfr_transfer *tr, uint64_t need, struct tfr_error *err)
{
	char text[TFR_SIZE_TEXT];

	if (need <= tr->set->opts.memory / 4 && tr->set->opts.steps_per_transfer == 1)
		return TFR_OK;
	tfr_fail(err, TFR_ENOMEM, "a batch of %u records takes %s, %s", tr->set->batch,
		tfr_format_size(need, text),
		tr->set->opts.steps_per_transfer > 1 ? "more than its part of a transfer"
						     : "a quarter of the memory allowed and more");
	tfr_error_hint(err, "Lower --batch or raise --memory.");
	return TFR_ENOMEM;
}

enum tfr_status tfr_staging_grow(struct tfr_staging_buffer *b, uint64_t need, struct tfr_error *err)
{
	struct tfr_uploader *l = b->uploader;
	struct tfr_outgrown *entry;
	enum tfr_status status;
	uint64_t size;
	void *larger;

	if (need <= b->capacity)
		return TFR_OK;
	TFR_TRY(may_grow(l->transfer, need, err));
	size = size_for(l, need, b->capacity, l->transfer->set->opts.memory / 4);
	entry = calloc(1, sizeof(*entry));
	status = entry ? tfr_staging_alloc(l, size, &larger, err)
		       : tfr_fail_nomem(err, "making room for batches");
	if (status) {
		free(entry);
		return status;
	}
	memcpy(larger, b->memory, b->capacity);
	give_up(l, &b->outgrown, entry, b->memory, tfr_staging_free);
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
	struct tfr_outgrown *entry;
	enum tfr_status status;
	void *larger;

	t->made_at = tfr_transfer_made_at(tr, bytes);
	if (tr->made_bytes)
		need = t->made_at + tr->made_bytes;
	if (need <= t->capacity)
		return TFR_OK;
	/* The memory of the plan is replaced if it was taken. */
	TFR_TRY(bytes > tr->set->plan.transfer_bytes ? may_grow(tr, bytes, err) : TFR_OK);
	size = size_for(l, need, t->capacity, UINT64_MAX);
	entry = calloc(1, sizeof(*entry));
	status = entry ? alloc_device(l, need, &size, &larger, err)
		       : tfr_fail_nomem(err, "making room for batches");
	if (status) {
		free(entry);
		return status;
	}
	if (t->memory)
		give_up(l, &t->outgrown, entry, t->memory, release_device);
	else
		free(entry);
	t->memory = larger;
	t->capacity = size;
	return TFR_OK;
}

enum tfr_status tfr_check_grow(struct tfr_uploader *l, uint64_t need, struct tfr_error *err)
{
	uint64_t size = need + need / 8;
	uint8_t *larger;

	if (need <= l->check_capacity)
		return TFR_OK;
	larger = malloc(size);
	if (!larger)
		return tfr_fail_nomem(err, "making room for a batch copied back");
	free(l->check);
	l->check = larger;
	l->check_capacity = size;
	return TFR_OK;
}
