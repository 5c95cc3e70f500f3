/* shard/job/job.h - the results that the parts of a job record, as a sequence of sections.
 *
 * The code that puts sections in a part takes them in the same order when the job is continued or
 * finished.  A section has a tag of up to eight characters, which only serves to notice mistakes.
 * Numbers have their form in memory: all processes of a job run the same version on machines of one
 * kind. */
#ifndef TFR_SHARD_JOB_JOB_H
#define TFR_SHARD_JOB_JOB_H

#include <tfr-private/job.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/unread.h"

struct tfr_exchange;
struct tfr_exchanged;

/* Appends a section to the result of this part. */
enum tfr_status tfr_job_put(
	struct tfr_job *job, const char *tag, const void *data, size_t size, struct tfr_error *err);
/* Takes the next section of a part, of the step that is due.  TFR_EDATA: the record is damaged, or
 * has another section there. */
enum tfr_status tfr_job_take(struct tfr_job *job, uint32_t part, const char *tag,
	struct tfr_unread *section, struct tfr_error *err);
/* The first section with that tag among those that were not taken, which stay. */
enum tfr_status tfr_job_find(struct tfr_job *job, uint32_t part, const char *tag,
	struct tfr_unread *section, struct tfr_error *err);
/* The section in which a part recorded the shards that it wrote, for each set in turn. */
enum tfr_status tfr_job_take_shards(
	struct tfr_job *job, uint32_t part, struct tfr_unread *section, struct tfr_error *err);
/* A file that the result of this part names; it is removed if that of another process is accepted.
 */
enum tfr_status tfr_job_wrote(struct tfr_job *job, const char *path, struct tfr_error *err);
/* A section of one struct. */
enum tfr_status tfr_job_take_struct(struct tfr_job *job, uint32_t part, const char *tag, void *to,
	size_t size, struct tfr_error *err);
/* The record of a part is not what it should be: TFR_EDATA. */
enum tfr_status tfr_job_bad_record(
	const struct tfr_job *job, uint32_t part, const char *why, struct tfr_error *err);
/* Notes what the inputs are; parts with other inputs are found when the job is finished. */
void tfr_job_inputs(struct tfr_job *job, uint64_t digest);

/* Whether this part writes shards; and whether the parts of the job that ends have. */
bool tfr_job_gathers(const struct tfr_job *job);
bool tfr_job_gathered(const struct tfr_job *job);
/* Whether this process finishes the shards of one part; and whether all parts have done so. */
bool tfr_job_assembles(const struct tfr_job *job);
bool tfr_job_assembled(const struct tfr_job *job);
/* The job writes the shards of its sets in its second step, and not only when it ends. */
void tfr_job_gather_shards(struct tfr_job *job);
/* A name for a file of this part, which no other process draws; the caller frees it.  NULL: out of
 * memory. */
char *tfr_job_new_name(const struct tfr_job *job, const char *what);

uint32_t tfr_job_parts(const struct tfr_job *job);
/* The path of a file in the job directory; the caller frees it.  NULL: out of memory. */
char *tfr_job_path(const struct tfr_job *job, const char *name);
/* Whether the job directory is in a bucket. */
bool tfr_job_remote(const struct tfr_job *job);
struct tfr_temporaries *tfr_job_temporaries(const struct tfr_job *job);
/* The exchange that this part writes (job/record_exchange.h), or NULL; it belongs to the job. */
struct tfr_exchange **tfr_job_exchange(struct tfr_job *job);
/* The exchanges of all parts of the step that is due; they belong to the job. */
enum tfr_status tfr_job_exchanged(
	struct tfr_job *job, struct tfr_exchanged **x, struct tfr_error *err);
/* The number of the next set that is opened to finish the job, in the order in which the parts
 * opened theirs. */
uint32_t tfr_job_next_set(struct tfr_job *job);

#endif
