/* shard/job/part_records.c - what a part records, and the records of all parts.
 *
 * STEP-PPPPP.part is the record of part PPPPP: a head, sections, and a checksum. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>
#include <xxhash.h>

#include "base/array.h"
#include "io/path.h"
#include "io/source.h"
#include "shard/job/create_once.h"
#include "shard/job/job_state.h"
#include "shard/job/record_exchange.h"

static const char magic[8] = "tfrpart1";

enum { RECORD_MOST = 1 << 30, SECTION_TAG = 8 };

/* The beginning of a record. */
struct head {
	char magic[8];
	uint64_t job; /* the number that the first process drew */
	uint64_t inputs;
	uint32_t part, parts, step, unused;
};

struct section {
	char tag[SECTION_TAG];
	uint64_t size;
};

static char *record_path(const struct tfr_job *job, unsigned step, uint32_t part)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%05u.part", tfr_job_step_name(job, step), part);
	return tfr_job_path(job, name);
}

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "opening a job");
}

static enum tfr_status exists(
	const struct tfr_job *job, unsigned step, uint32_t part, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = record_path(job, step, part);
	struct stat st;

	return path ? tfr_look(path, &st, err) : no_memory(err);
}

enum tfr_status tfr_job_recorded(const struct tfr_job *job, struct tfr_error *err)
{
	return exists(job, job->step, job->part, err);
}

enum tfr_status tfr_job_missing(const struct tfr_job *job, unsigned step, uint64_t *count,
	void (*missing)(void *ctx, uint32_t part), void *ctx, struct tfr_error *err)
{
	TFR_AUTO_FREE char *url = tfr_asprintf("%s/%s-", job->folder, tfr_job_step_name(job, step));

	*count = 0;
	if (url)
		tfr_look_ahead(url);
	for (uint32_t part = 0; part < job->terms.said.parts; part++) {
		enum tfr_status status = exists(job, step, part, err);

		if (status != TFR_OK && status != TFR_END)
			return status;
		*count += status == TFR_END;
		if (status == TFR_END && missing)
			missing(ctx, part);
	}
	return TFR_OK;
}

enum tfr_status tfr_job_put(
	struct tfr_job *job, const char *tag, const void *data, size_t size, struct tfr_error *err)
{
	struct section s = { .size = size };

	memcpy(s.tag, tag, strnlen(tag, SECTION_TAG));
	if (tfr_buf_append(&job->result, &s, sizeof(s)) &&
		(!size || tfr_buf_append(&job->result, data, size)))
		return TFR_OK;
	return tfr_fail_nomem(err, "recording the result of a part");
}

/* Creating the record of this part failed, since another process has recorded the part, or for want
 * of something.  The answer of a server may have been lost, so that the record that exists is the
 * one that this process wrote: the files that it names must stay. */
static enum tfr_status judge_failure(struct tfr_job *job, const char *path,
	const struct tfr_buf *bytes, enum tfr_status status, struct tfr_error *err)
{
	TFR_AUTO_BUF found = { 0 };
	struct tfr_error unread;
	enum tfr_status got = tfr_source_read_regular(
		path, RECORD_MOST, &found, "reading the record of a part", &unread);
	bool ours =
		!got && found.size == bytes->size && !memcmp(found.data, bytes->data, bytes->size);
	bool named = ours || (got && unread.sys_errno != ENOENT); /* or may be */

	if (got && status == TFR_EEXIST && err)
		*err = unread;
	if (job->exchange && named)
		tfr_exchange_keep(job->exchange);
	for (size_t i = 0; !named && i < job->n_files; i++)
		tfr_remove_once(job->files[i]);
	return !got ? TFR_OK : status == TFR_EEXIST ? got : status;
}

enum tfr_status tfr_job_commit(struct tfr_job *job, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = record_path(job, job->step, job->part);
	struct head head = { .job = job->terms.job,
		.inputs = job->inputs,
		.part = job->part,
		.parts = job->terms.said.parts,
		.step = job->step };
	TFR_AUTO_BUF bytes = { 0 };
	enum tfr_status status = TFR_OK;
	uint64_t sum;

	memcpy(head.magic, magic, sizeof(magic));
	if (job->exchange)
		status = tfr_exchange_end(job->exchange, job, err);
	if (status)
		return status;
	if (!path || !tfr_buf_append(&bytes, &head, sizeof(head)) ||
		(job->result.size && !tfr_buf_append(&bytes, job->result.data, job->result.size)))
		return no_memory(err);
	sum = XXH3_64bits(bytes.data, bytes.size);
	if (!tfr_buf_append(&bytes, &sum, sizeof(sum)))
		return no_memory(err);
	status = tfr_job_create(job, path, bytes.data, bytes.size, err);
	if (status)
		return judge_failure(job, path, &bytes, status, err);
	if (job->exchange)
		tfr_exchange_keep(job->exchange);
	return TFR_OK;
}

enum tfr_status tfr_job_wrote(struct tfr_job *job, const char *path, struct tfr_error *err)
{
	char *own = strdup(path);

	if (!own || TFR_ARRAY_ONE_MORE(job->files, job->n_files)) {
		free(own);
		return tfr_fail_nomem(err, "recording the result of a part");
	}
	job->files[job->n_files++] = own;
	return TFR_OK;
}

static enum tfr_status bad_record(const struct tfr_job *job, unsigned step, uint32_t part,
	const char *why, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = record_path(job, step, part);

	tfr_fail_path(
		err, TFR_EDATA, path ? path : job->folder, "the record of part %u %s:", part, why);
	tfr_error_hint(err, "Remove it and run this part again.");
	return TFR_EDATA;
}

