/* convert/folder/stem_match.h - two folders' files brought together by their names without the
 * extension. */
#ifndef TFR_CONVERT_FOLDER_STEM_MATCH_H
#define TFR_CONVERT_FOLDER_STEM_MATCH_H

#include "convert/folder/scan.h"

enum { TFR_NO_PARTNER = UINT32_MAX };

/* What becomes of a file of either folder; each number is an item of that folder's scan. */
struct tfr_stem_pair {
	uint32_t image, mask; /* TFR_NO_PARTNER: none, or none that is sure */
	const char *why;      /* it is no pair; NULL: it is */
};

struct tfr_pairs {
	struct tfr_stem_pair
		*list; /* a row each image, in their order; then the masks without one */
	size_t n;
};

/* Pairs files whose paths below their folders are equal but for what follows the last dot of the
 * name.  Where a folder has several of one stem and exactly one of them begins as an image does,
 * that is the one (a label file lies beside it); otherwise nothing of that stem is paired. */
enum tfr_status tfr_pairs_match(struct tfr_pairs *pairs, const struct tfr_scan *images,
	const struct tfr_scan *masks, struct tfr_error *err);
void tfr_pairs_clear(struct tfr_pairs *pairs);

#endif
