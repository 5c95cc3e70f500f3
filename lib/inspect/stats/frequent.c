/* inspect/stats/frequent.c - an exact table, then a sketch, together with a sample of occurrences.
 */
#include "inspect/stats/frequent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/compare.h"
#include "base/hash_index.h"

enum { ROWS = 5, ROW_BITS = 12, ROW = 1 << ROW_BITS };

/* When this is full, only the lowest are kept. */
enum { DRAWN_ROOM = 2 * TFR_TOPS_DRAWN };

struct counted {
	struct tfr_value v; /* owns its text */
	uint64_t count;
};

struct drawn {
	uint64_t draw;
	struct tfr_value v; /* owns its text */
};

struct tfr_tops {
	pthread_mutex_t lock;
	/* Until there are too many values: */
	struct counted *values;
	uint32_t n;
	struct tfr_hash_index index;
	/* After that: */
	bool overflowed;     /* atomic */
	uint64_t *sketch;    /* ROWS * ROW */
	struct drawn *drawn; /* once settled, ascending by draw, then hash */
	uint32_t n_drawn;
	uint64_t limit; /* atomic; an occurrence is kept if its priority is below */
};

struct tfr_tops *tfr_tops_new(void)
{
	struct tfr_tops *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->limit = UINT64_MAX;
	return t;
}

static void drop_values(struct tfr_tops *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free((void *)(uintptr_t)t->values[i].v.text);
	free(t->values);
	tfr_hash_clear(&t->index);
	t->values = NULL;
	t->n = 0;
}

