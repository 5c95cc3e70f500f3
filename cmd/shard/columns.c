/* cmd/shard/columns.c - parses --types and --embed of tfr shard, which describe the columns of a
 * list.
 *
 * A name ends at the last '=' of its part, because a name can contain '='. */
#include <stdlib.h>
#include <string.h>

#include "shard/options.h"

static bool parse_kind(const char *word, enum tfr_kind *kind)
{
	static const struct {
		const char *word;
		enum tfr_kind kind;
	} words[] = { { "int", TFR_KIND_INT64 }, { "int64", TFR_KIND_INT64 },
		{ "float", TFR_KIND_FLOAT }, { "bytes", TFR_KIND_BYTES },
		{ "text", TFR_KIND_BYTES } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i].word)) {
			*kind = words[i].kind;
			return true;
		}
	return false;
}

/* Adds "NAME=TYPE". */
static int add_type(struct cmd *c, struct tfr_convert_opts *o, const char *part, size_t size)
{
	struct tfr_column_type *types =
		reallocarray((void *)(uintptr_t)o->types, o->type_count + 1, sizeof(*types));
	char *name = strndup(part, size), *equals = name ? strrchr(name, '=') : NULL;
	int status = 0;

	if (types)
		o->types = types;
	if (!types || !name) {
		status = cmd_no_memory(c);
	} else if (!equals || equals == name) {
		status = cmd_usage(c, "--types takes NAME=TYPE, not '%s'", name);
	} else {
		*equals = '\0';
		if (!parse_kind(equals + 1, &types[o->type_count].kind))
			status =
				cmd_usage(c, "--types takes int, float or bytes for '%s', not '%s'",
					name, equals + 1);
	}
	if (status) {
		free(name);
		return status;
	}
	types[o->type_count++].name = name;
	return 0;
}

static int add_types(struct cmd *c, struct tfr_convert_opts *o, const char *list)
{
	int status = 0;

	while (!status) {
		size_t n = strcspn(list, ",");

		status = add_type(c, o, list, n);
		if (!list[n])
			break;
		list += n + 1;
	}
	return status;
}

static int add_embed(struct cmd *c, struct tfr_convert_opts *o, const char *text)
{
	struct tfr_embed *embeds =
		reallocarray((void *)(uintptr_t)o->embeds, o->embed_count + 1, sizeof(*embeds));
	char *column = strdup(text), *equals = column ? strrchr(column, '=') : NULL;

	if (embeds)
		o->embeds = embeds;
	if (!embeds || !column) {
		free(column);
		return cmd_no_memory(c);
	}
	if (equals)
		*equals = '\0';
	embeds[o->embed_count++] =
		(struct tfr_embed){ .column = column, .feature = equals ? equals + 1 : column };
	if (!*column || (equals && !equals[1]))
		return cmd_usage(c, "--embed takes COLUMN or COLUMN=FEATURE, not '%s'", text);
	for (size_t i = 0; i + 1 < o->embed_count; i++)
		if (!strcmp(embeds[i].feature, embeds[o->embed_count - 1].feature) ||
			!strcmp(embeds[i].column, column))
			return cmd_usage(c, "--embed is given twice for '%s'", text);
	return 0;
}

int shard_parse_columns(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	int status = 0;

	for (size_t i = 0; !status && i < s->types.count; i++)
		status = add_types(c, o, s->types.values[i]);
	for (size_t i = 0; !status && i < s->embeds.count; i++)
		status = add_embed(c, o, s->embeds.values[i]);
	return status;
}

void shard_free_columns(struct tfr_convert_opts *o)
{
	for (size_t i = 0; i < o->type_count; i++)
		free((void *)(uintptr_t)o->types[i].name);
	for (size_t i = 0; i < o->embed_count; i++)
		free((void *)(uintptr_t)o->embeds[i].column);
	free((void *)(uintptr_t)o->types);
	free((void *)(uintptr_t)o->embeds);
}
