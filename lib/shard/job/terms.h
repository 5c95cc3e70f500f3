/* shard/job/terms.h - what all processes of a job have in common, as job.json records it. */
#ifndef TFR_SHARD_JOB_TERMS_H
#define TFR_SHARD_JOB_TERMS_H

#include <tfr-private/job.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_terms {
	struct tfr_job_terms said; /* its strings belong to this struct */
	uint64_t job;		   /* drawn by the first process */
	char *folder;		   /* where that process ran */
	char **words;
};

void tfr_terms_clear(struct tfr_terms *t);
/* TFR_ENOMEM without an error. */
enum tfr_status tfr_terms_copy(struct tfr_terms *t, const struct tfr_job_terms *from);
enum tfr_status tfr_terms_format(
	struct tfr_terms *t, const char *folder, struct tfr_buf *text, struct tfr_error *err);
/* TFR_EDATA: the file is not job.json of this version. */
enum tfr_status tfr_terms_read(struct tfr_terms *t, const char *path, struct tfr_error *err);
/* TFR_EUSAGE names the first difference.  `parts`: their number is compared, too. */
enum tfr_status tfr_terms_compare(const struct tfr_job_terms *recorded,
	const struct tfr_job_terms *wanted, bool parts, const char *job, struct tfr_error *err);

#endif
