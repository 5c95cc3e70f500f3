/* rewrite/shuffle/shuffle.c - runs a shuffle, from its plan to its published output.
 *
 * The output is published only if the number and the content sum of the written records match
 * those of the records dealt. */
#include <stdlib.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "rewrite/rewrite_sweep.h"
#include "rewrite/shuffle/scatter.h"
#include "shard/set_writer.h"

/* For each of 48 workers an input, a temporary file and two shards: fewer than 256 open files. */
enum { SHARDS_OPEN = 96, SPILLS_MAX = 48 };

struct shuffle {
	const struct tfr_shuffle_opts *o;
	const struct tfr_set_info *info;
	struct tfr_shuffle_report *report;
	uint64_t records; /* dealt */
	struct tfr_shuffle_plan plan;
	struct tfr_memory_plan mem;
	char *default_folder;
	const char *const *folders;
	size_t folder_count;
	struct tfr_set_writer *out;
	struct tfr_spill *spill;
	struct tfr_dealt dealt;
	struct tfr_buckets buckets;
};

/* --- preparation --- */

static enum tfr_status find_folders(struct shuffle *s, struct tfr_error *err)
{
	s->folders = s->o->tmpdirs;
	s->folder_count = s->o->tmpdir_count;
	if (s->folder_count > SPILLS_MAX)
		return tfr_fail(err, TFR_EUSAGE,
			"temporary files can be spread over %d folders, not %zu", SPILLS_MAX,
			s->folder_count);
	if (s->folder_count)
		return TFR_OK;
	s->default_folder = tfr_default_tmpdir(s->o->output);
	s->folders = (const char *const *)&s->default_folder;
	s->folder_count = 1;
	return s->default_folder ? TFR_OK : tfr_fail_nomem(err, "looking for temporary space");
}

static enum tfr_status check_space(struct shuffle *s, struct tfr_error *err)
{
	char needed[TFR_SIZE_TEXT], there[TFR_SIZE_TEXT];

	if (s->plan.passes == 1 || s->plan.least_bytes <= s->plan.temp_free)
		return TFR_OK;
	tfr_fail_path(err, TFR_ESYS, s->folders[0],
		"%s of temporary space are needed, %s are free in",
		tfr_format_size(s->plan.least_bytes, needed),
		tfr_format_size(s->plan.temp_free, there));
	tfr_error_hint(err,
		"Name a folder with more space, or several, with --tmpdir; with more memory "
		"(-m) than the data has, none is needed.");
	return TFR_ESYS;
}

static enum tfr_status open_spill(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_spill_opts opts = {
		.folders = s->folders,
		.folder_count = s->folder_count,
		.files = s->mem.threads < SPILLS_MAX ? s->mem.threads : SPILLS_MAX,
		.expected = s->plan.temp_bytes,
	};

	return tfr_spill_open(&s->spill, &opts, err);
}

static enum tfr_status prepare(struct shuffle *s, struct tfr_error *err)
{
	const struct tfr_set_how how = { .open_now = SHARDS_OPEN };
	enum tfr_status status;

	TFR_TRY(tfr_set_writer_open_as(&s->out, s->o->output, &s->o->common.writer, &how,
		s->o->common.sweep.warn, s->o->common.sweep.ctx, err));
	TFR_TRY(tfr_shuffle_plan(s->o, &s->plan, err));
	TFR_TRY(find_folders(s, err));
	tfr_memory_plan(&s->mem, s->plan.memory, tfr_sweep_threads(s->o->common.sweep.threads),
		s->plan.input_bytes ? s->plan.input_bytes : UINT64_MAX);
	status = check_space(s, err);
	return status ? status : open_spill(s, err);
}

/* --- dealing --- */

static uint64_t largest_bucket(const struct shuffle *s)
{
	uint64_t most = 0;

	for (uint32_t k = 0; k < s->buckets.count; k++) {
		uint64_t need = tfr_bucket_memory(&s->buckets.b[k]);

		most = need > most ? need : most;
	}
	return most;
}

/* Whether the data in memory can stay there while buckets are sorted, one per worker if the
 * spill has more.  If so, the unused part of the arena is available for sorting. */
