/* convert/image_lint.h - what is odd about an image, judged by its header and its name. */
#ifndef TFR_CONVERT_IMAGE_LINT_H
#define TFR_CONVERT_IMAGE_LINT_H

#include "convert/item.h"

/* The findings of a whole image as it came (item->came), a bit each.  TFR_FOUND_GRAY means that
 * it is gray: whether others are not is seen at the end. */
uint32_t tfr_lint(const struct tfr_item *item, const struct tfr_rework *rework);
/* What is to be said of one: of a skipped item its reason, otherwise of a finding its measure. */
const char *tfr_lint_detail(
	const struct tfr_item *item, enum tfr_finding finding, char *text, size_t size);

#endif
