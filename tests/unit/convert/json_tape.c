/* The tape of a JSON text: its tokens, walking over them, the values of tokens, and a member that
 * is not looked into.  json_rows.c has the texts and the faults. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert/json_tape.h"

/* "[n2 {1 t"a" {..." - types, counts and texts. */
static void print_tokens(const struct tfr_tape *t, char *to, size_t size)
{
	*to = '\0';
	for (size_t i = 0; i < t->n; i++) {
		const struct tfr_token *k = tfr_tape_root(t) + i;
		size_t at = strlen(to);

		if (k->type >= TFR_TOKEN_ARRAY)
			snprintf(to + at, size - at, "%s%c%u+%u", i ? " " : "",
				k->type == TFR_TOKEN_ARRAY ? '[' : '{', k->n, k->span);
		else
			snprintf(to + at, size - at, "%s%s%.*s", i ? " " : "",
				k->type == TFR_TOKEN_SKIPPED ? "~" : "", (int)k->size, k->text);
	}
}

static void expect_tokens(const char *text, const char *skipped, const char *expected)
{
	struct tfr_tape t = { .skipped = skipped };
	struct tfr_error err = { 0 };
	char found[400];

	cr_assert_eq(
		tfr_tape_scan(&t, text, strlen(text), &err), TFR_OK, "%s: %s", text, err.message);
	print_tokens(&t, found, sizeof(found));
	cr_expect_str_eq(found, expected, "%s: '%s', not '%s'", text, found, expected);
	tfr_tape_clear(&t);
}

Test(json_tape, tokens)
{
	expect_tokens("[]", NULL, "[0+1");
	expect_tokens(" {} \n", NULL, "{0+1");
	expect_tokens("\"x\"", NULL, "x");
	expect_tokens("1 ", NULL, "1");
	expect_tokens("null ", NULL, "null");
	expect_tokens("[1,[2,[]],{\"a\":true}]", NULL, "[3+8 1 [2+3 2 [0+1 {1+3 a true");
	expect_tokens("[{\"image\": \"a.jpg\", \"annotations\": [{\"x\": 1.5}]}]", NULL,
		"[1+9 {2+8 image a.jpg annotations [1+4 {1+3 x 1.5");
	expect_tokens("{\"a\":1,\"a\":{\"a\":2}}", NULL, "{2+7 a 1 a {1+3 a 2");
}

Test(json_tape, the_bytes_of_a_value)
{
	static const char text[] = " { \"a\" : [ 1 , {} ] , \"b\" : { } } ";
	struct tfr_tape t = { 0 };
	const struct tfr_token *v;

	cr_assert_eq(tfr_tape_scan(&t, text, sizeof(text) - 1, NULL), TFR_OK);
	v = tfr_tape_root(&t);
	cr_expect(v->text == text + 1 && v->size == sizeof(text) - 3);
	v = tfr_token_member(v, "a");
	cr_assert(v && v->size == 10 && !memcmp(v->text, "[ 1 , {} ]", 10));
	v = tfr_token_next(v) + 1;
	cr_expect(v->size == 3 && !memcmp(v->text, "{ }", 3));
	tfr_tape_clear(&t);
}

Test(json_tape, a_member_that_is_skipped)
{
	expect_tokens("{\"s\":[1,2],\"a\":3}", "s", "{2+5 s ~[1,2] a 3");
	expect_tokens("{\"s\": \"},\\\"\" , \"a\":3}", "s", "{2+5 s ~\"},\\\"\"  a 3");
	expect_tokens("{\"a\":{\"s\":1},\"s\":{\"b\":[\"]\"]}}", "s",
		"{2+7 a {1+3 s 1 s ~{\"b\":[\"]\"]}");
	expect_tokens("{ \"a\" : \"\\\"s\\\":3,\" , \"s\" : \"x,}\" }", "s",
		"{2+5 a \"s\":3, s ~\"x,}\" ");
	expect_tokens("{\"a\":\"s\",\"b\":[\"s\",1],\"ss\":1}", "s", "{3+9 a s b [2+3 s 1 ss 1");
	/* Every one, in any spelling of its name, and it need not be JSON. */
	expect_tokens("{\"s\":[x\xff],\"\\u0073\":1}", "s", "{2+5 s ~[x\xff] s ~1");
	/* Not in an array. */
	expect_tokens("[\"s\",1]", "s", "[2+3 s 1");
	/* Brackets at every offset in blocks of 16 bytes. */
	for (int before = 0; before < 40; before++) {
		char text[200], expected[200];

		snprintf(text, sizeof(text), "{\"s\":[[%0*d|,1.5],\"\\\\\",[%0*d]],\"b\":2}",
			before + 1, 0, before + 1, 0);
		snprintf(expected, sizeof(expected), "{2+5 s ~[[%0*d|,1.5],\"\\\\\",[%0*d]] b 2",
			before + 1, 0, before + 1, 0);
		expect_tokens(text, "s", expected);
	}
}

