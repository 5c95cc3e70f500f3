#include <criterion/criterion.h>
#include <math.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "unit/example/hex.h"

static const char *describe(void *ctx, const void *data, size_t size, bool brief)
{
	(void)ctx;
	if (size < 2 || memcmp(data, "\xff\xd8", 2))
		return NULL;
	return brief ? "jpeg" : "jpeg 1x1";
}

static struct tfr_builder *record(void)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_bytes bytes[] = { { (const uint8_t *)"\xff\xd8!", 3 },
		{ (const uint8_t *)"\xc3\xa9\"", 3 }, { (const uint8_t *)"\xfe", 1 } };

	tfr_builder_int64s(b, "int", (int64_t[]){ INT64_MIN, 9007199254740993 }, 2, NULL);
	tfr_builder_floats(b, "float", (float[]){ 0.1f, NAN, -INFINITY, 1e10f }, 4, NULL);
	tfr_builder_bytes(b, "bytes", bytes, 3, NULL);
	tfr_builder_int64s(b, "none", NULL, 0, NULL);
	tfr_builder_feature(b, &(struct tfr_feature){ .key = "\xff", .key_size = 1 }, NULL);
	return b;
}

static void expect(const struct tfr_print_opts *opts, bool json, const void *data, size_t size,
	const char *expected)
{
	struct tfr_printer *p = tfr_printer_new(opts);
	struct tfr_error err = { 0 };
	const char *text;
	size_t text_size;

	for (int i = 0; i < 2; i++) { /* twice: a printer serves record after record */
		if (json ? tfr_printer_json(p, data, size, &text, &text_size, &err)
			 : tfr_printer_text(p, data, size, &text, &text_size, &err)) {
			cr_assert_str_eq(err.message, expected);
		} else {
			cr_assert_str_eq(text, expected);
			cr_assert_eq(text_size, strlen(text));
		}
	}
	tfr_printer_free(p);
}

Test(print, json)
{
	struct tfr_builder *b = record();
	const uint8_t *data;
	size_t size;

	tfr_builder_flatten(b, &data, &size, NULL);
	expect(&(struct tfr_print_opts){ .describe = describe }, true, data, size,
		"{\"bytes\": [{\"bytes\": 3, \"type\": \"jpeg\"}, \"\xc3\xa9\\\"\", {\"bytes\": "
		"1}], "
		"\"float\": [0.1, \"NaN\", \"-Infinity\", 1e+10], "
		"\"int\": [-9223372036854775808, 9007199254740993], \"none\": [], "
		"\"\xef\xbf\xbd\": []}");
	expect(&(struct tfr_print_opts){ .base64 = true }, true, data, size,
		"{\"bytes\": [{\"base64\": \"/9gh\"}, \"\xc3\xa9\\\"\", {\"base64\": \"/g==\"}], "
		"\"float\": [0.1, \"NaN\", \"-Infinity\", 1e+10], "
		"\"int\": [-9223372036854775808, 9007199254740993], \"none\": [], "
		"\"\xef\xbf\xbd\": []}");
	expect(NULL, true, "", 0, "{}");
	tfr_builder_free(b);
}

Test(print, text)
{
	struct tfr_builder *b = record();
	const uint8_t *data;
	size_t size;

	tfr_builder_flatten(b, &data, &size, NULL);
	expect(&(struct tfr_print_opts){ .describe = describe, .values = 3 }, false, data, size,
		"  bytes     bytes  [3]   jpeg 1x1, 3 bytes, \"\xc3\xa9\\\"\", 1 byte\n"
		"  float     float  [4]   0.1, NaN, -Infinity, …\n"
		"  int       int64  [2]   -9223372036854775808, 9007199254740993\n"
		"  none      int64  [0]\n"
		"  \xef\xbf\xbd         unset\n");
	tfr_builder_free(b);
}

Test(print, long_texts_are_cut_between_characters)
{
	struct tfr_builder *b = tfr_builder_new();
	const uint8_t *data;
	size_t size;

	tfr_builder_text(b, "t", "abcd\xc3\xa9xyz", NULL);
	tfr_builder_flatten(b, &data, &size, NULL);
	expect(&(struct tfr_print_opts){ .width = 5 }, false, data, size,
		"  t         bytes  [1]   \"abcd\"… (9 bytes)\n");
	tfr_builder_free(b);
}

