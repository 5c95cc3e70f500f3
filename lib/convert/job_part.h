/* convert/job_part.h - a conversion by the parts of a job. */
#ifndef TFR_CONVERT_JOB_PART_H
#define TFR_CONVERT_JOB_PART_H

#include "convert/input.h"
#include "convert/output_sets.h"
#include "convert/skip_counts.h"

/* TFR_EUSAGE: the options or the input need one process.  Notes what the input is, since all parts
 * must see the same items. */
enum tfr_status tfr_job_part_check(struct tfr_job *job, const struct tfr_convert_opts *opts,
	struct tfr_input *in, struct tfr_error *err);
/* Goes to the first item of this part, and sets the number of that item and of the one after the
 * last.  The items before it take their places in the sets. */
enum tfr_status tfr_job_part_start(struct tfr_job *job, struct tfr_input *in, struct tfr_sets *sets,
	const uint32_t *order, uint64_t *next, uint64_t *end, struct tfr_error *err);
/* Records what this part has done, or adds up what all parts have. */
enum tfr_status tfr_job_part_exchange(struct tfr_job *job, struct tfr_convert_report *report,
	struct tfr_losses *losses, struct tfr_sets *sets, struct tfr_error *err);

#endif
