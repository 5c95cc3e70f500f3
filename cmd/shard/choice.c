/* cmd/shard/choice.c - patterns that could match nothing are refused. */
#include "shard/choice.h"

#include <string.h>

static int check_globs(struct cmd *c, const char *option, const struct opt_list *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!globs->values[i][0] || strlen(globs->values[i]) >= 4096)
			return cmd_usage(c, "--%s takes a pattern of 1 to 4095 bytes", option);
	return 0;
}

int choice_parse(struct cmd *c, const struct choice_settings *s, struct tfr_convert_opts *o)
{
	if (check_globs(c, "include", &s->include) || check_globs(c, "exclude", &s->exclude))
		return c->exit;
	o->include = s->include.values;
	o->include_count = s->include.count;
	o->exclude = s->exclude.values;
	o->exclude_count = s->exclude.count;
	o->labels = s->labels;
	o->synsets = s->synsets;
	o->class_list = s->class_list;
	o->stratify = s->stratify;
	return 0;
}
