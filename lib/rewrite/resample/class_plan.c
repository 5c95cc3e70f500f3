/* rewrite/resample/class_plan.c - computes the records to take of each class, from counts or
 * known shares and a target. */
#include <stdlib.h>

#include "base/error.h"
#include "rewrite/resample/by_class.h"
#include "rewrite/resample/class_name.h"
#include "rewrite/resample/quota.h"

/* --- the classes that `initial` names --- */

/* Whether every class is a number in canonical form. */
static bool all_numbers(const struct tfr_classes *names)
{
	int64_t number;
	bool all = true;

	for (size_t i = 0; all && i < names->n; i++) {
		struct tfr_bytes name = tfr_classes_at(names, i).text;

		all = tfr_class_number(name.data, name.size, &number);
	}
	return all;
}

static enum tfr_status add_initial(
	struct tfr_by_class *b, const struct tfr_target *initial, struct tfr_error *err)
{
	static const struct tfr_classing by_name;
	bool numbers = all_numbers(&initial->names);
	enum tfr_status status = TFR_OK;
	char text[TFR_CLASS_TEXT];

	for (size_t i = 0; !status && i < initial->names.n; i++) {
		struct tfr_counted_class name = tfr_classes_at(&initial->names, i), class = name;

		if (b->classing.names.n) {
			uint32_t at = tfr_classes_find(&b->classing.names, &name);

			if (at == TFR_CLASS_NONE)
				return tfr_fail(err, TFR_EUSAGE,
					"class '%s' of --initial is none of those that %s makes",
					tfr_class_text(&by_name, &name, text),
					b->classing.n_rules ? "--class" : "--bins");
			class = (struct tfr_counted_class){ .kind = TFR_KIND_INT64, .number = at };
		} else if (numbers) {
			class.kind = TFR_KIND_INT64;
			tfr_class_number(name.text.data, name.text.size, &class.number);
		}
		status = tfr_classes_add(&b->classes, &class, 0, NULL, err);
	}
	tfr_classes_sort(&b->classes);
	return status;
}

static enum tfr_status open_initial(
	struct tfr_by_class *b, struct tfr_target *initial, struct tfr_error *err)
{
	static const char option[] = "--initial";
	enum tfr_status status = tfr_target_open(initial, b->o->initial, option, err);

	if (!status && initial->form != TFR_TARGET_LIST)
		return tfr_fail(err, TFR_EUSAGE,
			"--initial wants a list such as '0=0.9,1=0.1' or a file, not '%s'",
			b->o->initial);
	return status ? status : add_initial(b, initial, err);
}

/* --- the plan --- */

static enum tfr_status allocate_plans(struct tfr_by_class *b, struct tfr_error *err)
{
	b->plans = calloc(b->classes.n + 1, sizeof(*b->plans));
	if (!b->plans)
		return tfr_fail_nomem(err, "planning");
	for (size_t i = 0; i < b->classes.n; i++) {
		b->plans[i].unseen = b->classes.items[i].records;
		b->plans[i].have = (double)b->classes.items[i].records;
	}
	return TFR_OK;
}

static void take_initial(struct tfr_by_class *b, const struct tfr_target *initial)
{
	for (size_t i = 0; i < initial->names.n; i++) {
		struct tfr_bytes name = tfr_classes_at(&initial->names, i).text;

		b->plans[tfr_classing_find(&b->classing, &b->classes, &name)].have =
			initial->weights[i];
	}
}

static enum tfr_status weigh(struct tfr_by_class *b, struct tfr_error *err)
{
	size_t n = b->classes.n;
	TFR_AUTO_FREE double *have = calloc(2 * n + 1, sizeof(*have));
	double *weights = have + n;
	enum tfr_status status;

	if (!have)
		return tfr_fail_nomem(err, "planning");
	for (size_t i = 0; i < n; i++)
		have[i] = b->plans[i].have;
	status = tfr_target_weights(
		&b->target, "--target", &b->classing, &b->classes, have, weights, err);
	for (size_t i = 0; i < n; i++)
		b->plans[i].weight = weights[i];
	return status;
}

/* Chooses acceptance so that all records of the class most wanted relative to its size are
 * taken. */
static void plan_reject(struct tfr_by_class *b)
{
	double largest = 0;

	for (size_t i = 0; i < b->classes.n; i++) {
		struct tfr_class_plan *p = &b->plans[i];

		p->acceptance = p->weight > 0 ? p->weight / p->have : 0;
		largest = p->acceptance > largest ? p->acceptance : largest;
	}
	for (size_t i = 0; i < b->classes.n && largest > 0; i++)
		b->plans[i].acceptance /= largest;
}

static enum tfr_status refuse_size(struct tfr_by_class *b, uint64_t largest, size_t scarcest,
	const uint64_t *records, struct tfr_error *err)
{
	struct tfr_counted_class class;
	char text[TFR_CLASS_TEXT];

	if (scarcest == b->classes.n)
		return tfr_fail(err, TFR_EDATA,
			"a size of %llu cannot be had: no record has a class",
			(unsigned long long)b->o->size);
	class = tfr_classes_at(&b->classes, scarcest);
	tfr_fail(err, TFR_EDATA,
		"a size of %llu cannot be had: the largest that the target allows is %llu, since "
		"class "
		"'%s' has %llu",
		(unsigned long long)b->o->size, (unsigned long long)largest,
		tfr_class_text(&b->classing, &class, text), (unsigned long long)records[scarcest]);
	tfr_error_hint(err, "With --method oversample records are repeated.");
	return TFR_EDATA;
}

