/* convert/list/jsonl.c - json-c reads lines, bounded in depth and checked for UTF-8.  A number keeps
 * its text until the kind of its feature is known.
 *
 * json-c silently clamps integers beyond its range to the end of the range.  They get an exponent
 * of 0 before they are parsed, because doubles keep their text. */
#include "convert/list/jsonl.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/base64.h"

enum { DEPTH = 32 };

bool tfr_jsonl_open(struct tfr_jsonl *j)
{
	*j = (struct tfr_jsonl){ .tokener = json_tokener_new_ex(DEPTH) };
	if (j->tokener)
		json_tokener_set_flags(
			j->tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	return j->tokener != NULL;
}

void tfr_jsonl_close(struct tfr_jsonl *j)
{
	json_object_put(j->row);
	if (j->tokener)
		json_tokener_free(j->tokener);
	tfr_buf_clear(&j->line);
	tfr_buf_clear(&j->name);
	tfr_buf_clear(&j->values);
	tfr_buf_clear(&j->data);
	*j = (struct tfr_jsonl){ 0 };
}

/* ---- integers beyond int64 ---- */

static const char exponent[] = "e0";

static size_t digits_at(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && isdigit((unsigned char)text[n]))
		n++;
	return n;
}

/* JSON has no leading zeros. */
static bool is_beyond_int64(const char *digits, size_t n, bool minus)
{
	if (n != 19)
		return n > 19;
	return memcmp(digits, minus ? "9223372036854775808" : "9223372036854775807", n) > 0;
}

/* The end of the text in quotes that begins at `at`. */
static size_t end_of_text(const char *line, size_t size, size_t at)
{
	for (at++; at < size && line[at] != '"'; at++)
		if (line[at] == '\\')
			at++;
	return at < size ? at + 1 : size;
}

/* The end of the next integer beyond int64 from *at on; 0: there is none. */
static size_t next_beyond(const char *line, size_t size, size_t at)
{
	while (at < size) {
		size_t n = digits_at(line + at, size - at), end = at + n;
		bool minus = at && line[at - 1] == '-';

		if (!n) {
			at = line[at] == '"' ? end_of_text(line, size, at) : at + 1;
			continue;
		}
		/* Not 1.23, 1e23 or 1e-23. */
		if (is_beyond_int64(line + at, n, minus) &&
			(end == size || !strchr(".eE", line[end])) &&
			(at < 1U + minus || !strchr(".eE+", line[at - 1 - minus])))
			return end;
		at = end;
	}
	return 0;
}

/* Points *line at itself with an exponent after each integer beyond int64. */
static bool mark_integers(struct tfr_jsonl *j, const char **line, size_t *size)
{
	size_t from = 0, end = next_beyond(*line, *size, 0);

	if (!end)
		return true;
	j->line.size = 0;
	for (; end; end = next_beyond(*line, *size, end)) {
		if (!tfr_buf_append(&j->line, *line + from, end - from) ||
			!tfr_buf_append(&j->line, exponent, sizeof(exponent) - 1))
			return false;
		from = end;
	}
	if (!tfr_buf_append(&j->line, *line + from, *size - from))
		return false;
	*line = (const char *)j->line.data;
	*size = j->line.size;
	return true;
}

const char *tfr_jsonl_number(struct json_object *v, size_t *size)
{
	const char *text = json_object_to_json_string_length(v, JSON_C_TO_STRING_PLAIN, size);
	size_t n, minus = text && *text == '-';

	if (!text || !json_object_is_type(v, json_type_double))
		return text;
	n = digits_at(text + minus, *size - minus);
	if (minus + n + sizeof(exponent) - 1 == *size &&
		!memcmp(text + minus + n, exponent, sizeof(exponent) - 1) &&
		is_beyond_int64(text + minus, n, minus))
		*size = minus + n;
	return text;
}

/* An integer that was given an exponent.  Texts of doubles are made when they are asked for: only
 * of those that may be one. */
