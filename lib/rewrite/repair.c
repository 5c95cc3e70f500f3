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
#include "record/resync.h"

struct repair {
	const struct tfr_repair_opts *opts;
	struct tfr_repair_report *report;
	struct tfr_set_writer *out;
	struct tfr_stream_writer *quarantine;
	const char *path;
	struct tfr_repair_totals file; /* of the current file */
};

static enum tfr_status open_outputs(struct repair *r, struct tfr_error *err)
{
	const struct tfr_repair_opts *o = r->opts;
	struct tfr_writer_opts raw = o->writer;

	raw.compression = TFR_COMPRESSION_NONE;
	if (o->output)
		TFR_TRY(tfr_set_writer_open(&r->out, o->output, &o->writer, o->warn, o->ctx, err));
	if (o->quarantine)
		TFR_TRY(tfr_stream_writer_open(&r->quarantine, o->quarantine, &raw, err));
	return TFR_OK;
}

static enum tfr_status check_expected(struct repair *r, struct tfr_error *err)
{
	const struct tfr_repair_report *report = r->report;
	enum tfr_status status =
		tfr_expect_check(&r->opts->expect, report->totals.records, report->sum, err);

	if (!status && r->out)
		status = tfr_expect_some(&r->opts->expect, 0, report->written, err);
	if (status && report->totals.bytes && !report->totals.records) {
		const struct tfr_error old = *err; /* its hint stays */

		tfr_fail(err, status, "no record to write: none is intact");
		tfr_error_hint(err, "%s", tfr_error_hint_text(&old));
	}
	return status;
}

/* Both files are complete and on disk before the first of them becomes visible. */
static enum tfr_status publish_outputs(struct repair *r, struct tfr_error *err)
{
	TFR_AUTO_SET_INFO info = { .command = r->opts->command };

	TFR_TRY(check_expected(r, err));
	if (!r->out)
		return r->quarantine ? tfr_stream_writer_publish(r->quarantine, err) : TFR_OK;
	TFR_TRY(tfr_set_info_carry(&info, r->opts->input, err));
	info.beside[0] = r->quarantine;
	return tfr_set_writer_publish(r->out, &info, err);
}

/* A tfr_skipped_fn. */
static enum tfr_status lose_bytes(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	struct repair *r = ctx;
	struct iovec piece = { (void *)(uintptr_t)bytes, size };

	r->file.lost_bytes += size;
	tfr_progress_add(r->opts->progress, 0, size);
	return r->quarantine ? tfr_stream_writer_put(r->quarantine, &piece, 1, err) : TFR_OK;
}

static enum tfr_status keep_record(
	struct repair *r, const struct tfr_salvaged *s, struct tfr_error *err)
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

static void report_damage(
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
	if (r->opts->damage)
		r->opts->damage(r->opts->ctx, &damage);
}

static enum tfr_status take_piece(
	struct repair *r, const struct tfr_salvaged *s, struct tfr_error *err)
{
	if (s->kind == TFR_SALVAGED_RECORD)
		return keep_record(r, s, err);
	if (s->kind == TFR_SALVAGED_NOTHING) { /* lose_bytes() has received its bytes */
		report_damage(r, s, err, false);
		return TFR_OK;
	}
	report_damage(r, s, err, r->opts->fix_checksums);
	if (r->opts->fix_checksums)
		return keep_record(r, s, err);
	return lose_bytes(r, s->rec.data - TFR_RECORD_HEADER, (size_t)s->size, err);
}

static void add_file(struct repair *r, uint64_t bytes)
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
	if (r->opts->file)
		r->opts->file(r->opts->ctx, r->path, one);
}

static enum tfr_status repair_file(struct repair *r, const char *path, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { 0 };
	TFR_AUTO_READER reader = NULL;
	struct tfr_salvaged s;
	enum tfr_status status;

	r->path = path;
	r->file = (struct tfr_repair_totals){ 0 };
	TFR_TRY(tfr_reader_open(&reader, path, &opts, err));
	tfr_salvage_to(reader, lose_bytes, r);
	while (!(status = tfr_salvage_next(reader, &s, err)))
		TFR_TRY(take_piece(r, &s, err));
	if (status != TFR_END)
		return status;
	add_file(r, tfr_reader_offset(reader));
	return TFR_OK;
}

static enum tfr_status repair_all(struct repair *r, struct tfr_error *err)
{
	const struct tfr_set *input = r->opts->input;

	TFR_TRY(open_outputs(r, err));
	for (size_t i = 0; i < tfr_set_count(input); i++)
		TFR_TRY(repair_file(r, tfr_set_path(input, i), err));
	return publish_outputs(r, err);
}

enum tfr_status tfr_repair(
	const struct tfr_repair_opts *opts, struct tfr_repair_report *report, struct tfr_error *err)
{
	struct repair r = { .opts = opts, .report = report };
	struct tfr_error local;
	enum tfr_status status;

	if (!err)
		err = &local;
	*report = (struct tfr_repair_report){ 0 };
	status = repair_all(&r, err);
	tfr_set_writer_close(r.out);
	tfr_stream_writer_close(r.quarantine);
	return status;
}
