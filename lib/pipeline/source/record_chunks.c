/* pipeline/source/record_chunks.c - runs of records, and the samples that point into them.
 *
 * Blocks are counted: each chunk holds one reference, and each sample of a chunk keeps the
 * chunk.  After its last chunk a block goes to the next reader, so that reading settles into a
 * few blocks that stay in memory. */
#include <assert.h>
#include <stdlib.h>

#include "pipeline/source/feed_sample.h"

void tfr_block_pool_init(struct tfr_block_pool *b, unsigned idle_max, size_t largest)
{
	*b = (struct tfr_block_pool){ .idle_max = idle_max, .largest = largest };
	pthread_mutex_init(&b->lock, NULL);
}

static void block_free(struct tfr_run_block *block)
{
	tfr_run_clear(&block->run);
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
		assert(b->idle_count && !atomic_load(&block->refs));
		b->idle = block->next;
		b->idle_count--;
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
	if (block->run.cap <= b->largest) {
		pthread_mutex_lock(&b->lock);
		kept = b->idle_count < b->idle_max;
		if (kept) {
			block->next = b->idle;
			b->idle = block;
			b->idle_count++;
		}
		pthread_mutex_unlock(&b->lock);
	}
	if (!kept)
		block_free(block);
}

struct tfr_record_chunk *tfr_record_chunk_new(struct tfr_run_block *block, uint32_t capacity)
{
	size_t bytes = sizeof(struct tfr_record_chunk) + capacity * sizeof(struct tfr_feed_sample);
	struct tfr_record_chunk *g = aligned_alloc(_Alignof(struct tfr_record_chunk), bytes);

	if (!g)
		return NULL;
	*g = (struct tfr_record_chunk){ .block = block, .capacity = capacity };
	atomic_fetch_add_explicit(&block->refs, 1, memory_order_relaxed);
	return g;
}

void tfr_record_chunk_add(struct tfr_record_chunk *g, uint32_t file, const struct tfr_record *rec)
{
	assert(g->count < g->capacity);
	assert(rec->data >= g->block->run.block || !rec->size);
	g->samples[g->count++] = (struct tfr_feed_sample){
		.record = rec->index,
		.offset = rec->offset,
		.data = rec->data,
		.size = rec->size,
		.chunk = g,
		.file = file,
	};
	g->bytes += rec->size;
	atomic_store_explicit(&g->left, g->count, memory_order_relaxed);
}

void tfr_record_chunk_drop(struct tfr_record_chunk *g)
{
	uint32_t rest = g->count - g->at;

	assert(g->at <= g->count);
	/* Without records, or with all that were handed out gone, it ends here. */
	if (!g->count || (rest && atomic_fetch_sub(&g->left, rest) == rest)) {
		tfr_block_put(g->block);
		free(g);
	}
}
