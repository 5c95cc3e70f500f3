/* cmd/repair.c - tfr repair: keeps every intact record and accounts for every other byte.
 *
 * Each damaged region is a line `FILE:RECORD:OFFSET: LENGTH bytes: reason`, on standard output in a
 * dry run, on standard error otherwise. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/on_error.h"
#include "common/sweep_options.h"

struct repair_settings {
	const char *output, *on_error, *part;
	uint64_t max_record;
	int level, compress, progress;
	bool fix_checksums, dry_run, force, json, allow_missing, quiet;
	struct expecting expect;
};

static const struct opt options[] = {
	OPT_HEADING("Input"),
	OPT(STRING, 0, "on-error", "HOW", "skip|quarantine=",
		"damaged bytes: skip, or quarantine=FILE, which skips them and writes them to FILE "
		"[skip]",
		struct repair_settings, on_error),
	OPT_GONE("quarantine", "Use --on-error quarantine=FILE."),
	OPT(FLAG, 0, "fix-checksums", NULL, NULL,
		"keep records whose payload alone is damaged, with a new checksum",
		struct repair_settings, fix_checksums),
	OPT_ALIAS("mend", "fix-checksums"),
	OPT_GONE_COMPRESSION,
	OPT_MISSING(struct repair_settings, allow_missing),
	OPT_HEADING("Output"),
	OPT(STRING, 'o', "output", "OUT", NULL,
		"write the intact records to OUT: a file, a set such as 'all@4.tfrecord', or -",
		struct repair_settings, output),
	OPT_FORCE(struct repair_settings, force),
	OPT_COMPRESS(struct repair_settings, compress),
	OPT_LEVEL(struct repair_settings, level),
	OPT_EXPECT_OUTPUT(struct repair_settings, expect),
	OPT_JSON(struct repair_settings, json),
	OPT_HEADING("Running"),
	OPT(FLAG, 0, "dry-run", NULL, NULL, "print what is damaged, and write nothing",
		struct repair_settings, dry_run),
	OPT_ALIAS("report", "dry-run"),
	OPT_PART(struct repair_settings, part),
	OPT_RECORD_MEMORY(struct repair_settings, max_record),
	OPT_PROGRESS(struct repair_settings, progress),
	OPT_QUIET(struct repair_settings, quiet),
	OPTIONS_END,
};

struct repair_run {
	struct cmd *c;
	const struct repair_settings *s;
	const struct tfr_set *set;
	struct tfr_json *json; /* NULL: text */
	struct tfr_repair_totals
		*files; /* those of each input, printed after all regions; NULL: text */
	size_t file_count;
};

static void damage_as_json(struct tfr_json *j, const struct tfr_damage *d)
{
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "file", d->path);
	tfr_json_u64(j, "record", d->record);
	tfr_json_u64(j, "offset", d->offset);
	tfr_json_u64(j, "bytes", d->size);
	tfr_json_string(j, "reason", d->reason);
	tfr_json_bool(j, "fixed", d->fixed);
	tfr_json_close_object(j);
}

static void print_damage(void *ctx, const struct tfr_damage *d)
{
	struct repair_run *run = ctx;
	char path[4 * 4096], reason[4096];

	if (run->json)
		damage_as_json(run->json, d);
	else
		fprintf(run->s->dry_run ? stdout : stderr, "%s:%llu:%llu: %llu bytes: %s\n",
			tfr_escape_line(path, sizeof(path), d->path), (unsigned long long)d->record,
			(unsigned long long)d->offset, (unsigned long long)d->size,
			tfr_escape_line(reason, sizeof(reason), d->reason));
}

static void totals_as_json(struct tfr_json *j, const struct tfr_repair_totals *t)
{
	tfr_json_u64(j, "records", t->records);
	tfr_json_u64(j, "fixed", t->fixed);
	tfr_json_u64(j, "damaged_regions", t->damages);
	tfr_json_u64(j, "bytes", t->bytes);
	tfr_json_u64(j, "kept_bytes", t->kept_bytes);
	tfr_json_u64(j, "lost_bytes", t->lost_bytes);
	tfr_json_u64(j, "broken_streams", t->broken);
}

static void file_done(void *ctx, const char *path, const struct tfr_repair_totals *totals)
{
	struct repair_run *run = ctx;

	if (!totals->bytes && !totals->broken)
		cmd_warn_empty(run->c, path);
	if (run->files)
		run->files[run->file_count++] = *totals;
}

static void warn_of(void *ctx, const char *text)
{
	cmd_warn(((struct repair_run *)ctx)->c, "%s", text);
}

static int print_json(struct repair_run *run, const struct tfr_repair_report *report)
{
	struct tfr_json *j = run->json;

	tfr_json_close_array(j);
	tfr_json_open_array(j, "inputs");
	for (size_t i = 0; i < run->file_count; i++) {
		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "file", tfr_set_path(run->set, i));
		totals_as_json(j, &run->files[i]);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	totals_as_json(j, &report->totals);
	tfr_json_u64(j, "written", report->written);
	cmd_json_sum(j, "sum", report->sum);
	tfr_json_f64(j, "seconds", cmd_seconds());
	tfr_json_close_object(j);
	run->json = NULL; /* freed with the printing */
	return cmd_print_json(run->c, j, rewriting_json_file(run->s->output ? run->s->output : ""));
}

