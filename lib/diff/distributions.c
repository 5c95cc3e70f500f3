/* diff/distributions.c - compares the statistics of two surveys, feature by feature.
 *
 * Bins and sketches have the same layout for every data set, so those of two surveys can be
 * compared directly. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/diff.h>

#include "base/error.h"
#include "diff/distance.h"
#include "inspect/schema/emit.h"

enum { FORMS = 4 }; /* forms of a float: finite, NaN, infinite, -infinite */

struct run {
	const struct tfr_survey *sides[2];
	const struct tfr_surveyed *f[2]; /* NULL: the side lacks it */
	struct tfr_feature_stats stats[2];
	struct tfr_diff_values v;
	struct tfr_top *tops;
	enum tfr_status status;
	struct tfr_error *err;
};

const char *tfr_diff_measure_name(enum tfr_diff_measure measure)
{
	return measure == TFR_L_INFINITY ? "l-infinity" : "kolmogorov-smirnov";
}

static struct tfr_diff_aspect *add(
	struct run *r, const char *of, enum tfr_diff_measure measure, double distance)
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

/* Adds categories, each of which has a name. */
static void add_categories(struct run *r, const char *of, const uint64_t *a, const uint64_t *b,
	size_t n, const char *(*name)(size_t i))
{
	struct tfr_diff_aspect *aspect;
	uint64_t all[2] = { 0 };
	size_t which;
	double distance = tfr_distance_max(a, b, n, &which);

	for (size_t i = 0; i < n; i++) {
		all[0] += a[i];
		all[1] += b[i];
	}
	if (!all[0] || !all[1])
		return;
	aspect = add(r, of, TFR_L_INFINITY, distance);
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
static void look_at_values(struct run *r, unsigned side, struct tfr_diff_aspect *aspect)
{
	const struct tfr_values *mine = r->f[side]->values, *other = r->f[!side]->values;
	bool exact = tfr_tops_distinct(mine->tops) != UINT64_MAX;
	uint64_t least = exact ? 1 : (r->stats[side].values - mine->too_long) / 512 + 1;
	size_t n = tfr_tops_list(mine->tops, false, least, r->tops, TFR_TOPS_EXACT);

	if (n == SIZE_MAX) {
		r->status = tfr_fail_nomem(r->err, "comparing distributions");
		return;
	}
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
}

static void compare_single(struct run *r)
{
	struct tfr_diff_aspect found = { .which = "longer than 256 bytes" };

	for (unsigned side = 0; side < 2; side++)
		found.shares[side] = share(r->f[side]->values->too_long, r->stats[side].values);
	found.distance = fabs(found.shares[0] - found.shares[1]);
	look_at_values(r, 0, &found);
	look_at_values(r, 1, &found);
	found.of = "values";
	found.measure = TFR_L_INFINITY;
	*add(r, "values", TFR_L_INFINITY, found.distance) = found;
}

/* --- a feature --- */

static void compare_numbers(struct run *r, const char *of, const struct tfr_distribution *a,
	const struct tfr_distribution *b)
{
	if (a->count && b->count)
		add(r, of, TFR_KOLMOGOROV_SMIRNOV, tfr_distance_ks(a, b));
}

static void compare_presence(struct run *r)
{
	double shares[2];
	struct tfr_diff_aspect *a;

	for (unsigned side = 0; side < 2; side++)
		shares[side] =
			share(r->f[side] ? r->f[side]->facts.records : 0, r->sides[side]->records);
	a = add(r, "presence", TFR_L_INFINITY, fabs(shares[0] - shares[1]));
	a->which = "present";
	memcpy(a->shares, shares, sizeof(shares));
}

static void compare_floats(struct run *r)
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

static void compare_values(struct run *r)
{
	const struct tfr_feature_stats *a = &r->stats[0], *b = &r->stats[1];
	bool bytes = a->kind == TFR_KIND_BYTES;

	compare_numbers(r, "length", &a->length, &b->length);
	compare_numbers(r, bytes ? "sizes" : "numbers", &a->numbers, &b->numbers);
	if (a->kind == TFR_KIND_FLOAT)
		compare_floats(r);
	else if (a->values && b->values)
		compare_single(r);
	if (!bytes)
		return;
	add_categories(r, "contents", a->contents, b->contents, TFR_CONTENTS, content_name);
	add_categories(r, "formats", a->formats, b->formats, TFR_FORMATS, format_name);
	compare_numbers(r, "width", &a->width, &b->width);
	compare_numbers(r, "height", &a->height, &b->height);
}

static enum tfr_status sum_up(struct run *r)
{
	for (unsigned side = 0; side < 2; side++) {
		size_t i = 0;

		while (r->sides[side]->list[i] != r->f[side])
			i++;
		assert(i < r->sides[side]->n);
		r->status = tfr_survey_feature(r->sides[side], i, &r->stats[side], r->err);
		if (r->status)
			return r->status;
	}
	return TFR_OK;
}

static void compare_feature(struct run *r, const struct tfr_surveyed *f,
	void (*tell)(void *ctx, const struct tfr_diff_values *v), void *ctx)
{
	struct tfr_buf name = { 0 };

	r->v = (struct tfr_diff_values){ .kind = f->kind };
	compare_presence(r);
	if (!tfr_survey_name(&name, f) || !tfr_buf_append(&name, "", 1))
		r->status = tfr_fail_nomem(r->err, "comparing distributions");
	if (!r->status && r->f[0] && r->f[1] && f->kind && !sum_up(r))
		compare_values(r);
	r->v.feature = (const char *)name.data;
	if (!r->status)
		tell(ctx, &r->v);
	tfr_feature_stats_clear(&r->stats[0]);
	tfr_feature_stats_clear(&r->stats[1]);
	tfr_buf_clear(&name);
}

/* --- all features --- */

static void compare_sizes(
	struct run *r, void (*tell)(void *ctx, const struct tfr_diff_values *v), void *ctx)
{
	struct tfr_distribution d[2] = { 0 };

	for (unsigned side = 0; !r->status && side < 2; side++)
		r->status = tfr_survey_sizes(r->sides[side], &d[side], r->err);
	if (!r->status) {
		compare_numbers(r, "sizes", &d[0], &d[1]);
		tell(ctx, &r->v);
	}
	free(d[0].bins);
	free(d[1].bins);
}

static void compare_features(
	struct run *r, void (*tell)(void *ctx, const struct tfr_diff_values *v), void *ctx)
{
	const struct tfr_survey *a = r->sides[0], *b = r->sides[1];

	for (size_t i = 0, k = 0; !r->status && (i < a->n || k < b->n);) {
		const struct tfr_surveyed *x = i < a->n ? a->list[i] : NULL;
		const struct tfr_surveyed *y = k < b->n ? b->list[k] : NULL;
		int c = x && y ? tfr_survey_compare(x, y->name, y->size, y->kind) : x ? -1 : 1;

		r->f[0] = c <= 0 ? x : NULL;
		r->f[1] = c >= 0 ? y : NULL;
		i += c <= 0;
		k += c >= 0;
		compare_feature(r, c <= 0 ? x : y, tell, ctx);
	}
}

enum tfr_status tfr_diff_distributions(const struct tfr_survey *const sides[2],
	void (*tell)(void *ctx, const struct tfr_diff_values *v), void *ctx, struct tfr_error *err)
{
	struct run r = { .sides = { sides[0], sides[1] },
		.tops = calloc(TFR_TOPS_EXACT, sizeof(*r.tops)),
		.err = err };

	TFR_NEED_MEMORY(r.tops, err, "comparing distributions");
	compare_sizes(&r, tell, ctx);
	compare_features(&r, tell, ctx);
	free(r.tops);
	return r.status;
}
