/* Lines of JSON lines: what is scanned, which columns and values follow, and which fault is
 * reported. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/list/list.h"

static const struct tfr_convert_opts no_opts;

/* Reads a line without any columns.  The reader must be cleared. */
static enum tfr_status read_line(struct tfr_json_row *r, const char *line, struct tfr_error *err)
{
	static const struct tfr_columns none = { .tables = &no_opts.tables };

	*r = (struct tfr_json_row){ 0 };
	return tfr_json_row_read(r, &none, line, strlen(line), err);
}

/* The names and forms of the features: "a b[] c/d". */
static void features(struct tfr_json_row *r, char *text, size_t size)
{
	const struct tfr_json_member *members = tfr_json_row_members(r);

	*text = '\0';
	for (size_t i = 0; i < r->n; i++) {
		size_t n, at = strlen(text);
		const char *name;

		if (!tfr_json_member_has(&members[i]))
			continue;
		name = tfr_json_row_name(r, &members[i], &n);
		cr_assert_not_null(name);
		snprintf(text + at, size - at, "%s%.*s%s", at ? " " : "", (int)n, name,
			members[i].value->type == TFR_TOKEN_ARRAY ? "[]" : "");
	}
}

static void expect_features(const char *line, const char *expected)
{
	struct tfr_json_row r;
	struct tfr_error err = { 0 };
	char text[400];

	cr_assert_eq(read_line(&r, line, &err), TFR_OK, "%s: %s", line, err.message);
	features(&r, text, sizeof(text));
	cr_expect_str_eq(text, expected, "%s: '%s', not '%s'", line, text, expected);
	tfr_json_row_clear(&r);
}

Test(json_rows, features_of_nested_objects)
{
	expect_features("{}", "");
	expect_features(" { } \t\r\n", "");
	expect_features("{\"a\":1,\"b\":[],\"c\":null}", "a b[]");
	expect_features("{\"a\":{\"b\":1,\"c\":{\"d\":[2],\"e\":null}},\"f\":3}", "a/b a/c/d[] f");
	expect_features("{\"a\":{},\"b\":{\"c\":{}}}", "");
	expect_features("{\"a\":{\"base64\":\"AA==\"}}", "a");
	expect_features("{\"a\":{\"base64\":\"AA==\",\"b\":1}}", "a/base64 a/b");
	expect_features("{\"a\":{\"base64\":[\"AA==\"]}}", "a/base64[]");
	expect_features("{\"a\":{\"bytes\":3,\"type\":\"png\"},\"b\":1}", "a b");
	expect_features("{\"a\":{\"bytes\":3},\"b\":{\"type\":1}}", "a/bytes b/type");
	expect_features("{\"a\":{\"bytes\":\"3\",\"type\":1}}", "a/bytes a/type");
	/* The members of objects in arrays are no features. */
	expect_features("{\"a\":[{\"b\":1,\"c\":{\"d\":2}}],\"e\":4}", "a[] e");
	expect_features("{\"a\":[[[{\"b\":[]}]]]}", "a[]");
	/* Names may have escapes, and a name may be empty. */
	expect_features("{\"\\u0061\\n\":1,\"\":{\"\":2}}", "a\n /");
	expect_features("{\"\\ud83d\\ude00\":{\"\\u00e9\":1}}", "\xf0\x9f\x98\x80/\xc3\xa9");
}

