/* cmd/export.c - tfr export: write records back to files. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/selection.h"

struct export_settings {
	uint64_t jobs, skip, limit, max_record;
	const char *output, *to, *columns, *where, *on_error;
	int progress;
	bool force, dry_run, allow_missing, quiet;
	struct expecting expect;
};

static const struct export_settings defaults = { .limit = UINT64_MAX };

static const struct opt options[] = {
	OPT_HEADING("Input"),
	OPT_WHERE(struct export_settings, where),
	OPT(COUNT, 0, "skip", "N", NULL, "skip the first N selected records [0]",
		struct export_settings, skip),
	OPT(COUNT, 'n', "limit", "N", NULL, "export at most N records [all]",
		struct export_settings, limit),
	OPT_GONE_COMPRESSION,
	OPT_MISSING(struct export_settings, allow_missing),
	OPT_HEADING("Output"),
	OPT(STRING, 'o', "output", "OUT", NULL,
		"write OUT: a folder, a file x.tar, x.jsonl or x.csv, or - with --to",
		struct export_settings, output),
	OPT(STRING, 0, "to", "FORM", "folder|webdataset|jsonl|csv",
		"the form of OUT: folder, webdataset, jsonl or csv [by the name of OUT]",
		struct export_settings, to),
	OPT(STRING, 0, "columns", "FEATURES", NULL,
		"the columns of a table, names separated by commas [all features]",
		struct export_settings, columns),
	OPT(FLAG, 0, "dry-run", NULL, NULL,
		"write nothing; print OUT, its records and its size in bytes",
		struct export_settings, dry_run),
	OPT_EXPECT_OUTPUT(struct export_settings, expect),
	OPT_FORCE(struct export_settings, force),
	OPT_HEADING("Running"),
	OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",
		"records that are damaged or that OUT cannot hold: fail, skip them with a warning, "
		"or quarantine=FILE: skip them and write their bytes to FILE [fail]",
		struct export_settings, on_error),
	OPT_JOBS(struct export_settings, jobs),
	OPT_RECORD_MEMORY(struct export_settings, max_record),
	OPT_PROGRESS(struct export_settings, progress),
	OPT_QUIET(struct export_settings, quiet),
	OPTIONS_END,
};

static int open_records(
	struct cmd *c, struct selection *records, struct tfr_progress *progress, bool first)
{
	const struct export_settings *s = c->settings;
	bool skips = s->on_error && strcmp(s->on_error, "fail");
	/* Only the pass that exports writes a quarantine. */
	bool keeps_faults = !first && !s->dry_run;
	struct selection_opts opts = {
		.select = {
			.skip = s->skip,
			.limit = s->limit,
			.where = s->where,
			.progress = progress,
		},
		.allow_missing = s->allow_missing,
		.on_error = keeps_faults || !skips ? s->on_error : "skip",
		.force = s->force,
	};

	return selection_open(c, records, &opts);
}

/* --- the columns of a table --- */

/* Splits "a,b,c"; the names point into `copy`. */
static int split_columns(struct cmd *c, char *copy, struct tfr_export_opts *o)
{
	size_t n = 1;
	char **names;

	for (const char *p = copy; *p; p++)
		n += *p == ',';
	names = calloc(n, sizeof(*names));
	if (!names)
		return cmd_no_memory(c);
	o->columns = (const char *const *)names;
	for (char *name; (name = strsep(&copy, ",")); o->column_count++) {
		if (!*name)
			return cmd_usage(c, "--columns takes names separated by commas");
		names[o->column_count] = name;
	}
	return 0;
}

