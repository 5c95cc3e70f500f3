/* convert/folder/sibling_classes.h - finds sets beside the written ones whose classes have other
 * numbers. */
#ifndef TFR_CONVERT_FOLDER_SIBLING_CLASSES_H
#define TFR_CONVERT_FOLDER_SIBLING_CLASSES_H

#include "convert/input.h"
#include "convert/output_sets.h"

/* Warns of the first labels file or manifest in the folders of the sets that numbers the classes
 * of `in` differently, with the option that gives both the same numbers. */
enum tfr_status tfr_classes_beside(
	const struct tfr_input *in, const struct tfr_sets *sets, struct tfr_error *err);

#endif
