/* tests/fuzz/tape.c - any bytes as JSON: the tape has what json-c reads, value by value, and what
 * only one of the two reads is known; a member that is skipped changes nothing else. */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert/json_tape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_number(const struct tfr_token *t, struct json_object *v)
{
	int64_t whole, expected = json_object_get_int64(v);
	double d, e = json_object_get_double(v);
	bool integer = json_object_is_type(v, json_type_int);

	check(integer || json_object_is_type(v, json_type_double));
	check(integer == tfr_token_is_integer(t) && tfr_token_double(t, &d));
	/* json-c clamps integers. */
	if (integer && (expected == INT64_MAX || expected == INT64_MIN))
		return;
	check(integer == tfr_token_int64(t, &whole) && (!integer || whole == expected));
	check(d == e || (isnan(d) && isnan(e)));
	check(tfr_token_whole(t, &whole) == (integer || (d == floor(d) && fabs(d) <= 0x1p53)));
}

static void compare(const struct tfr_token *t, struct json_object *v)
{
	const struct tfr_token *child = t + 1;

	switch (t->type) {
	case TFR_TOKEN_NULL:
		check(!v);
		break;
	case TFR_TOKEN_BOOL:
		check(json_object_is_type(v, json_type_boolean) &&
			json_object_get_boolean(v) == t->truth);
		break;
	case TFR_TOKEN_NUMBER:
		check_number(t, v);
		break;
	case TFR_TOKEN_TEXT:
		check(json_object_is_type(v, json_type_string));
		check((size_t)json_object_get_string_len(v) == t->size &&
			!memcmp(json_object_get_string(v), t->text, t->size));
		break;
	case TFR_TOKEN_ARRAY:
		check(json_object_is_type(v, json_type_array));
		check(json_object_array_length(v) == t->n);
		for (size_t i = 0; i < t->n; i++, child = tfr_token_next(child))
			compare(child, json_object_array_get_idx(v, i));
		check(child == tfr_token_next(t));
		break;
	default:
		check(t->type == TFR_TOKEN_OBJECT && json_object_is_type(v, json_type_object));
		check((size_t)json_object_object_length(v) <= t->n);
		json_object_object_foreach(v, key, value)
		{
			const struct tfr_token *found = tfr_token_member(t, key);

			check(found);
			compare(found, value);
		}
	}
}

/* Whether json-c reads the text. */
static bool parse(struct json_object **v, const char *text, size_t size, unsigned depth)
{
	struct json_tokener *tokener = FUZZ_SAFE(json_tokener_new_ex((int)depth));
	size_t end;
	bool good;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 |
						JSON_TOKENER_ALLOW_TRAILING_CHARS);
	*v = FUZZ_SAFE(json_tokener_parse_ex(tokener, text, (int)size));
	good = json_tokener_get_error(tokener) == json_tokener_success;
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	while (good && end < size && strchr(" \t\r\n", text[end]) && text[end])
		end++;
	return good && end == size;
}

static void check_skipping(
	const struct tfr_tape *all, const char *text, size_t size, enum tfr_status expected)
{
	struct tfr_tape t = { .depth = all->depth, .skipped = "s" };
	enum tfr_status status = tfr_tape_scan(&t, text, size, NULL);

	if (status != TFR_ENOMEM && expected == TFR_OK) {
		check(!status && t.n <= all->n && t.objects <= all->objects);
		check(tfr_tape_root(&t)->n == tfr_tape_root(all)->n ||
			tfr_tape_root(&t)->type < TFR_TOKEN_ARRAY);
	}
	tfr_tape_clear(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_tape t = { .depth = size ? 1 + data[0] % 40 : 0 };
	const char *text = (const char *)data + 1;
	struct tfr_error why = { 0 };
	struct json_object *v;
	enum tfr_status status;
	bool good;

	if (!size)
		return 0;
	size--;
	good = parse(&v, text, size, t.depth);
	status = tfr_tape_scan(&t, text, size, &why);
	if (!status) {
		check(good);
		compare(tfr_tape_root(&t), v);
	} else if (good && status != TFR_ENOMEM) {
		/* json-c takes names in single quotes, and ends names at a NUL. */
		check(memchr(text, '\'', size) || strstr(why.message, "NUL byte"));
	}
	if (status != TFR_ENOMEM)
		check_skipping(&t, text, size, status);
	json_object_put(v);
	tfr_tape_clear(&t);
	return 0;
}
