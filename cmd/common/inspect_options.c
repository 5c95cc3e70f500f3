/* cmd/common/inspect_options.c - converts the common options of schema and stats to those of the
 * library. */
#include "common/inspect_options.h"

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
