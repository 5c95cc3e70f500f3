/* rewrite/repair.c - keeps every intact record and accounts for every other byte.
 *
 * tfr_salvage_next() returns the contents of a file piece by piece; each piece is written to its
 * output and counted.  The sum is compared with the position of the reader: every byte is
 * counted exactly once. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/rewrite.h>

#include "base/error.h"
#include "record/salvage.h"
#include "record/stream_writer.h"
#include "shard/job/job.h"
#include "shard/set.h"

struct repair {
	const struct tfr_repair_opts *opts;
	struct tfr_repair_report *report;
	struct tfr_set_writer *out;
	struct tfr_stream_writer *quarantine;
	const char *path;
	struct tfr_repair_totals file; /* of the current file */
	size_t number;		       /* of the current file */
	struct tfr_job *job;	       /* of which this is a part; NULL: none */
	struct tfr_buf result;	       /* of the part */
	bool good;		       /* there was memory for it */
};

static enum tfr_status open_outputs(struct repair *r, struct tfr_error *err)
{
	const struct tfr_repair_opts *o = r->opts;
	struct tfr_writer_opts as_it_lies = o->writer;
	enum tfr_status status = TFR_OK;

	as_it_lies.compression = TFR_COMPRESSION_NONE;
	if (o->output)
		status = tfr_set_writer_open(&r->out, o->output, &o->writer, o->warn, o->ctx, err);
	if (!status && o->quarantine)
		status = tfr_stream_writer_open(&r->quarantine, o->quarantine, &as_it_lies, err);
	return status;
}

/* Both files are complete and on disk before the first of them becomes visible. */
static enum tfr_status publish(struct repair *r, struct tfr_error *err)
{
	struct tfr_set_info info = { .command = r->opts->command };
	const struct tfr_repair_report *report = r->report;
	enum tfr_status status =
		tfr_expect_check(&r->opts->expect, report->totals.records, report->sum, err);

	if (!status && r->out)
		status = tfr_expect_some(&r->opts->expect, 0, report->written, err);
	if (status && report->totals.bytes && !report->totals.records && err) {
		const struct tfr_error old = *err; /* its hint stays */

		tfr_fail(err, status, "no record to write: none is intact");
		tfr_error_hint(err, "%s", tfr_error_hint_text(&old));
	}
	if (!status && r->out)
		status = tfr_set_info_carry(&info, r->opts->input, err);
	info.beside[0] = r->quarantine;
	if (!status && r->out)
		status = tfr_set_writer_publish(r->out, &info, err);
	else if (!status && r->quarantine)
		status = tfr_stream_writer_publish(r->quarantine, err);
	tfr_set_info_clear(&info);
	return status;
}

/* A tfr_passed_fn. */
static enum tfr_status lose(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	struct repair *r = ctx;
	struct iovec piece = { (void *)(uintptr_t)bytes, size };

	r->file.lost_bytes += size;
	tfr_progress_add(r->opts->progress, 0, size);
	return r->quarantine ? tfr_stream_writer_put(r->quarantine, &piece, 1, err) : TFR_OK;
}

static enum tfr_status keep(struct repair *r, const struct tfr_salvaged *s, struct tfr_error *err)
{
	struct tfr_repair_report *report = r->report;
	struct iovec piece = { (void *)(uintptr_t)s->rec.data, s->rec.size };
	struct tfr_digest d;
	uint32_t shard;

	tfr_digest_record(&s->rec, &d);
	r->file.records++;
	r->file.kept_bytes += s->size;
	report->payload_bytes += d.size;
	report->sum += d.sum;
	tfr_progress_add(r->opts->progress, 1, s->size);
	if (!r->out)
		return TFR_OK;
	shard = (uint32_t)(report->written++ % tfr_set_writer_shards(r->out));
	return tfr_set_writer_put(r->out, shard, &piece, 1, &d, err);
}

/* What a part of a job records, one after another: a damage, with its reason, or the end of a file.
 */
