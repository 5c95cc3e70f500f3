/* inspect/stats/series.c - sums int64s, and floats page by page.
 *
 * A page of bins is a sign and a power of two.  Int64s below 64 in magnitude share one page, with
 * one bin per number.
 *
 * The floats of a page have one sign and one exponent, so their mantissas are integers of one unit.
 * They and their squares add up in 128 bits, without rounding.  The words of such a page are its 64
 * counters, the sum of the mantissas, and the sum of their squares.  At the end the pages are added
 * in a fixed order, with compensation. */
#include "inspect/stats/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A page is a sign and a power of two, which 64 counters divide evenly. */
enum { PAGE = 64 };

/* No more values than this are read back, so that sums cannot overflow. */
#define COUNT_MAX ((uint64_t)1 << 56)

/* The constant layout of one kind of bins. */
struct layout {
	unsigned keys;	/* the second half is of negative numbers */
	unsigned width; /* words per page: 64 counters, then numbers of 128 bits */
	struct tfr_bin (*bin)(unsigned key, unsigned i); /* of positive numbers */
};

static uint64_t *find_page(const struct tfr_bins *b, const struct layout *layout, unsigned key)
{
	unsigned place = b->place ? b->place[key] : 0;

	return place ? b->pages + (size_t)(place - 1) * layout->width : NULL;
}

static uint64_t *new_page(struct tfr_bins *b, const struct layout *layout, unsigned key)
{
	size_t size = layout->width * sizeof(uint64_t);
	uint64_t *page;

	if (!b->place)
		b->place = calloc(layout->keys, sizeof(*b->place));
	if (!b->place)
		return NULL;
	if (tfr_array_one_more(&b->pages, b->n, size))
		return NULL;
	page = memset(b->pages + (size_t)b->n * layout->width, 0, size);
	b->place[key] = (uint16_t)++b->n;
	return page;
}

/* The page of a key, initially all zero.  NULL: out of memory. */
static uint64_t *get_page(struct tfr_bins *b, const struct layout *layout, unsigned key)
{
	uint64_t *page = find_page(b, layout, key);

	return page ? page : new_page(b, layout, key);
}

static size_t bins_bytes(const struct tfr_bins *b, const struct layout *layout)
{
	return b->place ? layout->keys * sizeof(*b->place) +
				  (size_t)b->n * layout->width * sizeof(*b->pages)
			: 0;
}

/* After the counters, the words are numbers of 128 bits. */
static void add_page(uint64_t *page, const uint64_t *add, unsigned width)
{
	unsigned i = 0;

	assert(width >= PAGE && (width - PAGE) % 2 == 0);
	for (; i < PAGE; i++)
		page[i] += add[i];
	for (; i < width; i += 2)
		page[i + 1] += add[i + 1] + __builtin_add_overflow(page[i], add[i], &page[i]);
}

static bool merge_bins(
	struct tfr_bins *into, const struct tfr_bins *from, const struct layout *layout)
{
	for (unsigned key = 0; key < layout->keys; key++) {
		const uint64_t *add = find_page(from, layout, key);
		uint64_t *page = add ? get_page(into, layout, key) : NULL;

		if (add && !page)
			return false;
		if (add)
			add_page(page, add, layout->width);
	}
	return true;
}

static void clear_bins(struct tfr_bins *b)
{
	free(b->place);
	free(b->pages);
	*b = (struct tfr_bins){ 0 };
}

/* Reads a page, which comes after those that were read. */
static uint64_t *read_page(
	struct tfr_bins *b, const struct layout *layout, uint64_t key, struct tfr_state *state)
{
	uint64_t *page;

	state->bad |= key >= layout->keys || find_page(b, layout, (unsigned)key);
	if (state->bad)
		return NULL;
	page = get_page(b, layout, (unsigned)key);
	state->bad |= !page;
	state->no_memory |= !page;
	return page;
}

/* Returns the sum of all counters. */
static uint64_t bins_state(struct tfr_bins *b, const struct layout *layout, struct tfr_state *state)
{
	uint64_t pages = b->n, key = 0, counted = 0;

	tfr_state_below(state, &pages, layout->keys);
	for (uint64_t i = 0; i < pages && !state->bad; i++) {
		uint64_t distance = i != 0, *page;

		while (!state->in && !find_page(b, layout, (unsigned)(key + distance)))
			distance++;
		tfr_state_below(state, &distance, layout->keys);
		key += distance;
		page = state->in ? read_page(b, layout, key, state)
				 : find_page(b, layout, (unsigned)key);
		for (unsigned k = 0; page && k < layout->width; k++) {
			tfr_state_u64(state, &page[k]);
			if (k < PAGE)
				state->bad |= __builtin_add_overflow(counted, page[k], &counted);
		}
	}
	return counted;
}

