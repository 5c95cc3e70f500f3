/* convert/voc/voc_xml.c - parses annotations by expat, a push parser.
 *
 * The path of an element from the root selects a row of a table; other elements are ignored.
 * Depth, texts and objects are bounded.  Expat opens no other files. */
#include "convert/voc/voc_xml.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "convert/number_text.h"

enum { DEEPEST = 64, TEXT_MOST = 4096, OBJECTS_MOST = 100000, SIZE_MOST = 64 << 20 };

/* The elements that are used. */
enum what {
	NOTHING,
	FILENAME,
	WIDTH,
	HEIGHT,
	OBJECT,
	NAME,
	POSE,
	TRUNCATED,
	DIFFICULT,
	XMIN,
	YMIN,
	XMAX,
	YMAX,
};

static const struct {
	const char *path;
	enum what what;
} rows[] = {
	{ "/annotation/filename", FILENAME },
	{ "/annotation/size/width", WIDTH },
	{ "/annotation/size/height", HEIGHT },
	{ "/annotation/object", OBJECT },
	{ "/annotation/object/name", NAME },
	{ "/annotation/object/pose", POSE },
	{ "/annotation/object/truncated", TRUNCATED },
	{ "/annotation/object/difficult", DIFFICULT },
	{ "/annotation/object/bndbox/xmin", XMIN },
	{ "/annotation/object/bndbox/ymin", YMIN },
	{ "/annotation/object/bndbox/xmax", XMAX },
	{ "/annotation/object/bndbox/ymax", YMAX },
};

struct parsing {
	struct tfr_voc *v;
	XML_Parser parser;
	struct tfr_error *err;
	enum tfr_status status;
	char path[128];	      /* of the open element, as far as it fits */
	size_t ends[DEEPEST]; /* where the path of each open element ends; SIZE_MAX: it did not fit
			       */
	unsigned depth;
	char text[TEXT_MOST + 1]; /* in an element that is used */
	size_t size;
	enum what what;
	bool filename, root;
	struct tfr_voc_object object;
};

static void stop(struct parsing *p, const char *what)
{
	if (p->status)
		return;
	p->status = tfr_fail(p->err, TFR_EDATA, "%s, in line %lu of its annotation", what,
		(unsigned long)XML_GetCurrentLineNumber(p->parser));
	XML_StopParser(p->parser, XML_FALSE);
}

static void no_memory(struct parsing *p)
{
	p->status = tfr_fail_nomem(p->err, "reading annotations");
	XML_StopParser(p->parser, XML_FALSE);
}

static enum what look_up(const char *path)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].path, path))
			return rows[i].what;
	return NOTHING;
}

static void XMLCALL start(void *ctx, const char *name, const char **attributes)
{
	struct parsing *p = ctx;
	size_t above = p->depth ? p->ends[p->depth - 1] : 0, n = strlen(name);

	(void)attributes;
	if (p->depth == DEEPEST) {
		stop(p, "elements nested too deep");
		return;
	}
	if (!p->depth && strcmp(name, "annotation")) {
		stop(p, "no <annotation>");
		return;
	}
	p->root = true;
	p->what = NOTHING;
	p->ends[p->depth] = SIZE_MAX;
	if (above != SIZE_MAX && above + 1 + n < sizeof(p->path)) {
		p->path[above] = '/';
		memcpy(p->path + above + 1, name, n + 1);
		p->ends[p->depth] = above + 1 + n;
		p->what = look_up(p->path);
	}
	p->depth++;
	p->size = 0;
	if (p->what == OBJECT)
		p->object = (struct tfr_voc_object){ 0 };
}

static void XMLCALL take_text(void *ctx, const char *text, int size)
{
	struct parsing *p = ctx;

	if (p->status || p->what == NOTHING || p->what == OBJECT)
		return;
	if ((size_t)size > TEXT_MOST - p->size) {
		stop(p, "a text of over 4096 bytes");
		return;
	}
	memcpy(p->text + p->size, text, (size_t)size);
	p->size += (size_t)size;
}

/* --- the contents of elements --- */

static const char *trimmed(struct parsing *p)
{
	const char *from = p->text;

	while (p->size && strchr(" \t\r\n", p->text[p->size - 1]))
		p->size--;
	p->text[p->size] = '\0';
	return from + strspn(from, " \t\r\n");
}

static size_t keep_text(struct parsing *p)
{
	const char *text = trimmed(p);
	size_t at = p->v->texts.size;

	if (!tfr_buf_append(&p->v->texts, text, strlen(text) + 1))
		no_memory(p);
	return at;
}

static double take_number(struct parsing *p, const char *fault)
{
	const char *text = trimmed(p);
	double value = 0;

	if (!tfr_number(text, strlen(text), &value))
		stop(p, fault);
	return value;
}

/* An empty flag and the word Unspecified mean 0. */
static bool take_flag(struct parsing *p, const char *fault)
{
	const char *text = trimmed(p);
	double value;

	if (!*text || !strcmp(text, "Unspecified"))
		return false;
	value = take_number(p, fault);
	if (value != 0 && value != 1)
		stop(p, fault);
	return value != 0;
}

