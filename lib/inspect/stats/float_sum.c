/* inspect/stats/float_sum.c - sums floats page by page.
 *
 * A page is a sign and an exponent, so its mantissas are integers of one unit.  They and their
 * squares add up in 128 bits, without rounding.  The words of a page are its 64 counters, the sum
 * of the mantissas, and the sum of their squares.  At the end the pages are added in a fixed order,
 * with compensation. */
#include "inspect/stats/int64_sum.h"

#include <math.h>
#include <string.h>

enum {
	EXPONENTS = 255, /* finite ones */
	KEYS = 2 * 256,
	SUM = TFR_BINS_PAGE,
	SQUARES = SUM + 2,
	WIDTH = SQUARES + 2,
	FRACTION = 0x7fffff,
	LEAST = -149, /* the power of two of the last bit of the smallest floats */
};

static const struct tfr_bins_layout layout = { KEYS, WIDTH };

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
	page = tfr_bins_page(&s->bins, &layout, bits >> 23);
	if (!page)
		return false;
	page[bits >> 17 & (TFR_BINS_PAGE - 1)]++;
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
	if (!tfr_bins_merge(&into->bins, &from->bins, &layout))
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
	tfr_bins_clear(&s->bins);
	*s = (struct tfr_floats){ 0 };
}

size_t tfr_floats_bytes(const struct tfr_floats *s)
{
	return tfr_bins_bytes(&s->bins, &layout);
}

/* Bounds the sums to those of finite floats, so nothing overflows: a page of n values has sums of
 * at most n * 2^24 and n * 2^48. */
static bool plausible(const struct tfr_floats *s)
{
	for (unsigned key = 0; key < KEYS; key++) {
		const uint64_t *page = tfr_bins_find(&s->bins, &layout, key);

		if (page && (page[SUM + 1] >> 24 || page[SQUARES + 1] >> 48 ||
				    (key & 0xff) == EXPONENTS))
			return false;
	}
	return isfinite(s->min) && isfinite(s->max) && s->min <= s->max;
}

void tfr_floats_state(struct tfr_floats *s, struct tfr_state *state)
{
	uint64_t min = bits_of(s->min), max = bits_of(s->max);

	tfr_state_below(state, &s->count, TFR_COUNT_MAX);
	tfr_state_u64(state, &s->nan);
	tfr_state_u64(state, &s->infinite);
	tfr_state_u64(state, &s->minus_infinite);
	if (!s->count)
		return;
	tfr_state_below(state, &min, UINT32_MAX);
	tfr_state_below(state, &max, UINT32_MAX);
	s->min = float_of((uint32_t)min);
	s->max = float_of((uint32_t)max);
	state->bad |= tfr_bins_state(&s->bins, &layout, state) != s->count || !plausible(s);
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
		const uint64_t *page = tfr_bins_find(&s->bins, &layout, exponent | minus << 8);
		__int128 sum;

		if (!page)
			continue;
		for (unsigned i = 0; i < TFR_BINS_PAGE; i++)
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
		struct tfr_centred c;
		double off;

		if (!g.count)
			continue;
		c = tfr_centre(g.count, g.sum, g.squares, 0);
		off = (c.base * g.unit - mean) + (c.rest * g.unit - rest);
		spread += c.spread * g.unit * g.unit + (double)g.count * off * off;
	}
	return (struct tfr_summary){ s->count, mean, sqrt(spread / n) };
}

bool tfr_floats_bins(const struct tfr_floats *s, struct tfr_buf *bins)
{
	for (unsigned at = 0; at < KEYS * TFR_BINS_PAGE; at++) {
		bool minus = at < KEYS / 2 * TFR_BINS_PAGE;
		unsigned n =
			minus ? KEYS / 2 * TFR_BINS_PAGE - 1 - at : at - KEYS / 2 * TFR_BINS_PAGE;
		unsigned key = n / TFR_BINS_PAGE, i = n % TFR_BINS_PAGE;
		const uint64_t *page = tfr_bins_find(&s->bins, &layout, key | (minus ? 256 : 0));
		uint32_t low = key << 23 | i << 17;
		struct tfr_bin bin;

		if (!page || !page[i])
			continue;
		bin = (struct tfr_bin){ float_of(low), float_of(low | 0x1ffff), page[i] };
		if (minus)
			bin = (struct tfr_bin){ -bin.high, -bin.low, page[i] };
		if (!tfr_buf_append(bins, &bin, sizeof(bin)))
			return false;
	}
	return true;
}
