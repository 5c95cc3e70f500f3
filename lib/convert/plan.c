/* convert/plan.c - the items, shuffled if that is wanted, then divided among the sets.
 *
 * The division looks at the path alone, so that it neither depends on the order nor moves what is
 * there already when files come or go. */
#include "convert/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/rng.h"

static const double SLACK = 1e-9; /* 0.7 + 0.2 + 0.1 is not quite 1 */

/* strtod() would take "nan", "0x1" and " 1" as well. */
static bool read_number(const char *text, double *number)
{
	char *end = NULL;

	if (!*text || text[strspn(text, "0123456789.eE+-")])
		return false;
	*number = strtod(text, &end);
	return !*end;
}

/* Whether the first `n` bytes of `text` are a set's name. */
static bool names_a_set(const char *text, size_t n)
{
	TFR_AUTO_FREE char *name = strndup(text, n);
	struct tfr_set_name parsed;
	bool is_set = name && tfr_set_name_parse(&parsed, name, NULL) == TFR_OK;

	if (is_set)
		tfr_set_name_clear(&parsed);
	return is_set;
}

enum tfr_status tfr_convert_target_parse(
	const char *text, char **set, double *fraction, struct tfr_error *err)
{
	const char *equals = strrchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	bool number = equals && read_number(equals + 1, fraction);

	/* A file's name may hold a '='; what follows a set's name is meant as its fraction. */
	if (equals && !number && !names_a_set(text, n)) {
		equals = NULL;
		n = strlen(text);
	}
	if (equals && !(number && *fraction > 0 && *fraction <= 1))
		return tfr_fail(err, TFR_EUSAGE,
			"a set's fraction is above 0 and at most 1, not '%s'", equals + 1);
	if (!equals)
		*fraction = 0;
	*set = strndup(text, n);
	return *set ? TFR_OK : tfr_fail_nomem(err, "reading the options");
}

enum tfr_status tfr_plan_check(const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	double sum = 0;
	size_t rest = 0;

	for (size_t t = 0; t < opts->target_count; t++) {
		sum += opts->targets[t].fraction;
		rest += opts->targets[t].fraction == 0;
		for (size_t u = 0; u < t; u++)
			if (!strcmp(opts->targets[t].set, opts->targets[u].set))
				return tfr_fail(err, TFR_EUSAGE, "the set '%s' is named twice",
					opts->targets[t].set);
	}
	if (!opts->target_count)
		return tfr_fail(err, TFR_EUSAGE, "no set to write");
	if (rest > 1)
		return tfr_fail(err, TFR_EUSAGE,
			"several sets without a fraction: only one can take the rest");
	if (sum > 1 + SLACK || (rest && sum > 1 - SLACK && opts->target_count > 1))
		return tfr_fail(err, TFR_EUSAGE, "the fractions add up to %.9g%s", sum,
			rest ? ", which leaves nothing to the set without one" : ", more than 1");
	return TFR_OK;
}

/* The target of a path: `n_targets` when the fractions leave it over. */
static size_t target_of(const struct tfr_convert_opts *opts, const struct tfr_buf *path)
{
	double at = (double)(XXH3_64bits(path->data, path->size - 1) >> 11) * 0x1p-53, sum = 0;
	size_t rest = opts->target_count;

	for (size_t t = 0; t < opts->target_count; t++) {
		sum += opts->targets[t].fraction;
		if (opts->targets[t].fraction == 0)
			rest = t;
		else if (at < sum)
			return t;
	}
	/* Fractions that were meant to add up to 1 leave nothing over. */
	if (rest == opts->target_count && sum > 1 - SLACK)
		return opts->target_count - 1;
	return rest;
}

static enum tfr_status divide(struct tfr_plan *p, const struct tfr_scan *scan,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_FREE uint32_t *target = malloc((scan->n_items + 1) * sizeof(*target));
	TFR_AUTO_FREE uint32_t *all = p->order;
	TFR_AUTO_FREE size_t *fill = calloc(p->n_targets + 2, sizeof(*fill));
	TFR_AUTO_BUF path = { 0 };

	p->order = malloc((scan->n_items + 1) * sizeof(*p->order));
	if (!target || !p->order || !fill)
		return tfr_fail_nomem(err, "dividing the files among the sets");
	for (size_t i = 0; i < scan->n_items; i++) {
		if (!tfr_scan_path(scan, &scan->items[i], &path))
			return tfr_fail_nomem(err, "dividing the files among the sets");
		target[i] = (uint32_t)target_of(opts, &path);
		fill[target[i] + 1]++;
	}
	p->left = fill[p->n_targets + 1];
	for (size_t t = 0; t <= p->n_targets; t++) {
		fill[t + 1] += fill[t];
		p->first[t] = fill[t];
	}
	for (size_t i = 0; i < scan->n_items; i++)
		p->order[fill[target[all[i]]]++] = all[i];
	return TFR_OK;
}

enum tfr_status tfr_plan_make(struct tfr_plan *p, const struct tfr_scan *scan,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_rng rng;

	*p = (struct tfr_plan){ .n_targets = opts->target_count };
	p->order = malloc((scan->n_items + 1) * sizeof(*p->order));
	p->first = calloc(p->n_targets + 1, sizeof(*p->first));
	if (!p->order || !p->first)
		return tfr_fail_nomem(err, "ordering the files");
	for (size_t i = 0; i < scan->n_items; i++)
		p->order[i] = (uint32_t)i;
	if (opts->shuffle) {
		tfr_rng_init(&rng, opts->seed, 0);
		tfr_rng_shuffle(&rng, p->order, scan->n_items, sizeof(*p->order));
	}
	if (p->n_targets == 1 && opts->targets[0].fraction == 0) {
		p->first[1] = scan->n_items;
		return TFR_OK;
	}
	return divide(p, scan, opts, err);
}

void tfr_plan_clear(struct tfr_plan *p)
{
	free(p->order);
	free(p->first);
	*p = (struct tfr_plan){ 0 };
}