Test(json_tape, faults_beside_a_skipped_member)
{
	static const char *const cases[][2] = {
		{ "{\"s\":[1}", "the JSON is cut short at byte 8" },
		{ "{\"s\":,\"a\":1}", "no JSON at byte 5: expected a value" },
		{ "{\"s\"}", "no JSON at byte 4: expected ':'" },
		{ "{\"s\":}", "no JSON at byte 5: expected a value" },
		{ "{\"s\":[x],\"a\":tru}", "no JSON at byte 16: expected a value" },
		{ "{\"s\":[x],'a':1}", "no JSON at byte 9: expected a name in quotes" },
		{ "{\"s\":[\xff],\"a\":\"\xff\"}", "no JSON at byte 14: invalid UTF-8" },
		{ "{\"a\":\"\xff\",\"s\":[\xff]}", "no JSON at byte 6: invalid UTF-8" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_tape t = { .skipped = "s" };
		struct tfr_error err = { 0 };

		cr_assert_eq(tfr_tape_scan(&t, cases[i][0], strlen(cases[i][0]), &err), TFR_EDATA,
			"%s", cases[i][0]);
		cr_expect_str_eq(err.message, cases[i][1], "%s: %s", cases[i][0], err.message);
		tfr_tape_clear(&t);
	}
}

Test(json_tape, members)
{
	static const char text[] = "{\"a\":1,\"\\u0062\":[{\"a\":5}],\"a\":3,\"\":4}";
	struct tfr_tape t = { 0 };
	const struct tfr_token *root;
	int64_t value = 0;

	cr_assert_eq(tfr_tape_scan(&t, text, sizeof(text) - 1, NULL), TFR_OK);
	root = tfr_tape_root(&t);
	cr_expect(tfr_token_int64(tfr_token_member(root, "a"), &value) && value == 3);
	cr_expect(tfr_token_int64(tfr_token_member(root, ""), &value) && value == 4);
	cr_expect_eq(tfr_token_member(root, "b")->n, 1);
	cr_expect_null(tfr_token_member(root, "c"));
	cr_expect_null(tfr_token_member(tfr_token_member(root, "b"), "a"), "of an array");
	tfr_tape_clear(&t);
}

Test(json_tape, numbers)
{
	static const struct {
		const char *text;
		bool integer, whole;
		int64_t value;
		double real;
	} cases[] = {
		{ "5", true, true, 5, 5 },
		{ "-0", true, true, 0, 0 },
		{ "5.0", false, true, 5, 5 },
		{ "5e3", false, true, 5000, 5000 },
		{ "5.5", false, false, 0, 5.5 },
		{ "9223372036854775806", true, true, INT64_MAX - 1, 0x1p63 },
		{ "9223372036854775807", true, false, 0, 0x1p63 },
		{ "-9223372036854775808", true, false, 0, -0x1p63 },
		{ "92233720368547758070", true, false, 0, 92233720368547758070. },
		{ "9007199254740992.0", false, true, INT64_C(9007199254740992), 0x1p53 },
		{ "9007199254740994.0", false, false, 0, 0x1p53 + 2 },
		{ "0.1234567890123456789012345", false, false, 0, 0.1234567890123456789012345 },
		{ "Infinity", false, false, 0, INFINITY },
		{ "-Infinity", false, false, 0, -INFINITY },
		{ "-1e400", false, false, 0, -INFINITY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_tape t = { 0 };
		char text[100];
		int64_t value = 0;
		double real = 7;

		snprintf(text, sizeof(text), "[%s]", cases[i].text);
		cr_assert_eq(tfr_tape_scan(&t, text, strlen(text), NULL), TFR_OK, "%s", text);
		cr_expect_eq(
			tfr_token_is_integer(tfr_tape_root(&t) + 1), cases[i].integer, "%s", text);
		cr_expect_eq(
			tfr_token_whole(tfr_tape_root(&t) + 1, &value), cases[i].whole, "%s", text);
		cr_expect(!cases[i].whole || value == cases[i].value, "%s", text);
		cr_expect(tfr_token_double(tfr_tape_root(&t) + 1, &real));
		cr_expect_eq(real, cases[i].real, "%s is %g", text, real);
		tfr_tape_clear(&t);
	}
}

/* As deep as json-c with the same limit. */
Test(json_tape, depth)
{
	for (unsigned limit = 1; limit < 5; limit++) {
		struct tfr_tape t = { .depth = limit };

		cr_expect_eq(tfr_tape_scan(&t, "[]", 2, NULL), TFR_OK);
		cr_expect_eq(tfr_tape_scan(&t, "[1]", 3, NULL), limit > 1 ? TFR_OK : TFR_EDATA);
		cr_expect_eq(tfr_tape_scan(&t, "[{\"a\":[]}]", 10, NULL),
			limit > 2 ? TFR_OK : TFR_EDATA);
		cr_expect_eq(tfr_tape_scan(&t, "[{\"a\":[1]}]", 11, NULL),
			limit > 3 ? TFR_OK : TFR_EDATA);
		tfr_tape_clear(&t);
	}
}

/* Characters as json-c takes them, at every offset in blocks of 16 bytes. */
Test(json_tape, characters)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "\xc3\xa9", true },
		{ "\xe2\x82\xac", true },
		{ "\xf0\x9f\x98\x80", true },
		{ "\xc0\x80", true },	  /* not the shortest form */
		{ "\xed\xa0\x80", true }, /* half a pair */
		{ "\x80", false },
		{ "\x80\x80\x80\x80\x80", false },
		{ "\xf8\x88\x80\x80\x80", false },
		{ "\xc3x", false },
		{ "\xe2\x82", false },
		{ "\xc3\xa9\xa9", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int before = 1; before < 36; before++) {
			struct tfr_tape t = { 0 };
			char text[100];

			snprintf(text, sizeof(text), "\"%0*d%s%0*d\"", before, 0, cases[i].text,
				40 - before, 0);
			cr_expect_eq(tfr_tape_scan(&t, text, strlen(text), NULL),
				cases[i].good ? TFR_OK : TFR_EDATA, "%zu, %d", i, before);
			tfr_tape_clear(&t);
		}
	}
}