/* Appends the non-empty bins, ascending: negative numbers come first, from the largest magnitude
 * down. */
static bool list_bins(const struct tfr_bins *b, const struct layout *layout, struct tfr_buf *bins)
{
	unsigned half = layout->keys / 2;

	for (unsigned at = 0; at < layout->keys; at++) {
		bool minus = at < half;
		unsigned key = minus ? half - 1 - at : at - half;
		const uint64_t *page = find_page(b, layout, minus ? half + key : key);

		for (unsigned n = 0; page && n < PAGE; n++) {
			unsigned i = minus ? PAGE - 1 - n : n;
			struct tfr_bin bin = layout->bin(key, i);

			if (minus)
				bin = (struct tfr_bin){ -bin.high, -bin.low, 0 };
			bin.count = page[i];
			if (bin.count && !tfr_buf_append(bins, &bin, sizeof(bin)))
				return false;
		}
	}
	return true;
}

/* ---- int64s ---- */

enum { EXACT_BITS = 6, PAGES = 64 - EXACT_BITS + 1, INT64_KEYS = 2 * PAGES };

static struct tfr_bin int64_bin(unsigned key, unsigned i)
{
	unsigned shift = key ? key - 1 : 0;
	double low = ldexp(key ? PAGE + i : i, (int)shift);

	return (struct tfr_bin){ low, key ? low + ldexp(1, (int)shift) - 1 : low, 0 };
}

static const struct layout int64_layout = { INT64_KEYS, PAGE, int64_bin };

static uint64_t amount(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

bool tfr_series_add(struct tfr_series *s, int64_t value)
{
	uint64_t m = amount(value);
	unsigned shift = m >> EXACT_BITS ? 64 - EXACT_BITS - 1 - (unsigned)__builtin_clzll(m) : 0;
	unsigned key = m >> EXACT_BITS ? shift + 1 : 0;
	uint64_t *page = get_page(&s->bins, &int64_layout, value < 0 ? PAGES + key : key);

	if (!page)
		return false;
	page[m >> shift & (PAGE - 1)]++;
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
	if (!merge_bins(&into->bins, &from->bins, &int64_layout))
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
	clear_bins(&s->bins);
	*s = (struct tfr_series){ 0 };
}

size_t tfr_series_bytes(const struct tfr_series *s)
{
	return bins_bytes(&s->bins, &int64_layout);
}

void tfr_series_state(struct tfr_series *s, struct tfr_state *state)
{
	tfr_state_below(state, &s->count, COUNT_MAX);
	if (!s->count)
		return;
	tfr_state_i64(state, &s->min);
	tfr_state_i64(state, &s->max);
	tfr_state_u128(state, (tfr_u128 *)&s->sum);
	tfr_state_u128(state, &s->squares);
	/* The squares of n numbers add up to at most n * 2^126. */
	tfr_state_below(state, &s->squares_high, s->count >> 2);
	state->bad |= bins_state(&s->bins, &int64_layout, state) != s->count || s->min > s->max ||
		      s->sum > (__int128)s->count * INT64_MAX ||
		      s->sum < (__int128)s->count * INT64_MIN;
}

/* Integers x about the integer `base` that is next to their mean, base + rest. */
struct centred {
	double base, rest;
	double spread; /* the sum of the squares of x - mean, within 2^-50 of it */
};

/* With m for the base and S for the sum, the squares of x - m add up to Q - m (2 S - n m), an
 * integer that is computed without rounding.  Since each x - m is an integer, they add up to at
 * least |S - n m|, and moving them from the base to the mean takes away less than half.
 *
 * `squares_high` has the bits from 128 on of the sum of squares; the count is not 0. */
static struct centred centre(uint64_t count, __int128 sum, tfr_u128 squares, uint64_t squares_high)
{
	__int128 n = count, half = sum < 0 ? -(n / 2) : n / 2, base = (sum + half) / n;
	__int128 rest = sum - base * n, twice = sum + rest; /* 2 S - n m */
	uint64_t m = (uint64_t)(base < 0 ? -base : base);
	tfr_u128 t = twice < 0 ? 0 - (tfr_u128)twice : (tfr_u128)twice;
	tfr_u128 low = (tfr_u128)(uint64_t)t * m, high = (t >> 64) * m + (low >> 64);
	struct centred c = { (double)base, (double)rest / (double)count, 0 };

	low = high << 64 | (uint64_t)low;
	squares_high -= (uint64_t)(high >> 64) + (squares < low);
	c.spread = ldexp((double)squares_high, 128) + (double)(squares - low);
	c.spread = fmax(c.spread - (double)rest * c.rest, 0); /* negative only if forged */
	return c;
}

struct tfr_summary tfr_series_sum_up(const struct tfr_series *s)
{
	struct centred c;

	if (!s->count)
		return (struct tfr_summary){ 0 };
	c = centre(s->count, s->sum, s->squares, s->squares_high);
	return (struct tfr_summary){ s->count, c.base + c.rest, sqrt(c.spread / (double)s->count) };
}

bool tfr_series_bins(const struct tfr_series *s, struct tfr_buf *bins)
{
	return list_bins(&s->bins, &int64_layout, bins);
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

/* Walks over the bins of both sides in parallel. */
double tfr_bins_distance(const struct tfr_distribution *a, const struct tfr_distribution *b)
{
	uint64_t below[2] = { 0 };
	double most = 0;

	if (!a->count || !b->count)
		return 0;
	for (size_t i = 0, k = 0; i < a->bin_count || k < b->bin_count;) {
		double low = INFINITY;

		if (i < a->bin_count)
			low = a->bins[i].low;
		if (k < b->bin_count && b->bins[k].low < low)
			low = b->bins[k].low;
		if (i < a->bin_count && a->bins[i].low == low)
			below[0] += a->bins[i++].count;
		if (k < b->bin_count && b->bins[k].low == low)
			below[1] += b->bins[k++].count;
		most = fmax(most, fabs((double)below[0] / (double)a->count -
					  (double)below[1] / (double)b->count));
	}
	return most;
}

/* ---- floats ---- */

enum {
	EXPONENTS = 255, /* finite ones */
	FLOAT_KEYS = 2 * 256,
	SUM = PAGE,
	SQUARES = SUM + 2,
	WIDTH = SQUARES + 2,
	FRACTION = 0x7fffff,
	LEAST = -149, /* the power of two of the last bit of the smallest floats */
};

static uint32_t bits_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	return bits;
}

static float float_of(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, 4);
	return v;
}

