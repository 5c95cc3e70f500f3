/* convert/skip_counts.h - how many of the items that look like images, sounds or rows became no
 * record, and whether that is too many for a set to be of use.  One thread at a time, in the order
 * of the items. */
#ifndef TFR_CONVERT_SKIP_COUNTS_H
#define TFR_CONVERT_SKIP_COUNTS_H

#include "convert/input.h"

struct tfr_losses {
	uint64_t expected, lost;
	char first[512]; /* the first that was lost, and why */
};

/* TFR_EDATA: of the first thousand too many are lost. */
enum tfr_status tfr_losses_add(struct tfr_losses *l, const struct tfr_input *in,
	const struct tfr_item *item, struct tfr_error *err);
/* After the last item.  TFR_EDATA: of all too many are lost. */
enum tfr_status tfr_losses_judge(
	const struct tfr_losses *l, const struct tfr_input *in, struct tfr_error *err);

#endif
