/* cmd/looking.c - from the common options of the looking commands to those of the library. */
#include "looking.h"

/* What the meter shows: a copy, since the library's numbers live during the call only. */
static struct tfr_progress shown;

static bool show_progress(void *ctx, const char *phase, const struct tfr_progress *p)
{
	(void)ctx;
	(void)phase;
	__atomic_store_n(&shown.items, p->items, __ATOMIC_RELAXED);
	__atomic_store_n(&shown.bytes, p->bytes, __ATOMIC_RELAXED);
	return true; /* a signal ends the process: nothing cancels from here */
}

int looking_start(
	struct cmd *c, const struct looking *l, struct tfr_sweep_opts *o, struct tfr_set **input)
{
	c->quiet = l->quiet;
	if (cmd_open_inputs(c, l->allow_missing, input))
		return c->exit;
	*o = (struct tfr_sweep_opts){
		.input = *input,
		.compression = (enum tfr_compression)l->compression,
		.where = l->where,
		.skip_damaged = l->on_error,
		.threads = (unsigned)l->jobs,
		.progress = show_progress,
		.warn = cmd_warn_text,
		.ctx = c,
	};
	shown.total_bytes = tfr_set_bytes(*input);
	cmd_progress_start(c, &shown, (enum progress_mode)l->progress);
	return 0;
}

int looking_finish(struct cmd *c, enum tfr_status status, const struct tfr_error *err)
{
	cmd_progress_stop();
	return status ? cmd_fail(c, err) : 0;
}