static struct tfr_bin float_bin(unsigned key, unsigned i)
{
	uint32_t low = key << 23 | i << 17;

	return (struct tfr_bin){ float_of(low), float_of(low | 0x1ffff), 0 };
}

static const struct layout float_layout = { FLOAT_KEYS, WIDTH, float_bin };

static bool add_odd(struct tfr_floats *s, float value)
{
	if (value != value)
		s->nan++;
	else if (value > 0)
		s->infinite++;
	else
		s->minus_infinite++;
	return true;
}

bool tfr_floats_add(struct tfr_floats *s, float value)
{
	/* With two zeros, the order would decide which is the minimum. */
	uint32_t bits = bits_of(value + 0.0f), exponent = bits >> 23 & 0xff;
	uint64_t mantissa = (bits & FRACTION) | (exponent ? FRACTION + 1 : 0);
	uint64_t *page;

	if (exponent == EXPONENTS)
		return add_odd(s, value);
	page = get_page(&s->bins, &float_layout, bits >> 23);
	if (!page)
		return false;
	page[bits >> 17 & (PAGE - 1)]++;
	page[SUM + 1] += __builtin_add_overflow(page[SUM], mantissa, &page[SUM]);
	page[SQUARES + 1] +=
		__builtin_add_overflow(page[SQUARES], mantissa * mantissa, &page[SQUARES]);
	if (!s->count || value < s->min)
		s->min = value + 0.0f;
	if (!s->count || value > s->max)
		s->max = value + 0.0f;
	s->count++;
	return true;
}

bool tfr_floats_merge(struct tfr_floats *into, const struct tfr_floats *from)
{
	if (!merge_bins(&into->bins, &from->bins, &float_layout))
		return false;
	if (from->count && (!into->count || from->min < into->min))
		into->min = from->min;
	if (from->count && (!into->count || from->max > into->max))
		into->max = from->max;
	into->count += from->count;
	into->nan += from->nan;
	into->infinite += from->infinite;
	into->minus_infinite += from->minus_infinite;
	return true;
}

