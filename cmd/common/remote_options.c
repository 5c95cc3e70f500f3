/* cmd/common/remote_options.c - the options of objects, which every command with inputs takes.
 *
 * They are no rows of the commands' tables: they mean the same everywhere, and tfr-remote(7)
 * describes them once. */
#include "common/cmd.h"
#include "common/opt.h"

#include <tfr-private/remote.h>

const struct opt opt_remote[] = {
	OPT(FLAG, 0, "anonymous", NULL, NULL, "do not sign requests, and look for no credentials",
		struct opt_remote_settings, anonymous),
	OPT(POSITIVE, 0, "connections", "N", NULL, "use at most N connections at once [32]",
		struct opt_remote_settings, connections),
	OPT(SIZE, 0, "part-size", "SIZE", NULL, "upload objects in parts of SIZE [16M]",
		struct opt_remote_settings, part_size),
	OPT(REAL, 0, "timeout", "S", NULL, "fail after S seconds without progress [60]",
		struct opt_remote_settings, timeout),
	OPTIONS_END,
};

const struct opt *opt_or_remote(const struct opt *o, const struct command *command)
{
	const struct opt *end = opt_remote + sizeof(opt_remote) / sizeof(*opt_remote);

	if (o->type || command->local || (o >= opt_remote && o < end))
		return o;
	return opt_remote;
}

int cmd_set_remote(struct cmd *c, const struct opt_remote_settings *s)
{
	const struct tfr_remote_opts opts = { .anonymous = s->anonymous,
		.connections = (unsigned)(s->connections < 4096 ? s->connections : 4096),
		.timeout = s->timeout,
		.part_size = s->part_size };
	struct tfr_error err;

	if (!s->anonymous && !s->connections && !s->part_size && !(s->timeout > 0))
		return 0;
	return tfr_remote_set(&opts, &err) ? cmd_fail(c, &err) : 0;
}