/* context {a: 1}; feature_lists {s: [[1], [2, 3]], e: [], s again would win}. */
Test(print, sequence_examples)
{
	struct hex lists = join(
		field(1, join(hex("0a0173"), field(2, join(field(1, hex("1a030a0101")),
							      field(1, hex("1a040a020203")))))),
		field(1, join(hex("0a0165"), field(2, hex("")))));
	struct hex r = join(example_a("1a030a0101"), field(2, lists));

	expect(NULL, true, r.data, r.size,
		"{\"context\": {\"a\": [1]}, \"feature_lists\": {\"e\": [], \"s\": [[1], [2, "
		"3]]}}");
	expect(NULL, false, r.data, r.size,
		"  a         int64  [1]   1\n"
		"  e         unset  0 frames\n"
		"  s         int64  2 frames 1 | 2, 3\n");
	r = join(r, field(2, field(1, join(hex("0a0173"), field(2, field(1, hex("0a030a0178")))))));
	expect(NULL, true, r.data, r.size,
		"{\"context\": {\"a\": [1]}, \"feature_lists\": {\"e\": [], \"s\": [[\"x\"]]}}");
	r = join(r, hex("12030a0900"));
	expect(&(struct tfr_print_opts){ .as = TFR_CONTENT_EXAMPLE }, true, r.data, r.size,
		"not a SequenceExample: field runs past the end of what holds it, at byte 63");
}

Test(print, damage_is_named)
{
	const struct tfr_print_opts as_example = { .as = TFR_CONTENT_EXAMPLE };

	expect(&as_example, true, "\x0a\x05", 2,
		"not an Example: field runs past the end of what holds it, at byte 0");
	expect(NULL, true, "\x0a\x05", 2, "{\"raw\": \"\\n\\u0005\"}");
}

/* Columns of a line without its colours; all characters here take one. */
static size_t columns_of(const char *line, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		if (line[i] == '\033')
			while (line[i] != 'm')
				i++;
		else
			n += (line[i] & 0xc0) != 0x80;
	}
	return n;
}

/* Whatever the terminal's width, no line is wider, none breaks within a character, and none that
 * goes on it is cut. */
Test(print, lines_go_on_a_terminal)
{
	struct tfr_builder *b = record();
	float floats[40] = { 0.125f, 3.4e38f };
	const char *text, *whole;
	size_t size, text_size;
	const uint8_t *data;

	tfr_builder_floats(b, "many floats, with a long name", floats, 40, NULL);
	tfr_builder_text(b, "text",
		"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9, and so on and so on and so on and so on", NULL);
	tfr_builder_flatten(b, &data, &size, NULL);
	for (unsigned columns = 20; columns < 160; columns++)
		for (int colour = 0; colour < 2; colour++) {
			struct tfr_print_opts opts = { .columns = columns, .colour = colour };
			struct tfr_printer *p = tfr_printer_new(&opts), *q;

			opts.columns = 0;
			q = tfr_printer_new(&opts);
			cr_assert_not(tfr_printer_text(p, data, size, &text, &text_size, NULL));
			cr_assert_not(tfr_printer_text(q, data, size, &whole, &text_size, NULL));
			cr_assert(tfr_is_utf8(text, strlen(text)));
			while (*text) {
				size_t n = strcspn(text, "\n"), m = strcspn(whole, "\n");

				cr_assert_leq(columns_of(text, n), columns);
				if (columns_of(whole, m) <= columns)
					cr_assert(n == m && !memcmp(text, whole, n));
				text += n + 1;
				whole += m + 1;
			}
			cr_assert_eq(*whole, '\0');
			tfr_printer_free(p);
			tfr_printer_free(q);
		}
	tfr_builder_free(b);
}

/* Behind a whole value where one is near, else anywhere; wide characters count twice. */
Test(print, where_lines_are_cut)
{
	struct tfr_builder *b = tfr_builder_new();
	const uint8_t *data;
	size_t size;

	tfr_builder_int64s(b, "n", (int64_t[]){ 1000000, 2000000, 3000000 }, 3, NULL);
	tfr_builder_text(b, "t", "\xe6\x9d\xb1\xe4\xba\xac", NULL);
	tfr_builder_flatten(b, &data, &size, NULL);
	expect(&(struct tfr_print_opts){ .columns = 50 }, false, data, size,
		"  n         int64  [3]   1000000, 2000000, 3000000\n"
		"  t         bytes  [1]   \"\xe6\x9d\xb1\xe4\xba\xac\"\n");
	expect(&(struct tfr_print_opts){ .columns = 48 }, false, data, size,
		"  n         int64  [3]   1000000, 2000000, …\n"
		"  t         bytes  [1]   \"\xe6\x9d\xb1\xe4\xba\xac\"\n");
	expect(&(struct tfr_print_opts){ .columns = 31 }, false, data, size,
		"  n         int64  [3]   10000…\n"
		"  t         bytes  [1]   \"\xe6\x9d\xb1\xe4\xba\xac\"\n");
	expect(&(struct tfr_print_opts){ .columns = 30 }, false, data, size,
		"  n         int64  [3]   1000…\n"
		"  t         bytes  [1]   \"\xe6\x9d\xb1…\n");
	tfr_builder_free(b);
}