/* The size: the requested one, or the one that the method derives from the counts. */
static enum tfr_status choose_size(struct tfr_by_class *b, const struct tfr_shares *shares,
	const uint64_t *records, struct tfr_error *err)
{
	uint64_t largest;
	size_t scarcest;

	b->size = b->o->size;
	largest = tfr_shares_largest(shares, records, &scarcest);
	if (b->o->method == TFR_RESAMPLE_EXACT) {
		if (b->size > largest)
			return refuse_size(b, largest, scarcest, records, err);
		b->size = b->size ? b->size : largest;
	} else {
		if (b->size && scarcest == b->classes.n)
			return refuse_size(b, largest, scarcest, records, err);
		b->size = b->size ? b->size : tfr_shares_covering(shares, records);
	}
	if (b->size <= TFR_QUOTA_MAX)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "the size would be more than %llu records",
		(unsigned long long)TFR_QUOTA_MAX);
	tfr_error_hint(err, "Give a smaller --total N.");
	return TFR_EUSAGE;
}

static enum tfr_status divide_size(
	struct tfr_by_class *b, const uint64_t *records, uint64_t *quotas, struct tfr_error *err)
{
	size_t n = b->classes.n;
	TFR_AUTO_FREE double *weights = calloc(n + 1, sizeof(*weights));
	struct tfr_shares shares = { 0 };
	enum tfr_status status;

	if (!weights)
		return tfr_fail_nomem(err, "planning");
	for (size_t i = 0; i < n; i++)
		weights[i] = b->plans[i].weight;
	status = tfr_shares_open(&shares, weights, n, err);
	if (!status)
		status = choose_size(b, &shares, records, err);
	if (!status)
		status = tfr_shares_divide(&shares, b->size,
			b->o->method == TFR_RESAMPLE_EXACT ? records : NULL, quotas, err);
	tfr_shares_clear(&shares);
	return status;
}

/* The same number of records of each class.  If records are not repeated, the smallest class
 * must have enough. */
static enum tfr_status divide_evenly(
	struct tfr_by_class *b, const uint64_t *records, uint64_t *quotas, struct tfr_error *err)
{
	size_t scarcest = 0;
	struct tfr_counted_class class;
	char text[TFR_CLASS_TEXT];

	for (size_t i = 0; i < b->classes.n; i++) {
		b->plans[i].weight = 1;
		quotas[i] = b->o->per_class;
		scarcest = records[i] < records[scarcest] ? i : scarcest;
	}
	if (b->o->per_class > TFR_QUOTA_MAX / (b->classes.n + 1))
		return tfr_fail(err, TFR_EUSAGE, "the size would be more than %llu records",
			(unsigned long long)TFR_QUOTA_MAX);
	b->size = b->o->per_class * b->classes.n;
	if (b->o->method == TFR_RESAMPLE_OVERSAMPLE || !b->classes.n ||
		records[scarcest] >= b->o->per_class)
		return TFR_OK;
	class = tfr_classes_at(&b->classes, scarcest);
	tfr_fail(err, TFR_EDATA, "class '%s' has %llu records, not the %llu wanted of each class",
		tfr_class_text(&b->classing, &class, text), (unsigned long long)records[scarcest],
		(unsigned long long)b->o->per_class);
	tfr_error_hint(err, "With --method oversample records are repeated.");
	return TFR_EDATA;
}

/* Computes quotas, and from them the copies of each record of a class. */
static enum tfr_status plan_quotas(struct tfr_by_class *b, struct tfr_error *err)
{
	size_t n = b->classes.n;
	TFR_AUTO_FREE uint64_t *records = calloc(2 * n + 1, sizeof(*records));
	uint64_t *quotas = records + n;
	enum tfr_status status;
	double all = 0;

	if (!records)
		return tfr_fail_nomem(err, "planning");
	for (size_t i = 0; i < n; i++)
		records[i] = b->classes.items[i].records;
	if (b->o->per_class)
		status = divide_evenly(b, records, quotas, err);
	else
		status = divide_size(b, records, quotas, err);
	for (size_t i = 0; i < n; i++)
		all += b->plans[i].weight;
	for (size_t i = 0; !status && i < n; i++) {
		struct tfr_class_plan *p = &b->plans[i];

		p->whole = quotas[i] / records[i];
		p->wanted = quotas[i] % records[i];
		p->acceptance = (double)quotas[i] / (double)records[i];
		p->expected = (double)b->size * (p->weight / all);
	}
	return status;
}

enum tfr_status tfr_by_class_plan(struct tfr_by_class *b, struct tfr_error *err)
{
	struct tfr_target initial = { 0 };
	enum tfr_status status = TFR_OK;

	if (b->o->initial)
		status = open_initial(b, &initial, err);
	if (!status)
		status = allocate_plans(b, err);
	if (!status && b->o->initial)
		take_initial(b, &initial);
	tfr_target_clear(&initial);
	if (!status && b->o->target)
		status = weigh(b, err);
	if (!status && b->o->method != TFR_RESAMPLE_REJECT)
		status = plan_quotas(b, err);
	else if (!status)
		plan_reject(b);
	return status;
}