static bool is_marked(struct json_object *v)
{
	const char *text;
	size_t size;

	if (fabs(json_object_get_double(v)) < (double)INT64_MAX)
		return false;
	text = tfr_jsonl_number(v, &size);
	return text && text[size];
}

/* --- names --- */

static bool has_nul(const char *text, size_t size)
{
	for (size_t i = 0; i + 5 < size; i++)
		if (text[i] == '\\' && !memcmp(text + ++i, "u0000", 5))
			return true;
	return false;
}

/* The names in a line that is JSON; *nul: one has a NUL. */
static size_t count_names(const char *line, size_t size, bool *nul)
{
	size_t n = 0, end;

	for (size_t at = 0; at < size; at = end) {
		const char *quote = memchr(line + at, '"', size - at), *colon;

		if (!quote)
			break;
		at = (size_t)(quote - line);
		end = end_of_text(line, size, at);
		colon = line + end;
		while (colon < line + size && strchr(" \t", *colon) && *colon)
			colon++;
		if (colon == line + size || *colon != ':')
			continue;
		n++;
		*nul |= has_nul(quote, end - at);
	}
	return n;
}

static size_t count_members(struct json_object *o)
{
	size_t n = 0;

	if (json_object_is_type(o, json_type_object)) {
		n = (size_t)json_object_object_length(o);
		json_object_object_foreach(o, key, value)
		{
			(void)key;
			n += count_members(value);
		}
	} else if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			n += count_members(json_object_array_get_idx(o, i));
	}
	return n;
}

/* json-c ends a name at its first NUL, and of two members of one name it keeps the last. */
static enum tfr_status check_names(
	struct json_object *row, const char *line, size_t size, struct tfr_error *err)
{
	bool nul = false;
	size_t n = count_names(line, size, &nul);

	if (nul)
		return tfr_fail(err, TFR_EDATA, "a name with a NUL byte in it");
	if (n != count_members(row))
		return tfr_fail(err, TFR_EDATA, "two members of an object have one name");
	return TFR_OK;
}

enum tfr_status tfr_jsonl_parse(
	struct tfr_jsonl *j, const char *line, size_t size, struct tfr_error *err)
{
	enum json_tokener_error why;
	size_t end;

	json_object_put(j->row);
	json_tokener_reset(j->tokener);
	while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
		size--;
	if (!mark_integers(j, &line, &size))
		return tfr_fail_nomem(err, "reading a list");
	j->row = json_tokener_parse_ex(j->tokener, line, (int)size);
	why = json_tokener_get_error(j->tokener);
	end = json_tokener_get_parse_end(j->tokener);
	if (why == json_tokener_continue)
		return tfr_fail(err, TFR_EDATA, "the JSON is cut short at byte %zu", size);
	if (why != json_tokener_success)
		return tfr_fail(err, TFR_EDATA, "no JSON at byte %zu: %s", end,
			json_tokener_error_desc(why));
	while (end < size && strchr(" \t", line[end]) && line[end])
		end++;
	if (end < size)
		return tfr_fail(err, TFR_EDATA, "no JSON at byte %zu: the object has ended", end);
	if (!json_object_is_type(j->row, json_type_object))
		return tfr_fail(err, TFR_EDATA, "not a JSON object");
	return check_names(j->row, line, size, err);
}

/* --- its members --- */

static struct json_object *only_member(struct json_object *o, const char *name)
{
	struct json_object *value;

	if (!json_object_is_type(o, json_type_object) || json_object_object_length(o) != 1 ||
		!json_object_object_get_ex(o, name, &value) ||
		!json_object_is_type(value, json_type_string))
		return NULL;
	return value;
}

static bool is_described(struct json_object *o)
{
	struct json_object *n;

	return json_object_object_get_ex(o, "bytes", &n) &&
	       json_object_object_get_ex(o, "type", NULL) && json_object_is_type(n, json_type_int);
}

