/* diff/distributions.c - compares the statistics of two surveys, feature by feature.
 *
 * Bins and sketches have the same layout for every data set, so those of two surveys can be
 * compared directly. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/diff.h>

#include "base/array.h"
#include "base/error.h"
#include "inspect/stats/frequent.h"
#include "inspect/stats/series.h"
#include "inspect/survey.h"

enum { FORMS = 4 }; /* forms of a float: finite, NaN, infinite, -infinite */

struct values_diff {
	const struct tfr_survey *sides[2];
	size_t at[2];			 /* positions in their lists */
	const struct tfr_surveyed *f[2]; /* NULL: the side lacks it */
	struct tfr_feature_stats stats[2];
	struct tfr_diff_values v;
	struct tfr_top *tops; /* room for TFR_TOPS_EXACT */
	struct tfr_diff_distributions *found;
};

const char *tfr_diff_measure_name(enum tfr_diff_measure measure)
{
	return measure == TFR_L_INFINITY ? "l-infinity" : "kolmogorov-smirnov";
}

static struct tfr_diff_aspect *add_aspect(
	struct values_diff *r, const char *of, enum tfr_diff_measure measure, double distance)
{
	struct tfr_diff_aspect *a = &r->v.aspects[r->v.count];

	assert(r->v.count < TFR_DIFF_ASPECTS);
	*a = (struct tfr_diff_aspect){ .of = of, .measure = measure, .distance = distance };
	if (!r->v.count || distance > r->v.distance) {
		r->v.distance = distance;
		r->v.largest = r->v.count;
	}
	r->v.count++;
	return a;
}

/* --- single values --- */

static double share(uint64_t n, uint64_t of)
{
	return of ? (double)n / (double)of : 0;
}

/* Adds the largest difference between the shares of categories, each of which has a name; the
 * first category, if several have it. */
static void add_categories(struct values_diff *r, const char *of, const uint64_t *a,
	const uint64_t *b, size_t n, const char *(*name)(size_t i))
{
	struct tfr_diff_aspect *aspect;
	uint64_t all[2] = { 0 };
	size_t which = 0;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		all[0] += a[i];
		all[1] += b[i];
	}
	if (!all[0] || !all[1])
		return;
	for (size_t i = 0; i < n; i++) {
		double distance = fabs(share(a[i], all[0]) - share(b[i], all[1]));

		which = distance > most ? i : which;
		most = fmax(distance, most);
	}
	aspect = add_aspect(r, of, TFR_L_INFINITY, most);
	aspect->which = name(which);
	aspect->shares[0] = share(a[which], all[0]);
	aspect->shares[1] = share(b[which], all[1]);
}

static const char *content_name(size_t i)
{
	return tfr_content_name((enum tfr_value_content)i);
}

static const char *format_name(size_t i)
{
	return tfr_image_format_name((enum tfr_image_format)i);
}

static const char *form_name(size_t i)
{
	static const char *const names[FORMS] = { "finite", "NaN", "Infinity", "-Infinity" };

	return names[i];
}

/* Compares the values that one side knows, by their counts on both sides. */
static enum tfr_status compare_tops(
	struct values_diff *r, unsigned side, struct tfr_diff_aspect *aspect, struct tfr_error *err)
{
	const struct tfr_values *mine = r->f[side]->values, *other = r->f[!side]->values;
	bool exact = tfr_tops_distinct(mine->tops) != UINT64_MAX;
	uint64_t least = exact ? 1 : (r->stats[side].values - mine->too_long) / 512 + 1;
	size_t n = tfr_tops_list(mine->tops, false, least, r->tops, TFR_TOPS_EXACT);