void tfr_tops_free(struct tfr_tops *t)
{
	if (!t)
		return;
	drop_values(t);
	for (uint32_t i = 0; i < t->n_drawn; i++)
		free((void *)(uintptr_t)t->drawn[i].v.text);
	free(t->drawn);
	free(t->sketch);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* --- counting; under the lock --- */

static bool copy_value(struct tfr_value *to, const struct tfr_value *from)
{
	uint8_t *text = from->text ? malloc(from->size + 1u) : NULL;

	*to = *from;
	if (!from->text)
		return true;
	if (text)
		memcpy(text, from->text, from->size);
	to->text = text;
	return text;
}

static void sketch_add(struct tfr_tops *t, uint64_t hash, uint64_t count)
{
	for (unsigned row = 0; row < ROWS; row++)
		t->sketch[row * ROW + (hash >> (row * ROW_BITS) & (ROW - 1))] += count;
}

static uint64_t sketch_count(const struct tfr_tops *t, uint64_t hash)
{
	uint64_t least = UINT64_MAX;

	for (unsigned row = 0; row < ROWS; row++) {
		uint64_t n = t->sketch[row * ROW + (hash >> (row * ROW_BITS) & (ROW - 1))];

		least = n < least ? n : least;
	}
	return least;
}

static bool overflow_table(struct tfr_tops *t)
{
	t->sketch = calloc((size_t)ROWS * ROW, sizeof(*t->sketch));
	if (!t->sketch)
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		sketch_add(t, t->values[i].v.hash, t->values[i].count);
	drop_values(t);
	__atomic_store_n(&t->overflowed, true, __ATOMIC_RELAXED);
	return true;
}

static struct counted *find_value(const struct tfr_tops *t, uint64_t hash)
{
	struct tfr_hash_probe p = tfr_hash_probe(hash);
	uint32_t i;

	while (tfr_hash_next(&t->index, &p, &i)) {
		assert(i < t->n);
		if (t->values[i].v.hash == hash)
			return &t->values[i];
	}
	return NULL;
}

static bool count_value(struct tfr_tops *t, const struct tfr_value *v, uint64_t n)
{
	struct counted *known = find_value(t, v->hash); /* NULL once the table has overflowed */

	if (!t->overflowed && !t->values) {
		t->values = malloc(TFR_TOPS_EXACT * sizeof(*t->values));
		if (!t->values)
			return false;
	}
	if (known) {
		known->count += n;
		return true;
	}
	if (!t->overflowed && t->n < TFR_TOPS_EXACT) {
		if (!copy_value(&t->values[t->n].v, v))
			return false;
		t->values[t->n].count = n;
		if (tfr_hash_add(&t->index, v->hash, t->n)) {
			free((void *)(uintptr_t)t->values[t->n].v.text);
			return false;
		}
		t->n++;
		return true;
	}
	if (!t->overflowed && !overflow_table(t))
		return false;
	sketch_add(t, v->hash, n);
	return true;
}

static int compare_drawn(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;

	if (x->draw != y->draw)
		return x->draw < y->draw ? -1 : 1;
	return (x->v.hash > y->v.hash) - (x->v.hash < y->v.hash);
}

/* Keeps the lowest, without duplicates. */
void tfr_tops_settle(struct tfr_tops *t)
{
	uint32_t kept = 0;

	if (t->n_drawn > 1)
		qsort(t->drawn, t->n_drawn, sizeof(*t->drawn), compare_drawn);
	for (uint32_t i = 0; i < t->n_drawn; i++)
		if (kept == TFR_TOPS_DRAWN ||
			(kept && !compare_drawn(&t->drawn[kept - 1], &t->drawn[i])))
			free((void *)(uintptr_t)t->drawn[i].v.text);
		else
			t->drawn[kept++] = t->drawn[i];
	t->n_drawn = kept;
	if (kept == TFR_TOPS_DRAWN)
		__atomic_store_n(&t->limit, t->drawn[kept - 1].draw, __ATOMIC_RELAXED);
}

static bool draw_value(struct tfr_tops *t, const struct tfr_value *v, uint64_t number)
{
	if (!t->drawn)
		t->drawn = malloc(DRAWN_ROOM * sizeof(*t->drawn));
	if (!t->drawn)
		return false;
	if (t->n_drawn == DRAWN_ROOM)
		tfr_tops_settle(t);
	t->drawn[t->n_drawn].draw = number;
	if (!copy_value(&t->drawn[t->n_drawn].v, v))
		return false;
	t->n_drawn++;
	return true;
}

bool tfr_tops_merge(struct tfr_tops *into, const struct tfr_tops *from)
{
	bool ok = true;

	if (from->overflowed) {
		ok = into->overflowed || overflow_table(into);
		for (unsigned i = 0; ok && i < ROWS * ROW; i++)
			into->sketch[i] += from->sketch[i];
	}
	for (uint32_t i = 0; ok && i < from->n; i++)
		ok = count_value(into, &from->values[i].v, from->values[i].count);
	for (uint32_t i = 0; ok && i < from->n_drawn; i++)
		ok = draw_value(into, &from->drawn[i].v, from->drawn[i].draw);
	tfr_tops_settle(into);
	return ok;
}

/* --- the state --- */

static int compare_hashes(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return (x->v.hash > y->v.hash) - (x->v.hash < y->v.hash);
}

/* A text is read as a view. */
static void value_state(struct tfr_value *v, struct tfr_state *s)
{
	uint64_t size = v->text ? (uint64_t)v->size + 1 : 0;

	tfr_state_u64(s, &v->hash);
	tfr_state_below(s, &size, TFR_TOPS_TEXT + 1);
	if (!size) {
		tfr_state_u64(s, &v->number);
	} else if (!s->in) {
		s->no_memory |= !tfr_buf_append(&s->out, v->text, v->size);
	} else if (size - 1 > (uint64_t)(s->end - s->in)) {
		s->bad = true;
	} else {
		v->text = s->in;
		v->size = (uint32_t)size - 1;
		s->in += v->size;
	}
}

/* False: out of memory. */
static bool values_state(struct tfr_tops *t, struct tfr_state *s)
{
	TFR_AUTO_FREE struct counted *sorted = malloc((t->n + 1) * sizeof(*sorted));
	uint64_t n = t->n, drawn = t->n_drawn;
	bool ok = sorted;

	if (ok && n) {
		memcpy(sorted, t->values, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), compare_hashes);
	}
	tfr_state_below(s, &n, t->overflowed ? 0 : TFR_TOPS_EXACT);
	for (uint64_t i = 0; ok && i < n && !s->bad; i++) {
		struct counted c = s->in ? (struct counted){ 0 } : sorted[i];

		tfr_state_u64(s, &c.count);
		value_state(&c.v, s);
		ok = !s->in || s->bad || count_value(t, &c.v, c.count);
	}
	tfr_state_below(s, &drawn, TFR_TOPS_DRAWN);
	for (uint64_t i = 0; ok && i < drawn && !s->bad; i++) {
		struct drawn d = s->in ? (struct drawn){ 0 } : t->drawn[i];

		tfr_state_u64(s, &d.draw);
		value_state(&d.v, s);
		ok = !s->in || s->bad || draw_value(t, &d.v, d.draw);
	}
	return ok;
}

