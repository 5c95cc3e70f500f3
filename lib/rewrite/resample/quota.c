/* rewrite/resample/quota.c - computes sizes and quotas with 128-bit integers.
 *
 * Weights such as 0.1 are not exact in binary: the share of a class may differ slightly from the
 * intended one.  Bounds on sizes therefore have a tolerance of 2^-48, so that 100, 200 and 700
 * records for 0.1, 0.2 and 0.7 give 1000 and not 999. */
#include "rewrite/resample/quota.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

enum { PART_BITS = 52, SPARE_BITS = 48 };

enum tfr_status tfr_shares_open(
	struct tfr_shares *s, const double *weights, size_t n, struct tfr_error *err)
{
	*s = (struct tfr_shares){ .parts = calloc(n + 1, sizeof(*s->parts)), .n = n };
	TFR_NEED_MEMORY(s->parts, err, "dividing among classes");
	for (size_t i = 0; i < n; i++) {
		assert(weights[i] >= 0 && weights[i] < 2);
		s->parts[i] = (uint64_t)ldexp(weights[i], PART_BITS);
		if (!s->parts[i] && weights[i] > 0)
			s->parts[i] = 1; /* the class is wanted, however small its share */
		s->whole += s->parts[i];
	}
	return TFR_OK;
}

void tfr_shares_clear(struct tfr_shares *s)
{
	free(s->parts);
	*s = (struct tfr_shares){ 0 };
}

uint64_t tfr_shares_largest(const struct tfr_shares *s, const uint64_t *records, size_t *scarcest)
{
	wide largest = TFR_QUOTA_MAX, there = 0;

	*scarcest = s->n;
	for (size_t i = 0; i < s->n; i++) {
		wide allows;

		if (!s->parts[i])
			continue;
		there += records[i];
		allows = records[i] * (s->whole + (s->whole >> SPARE_BITS)) / s->parts[i];
		if (allows < largest || *scarcest == s->n) {
			*scarcest = i;
			largest = allows < largest ? allows : largest;
		}
	}
	return (uint64_t)(there < largest ? there : largest);
}

uint64_t tfr_shares_covering(const struct tfr_shares *s, const uint64_t *records)
{
	wide covering = 0;

	for (size_t i = 0; i < s->n; i++) {
		wide wants;

		if (!s->parts[i] || !records[i])
			continue;
		wants = records[i] * (s->whole - (s->whole >> SPARE_BITS));
		wants = (wants + s->parts[i] - 1) / s->parts[i];
		covering = wants > covering ? wants : covering;
	}
	return covering > TFR_QUOTA_MAX ? UINT64_MAX : (uint64_t)covering;
}

struct remainder {
	wide value;
	size_t class;
};

static int by_remainder(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

enum tfr_status tfr_shares_divide(const struct tfr_shares *s, uint64_t size, const uint64_t *most,
	uint64_t *quotas, struct tfr_error *err)
{
	struct remainder *order = calloc(s->n + 1, sizeof(*order));
	uint64_t left = size, left_before;

	TFR_NEED_MEMORY(order, err, "dividing among classes");
	for (size_t i = 0; i < s->n; i++) {
		wide share = s->whole ? (wide)size * s->parts[i] : 0;

		quotas[i] = s->whole ? (uint64_t)(share / s->whole) : 0;
		if (most && quotas[i] > most[i])
			quotas[i] = most[i];
		order[i] = (struct remainder){ s->whole ? share % s->whole : 0, i };
		left -= quotas[i];
	}
	qsort(order, s->n, sizeof(*order), by_remainder);
	do { /* repeats only if `most` kept the first classes in order from taking a record */
		left_before = left;
		for (size_t k = 0; k < s->n && left; k++) {
			size_t i = order[k].class;

			if (!s->parts[i] || (most && quotas[i] >= most[i]))
				continue;
			quotas[i]++;
			left--;
		}
	} while (left && left < left_before);
	free(order);
	return TFR_OK;
}