struct recorded {
	uint64_t file, reason_size; /* 0: the end of the file */
	uint64_t index, offset, size, fixed;
	struct tfr_repair_totals totals;
};

static bool record_damage(struct repair *r, const struct tfr_damage *d)
{
	struct recorded mine;

	memset(&mine, 0, sizeof(mine));
	mine.file = r->number;
	mine.reason_size = strlen(d->reason) + 1;
	mine.index = d->record;
	mine.offset = d->offset;
	mine.size = d->size;
	mine.fixed = d->fixed;
	return tfr_buf_append(&r->result, &mine, sizeof(mine)) &&
	       tfr_buf_append(&r->result, d->reason, mine.reason_size);
}

static bool record_file(struct repair *r)
{
	struct recorded mine;

	memset(&mine, 0, sizeof(mine));
	mine.file = r->number;
	mine.totals = r->file;
	return tfr_buf_append(&r->result, &mine, sizeof(mine));
}

static void tell(
	struct repair *r, const struct tfr_salvaged *s, const struct tfr_error *why, bool fixed)
{
	char reason[sizeof(why->message) + 64];
	struct tfr_damage damage = { r->path, s->index, s->offset, s->size, reason, fixed };
	/* A message that names the kind of the file also has its path, and the description of
	 * the damage has it too. */
	const char *path = why->status == TFR_EFORMAT ? strstr(why->message, ": '") : NULL;
	const char *more = fixed ? "; kept with a new checksum" : "";
	size_t n = path ? (size_t)(path - why->message) : strlen(why->message);

	if (s->broken)
		more = "; no data can be read after it";
	snprintf(reason, sizeof(reason), "%.*s%s", (int)n, why->message, more);
	r->file.damages++;
	r->file.fixed += fixed;
	r->file.broken += s->broken;
	if (r->job)
		r->good = r->good && record_damage(r, &damage);
	else if (r->opts->damage)
		r->opts->damage(r->opts->ctx, &damage);
}

static enum tfr_status settle(struct repair *r, const struct tfr_salvaged *s, struct tfr_error *err)
{
	if (s->kind == TFR_SALVAGED_RECORD)
		return keep(r, s, err);
	if (s->kind == TFR_SALVAGED_NOTHING) { /* lose() has received its bytes */
		tell(r, s, err, false);
		return TFR_OK;
	}
	tell(r, s, err, r->opts->fix_checksums);
	if (r->opts->fix_checksums)
		return keep(r, s, err);
	return lose(r, s->rec.data - TFR_RECORD_HEADER, (size_t)s->size, err);
}

static void add_up(struct repair *r, uint64_t bytes)
{
	struct tfr_repair_totals *all = &r->report->totals, *one = &r->file;

	one->bytes = bytes;
	assert(one->kept_bytes + one->lost_bytes == bytes);
	all->records += one->records;
	all->fixed += one->fixed;
	all->damages += one->damages;
	all->bytes += one->bytes;
	all->kept_bytes += one->kept_bytes;
	all->lost_bytes += one->lost_bytes;
	all->broken += one->broken;
	r->report->files++;
	r->report->damaged_files += one->damages != 0;
	if (r->job)
		r->good = r->good && record_file(r);
	else if (r->opts->file)
		r->opts->file(r->opts->ctx, r->path, one);
}

static enum tfr_status repair_file(struct repair *r, const char *path, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { 0 };
	struct tfr_reader *reader = NULL;
	struct tfr_salvaged s;
	enum tfr_status status = tfr_reader_open(&reader, path, &opts, err);

	r->path = path;
	r->file = (struct tfr_repair_totals){ 0 };
	if (status)
		return status;
	tfr_salvage_to(reader, lose, r);
	while (!status && !(status = tfr_salvage_next(reader, &s, err)))
		status = settle(r, &s, err);
	if (status == TFR_END) {
		add_up(r, tfr_reader_offset(reader));
		status = TFR_OK;
	}
	tfr_reader_close(reader);
	return status;
}

