/* cmd/dedup.c - tfr dedup: keeps the first of each group of equal records. */
#include <string.h>

#include "common/cmd.h"
#include "common/html_page.h"
#include "common/sweep_options.h"

struct dedup_settings {
	struct rewriting common;
	const char *output, *key, *report;
	uint64_t memory;
	struct opt_list tmpdirs;
};

static const struct dedup_settings defaults = { .key = "content", .memory = 1 << 30 };

static const struct opt options[] = {
	REWRITING_INPUT(struct dedup_settings),
	OPT(STRING, 0, "key", "FEATURE", "content",
		"records with equal values of FEATURE are duplicates [content: with equal bytes]",
		struct dedup_settings, key),
	OPT_ALIAS("by", "key"),
	OPT_HEADING("Output"),
	OPT(STRING, 'o', "output", "OUT", NULL,
		"write OUT: a file, a set such as 'unique@16.tfrecord', or -",
		struct dedup_settings, output),
	OPT(STRING, 0, "report", "FILE", NULL,
		"write one line per duplicate: FILE TAB RECORD TAB FIRST-FILE TAB FIRST-RECORD",
		struct dedup_settings, report),
	REWRITING_OUTPUT(struct dedup_settings),
	OPT_HEADING("Running"),
	OPT_MEMORY("memory for the hashes of the records", struct dedup_settings, memory),
	OPT_TMPDIR(struct dedup_settings, tmpdirs),
	REWRITING_RUNNING(struct dedup_settings),
	OPTIONS_END,
};

/* The library passes the same context to this callback as to warnings, which is the command.  So
 * the page of the only run is here. */
static struct page *report;

static enum tfr_status put_duplicate(void *ctx, const char *path, uint64_t record,
	const char *first_path, uint64_t first_record, struct tfr_error *err)
{
	char text[4 * 4096];

	(void)ctx;
	page_text(report, tfr_escape_name(text, sizeof(text), path));
	page_format(report, "\t%llu\t", (unsigned long long)record);
	page_text(report, tfr_escape_name(text, sizeof(text), first_path));
	page_format(report, "\t%llu\n", (unsigned long long)first_record);
	return page_status(report, err);
}

static void print_report(struct cmd *c, const struct tfr_dedup_report *r)
{
	const struct dedup_settings *s = c->settings;
	struct tfr_json *j;

	rewriting_finish(c, &s->common, TFR_OK, &r->common, NULL);
	if (!s->common.json) {
		cmd_closing_line(c, "left out %llu duplicate%s of %llu record%s%s",
			(unsigned long long)r->duplicates, r->duplicates == 1 ? "" : "s",
			(unsigned long long)r->groups, r->groups == 1 ? "" : "s",
			r->images && !r->duplicates ? "; --key image/encoded compares images" : "");
		return;
	}
	j = cmd_json_open(0);
	rewriting_json(j, &r->common);
	tfr_json_u64(j, "duplicates", r->duplicates);
	tfr_json_u64(j, "groups", r->groups);
	tfr_json_u64(j, "temp_bytes", r->temp_bytes);
	tfr_json_close_object(j);
	cmd_print_json(c, j, rewriting_json_file(s->output));
}

static int run_dedup(struct cmd *c, struct tfr_dedup_opts *o)
{
	const struct dedup_settings *s = c->settings;
	struct tfr_dedup_report r = { 0 };
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_OK;

	if (s->report) {
		status = page_open(&report, s->report, s->common.force, &err);
		o->duplicate = put_duplicate;
		o->listing = status ? NULL : page_writer(report);
	}
	if (!status)
		status = tfr_dedup(o, &r, &err);
	page_close(report);
	if (status)
		return rewriting_finish(c, &s->common, status, &r.common, &err);
	print_report(c, &r);
	return c->exit;
}

static int dedup_main(struct cmd *c)
{
	const struct dedup_settings *s = c->settings;
	struct tfr_dedup_opts o = {
		.output = s->output,
		.key = strcmp(s->key, "content") ? s->key : NULL,
		.memory = s->memory ? s->memory : 1,
		.tmpdirs = s->tmpdirs.values,
		.tmpdir_count = s->tmpdirs.count,
	};
	struct tfr_set *input = NULL;

	if (!s->output)
		return cmd_usage(c, "no output: name a set, such as -o unique@16.tfrecord");
	if (s->report && s->common.dry_run)
		return cmd_usage(c, "--dry-run writes nothing; it cannot go with --report");
	if (s->report && !strcmp(s->report, s->output))
		return cmd_usage(c, "the output and the report are one file");
	if (rewriting_prepare_output(c, &s->common, s->output))
		return c->exit;
	if (rewriting_start(c, &s->common, &o.common, &input))
		return c->exit;
	run_dedup(c, &o);
	rewriting_close(&o.common, input);
	return c->exit;
}

const struct command cmd_dedup = {
	.name = "dedup",
	.operands = "[FILE]...",
	.summary = "remove duplicate records, by content or by a feature",
	.options = options,
	.settings_size = sizeof(struct dedup_settings),
	.defaults = &defaults,
	.main = dedup_main,
};