/* A number at the end may lack digits. */
Test(json_tape, a_number_at_the_end_is_cut_short)
{
	struct tfr_tape t = { 0 };
	struct tfr_error err = { 0 };

	cr_expect_eq(tfr_tape_scan(&t, "12", 2, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "the JSON is cut short at byte 2");
	tfr_tape_clear(&t);
}

/* The tokens of all elements of a text, as of one tape without the array. */
static enum tfr_status scan_elements(
	const char *text, size_t size, char *tokens, size_t room, struct tfr_error *err)
{
	struct tfr_tape t = { 0 };
	enum tfr_status status;
	size_t at = 0, n = 0;

	*tokens = '\0';
	while (!(status = tfr_tape_element(&t, text, size, &at, err))) {
		n = strlen(tokens);
		snprintf(tokens + n, room - n, " ");
		print_tokens(&t, tokens + n + 1, room - n - 1);
	}
	tfr_tape_clear(&t);
	return status == TFR_END ? TFR_OK : status;
}

/* Elements one by one are what a scan of the whole array finds, with the same faults, also in
 * texts that are cut short or have another byte. */
Test(json_tape, elements)
{
	static const char *const texts[] = { "[]", " [ ] \n", "[1]", "[ 1 , -2.5 ,\"x\" ] ",
		"[{\"image\": \"a\\u0041.jpg\", \"annotations\": [{\"x\": 1.5}]},[[]],null]",
		"[\"\\\"],[\",{\"]\":[\",\"]}]" };
	static const char bytes[] = "[]{},:\"\\1x ";
	char text[100], tokens[400], all[400];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (size_t n = strlen(texts[i]), k = 0; k < (n + 1) * sizeof(bytes); k++) {
			size_t place = k / sizeof(bytes), cut = n;
			struct tfr_error whole = { 0 }, parts = { 0 };
			struct tfr_tape t = { 0 };

			strcpy(text, texts[i]);
			if (bytes[k % sizeof(bytes)] && place < n)
				text[place] = bytes[k % sizeof(bytes)];
			else
				cut = place;
			if (text[strspn(text, " ")] != '[')
				continue;
			tfr_tape_scan(&t, text, cut, &whole);
			scan_elements(text, cut, tokens, sizeof(tokens), &parts);
			cr_expect_eq(whole.status, parts.status, "%.*s", (int)cut, text);
			cr_expect_str_eq(whole.message, parts.message, "%.*s", (int)cut, text);
			if (!whole.status) {
				print_tokens(&t, all, sizeof(all));
				cr_expect(!*tokens || strstr(all, tokens), "%s: '%s', not '%s'",
					text, tokens, all);
			}
			tfr_tape_clear(&t);
		}
}
