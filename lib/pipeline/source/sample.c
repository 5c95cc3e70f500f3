/* pipeline/source/sample.c - samples with memory of their own, pooled by size class.
 *
 * Class c has (8 + c % 8) << (c / 8) bytes, header included.  Large buffers are mapped, not
 * taken from malloc, so that freeing one returns its memory: a heap that several threads grow
 * and others shrink took a tenth more than it held.  Callers ask for many samples at a time: one
 * lock for hundreds of small records. */
#include "pipeline/source/sample.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED_FROM = 32 << 10, CLASSES_UP = 2, PIXELS_AT = 128, LINE = 64 };

_Static_assert(2 * sizeof(struct tfr_pixels) <= PIXELS_AT, "two forms before the pixels");

static size_t class_bytes(unsigned c)
{
	return (size_t)(8 + c % 8) << (c / 8);
}

static unsigned class_of(size_t bytes)
{
	unsigned shift = 0, c;

	while ((bytes >> shift) > 15)
		shift++;
	c = 8 * shift + (unsigned)(bytes >> shift) - 8;
	return class_bytes(c) < bytes ? c + 1 : c;
}

uint64_t tfr_sample_footprint(size_t size)
{
	return class_bytes(class_of(sizeof(struct tfr_pipeline_sample) + size));
}

static void *allocate_memory(size_t bytes)
{
	void *memory;

	if (bytes < MAPPED_FROM)
		return aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void release_memory(struct tfr_pipeline_sample *s)
{
	size_t bytes = class_bytes(s->size_class);

	if (bytes < MAPPED_FROM)
		free(s);
	else
		munmap(s, bytes);
}

void tfr_sample_pool_init(struct tfr_sample_pool *pool, uint64_t idle_limit)
{
	*pool = (struct tfr_sample_pool){ .idle_limit = idle_limit };
	pthread_mutex_init(&pool->lock, NULL);
}

void tfr_sample_pool_clear(struct tfr_sample_pool *pool)
{
	for (unsigned c = 0; c < SAMPLE_CLASSES; c++)
		while (pool->idle[c]) {
			struct tfr_pipeline_sample *s = pool->idle[c];

			pool->idle[c] = s->next;
			release_memory(s);
		}
	pthread_mutex_destroy(&pool->lock);
}

/* An idle buffer, a quarter too large at most: with sizes from 13 to 130 KB that halves the misses
 * and costs 2% of memory. */
static struct tfr_pipeline_sample *take_idle(struct tfr_sample_pool *pool, unsigned smallest)
{
	for (unsigned c = smallest; c <= smallest + CLASSES_UP && c < SAMPLE_CLASSES; c++) {
		struct tfr_pipeline_sample *s = pool->idle[c];

		if (s) {
			pool->idle[c] = s->next;
			pool->idle_bytes -= class_bytes(c);
			return s;
		}
	}
	return NULL;
}

static unsigned class_for(const size_t *sizes, unsigned i)
{
	return class_of(sizeof(struct tfr_pipeline_sample) + (sizes ? sizes[i] : 0));
}

bool tfr_samples_get(struct tfr_sample_pool *pool, const size_t *sizes, unsigned n,
	struct tfr_pipeline_sample **out)
{
	bool whole = true;

	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < n; i++)
		out[i] = take_idle(pool, class_for(sizes, i));
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < n; i++) {
		unsigned c = class_for(sizes, i);

		if (out[i])
			c = out[i]->size_class;
		else
			out[i] = allocate_memory(class_bytes(c));
		if (out[i])
			*out[i] = (struct tfr_pipeline_sample){ .size_class = c };
		else
			whole = false;
	}
	if (!whole)
		tfr_samples_put(pool, out, n);
	return whole;
}

static void put_view(struct tfr_record_chunk *chunk)
{
	if (atomic_fetch_sub_explicit(&chunk->left, 1, memory_order_acq_rel) == 1) {
		tfr_block_put(chunk->block);
		free(chunk);
	}
}

