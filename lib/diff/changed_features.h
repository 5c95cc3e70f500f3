/* diff/changed_features.h - which features differ between records of one key. */
#ifndef TFR_DIFF_CHANGED_FEATURES_H
#define TFR_DIFF_CHANGED_FEATURES_H

#include "diff/record_table.h"

enum { TFR_CHANGED_ROW = 2 * TFR_NOTE_PLACE }; /* of A, of B */

/* Reads both sides once more.  `pairs`, which is freed, has rows TFR_CHANGED_ROW.  Sets what the
 * report says of changed records beyond their number. */
enum tfr_status tfr_changed_find(const struct tfr_ledger *ledger, struct tfr_sorter *pairs,
	struct tfr_diff_report *report, struct tfr_error *err);

#endif
