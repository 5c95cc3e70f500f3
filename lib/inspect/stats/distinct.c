/* inspect/stats/distinct.c - raises the registers, and estimates the number of distinct values. */
#include "inspect/stats/distinct.h"

#include <math.h>

enum { RANKS = 64 - TFR_DISTINCT_BITS + 1 }; /* the highest */

void tfr_distinct_raise(uint8_t *reg, uint8_t to)
{
	uint8_t is = __atomic_load_n(reg, __ATOMIC_RELAXED);

	while (is < to && !__atomic_compare_exchange_n(
				  reg, &is, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void tfr_distinct_merge(struct tfr_distinct *into, const struct tfr_distinct *from)
{
	for (unsigned i = 0; i < TFR_DISTINCT_REGISTERS; i++)
		tfr_distinct_raise(&into->registers[i], from->registers[i]);
}

/* Ertl's sigma and tau, for registers that are still 0 and for registers at their maximum. */
static double sigma(double x)
{
	double y = 1, z = x, last;

	if (x == 1)
		return INFINITY;
	do {
		x *= x;
		last = z;
		z += x * y;
		y += y;
	} while (z != last);
	return z;
}

static double tau(double x)
{
	double y = 1, z = 1 - x, last;

	if (x == 0 || x == 1)
		return 0;
	do {
		x = sqrt(x);
		last = z;
		y *= 0.5;
		z -= (1 - x) * (1 - x) * y;
	} while (z != last);
	return z / 3;
}

double tfr_distinct_estimate(const struct tfr_distinct *d)
{
	double m = TFR_DISTINCT_REGISTERS, z;
	unsigned with[RANKS + 1] = { 0 };

	for (unsigned i = 0; i < TFR_DISTINCT_REGISTERS; i++)
		with[d->registers[i]]++;
	if (with[0] == TFR_DISTINCT_REGISTERS)
		return 0;
	z = m * tau(1 - with[RANKS] / m);
	for (unsigned k = RANKS - 1; k; k--)
		z = 0.5 * (z + with[k]);
	z += m * sigma(with[0] / m);
	return m * m / z / (2 * M_LN2);
}

/* Each register that is not 0: the distance to the previous one, and its rank. */
void tfr_distinct_state(struct tfr_distinct *d, struct tfr_state *s)
{
	uint64_t n = 0, at = 0;

	for (unsigned i = 0; i < TFR_DISTINCT_REGISTERS; i++)
		n += d->registers[i] != 0;
	tfr_state_below(s, &n, TFR_DISTINCT_REGISTERS);
	for (uint64_t i = 0; i < n && !s->bad; i++) {
		uint64_t to = at + (i != 0), v;

		while (!s->in && !d->registers[to])
			to++;
		v = s->in ? 0 : (to - at) << 6 | d->registers[to];
		tfr_state_below(s, &v, (uint64_t)TFR_DISTINCT_REGISTERS << 6);
		at += v >> 6;
		s->bad |= at >= TFR_DISTINCT_REGISTERS || (v & 63) > RANKS || !(v & 63);
		if (!s->bad)
			d->registers[at] = v & 63;
	}
}
