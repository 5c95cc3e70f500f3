/* convert/image_lint.h - detects unusual images by their header and name. */
#ifndef TFR_CONVERT_IMAGE_LINT_H
#define TFR_CONVERT_IMAGE_LINT_H

#include "convert/item.h"

/* Returns the findings of a complete image before any change (item->came), one bit each.
 * TFR_FOUND_GRAY means that it is gray; whether others are not is known at the end. */
uint32_t tfr_lint(const struct tfr_item *item, const struct tfr_rework *rework);
/* The detail of a finding: for a skipped item the reason, otherwise the measure. */
const char *tfr_lint_detail(
	const struct tfr_item *item, enum tfr_finding finding, char *text, size_t size);

#endif
