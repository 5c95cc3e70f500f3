/* cmd/index.c - tfr index: FILE.idx beside each file, as DALI and PyPI's tfrecord read it, and
 * FILE.gzi beside a GZIP file.
 *
 * Standard output has one line for each index that is stale or missing (--check), or that would be
 * written (--dry-run), and is empty otherwise. */
#include <string.h>

#include "common/cmd.h"

struct index_settings {
	uint64_t jobs;
	const char *part;
	bool check, dry_run, no_gzi, force, json, allow_missing, quiet;
	int progress;
};

static const struct opt options[] = {
	OPT(FLAG, 0, "check", NULL, NULL,
		"write nothing; name the files whose index is stale or missing: status 1",
		struct index_settings, check),
	OPT(FLAG, 0, "dry-run", NULL, NULL, "write nothing; name the indexes that would be written",
		struct index_settings, dry_run),
	OPT(FLAG, 0, "no-gzi", NULL, NULL, "write only FILE.idx for a GZIP file",
		struct index_settings, no_gzi),
	OPT_FORCE(struct index_settings, force),
	OPT_JSON(struct index_settings, json),
	OPT_GONE_COMPRESSION,
	OPT_MISSING(struct index_settings, allow_missing),
	OPT_PART(struct index_settings, part),
	OPT_JOBS(struct index_settings, jobs),
	OPT_PROGRESS(struct index_settings, progress),
	OPT_QUIET(struct index_settings, quiet),
	OPTIONS_END,
};

/* What became of a file. */
enum result { WRITTEN, GOOD, STALE, MISSING, FAILED, RESULTS };
static const char *const words[RESULTS] = { "written", "good", "stale", "missing", "failed" };

struct index_run {
	struct cmd *c;
	const struct index_settings *s;
	struct tfr_json *json; /* NULL: text */
	uint64_t files, records, results[RESULTS];
	uint64_t one_stream; /* files written, of which `first` is the first */
	char first[1024];
};

static enum result result_of(const struct tfr_index_report *report, const struct tfr_error *err)
{
	if (err)
		return FAILED;
	if (report->written)
		return WRITTEN;
	return report->before == TFR_INDEX_GOOD	     ? GOOD
	       : report->before == TFR_INDEX_MISSING ? MISSING
						     : STALE;
}

static void file_as_json(struct index_run *run, const char *path,
	const struct tfr_index_report *report, enum result result, const struct tfr_error *err)
{
	struct tfr_json *j = run->json;
	char text[1024];

	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "file", path);
	tfr_json_string(j, "status", words[result]);
	if (!run->s->check && !run->s->dry_run)
		tfr_json_u64(j, "records", report->records);
	if (!run->s->check && !run->s->dry_run && !run->s->no_gzi &&
		report->compression == TFR_COMPRESSION_GZIP)
		tfr_json_u64(j, "points", report->points);
	if (err)
		tfr_json_string(j, "reason", tfr_error_format(err, text, sizeof(text)));
	else if (report->before != TFR_INDEX_GOOD)
		tfr_json_string(j, report->written ? "before" : "reason",
			tfr_index_state_text(report->before));
	tfr_json_close_object(j);
}

static void file_done(void *ctx, const char *path, const struct tfr_index_report *report,
	const struct tfr_error *err)
{
	struct index_run *run = ctx;
	enum result result = result_of(report, err);
	bool stale = result == STALE || result == MISSING;
	bool fault = stale && !run->s->dry_run;
	char escaped[4 * 4096];

	run->files++;
	run->records += report->records;
	run->results[result]++;
	if (result == WRITTEN && report->one_stream && !run->one_stream++)
		snprintf(run->first, sizeof(run->first), "%s", path);
	if (err)
		cmd_error(run->c, err);
	else if (!run->s->check && !run->s->dry_run && !report->records)
		cmd_warn_empty(run->c, path);
	if (fault && !run->c->exit)
		run->c->exit = 1;
	if (run->s->json)
		file_as_json(run, path, report, result, err);
	else if (run->s->dry_run && !err && (stale || run->s->force))
		printf("%s.idx\n", tfr_escape_line(escaped, sizeof(escaped), path));
	else if (fault && result == MISSING)
		printf("%s: no index\n", tfr_escape_line(escaped, sizeof(escaped), path));
	else if (fault)
		printf("%s: stale index: %s\n", tfr_escape_line(escaped, sizeof(escaped), path),
			tfr_index_state_text(report->before));
}