static enum tfr_status each(struct tfr_jsonl *j, struct json_object *o,
	enum tfr_status (*member)(void *ctx, const char *name, size_t size,
		struct json_object *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	size_t prefix = j->name.size;

	json_object_object_foreach(o, key, value)
	{
		enum tfr_status status = TFR_OK;

		j->name.size = prefix;
		if (!tfr_buf_append(&j->name, key, strlen(key)))
			return tfr_fail_nomem(err, "reading a list");
		if (json_object_is_type(value, json_type_object) && !only_member(value, "base64") &&
			!is_described(value)) {
			if (!tfr_buf_append(&j->name, "/", 1))
				return tfr_fail_nomem(err, "reading a list");
			status = each(j, value, member, ctx, err);
		} else if (value) {
			status = member(ctx, (const char *)j->name.data, j->name.size, value, err);
		}
		if (status)
			return status;
	}
	return TFR_OK;
}

enum tfr_status tfr_jsonl_each(struct tfr_jsonl *j,
	enum tfr_status (*member)(void *ctx, const char *name, size_t size,
		struct json_object *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	j->name.size = 0;
	return each(j, j->row, member, ctx, err);
}

static bool fits_int64(struct json_object *v)
{
	/* json-c clamps integers beyond its range to the ends of it. */
	return json_object_get_int64(v) < 0 || json_object_get_uint64(v) <= INT64_MAX;
}

/* NaN, Infinity and -Infinity, as Python writes them; 1e400 is infinite as a double, too. */
static bool is_special(struct json_object *v)
{
	return strpbrk(json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN), "0123456789") ==
	       NULL;
}

static bool fits_float(struct json_object *v)
{
	float n = (float)json_object_get_double(v);

	return isfinite(n) || is_special(v);
}

static unsigned look(struct json_object *v)
{
	float value;

	switch (json_object_get_type(v)) {
	case json_type_boolean:
		return TFR_LOOK_INT;
	case json_type_int:
		return fits_int64(v) ? TFR_LOOK_INT : TFR_LOOK_BIG;
	case json_type_double:
		if (is_marked(v))
			return TFR_LOOK_BIG;
		return fits_float(v) ? TFR_LOOK_FLOAT : TFR_LOOK_HUGE;
	case json_type_string:
		return !strpbrk(json_object_get_string(v), "0123456789") &&
				       tfr_text_float(json_object_get_string(v),
					       (size_t)json_object_get_string_len(v), &value)
			       ? TFR_LOOK_SPECIAL
			       : TFR_LOOK_TEXT;
	case json_type_object:
		return only_member(v, "base64") ? TFR_LOOK_TEXT : 0;
	default:
		return 0;
	}
}

unsigned tfr_jsonl_looks(struct json_object *value, struct json_object **misfit)
{
	bool array = json_object_is_type(value, json_type_array);
	size_t n = array ? json_object_array_length(value) : 1;
	unsigned looks = 0;

	*misfit = NULL;
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = array ? json_object_array_get_idx(value, i) : value;
		unsigned one = look(v);

		if (one & TFR_LOOK_MISFITS && (!*misfit || one > (looks & TFR_LOOK_MISFITS)))
			*misfit = v;
		looks |= one;
	}
	return looks;
}

/* --- values --- */

static enum tfr_status misfit(
	struct json_object *v, const char *name, enum tfr_kind kind, struct tfr_error *err)
{
	const char *is =
		!v					  ? "null"
		: json_object_is_type(v, json_type_array) ? "a list in a list"
		: json_object_is_type(v, json_type_object)
			? is_described(v) ? "bytes that were described only" : "an object in a list"
		: json_object_is_type(v, json_type_string) ? "a text"
							   : "a number";

	return tfr_fail(
		err, TFR_EDATA, "'%s' is %s that %s cannot hold", name, is, tfr_kind_name(kind));
}

/* tfr_buf_append(), of which it is known whether memory was lacking or the value does not fit. */
static bool keep(struct tfr_jsonl *j, struct tfr_buf *buf, const void *data, size_t size)
{
	if (tfr_buf_append(buf, data, size))
		return true;
	j->no_memory = true;
	return false;
}

