#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/escape.h"
#include "base/utf8.h"

/* As they are listed, code point by code point. */
static bool listed(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0xfffe || code == 0xffff ||
	       (code >= 0xe0000 && code <= 0xe007f);
}

static size_t encode(uint8_t text[4], uint32_t code)
{
	if (code < 0x80) {
		text[0] = (uint8_t)code;
		return 1;
	}
	for (size_t n = 2; n <= 4; n++) {
		if (n < 4 && code >> (5 * n + 1))
			continue;
		for (size_t i = n - 1; i; i--, code >>= 6)
			text[i] = (uint8_t)(0x80 | (code & 0x3f));
		text[0] = (uint8_t)(0xf00 >> n | code);
		return n;
	}
	return 0;
}

Test(escape, every_code_point)
{
	uint8_t text[4];

	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		size_t n = encode(text, code);
		bool surrogate = code >= 0xd800 && code <= 0xdfff;

		cr_assert_eq(tfr_utf8_length(text, n), surrogate ? 0 : n, "U+%04X", code);
		if (!surrogate)
			cr_assert_eq(tfr_utf8_code_point(text, n), code);
		cr_assert_eq(tfr_text_harmless(text, n), listed(code) || surrogate ? 0 : n,
			"U+%04X", code);
		if (n > 1)
			cr_assert_eq(tfr_text_harmless(text, n - 1), 0);
	}
	cr_assert_eq(tfr_text_harmless("", 0), 0);
}

Test(escape, lines)
{
	static const struct {
		const char *raw, *line;
	} rows[] = {
		{ "", "" },
		{ "n\xc3\xa4 \xe7\x8c\xab \xf0\x9f\x90\x88 \\'\"",
			"n\xc3\xa4 \xe7\x8c\xab \xf0\x9f\x90\x88 \\'\"" },
		{ "\x1b[31m\n\t\x7f", "\\x1b[31m\\x0a\\x09\\x7f" },
		{ "a\xc2\x9b"
		  "b",
			"a\\xc2\\x9bb" },
		{ "\xe2\x80\xae"
		  "b\xe2\x80\xa8",
			"\\xe2\\x80\\xaeb\\xe2\\x80\\xa8" },
		{ "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81" },
		{ "\xff\x9b\xe7\x8c", "\\xff\\x9b\\xe7\\x8c" },
		{ "\xef\xbf\xbe\xef\xbf\xbd", "\\xef\\xbf\\xbe\xef\xbf\xbd" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_str_eq(tfr_escape_line(text, sizeof(text), rows[i].raw), rows[i].line);
	cr_expect_str_eq(tfr_escape_name(text, sizeof(text), "a\\x0a\n"), "a\\\\x0a\\x0a");
	cr_expect_str_eq(tfr_escape_bytes(text, sizeof(text), "a\0b", 3), "a\\x00b");
	cr_expect(tfr_text_all_harmless("n\xc3\xa4", 3));
	cr_expect_not(tfr_text_all_harmless("n\xc3\xa4\n", 4));
	cr_expect(tfr_text_all_harmless("", 0));
}

/* Neither a character nor an escape is cut in two. */
Test(escape, cut_between_characters)
{
	static const char raw[] = "a\xe7\x8c\xab\xff\xf0\x9f\x90\x88";
	static const size_t whole[] = { 0, 1, 4, 8, 12 };
	char text[16];

	for (size_t size = 1; size <= sizeof(text); size++) {
		size_t n, want = 0;

		memset(text, '#', sizeof(text));
		tfr_escape_line(text, size, raw);
		n = strlen(text);
		for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
			want = whole[i] < size ? whole[i] : want;
		cr_expect_eq(n, want, "%zu of %zu", n, size);
		cr_expect(size == sizeof(text) || text[size] == '#');
	}
}

Test(escape, exactly)
{
	TFR_AUTO_BUF b = { 0 };

	cr_assert(tfr_escape_exactly(&b, "\\x0a\n\xc3\xa4\0", 8));
	cr_assert_eq(b.size, strlen("\\\\x0a\\x0a\xc3\xa4\\x00"));
	cr_assert_arr_eq(b.data, "\\\\x0a\\x0a\xc3\xa4\\x00", b.size);
}

Test(escape, words)
{
	static const struct {
		const char *raw, *word;
	} rows[] = {
		{ "", "''" },
		{ "a-b_c@2.tfrecord", "a-b_c@2.tfrecord" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "~", "'~'" },
		{ "n\xc3\xa4", "'n\xc3\xa4'" },
		{ "a\nb", "$'a\\012b'" },
		{ "it's \\ \x1b"
		  "7",
			"$'it\\'s \\\\ \\0337'" },
		{ "\xe2\x80\xae\xc3\xa4", "$'\\342\\200\\256\xc3\xa4'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *word = tfr_escape_word(rows[i].raw);

		cr_expect_str_eq(word, rows[i].word);
		free(word);
	}
}
