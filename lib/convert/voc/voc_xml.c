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

struct parsing {
	struct tfr_voc *v;
	XML_Parser parser;
	struct tfr_error *err;
	enum tfr_status status;
	char path[128];		  /* of the open element, as far as it fits */
	size_t end;		  /* of the path */
	unsigned depth, beyond;	  /* open elements; those of them that did not fit */
	const struct row *row;	  /* of the element whose text comes; NULL: it is not used */
	char text[TEXT_MOST + 1]; /* of that element */
	size_t size;
	struct tfr_voc_object object;
	size_t filename;
	int64_t width, height;
};

/* The elements that are used, what becomes of them, and where their values go. */
static const struct row {
	const char *path;
	enum { NAME, NUMBER, OBJECT, TEXT, FLAG, SIZE } what;
	size_t at;
} rows[] = {
	{ "/annotation/object/name", NAME, offsetof(struct parsing, object.name) },
	{ "/annotation/object/bndbox/xmin", NUMBER, offsetof(struct parsing, object.box[0]) },
	{ "/annotation/object/bndbox/ymin", NUMBER, offsetof(struct parsing, object.box[1]) },
	{ "/annotation/object/bndbox/xmax", NUMBER, offsetof(struct parsing, object.box[2]) },
	{ "/annotation/object/bndbox/ymax", NUMBER, offsetof(struct parsing, object.box[3]) },
	{ "/annotation/object", OBJECT, 0 },
	{ "/annotation/object/pose", TEXT, offsetof(struct parsing, object.pose) },
	{ "/annotation/object/truncated", FLAG, offsetof(struct parsing, object.truncated) },
	{ "/annotation/object/difficult", FLAG, offsetof(struct parsing, object.difficult) },
	{ "/annotation/filename", TEXT, offsetof(struct parsing, filename) },
	{ "/annotation/size/width", SIZE, offsetof(struct parsing, width) },
	{ "/annotation/size/height", SIZE, offsetof(struct parsing, height) },
};

/* Bits of the first rows: an object has all of them. */
enum { NAMED = 1, NEEDED = (1 << 5) - 1 };

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

/* The row of the open element; NULL: it is not used. */
static const struct row *look_up(const struct parsing *p)
{
	for (size_t i = 0; !p->beyond && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].path, p->path))
			return &rows[i];
	return NULL;
}

static void XMLCALL start(void *ctx, const char *name, const char **attributes)
{
	struct parsing *p = ctx;
	size_t n = strlen(name);

	(void)attributes;
	if (p->depth == DEEPEST) {
		stop(p, "elements nested too deep");
		return;
	}
	if (!p->depth && strcmp(name, "annotation")) {
		stop(p, "no <annotation>");
		return;
	}
	p->depth++;
	if (p->beyond || p->end + 1 + n >= sizeof(p->path)) {
		p->beyond++;
	} else {
		p->path[p->end] = '/';
		memcpy(p->path + p->end + 1, name, n + 1);
		p->end += n + 1;
	}
	p->row = look_up(p);
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
static bool take_flag(struct parsing *p, const char *name)
{
	const char *text = trimmed(p);
	double value = 0;
	char fault[64];

	if (!*text || !strcmp(text, "Unspecified"))
		return false;
	snprintf(fault, sizeof(fault), "'%s' that is neither 0 nor 1", name);
	if (!tfr_number(text, strlen(text), &value) || (value != 0 && value != 1))
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
	struct tfr_voc *v = p->v;

	if ((p->object.seen & NEEDED) != NEEDED)
		stop(p, p->object.seen & NAMED ? "an object without a complete box"
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
	void *value = (char *)p + row->at;

	if (row->what == NAME && !*trimmed(p))
		stop(p, "an object without a name");
	if (row->what == NAME || row->what == TEXT)
		*(size_t *)value = keep_text(p);
	else if (row->what == NUMBER)
		*(double *)value = take_number(p, "a box that is not of numbers");
	else if (row->what == FLAG)
		*(bool *)value = take_flag(p, strrchr(row->path, '/') + 1);
	else if (row->what == SIZE)
		*(int64_t *)value = take_size(p);
	else
		end_object(p);
	p->object.seen |= 1u << (row - rows);
}

static void XMLCALL end(void *ctx, const char *name)
{
	struct parsing *p = ctx;
	const struct row *row;

	/* the end of an empty element is reported even after its beginning stopped the parser */
	if (p->status)
		return;
	row = look_up(p);
	if (row)
		take_value(p, row);
	p->depth--;
	if (p->beyond)
		p->beyond--;
	else
		p->path[p->end -= strlen(name) + 1] = '\0';
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

	v->texts.size = v->n_objects = 0;
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
	v->filename = p.filename;
	v->width = p.width;
	v->height = p.height;
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
