/* shard/job/job_state.h - a job that is open, for the files of this folder. */
#ifndef TFR_SHARD_JOB_JOB_STATE_H
#define TFR_SHARD_JOB_JOB_STATE_H

#include "shard/job/job.h"
#include "shard/job/terms.h"

/* A record that was loaded. */
struct record {
	struct tfr_buf bytes;
	struct tfr_unread sections;
	uint64_t inputs;
	bool loaded;
};

struct tfr_job {
	char *folder;
	struct tfr_terms terms;
	uint32_t part;
	unsigned step; /* of this process; the number of steps if it finishes the job */
	unsigned due;  /* the step of the pass that comes next */
	uint64_t inputs;
	bool has_inputs;
	struct tfr_buf result; /* the sections of this part */
	struct record *records[TFR_JOB_STEPS_MAX + 1];
	struct tfr_exchange *exchange;
	struct tfr_exchanged *exchanged[TFR_JOB_STEPS_MAX];
	bool shards;	/* are written in the second step */
	bool assembles; /* finishes the shards of one part */
	bool assembled; /* the parts have done so */
	bool again;	/* a process had begun to publish */
	char **files;	/* that belong to the record, once it is accepted */
	size_t n_files;
	uint32_t sets; /* opened by the process that finishes the job */
	struct tfr_temporaries *temporaries;
};

/* The name of a step in files: "part", "scatter" or "gather", and "finish" after the last. */
const char *tfr_job_step_name(const struct tfr_job *job, unsigned step);
/* Creates a file of the job, once. */
enum tfr_status tfr_job_create(const struct tfr_job *job, const char *path, const void *data,
	size_t size, struct tfr_error *err);

#endif
