/* base/json.c - writes JSON into a buffer.  Code that reads JSON uses a library.
 *
 * One bit per level tells whether a comma is due, so a caller only names the values that it
 * writes. */
#include <math.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/utf8.h"

enum { MAX_DEPTH = 64 };

struct tfr_json {
	struct tfr_buf text;
	unsigned depth;
	unsigned pretty;      /* levels that get lines of their own */
	uint64_t has_members; /* bit d: level d already has a member */
	const void *next_key; /* of tfr_json_key(), NULL: none */
	size_t next_key_size;
	bool failed;
	bool keeps_bytes;
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

void tfr_json_keep_bytes(struct tfr_json *j)
{
	if (j)
		j->keeps_bytes = true;
}

/* Room for `n` bytes after the text; NULL: out of memory. */
static inline uint8_t *room(struct tfr_json *j, size_t n)
{
	if (j->text.cap - j->text.size < n && !tfr_buf_reserve(&j->text, n)) {
		j->failed = true;
		return NULL;
	}
	return j->text.data + j->text.size;
}

static inline void put_text(struct tfr_json *j, const void *bytes, size_t n)
{
	uint8_t *out = room(j, n);

	if (out && n)
		memcpy(out, bytes, n);
	j->text.size += out ? n : 0;
}

static void put_indent(struct tfr_json *j)
{
	put_text(j, "\n", 1);
	for (unsigned i = 0; i < j->depth; i++)
		put_text(j, "  ", 2);
}

/* The bytes of `w` that must be escaped in a string or are not ASCII, as the highest bit of each
 * byte.  Carries propagate upwards, so only the lowest set bit is reliable. */
static inline uint64_t find_odd(uint64_t w)
{
	const uint64_t each = 0x0101010101010101u;
	uint64_t quote = w ^ '"' * each, slash = w ^ '\\' * each;

	return (w | (w - 0x20 * each) | (w + each) | (quote - each) | (slash - each)) & 0x80 * each;
}

/* Loads the next `n` bytes, 1 to 8, followed by zeros. memcpy() would be a function call, too
 * slow for so few. */
static inline uint64_t load_some(const uint8_t *p, size_t n)
{
	uint32_t low, high;

	if (n >= 4) {
		memcpy(&low, p, 4);
		memcpy(&high, p + n - 4, 4);
		return low | (uint64_t)high << 8 * (n - 4);
	}
	return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
}

/* Copies bytes up to the first that must be escaped; up to eight more bytes of `out` may be
 * written.  Returns how many were copied. */
static inline size_t copy_plain(uint8_t *out, const uint8_t *p, size_t n)
{
	uint64_t w, odd;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&w, p + i, 8);
		memcpy(out + i, &w, 8);
		odd = find_odd(w);
		if (odd)
			return i + (size_t)__builtin_ctzll(odd) / 8;
	}
	if (i == n)
		return n;
	w = load_some(p + i, n - i);
	memcpy(out + i, &w, 8);
	odd = find_odd(w) & ((UINT64_C(1) << 8 * (n - i)) - 1);
	return odd ? i + (size_t)__builtin_ctzll(odd) / 8 : n;
}

static void put_unit(struct tfr_json *j, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";

	put_text(j,
		(char[]){ '\\', 'u', hex[unit >> 12], hex[unit >> 8 & 15], hex[unit >> 4 & 15],
			hex[unit & 15] },
		6);
}

static void put_code_point(struct tfr_json *j, uint32_t code)
{
	if (code >= 0x10000) {
		put_unit(j, 0xd800 + ((code - 0x10000) >> 10));
		code = 0xdc00 + (code & 0x3ff);
	}
	put_unit(j, code);
}

/* Writes one character that needs an escape or is not ASCII; returns its length in bytes. */
static size_t put_character(struct tfr_json *j, const uint8_t *p, size_t n)
{
	size_t len = tfr_utf8_length(p, n);

	if (len > 1 && tfr_utf8_harmless(p, len))
		put_text(j, p, len);
	else if (len > 1)
		put_code_point(j, tfr_utf8_code_point(p, len));
	else if (*p == '"' || *p == '\\')
		put_text(j, (char[]){ '\\', (char)*p }, 2);
	else if (*p == '\n')
		put_text(j, "\\n", 2);
	else if (*p == '\t')
		put_text(j, "\\t", 2);
	else if (len == 1)
		put_code_point(j, *p);
	else if (j->keeps_bytes)
		put_unit(j, 0xdc00u | *p);
	else
		put_text(j, "\xef\xbf\xbd", 3);
	return len ? len : 1;
}

