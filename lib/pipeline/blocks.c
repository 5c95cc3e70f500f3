/* pipeline/blocks.c - runs of records, and the samples that look into them.
 *
 * A block is counted: each grain holds one reference, each sample of a grain keeps the grain.  A
 * block whose last grain is gone is handed to the next reader, so that reading settles into a few
 * blocks that stay in memory. */
#include <stdlib.h>

#include "pipeline/sample.h"

void blocks_init(struct blocks *b, unsigned idle_most, size_t largest)
{
	*b = (struct blocks){ .idle_most = idle_most, .largest = largest };
	pthread_mutex_init(&b->lock, NULL);
}

static void block_free(struct block *block)
{
	tfr_run_clear(&block->run);
	free(block);
}

void blocks_clear(struct blocks *b)
{
	while (b->idle) {
		struct block *block = b->idle;

		b->idle = block->next;
		block_free(block);
	}
	pthread_mutex_destroy(&b->lock);
}

struct block *block_get(struct blocks *b)
{
	struct block *block;

	pthread_mutex_lock(&b->lock);
	block = b->idle;
	if (block) {
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

void block_put(struct block *block)
{
	struct blocks *b = block->home;
	bool kept = false;

	if (atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) != 1)
		return;
	if (block->run.cap <= b->largest) {
		pthread_mutex_lock(&b->lock);
		kept = b->idle_count < b->idle_most;
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

struct grain *grain_new(struct block *block, uint32_t capacity)
{
	size_t bytes = sizeof(struct grain) + capacity * sizeof(struct sample);
	struct grain *g = aligned_alloc(_Alignof(struct grain), bytes);

	if (!g)
		return NULL;
	*g = (struct grain){ .block = block, .capacity = capacity };
	atomic_fetch_add_explicit(&block->refs, 1, memory_order_relaxed);
	return g;
}

void grain_add(struct grain *g, uint32_t file, const struct tfr_record *rec)
{
	g->samples[g->count++] = (struct sample){
		.record = rec->index,
		.offset = rec->offset,
		.data = rec->data,
		.size = rec->size,
		.grain = g,
		.file = file,
	};
	g->bytes += rec->size;
	atomic_store_explicit(&g->left, g->count, memory_order_relaxed);
}

void grain_drop(struct grain *g)
{
	uint32_t rest = g->count - g->at;

	/* Without records, or with all that were handed out gone, it ends here. */
	if (!g->count || (rest && atomic_fetch_sub(&g->left, rest) == rest)) {
		block_put(g->block);
		free(g);
	}
}
