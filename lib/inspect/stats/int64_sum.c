/* inspect/stats/int64_sum.c - sums int64s.
 *
 * A page of bins is a sign and a power of two.  Numbers below 64 in magnitude share one page, with
 * one bin per number. */
#include "inspect/stats/int64_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_BITS = 6, PAGES = 64 - EXACT_BITS + 1, KEYS = 2 * PAGES };

static const struct tfr_bins_layout layout = { KEYS, TFR_BINS_PAGE };

static uint64_t amount(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

bool tfr_series_add(struct tfr_series *s, int64_t value)
{
	uint64_t m = amount(value);
	unsigned shift = m >> EXACT_BITS ? 64 - EXACT_BITS - 1 - (unsigned)__builtin_clzll(m) : 0;
	unsigned key = m >> EXACT_BITS ? shift + 1 : 0;
	uint64_t *page = tfr_bins_page(&s->bins, &layout, value < 0 ? PAGES + key : key);

	if (!page)
		return false;
	page[m >> shift & (TFR_BINS_PAGE - 1)]++;
	if (!s->count || value < s->min)
		s->min = value;
	if (!s->count || value > s->max)
		s->max = value;
	s->count++;
	s->sum += value;
	s->squares_high += __builtin_add_overflow(s->squares, (tfr_u128)m * m, &s->squares);
	return true;
}

bool tfr_series_merge(struct tfr_series *into, const struct tfr_series *from)
{
	if (!tfr_bins_merge(&into->bins, &from->bins, &layout))
		return false;
	if (from->count && (!into->count || from->min < into->min))
		into->min = from->min;
	if (from->count && (!into->count || from->max > into->max))
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	into->squares_high += from->squares_high +
			      __builtin_add_overflow(into->squares, from->squares, &into->squares);
	return true;
}

void tfr_series_clear(struct tfr_series *s)
{
	tfr_bins_clear(&s->bins);
	*s = (struct tfr_series){ 0 };
}

size_t tfr_series_bytes(const struct tfr_series *s)
{
	return tfr_bins_bytes(&s->bins, &layout);
}

/* --- the state --- */

/* Reads a page, which comes after those that were read. */
static uint64_t *new_page(
	struct tfr_bins *b, const struct tfr_bins_layout *of, uint64_t key, struct tfr_state *state)
{
	uint64_t *page;

	state->bad |= key >= of->keys || tfr_bins_find(b, of, (unsigned)key);
	if (state->bad)
		return NULL;
	page = tfr_bins_page(b, of, (unsigned)key);
	state->bad |= !page;
	state->no_memory |= !page;
	return page;
}

uint64_t tfr_bins_state(
	struct tfr_bins *b, const struct tfr_bins_layout *of, struct tfr_state *state)
{
	uint64_t pages = b->n, key = 0, counted = 0;

	tfr_state_below(state, &pages, of->keys);
	for (uint64_t i = 0; i < pages && !state->bad; i++) {
		uint64_t distance = i != 0, *page;

		while (!state->in && !tfr_bins_find(b, of, (unsigned)(key + distance)))
			distance++;
		tfr_state_below(state, &distance, of->keys);
		key += distance;
		page = state->in ? new_page(b, of, key, state)
				 : tfr_bins_find(b, of, (unsigned)key);
		for (unsigned k = 0; page && k < of->width; k++) {
			tfr_state_u64(state, &page[k]);
			if (k < TFR_BINS_PAGE)
				state->bad |= __builtin_add_overflow(counted, page[k], &counted);
		}
	}
	return counted;
}

void tfr_series_state(struct tfr_series *s, struct tfr_state *state)
{
	tfr_state_below(state, &s->count, TFR_COUNT_MAX);
	if (!s->count)
		return;
	tfr_state_i64(state, &s->min);
	tfr_state_i64(state, &s->max);
	tfr_state_u128(state, (tfr_u128 *)&s->sum);
	tfr_state_u128(state, &s->squares);
	/* The squares of n numbers add up to at most n * 2^126. */
	tfr_state_below(state, &s->squares_high, s->count >> 2);
	state->bad |= tfr_bins_state(&s->bins, &layout, state) != s->count || s->min > s->max ||
		      s->sum > (__int128)s->count * INT64_MAX ||
		      s->sum < (__int128)s->count * INT64_MIN;
}

/* --- results --- */

/* With m for the base and S for the sum, the squares of x - m add up to Q - m (2 S - n m), an
 * integer that is computed without rounding.  Since each x - m is an integer, they add up to at
 * least |S - n m|, and moving them from the base to the mean takes away less than half. */
struct tfr_centred tfr_centre(uint64_t count, __int128 sum, tfr_u128 squares, uint64_t squares_high)
{
	__int128 n = count, half = sum < 0 ? -(n / 2) : n / 2, base = (sum + half) / n;
	__int128 rest = sum - base * n, twice = sum + rest; /* 2 S - n m */
	uint64_t m = (uint64_t)(base < 0 ? -base : base);
	tfr_u128 t = twice < 0 ? 0 - (tfr_u128)twice : (tfr_u128)twice;
	tfr_u128 low = (tfr_u128)(uint64_t)t * m, high = (t >> 64) * m + (low >> 64);
	struct tfr_centred c = { (double)base, (double)rest / (double)count, 0 };

	low = high << 64 | (uint64_t)low;
	squares_high -= (uint64_t)(high >> 64) + (squares < low);
	c.spread = ldexp((double)squares_high, 128) + (double)(squares - low);
	c.spread = fmax(c.spread - (double)rest * c.rest, 0); /* negative only if forged */
	return c;
}

struct tfr_summary tfr_series_sum_up(const struct tfr_series *s)
{
	struct tfr_centred c;

	if (!s->count)
		return (struct tfr_summary){ 0 };
	c = tfr_centre(s->count, s->sum, s->squares, s->squares_high);
	return (struct tfr_summary){ s->count, c.base + c.rest, sqrt(c.spread / (double)s->count) };
}

static struct tfr_bin bin_at(unsigned key, unsigned i)
{
	unsigned page = key % PAGES, shift = page ? page - 1 : 0;
	double low = ldexp(page ? TFR_BINS_PAGE + i : i, (int)shift);
	double high = page ? low + ldexp(1, (int)shift) - 1 : low;

	if (key >= PAGES)
		return (struct tfr_bin){ .low = -high, .high = -low };
	return (struct tfr_bin){ .low = low, .high = high };
}

static bool put_bins(const struct tfr_series *s, unsigned key, struct tfr_buf *bins)
{
	const uint64_t *page = tfr_bins_find(&s->bins, &layout, key);

	for (unsigned n = 0; page && n < TFR_BINS_PAGE; n++) {
		unsigned i = key >= PAGES ? TFR_BINS_PAGE - 1 - n : n;
		struct tfr_bin bin = bin_at(key, i);

		bin.count = page[i];
		if (bin.count && !tfr_buf_append(bins, &bin, sizeof(bin)))
			return false;
	}
	return true;
}

bool tfr_series_bins(const struct tfr_series *s, struct tfr_buf *bins)
{
	bool ok = true;

	/* Negative numbers come first, from the largest magnitude down. */
	for (unsigned key = KEYS; ok && key-- > PAGES;)
		ok = put_bins(s, key, bins);
	for (unsigned key = 0; ok && key < PAGES; key++)
		ok = put_bins(s, key, bins);
	return ok;
}

double tfr_bins_quantile(
	const struct tfr_bin *bins, size_t n, uint64_t count, double q, double min, double max)
{
	double wanted = ceil(q * (double)count), middle = 0;
	uint64_t seen = 0;

	for (size_t i = 0; i < n; i++) {
		seen += bins[i].count;
		middle = bins[i].low / 2 + bins[i].high / 2;
		if (!bins[i].low || !bins[i].high)
			middle = 0; /* such a bin contains mostly zeros */
		if ((double)seen >= wanted)
			break;
	}
	return middle < min ? min : middle > max ? max : middle;
}
