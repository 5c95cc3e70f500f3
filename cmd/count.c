/* cmd/count.c - tfr count: counts records.
 *
 * Only headers are read unless an option needs the payloads.  Without options, standard output is
 * one number. */
#include <string.h>

#include "common/cmd.h"

struct count_settings {
	uint64_t jobs, max_record;
	const char *by, *where, *part;
	bool per_file, sum, manifest, json, allow_missing, quiet;
	int progress;
};

static const struct opt options[] = {
	OPT(FLAG, 0, "per-file", NULL, NULL, "print one line per file: FILE TAB COUNT",
		struct count_settings, per_file),
	OPT(FLAG, 0, "sum", NULL, NULL,
		"print COUNT TAB SUM, the content sum: reads and verifies every payload",
		struct count_settings, sum),
	OPT(STRING, 0, "by", "FEATURE", NULL,
		"group by the values of FEATURE: print one line per value, VALUE TAB COUNT, sorted "
		"by bytes",
		struct count_settings, by),
	OPT(STRING, 0, "where", "EXPR", NULL,
		"count only records for which EXPR holds, such as 'image/class/label == 3'",
		struct count_settings, where),
	OPT(FLAG, 0, "manifest", NULL, NULL,
		"take the counts from the manifest of the set unless it is stale",
		struct count_settings, manifest),
	OPT_JSON(struct count_settings, json),
	OPT_GONE_COMPRESSION,
	OPT_MISSING(struct count_settings, allow_missing),
	OPT_PART(struct count_settings, part),
	OPT_JOBS(struct count_settings, jobs),
	OPT_RECORD_MEMORY(struct count_settings, max_record),
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

static void put_file(
	struct count_run *run, const char *path, uint64_t records, uint64_t sum, bool whole)
{
	char name[4 * 4096];

	run->files++;
	run->records += records;
	run->sum += sum;
	if (run->s->json) {
		tfr_json_open_object(run->json, NULL);
		tfr_json_string(run->json, "file", path);
		tfr_json_u64(run->json, "records", records);
		tfr_json_bool(run->json, "intact", whole);
		tfr_json_close_object(run->json);
	} else if (run->s->per_file && whole) {
		printf("%s\t%llu", tfr_escape_name(name, sizeof(name), path),
			(unsigned long long)records);
		if (run->s->sum)
			printf("\t%016llx", (unsigned long long)sum);
		putchar('\n');
	}
}

static void file_counted(
	void *ctx, const char *path, uint64_t records, uint64_t sum, const struct tfr_error *err)
{
	struct count_run *run = ctx;

	if (err) {
		run->bad_files++;
		cmd_error(run->c, err);
	} else if (!records) {
		cmd_warn_empty(run->c, path);
	}
	put_file(run, path, records, sum, !err);
}

/* A file without a selected record needs no warning. */
static void selected_in_file(void *ctx, const char *path, uint64_t records, uint64_t sum)
{
	put_file(ctx, path, records, sum, true);
}

static void file_stale(void *ctx, const char *path, const char *why)
{
	struct count_run *run = ctx;

	cmd_warn(run->c, "counting '%s': %s", path, why);
}

static int put_json(struct count_run *run)
{
	struct tfr_json *j = run->json;

	run->json = NULL; /* freed with the printing */
	return cmd_print_json(run->c, j, stdout);
}

static int print_json(struct count_run *run)
{
	struct tfr_json *j = run->json;

	tfr_json_close_array(j);
	tfr_json_u64(j, "records", run->records);
	tfr_json_u64(j, "files", run->files);
	tfr_json_u64(j, "bad_files", run->bad_files);
	if (run->s->sum)
		cmd_json_sum(j, "sum", run->sum);
	tfr_json_close_object(j);
	return put_json(run);
}

/* If a file is bad, the total is not printed: it would be taken for the number of records. */
static int print_total(struct count_run *run)
{
	if (run->s->json)
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

/* --- with --by and --where --- */

static void value_counted(void *ctx, const struct tfr_bytes *value, uint64_t count)
{
	struct count_run *run = ctx;

	if (run->s->json) {
		tfr_json_open_object(run->json, NULL);
		tfr_json_key(run->json, "value", 5);
		tfr_json_bytes(run->json, NULL, value->data, value->size);
		tfr_json_u64(run->json, "count", count);
		tfr_json_close_object(run->json);
		return;
	}
	fwrite(value->data, 1, value->size, stdout);
	printf("\t%llu\n", (unsigned long long)count);
}

static void report_missing(void *ctx, const struct tfr_error *err)
{
	cmd_error(((struct count_run *)ctx)->c, err);
}

static void warn_text(void *ctx, const char *text)
{
	cmd_warn(((struct count_run *)ctx)->c, "%s", text);
}

/* A fault ends the count, since a total without the rest would be taken for the number of
 * records. */
static void count_selected(struct count_run *run, const struct tfr_set *set)
{
	const struct count_settings *s = run->s;
	struct tfr_count_by_opts opts = {
		.common = {
			.input = set,
			.where = s->where,
			.threads = (unsigned)s->jobs,
			.progress = cmd_show_progress,
			.warn = warn_text,
			.missing = report_missing,
			.ctx = run,
		},
		.by = s->by,
		.sum = s->sum,
		.value = value_counted,
		.file = s->by ? NULL : selected_in_file,
	};
	struct tfr_sweep_report report;
	struct tfr_error err;
	uint64_t absent;

	cmd_progress_follow(run->c, tfr_set_bytes(set), (enum progress_mode)s->progress);
	if (tfr_count_by(&opts, &report, &absent, &err)) {
		run->bad_files++;
		cmd_progress_stop();
		cmd_error(run->c, &err);
		return;
	}
	cmd_progress_stop();
	if (!s->by)
		return;
	if (run->s->json) {
		tfr_json_close_array(run->json);
		tfr_json_string(run->json, "by", s->by);
		tfr_json_u64(run->json, "records", report.taken);
		tfr_json_u64(run->json, "absent", absent);
		tfr_json_close_object(run->json);
		put_json(run);
	}
}

/* Reads the headers only, or all payloads for --sum. */
static void count_all(struct count_run *run, const struct tfr_set *set)
{
	const struct count_settings *s = run->s;
	struct tfr_progress progress = { .total_bytes = tfr_set_bytes(set) };
	struct tfr_count_opts opts = {
		.threads = (unsigned)s->jobs,
		.sum = s->sum,
		.manifest = s->manifest,
		.stale = file_stale,
		.progress = &progress,
		.file = file_counted,
		.ctx = run,
	};
	struct tfr_error err;

	cmd_progress_start(run->c, &progress, (enum progress_mode)s->progress);
	if (tfr_set_count_records(set, &opts, &err))
		cmd_error(run->c, &err);
	cmd_progress_stop();
}

/* Refuses options that contradict each other.  0: there are none. */
static int count_usage(struct cmd *c)
{
	const struct count_settings *s = c->settings;

	if (s->by && (s->per_file || s->sum))
		return cmd_usage(c, "--by counts values; it cannot go with --per-file or --sum");
	if (s->manifest && (s->by || s->where))
		return cmd_usage(c, "a manifest has no features; --manifest cannot go with --by "
				    "or --where");
	return 0;
}

static int count_main(struct cmd *c)
{
	const struct count_settings *s = c->settings;
	struct count_run run = { .c = c, .s = s };
	struct tfr_set *set = NULL;

	c->quiet = s->quiet;
	if (count_usage(c) || cmd_take_part(c, s->part) ||
		cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	if (s->json) {
		run.json = cmd_json_open(s->by ? 2 : 1);
		tfr_json_open_array(run.json, s->by ? "values" : "inputs");
	}
	if (s->by || s->where)
		count_selected(&run, set);
	else
		count_all(&run, set);
	if (!s->by && !(s->where && run.bad_files))
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