static int64_t take_size(struct parsing *p)
{
	double value = take_number(p, "a size that is not a number");

	if (!(value >= 0 && value <= INT32_MAX && value == floor(value))) {
		stop(p, "an impossible size");
		return 0;
	}
	return (int64_t)value;
}

static void end_object(struct parsing *p)
{
	static const unsigned all = 1u << NAME | 1u << XMIN | 1u << YMIN | 1u << XMAX | 1u << YMAX;

	if ((p->object.seen & all) != all) {
		stop(p, p->object.seen & 1u << NAME ? "an object without a complete box"
						    : "an object without a name");
		return;
	}
	if (tfr_voc_count(p->v) == OBJECTS_MOST) {
		stop(p, "more than 100000 objects");
		return;
	}
	if (!tfr_buf_append(&p->v->objects_, &p->object, sizeof(p->object)))
		no_memory(p);
}

/* Uses the text of an element that ends. */
static void take_value(struct parsing *p)
{
	struct tfr_voc_object *o = &p->object;

	switch (p->what) {
	case FILENAME:
		p->v->filename = keep_text(p);
		p->filename = true;
		break;
	case WIDTH:
		p->v->width = take_size(p);
		break;
	case HEIGHT:
		p->v->height = take_size(p);
		break;
	case OBJECT:
		end_object(p);
		break;
	case NAME:
		if (!*trimmed(p))
			stop(p, "an object without a name");
		o->name = keep_text(p);
		break;
	case POSE:
		o->pose = keep_text(p);
		break;
	case TRUNCATED:
		o->truncated = take_flag(p, "'truncated' that is neither 0 nor 1");
		break;
	case DIFFICULT:
		o->difficult = take_flag(p, "'difficult' that is neither 0 nor 1");
		break;
	case XMIN:
	case YMIN:
	case XMAX:
	case YMAX:
		o->box[p->what - XMIN] = take_number(p, "a box that is not of numbers");
		break;
	case NOTHING:
		break;
	}
	o->seen |= 1u << p->what;
}

static void XMLCALL end(void *ctx, const char *name)
{
	struct parsing *p = ctx;
	size_t above;

	(void)name;
	/* the end of an empty element is reported even after its beginning stopped the parser */
	if (p->status)
		return;
	p->depth--;
	above = p->depth ? p->ends[p->depth - 1] : 0;
	/* The path is that of the ending element, even if others were inside it. */
	if (p->ends[p->depth] != SIZE_MAX) {
		p->path[p->ends[p->depth]] = '\0';
		p->what = look_up(p->path);
	} else {
		p->what = NOTHING;
	}
	take_value(p);
	if (above != SIZE_MAX)
		p->path[above] = '\0';
	p->what = NOTHING;
	p->size = 0;
}

static void XMLCALL refuse_doctype(
	void *ctx, const char *name, const char *system, const char *public, int internal)
{
	(void)name, (void)system, (void)public, (void)internal;
	stop(ctx, "a DOCTYPE, which annotations cannot have");
}

enum tfr_status tfr_voc_parse(
	struct tfr_voc *v, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct parsing p = { .v = v, .err = err };

	v->texts.size = v->objects_.size = 0;
	v->width = v->height = 0;
	if (size > SIZE_MOST)
		return tfr_fail(err, TFR_EDATA, "an annotation of over 64 MiB");
	/* Offset 0 is the pose of an object without one, as in VOC. */
	if (!tfr_buf_append(&v->texts, "Unspecified", sizeof("Unspecified")))
		return tfr_fail_nomem(err, "reading annotations");
	p.parser = XML_ParserCreate(NULL);
	if (!p.parser)
		return tfr_fail_nomem(err, "reading annotations");
	XML_SetUserData(p.parser, &p);
	XML_SetElementHandler(p.parser, start, end);
	XML_SetCharacterDataHandler(p.parser, take_text);
	XML_SetStartDoctypeDeclHandler(p.parser, refuse_doctype);
	if (XML_Parse(p.parser, (const char *)data, (int)size, XML_TRUE) != XML_STATUS_OK &&
		!p.status)
		p.status = tfr_fail(err,
			XML_GetErrorCode(p.parser) == XML_ERROR_NO_MEMORY ? TFR_ENOMEM : TFR_EDATA,
			"not XML (%s), in line %lu of its annotation",
			XML_ErrorString(XML_GetErrorCode(p.parser)),
			(unsigned long)XML_GetCurrentLineNumber(p.parser));
	XML_ParserFree(p.parser);
	if (!p.status && (!p.filename || !*tfr_voc_text(v, v->filename)))
		p.status = tfr_fail(err, TFR_EDATA, "its annotation names no image");
	return p.status;
}

bool tfr_voc_usable(const struct tfr_voc_object *o, uint32_t width, uint32_t height)
{
	return o->box[0] >= 0 && o->box[1] >= 0 && o->box[0] < o->box[2] && o->box[1] < o->box[3] &&
	       o->box[2] <= width && o->box[3] <= height;
}

void tfr_voc_clear(struct tfr_voc *v)
{
	tfr_buf_clear(&v->texts);
	tfr_buf_clear(&v->objects_);
	*v = (struct tfr_voc){ 0 };
}
