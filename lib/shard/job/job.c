/* shard/job/job.c - the job directory: its terms, and which pass is due.
 *
 * job.json has the terms, which the first process records.  Files are created by a second link to a
 * complete file, or by a conditional request, which succeed for one process only, also on network
 * file systems.  Nothing here depends on locks. */
#include "shard/job/job_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/text.h>
#include <xxhash.h>

#include "io/path.h"
#include "io/source.h"
#include "shard/job/create_once.h"
#include "shard/job/record_exchange.h"

const char *tfr_job_step_name(const struct tfr_job *job, unsigned step)
{
	static const char *const names[] = { "scatter", "gather" };

	if (step == job->terms.said.steps)
		return "finish";
	return job->terms.said.steps == 1 ? "part" : names[step];
}

char *tfr_job_path(const struct tfr_job *job, const char *name)
{
	size_t n = strlen(job->folder);

	return tfr_asprintf(n && job->folder[n - 1] == '/' ? "%s%s" : "%s/%s", job->folder, name);
}

bool tfr_job_remote(const struct tfr_job *job)
{
	return tfr_is_url(job->folder);
}

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "opening a job");
}

enum tfr_status tfr_job_create(const struct tfr_job *job, const char *path, const void *data,
	size_t size, struct tfr_error *err)
{
	return tfr_create_once(path, data, size, job->temporaries, err);
}

/* --- the terms --- */

/* The current directory is that of the first part. */
static enum tfr_status record_terms(struct tfr_job *job, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *folder = getcwd(NULL, 0);
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status;

	job->terms.job = tfr_draw_number();
	status = tfr_terms_format(&job->terms, folder ? folder : ".", &text, err);
	return status ? status : tfr_job_create(job, path, text.data, text.size, err);
}

static enum tfr_status make_folder(const char *folder, struct tfr_error *err)
{
	struct stat st;

	if (tfr_is_url(folder) || !mkdir(folder, 0777))
		return TFR_OK;
	if (errno == EEXIST && !stat(folder, &st) && S_ISDIR(st.st_mode))
		return TFR_OK;
	return tfr_fail_errno(err, errno, folder, "cannot create the job directory");
}

/* Reads job.json.  TFR_END: there is none. */
static enum tfr_status load_terms(
	struct tfr_job *job, const char *path, struct tfr_terms *found, struct tfr_error *err)
{
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, err);

	(void)job;
	return status ? status : tfr_terms_read(found, path, err);
}

/* The part that an id stands for, by the recorded numbering. */
static enum tfr_status find_part(
	struct tfr_job *job, const struct tfr_job_place *place, struct tfr_error *err)
{
	const struct tfr_job_terms *said = &job->terms.said;
	int64_t ahead = place->id - said->first;

	if (ahead >= 0 && ahead % said->stride == 0 && ahead / said->stride < said->parts) {
		job->part = (uint32_t)(ahead / said->stride);
		return TFR_OK;
	}
	tfr_fail(err, TFR_EUSAGE,
		"task %lld is no part of the job '%s', whose %u parts count from %lld",
		(long long)place->id, job->folder, said->parts, (long long)said->first);
	if (!said->first && place->id == said->parts)
		tfr_error_hint(err, "Parts count from 0, as shards do: the last one is %u/%u.",
			said->parts - 1, said->parts);
	return TFR_EUSAGE;
}

static enum tfr_status agree(struct tfr_job *job, const struct tfr_job_terms *wanted,
	struct tfr_terms *found, const struct tfr_job_place *place, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_terms_compare(&found->said, wanted, !place->guess, job->folder, err);

	if (status)
		return status;
	tfr_terms_clear(&job->terms);
	job->terms = *found;
	*found = (struct tfr_terms){ 0 };
	return TFR_OK;
}

/* The terms of a new job. */
static enum tfr_status begin(struct tfr_job *job, const struct tfr_job_terms *terms,
	const struct tfr_job_place *place, const char *path, struct tfr_error *err)
{
	enum tfr_status status;

	if (place->irregular) {
		tfr_fail(err, TFR_EUSAGE,
			"the ids of this array have no constant step, so they cannot be parts");
		tfr_error_hint(err, "Use an array such as 0-7 or 1-15:2.");
		return TFR_EUSAGE;
	}
	if (tfr_terms_copy(&job->terms, terms))
		return no_memory(err);
	job->terms.said.first = place->first;
	job->terms.said.stride = place->stride;
	status = find_part(job, place, err);
	return status ? status : record_terms(job, path, err);
}

