/* convert/plan.c - the items, shuffled if that is wanted, then divided among the sets.
 *
 * The division looks at the path alone, so that it neither depends on the order nor moves what is
 * there already when files come or go. */
#include "convert/plan.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/rng.h"
#include "shard/shares.h"

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
		target[i] = (uint32_t)tfr_shares_choose(
			opts->targets, opts->target_count, XXH3_64bits(path.data, path.size - 1));
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
