/* pipeline/flow/sample_cache.c - entries in order, and their bytes in slabs of memory.
 *
 * The bytes of an entry are the payload.  Of pixels they are two forms, then the rows of the
 * image without gaps, then those of the mask.  Adding and getting need no lock: the node runs
 * one worker at a time. */
#include "pipeline/flow/sample_cache.h"

#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/error.h"

enum { SLAB = 4 << 20, ENTRIES = 4096, FORMS = 128, LINE = 64 };

_Static_assert(2 * sizeof(struct tfr_pixels) <= FORMS, "two forms before the pixels");

struct entry {
	uint64_t ordinal, record, offset, size;
	uint8_t *memory;
	uint32_t image_at, image_size, mask_at, mask_size; /* encoded, in the payload */
	uint32_t file, copy;
	bool pixels;
};

struct slab {
	struct slab *next;
	size_t used, capacity;
	_Alignas(LINE) uint8_t bytes[];
};

struct tfr_sample_cache {
	struct entry **entries; /* by ENTRIES */
	uint64_t count;
	uint64_t bytes, limit; /* of memory */
	struct slab *slabs;
};

struct tfr_sample_cache *tfr_sample_cache_new(void)
{
	return calloc(1, sizeof(struct tfr_sample_cache));
}

void tfr_sample_cache_free(struct tfr_sample_cache *c)
{
	if (!c)
		return;
	while (c->slabs) {
		struct slab *s = c->slabs;

		c->slabs = s->next;
		free(s);
	}
	for (uint64_t i = 0; i * ENTRIES < c->count; i++)
		free(c->entries[i]);
	free(c->entries);
	free(c);
}

void tfr_sample_cache_limit(struct tfr_sample_cache *c, uint64_t limit)
{
	c->limit = limit;
}

uint64_t tfr_sample_cache_count(const struct tfr_sample_cache *c)
{
	return c->count;
}

static uint64_t row_bytes(const struct tfr_pixels *px)
{
	return (uint64_t)px->width * px->channels * tfr_dtype_size(px->dtype);
}

static uint64_t pixel_bytes(const struct tfr_pixels *px)
{
	return px->data ? (row_bytes(px) * px->height + LINE - 1) / LINE * LINE : 0;
}

static uint64_t stored_bytes(const struct tfr_feed_sample *s)
{
	if (!s->pixels)
		return s->size;
	return FORMS + pixel_bytes(&s->pixels[0]) + pixel_bytes(&s->pixels[1]);
}

uint64_t tfr_sample_cache_entry_bytes(void)
{
	return sizeof(struct entry);
}

/* Room in memory for an entry's bytes; NULL: there is none. */
static uint8_t *take(struct tfr_sample_cache *c, uint64_t bytes)
{
	struct slab *s = c->slabs;
	uint64_t need = (bytes + LINE - 1) / LINE * LINE;

	if (bytes < LINE * 8) /* small records are packed */
		need = (bytes + 15) / 16 * 16;
	if (!s || s->capacity - s->used < need) {
		size_t capacity = need > SLAB / 4 ? (size_t)need : SLAB;

		s = aligned_alloc(LINE, (sizeof(*s) + capacity + LINE - 1) / LINE * LINE);
		if (!s)
			return NULL;
		*s = (struct slab){ .capacity = capacity };
		/* A slab for one large entry does not replace the slab that has room. */
		if (c->slabs && capacity != SLAB) {
			s->next = c->slabs->next;
			c->slabs->next = s;
		} else {
			s->next = c->slabs;
			c->slabs = s;
		}
	}
	s->used += need;
	return s->bytes + s->used - need;
}

static enum tfr_status too_much(const struct tfr_sample_cache *c, struct tfr_error *err)
{
	char limit[TFR_SIZE_TEXT];

	tfr_fail(err, TFR_ENOMEM, "the cache does not fit the %s that are left for it",
		tfr_format_size(c->limit, limit));
	tfr_error_hint(
		err, "Raise --memory, or leave out the stage: the system keeps files in memory.");
	return TFR_ENOMEM;
}

static struct entry *new_entry(struct tfr_sample_cache *c, const struct tfr_feed_sample *s)
{
	uint64_t block = c->count / ENTRIES;
	struct entry *e;

