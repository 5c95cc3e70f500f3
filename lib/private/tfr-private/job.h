/* tfr-private/job.h - one command, run as several processes that exchange results in a directory.
 *
 * A job has N parts and one or two steps.  Each part of a step reads a share of the inputs and
 * records its result in the job directory, a folder or a prefix of a store.  The last process,
 * which finishes the job, runs the same code as a run without parts, except that each pass over the
 * inputs is replaced by the recorded results of the parts.  So a pass has three forms, and
 * tfr_job_act() says which one is due.
 *
 * Files of a job directory are created exclusively and never changed.  Two processes that run one
 * part at the same time record the same result, and the first record counts. */
#ifndef TFR_PRIVATE_JOB_H
#define TFR_PRIVATE_JOB_H

#include <tfr-private/io.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_job;

enum { TFR_JOB_PARTS_MAX = 100000, TFR_JOB_STEPS_MAX = 2 }; /* and that of parts that finish */

/* What every process of a job has in common.  Strings belong to the caller. */
struct tfr_job_terms {
	const char *command; /* "shard" */
	uint32_t parts;	     /* N */
	unsigned steps;	     /* 1 or 2 */
	/* The options and operands that decide the output, one per line; compared with those of the
	 * first process, which records them. */
	const char *options;
	/* The words of the command line after the command, without those of parts: the process that
	 * finishes runs them. */
	const char *const *words;
	size_t word_count;
	int64_t first, stride; /* of the ids; filled by the job */
};

/* Which part a process is. */
struct tfr_job_place {
	int64_t id; /* as the environment counts */
	/* The id of part 0, and the distance between ids.  Those of the first process count, since
	 * one task that runs again says that it is alone. */
	int64_t first, stride;
	bool guess; /* terms->parts is only what the environment says now */
	/* The ids have no constant distance, so they are good for a recorded job only. */
	bool irregular;
};

/* Opens the job directory for step `step`, from 0, and records the terms if this is the first
 * process.
 *   TFR_EUSAGE  the job has other terms; the message names the first difference
 *   TFR_EDATA   the directory holds something else
 *   TFR_ESYS    it cannot be created or written */
enum tfr_status tfr_job_open(struct tfr_job **job, const char *folder,
	const struct tfr_job_terms *terms, const struct tfr_job_place *place, unsigned step,
	struct tfr_temporaries *temporaries, struct tfr_error *err);
/* Opens a recorded job to finish it.  With a place, only the shards of this part are written, into
 * the job directory; when those of all parts are, the process without a place publishes them. */
enum tfr_status tfr_job_open_finish(struct tfr_job **job, const char *folder,
	const struct tfr_job_place *place, struct tfr_temporaries *temporaries,
	struct tfr_error *err);
void tfr_job_close(struct tfr_job *job); /* accepts NULL */

/* The recorded terms; they belong to the job.  Part k has the id first + k * stride. */
const struct tfr_job_terms *tfr_job_terms(const struct tfr_job *job);
/* The folder in which the first part ran. */
const char *tfr_job_directory(const struct tfr_job *job);
uint32_t tfr_job_part(const struct tfr_job *job);
/* Whether the result of this part and step is recorded.  TFR_END: it is not. */
enum tfr_status tfr_job_recorded(const struct tfr_job *job, struct tfr_error *err);
/* Calls missing() with each part of a step that has no record; *count is their number. */
enum tfr_status tfr_job_missing(const struct tfr_job *job, unsigned step, uint64_t *count,
	void (*missing)(void *ctx, uint32_t part), void *ctx, struct tfr_error *err);
/* Records the result of this part. */
enum tfr_status tfr_job_commit(struct tfr_job *job, struct tfr_error *err);
/* Creates a mark of the job, such as "done".  TFR_EEXIST: it exists. */
enum tfr_status tfr_job_mark(struct tfr_job *job, const char *mark, struct tfr_error *err);
/* The process that finishes the job begins to publish; another one may have been killed meanwhile.
 */
enum tfr_status tfr_job_begin_publishing(struct tfr_job *job, struct tfr_error *err);
/* Whether one had begun when this one opened the job. */
bool tfr_job_publishes_again(const struct tfr_job *job);
/* TFR_END: there is no such mark. */
enum tfr_status tfr_job_marked(const struct tfr_job *job, const char *mark, struct tfr_error *err);

/* What a pass over the inputs does now. */
enum tfr_job_act {
	TFR_JOB_ALL,	/* there is no job: reads everything */
	TFR_JOB_SHARE,	/* reads the share of this part, and puts its result into the record */
	TFR_JOB_REPLAY, /* reads nothing, and takes the results of all parts */
};
enum tfr_job_act tfr_job_act(const struct tfr_job *job);
/* Whether a part runs, which publishes nothing, as opposed to the end of a job. */
bool tfr_job_is_part(const struct tfr_job *job);
/* Numbers of a pass that add up over the parts: a part records them, and the end of a job adds
 * those of all parts to `numbers`.  Nothing without a job. */
enum tfr_status tfr_job_sum(struct tfr_job *job, const char *tag, uint64_t *numbers, size_t count,
	struct tfr_error *err);
/* The step that was due is over.  True: this process has done its work, and the caller returns. */
bool tfr_job_step_over(struct tfr_job *job);
/* The end of a job returns to the first step, for passes that it takes after others. */
void tfr_job_return(struct tfr_job *job);

#ifdef __cplusplus
}
#endif

#endif