void tfr_tops_state(struct tfr_tops *t, struct tfr_state *s)
{
	uint64_t overflowed = t->overflowed;
	bool ok;

	tfr_state_below(s, &overflowed, 1);
	ok = !overflowed || t->overflowed || overflow_table(t);
	for (unsigned i = 0; ok && t->overflowed && i < ROWS * ROW; i++)
		tfr_state_u64(s, &t->sketch[i]);
	ok = ok && values_state(t, s);
	if (s->in)
		tfr_tops_settle(t);
	s->no_memory |= !ok;
	s->bad |= !ok;
}

/* --- the most frequent values --- */

uint64_t tfr_tops_distinct(const struct tfr_tops *t)
{
	return t->overflowed ? UINT64_MAX : t->n;
}

uint64_t tfr_tops_count(const struct tfr_tops *t, uint64_t hash)
{
	const struct counted *known;

	if (t->overflowed)
		return sketch_count(t, hash);
	known = find_value(t, hash);
	return known ? known->count : 0;
}

static int compare_values(const struct tfr_value *a, const struct tfr_value *b, bool floats)
{
	if (a->text && b->text)
		return tfr_compare_bytes(a->text, a->size, b->text, b->size);
	if (floats) {
		uint32_t bits[2] = { (uint32_t)a->number, (uint32_t)b->number };
		float v[2];

		memcpy(v, bits, sizeof(v));
		if (v[0] != v[0] || v[1] != v[1]) /* NaN, which occurs once, sorts last */
			return (v[0] != v[0]) - (v[1] != v[1]);
		return (v[0] > v[1]) - (v[0] < v[1]);
	}
	return ((int64_t)a->number > (int64_t)b->number) -
	       ((int64_t)a->number < (int64_t)b->number);
}

static int compare_tops(const void *a, const void *b, void *floats)
{
	const struct tfr_top *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return compare_values(&x->value, &y->value, *(bool *)floats);
}

size_t tfr_tops_list(
	const struct tfr_tops *t, bool floats, uint64_t least, struct tfr_top *top, size_t n)
{
	size_t all = t->overflowed ? t->n_drawn : t->n, found = 0;
	TFR_AUTO_FREE struct tfr_top *list = malloc((all + 1) * sizeof(*list));

	if (!list)
		return SIZE_MAX;
	for (size_t i = 0; i < all; i++)
		list[i] = t->overflowed ? (struct tfr_top){ t->drawn[i].v,
			sketch_count(t, t->drawn[i].v.hash) }
					: (struct tfr_top){ t->values[i].v, t->values[i].count };
	qsort_r(list, all, sizeof(*list), compare_tops, &floats);
	for (size_t i = 0; i < all && found < n && list[i].count >= least; i++)
		if (!found || top[found - 1].value.hash != list[i].value.hash)
			top[found++] = list[i];
	return found;
}