static void print_closing_lines(struct repair_run *run, const struct tfr_repair_report *report)
{
	const struct tfr_repair_totals *t = &report->totals;

	char fixed[64] = "", broken[96] = "";

	if (run->json)
		return;
	if (t->fixed)
		snprintf(fixed, sizeof(fixed), ", %llu with a new checksum",
			(unsigned long long)t->fixed);
	if (t->broken)
		snprintf(broken, sizeof(broken),
			", and the rest of %llu broken stream%s, of unknown size",
			(unsigned long long)t->broken, t->broken == 1 ? "" : "s");
	cmd_closing_line(run->c,
		"%llu damaged region%s in %llu file%s: kept %llu + lost %llu = %llu bytes%s%s",
		(unsigned long long)t->damages, t->damages == 1 ? "" : "s",
		(unsigned long long)report->damaged_files, report->damaged_files == 1 ? "" : "s",
		(unsigned long long)t->kept_bytes, (unsigned long long)t->lost_bytes,
		(unsigned long long)t->bytes, fixed, broken);
	if (run->s->dry_run)
		return;
	cmd_print_summary(run->c, &(struct cmd_summary){
					  .read = t->records,
					  .written = report->written,
					  .bad = t->damages,
					  .bytes = report->payload_bytes,
					  .seconds = cmd_seconds(),
					  .sum = report->sum,
				  });
}

static void run_repair(struct repair_run *run)
{
	const struct repair_settings *s = run->s;
	struct tfr_progress progress = { .total_bytes = tfr_set_bytes(run->set) };
	struct tfr_repair_opts opts = {
		.input = run->set,
		.output = s->output,
		.writer = {
			.compression = (enum tfr_compression)s->compress,
			.level = s->level,
			.force = s->force,
			.dry_run = s->dry_run,
			.temporaries = cmd_temporaries(),
		},
		.quarantine = on_error_quarantine(s->on_error),
		.fix_checksums = s->fix_checksums,
		.command = run->c->line,
		.progress = &progress,
		.damage = print_damage,
		.file = file_done,
		.warn = warn_of,
		.ctx = run,
	};
	struct tfr_repair_report report;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	if (cmd_expect(run->c, &s->expect, &opts.expect))
		return;
	cmd_progress_start(run->c, &progress, (enum progress_mode)s->progress);
	status = tfr_repair(&opts, &report, &err);
	cmd_progress_stop();
	if (status) {
		cmd_fail(run->c, &err);
		return;
	}
	if (report.totals.lost_bytes || report.totals.broken)
		run->c->exit = 1;
	fflush(stdout);
	print_closing_lines(run, &report);
	if (run->json)
		print_json(run, &report);
}

static bool start_json(struct repair_run *run)
{
	run->files = calloc(tfr_set_count(run->set) + 1, sizeof(*run->files));
	run->json = cmd_json_open(0);
	if (!run->files || !run->json) {
		cmd_no_memory(run->c);
		return false;
	}
	tfr_json_open_array(run->json, "faults");
	return true;
}

static int check_usage(struct cmd *c, const struct repair_settings *s)
{
	const char *quarantine = on_error_quarantine(s->on_error);

	if (s->on_error && strcmp(s->on_error, "skip") && !quarantine)
		return cmd_usage_word(c, "on-error", "skip or quarantine=FILE", s->on_error);
	if (!s->output && !s->dry_run)
		return cmd_usage(c, "no output: name one with -o, or give --dry-run");
	if (!s->output && quarantine)
		return cmd_usage(c, "--on-error quarantine=FILE needs -o");
	if (quarantine && !strcmp(quarantine, "-"))
		return cmd_usage(c, "--on-error quarantine=FILE takes a file, not '-'");
	if (quarantine && !strcmp(quarantine, s->output))
		return cmd_usage(c, "the output and the quarantine are one file");
	return s->dry_run ? 0 : cmd_check_terminal(c, s->output, s->force);
}

static int repair_main(struct cmd *c)
{
	const struct repair_settings *s = c->settings;
	struct repair_run run = { .c = c, .s = s };
	struct tfr_set *set = NULL;

	c->quiet = s->quiet;
	if (check_usage(c, s) || cmd_take_part(c, s->part) ||
		cmd_refuse_in_part(c, s->expect.records || s->expect.sum, "--expect",
			"It counts the records of all files: add up those of the parts.") ||
		cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	run.set = set;
	/* A part without files writes no output without records. */
	if ((tfr_set_count(set) || s->dry_run) && (!s->json || start_json(&run)))
		run_repair(&run);
	tfr_json_free(run.json);
	free(run.files);
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_repair = {
	.name = "repair",
	.operands = "[FILE]...",
	.summary = "keep every intact record of damaged files",
	.options = options,
	.settings_size = sizeof(struct repair_settings),
	.main = repair_main,
};
