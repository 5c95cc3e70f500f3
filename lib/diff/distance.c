/* diff/distance.c - walks over the counts of both sides in parallel. */
#include "diff/distance.h"

#include <math.h>

static double share(uint64_t n, uint64_t of)
{
	return (double)n / (double)of;
}

double tfr_distance_ks(const struct tfr_distribution *a, const struct tfr_distribution *b)
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
		most = fmax(most, fabs(share(below[0], a->count) - share(below[1], b->count)));
	}
	return most;
}

double tfr_distance_max(const uint64_t *a, const uint64_t *b, size_t n, size_t *which)
{
	uint64_t all[2] = { 0 };
	double most = 0;

	*which = 0;
	for (size_t i = 0; i < n; i++) {
		all[0] += a[i];
		all[1] += b[i];
	}
	for (size_t i = 0; all[0] && all[1] && i < n; i++) {
		double d = fabs(share(a[i], all[0]) - share(b[i], all[1]));

		if (d > most) {
			most = d;
			*which = i;
		}
	}
	return most;
}
