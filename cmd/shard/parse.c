/* cmd/shard/parse.c - checks the options of tfr shard that need more than their type, and puts them
 * into the settings of the conversion.
 *
 * An option that would have no effect is refused. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shard/options.h"

/* --- input --- */

static int check_globs(struct cmd *c, const char *option, const struct opt_list *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!globs->values[i][0] || strlen(globs->values[i]) >= 4096)
			return cmd_usage(c, "--%s takes a pattern of 1 to 4095 bytes", option);
	return 0;
}

static int set_inputs(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	static const char *const standard_input[] = { "-" };
	bool records = s->from && !strcmp(s->from, "records");

	o->inputs = c->operands;
	o->input_count = c->count;
	if (!c->count && records && !isatty(STDIN_FILENO)) {
		o->inputs = standard_input;
		o->input_count = 1;
	}
	if (!o->input_count)
		return cmd_usage(
			c, "no input: name a folder of images, an archive, a list or records");
	return 0;
}

int shard_parse_input(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	if (s->draw_masks && !s->annotations && (s->captions || s->panoptic))
		return cmd_usage(c, "--draw-masks needs --annotations");
	if (s->panoptic_masks && !s->panoptic)
		return cmd_usage(c, "--panoptic-masks needs --panoptic");
	if (set_inputs(c, s, o) || check_globs(c, "include", &s->include) ||
		check_globs(c, "exclude", &s->exclude))
		return c->exit;
	o->masks = s->mask;
	o->annotations = s->annotations;
	o->captions = s->captions;
	o->panoptic = s->panoptic;
	o->segments = s->panoptic_masks;
	o->image_set = s->image_set;
	o->instance_masks = s->draw_masks;
	o->include = s->include.values;
	o->include_count = s->include.count;
	o->exclude = s->exclude.values;
	o->exclude_count = s->exclude.count;
	return 0;
}

/* --- images --- */

enum { SIDE_MAX = 65500 /* the longest side of a JPEG */ };

/* Reads a number of pixels at *text, and moves *text past it.  0: not a number up to SIDE_MAX. */
static uint32_t parse_pixels(const char **text)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	n = strtoul(*text, &end, 10);
	*text = end;
	return n <= SIDE_MAX ? (uint32_t)n : 0;
}

static int parse_resize(struct cmd *c, const char *text, struct tfr_rework *w)
{
	const char *at = text;
	uint32_t width = parse_pixels(&at), height = 0;
	bool both = width && *at == 'x';

	if (both) {
		at++;
		height = parse_pixels(&at);
	}
	if (!width || (both && !height) || *at)
		return cmd_usage(c,
			"--resize takes a size such as 256 or 320x240, of 1 to %d pixels, not '%s'",
			SIDE_MAX, text);
	if (both) {
		w->width = width;
		w->height = height;
	} else {
		w->shorter = width;
	}
	return 0;
}

int shard_parse_images(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	static const enum tfr_image_format formats[] = { TFR_IMAGE_UNKNOWN, TFR_IMAGE_JPEG,
		TFR_IMAGE_PNG };
	struct tfr_rework *w = &o->rework;

	if (s->resize && parse_resize(c, s->resize, w))
		return c->exit;
	if (s->filter && !s->resize)
		return cmd_usage(c, "--filter needs --resize");
	if (s->filter && !tfr_filter_parse(s->filter, &w->filter))
		return cmd_usage_word(c, "filter",
			"triangle, area, cubic, lanczos, bilinear or nearest", s->filter);
	if (s->enlarge && !w->shorter)
		return cmd_usage(c, "--enlarge needs --resize SIZE, the size of the shorter side");
	if (s->quality > 100)
		return cmd_usage(c, "--quality takes a number from 1 to 100");
	w->format = formats[s->reencode];
	w->quality = (unsigned)s->quality;
	w->enlarge = s->enlarge;
	w->orient = s->orient;
	w->rgb8 = s->rgb8;
	if (s->quality &&
		(w->format == TFR_IMAGE_PNG || !(s->resize || w->format || s->orient || s->rgb8)))
		return cmd_usage(c, "--quality has no effect: no JPEG will be encoded");
	return 0;
}

/* --- audio --- */

int shard_parse_audio(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	bool floats = s->audio && !strcmp(s->audio, "floats");

	if (s->audio && !floats && strcmp(s->audio, "bytes"))
		return cmd_usage_word(c, "audio", "bytes or floats", s->audio);
	if (s->frame != -1 && !(s->frame > 0))
		return cmd_usage(c, "--frame takes a number of seconds above 0");
	if (s->frame > 0 && s->audio && !floats)
		return cmd_usage(c, "--frame needs --audio floats, not bytes");
	o->audio = floats || s->frame > 0 ? TFR_AUDIO_FLOATS : TFR_AUDIO_BYTES;
	o->frame = s->frame > 0 ? s->frame : 0;
	return 0;
}

/* --- the columns of a list --- */

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

/* Adds "NAME=TYPE".  The name ends at the last '=', because it can contain one. */
static int add_type(struct cmd *c, struct tfr_convert_opts *o, const char *word, size_t size)
{
	struct tfr_column_type *types =
		reallocarray((void *)(uintptr_t)o->types, o->type_count + 1, sizeof(*types));
	char *name = strndup(word, size), *equals = name ? strrchr(name, '=') : NULL;
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
	for (;;) {
		size_t n = strcspn(list, ",");

		if (add_type(c, o, list, n))
			return c->exit;
		if (!list[n])
			return 0;
		list += n + 1;
	}
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
	for (size_t i = 0; i < s->types.count; i++)
		if (add_types(c, o, s->types.values[i]))
			return c->exit;
	for (size_t i = 0; i < s->embeds.count; i++)
		if (add_embed(c, o, s->embeds.values[i]))
			return c->exit;
	o->na = s->na;
	if (s->delimiter)
		o->delimiter = strcmp(s->delimiter, "tab") ? *s->delimiter : '\t';
	if (s->delimiter && strcmp(s->delimiter, "tab") &&
		(strlen(s->delimiter) != 1 || strchr("\"\r\n", *s->delimiter) ||
			!isascii((unsigned char)*s->delimiter)))
		return cmd_usage(
			c, "--delimiter takes one ASCII character or tab, not '%s'", s->delimiter);
	return 0;
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
