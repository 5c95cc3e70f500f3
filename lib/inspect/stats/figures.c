/* inspect/stats/figures.c - the figures of a survey for one feature. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inspect/stats/distinct.h"
#include "inspect/stats/frequent.h"
#include "inspect/stats/series.h"
#include "inspect/survey.h"

const double tfr_quantiles[TFR_QUANTILES] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };

/* The distribution of int64s, or of floats: the other one is NULL.  False: out of memory. */
static bool describe(
	struct tfr_distribution *d, const struct tfr_series *s, const struct tfr_floats *f)
{
	struct tfr_summary sum = s ? tfr_series_sum_up(s) : tfr_floats_sum_up(f);
	TFR_AUTO_BUF bins = { 0 };

	if (s ? !tfr_series_bins(s, &bins) : !tfr_floats_bins(f, &bins))
		return false;
	*d = (struct tfr_distribution){ .count = sum.count,
		.min = s ? (double)s->min : f->min,
		.max = s ? (double)s->max : f->max,
		.mean = sum.mean,
		.deviation = sum.deviation,
		.bins = (struct tfr_bin *)TFR_STEAL(bins.data),
		.bin_count = bins.size / sizeof(struct tfr_bin) };
	for (unsigned i = 0; d->count && i < TFR_QUANTILES; i++)
		d->quantiles[i] = tfr_bins_quantile(
			d->bins, d->bin_count, d->count, tfr_quantiles[i], d->min, d->max);
	return true;
}

enum tfr_status tfr_survey_sizes(
	const struct tfr_survey *s, struct tfr_distribution *d, struct tfr_error *err)
{
	return describe(d, &s->sizes, NULL) ? TFR_OK : tfr_fail_nomem(err, "summing up");
}

static bool list_top(struct tfr_feature_stats *f, const struct tfr_surveyed *of)
{
	struct tfr_top top[TFR_TOP_VALUES];
	uint64_t counted = f->values - of->values->too_long;

	f->top_exact = tfr_tops_distinct(of->values->tops) != UINT64_MAX;
	f->top_count = tfr_tops_list(of->values->tops, of->kind == TFR_KIND_FLOAT,
		f->top_exact ? 1 : counted / 512 + 1, top, TFR_TOP_VALUES);
	if (f->top_count == SIZE_MAX) {
		f->top_count = 0;
		return false;
	}
	for (size_t i = 0; i < f->top_count; i++) {
		uint32_t bits = (uint32_t)top[i].value.number;

		f->top[i].count = top[i].count;
		f->top[i].number = (int64_t)top[i].value.number;
		memcpy(&f->top[i].real, &bits, 4);
		f->top[i].bytes = (struct tfr_bytes){ top[i].value.text, top[i].value.size };
	}
	return true;
}

static void count_distinct(struct tfr_feature_stats *f, const struct tfr_values *values)
{
	uint64_t counted = tfr_tops_distinct(values->tops);

	f->distinct_exact = counted != UINT64_MAX && !values->too_long;
	f->distinct = f->distinct_exact ? counted
					: (uint64_t)round(tfr_distinct_estimate(&values->distinct));
	if (f->distinct > f->values)
		f->distinct = f->values;
}

static bool list_distributions(struct tfr_feature_stats *f, const struct tfr_facts *facts)
{
	bool floats = f->kind == TFR_KIND_FLOAT;

	return describe(&f->length, &facts->lengths, NULL) &&
	       describe(&f->steps, &facts->step_counts, NULL) &&
	       describe(&f->numbers, floats ? NULL : &facts->numbers, &facts->floats) &&
	       describe(&f->width, &facts->widths, NULL) &&
	       describe(&f->height, &facts->heights, NULL);
}

enum tfr_status tfr_survey_feature(
	const struct tfr_survey *s, size_t i, struct tfr_feature_stats *f, struct tfr_error *err)
{
	const struct tfr_surveyed *of = s->list[i];
	const struct tfr_facts *facts = &of->facts;
	struct tfr_buf name = { 0 };

	*f = (struct tfr_feature_stats){ .kind = of->kind,
		.records = facts->records,
		.empty = facts->empty,
		.values = facts->values,
		.bytes = facts->bytes,
		.all_steps = facts->all_steps,
		.min = facts->numbers.min,
		.max = facts->numbers.max,
		.nan = facts->floats.nan,
		.infinite = facts->floats.infinite,
		.minus_infinite = facts->floats.minus_infinite,
		.damaged = facts->damaged };
	memcpy(f->contents, facts->contents, sizeof(f->contents));
	memcpy(f->formats, facts->formats, sizeof(f->formats));
	if (tfr_survey_name(&name, of) && tfr_buf_append(&name, "", 1) &&
		list_distributions(f, facts) && (!of->values || list_top(f, of))) {
		f->name = f->memory = name.data;
		if (of->values)
			count_distinct(f, of->values);
		return TFR_OK;
	}
	f->memory = name.data;
	tfr_feature_stats_clear(f);
	return tfr_fail_nomem(err, "summing up");
}

void tfr_feature_stats_clear(struct tfr_feature_stats *f)
{
	free(f->memory);
	free(f->length.bins);
	free(f->steps.bins);
	free(f->numbers.bins);
	free(f->width.bins);
	free(f->height.bins);
	*f = (struct tfr_feature_stats){ 0 };
}
