/* cmd/count.c - tfr count: how many records there are.
 *
 * Only headers are read unless something is asked of the payloads.  With no option standard output
 * is one number. */
#include <string.h>

#include "builtin.h"

struct count_settings {
	uint64_t jobs;
	bool per_file, sum, manifest, json, allow_missing, quiet;
	int compression, progress;
};

static const struct opt options[] = {
	OPT(FLAG, 0, "per-file", NULL, NULL, "a line a file: FILE TAB COUNT", struct count_settings,
		per_file),
	OPT(FLAG, 0, "sum", NULL, NULL,
		"COUNT TAB SUM, the content sum: reads and verifies every payload",
		struct count_settings, sum),
	OPT(FLAG, 0, "manifest", NULL, NULL,
		"answer from the manifest of the set where it is not stale", struct count_settings,
		manifest),
	OPT_JSON(struct count_settings, json),
	OPT_COMPRESSION(struct count_settings, compression),
	OPT_MISSING(struct count_settings, allow_missing),
	OPT_JOBS(struct count_settings, jobs),
	OPT_PROGRESS(struct count_settings, progress),
	OPT_QUIET(struct count_settings, quiet),
	OPTIONS_END,
};

struct count_run {
	struct cmd *c;
	const struct count_settings *s;
	uint64_t records, sum, files, bad_files;
	struct tfr_json *json;
};

static void file_counted(
	void *ctx, const char *path, uint64_t records, uint64_t sum, const struct tfr_error *err)
{
	struct count_run *run = ctx;

	run->files++;
	run->records += records;
	run->sum += sum;
	if (err) {
		run->bad_files++;
		cmd_error(run->c, err);
	} else if (!records) {
		cmd_warn_empty(run->c, path);
	}
	if (run->json) {
		tfr_json_open_object(run->json, NULL);
		tfr_json_string(run->json, "file", path);
		tfr_json_u64(run->json, "records", records);
		tfr_json_bool(run->json, "whole", !err);
		tfr_json_close_object(run->json);
	} else if (run->s->per_file && !err) {
		if (run->s->sum)
			printf("%s\t%llu\t%016llx\n", path, (unsigned long long)records,
				(unsigned long long)sum);
		else
			printf("%s\t%llu\n", path, (unsigned long long)records);
	}
}

static void file_stale(void *ctx, const char *path, const char *why)
{
	struct count_run *run = ctx;

	cmd_warn(run->c, "counting '%s': %s", path, why);
}

static int print_json(struct count_run *run)
{
	struct tfr_json *j = run->json;
	const char *text;
	char sum[17];

	tfr_json_close_array(j);
	tfr_json_u64(j, "records", run->records);
	tfr_json_u64(j, "files", run->files);
	tfr_json_u64(j, "bad_files", run->bad_files);
	if (run->s->sum) {
		snprintf(sum, sizeof(sum), "%016llx", (unsigned long long)run->sum);
		tfr_json_string(j, "sum", sum);
	}
	tfr_json_close_object(j);
	text = tfr_json_text(j, NULL);
	if (!text)
		return cmd_fail(run->c,
			&(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
	puts(text);
	return run->c->exit;
}

/* A total over files of which one is bad would be taken for the number of records: it is not
 * printed. */
static int print_total(struct count_run *run)
{
	if (run->json)
		return print_json(run);
	if (!run->s->per_file && !run->bad_files) {
		if (run->s->sum)
			printf("%llu\t%016llx\n", (unsigned long long)run->records,
				(unsigned long long)run->sum);
		else
			printf("%llu\n", (unsigned long long)run->records);
	}
	return run->c->exit;
}

static int count_main(struct cmd *c)
{
	const struct count_settings *s = c->settings;
	struct tfr_progress progress = { 0 };
	struct count_run run = { .c = c, .s = s };
	struct tfr_count_opts opts = {
		.threads = (unsigned)s->jobs,
		.compression = (enum tfr_compression)s->compression,
		.sum = s->sum,
		.manifest = s->manifest,
		.stale = file_stale,
		.progress = &progress,
		.file = file_counted,
		.ctx = &run,
	};
	struct tfr_set *set = NULL;
	struct tfr_error err;

	c->quiet = s->quiet;
	if (cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	if (s->json) {
		run.json = tfr_json_new();
		tfr_json_pretty(run.json, 1);
		tfr_json_open_object(run.json, NULL);
		tfr_json_u64(run.json, "version", 1);
		tfr_json_open_array(run.json, "inputs");
	}
	progress.total_bytes = tfr_set_bytes(set);
	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	if (tfr_set_count_records(set, &opts, &err))
		cmd_error(c, &err);
	cmd_progress_stop();
	print_total(&run);
	tfr_json_free(run.json);
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_count = {
	.name = "count",
	.operands = "[FILE]...",
	.summary = "count records, from their headers",
	.options = options,
	.settings_size = sizeof(struct count_settings),
	.main = count_main,
};
