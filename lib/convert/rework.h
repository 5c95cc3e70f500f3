/* convert/rework.h - an image changed on its way: turned, scaled, encoded anew. */
#ifndef TFR_CONVERT_REWORK_H
#define TFR_CONVERT_REWORK_H

#include "convert/item.h"
#include "convert/workbench.h"

/* Whether anything is asked for. */
bool tfr_rework_wanted(const struct tfr_rework *w);
/* TFR_EUSAGE: what is asked for contradicts itself. */
enum tfr_status tfr_rework_check(const struct tfr_rework *w, struct tfr_error *err);
/* Changes the image in item->file, which `info` describes, and `info` with it.  An image that is
 * as it is to be stays untouched, and *decoded false; one that cannot be decoded is skipped. */
enum tfr_status tfr_rework(const struct tfr_rework *w, struct tfr_item *item,
	struct tfr_workbench *bench, struct tfr_image_info *info, bool *decoded,
	struct tfr_error *err);

#endif
