/* cmd/common/remote_options.c - applies the options of objects to the process. */
#include "common/cmd.h"
#include "common/opt.h"

#include <string.h>

#include <tfr/remote.h>

/* Of a command with --memory, in addition to that. */
enum { READ_MEMORY = 48 << 20 };

static const struct opt *find(const struct command *command, const char *name)
{
	for (const struct opt *o = command->options; o->type; o++)
		if (o->name && !strcmp(o->name, name))
			return o;
	return NULL;
}

bool cmd_names_object(const struct cmd *c)
{
	for (int i = 1; i < c->argc; i++)
		if (strstr(c->argv[i], "://"))
			return true;
	return false;
}

/* Parts that wait to be sent get a quarter of the command's memory. */
static uint64_t take_memory(struct cmd *c)
{
	const struct opt *o = find(c->command, "memory");
	uint64_t *memory =
		o && o->type == OPT_SIZE ? (void *)((char *)c->settings + o->offset) : NULL;
	uint64_t part = memory ? *memory / 4 : 0;

	if (memory)
		*memory -= part;
	return part;
}

static const char *temporary_folder(const struct cmd *c)
{
	const struct opt *o = find(c->command, "tmpdir");
	const void *field = o ? (const char *)c->settings + o->offset : NULL;
	const struct opt_list *list = field;

	if (o && o->type == OPT_STRING)
		return *(const char *const *)field;
	return o && o->type == OPT_LIST && list->count ? list->values[0] : NULL;
}

int cmd_set_remote(struct cmd *c, const struct opt_remote_settings *s)
{
	struct tfr_remote_opts opts = { .anonymous = s->anonymous,
		.connections = (unsigned)(s->connections < 4096 ? s->connections : 4096),
		.timeout = s->timeout,
		.part_size = s->part_size };
	struct tfr_error err;

	/* URLs may be in a list, too: an option that was given always counts. */
	if (c->command->local || !(cmd_names_object(c) || s->anonymous || s->connections ||
					 s->part_size || s->timeout > 0))
		return 0;
	opts.memory = take_memory(c);
	opts.read_memory = opts.memory ? READ_MEMORY : 0;
	opts.tmpdir = temporary_folder(c);
	return tfr_remote_set(&opts, &err) ? cmd_fail(c, &err) : 0;
}