Test(json_rows, names_that_occur_twice)
{
	static const char *const twice[] = {
		"{\"a\":1,\"a\":2}",
		"{\"a\":null,\"a\":2}",
		"{\"a\":1,\"\\u0061\":2}",
		"{\"a\":{\"b\":1},\"a\":2}",
		"{\"a\":{\"b\":1},\"a\":{\"c\":1}}",
		"{\"a\":{\"b\":1,\"b\":[]}}",
		"{\"a\":[{\"b\":1,\"b\":1}]}",
		"{\"a\":[[{\"x\":{\"b\":1,\"b\":1}}]]}",
		"{\"a\":{\"bytes\":3,\"type\":1,\"type\":1}}",
	};
	static const char *const once[] = {
		"{\"a\":1,\"b\":{\"a\":2,\"b\":{\"a\":3}}}",
		"{\"a\":[{\"b\":1},{\"b\":2}]}",
		"{\"a/b\":1,\"a\":{\"b\":2}}",
		"{\"a\":1,\"aa\":2,\"\":3}",
		"{\"a\":[{\"base64\":\"\"},{\"base64\":\"\"}],\"b\":{\"base64\":\"\"}}",
	};

	for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		struct tfr_json_row r;
		struct tfr_error err = { 0 };

		cr_expect_eq(read_line(&r, twice[i], &err), TFR_EDATA, "%s", twice[i]);
		cr_expect_str_eq(err.message, "two members of an object have one name");
		tfr_json_row_clear(&r);
	}
	for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++) {
		struct tfr_json_row r;

		cr_expect_eq(read_line(&r, once[i], NULL), TFR_OK, "%s", once[i]);
		tfr_json_row_clear(&r);
	}
}

/* More unknown names than are compared pairwise. */
Test(json_rows, many_names)
{
	for (int twice = 0; twice < 2; twice++) {
		char line[4000] = "{";
		struct tfr_json_row r;

		for (int i = 0; i < 100; i++)
			sprintf(line + strlen(line), "\"n%d\":%d,", i, i);
		strcat(line, twice ? "\"n\\u0034\":1}" : "\"last\":1}");
		cr_expect_eq(read_line(&r, line, NULL), twice ? TFR_EDATA : TFR_OK);
		cr_expect_eq(r.n, 101);
		tfr_json_row_clear(&r);
	}
}

/* Two features of one name: which of them a column has, and that the row says so. */
Test(json_rows, columns_of_members)
{
	struct tfr_columns c = { .tables = &no_opts.tables };
	struct tfr_json_row r = { 0 };
	const char *both = "{\"a/b\":1,\"a\":{\"b\":2},\"x\":3}";
	const char *null = "{\"a/b\":null,\"a\":{\"b\":2}}";
	const struct tfr_json_member *members;

	cr_assert_not_null(tfr_columns_add(&c, "a/b", 3));
	cr_assert_not_null(tfr_columns_add(&c, "z", 1));
	cr_assert_eq(tfr_json_row_read(&r, &c, both, strlen(both), NULL), TFR_OK);
	members = tfr_json_row_members(&r);
	cr_expect(r.twice);
	cr_expect_eq(tfr_json_row_member(&r, 0), &members[0]);
	cr_expect_null(tfr_json_row_member(&r, 1));
	cr_expect_eq(members[r.n - 1].column, SIZE_MAX);
	cr_expect_eq(tfr_json_row_read(&r, &c, null, strlen(null), NULL), TFR_OK);
	members = tfr_json_row_members(&r);
	cr_expect_eq(tfr_json_row_member(&r, 0), &members[2], "a null is no value");
	/* Nothing of a row is left in the next one. */
	cr_expect_eq(tfr_json_row_read(&r, &c, "{\"z\":1}", 7, NULL), TFR_OK);
	cr_expect_null(tfr_json_row_member(&r, 0));
	cr_expect_not_null(tfr_json_row_member(&r, 1));
	cr_expect_not(r.twice);
	tfr_columns_clear(&c);
	tfr_json_row_clear(&r);
}

/* ---- texts ---- */

static void expect_text(const char *json, const char *expected, size_t size)
{
	char line[200];
	struct tfr_json_row r;
	struct tfr_error err = { 0 };
	const struct tfr_token *t;

	snprintf(line, sizeof(line), "{\"a\":%s}", json);
	cr_assert_eq(read_line(&r, line, &err), TFR_OK, "%s: %s", json, err.message);
	t = tfr_json_row_members(&r)->value;
	cr_expect_eq(t->type, TFR_TOKEN_TEXT);
	cr_expect(t->size == size && !memcmp(t->text, expected, size), "%s is '%.*s'", json,
		(int)t->size, t->text);
	tfr_json_row_clear(&r);
}

