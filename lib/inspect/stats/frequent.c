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

struct kept {
	uint64_t number;    /* how often it occurred, or the priority of one occurrence */
	struct tfr_value v; /* owns its text */
};

struct tfr_tops {
	pthread_mutex_t lock;
	/* Until there are too many values: */
	struct kept *values;
	uint32_t n;
	struct tfr_hash_index index;
	/* After that: */
	bool overflowed;     /* atomic */
	uint64_t *sketch;    /* ROWS * ROW */
	struct kept *drawn;  /* once settled, ascending by number, then hash */
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

static void free_text(struct kept *k)
{
	free((void *)(uintptr_t)k->v.text);
}

static void free_kept(struct kept *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free_text(&list[i]);
	free(list);
}

void tfr_tops_free(struct tfr_tops *t)
{
	if (!t)
		return;
	free_kept(t->values, t->n);
	free_kept(t->drawn, t->n_drawn);
	tfr_hash_clear(&t->index);
	free(t->sketch);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* --- counting; under the lock --- */

static bool keep_value(struct kept *to, const struct tfr_value *v, uint64_t number)
{
	uint8_t *text = v->text ? malloc(v->size + 1u) : NULL;

	if (v->text && !text)
		return false;
	*to = (struct kept){ number, *v };
	if (text)
		to->v.text = memcpy(text, v->text, v->size);
	return true;
}

static uint64_t *sketch_cell(const struct tfr_tops *t, unsigned row, uint64_t hash)
{
	return &t->sketch[row * ROW + (hash >> (row * ROW_BITS) & (ROW - 1))];
}

static void sketch_add(struct tfr_tops *t, uint64_t hash, uint64_t count)
{
	for (unsigned row = 0; row < ROWS; row++)
		*sketch_cell(t, row, hash) += count;
}

static uint64_t sketch_count(const struct tfr_tops *t, uint64_t hash)
{
	uint64_t least = UINT64_MAX;

	for (unsigned row = 0; row < ROWS; row++) {
		uint64_t n = *sketch_cell(t, row, hash);

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
		sketch_add(t, t->values[i].v.hash, t->values[i].number);
	free_kept(TFR_STEAL(t->values), t->n);
	t->n = 0;
	tfr_hash_clear(&t->index);
	__atomic_store_n(&t->overflowed, true, __ATOMIC_RELAXED);
	return true;
}

static struct kept *find_value(const struct tfr_tops *t, uint64_t hash)
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
	struct kept *known = find_value(t, v->hash); /* NULL once the table has overflowed */

	if (!t->overflowed && !t->values) {
		t->values = malloc(TFR_TOPS_EXACT * sizeof(*t->values));
		if (!t->values)
			return false;
	}
	if (known) {
		known->number += n;
		return true;
	}
	if (!t->overflowed && t->n < TFR_TOPS_EXACT) {
		if (!keep_value(&t->values[t->n], v, n))
			return false;
		if (tfr_hash_add(&t->index, v->hash, t->n)) {
			free_text(&t->values[t->n]);
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

static int compare_hashes(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->v.hash > y->v.hash) - (x->v.hash < y->v.hash);
}

static int compare_drawn(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return compare_hashes(a, b);
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
			free_text(&t->drawn[i]);
		else
			t->drawn[kept++] = t->drawn[i];
	t->n_drawn = kept;
	if (kept == TFR_TOPS_DRAWN)
		__atomic_store_n(&t->limit, t->drawn[kept - 1].number, __ATOMIC_RELAXED);
}

static bool draw_value(struct tfr_tops *t, const struct tfr_value *v, uint64_t number)
{
	if (!t->drawn)
		t->drawn = malloc(DRAWN_ROOM * sizeof(*t->drawn));
	if (!t->drawn)
		return false;
	if (t->n_drawn == DRAWN_ROOM)
		tfr_tops_settle(t);
	if (!keep_value(&t->drawn[t->n_drawn], v, number))
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
		ok = count_value(into, &from->values[i].v, from->values[i].number);
	for (uint32_t i = 0; ok && i < from->n_drawn; i++)
		ok = draw_value(into, &from->drawn[i].v, from->drawn[i].number);
	tfr_tops_settle(into);
	return ok;
}

/* --- the state --- */

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

/* Writes a list, or adds the one that is read.  False: out of memory. */
static bool list_state(struct tfr_tops *t, const struct kept *list, uint64_t n, uint64_t most,
	bool (*add)(struct tfr_tops *t, const struct tfr_value *v, uint64_t number),
	struct tfr_state *s)
{
	tfr_state_below(s, &n, most);
	for (uint64_t i = 0; i < n && !s->bad; i++) {
		struct kept k = s->in ? (struct kept){ 0 } : list[i];

		tfr_state_u64(s, &k.number);
		value_state(&k.v, s);
		if (s->in && !s->bad && !add(t, &k.v, k.number))
			return false;
	}
	return true;
}

static bool values_state(struct tfr_tops *t, struct tfr_state *s)
{
	TFR_AUTO_FREE struct kept *sorted = malloc((t->n + 1) * sizeof(*sorted));

	if (!sorted)
		return false;
	if (t->n) {
		memcpy(sorted, t->values, t->n * sizeof(*sorted));
		qsort(sorted, t->n, sizeof(*sorted), compare_hashes);
	}
	return list_state(t, sorted, t->n, t->overflowed ? 0 : TFR_TOPS_EXACT, count_value, s) &&
	       list_state(t, t->drawn, t->n_drawn, TFR_TOPS_DRAWN, draw_value, s);
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
	const struct kept *known;

	if (t->overflowed)
		return sketch_count(t, hash);
	known = find_value(t, hash);
	return known ? known->number : 0;
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
	const struct kept *from = t->overflowed ? t->drawn : t->values;
	size_t all = t->overflowed ? t->n_drawn : t->n, found = 0;
	TFR_AUTO_FREE struct tfr_top *list = malloc((all + 1) * sizeof(*list));

	if (!list)
		return SIZE_MAX;
	for (size_t i = 0; i < all; i++)
		list[i] = (struct tfr_top){ from[i].v,
			t->overflowed ? sketch_count(t, from[i].v.hash) : from[i].number };
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

bool tfr_tally_flush(struct tfr_tally *t)
{
	bool ok = true;

	pthread_mutex_lock(&t->tops->lock);
	for (unsigned i = 0; t->n && ok && i < TALLY_SLOTS; i++) {
		const struct tallied *s = &t->slots[i];
		bool number = s->at == UINT32_MAX;
		struct tfr_value v = { s->hash, s->number, number ? NULL : t->text + s->at,
			s->size };

		ok = !s->count || count_value(t->tops, &v, s->count);
	}
	for (unsigned i = 0; i < t->n_rare; i++)
		sketch_add(t->tops, t->rare[i], 1);
	pthread_mutex_unlock(&t->tops->lock);
	if (t->n)
		memset(t->slots, 0, sizeof(t->slots));
	t->n = t->text_size = t->n_rare = 0;
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
	if (number <= __atomic_load_n(&t->tops->limit, __ATOMIC_RELAXED)) {
		bool ok;

		pthread_mutex_lock(&t->tops->lock);
		ok = draw_value(t->tops, v, number);
		pthread_mutex_unlock(&t->tops->lock);
		if (!ok)
			return false;
	}
	if (!__atomic_load_n(&t->tops->overflowed, __ATOMIC_RELAXED))
		return tally_value(t, v);
	t->rare[t->n_rare++] = v->hash;
	return t->n_rare < TALLY_RARE || tfr_tally_flush(t);
}
