/* inspect/stats/order.h - the measure of how records are mixed, for whoever has their classes one
 * by one.
 *
 * Memory: 4 bytes per record up to 2^26 records, where files are told apart. */
#ifndef TFR_INSPECT_STATS_ORDER_H
#define TFR_INSPECT_STATS_ORDER_H

#include <tfr-private/survey.h>

struct tfr_mixing;

/* `report` has batch and buffer, and is filled by the others; it and `label`, the feature's name,
 * must stay. */
enum tfr_status tfr_mixing_open(struct tfr_mixing **m, const char *label,
	struct tfr_order_report *report, struct tfr_error *err);
/* The records that follow are of the next file.  Without it, records are judged in their order
 * alone. */
enum tfr_status tfr_mixing_file(struct tfr_mixing *m, struct tfr_error *err);
/* A record without a class, which takes up a place in its file. */
enum tfr_status tfr_mixing_skip(struct tfr_mixing *m, struct tfr_error *err);
/* The class of the next record, as a hash of it.  TFR_EUSAGE: more than 65536 classes. */
enum tfr_status tfr_mixing_put(struct tfr_mixing *m, uint64_t hash, struct tfr_error *err);
/* After the last record: fills the report. */
enum tfr_status tfr_mixing_judge(struct tfr_mixing *m, struct tfr_error *err);
void tfr_mixing_close(struct tfr_mixing *m); /* accepts NULL */

#endif