	TFR_NEED_MEMORY(n != SIZE_MAX, err, "comparing distributions");
	for (size_t i = 0; i < n; i++) {
		const struct tfr_top *t = &r->tops[i];
		double shares[2], distance;

		shares[side] = share(t->count, r->stats[side].values);
		shares[!side] =
			share(tfr_tops_count(other->tops, t->value.hash), r->stats[!side].values);
		distance = fabs(shares[0] - shares[1]);
		if (distance <= aspect->distance)
			continue;
		aspect->distance = distance;
		memcpy(aspect->shares, shares, sizeof(shares));
		aspect->value = (struct tfr_top_value){ .number = (int64_t)t->value.number,
			.bytes = { t->value.text, t->value.size },
			.count = t->count };
		aspect->which = NULL;
	}
	return TFR_OK;
}

static enum tfr_status compare_single(struct values_diff *r, struct tfr_error *err)
{
	struct tfr_diff_aspect found = { .which = "longer than 256 bytes" };

	for (unsigned side = 0; side < 2; side++)
		found.shares[side] = share(r->f[side]->values->too_long, r->stats[side].values);
	found.distance = fabs(found.shares[0] - found.shares[1]);
	TFR_TRY(compare_tops(r, 0, &found, err));
	TFR_TRY(compare_tops(r, 1, &found, err));
	found.of = "values";
	found.measure = TFR_L_INFINITY;
	*add_aspect(r, "values", TFR_L_INFINITY, found.distance) = found;
	return TFR_OK;
}

/* --- a feature --- */

static void compare_numbers(struct values_diff *r, const char *of, const struct tfr_distribution *a,
	const struct tfr_distribution *b)
{
	if (a->count && b->count)
		add_aspect(r, of, TFR_KOLMOGOROV_SMIRNOV, tfr_bins_distance(a, b));
}

static void compare_presence(struct values_diff *r)
{
	double shares[2];
	struct tfr_diff_aspect *a;

	for (unsigned side = 0; side < 2; side++)
		shares[side] =
			share(r->f[side] ? r->f[side]->facts.records : 0, r->sides[side]->records);
	a = add_aspect(r, "presence", TFR_L_INFINITY, fabs(shares[0] - shares[1]));
	a->which = "present";
	memcpy(a->shares, shares, sizeof(shares));
}

static void compare_floats(struct values_diff *r)
{
	uint64_t forms[2][FORMS];

	for (unsigned side = 0; side < 2; side++) {
		const struct tfr_feature_stats *s = &r->stats[side];

		memcpy(forms[side],
			(uint64_t[FORMS]){
				s->numbers.count, s->nan, s->infinite, s->minus_infinite },
			sizeof(forms[side]));
	}
	add_categories(r, "finite", forms[0], forms[1], FORMS, form_name);
}

static enum tfr_status compare_values(struct values_diff *r, struct tfr_error *err)
{
	const struct tfr_feature_stats *a = &r->stats[0], *b = &r->stats[1];
	bool bytes = a->kind == TFR_KIND_BYTES;

	compare_numbers(r, "length", &a->length, &b->length);
	compare_numbers(r, bytes ? "sizes" : "numbers", &a->numbers, &b->numbers);
	if (a->kind == TFR_KIND_FLOAT)
		compare_floats(r);
	else if (a->values && b->values)
		TFR_TRY(compare_single(r, err));
	if (!bytes)
		return TFR_OK;
	add_categories(r, "contents", a->contents, b->contents, TFR_CONTENTS, content_name);
	add_categories(r, "formats", a->formats, b->formats, TFR_FORMATS, format_name);
	compare_numbers(r, "width", &a->width, &b->width);
	compare_numbers(r, "height", &a->height, &b->height);
	return TFR_OK;
}

static enum tfr_status sum_up(struct values_diff *r, struct tfr_error *err)
{
	for (unsigned side = 0; side < 2; side++)
		TFR_TRY(tfr_survey_feature(r->sides[side], r->at[side], &r->stats[side], err));
	return TFR_OK;
}

/* Lists what was compared, if it differs; `f` NULL: the sizes of the records. */
static enum tfr_status add_values(
	struct values_diff *r, const struct tfr_surveyed *f, struct tfr_error *err)
{
	struct tfr_diff_distributions *found = r->found;
	TFR_AUTO_BUF name = { 0 };

