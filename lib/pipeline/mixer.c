/* pipeline/mixer.c - when one comes out. */
#include "pipeline/mixer.h"

bool mixer_init(struct mixer *m, uint64_t capacity, uint64_t min, uint64_t seed)
{
	tfr_shuffler_init(&m->shuffler, capacity, seed);
	capacity = m->shuffler.capacity;
	m->min = min && min < capacity ? min + 1 : capacity;
	m->popped = 0;
	return tfr_shuffler_reserve(&m->shuffler);
}

void mixer_clear(struct mixer *m)
{
	tfr_shuffler_clear(&m->shuffler);
}

uint64_t mixer_held(const struct mixer *m)
{
	return m->shuffler.end - m->shuffler.start;
}

bool mixer_ready(const struct mixer *m)
{
	uint64_t held = mixer_held(m);

	if (m->shuffler.front_closed)
		return tfr_shuffler_ready(&m->shuffler);
	return held && (held >= m->min + m->popped || tfr_shuffler_full(&m->shuffler));
}

void *mixer_pop(struct mixer *m)
{
	m->popped++;
	return tfr_shuffler_pop(&m->shuffler);
}

bool mixer_accepts(const struct mixer *m)
{
	if (!m->shuffler.front_closed)
		return !mixer_ready(m);
	return !tfr_shuffler_full(&m->shuffler) && m->shuffler.end - m->shuffler.front_end < m->min;
}

void mixer_push(struct mixer *m, void *item, uint64_t size)
{
	tfr_shuffler_push(&m->shuffler, item, size);
}

void mixer_close_epoch(struct mixer *m)
{
	tfr_shuffler_close_epoch(&m->shuffler);
}

void mixer_next_epoch(struct mixer *m)
{
	tfr_shuffler_next_epoch(&m->shuffler);
	m->popped = 0;
}
