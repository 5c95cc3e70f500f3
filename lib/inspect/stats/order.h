/* inspect/stats/order.h - measures how well records are shuffled, for callers that have their
 * classes one by one.
 *
 * Memory: 4 bytes per record, up to 2^26 records, if files are distinguished. */
#ifndef TFR_INSPECT_STATS_ORDER_H
#define TFR_INSPECT_STATS_ORDER_H

#include <tfr-private/survey.h>

struct tfr_mixing;

/* `report` holds batch and buffer; the other functions fill it.  It and `label`, the feature's
 * name, must outlive the object. */
enum tfr_status tfr_mixing_open(struct tfr_mixing **m, const char *label,
	struct tfr_order_report *report, struct tfr_error *err);
/* Starts the next file.  If it is never called, only the overall order of records is judged. */
enum tfr_status tfr_mixing_file(struct tfr_mixing *m, struct tfr_error *err);
/* Adds a record without a class, which takes up a position in its file. */
enum tfr_status tfr_mixing_skip(struct tfr_mixing *m, struct tfr_error *err);
/* Adds a record with the hash of its class.  TFR_EUSAGE: more than 65536 classes. */
enum tfr_status tfr_mixing_put(struct tfr_mixing *m, uint64_t hash, struct tfr_error *err);
/* Call after the last record: fills the report. */
enum tfr_status tfr_mixing_judge(struct tfr_mixing *m, struct tfr_error *err);
void tfr_mixing_close(struct tfr_mixing *m); /* accepts NULL */

static inline void tfr_auto_mixing(struct tfr_mixing **m)
{
	tfr_mixing_close(*m);
}
#define TFR_AUTO_MIXING __attribute__((cleanup(tfr_auto_mixing))) struct tfr_mixing *

#endif
