/* convert/rework.h - changes an image: turns, scales and re-encodes it. */
#ifndef TFR_CONVERT_REWORK_H
#define TFR_CONVERT_REWORK_H

#include "convert/input.h"

/* Whether any change is requested. */
bool tfr_rework_wanted(const struct tfr_rework *w);
/* TFR_EUSAGE: the requested changes contradict each other. */
enum tfr_status tfr_rework_check(const struct tfr_rework *w, struct tfr_error *err);
/* Changes the image in item->file, which `info` describes, and `info`.  An image that needs no
 * change stays as it is, with *decoded false; one that cannot be decoded is skipped. */
enum tfr_status tfr_rework(const struct tfr_rework *w, struct tfr_item *item,
	struct tfr_workbench *bench, struct tfr_image_info *info, bool *decoded,
	struct tfr_error *err);

#endif