/* Records the terms, or compares them with the recorded ones. */
static enum tfr_status settle_terms(struct tfr_job *job, const struct tfr_job_terms *terms,
	const struct tfr_job_place *place, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_job_path(job, "job.json");
	struct tfr_terms found = { 0 };
	enum tfr_status status = path ? load_terms(job, path, &found, err) : no_memory(err);

	if (status == TFR_END) {
		status = begin(job, terms, place, path, err);
		if (status != TFR_EEXIST)
			return status;
		status = load_terms(job, path, &found, err); /* another part was faster */
	}
	if (!status)
		status = agree(job, terms, &found, place, err);
	if (!status)
		status = find_part(job, place, err);
	tfr_terms_clear(&found);
	return status;
}

static struct tfr_job *new_job(const char *folder, struct tfr_temporaries *temporaries)
{
	struct tfr_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->temporaries = temporaries;
	job->folder = strdup(folder);
	if (job->folder)
		return job;
	free(job);
	return NULL;
}

static enum tfr_status allocate_records(struct tfr_job *job, struct tfr_error *err)
{
	for (unsigned step = 0; step <= job->step; step++) {
		job->records[step] = calloc(job->terms.said.parts, sizeof(struct record));
		if (!job->records[step])
			return no_memory(err);
	}
	return TFR_OK;
}

enum tfr_status tfr_job_open(struct tfr_job **out, const char *folder,
	const struct tfr_job_terms *terms, const struct tfr_job_place *place, unsigned step,
	struct tfr_temporaries *temporaries, struct tfr_error *err)
{
	struct tfr_job *job = new_job(folder, temporaries);
	enum tfr_status status;

	if (!job)
		return no_memory(err);
	job->step = step;
	status = make_folder(folder, err);
	if (!status)
		status = settle_terms(job, terms, place, err);
	if (!status)
		status = allocate_records(job, err);
	if (status)
		tfr_job_close(job);
	else
		*out = job;
	return status;
}

/* Whether all parts have finished their shards. */
static enum tfr_status look_for_shards(struct tfr_job *job, struct tfr_error *err)
{
	uint64_t missing;
	enum tfr_status status = tfr_job_missing(job, job->step, &missing, NULL, NULL, err);

	job->assembled = !status && !missing;
	return status;
}

static enum tfr_status look_for_publishing(struct tfr_job *job, struct tfr_error *err)
{
	enum tfr_status status = tfr_job_marked(job, "publishing", err);

	job->again = !status;
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_job_open_finish(struct tfr_job **out, const char *folder,
	const struct tfr_job_place *place, struct tfr_temporaries *temporaries,
	struct tfr_error *err)
{
	struct tfr_job *job = new_job(folder, temporaries);
	TFR_AUTO_FREE char *path = job ? tfr_job_path(job, "job.json") : NULL;
	enum tfr_status status = path ? load_terms(job, path, &job->terms, err) : no_memory(err);

	if (status == TFR_END) {
		tfr_fail_path(err, TFR_EUSAGE, folder, "no job is recorded in");
		tfr_error_hint(err, "A command with --part and --job begins one.");
		status = TFR_EUSAGE;
	}
	if (!status) {
		job->step = job->terms.said.steps;
		job->assembles = place;
		status = allocate_records(job, err);
	}
	if (!status && place)
		status = find_part(job, place, err);
	else if (!status)
		status = look_for_shards(job, err);
	if (!status && !place)
		status = look_for_publishing(job, err);
	if (status)
		tfr_job_close(job);
	else
		*out = job;
	return status;
}

void tfr_job_close(struct tfr_job *job)
{
	if (!job)
		return;
	tfr_exchange_close(job->exchange);
	for (unsigned step = 0; step <= TFR_JOB_STEPS_MAX; step++) {
		if (step < TFR_JOB_STEPS_MAX)
			tfr_exchanged_close(job->exchanged[step]);
		for (uint32_t k = 0; job->records[step] && k < job->terms.said.parts; k++)
			tfr_buf_clear(&job->records[step][k].bytes);
		free(job->records[step]);
	}
	for (size_t i = 0; i < job->n_files; i++)
		free(job->files[i]);
	free(job->files);
	tfr_buf_clear(&job->result);
	tfr_terms_clear(&job->terms);
	free(job->folder);
	free(job);
}

const struct tfr_job_terms *tfr_job_terms(const struct tfr_job *job)
{
	return &job->terms.said;
}

const char *tfr_job_directory(const struct tfr_job *job)
{
	return job->terms.folder;
}

uint32_t tfr_job_part(const struct tfr_job *job)
{
	return job->part;
}

uint32_t tfr_job_parts(const struct tfr_job *job)
{
	return job->terms.said.parts;
}

struct tfr_temporaries *tfr_job_temporaries(const struct tfr_job *job)
{
	return job->temporaries;
}

struct tfr_exchange **tfr_job_exchange(struct tfr_job *job)
{
	return &job->exchange;
}

enum tfr_status tfr_job_exchanged(
	struct tfr_job *job, struct tfr_exchanged **x, struct tfr_error *err)
{
	struct tfr_exchanged **own = &job->exchanged[job->due];
	enum tfr_status status = *own ? TFR_OK : tfr_exchanged_open(own, job, err);

