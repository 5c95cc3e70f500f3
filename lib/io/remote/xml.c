/* io/remote/xml.c - elements and their texts, as expat finds them.
 *
 * XML 1.0 has no control characters, not even as references.  Some servers send them all the same,
 * in keys and in tokens that are keys, so expat gets U+FDD0 + c for each control character c:
 * noncharacters of Unicode, which no text should have. */
#include "io/remote/xml.h"

#include <stdio.h>
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
	bool stopped, replaced;
};

/* --- control characters --- */

/* Gives `out` the text for expat.  False: out of memory. */
static bool replace_controls(
	struct reading *r, const char *text, const char *end, struct tfr_buf *out)
{
	for (const char *at = text; at < end; at++) {
		unsigned c = (unsigned char)*at;
		int n = c != '&';

		if (!n) {
			char reference[16] = "";

			memcpy(reference, at, end - at < 15 ? (size_t)(end - at) : 15);
			sscanf(reference, "&#x%8x;%n", &c, &n);
			if (!n)
				sscanf(reference, "&#%8u;%n", &c, &n);
		}
		if (!n || !c || c >= ' ' || strchr("\t\n\r", (int)c))
			continue;
		r->replaced = true;
		if (!tfr_buf_append(out, text, (size_t)(at - text)) ||
			!tfr_buf_printf(out, "\xef\xb7%c", (int)(0x90 + c)))
			return false;
		text = at + n;
		at = text - 1;
	}
	return tfr_buf_append(out, text, (size_t)(end - text));
}

static void restore_controls(char *text)
{
	for (char *to = text; (*to = *text); to++, text++)
		if (!strncmp(text, "\xef\xb7", 2) && (uint8_t)(text[2] - 0x91) < 31) {
			*to = (char)(text[2] - 0x90);
			text += 2;
		}
}

/* --- elements --- */

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
	if (r->replaced)
		restore_controls((char *)r->text.data);
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
	TFR_AUTO_BUF clean = { 0 };
	bool good;

	if (!r.parser || !replace_controls(&r, text, (const char *)text + size, &clean) ||
		clean.size > INT32_MAX) {
		XML_ParserFree(r.parser);
		return false;
	}
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_start, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	good = XML_Parse(r.parser, (char *)clean.data, (int)clean.size, 1) == XML_STATUS_OK &&
	       !r.stopped;
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