/* --- per worker --- */

enum { TALLY_SLOTS = 128, TALLY_MOST = 96, TALLY_TEXT = 4 << 10, TALLY_RARE = 128 };

struct tallied {
	uint64_t hash, number, count;
	uint32_t at, size; /* position in the text; at UINT32_MAX: a number */
};

struct tfr_tally {
	struct tfr_tops *tops;
	unsigned n;
	uint32_t text_size;
	struct tallied slots[TALLY_SLOTS]; /* count 0: empty */
	uint8_t text[TALLY_TEXT];
	/* The sketch needs only hashes: they are collected here, and added many at a time. */
	unsigned n_rare;
	uint64_t rare[TALLY_RARE];
};

struct tfr_tally *tfr_tally_new(struct tfr_tops *tops)
{
	struct tfr_tally *t = malloc(sizeof(*t));

	if (!t)
		return NULL;
	t->tops = tops;
	t->n = t->text_size = t->n_rare = 0;
	memset(t->slots, 0, sizeof(t->slots));
	return t;
}

void tfr_tally_free(struct tfr_tally *t)
{
	free(t);
}

/* Call with the lock of the tops held. */
static bool flush_slots(struct tfr_tally *t)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < TALLY_SLOTS; i++) {
		const struct tallied *s = &t->slots[i];
		bool number = s->at == UINT32_MAX;
		struct tfr_value v = { s->hash, s->number, number ? NULL : t->text + s->at,
			s->size };

		ok = !s->count || count_value(t->tops, &v, s->count);
	}
	memset(t->slots, 0, sizeof(t->slots));
	t->n = t->text_size = 0;
	return ok;
}

bool tfr_tally_flush(struct tfr_tally *t)
{
	bool ok = true;

	pthread_mutex_lock(&t->tops->lock);
	if (t->n)
		ok = flush_slots(t);
	for (unsigned i = 0; i < t->n_rare; i++)
		sketch_add(t->tops, t->rare[i], 1);
	pthread_mutex_unlock(&t->tops->lock);
	t->n_rare = 0;
	return ok;
}

static bool draw_locked(struct tfr_tops *tops, const struct tfr_value *v, uint64_t number)
{
	bool ok;

	pthread_mutex_lock(&tops->lock);
	ok = draw_value(tops, v, number);
	pthread_mutex_unlock(&tops->lock);
	return ok;
}

/* Counts a value in the table, or adds it if there is room. */
static bool tally_value(struct tfr_tally *t, const struct tfr_value *v)
{
	struct tallied *s = &t->slots[v->hash & (TALLY_SLOTS - 1)];

	while (s->count && s->hash != v->hash)
		if (++s == t->slots + TALLY_SLOTS)
			s = t->slots;
	if (s->count) {
		s->count++;
		return true;
	}
	if (t->n == TALLY_MOST || t->text_size + v->size > TALLY_TEXT) {
		if (!tfr_tally_flush(t))
			return false;
		s = &t->slots[v->hash & (TALLY_SLOTS - 1)];
	}
	*s = (struct tallied){ v->hash, v->number, 1, v->text ? t->text_size : UINT32_MAX,
		v->size };
	t->n++;
	if (v->text) {
		memcpy(t->text + t->text_size, v->text, v->size);
		t->text_size += v->size;
	}
	return true;
}

bool tfr_tally_add(struct tfr_tally *t, const struct tfr_value *v, uint64_t number)
{
	if (number <= __atomic_load_n(&t->tops->limit, __ATOMIC_RELAXED) &&
		!draw_locked(t->tops, v, number))
		return false;
	if (!__atomic_load_n(&t->tops->overflowed, __ATOMIC_RELAXED))
		return tally_value(t, v);
	t->rare[t->n_rare++] = v->hash;
	return t->n_rare < TALLY_RARE || tfr_tally_flush(t);
}
