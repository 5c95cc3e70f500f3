/* cmd/common/sweep_options.c - converts the common options of commands that read every record to
 * those of the library. */
#include "common/sweep_options.h"

#include <string.h>

#include "common/on_error.h"

struct tfr_sweep_opts looking_sweep(
	struct cmd *c, const struct looking *l, const struct tfr_set *input)
{
	return (struct tfr_sweep_opts){
		.input = input,
		.where = l->where,
		.on_fault = (enum tfr_on_fault)l->on_error,
		.threads = (unsigned)l->jobs,
		.progress = cmd_show_progress,
		.warn = cmd_warn_text,
		.missing = cmd_missing,
		.ctx = c,
	};
}

int looking_start(
	struct cmd *c, const struct looking *l, struct tfr_sweep_opts *o, struct tfr_set **input)
{
	c->quiet = l->quiet;
	if (cmd_open_inputs(c, l->allow_missing, input))
		return c->exit;
	*o = looking_sweep(c, l, *input);
	cmd_progress_follow(c, tfr_set_bytes(*input), (enum progress_mode)l->progress);
	return 0;
}

int looking_finish(struct cmd *c, enum tfr_status status, const struct tfr_error *err)
{
	cmd_progress_stop();
	return status ? cmd_fail(c, err) : 0;
}

int rewriting_prepare_output(struct cmd *c, const struct rewriting *r, const char *output)
{
	const char *quarantine = on_error_quarantine(r->on_error);

	c->quiet = r->quiet;
	if (!r->dry_run)
		tfr_set_recover(output, cmd_temporaries(), cmd_warn_text, c);
	if (quarantine && !strcmp(quarantine, output))
		return cmd_usage(c, "the output and the quarantine are one file");
	return cmd_check_terminal(c, output, r->force || r->dry_run);
}

static int rewriting_open(struct cmd *c, const struct rewriting *r, struct tfr_rewrite_opts *o,
	struct tfr_set **input)
{
	const struct looking look = {
		.jobs = r->jobs,
		.where = r->where,
		.on_error = (int)on_error_policy(r->on_error),
	};
	struct tfr_error err;

	c->quiet = r->quiet;
	if (on_error_check(c, r->on_error) || cmd_open_inputs(c, r->allow_missing, input))
		return c->exit;
	*o = (struct tfr_rewrite_opts){
		.sweep = looking_sweep(c, &look, *input),
		.seed = r->seed,
		.writer = {
			.threads = (unsigned)r->jobs,
			.compression = (enum tfr_compression)r->compress,
			.level = r->level,
			.force = r->force,
			.dry_run = r->dry_run,
			.temporaries = cmd_temporaries(),
			.expected = cmd_names_object(c) ? tfr_set_bytes(*input) : 0,
		},
		.command = c->line,
	};
	if (cmd_expect(c, &r->expect, &o->expect))
		return c->exit;
	if (on_error_open_quarantine(
		    &o->sweep.quarantine, r->on_error, r->force, r->dry_run, &err))
		return cmd_fail(c, &err);
	return 0;
}

void rewriting_close(struct tfr_rewrite_opts *o, struct tfr_set *input)
{
	tfr_stream_writer_close(o->sweep.quarantine);
	tfr_set_close(input);
}

int rewriting_start(struct cmd *c, const struct rewriting *r, struct tfr_rewrite_opts *o,
	struct tfr_set **input)
{
	if (rewriting_open(c, r, o, input)) {
		rewriting_close(o, *input);
		return c->exit;
	}
	cmd_progress_follow(c, 0, (enum progress_mode)r->progress);
	return 0;
}

int rewriting_finish(struct cmd *c, const struct rewriting *r, enum tfr_status status,
	const struct tfr_rewrite_report *report, const struct tfr_error *err)
{
	cmd_progress_stop();
	if (status)
		return cmd_fail(c, err);
	cmd_print_summary(c, &(struct cmd_summary){
				     .read = report->records,
				     .written = report->written,
				     .skipped = report->records - report->taken,
				     .bad = report->bad,
				     .bytes = report->bytes,
				     .seconds = cmd_seconds(),
				     .sum = report->sum,
				     .dry_run = r->dry_run,
			     });
	return c->exit;
}

FILE *rewriting_json_file(const char *output)
{
	return strcmp(output, "-") ? stdout : stderr;
}

void rewriting_json(struct tfr_json *j, const struct tfr_rewrite_report *report)
{
	tfr_json_u64(j, "records", report->records);
	tfr_json_u64(j, "bad", report->bad);
	tfr_json_u64(j, "selected", report->taken);
	tfr_json_u64(j, "written", report->written);
	tfr_json_u64(j, "bytes", report->bytes);
	cmd_json_sum(j, "selected_sum", report->taken_sum);
	cmd_json_sum(j, "sum", report->sum);
	tfr_json_f64(j, "seconds", cmd_seconds());
}