	found->compared++;
	if (r->v.distance <= 0)
		return TFR_OK;
	TFR_NEED_MEMORY(!TFR_ARRAY_RESERVE(found->list, found->cap, found->n + 1) &&
				(!f || (tfr_survey_name(&name, f) && tfr_buf_append(&name, "", 1))),
		err, "comparing distributions");
	r->v.feature = (char *)TFR_STEAL(name.data);
	found->list[found->n++] = r->v;
	return TFR_OK;
}

/* Fills `stats`, which the caller clears. */
static enum tfr_status compare_feature(
	struct values_diff *r, const struct tfr_surveyed *f, struct tfr_error *err)
{
	r->v = (struct tfr_diff_values){ .kind = f->kind };
	compare_presence(r);
	if (r->f[0] && r->f[1] && f->kind) {
		TFR_TRY(sum_up(r, err));
		TFR_TRY(compare_values(r, err));
	}
	return add_values(r, f, err);
}

/* --- all features --- */

static enum tfr_status compare_sizes(struct values_diff *r, struct tfr_error *err)
{
	struct tfr_distribution a = { 0 }, b = { 0 };
	enum tfr_status status = tfr_survey_sizes(r->sides[0], &a, err);

	if (!status)
		status = tfr_survey_sizes(r->sides[1], &b, err);
	if (!status) {
		compare_numbers(r, "sizes", &a, &b);
		status = add_values(r, NULL, err);
	}
	free(a.bins);
	free(b.bins);
	return status;
}

static enum tfr_status compare_features(struct values_diff *r, struct tfr_error *err)
{
	const struct tfr_survey *a = r->sides[0], *b = r->sides[1];

	while (r->at[0] < a->n || r->at[1] < b->n) {
		const struct tfr_surveyed *x = r->at[0] < a->n ? a->list[r->at[0]] : NULL;
		const struct tfr_surveyed *y = r->at[1] < b->n ? b->list[r->at[1]] : NULL;
		int c = x && y ? tfr_survey_compare(x, y->name, y->size, y->kind) : x ? -1 : 1;
		enum tfr_status status;

		r->f[0] = c <= 0 ? x : NULL;
		r->f[1] = c >= 0 ? y : NULL;
		status = compare_feature(r, c <= 0 ? x : y, err);
		r->at[0] += c <= 0;
		r->at[1] += c >= 0;
		tfr_feature_stats_clear(&r->stats[0]);
		tfr_feature_stats_clear(&r->stats[1]);
		TFR_TRY(status);
	}
	return TFR_OK;
}

static int farthest_first(const void *a, const void *b)
{
	const struct tfr_diff_values *x = a, *y = b;
	int order;

	if (x->distance != y->distance)
		return x->distance > y->distance ? -1 : 1;
	if (!x->feature || !y->feature)
		return !y->feature - !x->feature;
	order = strcmp(x->feature, y->feature);
	return order ? order : (int)x->kind - (int)y->kind;
}

enum tfr_status tfr_diff_distributions(const struct tfr_survey *const sides[2],
	struct tfr_diff_distributions *found, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_top *tops = calloc(TFR_TOPS_EXACT, sizeof(*tops));
	struct values_diff r = { .sides = { sides[0], sides[1] }, .tops = tops, .found = found };

	TFR_NEED_MEMORY(tops, err, "comparing distributions");
	TFR_TRY(compare_sizes(&r, err));
	TFR_TRY(compare_features(&r, err));
	if (found->n)
		qsort(found->list, found->n, sizeof(*found->list), farthest_first);
	return TFR_OK;
}

void tfr_diff_distributions_clear(struct tfr_diff_distributions *found)
{
	for (size_t i = 0; i < found->n; i++)
		free(found->list[i].feature);
	free(found->list);
	*found = (struct tfr_diff_distributions){ 0 };
}
