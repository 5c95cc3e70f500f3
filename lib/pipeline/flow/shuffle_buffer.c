/* pipeline/flow/shuffle_buffer.c - when one comes out. */
#include <assert.h>

#include "pipeline/flow/shuffle_buffer.h"

bool tfr_shuffle_buffer_init(
	struct tfr_shuffle_buffer *m, uint64_t capacity, uint64_t min, uint64_t seed)
{
	tfr_shuffler_init(&m->shuffler, capacity, seed);
	capacity = m->shuffler.capacity;
	m->min = min && min < capacity ? min + 1 : capacity;
	m->popped = 0;
	return tfr_shuffler_reserve(&m->shuffler);
}

uint64_t tfr_shuffle_buffer_held(const struct tfr_shuffle_buffer *m)
{
	return m->shuffler.end - m->shuffler.start;
}

bool tfr_shuffle_buffer_ready(const struct tfr_shuffle_buffer *m)
{
	uint64_t held = tfr_shuffle_buffer_held(m);

	if (m->shuffler.front_closed)
		return tfr_shuffler_ready(&m->shuffler);
	return held && (held >= m->min + m->popped || tfr_shuffler_full(&m->shuffler));
}

void *tfr_shuffle_buffer_pop(struct tfr_shuffle_buffer *m)
{
	assert(tfr_shuffle_buffer_held(m));
	m->popped++;
	return tfr_shuffler_pop(&m->shuffler);
}

bool tfr_shuffle_buffer_accepts(const struct tfr_shuffle_buffer *m)
{
	if (!m->shuffler.front_closed)
		return !tfr_shuffle_buffer_ready(m);
	return !tfr_shuffler_full(&m->shuffler) && m->shuffler.end - m->shuffler.front_end < m->min;
}

void tfr_shuffle_buffer_next_epoch(struct tfr_shuffle_buffer *m)
{
	assert(tfr_shuffler_drained(&m->shuffler));
	tfr_shuffler_next_epoch(&m->shuffler);
	m->popped = 0;
}
