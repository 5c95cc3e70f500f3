/* io/remote/xml.c - elements and their texts, as expat finds them. */
#include "io/remote/xml.h"

#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "base/buf.h"

struct reading {
	XML_Parser parser;
	bool (*each)(void *ctx, const struct tfr_xml_element *e);
	void *ctx;
	const char *path[TFR_XML_DEPTH];
	char name[TFR_XML_DEPTH][64];
	int depth;
	struct tfr_buf text;
	bool stopped;
};

static void stop(struct reading *r)
{
	r->stopped = true;
	XML_StopParser(r->parser, XML_FALSE);
}

static void call(struct reading *r, bool ends)
{
	struct tfr_xml_element e = { r->path, r->depth, "", ends };

	if (!tfr_buf_append(&r->text, "", 1)) {
		stop(r);
		return;
	}
	e.text = (const char *)r->text.data;
	if (!r->each(r->ctx, &e))
		stop(r);
	r->text.size = 0;
}

/* A namespace is no part of the name here: "ns:Key" does not occur. */
static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
	struct reading *r = data;

	(void)attributes;
	if (r->depth == TFR_XML_DEPTH || strlen(name) >= sizeof(r->name[0])) {
		stop(r);
		return;
	}
	strcpy(r->name[r->depth], name);
	r->path[r->depth] = r->name[r->depth];
	r->depth++;
	r->text.size = 0;
	call(r, false);
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
	struct reading *r = data;

	(void)name;
	if (r->stopped)
		return;
	call(r, true);
	r->depth--;
}

static void XMLCALL on_text(void *data, const XML_Char *text, int n)
{
	struct reading *r = data;

	if (r->stopped)
		return;
	if (r->text.size + (size_t)n > TFR_XML_TEXT || !tfr_buf_append(&r->text, text, (size_t)n))
		stop(r);
}

static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system,
	const XML_Char *public, int internal)
{
	(void)name, (void)system, (void)public, (void)internal;
	stop(data);
}

bool tfr_xml_read(const void *text, size_t size,
	bool (*each)(void *ctx, const struct tfr_xml_element *e), void *ctx)
{
	struct reading r = { .parser = XML_ParserCreate(NULL), .each = each, .ctx = ctx };
	bool good;

	if (!r.parser || size > INT32_MAX) {
		XML_ParserFree(r.parser);
		return false;
	}
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_start, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	good = XML_Parse(r.parser, text, (int)size, 1) == XML_STATUS_OK && !r.stopped;
	XML_ParserFree(r.parser);
	tfr_buf_clear(&r.text);
	return good;
}

bool tfr_xml_is(const struct tfr_xml_element *e, const char *path)
{
	for (int i = 0; i < e->depth; i++) {
		size_t n = strlen(e->path[i]);

		if (strncmp(path, e->path[i], n) != 0 || path[n] != (i + 1 < e->depth ? '/' : '\0'))
			return false;
		path += n + 1;
	}
	return e->depth > 0;
}
