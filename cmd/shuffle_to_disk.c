/* cmd/shuffle_to_disk.c - tfr shuffle-to-disk: a uniform permutation of any amount of data. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/sweep_options.h"

struct shuffle_settings {
	struct rewriting common;
	const char *output;
	uint64_t memory;
	struct opt_list tmpdirs;
};

static const struct shuffle_settings defaults = { .memory = (uint64_t)1 << 30 };

static const struct opt options[] = {
	REWRITING_INPUT(struct shuffle_settings),
	REWRITING_SEED(struct shuffle_settings),
	OPT_HEADING("Output"),
	OPT(STRING, 'o', "output", "OUT", NULL,
		"write OUT: a file, a set such as 'train@16.tfrecord', or -",
		struct shuffle_settings, output),
	REWRITING_OUTPUT(struct shuffle_settings),
	OPT_HEADING("Running"),
	OPT_MEMORY("use at most SIZE of memory", struct shuffle_settings, memory),
	OPT_TMPDIR(struct shuffle_settings, tmpdirs),
	OPT_GONE("resume", "Run the command again: it starts from the beginning."),
	REWRITING_RUNNING(struct shuffle_settings),
	OPTIONS_END,
};

/* --- the plan --- */

static void print_plan(const struct tfr_shuffle_plan *p)
{
	const char *about = p->exact ? "" : "about ";
	char input[TFR_SIZE_TEXT], memory[TFR_SIZE_TEXT], temp[TFR_SIZE_TEXT], there[TFR_SIZE_TEXT];

	if (p->input_bytes)
		printf("input    %s%s of records\n", about, tfr_format_size(p->input_bytes, input));
	else
		printf("input    of unknown size\n");
	printf("memory   %s, %u threads\n", tfr_format_size(p->memory, memory), p->threads);
	if (p->passes)
		printf("passes   %u%s\n", p->passes, p->passes == 1 ? ", all in memory" : "");
	else
		printf("passes   1 if all fits in memory, else 2 or more\n");
	printf("buckets  %u\n", p->buckets);
	if (p->passes == 1)
		printf("temp     none\n");
	else if (p->input_bytes)
		printf("temp     %sup to %s, %s free\n", about,
			tfr_format_size(p->temp_bytes, temp), tfr_format_size(p->temp_free, there));
	else
		printf("temp     as much as the input holds, %s free\n",
			tfr_format_size(p->temp_free, there));
}

static int print_plan_json(struct cmd *c, const struct tfr_shuffle_plan *p)
{
	struct tfr_json *j = cmd_json_open(0);

	tfr_json_u64(j, "input_bytes", p->input_bytes);
	tfr_json_bool(j, "exact", p->exact);
	tfr_json_u64(j, "passes", p->passes);
	tfr_json_u64(j, "threads", p->threads);
	tfr_json_u64(j, "buckets", p->buckets);
	tfr_json_u64(j, "memory", p->memory);
	tfr_json_u64(j, "temp_bytes", p->temp_bytes);
	tfr_json_u64(j, "temp_free", p->temp_free);
	tfr_json_close_object(j);
	return cmd_print_json(c, j, stdout);
}

static int dry_run(
	struct cmd *c, const struct shuffle_settings *s, const struct tfr_shuffle_opts *o)
{
	struct tfr_shuffle_plan plan;
	struct tfr_error err;

	if (tfr_shuffle_plan(o, &plan, &err))
		return cmd_fail(c, &err);
	if (s->common.json)
		return print_plan_json(c, &plan);
	print_plan(&plan);
	return c->exit;
}

/* --- the run --- */

static int print_report_json(struct cmd *c, const char *output, const struct tfr_shuffle_report *r)
{
	struct tfr_json *j = cmd_json_open(0);

	rewriting_json(j, &r->common);
	tfr_json_u64(j, "passes", r->passes);
	tfr_json_u64(j, "buckets", r->buckets);
	tfr_json_u64(j, "temp_bytes", r->temp_bytes);
	tfr_json_close_object(j);
	return cmd_print_json(c, j, rewriting_json_file(output));
}

static int run_shuffle(
	struct cmd *c, const struct shuffle_settings *s, const struct tfr_shuffle_opts *o)
{
	struct tfr_shuffle_report report;
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_shuffle(o, &report, &err);

	if (!rewriting_finish(c, &s->common, status, &report.common, &err) && s->common.json)
		return print_report_json(c, s->output, &report);
	return c->exit;
}

static int shuffle_main(struct cmd *c)
{
	const struct shuffle_settings *s = c->settings;
	struct tfr_shuffle_opts o = {
		.output = s->output,
		.memory = s->memory,
		.tmpdirs = s->tmpdirs.values,
		.tmpdir_count = s->tmpdirs.count,
	};
	struct tfr_set *input = NULL;

	if (!s->output)
		return cmd_usage(c, "no output: name one with -o");
	if (rewriting_prepare_output(c, &s->common, s->output))
		return c->exit;
	if (rewriting_start(c, &s->common, &o.common, &input))
		return c->exit;
	if (s->common.dry_run)
		dry_run(c, s, &o);
	else
		run_shuffle(c, s, &o);
	cmd_progress_stop();
	rewriting_close(&o.common, input);
	return c->exit;
}

const struct command cmd_shuffle_to_disk = {
	.name = "shuffle-to-disk",
	.alias = "shuffle",
	.operands = "[FILE]...",
	.summary = "put the records of any amount of data in random order",
	.options = options,
	.settings_size = sizeof(struct shuffle_settings),
	.defaults = &defaults,
	.main = shuffle_main,
};
