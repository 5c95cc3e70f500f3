#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>

Test(json, nests_and_escapes)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_open_object(j, NULL);
	tfr_json_i64(j, "low", INT64_MIN);
	tfr_json_u64(j, "high", UINT64_MAX);
	tfr_json_open_array(j, "a\"b");
	tfr_json_bytes(j, NULL, "\x01\n\xff\xc3\xa9", 5);
	tfr_json_bool(j, NULL, true);
	tfr_json_null(j, NULL);
	tfr_json_close_array(j);
	tfr_json_open_object(j, "empty");
	tfr_json_close_object(j);
	tfr_json_close_object(j);
	cr_assert_str_eq(tfr_json_text(j, NULL),
		"{\"low\": -9223372036854775808, \"high\": 18446744073709551615, "
		"\"a\\\"b\": [\"\\u0001\\n\xef\xbf\xbd\xc3\xa9\", true, null], \"empty\": {}}");
	tfr_json_free(j);
}

Test(json, integers_are_printfs)
{
	struct tfr_json *j = tfr_json_new();
	uint64_t x = 0x9e3779b97f4a7c15;

	for (int i = 0; i < 20000; i++) {
		uint64_t v = i < 64    ? UINT64_C(1) << i
			     : i < 128 ? ~(UINT64_C(1) << (i - 64))
				       : x >> (i % 64);
		char want[64];

		x = x * 6364136223846793005 + 1442695040888963407;
		tfr_json_reset(j);
		tfr_json_open_array(j, NULL);
		tfr_json_u64(j, NULL, v);
		tfr_json_i64(j, NULL, (int64_t)v);
		tfr_json_close_array(j);
		snprintf(want, sizeof(want), "[%llu, %lld]", (unsigned long long)v, (long long)v);
		cr_assert_str_eq(tfr_json_text(j, NULL), want);
	}
	tfr_json_reset(j);
	tfr_json_u64(j, NULL, 0);
	cr_assert_str_eq(tfr_json_text(j, NULL), "0");
	tfr_json_free(j);
}

Test(json, floats_round_trip_and_are_short)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_open_array(j, NULL);
	tfr_json_f32(j, NULL, 0.1f);
	tfr_json_f32(j, NULL, 16777217.0f);
	tfr_json_f64(j, NULL, 0.1);
	tfr_json_f64(j, NULL, 1.0 / 3);
	tfr_json_f64(j, NULL, NAN);
	tfr_json_f32(j, NULL, -INFINITY);
	tfr_json_f32(j, NULL, -0.0f);
	tfr_json_f32(j, NULL, 1.4e-45f);
	tfr_json_close_array(j);
	cr_assert_str_eq(tfr_json_text(j, NULL),
		"[0.1, 16777216, 0.1, 0.3333333333333333, \"NaN\", \"-Infinity\", -0.0, 1e-45]");
	tfr_json_free(j);
}

/* What a terminal would take for a command is escaped: C1, of two bytes, as well. */
Test(json, controls_are_escaped)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_bytes(j, NULL, "\x1b[\x7f\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", 11);
	cr_assert_str_eq(
		tfr_json_text(j, NULL), "\"\\u001b[\\u007f\\u0080\\u009b\\u009f\xc2\xa0\"");
	tfr_json_reset(j);
	tfr_json_string(j, NULL,
		"\xe2\x80\xae\xf3\xa0\x81\x81\xd8\x9c\xef\xbf\xbf\xe7\x8c\xab\xf0\x9f\x90\x88");
	cr_assert_str_eq(tfr_json_text(j, NULL),
		"\"\\u202e\\udb40\\udc41\\u061c\\uffff\xe7\x8c\xab\xf0\x9f\x90\x88\"");
	tfr_json_free(j);
}

Test(json, pretty_to_a_depth)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_pretty(j, 1);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "a", 1);
	tfr_json_open_array(j, "b");
	tfr_json_u64(j, NULL, 2);
	tfr_json_u64(j, NULL, 3);
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	cr_assert_str_eq(tfr_json_text(j, NULL), "{\n  \"a\": 1,\n  \"b\": [2, 3]\n}");
	tfr_json_free(j);
}

Test(json, utf8_is_strict)
{
	cr_assert(tfr_is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10));
	cr_assert_not(tfr_is_utf8("\xc0\x80", 2));	   /* overlong */
	cr_assert_not(tfr_is_utf8("\xed\xa0\x80", 3));	   /* surrogate */
	cr_assert_not(tfr_is_utf8("\xf4\x90\x80\x80", 4)); /* past U+10FFFF */
	cr_assert_not(tfr_is_utf8("\xe2\x82", 2));	   /* cut */
}

/* Eight bytes at a time or one by one: every byte, at every place of short and longer texts, in
 * strings and in the test for UTF-8. */
Test(json, each_byte_at_each_place)
{
	struct tfr_json *j = tfr_json_new();
	char text[32], want[200];

	for (size_t n = 1; n < 28; n++)
		for (size_t at = 0; at < n; at++)
			for (int byte = 0; byte < 256; byte++) {
				bool special = byte == '"' || byte == '\\';
				int used;

				memset(text, 'a', n);
				text[at] = (char)byte;
				tfr_json_reset(j);
				tfr_json_bytes(j, NULL, text, n);
				used = snprintf(want, sizeof(want), "\"%.*s", (int)at, text);
				used += snprintf(want + used, sizeof(want) - (size_t)used,
					byte >= 0x80		      ? "\xef\xbf\xbd"
					: byte == '\n'		      ? "\\n"
					: byte == '\t'		      ? "\\t"
					: byte < 0x20 || byte == 0x7f ? "\\u%04x"
					: special		      ? "\\%c"
								      : "%c",
					byte);
				snprintf(want + used, sizeof(want) - (size_t)used, "%.*s\"",
					(int)(n - at - 1), text + at + 1);
				cr_assert_str_eq(tfr_json_text(j, NULL), want);
				cr_assert_eq(tfr_is_utf8(text, n), byte < 0x80);
			}
	tfr_json_free(j);
}

/* Many numbers at once are as many calls. */
Test(json, many_numbers)
{
	int64_t ints[150];
	float floats[150];
	struct tfr_json *one = tfr_json_new(), *many = tfr_json_new();

	for (int i = 0; i < 150; i++) {
		ints[i] = (int64_t)i * i * i - 1000;
		floats[i] = (float)i / 7 - 3;
	}
	for (unsigned depth = 0; depth < 3; depth++)
		for (size_t n = 0; n <= 150; n++) {
			tfr_json_reset(one);
			tfr_json_reset(many);
			tfr_json_pretty(one, depth);
			tfr_json_pretty(many, depth);
			tfr_json_open_array(one, NULL);
			tfr_json_open_array(many, NULL);
			for (size_t i = 0; i < n; i++)
				tfr_json_i64(one, NULL, ints[i]);
			for (size_t i = 0; i < n; i++)
				tfr_json_f32(one, NULL, floats[i]);
			tfr_json_i64s(many, ints, n);
			tfr_json_f32s(many, floats, n);
			tfr_json_close_array(one);
			tfr_json_close_array(many);
			cr_assert_str_eq(tfr_json_text(one, NULL), tfr_json_text(many, NULL));
		}
	tfr_json_free(one);
	tfr_json_free(many);
}
