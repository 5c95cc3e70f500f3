/* cmd/finish.c - tfr finish: ends a job of several parts. */
#include "common/finish.h"
#include "builtin.h"

struct finish_settings {
	const char *part;
	uint64_t jobs;
	bool quiet;
};

static const struct opt options[] = {
	OPT(STRING, 0, "part", "I/N", NULL,
		"write the shards of part I of N, counted from 0; the rest is done without this "
		"option",
		struct finish_settings, part),
	OPT_JOBS(struct finish_settings, jobs),
	OPT_QUIET(struct finish_settings, quiet),
	OPTIONS_END,
};

static int finish_main(struct cmd *c)
{
	const struct finish_settings *s = c->settings;

	c->quiet = s->quiet;
	if (c->count != 1)
		return cmd_usage(c, "needs the directory of one job");
	return finish_job(c, c->operands[0], s->jobs, s->part);
}

const struct command cmd_finish = {
	.name = "finish",
	.operands = "DIR",
	.summary = "finish a job whose parts ran on several machines",
	.options = options,
	.settings_size = sizeof(struct finish_settings),
	.main = finish_main,
};