static bool stays_in_memory(struct shuffle *s)
{
	const struct tfr_arena *a = &s->dealt.arena;
	uint64_t used = (a->next < a->chunks ? a->next : a->chunks) * a->chunk;
	bool spilled = tfr_spill_bytes(s->spill) > 0;
	uint64_t at_once = spilled ? s->mem.threads + 1 : 1;
	uint64_t memory =
		s->plan.memory / 16 * 15; /* the rest is for memory left over from reading */

	if (used + at_once * largest_bucket(s) > memory)
		return false;
	s->mem.gather = memory - used;
	s->report->passes = spilled ? 2 : 1;
	return true;
}

/* The first pass. */
static enum tfr_status deal(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_shuffle_report *report = s->report;

	TFR_TRY(tfr_scatter(s->o, &s->mem, s->spill, &s->dealt, &s->buckets, &report->common, err));
	if (stays_in_memory(s))
		return TFR_OK;
	report->passes = 2;
	return tfr_scatter_flush(&s->dealt, err);
}

/* Further passes, while memory cannot hold some bucket. */
static enum tfr_status deal_again(struct shuffle *s, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint32_t divided = 1;

	while (!status && divided && !s->dealt.arena.base) {
		status = tfr_scatter_again(
			s->o, &s->mem, s->spill, &s->dealt, &s->buckets, &divided, err);
		s->report->passes += !status && divided;
	}
	return status;
}

/* --- writing --- */

static enum tfr_status gather(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_gather g = {
		.opts = s->o,
		.buckets = &s->buckets,
		.spill = s->spill,
		.out = s->out,
		.memory = s->mem.gather,
		.threads = s->mem.threads,
	};

	for (uint32_t k = 0; k < s->buckets.count; k++)
		g.records += s->buckets.b[k].records;
	s->records = g.records;
	return tfr_gather_run(&g, err);
}

static enum tfr_status check_written(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_rewrite_report *r = &s->report->common;
	struct tfr_totals t = tfr_set_writer_totals(s->out);

	r->written = t.records;
	r->bytes = t.payload_bytes;
	r->sum = t.sum;
	if (r->written == s->records && r->sum == r->taken_sum)
		return TFR_OK;
	tfr_fail(err, TFR_EDATA, "the records written are not the records read");
	tfr_error_hint(err, "The disk or the memory of this machine is not reliable.");
	return TFR_EDATA;
}

static enum tfr_status publish(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_rewrite_report *r = &s->report->common;
	struct tfr_set_info info = *s->info;
	enum tfr_status status = tfr_expect_some(&s->o->common.expect, r->records, r->written, err);

	info.beside[0] = s->o->common.sweep.quarantine;
	return status ? status : tfr_set_writer_publish(s->out, &info, err);
}

static enum tfr_status write_out(struct shuffle *s, struct tfr_error *err)
{
	TFR_TRY(deal_again(s, err));
	TFR_TRY(gather(s, err));
	return check_written(s, err);
}

static enum tfr_status shuffle(const struct tfr_shuffle_opts *opts, const struct tfr_set_info *info,
	struct tfr_shuffle_report *report, struct tfr_error *err)
{
	struct shuffle s = { .o = opts, .info = info, .report = report };
	enum tfr_status status;

	status = prepare(&s, err);
	if (!status)
		status = deal(&s, err);
	if (!status)
		status = tfr_expect_check(
			&opts->common.expect, report->common.taken, report->common.taken_sum, err);
	if (!status)
		status = write_out(&s, err);
	if (!status)
		status = publish(&s, err);
	report->buckets = s.buckets.count;
	if (s.spill)
		report->temp_bytes = tfr_spill_bytes(s.spill);
	tfr_buckets_clear(&s.buckets);
	tfr_dealt_clear(&s.dealt);
	tfr_spill_close(s.spill);
	tfr_set_writer_close(s.out);
	free(s.default_folder);
	return status;
}

enum tfr_status tfr_shuffle(const struct tfr_shuffle_opts *opts, struct tfr_shuffle_report *report,
	struct tfr_error *err)
{
	struct tfr_set_info info = { .command = opts->common.command, .seed = opts->common.seed };
	enum tfr_status status = tfr_set_info_carry(&info, opts->common.sweep.input, err);

	*report = (struct tfr_shuffle_report){ 0 };
	if (!status)
		status = shuffle(opts, &info, report, err);
	tfr_set_info_clear(&info);
	return status;
}