static enum tfr_status repair_all(struct repair *r, struct tfr_error *err)
{
	const struct tfr_set *input = r->opts->input;
	enum tfr_status status = TFR_OK;
	struct tfr_piece piece;

	for (size_t i = 0; !status && i < tfr_set_count(input); i++) {
		r->number = i;
		if (tfr_set_piece(input, i, &piece))
			status = repair_file(r, tfr_set_path(input, i), err);
	}
	return status;
}

/* --- the end of a job --- */

static enum tfr_status replay_part(
	struct repair *r, struct tfr_job *job, uint32_t part, struct tfr_error *err)
{
	struct tfr_unread result = { 0 };
	enum tfr_status status = tfr_job_take(job, part, "repair", &result, err);
	struct recorded theirs;
	const char *reason;

	while (!status && result.p != result.end) {
		if (!tfr_unread_copy(&result, &theirs, sizeof(theirs)) ||
			theirs.file != r->number || theirs.file >= tfr_set_count(r->opts->input))
			return tfr_job_bad_record(job, part, "lacks something", err);
		r->path = tfr_set_path(r->opts->input, r->number);
		if (!theirs.reason_size) {
			r->file = theirs.totals;
			if (r->file.kept_bytes + r->file.lost_bytes != r->file.bytes)
				return tfr_job_bad_record(job, part, "lacks something", err);
			add_up(r, r->file.bytes);
			r->number++;
			continue;
		}
		reason = tfr_unread_take(&result, theirs.reason_size);
		if (!reason || reason[theirs.reason_size - 1])
			return tfr_job_bad_record(job, part, "lacks something", err);
		if (r->opts->damage)
			r->opts->damage(r->opts->ctx,
				&(struct tfr_damage){ r->path, theirs.index, theirs.offset,
					theirs.size, reason, theirs.fixed });
	}
	return status;
}

static enum tfr_status replay(struct repair *r, struct tfr_job *job, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (uint32_t k = 0; !status && k < tfr_job_parts(job); k++)
		status = replay_part(r, job, k, err);
	if (!status && r->number != tfr_set_count(r->opts->input))
		return tfr_fail_path(err, TFR_EDATA, tfr_set_path(r->opts->input, r->number),
			"no part has read");
	return status;
}

static enum tfr_status add_up_parts(struct repair *r, struct tfr_job *job, struct tfr_error *err)
{
	uint64_t sums[3] = { r->report->payload_bytes, r->report->sum, r->report->written };
	enum tfr_status status = tfr_job_sum(job, "repaired", sums, 3, err);

	r->report->payload_bytes = sums[0];
	r->report->sum = sums[1];
	r->report->written = sums[2];
	return status;
}

enum tfr_status tfr_repair(
	const struct tfr_repair_opts *opts, struct tfr_repair_report *report, struct tfr_error *err)
{
	struct tfr_job *job = tfr_set_job(opts->input);
	enum tfr_job_act act = tfr_job_act(job);
	struct repair r = { .opts = opts,
		.report = report,
		.job = act == TFR_JOB_SHARE ? job : NULL,
		.good = true };
	struct tfr_error local;
	enum tfr_status status;

	if (!err)
		err = &local;
	*report = (struct tfr_repair_report){ 0 };
	status = open_outputs(&r, err);
	if (!status)
		status = act == TFR_JOB_REPLAY ? replay(&r, job, err) : repair_all(&r, err);
	if (!status && act == TFR_JOB_SHARE)
		status = r.good ? tfr_job_put(job, "repair", r.result.data, r.result.size, err)
				: tfr_fail_nomem(err, "recording the result of a part");
	if (!status && job)
		status = add_up_parts(&r, job, err);
	if (!status && act != TFR_JOB_SHARE)
		status = publish(&r, err);
	tfr_buf_clear(&r.result);
	tfr_set_writer_close(r.out);
	tfr_stream_writer_close(r.quarantine);
	return status;
}