/* With the pool's lock.  False: it is to be freed. */
static bool put_idle(struct tfr_sample_pool *pool, struct tfr_pipeline_sample *s)
{
	size_t bytes = class_bytes(s->size_class);

	if (pool->idle_bytes + bytes > pool->idle_limit)
		return false;
	s->next = pool->idle[s->size_class];
	pool->idle[s->size_class] = s;
	pool->idle_bytes += bytes;
	return true;
}

void tfr_samples_put(struct tfr_sample_pool *pool, struct tfr_pipeline_sample **samples, unsigned n)
{
	struct tfr_pipeline_sample *surplus = NULL;
	bool locked = false;

	for (unsigned i = 0; i < n; i++) {
		struct tfr_pipeline_sample *s = samples[i];

		if (!s)
			continue;
		if (s->chunk) {
			put_view(s->chunk);
			continue;
		}
		if (!locked)
			pthread_mutex_lock(&pool->lock);
		locked = true;
		if (!put_idle(pool, s)) {
			s->next = surplus;
			surplus = s;
		}
	}
	if (locked)
		pthread_mutex_unlock(&pool->lock);
	while (surplus) {
		struct tfr_pipeline_sample *s = surplus;

		surplus = s->next;
		release_memory(s);
	}
}

void tfr_sample_put(struct tfr_sample_pool *pool, struct tfr_pipeline_sample *s)
{
	tfr_samples_put(pool, &s, 1);
}

/* Copies everything but the pointers. */
static void copy_view(struct tfr_pipeline_sample *to, const struct tfr_pipeline_sample *from)
{
	uint32_t size_class = to->size_class;

	*to = *from;
	to->size_class = size_class;
	to->chunk = NULL;
	to->next = NULL;
	memcpy(to->memory, from->data, from->size);
	to->data = to->memory;
	if (from->image)
		to->image = to->data + (from->image - from->data);
	if (from->mask)
		to->mask = to->data + (from->mask - from->data);
}

enum { KEEP_AT_ONCE = 256 };

static bool keep_some(
	struct tfr_sample_pool *pool, struct tfr_pipeline_sample **samples, unsigned n)
{
	struct tfr_pipeline_sample *views[KEEP_AT_ONCE], *own[KEEP_AT_ONCE];
	unsigned where[KEEP_AT_ONCE], count = 0;
	size_t sizes[KEEP_AT_ONCE];

	for (unsigned i = 0; i < n; i++)
		if (samples[i] && samples[i]->chunk) {
			where[count] = i;
			sizes[count] = samples[i]->size;
			views[count++] = samples[i];
		}
	if (!count)
		return true;
	if (!tfr_samples_get(pool, sizes, count, own))
		return false;
	for (unsigned i = 0; i < count; i++) {
		copy_view(own[i], views[i]);
		samples[where[i]] = own[i];
	}
	tfr_samples_put(pool, views, count);
	return true;
}

bool tfr_samples_keep(
	struct tfr_sample_pool *pool, struct tfr_pipeline_sample **samples, unsigned n)
{
	for (unsigned at = 0; at < n; at += KEEP_AT_ONCE)
		if (!keep_some(pool, samples + at, n - at < KEEP_AT_ONCE ? n - at : KEEP_AT_ONCE))
			return false;
	return true;
}

/* Where the mask is in the memory of a sample, after the forms and the image. */
static size_t mask_at(const struct tfr_image_form *form)
{
	return PIXELS_AT + (tfr_image_form_bytes(form) + LINE - 1) / LINE * LINE;
}

static size_t pixels_size(const struct tfr_image_form *form, bool mask)
{
	return mask_at(form) + (mask ? (size_t)form->width * form->height : 0);
}

uint64_t tfr_sample_pixels_bytes(const struct tfr_image_form *form, bool mask)
{
	return tfr_sample_footprint(pixels_size(form, mask));
}

struct tfr_pipeline_sample *tfr_sample_pixels(
	struct tfr_sample_pool *pool, const struct tfr_image_form *form, bool mask)
{
	size_t size = pixels_size(form, mask);
	struct tfr_pipeline_sample *s;