	if (c->count % ENTRIES == 0) {
		if (TFR_ARRAY_ONE_MORE(c->entries, block))
			return NULL;
		c->entries[block] = malloc(ENTRIES * sizeof(struct entry));
		if (!c->entries[block])
			return NULL;
	}
	e = &c->entries[block][c->count % ENTRIES];
	*e = (struct entry){
		.ordinal = s->ordinal,
		.record = s->record,
		.offset = s->offset,
		.size = s->size,
		.image_at = s->image ? (uint32_t)(s->image - s->data) : 0,
		.image_size = (uint32_t)s->image_size,
		.mask_at = s->mask ? (uint32_t)(s->mask - s->data) : 0,
		.mask_size = (uint32_t)s->mask_size,
		.file = s->file,
		.copy = s->copy,
		.pixels = s->pixels,
	};
	c->count++;
	return e;
}

/* Copies pixels without gaps, and points their form to the copy.  Returns its end. */
static uint8_t *copy_pixels(struct tfr_pixels *px, uint8_t *to)
{
	uint64_t row = row_bytes(px);
	uint8_t *end = to + pixel_bytes(px), *at = to;

	for (uint32_t y = 0; y < px->height; y++, at += row)
		memcpy(at, (const uint8_t *)px->data + y * px->stride, row);
	memset(at, 0, (size_t)(end - at));
	px->data = to;
	px->stride = row;
	return end;
}

static void copy_sample(const struct tfr_feed_sample *s, uint8_t *to)
{
	struct tfr_pixels *forms = (struct tfr_pixels *)to;

	if (!s->pixels) {
		memcpy(to, s->data, s->size);
		return;
	}
	memcpy(forms, s->pixels, 2 * sizeof(*forms));
	to = copy_pixels(&forms[0], to + FORMS);
	if (forms[1].data)
		copy_pixels(&forms[1], to);
}

enum tfr_status tfr_sample_cache_add(
	struct tfr_sample_cache *c, const struct tfr_feed_sample *s, struct tfr_error *err)
{
	uint64_t bytes = stored_bytes(s);
	struct entry *e = new_entry(c, s);

	if (!e)
		return tfr_fail_nomem(err, "caching");
	c->bytes += sizeof(*e) + bytes;
	if (c->bytes > c->limit)
		return too_much(c, err);
	e->memory = take(c, bytes ? bytes : 1);
	if (!e->memory)
		return tfr_fail_nomem(err, "caching");
	copy_sample(s, e->memory);
	return TFR_OK;
}

static void fill(const struct entry *e, uint64_t epoch, struct tfr_feed_sample *s)
{
	s->epoch = epoch;
	s->ordinal = e->ordinal;
	s->record = e->record;
	s->offset = e->offset;
	s->size = e->size;
	s->file = e->file;
	s->copy = e->copy;
	if (e->pixels) {
		s->pixels = (struct tfr_pixels *)e->memory;
		return;
	}
	s->data = e->memory;
	s->image = e->image_size ? e->memory + e->image_at : NULL;
	s->image_size = e->image_size;
	s->mask = e->mask_size ? e->memory + e->mask_at : NULL;
	s->mask_size = e->mask_size;
}

enum { AT_ONCE = 256 };

enum tfr_status tfr_sample_cache_get(struct tfr_sample_cache *c, struct tfr_sample_pool *store,
	uint64_t first, unsigned n, uint64_t epoch, struct tfr_feed_sample **out,
	struct tfr_error *err)
{
	static const size_t none[AT_ONCE];

	for (unsigned at = 0; at < n; at += AT_ONCE) {
		unsigned count = n - at < AT_ONCE ? n - at : AT_ONCE;

		if (!tfr_samples_get(store, none, count, out + at)) {
			tfr_samples_put(store, out, at);
			return tfr_fail_nomem(err, "taking records out of the cache");
		}
		for (uint64_t i = at; i < at + count; i++)
			fill(&c->entries[(first + i) / ENTRIES][(first + i) % ENTRIES], epoch,
				out[i]);
	}
	return TFR_OK;
}
