/* base/json.c - JSON written into a buffer.  Only writing: what reads JSON uses a library.
 *
 * The writer knows whether a comma is due from one bit a level, so a caller only names what it
 * writes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tfr/text.h>

#include "base/buf.h"
#include "base/utf8.h"

enum { MAX_DEPTH = 64 };

struct tfr_json {
	struct tfr_buf text;
	unsigned depth;
	unsigned pretty;      /* levels that get lines of their own */
	uint64_t has_members; /* bit d: something stands at depth d already */
	const void *next_key; /* of tfr_json_key(), NULL: none */
	size_t next_key_size;
	bool failed;
};

struct tfr_json *tfr_json_new(void)
{
	return calloc(1, sizeof(struct tfr_json));
}

void tfr_json_free(struct tfr_json *j)
{
	if (!j)
		return;
	tfr_buf_clear(&j->text);
	free(j);
}

void tfr_json_pretty(struct tfr_json *j, unsigned depth)
{
	if (j)
		j->pretty = depth;
}

static void put(struct tfr_json *j, const void *bytes, size_t n)
{
	if (!tfr_buf_append(&j->text, bytes, n))
		j->failed = true;
}

static void put_indent(struct tfr_json *j)
{
	put(j, "\n", 1);
	for (unsigned i = 0; i < j->depth; i++)
		put(j, "  ", 2);
}

static void put_quoted(struct tfr_json *j, const uint8_t *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	put(j, "\"", 1);
	while (n) {
		size_t plain = 0, len;

		while (plain < n && p[plain] >= 0x20 && p[plain] < 0x7f && p[plain] != '"' &&
			p[plain] != '\\')
			plain++;
		put(j, p, plain);
		p += plain;
		n -= plain;
		if (!n)
			break;
		len = tfr_utf8_length(p, n);
		if (len > 1) {
			put(j, p, len);
		} else if (*p == '"' || *p == '\\') {
			put(j, (char[]){ '\\', (char)*p }, 2);
		} else if (*p == '\n') {
			put(j, "\\n", 2);
		} else if (*p == '\t') {
			put(j, "\\t", 2);
		} else if (len == 1) {
			put(j, (char[]){ '\\', 'u', '0', '0', hex[*p >> 4], hex[*p & 15] }, 6);
		} else {
			put(j, "\xef\xbf\xbd", 3);
			len = 1;
		}
		p += len;
		n -= len;
	}
	put(j, "\"", 1);
}

void tfr_json_key(struct tfr_json *j, const void *key, size_t size)
{
	if (!j)
		return;
	j->next_key = key;
	j->next_key_size = size;
}

/* The comma, the line break and the key that come before a value. */
static bool begin(struct tfr_json *j, const char *key)
{
	if (!j)
		return false;
	if (j->has_members >> j->depth & 1)
		put(j, ",", 1);
	j->has_members |= (uint64_t)1 << j->depth;
	if (j->depth && j->depth <= j->pretty)
		put_indent(j);
	else if (j->text.size && j->text.data[j->text.size - 1] == ',')
		put(j, " ", 1);
	if (key)
		tfr_json_key(j, key, strlen(key));
	if (j->next_key) {
		put_quoted(j, j->next_key, j->next_key_size);
		put(j, ": ", 2);
		j->next_key = NULL;
	}
	return true;
}

static void open_level(struct tfr_json *j, const char *key, const char *bracket)
{
	if (!begin(j, key))
		return;
	put(j, bracket, 1);
	if (j->depth + 1 >= MAX_DEPTH) {
		j->failed = true;
		return;
	}
	j->depth++;
	j->has_members &= ~((uint64_t)1 << j->depth);
}

static void close_level(struct tfr_json *j, const char *bracket)
{
	bool lines;

	if (!j || !j->depth)
		return;
	lines = j->depth <= j->pretty && (j->has_members >> j->depth & 1);
	j->depth--;
	if (lines)
		put_indent(j);
	put(j, bracket, 1);
}

void tfr_json_open_object(struct tfr_json *j, const char *key)
{
	open_level(j, key, "{");
}

void tfr_json_close_object(struct tfr_json *j)
{
	close_level(j, "}");
}

void tfr_json_open_array(struct tfr_json *j, const char *key)
{
	open_level(j, key, "[");
}

void tfr_json_close_array(struct tfr_json *j)
{
	close_level(j, "]");
}

void tfr_json_bytes(struct tfr_json *j, const char *key, const void *text, size_t size)
{
	if (begin(j, key))
		put_quoted(j, text, size);
}

void tfr_json_string(struct tfr_json *j, const char *key, const char *text)
{
	tfr_json_bytes(j, key, text, strlen(text));
}

static void put_literal(struct tfr_json *j, const char *key, const char *text)
{
	if (begin(j, key))
		put(j, text, strlen(text));
}

/* Digits by hand: features hold thousands of numbers, and printf costs several times as much. */
static void put_integer(struct tfr_json *j, const char *key, uint64_t value, bool negative)
{
	char text[24], *p = text + sizeof(text);

	if (!begin(j, key))
		return;
	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (negative)
		*--p = '-';
	put(j, p, (size_t)(text + sizeof(text) - p));
}

void tfr_json_u64(struct tfr_json *j, const char *key, uint64_t value)
{
	put_integer(j, key, value, false);
}

void tfr_json_i64(struct tfr_json *j, const char *key, int64_t value)
{
	put_integer(j, key, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

/* What "%g" has no good word for: JSON has no infinities, and readers take "-0" for the integer 0.
 */
static bool put_odd_float(struct tfr_json *j, const char *key, double value)
{
	if (!isfinite(value))
		tfr_json_string(j, key,
			isnan(value) ? "NaN"
			: value < 0  ? "-Infinity"
				     : "Infinity");
	else if (value == 0 && signbit(value))
		put_literal(j, key, "-0.0");
	else
		return false;
	return true;
}

void tfr_json_f64(struct tfr_json *j, const char *key, double value)
{
	char text[40];

	if (put_odd_float(j, key, value))
		return;
	for (int digits = isnormal(value) ? 6 : 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	put_literal(j, key, text);
}

void tfr_json_f32(struct tfr_json *j, const char *key, float value)
{
	char text[40];

	if (put_odd_float(j, key, (double)value))
		return;
	for (int digits = isnormal(value) ? 6 : 1; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	put_literal(j, key, text);
}

void tfr_json_bool(struct tfr_json *j, const char *key, bool value)
{
	put_literal(j, key, value ? "true" : "false");
}

void tfr_json_null(struct tfr_json *j, const char *key)
{
	put_literal(j, key, "null");
}

const char *tfr_json_text(struct tfr_json *j, size_t *size)
{
	if (!j || j->failed || !tfr_buf_append(&j->text, "", 1))
		return NULL;
	j->text.size--;
	if (size)
		*size = j->text.size;
	return (const char *)j->text.data;
}

void tfr_json_reset(struct tfr_json *j)
{
	if (!j)
		return;
	j->text.size = 0;
	j->depth = 0;
	j->has_members = 0;
	j->next_key = NULL;
}

bool tfr_is_utf8(const void *text, size_t size)
{
	const uint8_t *p = text;
	size_t len;

	for (; size; p += len, size -= len) {
		len = tfr_utf8_length(p, size);
		if (!len)
			return false;
	}
	return true;
}