Test(json_rows, escapes)
{
	expect_text("\"\"", "", 0);
	expect_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	expect_text("\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		10);
	expect_text("\"a\\u0000b\"", "a\0b", 3);
	/* Halves of surrogate pairs become U+FFFD. */
	expect_text("\"\\ud800\"", "\xef\xbf\xbd", 3);
	expect_text("\"\\udc00x\"", "\xef\xbf\xbdx", 4);
	expect_text("\"\\ud800\\n\"", "\xef\xbf\xbd\n", 4);
	expect_text("\"\\ud800\\ud800\\udc00\"", "\xef\xbf\xbd\xf0\x90\x80\x80", 7);
	expect_text("\"\\ud800\\u0041\"", "\xef\xbf\xbd" "A", 4);
	/* The text before and after an escape, at every offset in blocks of 16 bytes. */
	for (int before = 0; before < 40; before++) {
		char json[100], expected[100];

		snprintf(json, sizeof(json), "\"%0*d\\t%0*d\"", before + 1, 0, before + 1, 0);
		snprintf(expected, sizeof(expected), "%0*d\t%0*d", before + 1, 0, before + 1, 0);
		expect_text(json, expected, strlen(expected));
	}
}

/* ---- faults ---- */

Test(json_rows, faults)
{
	char text[80];
	static const char *const cases[][2] = {
		{ "", "the JSON is cut short at byte 0" },
		{ "{\"a\":1", "the JSON is cut short at byte 6" },
		{ "{\"a\":\"x", "the JSON is cut short at byte 7" },
		{ "[1]", "not a JSON object" },
		{ "1", "the JSON is cut short at byte 1" },
		{ "\"x\"", "not a JSON object" },
		{ "{\"a\":1,}", "no JSON at byte 7: expected a name in quotes" },
		{ "{\"a\":1}}", "no JSON at byte 7: trailing bytes" },
		{ "{\"a\" 1}", "no JSON at byte 5: expected ':'" },
		{ "{\"a\":[1 2]}", "no JSON at byte 8: expected ',' or ']'" },
		{ "{\"a\":tru}", "no JSON at byte 8: expected a value" },
		{ "{\"a\":01}", "no JSON at byte 7: a zero before other digits" },
		{ "{\"a\":+1}", "no JSON at byte 5: expected a value" },
		{ "{\"a\":\"\\x\"}", "no JSON at byte 7: an invalid escape" },
		{ "{\"a\":\"\xff\"}", "no JSON at byte 6: invalid UTF-8" },
		{ "{\"a\":-}", "no JSON at byte 6: expected a digit" },
		{ "{\"a\":[-Inf]}", "no JSON at byte 10: expected a value" },
		{ "{\"a\":1e", "the JSON is cut short at byte 7" },
		{ "{\"a\\u0000\":1}", "a name with a NUL byte in it" },
		/* The byte is that of the line, whatever comes before it. */
		{ "{\"a\":12345678901234567890,\"b\":x}", "no JSON at byte 30: expected a value" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_json_row r;
		struct tfr_error err = { 0 };

		cr_expect_eq(read_line(&r, cases[i][0], &err), TFR_EDATA, "%s", cases[i][0]);
		snprintf(text, sizeof(text), "%.*s", (int)strlen(cases[i][1]), err.message);
		cr_expect_str_eq(text, cases[i][1], "%s: %s", cases[i][0], err.message);
		tfr_json_row_clear(&r);
	}
}

/* Every cut of a line is refused, without a look past its end. */
Test(json_rows, cut_short)
{
	static const char line[] = "{\"a\":{\"b\":[1.5,\"x\\u00e9\",{\"c\":null}]},\"d\":\"\\ud83d\\ude00\"}";

	for (size_t n = 0; n < sizeof(line) - 1; n++) {
		static const struct tfr_columns none = { .tables = &no_opts.tables };
		struct tfr_json_row r = { 0 };
		char *copy = malloc(n + 1);

		memcpy(copy, line, n);
		cr_expect_eq(tfr_json_row_read(&r, &none, copy, n, NULL), TFR_EDATA, "%zu", n);
		tfr_json_row_clear(&r);
		free(copy);
	}
}

Test(json_rows, depth)
{
	for (int depth = 28; depth < 36; depth++) {
		char line[400] = "{\"a\":";
		struct tfr_json_row r;
		enum tfr_status expected = depth > 31 ? TFR_EDATA : TFR_OK;

		memset(line + 5, '[', (size_t)depth);
		memset(line + 5 + depth, ']', (size_t)depth);
		strcpy(line + 5 + 2 * depth, "}");
		cr_expect_eq(read_line(&r, line, NULL), expected, "%d arrays", depth);
		tfr_json_row_clear(&r);
		strcpy(line, "{\"a\":");
		for (int i = 1; i < depth; i++)
			strcat(line, "{\"a\":");
		strcat(line, "1");
		for (int i = 0; i < depth; i++)
			strcat(line, "}");
		cr_expect_eq(read_line(&r, line, NULL), expected, "%d objects", depth);
		tfr_json_row_clear(&r);
	}
}

/* ---- looks and values ---- */

Test(json_rows, looks)
{
	static const struct {
		const char *json;
		unsigned looks;
		const char *misfit;
	} cases[] = {
		{ "1", TFR_LOOK_INT, NULL },
		{ "-0", TFR_LOOK_INT, NULL },
		{ "true", TFR_LOOK_INT, NULL },
		{ "-9223372036854775808", TFR_LOOK_INT, NULL },
		{ "-9223372036854775809", TFR_LOOK_BIG, "-9223372036854775809" },
		{ "9223372036854775808", TFR_LOOK_BIG, "9223372036854775808" },
		{ "123456789012345678901234567890", TFR_LOOK_BIG, "123456789012345678901234567890" },
		{ "1.0", TFR_LOOK_FLOAT, NULL },
		{ "1e5", TFR_LOOK_FLOAT, NULL },
		{ "1e38", TFR_LOOK_FLOAT, NULL },
		{ "1e39", TFR_LOOK_HUGE, "1e39" },
		{ "-1e400", TFR_LOOK_HUGE, "-1e400" },
		{ "1e-400", TFR_LOOK_FLOAT, NULL },
		{ "0.00000000000000000000000000000000000001", TFR_LOOK_FLOAT, NULL },
		{ "NaN", TFR_LOOK_FLOAT, NULL },
		{ "-Infinity", TFR_LOOK_FLOAT, NULL },
		{ "\"nan\"", TFR_LOOK_SPECIAL, NULL },
		{ "\"-inf\"", TFR_LOOK_SPECIAL, NULL },
		{ "\"1\"", TFR_LOOK_TEXT, NULL },
		{ "{\"base64\":\"\"}", TFR_LOOK_TEXT, NULL },
		{ "[]", 0, NULL },
		{ "[null]", 0, NULL },
		{ "[[1]]", 0, NULL },
		{ "[1,2.5]", TFR_LOOK_INT | TFR_LOOK_FLOAT, NULL },
		{ "[1,\"x\"]", TFR_LOOK_INT | TFR_LOOK_TEXT, NULL },
		/* Of several, the first one beyond float32. */
		{ "[9223372036854775808,1e39,1e40]", TFR_LOOK_BIG | TFR_LOOK_HUGE, "1e39" },
		{ "[1e39,9223372036854775808]", TFR_LOOK_BIG | TFR_LOOK_HUGE, "1e39" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_json_row r;
		const struct tfr_token *misfit;
		char line[200];

		snprintf(line, sizeof(line), "{\"a\":%s}", cases[i].json);
		cr_assert_eq(read_line(&r, line, NULL), TFR_OK, "%s", line);
		cr_expect_eq(tfr_json_member_looks(tfr_json_row_members(&r), &misfit),
			cases[i].looks, "%s", line);
		cr_expect_eq(misfit != NULL, cases[i].misfit != NULL, "%s", line);
		if (misfit && cases[i].misfit)
			cr_expect(misfit->size == strlen(cases[i].misfit) &&
					  !memcmp(misfit->text, cases[i].misfit, misfit->size),
				"%s", line);
		tfr_json_row_clear(&r);
	}
}

/* The values of {"a": json} as a column of this kind; NULL: refused, and `err` says why. */
static const void *values_of(struct tfr_json_row *r, const char *json, enum tfr_kind kind, bool given,
	struct tfr_error *err)
{
	struct tfr_list_column col = {
		.name = (char *)(uintptr_t)"a", .kind = kind, .given = given
	};
	const void *values = NULL;
	char line[200];
	size_t n;

	snprintf(line, sizeof(line), "{\"a\":%s}", json);
	cr_assert_eq(read_line(r, line, err), TFR_OK, "%s", line);
	return tfr_json_row_values(r, tfr_json_row_members(r), &col, &values, &n, err) ? NULL
										       : values;
}

Test(json_rows, values)
{
	struct tfr_json_row r;
	const int64_t *ints;
	const float *floats;

	ints = values_of(&r, "[-7,true,false,9223372036854775807]", TFR_KIND_INT64, false, NULL);
	cr_assert(ints && ints[0] == -7 && ints[1] == 1 && ints[2] == 0 && ints[3] == INT64_MAX);
	tfr_json_row_clear(&r);
	floats = values_of(&r, "[1,0.1,\"-inf\",NaN,16777217,1e-400]", TFR_KIND_FLOAT, false, NULL);
	cr_assert(floats && floats[0] == 1.0f && floats[1] == 0.1f && isinf(floats[2]));
	cr_assert(isnan(floats[3]) && floats[4] == 16777216.0f && floats[5] == 0.0f);
	tfr_json_row_clear(&r);
}

Test(json_rows, bytes)
{
	static const char *const cases[][2] = {
		{ "\"x\"", "x" },
		{ "{\"base64\":\"Zm9v\"}", "foo" },
		{ "1", "1" },
		{ "-0", "0" }, /* as C prints the integer */
		{ "1.50", "1.50" },
		{ "-1E+05", "-1E+05" },
		{ "12345678901234567890123", "12345678901234567890123" },
		{ "NaN", "NaN" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_json_row r;
		const struct tfr_bytes *v = values_of(&r, cases[i][0], TFR_KIND_BYTES, true, NULL);

		cr_assert_not_null(v, "%s", cases[i][0]);
		cr_expect(v->size == strlen(cases[i][1]) && !memcmp(v->data, cases[i][1], v->size),
			"%s is '%.*s'", cases[i][0], (int)v->size, (const char *)v->data);
		tfr_json_row_clear(&r);
	}
}

Test(json_rows, values_that_do_not_fit)
{
	static const struct {
		const char *json;
		enum tfr_kind kind;
		const char *message;
	} cases[] = {
		{ "\"x\"", TFR_KIND_INT64, "'a' is a text that int64 cannot hold" },
		{ "1.5", TFR_KIND_INT64, "'a' is a number that int64 cannot hold" },
		{ "9223372036854775808", TFR_KIND_INT64, "'a' is a number that int64 cannot hold" },
		{ "[1,null]", TFR_KIND_INT64, "'a' is null that int64 cannot hold" },
		{ "1e39", TFR_KIND_FLOAT, "'a' is a number that float cannot hold" },
		{ "true", TFR_KIND_FLOAT, "'a' is a number that float cannot hold" },
		{ "[[1]]", TFR_KIND_FLOAT, "'a' is a list in a list that float cannot hold" },
		{ "[{\"b\":1}]", TFR_KIND_FLOAT, "'a' is an object in a list that float cannot hold" },
		{ "{\"base64\":\"Zm9\"}", TFR_KIND_BYTES,
			"'a' is an object in a list that bytes cannot hold" },
		{ "{\"bytes\":3,\"type\":\"png\"}", TFR_KIND_BYTES,
			"'a' is bytes that were described only that bytes cannot hold" },
		{ "1", TFR_KIND_BYTES, "'a' is a number that bytes cannot hold" }, /* not given */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_json_row r;
		struct tfr_error err = { 0 };

		cr_expect_null(values_of(&r, cases[i].json, cases[i].kind, false, &err));
		cr_expect_str_eq(err.message, cases[i].message, "%s: %s", cases[i].json,
			err.message);
		tfr_json_row_clear(&r);
	}
}
