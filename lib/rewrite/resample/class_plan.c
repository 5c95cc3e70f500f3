/* rewrite/resample/class_plan.c - computes the records to take of each class, from counts and a
 * target. */
#include <stdlib.h>

#include "base/error.h"
#include "rewrite/resample/quota.h"
#include "rewrite/resample/resample.h"

static enum tfr_status refuse_size(struct tfr_resampling *r, uint64_t largest, size_t scarcest,
	const uint64_t *records, struct tfr_error *err)
{
	struct tfr_counted_class class;
	char text[TFR_CLASS_TEXT];

	if (scarcest == r->classes.n)
		return tfr_fail(err, TFR_EDATA,
			"a size of %llu cannot be had: no record has a class",
			(unsigned long long)r->o->size);
	class = tfr_classes_at(&r->classes, scarcest);
	tfr_fail(err, TFR_EDATA,
		"a size of %llu cannot be had: the largest that the target allows is %llu, since "
		"class "
		"'%s' has %llu",
		(unsigned long long)r->o->size, (unsigned long long)largest,
		tfr_class_text(&r->classing, &class, text), (unsigned long long)records[scarcest]);
	tfr_error_hint(err, "With --method oversample records are repeated.");
	return TFR_EDATA;
}

/* The size: the requested one, or the one that the method derives from the counts. */
static enum tfr_status choose_size(struct tfr_resampling *r, const struct tfr_shares *shares,
	const uint64_t *records, struct tfr_error *err)
{
	uint64_t largest;
	size_t scarcest;

	r->size = r->o->size;
	largest = tfr_shares_largest(shares, records, &scarcest);
	if (r->o->method == TFR_RESAMPLE_EXACT) {
		if (r->size > largest)
			return refuse_size(r, largest, scarcest, records, err);
		r->size = r->size ? r->size : largest;
	} else {
		if (r->size && scarcest == r->classes.n)
			return refuse_size(r, largest, scarcest, records, err);
		r->size = r->size ? r->size : tfr_shares_covering(shares, records);
	}
	if (r->size <= TFR_QUOTA_MAX)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "the size would be more than %llu records",
		(unsigned long long)TFR_QUOTA_MAX);
	tfr_error_hint(err, "Give a smaller --total N.");
	return TFR_EUSAGE;
}

static enum tfr_status divide_size(
	struct tfr_resampling *r, const uint64_t *records, uint64_t *quotas, struct tfr_error *err)
{
	size_t n = r->classes.n;
	TFR_AUTO_FREE double *weights = calloc(n + 1, sizeof(*weights));
	struct tfr_shares shares = { 0 };
	enum tfr_status status;

	if (!weights)
		return tfr_fail_nomem(err, "planning");
	status = tfr_target_weights(&r->target, &r->classing, &r->classes, weights, err);
	for (size_t i = 0; i < n; i++)
		r->plans[i].weight = weights[i];
	if (!status)
		status = tfr_shares_open(&shares, weights, n, err);
	if (!status)
		status = choose_size(r, &shares, records, err);
	if (!status)
		status = tfr_shares_divide(&shares, r->size,
			r->o->method == TFR_RESAMPLE_EXACT ? records : NULL, quotas, err);
	tfr_shares_clear(&shares);
	return status;
}

/* The same number of records of each class.  If records are not repeated, the smallest class
 * must have enough. */
static enum tfr_status divide_evenly(
	struct tfr_resampling *r, const uint64_t *records, uint64_t *quotas, struct tfr_error *err)
{
	size_t scarcest = 0;
	struct tfr_counted_class class;
	char text[TFR_CLASS_TEXT];

	for (size_t i = 0; i < r->classes.n; i++) {
		r->plans[i].weight = 1;
		quotas[i] = r->o->per_class;
		scarcest = records[i] < records[scarcest] ? i : scarcest;
	}
	if (r->o->per_class > TFR_QUOTA_MAX / (r->classes.n + 1))
		return tfr_fail(err, TFR_EUSAGE, "the size would be more than %llu records",
			(unsigned long long)TFR_QUOTA_MAX);
	r->size = r->o->per_class * r->classes.n;
	if (r->o->method == TFR_RESAMPLE_OVERSAMPLE || !r->classes.n ||
		records[scarcest] >= r->o->per_class)
		return TFR_OK;
	class = tfr_classes_at(&r->classes, scarcest);
	tfr_fail(err, TFR_EDATA, "class '%s' has %llu records, not the %llu wanted of each class",
		tfr_class_text(&r->classing, &class, text), (unsigned long long)records[scarcest],
		(unsigned long long)r->o->per_class);
	tfr_error_hint(err, "With --method oversample records are repeated.");
	return TFR_EDATA;
}

/* Computes quotas, and from them the copies of each record of a class. */
enum tfr_status tfr_resample_plan(struct tfr_resampling *r, struct tfr_error *err)
{
	size_t n = r->classes.n;
	TFR_AUTO_FREE uint64_t *records = calloc(2 * n + 1, sizeof(*records));
	uint64_t *quotas = records + n;
	enum tfr_status status;

	r->plans = calloc(n + 1, sizeof(*r->plans));
	if (!records || !r->plans)
		return tfr_fail_nomem(err, "planning");
	for (size_t i = 0; i < n; i++)
		records[i] = r->classes.items[i].records;
	if (r->o->per_class)
		status = divide_evenly(r, records, quotas, err);
	else
		status = divide_size(r, records, quotas, err);
	for (size_t i = 0; !status && i < n; i++) {
		struct tfr_class_plan *p = &r->plans[i];

		p->unseen = records[i];
		p->whole = quotas[i] / records[i];
		p->wanted = quotas[i] % records[i];
	}
	return status;
}