	if (!tfr_samples_get(pool, &size, 1, &s))
		return NULL;
	s->pixels = (struct tfr_pixels *)s->memory;
	s->pixels[0] = tfr_pixels_dense(
		s->memory + PIXELS_AT, form->width, form->height, form->channels, form->dtype);
	s->pixels[1] = (struct tfr_pixels){ 0 };
	if (mask)
		s->pixels[1] = tfr_pixels_dense(
			s->memory + mask_at(form), form->width, form->height, 1, TFR_UINT8);
	return s;
}

/* ---- runs ----
 *
 * Blocks are counted: each chunk holds one reference, and each sample of a chunk keeps the
 * chunk.  After its last chunk a block goes to the next reader, so that reading settles into a
 * few blocks that stay in memory. */

void tfr_block_pool_init(struct tfr_block_pool *b, uint64_t idle_limit)
{
	*b = (struct tfr_block_pool){ .idle_limit = idle_limit };
	pthread_mutex_init(&b->lock, NULL);
}

static void block_free(struct tfr_run_block *block)
{
	tfr_record_run_clear(&block->run);
	free(block);
}

void tfr_block_pool_clear(struct tfr_block_pool *b)
{
	while (b->idle) {
		struct tfr_run_block *block = b->idle;

		b->idle = block->next;
		block_free(block);
	}
	pthread_mutex_destroy(&b->lock);
}

struct tfr_run_block *tfr_block_get(struct tfr_block_pool *b)
{
	struct tfr_run_block *block;

	pthread_mutex_lock(&b->lock);
	block = b->idle;
	if (block) {
		assert(b->idle_bytes >= block->run.cap && !atomic_load(&block->refs));
		b->idle = block->next;
		b->idle_bytes -= block->run.cap;
	}
	pthread_mutex_unlock(&b->lock);
	if (!block)
		block = calloc(1, sizeof(*block));
	if (block) {
		block->home = b;
		atomic_init(&block->refs, 1);
	}
	return block;
}

void tfr_block_put(struct tfr_run_block *block)
{
	struct tfr_block_pool *b = block->home;
	bool kept = false;

	if (atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_lock(&b->lock);
	kept = b->idle_bytes + block->run.cap <= b->idle_limit;
	if (kept) {
		block->next = b->idle;
		b->idle = block;
		b->idle_bytes += block->run.cap;
	}
	pthread_mutex_unlock(&b->lock);
	if (!kept)
		block_free(block);
}

struct tfr_record_chunk *tfr_record_chunk_new(struct tfr_run_block *block, uint32_t capacity)
{
	size_t bytes =
		sizeof(struct tfr_record_chunk) + capacity * sizeof(struct tfr_pipeline_sample);
	struct tfr_record_chunk *chunk = aligned_alloc(_Alignof(struct tfr_record_chunk), bytes);

	if (!chunk)
		return NULL;
	*chunk = (struct tfr_record_chunk){ .block = block, .capacity = capacity };
	atomic_fetch_add_explicit(&block->refs, 1, memory_order_relaxed);
	return chunk;
}

void tfr_record_chunk_add(
	struct tfr_record_chunk *chunk, uint32_t file, const struct tfr_record *rec)
{
	assert(chunk->count < chunk->capacity);
	assert(rec->data >= chunk->block->run.block || !rec->size);
	chunk->samples[chunk->count++] = (struct tfr_pipeline_sample){
		.record = rec->index,
		.offset = rec->offset,
		.data = rec->data,
		.size = rec->size,
		.chunk = chunk,
		.file = file,
	};
	chunk->bytes += rec->size;
	atomic_store_explicit(&chunk->left, chunk->count, memory_order_relaxed);
}

void tfr_record_chunk_drop(struct tfr_record_chunk *chunk)
{
	uint32_t rest = chunk->count - chunk->at;

	assert(chunk->at <= chunk->count);
	/* Without records, or with all that were handed out gone, it ends here. */
	if (!chunk->count || (rest && atomic_fetch_sub(&chunk->left, rest) == rest)) {
		tfr_block_put(chunk->block);
		free(chunk);
	}
}