/* Reads all records to find their features. */
static int find_columns(struct cmd *c, struct tfr_export_opts *o, char ***found)
{
	struct selection records;
	struct tfr_error err;
	bool quiet = c->quiet;
	int failed = 0;

	for (size_t i = 0; i < c->count || !c->count; i++)
		if (!c->count || !strcmp(c->operands[i], "-"))
			return cmd_usage(c, "a table from standard input needs --columns");
	c->quiet = true;
	if (!open_records(c, &records, NULL, true)) {
		if (tfr_export_columns(records.select, found, &o->column_count, &err))
			failed = cmd_fail(c, &err);
		selection_close(&records);
	} else {
		failed = c->exit;
	}
	c->quiet = quiet;
	o->columns = (const char *const *)*found;
	if (!failed && !o->column_count)
		return cmd_fail(c, &(struct tfr_error){ .status = TFR_EDATA,
					   .message = "no record with a feature to export" });
	return failed;
}

/* --- the run --- */

static void print_summary(
	struct cmd *c, const struct tfr_select *records, const struct tfr_export_report *report)
{
	struct cmd_summary summary = {
		.read = tfr_select_records_read(records),
		.written = report->written,
		.skipped = tfr_select_records_read(records) - report->written,
		.bad = tfr_select_bad(records),
		.bytes = report->bytes,
		.seconds = cmd_seconds(),
		.sum = report->sum,
	};

	if (summary.skipped >= summary.bad)
		summary.skipped -= summary.bad;
	cmd_print_summary(c, &summary);
}

static void run_export(struct cmd *c, struct tfr_export_opts *o)
{
	const struct export_settings *s = c->settings;
	struct tfr_progress progress = { 0 };
	struct tfr_export_report report;
	struct selection records;
	struct tfr_error err;
	enum tfr_status status;

	if (open_records(c, &records, &progress, false))
		return;
	/* A handler removes a file, or aborts its upload, but not a folder. */
	if (!strcmp(tfr_export_form(s->output, s->to, &err), "folder"))
		o->interrupted = cmd_catch_signals();
	progress.total_bytes = selection_bytes(&records);
	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_export(records.select, o, &report, &err);
	if (!status)
		status = selection_publish(&records, &err);
	cmd_progress_stop();
	if (status && status != TFR_ECANCELLED)
		cmd_error(c, &err);
	if (!status) {
		tfr_select_warn_unmatched(records.select);
		if (s->dry_run)
			cmd_print_planned(s->output, report.written, report.output_bytes);
		else
			print_summary(c, records.select, &report);
	}
	selection_close(&records);
}

static int export_main(struct cmd *c)
{
	const struct export_settings *s = c->settings;
	struct tfr_export_opts o = {
		.target = s->output,
		.to = s->to,
		.threads = (unsigned)s->jobs,
		.force = s->force,
		.dry_run = s->dry_run,
		.temporaries = cmd_temporaries(),
		.warn = cmd_warn_text,
		.ctx = c,
	};
	char *copy = NULL, **found = NULL;
	const char *form;
	struct tfr_error err;
	int failed = 0;

	c->quiet = s->quiet;
	if (!s->output)
		return cmd_usage(c, "no output: name a folder or a file, such as -o photos");
	if (cmd_expect(c, &s->expect, &o.expect))
		return c->exit;
	form = tfr_export_form(s->output, s->to, &err);
	if (!form)
		return cmd_fail(c, &err);
	if (s->columns && strcmp(form, "csv"))
		return cmd_usage(c, "--columns needs a table, with --to csv");
	if (!strcmp(form, "webdataset") && !s->dry_run && cmd_check_terminal(c, s->output, s->force))
		return c->exit;
	if (s->columns) {
		copy = strdup(s->columns);
		failed = copy ? split_columns(c, copy, &o) : cmd_no_memory(c);
	} else if (!strcmp(form, "csv")) {
		failed = find_columns(c, &o, &found);
	}
	if (!failed)
		run_export(c, &o);
	if (found)
		tfr_export_columns_free(found, o.column_count);
	else
		free((void *)(uintptr_t)o.columns);
	free(copy);
	cmd_end_of_signal();
	return c->exit;
}

const struct command cmd_export = {
	.name = "export",
	.operands = "[FILE]...",
	.summary = "write records back to files",
	.options = options,
	.settings_size = sizeof(struct export_settings),
	.defaults = &defaults,
	.main = export_main,
};
