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
	const char *path;
	struct tfr_error *err;
	unsigned depth;
	unsigned long line;
	bool keyed; /* at depth 1: the key has been read, its value comes next */
	enum key key;
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

static enum tfr_status keep_text(struct parsing *p, const yaml_event_t *e, size_t *at)
{
	const char *text = (const char *)e->data.scalar.value;
	size_t n = e->data.scalar.length;

	if (memchr(text, '\0', n))
		return fail(p, "a NUL byte");
	*at = p->y->texts.size;
	return tfr_buf_append(&p->y->texts, text, n + 1) ? TFR_OK
							 : tfr_fail_nomem(p->err, "reading YAML");
}

static bool whole(const yaml_event_t *e, int64_t *value)
{
	double v;

	if (!tfr_number((const char *)e->data.scalar.value, e->data.scalar.length, &v) || v < 0 ||
		v > INT32_MAX || v != (double)(int64_t)v)
		return false;
	*value = (int64_t)v;
	return true;
}

/* The number of a class, or its name. */
static enum tfr_status take_name(struct parsing *p, const yaml_event_t *e)
{
	struct tfr_yolo_name name;

	if (p->mapping && !p->numbered) {
		p->numbered = whole(e, &p->number);
		return p->numbered ? TFR_OK : fail(p, "a class whose number is not a number");
	}
	p->numbered = false;
	if (!e->data.scalar.length)
		return fail(p, "a class without a name");
	name.number = p->number++;
	TFR_TRY(keep_text(p, e, &name.text));
	if (TFR_ARRAY_ONE_MORE(p->y->names, p->y->n_names))
		return tfr_fail_nomem(p->err, "reading YAML");
	p->y->names[p->y->n_names++] = name;
	return TFR_OK;
}

static enum tfr_status take_place(struct parsing *p, const yaml_event_t *e)
{
	struct tfr_yolo_place place = { .split = p->split };

	if (!e->data.scalar.length || !strcmp((const char *)e->data.scalar.value, "null") ||
		!strcmp((const char *)e->data.scalar.value, "~"))
		return TFR_OK;
	TFR_TRY(keep_text(p, e, &place.text));
	if (TFR_ARRAY_ONE_MORE(p->y->places, p->y->n_places))
		return tfr_fail_nomem(p->err, "reading YAML");
	p->y->places[p->y->n_places++] = place;
	return TFR_OK;
}

static enum tfr_status take_keypoints(struct parsing *p, const yaml_event_t *e)
{
	int64_t n;

	if (!whole(e, &n) || n > POINTS_MOST || (p->sizes == 1 && n != 2 && n != 3) || p->sizes > 1)
		return fail(p, "a 'kpt_shape' that is not [keypoints, 2 or 3]");
	p->y->keypoints = p->sizes++ ? p->y->keypoints * (size_t)n : (size_t)n;
	return TFR_OK;
}

static enum tfr_status take_scalar(struct parsing *p, const yaml_event_t *e)
{
	bool direct = p->depth == 1;

	switch (p->key) {
	case NAMES:
		if (direct)
			return fail(p, "'names' that is neither a list nor a mapping");
		return p->depth == 2 ? take_name(p, e) : fail(p, "a name that is a list");
	case COUNT:
		if (!direct || !whole(e, &p->y->count))
			return fail(p, "an 'nc' that is not a number");
		return TFR_OK;
	case ROOT:
		return direct ? keep_text(p, e, &p->y->root) : TFR_OK;
	case PLACES:
		return p->depth <= 2 && !p->mapping ? take_place(p, e) : TFR_OK;
	case KEYPOINTS:
		return p->depth == 2 ? take_keypoints(p, e) : TFR_OK;
	default:
		return TFR_OK;
	}
}

static enum tfr_status take_key(struct parsing *p, const yaml_event_t *e)
{
	const char *text = (const char *)e->data.scalar.value;

	p->key = OTHER;
	p->number = 0;
	p->sizes = 0;
	p->mapping = p->numbered = false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].name, text))
			p->key = keys[i].key;
	if (p->key == NAMES && p->y->n_names)
		return fail(p, "a second 'names'");
	return p->key == PLACES ? keep_text(p, e, &p->split) : TFR_OK;
}

/* --- events --- */

static enum tfr_status begin(struct parsing *p, bool mapping)
{
	if (++p->depth > DEEPEST)
		return fail(p, "more than 16 levels of nesting");
	if (p->depth == 1)
		return mapping ? TFR_OK : fail(p, "a list where members are expected");
	if (p->depth == 2 && !p->keyed)
		return fail(p, "a key that is not a text");
	if (p->depth == 2)
		p->mapping = mapping;
	if (p->depth > 2 && p->key == NAMES)
		return fail(p, "a name that is a list");
	return TFR_OK;
}

static enum tfr_status scalar(struct parsing *p, const yaml_event_t *e)
{
	enum tfr_status status;

	if (!p->depth)
		return fail(p, "a text where members are expected");
	if (p->depth > 1)
		return take_scalar(p, e);
	status = p->keyed ? take_scalar(p, e) : take_key(p, e);
	p->keyed = !p->keyed;
	return status;
}

static enum tfr_status take(struct parsing *p, const yaml_event_t *e)
{
	p->line = (unsigned long)e->start_mark.line + 1;
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return scalar(p, e);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return begin(p, e->type == YAML_MAPPING_START_EVENT);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		if (--p->depth == 1)
			p->keyed = false;
		return TFR_OK;
	case YAML_ALIAS_EVENT:
		return fail(p, "an alias, which is not resolved here,");
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return TFR_END;
	default:
		return TFR_OK;
	}
}

static enum tfr_status read_events(struct parsing *p)
{
	enum tfr_status status = TFR_OK;

	while (!status) {
		yaml_event_t e;

		if (!yaml_parser_parse(&p->parser, &e)) {
			p->line = (unsigned long)p->parser.problem_mark.line + 1;
			if (p->parser.error == YAML_MEMORY_ERROR)
				return tfr_fail_nomem(p->err, "reading YAML");
			return tfr_fail(p->err, TFR_EDATA, "invalid YAML (%s) in '%s', line %lu",
				p->parser.problem ?: "?", p->path, p->line);
		}
		status = take(p, &e);
		yaml_event_delete(&e);
	}
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err)
{
	struct parsing p = { .y = y, .path = path, .err = err };
	enum tfr_status status;

	TFR_NEED_MEMORY(yaml_parser_initialize(&p.parser), err, "reading YAML");
	yaml_parser_set_input_string(&p.parser, data, size);
	status = read_events(&p);
	yaml_parser_delete(&p.parser);
	return status;
}

static const struct tfr_yaml_module calls = { parse };

TFR_MODULE_EXPORT("yaml", calls);
