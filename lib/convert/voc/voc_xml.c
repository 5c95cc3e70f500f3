/* convert/voc/voc_xml.c - parses annotations by expat, a push parser.
 *
 * The path of an element from the root selects a row of a table; other elements are ignored.
 * Depth, texts and objects are bounded.  Expat opens no other files. */
#include "convert/voc/voc_xml.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "base/array.h"
#include "convert/number_text.h"

enum { DEEPEST = 64, TEXT_MOST = 4096, OBJECTS_MOST = 100000, SIZE_MOST = 64 << 20 };

/* What becomes of an element. */
enum what { OBJECT, TEXT, SIZE, FLAG, NUMBER };

/* The elements that are used. */
static const struct row {
	const char *path;
	enum what what;
	bool of_object;
	size_t at;	   /* of the value in the object or the annotation */
	const char *fault; /* for a value of another form; of a text: for an empty one */
} rows[] = {
	{ "/annotation/object/name", TEXT, true, offsetof(struct tfr_voc_object, name),
		"an object without a name" },
#define SIDE(name, k)                                                                              \
	{                                                                                          \
		"/annotation/object/bndbox/" name, NUMBER, true,                                   \
			offsetof(struct tfr_voc_object, box) + (k) * sizeof(double),               \
			"a box that is not of numbers"                                             \
	}
	SIDE("xmin", 0),
	SIDE("ymin", 1),
	SIDE("xmax", 2),
	SIDE("ymax", 3),
	{ "/annotation/object", OBJECT, true, 0, NULL },
	{ "/annotation/object/pose", TEXT, true, offsetof(struct tfr_voc_object, pose), NULL },
	{ "/annotation/object/truncated", FLAG, true, offsetof(struct tfr_voc_object, truncated),
		"'truncated' that is neither 0 nor 1" },
	{ "/annotation/object/difficult", FLAG, true, offsetof(struct tfr_voc_object, difficult),
		"'difficult' that is neither 0 nor 1" },
	{ "/annotation/filename", TEXT, false, offsetof(struct tfr_voc, filename), NULL },
	{ "/annotation/size/width", SIZE, false, offsetof(struct tfr_voc, width),
		"a size that is not a number" },
	{ "/annotation/size/height", SIZE, false, offsetof(struct tfr_voc, height),
		"a size that is not a number" },
};

/* Bits of the first rows: an object has all of them. */
enum { NAME = 1, NEEDED = (1 << 5) - 1 };

struct parsing {
	struct tfr_voc *v;
	XML_Parser parser;
	struct tfr_error *err;
	enum tfr_status status;
	char path[128]; /* of the open element, as far as it fits */
	struct {
		size_t end; /* of its path; SIZE_MAX: it did not fit */
		const struct row *row;
	} open[DEEPEST];
	unsigned depth;
	const struct row *row;	  /* of the element whose text comes; NULL: it is not used */
	char text[TEXT_MOST + 1]; /* of that element */
	size_t size;
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

static const struct row *look_up(const char *path)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].path, path))
			return &rows[i];
	return NULL;
}

static void XMLCALL start(void *ctx, const char *name, const char **attributes)
{
	struct parsing *p = ctx;
	size_t above = p->depth ? p->open[p->depth - 1].end : 0, n = strlen(name);

	(void)attributes;
	if (p->depth == DEEPEST) {
		stop(p, "elements nested too deep");
		return;
	}
	if (!p->depth && strcmp(name, "annotation")) {
		stop(p, "no <annotation>");
		return;
	}
	p->row = NULL;
	p->open[p->depth].end = SIZE_MAX;
	if (above != SIZE_MAX && above + 1 + n < sizeof(p->path)) {
		p->path[above] = '/';
		memcpy(p->path + above + 1, name, n + 1);
		p->open[p->depth].end = above + 1 + n;
		p->row = look_up(p->path);
	}
	p->open[p->depth++].row = p->row;
	p->size = 0;
	if (p->row && p->row->what == OBJECT)
		p->object = (struct tfr_voc_object){ 0 };
}

static void XMLCALL take_text(void *ctx, const char *text, int size)
{
	struct parsing *p = ctx;

	if (p->status || !p->row || p->row->what == OBJECT)
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

static int64_t take_size(struct parsing *p, const char *fault)
{
	double value = take_number(p, fault);

	if (!(value >= 0 && value <= INT32_MAX && value == floor(value))) {
		stop(p, "an impossible size");
		return 0;
	}
	return (int64_t)value;
}

static void end_object(struct parsing *p)
{
	struct tfr_voc *v = p->v;

	if ((p->object.seen & NEEDED) != NEEDED)
		stop(p, p->object.seen & NAME ? "an object without a complete box"
					      : "an object without a name");
	else if (v->n_objects == OBJECTS_MOST)
		stop(p, "more than 100000 objects");
	else if (TFR_ARRAY_RESERVE(v->objects, v->objects_cap, v->n_objects + 1))
		no_memory(p);
	else
		v->objects[v->n_objects++] = p->object;
}

/* Uses the text of an element that ends. */
static void take_value(struct parsing *p, const struct row *row)
{
	void *value = (char *)(row->of_object ? (void *)&p->object : (void *)p->v) + row->at;

	switch (row->what) {
	case OBJECT:
		end_object(p);
		break;
	case TEXT:
		if (row->fault && !*trimmed(p))
			stop(p, row->fault);
		*(size_t *)value = keep_text(p);
		break;
	case SIZE:
		*(int64_t *)value = take_size(p, row->fault);
		break;
	case FLAG:
		*(bool *)value = take_flag(p, row->fault);
		break;
	case NUMBER:
		*(double *)value = take_number(p, row->fault);
		break;
	}
	p->object.seen |= 1u << (row - rows);
}

static void XMLCALL end(void *ctx, const char *name)
{
	struct parsing *p = ctx;
	const struct row *row;

	(void)name;
	/* the end of an empty element is reported even after its beginning stopped the parser */
	if (p->status)
		return;
	row = p->open[--p->depth].row;
	if (row)
		take_value(p, row);
	p->row = NULL;
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

	v->texts.size = v->n_objects = v->filename = 0;
	v->width = v->height = 0;
	if (size > SIZE_MOST)
		return tfr_fail(err, TFR_EDATA, "an annotation of over 64 MiB");
	/* Offset 0 is the pose of an object without one, as in VOC. */
	TFR_NEED_MEMORY(tfr_buf_append(&v->texts, "Unspecified", sizeof("Unspecified")), err,
		"reading annotations");
	p.parser = XML_ParserCreate(NULL);
	TFR_NEED_MEMORY(p.parser, err, "reading annotations");
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
	if (!p.status && (!v->filename || !*tfr_voc_text(v, v->filename)))
		p.status = tfr_fail(err, TFR_EDATA, "its annotation names no image");
	return p.status;
}

void tfr_voc_clear(struct tfr_voc *v)
{
	tfr_buf_clear(&v->texts);
	free(v->objects);
	*v = (struct tfr_voc){ 0 };
}
