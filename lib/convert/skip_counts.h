/* convert/skip_counts.h - counts the images, WAV files or rows that became no record, and
 * decides whether they are too many.
 *
 * Called by one thread at a time, in the order of the items. */
#ifndef TFR_CONVERT_SKIP_COUNTS_H
#define TFR_CONVERT_SKIP_COUNTS_H

#include "convert/input.h"

struct tfr_losses {
	uint64_t expected, lost;
	char first[512]; /* the first that was lost, and why */
};

/* TFR_EDATA: too many of the first thousand are lost. */
enum tfr_status tfr_losses_add(struct tfr_losses *l, const struct tfr_input *in,
	const struct tfr_item *item, struct tfr_error *err);
/* The share that may be lost. */
double tfr_losses_most(const struct tfr_convert_opts *opts);

#endif
