/* convert/folder/stem_match.h - pairs the files of two folders by their names without the
 * extension. */
#ifndef TFR_CONVERT_FOLDER_STEM_MATCH_H
#define TFR_CONVERT_FOLDER_STEM_MATCH_H

#include "convert/folder/scan.h"

enum { TFR_NO_PARTNER = UINT32_MAX };

/* The result for a file of either folder; each number is an item of that folder's scan. */
struct tfr_stem_pair {
	uint32_t image, mask; /* TFR_NO_PARTNER: none, or an ambiguous one */
	const char *why;      /* why it is not a pair; NULL: it is */
};

struct tfr_pairs {
	struct tfr_stem_pair
		*list; /* one row per image, in their order; then the masks without one */
	size_t n;
};

/* Pairs files whose paths below their folders are equal except for the extension.  If a folder
 * has several with one stem and exactly one of them begins like an image, that one is used (a
 * label file can be beside it); otherwise none with that stem is paired. */
enum tfr_status tfr_pairs_match(struct tfr_pairs *pairs, const struct tfr_scan *images,
	const struct tfr_scan *masks, struct tfr_error *err);
void tfr_pairs_clear(struct tfr_pairs *pairs);

#endif
