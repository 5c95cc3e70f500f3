/* base/json_read.c - the one place where json-c's document parser is set up.
 *
 * The parser receives the length of its text, so that the text needs no NUL.  It reports
 * anything after the document as trailing characters.  These are checked here, because json-c's
 * own check also refuses the newline at the end of a file. */
#include "base/json_read.h"

#include <assert.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool too_many_brackets(const char *text, size_t size, unsigned bytes_per_bracket)
{
	size_t opened = 0;
	bool quoted = false;

	for (size_t i = 0; i < size; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && (text[i] == '{' || text[i] == '['))
			opened++;
	}
	return opened > 64 + size / bytes_per_bracket;
}

static enum tfr_status fail_in_line(
	const char *text, size_t at, const char *what, struct tfr_error *err)
{
	unsigned long long line = 1;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return tfr_fail(err, TFR_EDATA, "%s in line %llu", what, line);
}

/* json-c returns NULL for "null", and also as its only sign that it ran out of memory. */
static bool starts_null(const char *text)
{
	while (is_space(*text))
		text++;
	return *text == 'n';
}

/* Puts the bytes of tfr_json_keep_bytes() in place of their escapes, which are alone: the second
 * half of a pair is left to the parser. */
static size_t unescape_bytes(char *text, size_t size)
{
	size_t to = 0;
	bool paired = false;

	for (size_t i = 0, n; i < size; i += n) {
		const char *p = text + i;
		unsigned long unit = 0;

		n = *p != '\\' || size - i < 6 ? 1 : p[1] == 'u' ? 6 : 2;
		if (n == 6)
			unit = strtoul((char[5]){ p[2], p[3], p[4], p[5] }, NULL, 16);
		if (!paired && unit >= 0xdc80 && unit <= 0xdcff) {
			text[to++] = (char)(unit & 0xff);
		} else {
			memmove(text + to, p, n);
			to += n;
		}
		paired = unit >= 0xd800 && unit < 0xdc00;
	}
	return to;
}

enum tfr_status tfr_json_read(struct json_object **doc, const void *text, size_t size,
	const struct tfr_json_limits *limits, struct tfr_error *err)
{
	size_t most = limits->size && limits->size < INT32_MAX ? limits->size : INT32_MAX, end;
	struct json_tokener *tokener;
	enum json_tokener_error why;
	const char *p = text;
	TFR_AUTO_BUF own = { 0 };
	enum tfr_status status = TFR_OK;

	assert(limits->depth && limits->depth <= 1024);
	*doc = NULL;
	if (size > most)
		return tfr_fail(err, TFR_EDATA, "over %zu bytes", most);
	while (size && is_space(p[size - 1]))
		size--;
	if (!size)
		return tfr_fail(err, TFR_EDATA, "it is empty");
	if (limits->bytes_per_bracket && too_many_brackets(p, size, limits->bytes_per_bracket))
		return tfr_fail(err, TFR_EDATA, "mostly brackets");
	if (limits->bytes && memmem(p, size, "\\udc", 4)) {
		TFR_NEED_MEMORY(tfr_buf_append(&own, p, size), err, "reading JSON");
		p = (const char *)own.data;
		size = unescape_bytes((char *)own.data, size);
	}
	tokener = json_tokener_new_ex((int)limits->depth);
	TFR_NEED_MEMORY(tokener, err, "reading JSON");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS |
						(limits->bytes ? 0 : JSON_TOKENER_VALIDATE_UTF8));
	*doc = json_tokener_parse_ex(tokener, p, (int)size);
	why = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	assert(end <= size);
	if (why == json_tokener_continue)
		status = tfr_fail(err, TFR_EDATA, "it ends too soon");
	else if (why == json_tokener_success && !*doc && !starts_null(p))
		status = tfr_fail_nomem(err, "reading JSON");
	else if (why != json_tokener_success)
		status = fail_in_line(p, end, json_tokener_error_desc(why), err);
	else if (end < size)
		status = fail_in_line(p, end, "characters after the end", err);
	json_tokener_free(tokener);
	if (status) {
		json_object_put(*doc);
		*doc = NULL;
	}
	return status;
}

void tfr_json_auto_put(struct json_object **doc)
{
	json_object_put(*doc);
}

struct json_object *tfr_json_member(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *v = NULL;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, type) ? v : NULL;
}

const char *tfr_json_text_at(struct json_object *o, const char *key)
{
	return json_object_get_string(tfr_json_member(o, key, json_type_string));
}
