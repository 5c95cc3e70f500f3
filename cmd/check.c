/* cmd/check.c - tfr check: are the files whole.
 *
 * Silent on standard output when all is well; a line `FILE:RECORD:OFFSET: reason` a fault
 * otherwise. */
#include <string.h>

#include "builtin.h"

struct check_settings {
	uint64_t jobs;
	bool example, decode, quick, json, allow_missing, quiet;
	int format, compression, progress;
};

enum { FORMAT_TEXT, FORMAT_JSON };

static const struct opt options[] = {
	OPT(FLAG, 0, "example", NULL, NULL, "each record must be an Example", struct check_settings,
		example),
	OPT(FLAG, 0, "decode", NULL, NULL,
		"each picture must decode in full; names the bad ones (implies --example)",
		struct check_settings, decode),
	OPT(FLAG, 0, "quick", NULL, NULL, "only the length checksums and the exact end: no payload",
		struct check_settings, quick),
	OPT(CHOICE, 0, "format", "FORMAT", "text|json", "text or json [text]",
		struct check_settings, format),
	OPT_JSON(struct check_settings, json),
	OPT_COMPRESSION(struct check_settings, compression),
	OPT_MISSING(struct check_settings, allow_missing),
	OPT_JOBS(struct check_settings, jobs),
	OPT_PROGRESS(struct check_settings, progress),
	OPT_QUIET(struct check_settings, quiet),
	OPTIONS_END,
};

struct check_run {
	struct cmd *c;
	struct tfr_json *json; /* NULL: text */
	struct tfr_check_file all;
	uint64_t files, bad_files;
};

static void fault_as_json(struct tfr_json *j, const struct tfr_error *err, const char *reason)
{
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "file", err->path);
	if (err->has_record) {
		tfr_json_u64(j, "record", err->record);
		tfr_json_u64(j, "offset", err->offset);
	}
	tfr_json_string(j, "reason", reason);
	tfr_json_close_object(j);
}

static void fault_as_text(const struct tfr_error *err, const char *reason)
{
	char path[sizeof(err->path)];

	tfr_escape_line(path, sizeof(path), err->path);
	if (err->has_record)
		printf("%s:%llu:%llu: %s\n", path, (unsigned long long)err->record,
			(unsigned long long)err->offset, reason);
	else
		printf("%s: %s\n", path, reason);
}

static void told_fault(void *ctx, const struct tfr_error *err)
{
	struct check_run *run = ctx;
	struct tfr_error bare = *err;
	char reason[1024];
	int status = tfr_status_exit_code(err->status);

	/* What the system refused is no fault of the data: it is an error, and goes where errors
	 * go. */
	if (status > 1) {
		cmd_error(run->c, err);
		return;
	}
	if (run->c->exit < status)
		run->c->exit = status;
	bare.has_record = false; /* the line has file, record and offset already */
	tfr_error_format(&bare, reason, sizeof(reason));
	if (run->json)
		fault_as_json(run->json, err, reason);
	else
		fault_as_text(err, reason);
}

static void file_done(void *ctx, const struct tfr_check_file *file)
{
	struct check_run *run = ctx;

	run->files++;
	run->bad_files += file->faults != 0;
	run->all.records += file->records;
	run->all.payload_bytes += file->payload_bytes;
	run->all.faults += file->faults;
	run->all.lost_bytes += file->lost_bytes;
	run->all.pictures += file->pictures;
	if (!file->records && !file->faults)
		cmd_warn_empty(run->c, file->path);
}

static void print_json(struct check_run *run, bool quick)
{
	struct tfr_json *j = run->json;
	const char *text;

	tfr_json_close_array(j);
	tfr_json_u64(j, "files", run->files);
	tfr_json_u64(j, "bad_files", run->bad_files);
	tfr_json_u64(j, "records", run->all.records);
	if (!quick)
		tfr_json_u64(j, "payload_bytes", run->all.payload_bytes);
	tfr_json_u64(j, "lost_bytes", run->all.lost_bytes);
	tfr_json_u64(j, "pictures", run->all.pictures);
	tfr_json_close_object(j);
	text = tfr_json_text(j, NULL);
	if (text)
		puts(text);
	else
		cmd_error(run->c,
			&(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
}

static void print_number(uint64_t n, const char *noun)
{
	fprintf(stderr, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
}

static void print_closing_line(struct check_run *run, const struct check_settings *s)
{
	char size[TFR_SIZE_TEXT];

	if (run->c->quiet || run->json)
		return;
	fprintf(stderr, "tfr check: ");
	print_number(run->files, "file");
	fprintf(stderr, ", ");
	print_number(run->all.records, "record");
	if (!s->quick)
		fprintf(stderr, ", %s", tfr_format_size(run->all.payload_bytes, size));
	if (s->decode)
		fprintf(stderr, ", %llu pictures decoded", (unsigned long long)run->all.pictures);
	if (!run->all.faults) {
		fprintf(stderr, ": whole");
	} else {
		fprintf(stderr, ": ");
		print_number(run->all.faults, "fault");
		fprintf(stderr, " in ");
		print_number(run->bad_files, "file");
	}
	if (run->all.lost_bytes)
		fprintf(stderr, ", %s unreadable", tfr_format_size(run->all.lost_bytes, size));
	fprintf(stderr, " (%.2f s)\n", cmd_seconds());
}

static void run_check(
	struct check_run *run, const struct tfr_set *set, const struct check_settings *s)
{
	struct tfr_progress progress = { .total_bytes = tfr_set_bytes(set) };
	struct tfr_check_opts opts = {
		.threads = (unsigned)s->jobs,
		.compression = (enum tfr_compression)s->compression,
		.quick = s->quick,
		.example = s->example,
		.decode = s->decode,
		.progress = &progress,
		.fault = told_fault,
		.file = file_done,
		.ctx = run,
	};
	struct tfr_error err;

	cmd_progress_start(run->c, &progress, (enum progress_mode)s->progress);
	if (tfr_check_set(set, &opts, &err))
		cmd_error(run->c, &err);
	cmd_progress_stop();
}

static int check_main(struct cmd *c)
{
	const struct check_settings *s = c->settings;
	struct check_run run = { .c = c };
	struct tfr_set *set = NULL;

	c->quiet = s->quiet;
	if (s->quick && (s->example || s->decode))
		return cmd_usage(
			c, "--quick reads no payload; it cannot go with --example or --decode");
	if (cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	if (s->json || s->format == FORMAT_JSON) {
		run.json = tfr_json_new();
		tfr_json_pretty(run.json, 2);
		tfr_json_open_object(run.json, NULL);
		tfr_json_u64(run.json, "version", 1);
		tfr_json_open_array(run.json, "faults");
	}
	run_check(&run, set, s);
	if (run.json)
		print_json(&run, s->quick);
	fflush(stdout);
	print_closing_line(&run, s);
	tfr_json_free(run.json);
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_check = {
	.name = "check",
	.alias = "validate",
	.operands = "[FILE]...",
	.summary = "verify checksums; on request Examples and pictures",
	.options = options,
	.settings_size = sizeof(struct check_settings),
	.main = check_main,
};
