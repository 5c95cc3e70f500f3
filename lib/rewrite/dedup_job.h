/* rewrite/dedup_job.h - the duplicates of a part's share, among the records of all parts before it.
 */
#ifndef TFR_REWRITE_DEDUP_JOB_H
#define TFR_REWRITE_DEDUP_JOB_H

#include <tfr-private/rewrite.h>

#include "rewrite/sort/sorter.h"
#include "shard/job/job.h"

enum {
	TFR_DEDUP_HASH = 16,
	TFR_DEDUP_PLACE = 12, /* file, record */
	TFR_DEDUP_NOTE = TFR_DEDUP_HASH + TFR_DEDUP_PLACE,
	TFR_DEDUP_FOUND = 2 * TFR_DEDUP_PLACE, /* the later record, then the first */
};

/* Notes the rows of this part, hash and place, sorted. */
enum tfr_status tfr_dedup_note(struct tfr_job *job, struct tfr_sorter *rows, struct tfr_error *err);
/* Adds the duplicates of this part's share to `found`, and counts them in the report.  *noted is
 * the number of records of the share. */
enum tfr_status tfr_dedup_find(struct tfr_job *job, uint64_t memory, struct tfr_sorter *found,
	uint64_t *noted, struct tfr_dedup_report *report, struct tfr_error *err);

#endif
