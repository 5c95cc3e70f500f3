/* convert/yolo/libyaml.c - the module yaml: parses data.yaml by libyaml's events, which are not
 * stored: the work is linear in the size of the file.
 *
 * No alias is resolved, so that a small file cannot describe a large one. */
#include <string.h>
#include <yaml.h>

#include "base/array.h"
#include "base/module_export.h"
#include "convert/number_text.h"
#include "convert/yolo/yolo.h"

enum { DEEPEST = 16, POINTS_MOST = 10000 };

/* The members that are used. */
enum { MOST_CLASSES = 1 << 20 };
enum key { OTHER, NAMES, COUNT, ROOT, PLACES, KEYPOINTS };

static const struct {
	const char *name;
	enum key key;
} keys[] = {
	{ "names", NAMES },
	{ "nc", COUNT },
	{ "path", ROOT },
	{ "train", PLACES },
	{ "val", PLACES },
	{ "valid", PLACES },
	{ "test", PLACES },
	{ "kpt_shape", KEYPOINTS },
};

struct parsing {
	struct tfr_yolo_yaml *y;
	yaml_parser_t parser;
	yaml_event_t event; /* until the next one */
	const char *path;
	struct tfr_error *err;
	unsigned long line;
	enum key key;	/* of the member whose value comes */
	size_t split;	/* offset in texts, of PLACES */
	bool mapping;	/* the value is a mapping */
	bool numbered;	/* of NAMES as a mapping: the number has been read */
	int64_t number; /* of the next name */
	unsigned sizes; /* of KEYPOINTS: numbers read */
};

static enum tfr_status fail(const struct parsing *p, const char *what)
{
	return tfr_fail(p->err, TFR_EDATA, "%s in '%s', line %lu", what, p->path, p->line);
}

/* --- values --- */

static const char *scalar(const struct parsing *p)
{
	return (const char *)p->event.data.scalar.value;
}

static enum tfr_status keep_text(struct parsing *p, size_t *at)
{
	const char *text = scalar(p);
	size_t n = p->event.data.scalar.length;

	if (memchr(text, '\0', n))
		return fail(p, "a NUL byte");
	*at = p->y->texts.size;
	return tfr_buf_append(&p->y->texts, text, n + 1) ? TFR_OK
							 : tfr_fail_nomem(p->err, "reading YAML");
}

static bool is_whole(const struct parsing *p, int64_t *value)
{
	double v;

	if (!tfr_number(scalar(p), p->event.data.scalar.length, &v) || v < 0 || v > INT32_MAX ||
		v != (double)(int64_t)v)
		return false;
	*value = (int64_t)v;
	return true;
}

/* The number of a class, or its name. */
static enum tfr_status take_name(struct parsing *p)
{
	struct tfr_yolo_name name;

	if (p->mapping && !p->numbered) {
		p->numbered = is_whole(p, &p->number);
		return p->numbered ? TFR_OK : fail(p, "a class whose number is not a number");
	}
	p->numbered = false;
	if (!p->event.data.scalar.length)
		return fail(p, "a class without a name");
	name.number = p->number++;
	TFR_TRY(keep_text(p, &name.text));
	if (TFR_ARRAY_ONE_MORE(p->y->names, p->y->n_names))
		return tfr_fail_nomem(p->err, "reading YAML");
	p->y->names[p->y->n_names++] = name;
	return TFR_OK;
}

static enum tfr_status take_place(struct parsing *p)
{
	struct tfr_yolo_place place = { .split = p->split };

	if (!p->event.data.scalar.length || !strcmp(scalar(p), "null") || !strcmp(scalar(p), "~"))
		return TFR_OK;
	TFR_TRY(keep_text(p, &place.text));
	if (TFR_ARRAY_ONE_MORE(p->y->places, p->y->n_places))
		return tfr_fail_nomem(p->err, "reading YAML");
	p->y->places[p->y->n_places++] = place;
	return TFR_OK;
}

static enum tfr_status take_keypoints(struct parsing *p)
{
	int64_t n;

	if (!is_whole(p, &n) || n > POINTS_MOST || (p->sizes == 1 && n != 2 && n != 3) ||
		p->sizes > 1)
		return fail(p, "a 'kpt_shape' that is not [keypoints, 2 or 3]");
	p->y->keypoints = p->sizes++ ? p->y->keypoints * (size_t)n : (size_t)n;
	return TFR_OK;
}