static void print_json(struct index_run *run)
{
	struct tfr_json *j = run->json;

	tfr_json_close_array(j);
	tfr_json_u64(j, "files", run->files);
	if (run->s->check || run->s->dry_run) {
		tfr_json_u64(j, "stale", run->results[STALE]);
		tfr_json_u64(j, "missing", run->results[MISSING]);
	} else {
		tfr_json_u64(j, "records", run->records);
		tfr_json_u64(j, "written", run->results[WRITTEN]);
	}
	tfr_json_u64(j, "good", run->results[GOOD]);
	tfr_json_u64(j, "failed", run->results[FAILED]);
	tfr_json_close_object(j);
	run->json = NULL; /* freed with the printing */
	cmd_print_json(run->c, j, stdout);
}

static void warn_of_streams(const struct index_run *run)
{
	if (run->one_stream)
		cmd_warn(run->c,
			"%llu GZIP file%s, such as '%s', can only be inflated from the start, "
			"which "
			"makes access to single records slow; 'tfr cat -z gzip -o NEW FILE' writes "
			"a file that can be inflated from many points",
			(unsigned long long)run->one_stream, run->one_stream == 1 ? "" : "s",
			run->first);
}

static void print_closing_line(const struct index_run *run)
{
	char text[TFR_COUNTED_TEXT];

	if (run->c->quiet || run->s->json)
		return;
	fprintf(stderr, "tfr index: %s", tfr_format_counted(run->files, "file", text));
	if (run->s->check || run->s->dry_run)
		fprintf(stderr, ": %llu stale, %llu missing",
			(unsigned long long)run->results[STALE],
			(unsigned long long)run->results[MISSING]);
	else
		fprintf(stderr, ", %s: %llu written",
			tfr_format_counted(run->records, "record", text),
			(unsigned long long)run->results[WRITTEN]);
	fprintf(stderr, ", %llu up to date", (unsigned long long)run->results[GOOD]);
	if (run->results[FAILED])
		fprintf(stderr, ", %llu failed", (unsigned long long)run->results[FAILED]);
	fprintf(stderr, " (%.2f s)\n", cmd_seconds());
}

static void run_index(struct index_run *run, const struct tfr_set *set)
{
	const struct index_settings *s = run->s;
	struct tfr_progress progress = { .total_bytes = tfr_set_bytes(set) };
	struct tfr_set_index_opts opts = {
		.threads = (unsigned)s->jobs,
		.force = s->force && !s->dry_run,
		.check = s->check || s->dry_run,
		.no_points = s->no_gzi,
		.temporaries = cmd_temporaries(),
		.progress = &progress,
		.file = file_done,
		.ctx = run,
	};
	struct tfr_error err;

	cmd_progress_start(run->c, &progress, (enum progress_mode)s->progress);
	if (tfr_set_index(set, &opts, &err))
		cmd_error(run->c, &err);
	cmd_progress_stop();
}

/* An index belongs to a file that has a name. */
static int refuse_standard_input(struct cmd *c, const struct tfr_set *set)
{
	for (size_t i = 0; i < tfr_set_count(set); i++)
		if (!strcmp(tfr_set_path(set, i), "-"))
			return cmd_usage(c, "standard input has no name for an index");
	return 0;
}

static int index_main(struct cmd *c)
{
	const struct index_settings *s = c->settings;
	struct index_run run = { .c = c, .s = s };
	struct tfr_set *set = NULL;

	c->quiet = s->quiet;
	if (!c->count)
		return cmd_usage(c, "no input: name files");
	if (s->check && s->dry_run)
		return cmd_usage(c, "--check and --dry-run cannot go together");
	if (s->check && s->force)
		return cmd_usage(c, "--check writes nothing; it cannot go with --force");
	if (cmd_take_part(c, s->part) || cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	if (!refuse_standard_input(c, set)) {
		if (s->json) {
			run.json = cmd_json_open(2);
			tfr_json_open_array(run.json, "inputs");
		}
		run_index(&run, set);
		if (s->json)
			print_json(&run);
		fflush(stdout);
		warn_of_streams(&run);
		print_closing_line(&run);
		tfr_json_free(run.json);
	}
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_index = {
	.name = "index",
	.operands = "FILE...",
	.summary = "write FILE.idx for DALI and PyPI's tfrecord",
	.options = options,
	.settings_size = sizeof(struct index_settings),
	.main = index_main,
};