enum tfr_status tfr_job_bad_record(
	const struct tfr_job *job, uint32_t part, const char *why, struct tfr_error *err)
{
	return bad_record(job, job->due < job->step ? job->due : job->step, part, why, err);
}

static enum tfr_status check_record(
	struct tfr_job *job, unsigned step, uint32_t part, struct record *r, struct tfr_error *err)
{
	size_t size = r->bytes.size;
	struct head head;
	uint64_t sum;

	if (size < sizeof(head) + sizeof(sum) || memcmp(r->bytes.data, magic, sizeof(magic)))
		return bad_record(job, step, part, "is damaged", err);
	memcpy(&sum, r->bytes.data + size - sizeof(sum), sizeof(sum));
	if (sum != XXH3_64bits(r->bytes.data, size - sizeof(sum)))
		return bad_record(job, step, part, "is damaged", err);
	memcpy(&head, r->bytes.data, sizeof(head));
	if (head.job != job->terms.job)
		return bad_record(job, step, part, "belongs to another job", err);
	if (head.part != part || head.parts != job->terms.said.parts || head.step != step)
		return bad_record(job, step, part, "is that of another part", err);
	r->inputs = head.inputs;
	r->sections = (struct tfr_unread){ r->bytes.data + sizeof(head),
		r->bytes.data + size - sizeof(sum) };
	return TFR_OK;
}

static enum tfr_status load(
	struct tfr_job *job, unsigned step, uint32_t part, struct record *r, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = record_path(job, step, part);
	enum tfr_status status = path ? tfr_source_read_regular(path, RECORD_MOST, &r->bytes,
						"reading the record of a part", err)
				      : no_memory(err);

	if (!status)
		status = check_record(job, step, part, r, err);
	if (!status && r->inputs != job->inputs)
		status = bad_record(
			job, step, part, "is of other inputs than those that are there now", err);
	r->loaded = !status;
	return status;
}

/* The next section; false: there is none. */
static bool next_section(struct tfr_unread *sections, struct section *s, struct tfr_unread *content)
{
	const uint8_t *data;

	if (!tfr_unread_copy(sections, s, sizeof(*s)) ||
		!(data = tfr_unread_take(sections, s->size)))
		return false;
	*content = (struct tfr_unread){ data, data + s->size };
	return true;
}

static bool has_tag(const struct section *s, const char *tag)
{
	return !strncmp(s->tag, tag, SECTION_TAG);
}

static enum tfr_status take(struct tfr_job *job, unsigned step, uint32_t part, const char *tag,
	struct tfr_unread *section, struct tfr_error *err)
{
	struct record *r = &job->records[step][part];
	enum tfr_status status = r->loaded ? TFR_OK : load(job, step, part, r, err);
	struct section s;

	if (status)
		return status;
	if (!next_section(&r->sections, &s, section) || !has_tag(&s, tag))
		return bad_record(job, step, part, "lacks something", err);
	return TFR_OK;
}

enum tfr_status tfr_job_take(struct tfr_job *job, uint32_t part, const char *tag,
	struct tfr_unread *section, struct tfr_error *err)
{
	return take(job, job->due, part, tag, section, err);
}

enum tfr_status tfr_job_take_shards(
	struct tfr_job *job, uint32_t part, struct tfr_unread *section, struct tfr_error *err)
{
	return take(job, job->assembled && !job->shards ? job->step : job->due, part, "shards",
		section, err);
}

enum tfr_status tfr_job_find(struct tfr_job *job, uint32_t part, const char *tag,
	struct tfr_unread *section, struct tfr_error *err)
{
	struct record *r = &job->records[job->due][part];
	enum tfr_status status = r->loaded ? TFR_OK : load(job, job->due, part, r, err);
	struct tfr_unread sections = r->sections;
	struct section s;

	while (!status && next_section(&sections, &s, section))
		if (has_tag(&s, tag))
			return TFR_OK;
	return status ? status : tfr_job_bad_record(job, part, "lacks something", err);
}

enum tfr_status tfr_job_take_struct(struct tfr_job *job, uint32_t part, const char *tag, void *to,
	size_t size, struct tfr_error *err)
{
	struct tfr_unread section = { 0 };
	enum tfr_status status = tfr_job_take(job, part, tag, &section, err);

	if (status)
		return status;
	if (section.end - section.p != (ptrdiff_t)size)
		return tfr_job_bad_record(job, part, "lacks something", err);
	memcpy(to, section.p, size);
	return TFR_OK;
}

enum tfr_status tfr_job_sum(struct tfr_job *job, const char *tag, uint64_t *numbers, size_t count,
	struct tfr_error *err)
{
	enum tfr_job_act act = tfr_job_act(job);
	enum tfr_status status = TFR_OK;
	struct tfr_unread section = { 0 };
	uint64_t n = 0;

	if (act == TFR_JOB_SHARE)
		return tfr_job_put(job, tag, numbers, count * sizeof(n), err);
	for (uint32_t k = 0; act == TFR_JOB_REPLAY && !status && k < tfr_job_parts(job); k++) {
		status = tfr_job_take(job, k, tag, &section, err);
		if (!status && section.end - section.p != (ptrdiff_t)(count * sizeof(n)))
			status = tfr_job_bad_record(job, k, "lacks something", err);
		for (size_t i = 0; !status && i < count; i++) {
			tfr_unread_copy(&section, &n, sizeof(n));
			numbers[i] += n;
		}
	}
	return status;
}
