/* rewrite/resample/quota.c - computes sizes and quotas with 128-bit integers.
 *
 * Weights such as 0.1 are not exact in binary: the share of a class may differ slightly from the
 * intended one.  Bounds on sizes therefore have a tolerance of 2^-48, so that 100, 200 and 700
 * records for 0.1, 0.2 and 0.7 give 1000 and not 999. */
#include "rewrite/resample/resample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

enum { WEIGHT_BITS = 52, SPARE_BITS = 48 };

enum tfr_status tfr_quotas_open(
	struct tfr_quotas *s, const double *weights, size_t n, struct tfr_error *err)
{
	*s = (struct tfr_quotas){ .weights = calloc(n + 1, sizeof(*s->weights)), .n = n };
	TFR_NEED_MEMORY(s->weights, err, "dividing among classes");
	for (size_t i = 0; i < n; i++) {
		assert(weights[i] >= 0 && weights[i] < 2);
		s->weights[i] = (uint64_t)ldexp(weights[i], WEIGHT_BITS);
		if (!s->weights[i] && weights[i] > 0)
			s->weights[i] = 1; /* the class is wanted, however small its share */
		s->sum += s->weights[i];
	}
	return TFR_OK;
}

void tfr_quotas_clear(struct tfr_quotas *s)
{
	free(s->weights);
	*s = (struct tfr_quotas){ 0 };
}

uint64_t tfr_quotas_largest(const struct tfr_quotas *s, const uint64_t *records, size_t *scarcest)
{
	wide largest = TFR_QUOTA_MAX, there = 0;

	*scarcest = s->n;
	for (size_t i = 0; i < s->n; i++) {
		wide allows;

		if (!s->weights[i])
			continue;
		there += records[i];
		allows = records[i] * (s->sum + (s->sum >> SPARE_BITS)) / s->weights[i];
		if (allows < largest || *scarcest == s->n) {
			*scarcest = i;
			largest = allows < largest ? allows : largest;
		}
	}
	return (uint64_t)(there < largest ? there : largest);
}

uint64_t tfr_quotas_covering(const struct tfr_quotas *s, const uint64_t *records)
{
	wide covering = 0;

	for (size_t i = 0; i < s->n; i++) {
		wide wants;

		if (!s->weights[i] || !records[i])
			continue;
		wants = records[i] * (s->sum - (s->sum >> SPARE_BITS));
		wants = (wants + s->weights[i] - 1) / s->weights[i];
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

enum tfr_status tfr_quotas_divide(const struct tfr_quotas *s, uint64_t size, const uint64_t *most,
	uint64_t *quotas, struct tfr_error *err)
{
	TFR_AUTO_FREE struct remainder *order = calloc(s->n + 1, sizeof(*order));
	uint64_t left = size, left_before;

	TFR_NEED_MEMORY(order, err, "dividing among classes");
	for (size_t i = 0; i < s->n; i++) {
		wide share = s->sum ? (wide)size * s->weights[i] : 0;

		quotas[i] = s->sum ? (uint64_t)(share / s->sum) : 0;
		if (most && quotas[i] > most[i])
			quotas[i] = most[i];
		order[i] = (struct remainder){ s->sum ? share % s->sum : 0, i };
		left -= quotas[i];
	}
	qsort(order, s->n, sizeof(*order), by_remainder);
	do { /* repeats only if `most` kept the first classes in order from taking a record */
		left_before = left;
		for (size_t k = 0; k < s->n && left; k++) {
			size_t i = order[k].class;

			if (!s->weights[i] || (most && quotas[i] >= most[i]))
				continue;
			quotas[i]++;
			left--;
		}
	} while (left && left < left_before);
	return TFR_OK;
}