/* A text of the member's value: the value itself, at depth 1, or deeper in it. */
static enum tfr_status take_scalar(struct parsing *p, unsigned depth)
{
	bool direct = depth == 1;

	switch (p->key) {
	case NAMES:
		if (direct)
			return fail(p, "'names' that is neither a list nor a mapping");
		return depth == 2 ? take_name(p) : fail(p, "a name that is a list");
	case COUNT:
		if (!direct || !is_whole(p, &p->y->count) || p->y->count > MOST_CLASSES)
			return fail(p, "an 'nc' that is not a number of classes");
		return TFR_OK;
	case ROOT:
		return direct ? keep_text(p, &p->y->root) : TFR_OK;
	case PLACES:
		return depth <= 2 && !p->mapping ? take_place(p) : TFR_OK;
	case KEYPOINTS:
		return depth == 2 ? take_keypoints(p) : TFR_OK;
	default:
		return TFR_OK;
	}
}

static enum tfr_status take_key(struct parsing *p)
{
	p->key = OTHER;
	p->number = 0;
	p->sizes = 0;
	p->mapping = p->numbered = false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].name, scalar(p)))
			p->key = keys[i].key;
	if (p->key == NAMES && p->y->n_names)
		return fail(p, "a second 'names'");
	return p->key == PLACES ? keep_text(p, &p->split) : TFR_OK;
}

/* --- events --- */

static enum tfr_status next_event(struct parsing *p)
{
	yaml_event_delete(&p->event);
	if (!yaml_parser_parse(&p->parser, &p->event)) {
		p->line = (unsigned long)p->parser.problem_mark.line + 1;
		if (p->parser.error == YAML_MEMORY_ERROR)
			return tfr_fail_nomem(p->err, "reading YAML");
		return tfr_fail(p->err, TFR_EDATA, "invalid YAML (%s) in '%s', line %lu",
			p->parser.problem ?: "?", p->path, p->line);
	}
	p->line = (unsigned long)p->event.start_mark.line + 1;
	return p->event.type == YAML_ALIAS_EVENT ? fail(p, "an alias, which is not resolved here,")
						 : TFR_OK;
}

static enum tfr_status read_value(struct parsing *p)
{
	unsigned depth = 1;

	do {
		TFR_TRY(next_event(p));
		switch (p->event.type) {
		case YAML_SCALAR_EVENT:
			TFR_TRY(take_scalar(p, depth));
			break;
		case YAML_SEQUENCE_START_EVENT:
		case YAML_MAPPING_START_EVENT:
			if (++depth > DEEPEST)
				return fail(p, "more than 16 levels of nesting");
			if (depth == 2)
				p->mapping = p->event.type == YAML_MAPPING_START_EVENT;
			else if (p->key == NAMES)
				return fail(p, "a name that is a list");
			break;
		default:
			depth--;
		}
	} while (depth > 1);
	return TFR_OK;
}

/* Reads the first document, which can be empty. */
static enum tfr_status read_members(struct parsing *p)
{
	do
		TFR_TRY(next_event(p));
	while (p->event.type == YAML_STREAM_START_EVENT ||
		p->event.type == YAML_DOCUMENT_START_EVENT);
	if (p->event.type == YAML_STREAM_END_EVENT)
		return TFR_OK;
	if (p->event.type != YAML_MAPPING_START_EVENT)
		return fail(p, p->event.type == YAML_SCALAR_EVENT
				       ? "a text where members are expected"
				       : "a list where members are expected");
	for (;;) {
		TFR_TRY(next_event(p));
		if (p->event.type == YAML_MAPPING_END_EVENT)
			return next_event(p);
		if (p->event.type != YAML_SCALAR_EVENT)
			return fail(p, "a key that is not a text");
		TFR_TRY(take_key(p));
		TFR_TRY(read_value(p));
	}
}

static enum tfr_status parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err)
{
	struct parsing p = { .y = y, .path = path, .err = err };
	enum tfr_status status;

	TFR_NEED_MEMORY(yaml_parser_initialize(&p.parser), err, "reading YAML");
	yaml_parser_set_input_string(&p.parser, data, size);
	status = read_members(&p);
	yaml_event_delete(&p.event);
	yaml_parser_delete(&p.parser);
	return status;
}

static const struct tfr_yaml_module calls = { parse };

TFR_MODULE_EXPORT("yaml", calls);
