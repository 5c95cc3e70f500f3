/* cmd/check.c - tfr check: verifies that files are intact.
 *
 * Prints nothing on standard output if all files are intact; otherwise one line
 * `FILE:RECORD:OFFSET: reason` per fault. */
#include "builtin.h"
#include "check_report.h"
#include "common/part.h"

struct check_settings {
	const char *schema, *part;
	uint64_t jobs;
	bool example, decode, manifest, strict, quick, allow_missing, quiet;
	int format, progress;
	struct expecting expect;
};

static const struct opt options[] = {
	OPT_HEADING("Checks"),
	OPT(FLAG, 0, "example", NULL, NULL, "each record must be an Example", struct check_settings,
		example),
	OPT(FLAG, 0, "decode", NULL, NULL,
		"each image must decode in full; names the bad ones (implies --example)",
		struct check_settings, decode),
	OPT_GONE("max-pixels", "The limit is 500,000,000 pixels."),
	OPT(STRING, 0, "schema", "FILE", NULL,
		"each record must have the features that FILE lists (implies --example)",
		struct check_settings, schema),
	OPT(FLAG, 0, "manifest", NULL, NULL, "each file must be what the manifest of its set says",
		struct check_settings, manifest),
	OPT(FLAG, 0, "strict", NULL, NULL,
		"what TensorFlow, DALI, PyPI's tfrecord or protobuf would read differently is a "
		"fault",
		struct check_settings, strict),
	OPT(FLAG, 0, "quick", NULL, NULL, "only the length checksums and the exact end: no payload",
		struct check_settings, quick),
	OPT_EXPECT(struct check_settings, expect),
	OPT_HEADING("Output"),
	OPT_FORMAT(struct check_settings, format),
	OPT_GONE_COMPRESSION,
	OPT_HEADING("Running"),
	OPT_MISSING(struct check_settings, allow_missing),
	OPT_PART(struct check_settings, part),
	OPT_JOBS(struct check_settings, jobs),
	OPT_PROGRESS(struct check_settings, progress),
	OPT_QUIET(struct check_settings, quiet),
	OPTIONS_END,
};

static void run_check(struct cmd *c, const struct tfr_set *set, const struct tfr_expect *expect,
	struct check_report *report)
{
	const struct check_settings *s = c->settings;
	struct tfr_progress progress = { .total_bytes = tfr_set_bytes(set) };
	struct tfr_check_opts opts = {
		.threads = (unsigned)s->jobs,
		.quick = s->quick,
		.example = s->example,
		.decode = s->decode,
		.strict = s->strict,
		.manifest = s->manifest,
		.sum = expect->has_sum,
		.schema = s->schema,
		.progress = &progress,
		.fault = check_report_fault,
		.file = check_report_file,
		.ctx = report,
	};
	enum tfr_status status;
	struct tfr_error err;

	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_check_set(set, &opts, &err);
	cmd_progress_stop();
	if (status) { /* not everything was read: no statement about the total */
		cmd_fail(c, &err);
		return;
	}
	check_report_expect(report, expect);
	check_report_end(report, s->quick, s->decode);
}

/* Refuses options that contradict each other.  0: there are none. */
static int check_usage(struct cmd *c)
{
	const struct check_settings *s = c->settings;

	if (s->quick && (s->example || s->decode || s->strict || s->schema))
		return cmd_usage(c,
			"--quick reads no payload; it cannot go with --example, --decode, "
			"--schema or --strict");
	if (s->quick && s->expect.sum)
		return cmd_usage(c, "--quick reads no payload; it cannot go with --expect-sum");
	return 0;
}

static int check_main(struct cmd *c)
{
	const struct check_settings *s = c->settings;
	struct check_report *report;
	struct tfr_expect expect;
	struct tfr_set *set = NULL;

	c->quiet = s->quiet;
	findings_report_failures(c, (enum report_format)s->format);
	if (check_usage(c) || cmd_take_part(c, s->part) ||
		cmd_refuse_in_part(c, s->expect.records || s->expect.sum, "--expect",
			"It counts the records of all files: add up those of the parts.") ||
		cmd_expect(c, &s->expect, &expect) || cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	report = check_report_new(c, (enum report_format)s->format);
	if (report)
		run_check(c, set, &expect, report);
	check_report_free(report);
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_check = {
	.name = "check",
	.alias = "validate",
	.operands = "[FILE]...",
	.summary = "verify checksums; on request Examples and images",
	.options = options,
	.settings_size = sizeof(struct check_settings),
	.main = check_main,
};