	*x = *own;
	return status;
}

uint32_t tfr_job_next_set(struct tfr_job *job)
{
	return job->sets++;
}

void tfr_job_inputs(struct tfr_job *job, uint64_t digest)
{
	job->inputs = job->has_inputs ? XXH3_64bits_withSeed(&digest, sizeof(digest), job->inputs)
				      : digest;
	job->has_inputs = true;
}

void tfr_job_gather_shards(struct tfr_job *job)
{
	if (job)
		job->shards = true;
}

bool tfr_job_gathers(const struct tfr_job *job)
{
	return job && job->shards && job->step == 1;
}

bool tfr_job_gathered(const struct tfr_job *job)
{
	return job && job->shards && job->step == job->terms.said.steps;
}

bool tfr_job_assembles(const struct tfr_job *job)
{
	return job && job->assembles;
}

bool tfr_job_assembled(const struct tfr_job *job)
{
	return job && job->assembled;
}

char *tfr_job_new_name(const struct tfr_job *job, const char *what)
{
	return tfr_asprintf(
		"%s-%05u-%016llx", what, job->part, (unsigned long long)tfr_draw_number());
}

/* --- which pass is due --- */

enum tfr_job_act tfr_job_act(const struct tfr_job *job)
{
	if (!job)
		return TFR_JOB_ALL;
	return job->due < job->step ? TFR_JOB_REPLAY : TFR_JOB_SHARE;
}

bool tfr_job_is_part(const struct tfr_job *job)
{
	return job && job->step < job->terms.said.steps;
}

bool tfr_job_step_over(struct tfr_job *job)
{
	if (!job)
		return false;
	if (job->due == job->step)
		return true;
	job->due += job->due + 1 < job->terms.said.steps;
	return false;
}

void tfr_job_return(struct tfr_job *job)
{
	if (job)
		job->due = 0;
}

/* --- marks --- */

enum tfr_status tfr_job_mark(struct tfr_job *job, const char *mark, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_job_path(job, mark);
	TFR_AUTO_BUF found = { 0 };
	char own[24];
	size_t size = (size_t)snprintf(
		own, sizeof(own), "%016llx\n", (unsigned long long)tfr_draw_number());
	enum tfr_status status = path ? tfr_job_create(job, path, own, size, err) : no_memory(err);

	/* The mark of this process, if the answer of a store was lost. */
	if (status == TFR_EEXIST && tfr_job_remote(job) &&
		!tfr_source_read_regular(path, sizeof(own), &found, "reading a mark", NULL) &&
		found.size == size && !memcmp(found.data, own, size))
		return TFR_OK;
	return status;
}

enum tfr_status tfr_job_marked(const struct tfr_job *job, const char *mark, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_job_path(job, mark);
	struct stat st;

	return path ? tfr_look(path, &st, err) : no_memory(err);
}

enum tfr_status tfr_job_begin_publishing(struct tfr_job *job, struct tfr_error *err)
{
	enum tfr_status status = job->again ? TFR_OK : tfr_job_mark(job, "publishing", err);

	return status == TFR_EEXIST ? TFR_OK : status;
}

bool tfr_job_publishes_again(const struct tfr_job *job)
{
	return job->again;
}
