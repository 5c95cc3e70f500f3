/* convert/plan.h - which item goes to which set, and in which order. */
#ifndef TFR_CONVERT_PLAN_H
#define TFR_CONVERT_PLAN_H

#include <tfr/convert.h>

#include "convert/scan.h"

struct tfr_plan {
	uint32_t *order; /* all items, target after target */
	size_t *first;	 /* target t has order[first[t]] up to order[first[t + 1]] */
	size_t n_targets;
	size_t left; /* items in no target */
};

enum tfr_status tfr_plan_make(struct tfr_plan *p, const struct tfr_scan *scan,
	const struct tfr_convert_opts *opts, struct tfr_error *err);
void tfr_plan_clear(struct tfr_plan *p);

#endif
