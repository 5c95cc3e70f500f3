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

/* Packs each register that is not 0: the distance to the previous one, and its rank. */
void tfr_distinct_pack(const struct tfr_distinct *d, struct tfr_pack *p)
{
	unsigned last = 0, n = 0;

	for (unsigned i = 0; i < TFR_DISTINCT_REGISTERS; i++)
		n += d->registers[i] != 0;
	tfr_pack_u64(p, n);
	for (unsigned i = 0; i < TFR_DISTINCT_REGISTERS; i++) {
		if (!d->registers[i])
			continue;
		tfr_pack_u64(p, (uint64_t)(i - last) << 6 | d->registers[i]);
		last = i;
	}
}

void tfr_distinct_unpack(struct tfr_distinct *d, struct tfr_unpack *u)
{
	uint64_t n = tfr_unpack_below(u, TFR_DISTINCT_REGISTERS), at = 0;

	for (uint64_t i = 0; i < n && !u->bad; i++) {
		uint64_t v = tfr_unpack_below(u, (uint64_t)TFR_DISTINCT_REGISTERS << 6);

		at += v >> 6;
		if (at >= TFR_DISTINCT_REGISTERS || (v & 63) > RANKS || !(v & 63))
			u->bad = true;
		else
			d->registers[at] = v & 63;
	}
}
