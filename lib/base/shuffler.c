/* base/shuffler.c - the ring buffer and the random draws.  The draws are the same as
 * TensorFlow's. */
#include "base/shuffler.h"

#include <assert.h>
#include <stdlib.h>

enum { PLACES_AT_FIRST = 64 };

/* Each epoch's generator is seeded by two draws of the generator of epochs. */
static void seed_epoch(struct tfr_shuffler *s)
{
	uint32_t seed = tfr_rng_u32(&s->epochs);
	uint32_t seed2 = tfr_rng_u32(&s->epochs);

	tfr_rng_init(&s->draws, seed, seed2);
}

void tfr_shuffler_init(struct tfr_shuffler *s, uint64_t capacity, uint64_t seed)
{
	*s = (struct tfr_shuffler){ .capacity = capacity ? capacity : 1, .byte_limit = UINT64_MAX };
	s->least = s->capacity;
	tfr_rng_init_op(&s->epochs, seed);
	seed_epoch(s);
}

void tfr_shuffler_clear(struct tfr_shuffler *s)
{
	free(s->ring);
	s->ring = NULL;
	s->allocated = 0;
}

bool tfr_shuffler_full(const struct tfr_shuffler *s)
{
	uint64_t count = s->end - s->start;

	return count == s->capacity || (count && s->bytes >= s->byte_limit);
}

/* Places are used from first to last before the first is used again, so that growing moves
 * nothing. */
static bool grow_to(struct tfr_shuffler *s, uint64_t places)
{
	struct tfr_shuffled *larger;

	if (places > s->capacity)
		places = s->capacity;
	larger = reallocarray(s->ring, places, sizeof(*larger));
	if (!larger)
		return false;
	s->ring = larger;
	s->allocated = places;
	return true;
}

bool tfr_shuffler_reserve(struct tfr_shuffler *s)
{
	return grow_to(s, s->capacity);
}

bool tfr_shuffler_push(struct tfr_shuffler *s, void *item, uint64_t size)
{
	uint64_t place = s->end % s->capacity;

	assert(s->end - s->start < s->capacity);
	if (place >= s->allocated && !grow_to(s, s->allocated ? s->allocated * 2 : PLACES_AT_FIRST))
		return false;
	s->ring[place] = (struct tfr_shuffled){ item, size };
	s->end++;
	s->bytes += size;
	if (s->bytes >= s->byte_limit && s->end - s->start < s->least)
		s->least = s->end - s->start;
	return true;
}

void tfr_shuffler_close_epoch(struct tfr_shuffler *s)
{
	assert(!s->front_closed);
	s->front_closed = true;
	s->front_end = s->end;
}

bool tfr_shuffler_ready(const struct tfr_shuffler *s)
{
	if (s->front_closed)
		return s->start < s->front_end;
	return tfr_shuffler_full(s);
}

/* Removes the item in `place`; the oldest item moves there. */
static void *take_item(struct tfr_shuffler *s, uint64_t place)
{
	struct tfr_shuffled taken = s->ring[place];

	s->ring[place] = s->ring[s->start % s->capacity];
	s->start++;
	s->bytes -= taken.size;
	return taken.item;
}

void *tfr_shuffler_pop(struct tfr_shuffler *s)
{
	uint64_t front_end = s->front_closed ? s->front_end : s->end;
	uint64_t chosen = s->start + tfr_rng_u32(&s->draws) % (front_end - s->start);

	return take_item(s, chosen % s->capacity);
}

void *tfr_shuffler_discard(struct tfr_shuffler *s)
{
	return s->start < s->end ? take_item(s, s->start % s->capacity) : NULL;
}

bool tfr_shuffler_drained(const struct tfr_shuffler *s)
{
	return s->front_closed && s->start == s->front_end;
}

void tfr_shuffler_next_epoch(struct tfr_shuffler *s)
{
	s->front_closed = false;
	seed_epoch(s);
}
