/* diff/changed_features.h - finds the features that differ between records with one key. */
#ifndef TFR_DIFF_CHANGED_FEATURES_H
#define TFR_DIFF_CHANGED_FEATURES_H

#include "diff/record_table.h"

enum { TFR_CHANGED_ROW = 2 * TFR_NOTE_PLACE }; /* place in A, place in B */

/* Reads both sides once more.  `pairs` has rows of TFR_CHANGED_ROW bytes and is freed.  Fills the
 * report on changed records, except for their number. */
enum tfr_status tfr_changed_find(const struct tfr_record_table *table, struct tfr_sorter *pairs,
	struct tfr_diff_report *report, struct tfr_error *err);

#endif
