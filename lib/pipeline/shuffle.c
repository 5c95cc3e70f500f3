/* pipeline/shuffle.c - the ring and the draws.  Every number drawn here is one TensorFlow draws. */
#include "pipeline/shuffle.h"

#include <assert.h>
#include <stdlib.h>

/* tensorflow/python/framework/random_seed.py: the graph's seed when only the op's is given. */
#define TF_GRAPH_SEED 87654321u
#define TF_SEED_MODULUS 2147483647u

/* Each epoch's generator is seeded by two draws of the one over epochs. */
static void seed_epoch(struct shuffle *s)
{
	uint32_t seed = tfr_rng_u32(&s->epochs);
	uint32_t seed2 = tfr_rng_u32(&s->epochs);

	tfr_rng_init(&s->draws, seed, seed2);
}

bool shuffle_init(struct shuffle *s, uint64_t capacity, uint64_t seed)
{
	*s = (struct shuffle){ .capacity = capacity ? capacity : 1, .byte_limit = UINT64_MAX };
	s->least = s->capacity;
	s->ring = calloc(s->capacity, sizeof(struct sample *));
	tfr_rng_init(&s->epochs, TF_GRAPH_SEED, seed % TF_SEED_MODULUS);
	seed_epoch(s);
	return s->ring != NULL;
}

void shuffle_clear(struct shuffle *s)
{
	free(s->ring);
	s->ring = NULL;
}

bool shuffle_full(const struct shuffle *s)
{
	uint64_t count = s->end - s->start;

	return count == s->capacity || (count && s->bytes >= s->byte_limit);
}

void shuffle_push(struct shuffle *s, struct sample *sample)
{
	assert(s->end - s->start < s->capacity);
	s->ring[s->end++ % s->capacity] = sample;
	s->bytes += sample->size;
	if (s->bytes >= s->byte_limit && s->end - s->start < s->least)
		s->least = s->end - s->start;
}

void shuffle_close_epoch(struct shuffle *s)
{
	assert(!s->front_closed);
	s->front_closed = true;
	s->front_end = s->end;
}

bool shuffle_ready(const struct shuffle *s)
{
	if (s->front_closed)
		return s->start < s->front_end;
	return shuffle_full(s);
}

struct sample *shuffle_pop(struct shuffle *s)
{
	uint64_t front_end = s->front_closed ? s->front_end : s->end;
	uint64_t chosen = s->start + tfr_rng_u32(&s->draws) % (front_end - s->start);
	struct sample *sample = s->ring[chosen % s->capacity];

	s->ring[chosen % s->capacity] = s->ring[s->start % s->capacity];
	s->start++;
	s->bytes -= sample->size;
	return sample;
}

bool shuffle_drained(const struct shuffle *s)
{
	return s->front_closed && s->start == s->front_end;
}

void shuffle_next_epoch(struct shuffle *s)
{
	s->front_closed = false;
	seed_epoch(s);
}