void tfr_floats_clear(struct tfr_floats *s)
{
	clear_bins(&s->bins);
	*s = (struct tfr_floats){ 0 };
}

size_t tfr_floats_bytes(const struct tfr_floats *s)
{
	return bins_bytes(&s->bins, &float_layout);
}

/* Bounds the sums to those of finite floats, so nothing overflows: a page of n values has sums of
 * at most n * 2^24 and n * 2^48. */
static bool plausible(const struct tfr_floats *s)
{
	for (unsigned key = 0; key < FLOAT_KEYS; key++) {
		const uint64_t *page = find_page(&s->bins, &float_layout, key);

		if (page && (page[SUM + 1] >> 24 || page[SQUARES + 1] >> 48 ||
				    (key & 0xff) == EXPONENTS))
			return false;
	}
	return isfinite(s->min) && isfinite(s->max) && s->min <= s->max;
}

void tfr_floats_state(struct tfr_floats *s, struct tfr_state *state)
{
	uint64_t min = bits_of(s->min), max = bits_of(s->max);

	tfr_state_below(state, &s->count, COUNT_MAX);
	tfr_state_u64(state, &s->nan);
	tfr_state_u64(state, &s->infinite);
	tfr_state_u64(state, &s->minus_infinite);
	if (!s->count)
		return;
	tfr_state_below(state, &min, UINT32_MAX);
	tfr_state_below(state, &max, UINT32_MAX);
	s->min = float_of((uint32_t)min);
	s->max = float_of((uint32_t)max);
	state->bad |= bins_state(&s->bins, &float_layout, state) != s->count || !plausible(s);
}

/* The floats of one exponent, of either sign, as integers times `unit`. */
struct group {
	uint64_t count;
	__int128 sum;
	tfr_u128 squares;
	double unit;
};

static struct group find_group(const struct tfr_floats *s, unsigned exponent)
{
	/* Subnormal floats have the unit of exponent 1. */
	struct group g = { .unit = ldexp(1, LEAST + (int)exponent - (exponent != 0)) };

	for (unsigned minus = 0; minus < 2; minus++) {
		const uint64_t *page = find_page(&s->bins, &float_layout, exponent | minus << 8);
		__int128 sum;

		if (!page)
			continue;
		for (unsigned i = 0; i < PAGE; i++)
			g.count += page[i];
		sum = (__int128)(page[SUM] | (tfr_u128)page[SUM + 1] << 64);
		g.sum += minus ? -sum : sum;
		g.squares += page[SQUARES] | (tfr_u128)page[SQUARES + 1] << 64;
	}
	return g;
}

/* Keeps the rounding error of the addition (Neumaier 1974). */
static void add_compensated(double *sum, double *error, double v)
{
	double old = *sum;

	*sum += v;
	*error += fabs(old) >= fabs(v) ? (old - *sum) + v : (v - *sum) + old;
}

struct tfr_summary tfr_floats_sum_up(const struct tfr_floats *s)
{
	double n = (double)s->count, sum = 0, error = 0, mean, rest, spread = 0;

	if (!s->count)
		return (struct tfr_summary){ 0 };
	/* From the largest exponent down: large values that cancel leave no rounding errors. The
	 * sum of a group has below 90 bits, which two doubles hold. */
	for (unsigned exponent = EXPONENTS; exponent--;) {
		struct group g = find_group(s, exponent);
		double high = (double)g.sum;

		add_compensated(&sum, &error, high * g.unit);
		add_compensated(&sum, &error, (double)(g.sum - (__int128)high) * g.unit);
	}
	mean = (sum + error) / n;
	rest = (fma(-mean, n, sum) + error) / n;
	for (unsigned exponent = 0; exponent < EXPONENTS; exponent++) {
		struct group g = find_group(s, exponent);
		struct centred c;
		double off;

		if (!g.count)
			continue;
		c = centre(g.count, g.sum, g.squares, 0);
		off = (c.base * g.unit - mean) + (c.rest * g.unit - rest);
		spread += c.spread * g.unit * g.unit + (double)g.count * off * off;
	}
	return (struct tfr_summary){ s->count, mean, sqrt(spread / n) };
}

bool tfr_floats_bins(const struct tfr_floats *s, struct tfr_buf *bins)
{
	return list_bins(&s->bins, &float_layout, bins);
}