static void put_quoted(struct tfr_json *j, const uint8_t *p, size_t n)
{
	put_text(j, "\"", 1);
	while (n) {
		uint8_t *out = room(j, n + 8);
		size_t len;

		if (!out)
			return;
		len = copy_plain(out, p, n);
		j->text.size += len;
		p += len;
		n -= len;
		if (!n)
			break;
		len = put_character(j, p, n);
		p += len;
		n -= len;
	}
	put_text(j, "\"", 1);
}

void tfr_json_key(struct tfr_json *j, const void *key, size_t size)
{
	if (!j)
		return;
	j->next_key = key;
	j->next_key_size = size;
}

/* Writes the comma, the line break and the key before a value. */
static inline bool begin_value(struct tfr_json *j, const char *key)
{
	bool lines;

	if (!j)
		return false;
	lines = j->depth && j->depth <= j->pretty;
	if (j->has_members >> j->depth & 1)
		put_text(j, ", ", lines ? 1 : 2);
	j->has_members |= (uint64_t)1 << j->depth;
	if (lines)
		put_indent(j);
	if (key)
		tfr_json_key(j, key, strlen(key));
	if (j->next_key) {
		put_quoted(j, j->next_key, j->next_key_size);
		put_text(j, ": ", 2);
		j->next_key = NULL;
	}
	return true;
}

static void open_level(struct tfr_json *j, const char *key, const char *bracket)
{
	if (!begin_value(j, key))
		return;
	put_text(j, bracket, 1);
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
	put_text(j, bracket, 1);
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
	if (begin_value(j, key))
		put_quoted(j, text, size);
}

void tfr_json_string(struct tfr_json *j, const char *key, const char *text)
{
	tfr_json_bytes(j, key, text, strlen(text));
}

static void put_literal(struct tfr_json *j, const char *key, const char *text)
{
	if (begin_value(j, key))
		put_text(j, text, strlen(text));
}

static char *number_room(struct tfr_json *j, size_t n)
{
	return (char *)room(j, n * TFR_DECIMAL_ROOM);
}

static void end_number(struct tfr_json *j, const char *end)
{
	j->text.size = (size_t)(end - (const char *)j->text.data);
}

void tfr_json_u64(struct tfr_json *j, const char *key, uint64_t value)
{
	char *out = begin_value(j, key) ? number_room(j, 1) : NULL;

	if (out)
		end_number(j, tfr_decimal_u64(out, value));
}

void tfr_json_i64(struct tfr_json *j, const char *key, int64_t value)
{
	char *out = begin_value(j, key) ? number_room(j, 1) : NULL;

	if (out)
		end_number(j, tfr_decimal_i64(out, value));
}

/* JSON has no infinities and no NaN. */
static bool put_not_finite(struct tfr_json *j, const char *key, double value)
{
	if (isfinite(value))
		return false;
	tfr_json_string(j, key, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
	return true;
}

void tfr_json_f64(struct tfr_json *j, const char *key, double value)
{
	char *out = NULL;

	if (put_not_finite(j, key, value))
		return;
	if (begin_value(j, key))
		out = number_room(j, 1);
	if (out)
		end_number(j, tfr_decimal_f64(out, value));
}

void tfr_json_f32(struct tfr_json *j, const char *key, float value)
{
	char *out = NULL;

	if (put_not_finite(j, key, (double)value))
		return;
	if (begin_value(j, key))
		out = number_room(j, 1);
	if (out)
		end_number(j, tfr_decimal_f32(out, value));
}

enum { MANY = 64 }; /* numbers for which room is made at once */

void tfr_json_i64s(struct tfr_json *j, const int64_t *values, size_t n)
{
	while (n && begin_value(j, NULL)) {
		size_t some = j->depth <= j->pretty ? 1 : n < MANY ? n : MANY;
		char *out = number_room(j, some);

		if (!out)
			return;
		end_number(j, tfr_decimal_i64s(out, values, some) - 2);
		values += some;
		n -= some;
	}
}

void tfr_json_f32s(struct tfr_json *j, const void *values, size_t n)
{
	while (n && begin_value(j, NULL)) {
		size_t some = j->depth <= j->pretty ? 1 : n < MANY ? n : MANY;
		char *out = number_room(j, some);

		if (!out)
			return;
		end_number(j, tfr_decimal_f32s(out, values, some) - 2);
		values = (const uint8_t *)values + 4 * some;
		n -= some;
	}
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
	const uint64_t high = 0x8080808080808080u;
	const uint8_t *p = text;
	uint64_t word;
	size_t len;

	for (; size; p += len, size -= len) {
		if (*p < 0x80) { /* if so, the next ones usually are too */
			len = size < 8 ? size : 8;
			word = load_some(p, len) & high;
			if (word)
				len = (size_t)__builtin_ctzll(word) / 8;
			continue;
		}
		len = tfr_utf8_length(p, size);
		if (!len)
			return false;
	}
	return true;
}