static bool room(struct tfr_jsonl *j, size_t size)
{
	j->no_memory |= !tfr_buf_reserve(&j->data, size);
	return !j->no_memory;
}

/* Appends the value's bytes to j->data. */
static bool append_bytes(struct tfr_jsonl *j, struct json_object *v, bool given)
{
	struct json_object *base64 = only_member(v, "base64");
	const char *text;
	size_t size;

	if (base64)
		return room(j, (size_t)json_object_get_string_len(base64)) &&
		       tfr_base64_decode(&j->data, json_object_get_string(base64),
			       (size_t)json_object_get_string_len(base64));
	if (json_object_is_type(v, json_type_string)) {
		text = json_object_get_string(v);
		size = (size_t)json_object_get_string_len(v);
	} else if (given && (json_object_is_type(v, json_type_int) ||
				    json_object_is_type(v, json_type_double))) {
		text = tfr_jsonl_number(v, &size);
	} else {
		return false;
	}
	return text && keep(j, &j->data, text, size);
}

static bool append_int64(struct tfr_jsonl *j, struct json_object *v)
{
	int64_t n;

	if (json_object_is_type(v, json_type_boolean))
		n = json_object_get_boolean(v);
	else if (json_object_is_type(v, json_type_int) && fits_int64(v))
		n = json_object_get_int64(v);
	else
		return false;
	return keep(j, &j->values, &n, sizeof(n));
}

static bool append_float(struct tfr_jsonl *j, struct json_object *v)
{
	float n;

	if (json_object_is_type(v, json_type_string)) {
		if (!tfr_text_float(
			    json_object_get_string(v), (size_t)json_object_get_string_len(v), &n))
			return false;
	} else if (json_object_is_type(v, json_type_int) ||
		   json_object_is_type(v, json_type_double)) {
		n = (float)json_object_get_double(v);
		if (!fits_float(v))
			return false;
	} else {
		return false;
	}
	return keep(j, &j->values, &n, sizeof(n));
}

static bool append(struct tfr_jsonl *j, enum tfr_kind kind, bool given, struct json_object *v)
{
	size_t end;

	if (!v)
		return false;
	if (kind == TFR_KIND_INT64)
		return append_int64(j, v);
	if (kind == TFR_KIND_FLOAT)
		return append_float(j, v);
	if (!append_bytes(j, v, given))
		return false;
	end = j->data.size;
	return keep(j, &j->values, &end, sizeof(end));
}

static enum tfr_status put_bytes(struct tfr_jsonl *j, struct tfr_builder *b, const char *name,
	size_t n, struct tfr_error *err)
{
	const size_t *ends = (const size_t *)(const void *)j->values.data;
	TFR_AUTO_BUF list = { 0 };

	for (size_t i = 0, from = 0; i < n; from = ends[i++]) {
		struct tfr_bytes value = { j->data.data + from, ends[i] - from };

		if (!tfr_buf_append(&list, &value, sizeof(value)))
			return tfr_fail_nomem(err, "building records");
	}
	return tfr_builder_bytes(b, name, (const struct tfr_bytes *)(void *)list.data, n, err);
}

enum tfr_status tfr_jsonl_put(struct tfr_jsonl *j, struct tfr_builder *b, const char *name,
	enum tfr_kind kind, bool given, struct json_object *value, struct tfr_error *err)
{
	bool array = json_object_is_type(value, json_type_array);
	size_t n = array ? json_object_array_length(value) : 1;

	j->values.size = j->data.size = 0;
	j->no_memory = false;
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = array ? json_object_array_get_idx(value, i) : value;

		if (!append(j, kind, given, v))
			return j->no_memory ? tfr_fail_nomem(err, "building records")
					    : misfit(v, name, kind, err);
	}
	if (kind == TFR_KIND_INT64)
		return tfr_builder_int64s(
			b, name, (const int64_t *)(const void *)j->values.data, n, err);
	if (kind == TFR_KIND_FLOAT)
		return tfr_builder_floats(
			b, name, (const float *)(const void *)j->values.data, n, err);
	return put_bytes(j, b, name, n, err);
}
