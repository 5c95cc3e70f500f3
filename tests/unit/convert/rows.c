/* Rows of lists, against a reading cell by cell, json-c and the builder. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define ROWS_CHECK(ok) cr_assert(ok)

#include "base/rng.h"
#include "rows.h"

static unsigned compare(enum tfr_list_format format, const char *text)
{
	return rows_compare(format, text, strlen(text));
}

Test(list_rows, regular_json_is_encoded)
{
	/* With the kinds decided, and with those given that fit. */
	cr_expect_eq(compare(TFR_LIST_JSONL, "{\"a\": 1, \"b\": 2.5, \"c\": \"x\"}\n"), 2);
	cr_expect_eq(compare(TFR_LIST_JSONL, "{\"a\": [\"x\", \"\\u00e9\\ud83d\\ude00\\n\"]}"), 2);
	cr_expect_eq(compare(TFR_LIST_JSONL, "{\"a\": {\"base64\": \"Zm9v\"}, \"b\": null}\r\n"), 2);
	cr_expect_eq(compare(TFR_LIST_JSONL, "{\"b\": true}\n{}\n{ \"a\" : [] , \"b\" : -0 }\n"), 10);
	cr_expect_eq(compare(TFR_LIST_JSONL, "\xef\xbb\xbf{\"a\": [1.5, 2, -3e-05]}\n"), 3);
	cr_expect_eq(compare(TFR_LIST_JSONL, "{\"a\": 0.1234567890123456}"), 3);
}

Test(list_rows, unusual_json_is_read_as_json_c_reads_it)
{
	static const char *const lines[] = {
		"{\"a\": 1, \"a\": 2}",
		"{\"a\": null, \"a\": 2}",
		"{\"a\": null, \"a\": null}",
		"{\"\\u0061\": 1}",
		"{\"a\": {\"b\": 1}}",
		"{\"a\": [[1]]}",
		"{\"a\": [null]}",
		"{\"a\": NaN}",
		"{\"a\": -Infinity}",
		"{\"a\": \"\\ud800\"}",
		"{\"a\": \"\\ude00\\ud83d\"}",
		"{\"a\": \"\\u0000\"}",
		"{\"a\": \"\\x\"}",
		"{\"a\": \"\t\"}",
		"{\"a\": \"\xff\"}",
		"{\"a\": \"\xed\xa0\x80\"}",
		"{\"a\": 01}",
		"{\"a\": 1.}",
		"{\"a\": .5}",
		"{\"a\": +1}",
		"{\"a\": 1e}",
		"{\"a\": 9223372036854775808}",
		"{\"a\": 123456789012345678901234567890}",
		"{\"a\": 1e39}",
		"{\"a\": 1e400}",
		"{\"a\": 1} x",
		"{\"a\": 1}}",
		"{\"a\": 1,}",
		"{\"a\": 1 \"b\": 2}",
		"{\"a\" 1}",
		"{a: 1}",
		"{'a': 1}",
		"{\"a\": tru}",
		"{\"a\": truex}",
		"{\"a\": [1, 2}",
		"{\"a\": [1 2]}",
		"{\"a\": [,]}",
		"{\"a\": \"x}",
		"{\"a\": ",
		"{",
		"[1]",
		"1",
		"",
		"/* c */ {\"a\": 1}",
		"{\"a\": {\"base64\": \"Zm9v\", \"x\": 1}}",
		"{\"a\": {\"base64\": \"Zm9\"}}",
		"{\"a\": 1, \"a/b\": 2, \"a\": {\"b\": 3}}",
		"{\"a/b\": 2, \"a\": {\"b\": 3}}",
		"{\"a/b\": null, \"a\": {\"b\": 3}}",
		"{\"a\": {\"b\": {\"c\": [1, 2], \"d\": {}}, \"e\": {\"base64\": \"AAEC\"}}}",
		"{\"a\": {\"b\": 1, \"b\": 2}}",
		"{\"a\": [{\"b\": 1}, {\"b\": 2}]}",
		"{\"a\": [{\"b\": 1, \"b\": 2}]}",
		"{\"a\": [{\"base64\": \"AAEC\"}, {\"base64\": \"\"}], \"b\": {\"base64\": 1}}",
		"{\"a\": {\"bytes\": 3, \"type\": \"png\"}}",
		"{\"a\": {\"bytes\": 3.0, \"type\": \"png\"}}",
		"{\"a\": {\"bytes\": 3, \"type\": null, \"x\": [1]}}",
		"{\"a\": [{\"bytes\": 3, \"type\": 1}]}",
		"{\"a\": {\"\\u0062ase64\": \"AAEC\"}}",
		"{\"a\\u0000\": 1}",
		"{\"a\": \"\\ud800\\n\\ud800\\ud83d\\ude00\\ud83dx\"}",
		"{\"a\": \"\xc0\x80\"}",
		"{\"a\": \"\xf8\x80\x80\x80\x80\"}",
		"{\"a\": \"\x01\"}",
		"{\"a\": -01, \"b\": 00, \"c\": 01.5, \"d\": -.5, \"e\": 1.e2}",
		"{\"a\": 0.1234567890123456789012345678901234567890}",
		"{\"a\": 1234567890123456789012345678901234567890e-20}",
		"{\"a\": 1e99999, \"b\": 1e-99999, \"c\": 4.9e-324}",
		"{\"a\": [[[1]], {}, [{}], null, true]}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		compare(TFR_LIST_JSONL, lines[i]);
}

Test(list_rows, cells)
{
	static const char *const tables[] = {
		"a,b,c\n1,2.5,x\n",
		"a,b,c\r\n1,2.5,x\r\n,,\r\n",
		"a\n\n \n1\n",
		"a,b\n1\n",
		"a,b\n1,2,3\n",
		"a,b\n1,\"2\n3\"\n4,5",
		"a,b\n1,2\r\r\n3,4\n",
		"a,b\n1\r2,3\n",
		"a,b\n\"1,2\n",
		"a,b\n1,x\"y\n",
		"# c\na,b\n1,2\n",
		"# a,b\n1,2\n",
		"\357\273\277a,b\n0123456789abcdef,0123456789abcdef0\n",
		"a,b\n9223372036854775807,-9223372036854775808\n",
		"a,b\n9223372036854775808,1e39\n",
		"a,b\n007,+1\n-0,-0.0\n",
		"a,b\n.5,5.\nnan,-INF\n",
		"a\tb\n1\t\"x\ty\"\n",
		",,,,,,,,,,,,,,,,,,,,,\n",
		"a,b\n1,2\n\n\n3,4\n",
		"a,b\n1,2\n \t",
		"a,b\n1,2,",
		"\n\n",
		"",
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (int format = TFR_LIST_CSV; format <= TFR_LIST_TSV; format++)
			compare((enum tfr_list_format)format, tables[i]);
	cr_expect_eq(compare(TFR_LIST_CSV, tables[0]), 2); /* as decided, and all bytes */
}

static void append(struct tfr_buf *to, const char *const *parts, size_t n, struct tfr_rng *rng)
{
	const char *part = parts[tfr_rng_below(rng, n)];

	cr_assert(tfr_buf_append(to, part, strlen(part)));
}

/* Now and then a byte is another one. */
static void spoil(struct tfr_buf *text, struct tfr_rng *rng)
{
	if (text->size && !tfr_rng_below(rng, 4))
		text->data[tfr_rng_below(rng, text->size)] =
			(uint8_t)"\"\\,:{}[]\n\r \t01.-e\xc3\x00z"[tfr_rng_below(rng, 21)];
}

Test(list_rows, random_json, .timeout = 60)
{
	static const char *const names[] = { "\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"a/b\"",
		"\"\xc3\xa9\"", "\"\"" };
	static const char *const values[] = { "1", "-1", "0", "-0", "2.5", "1e-05", "-1.5E+3",
		"0.30000000000000004", "9223372036854775807", "9223372036854775808", "true", "false",
		"null", "\"x\"", "\"\"", "\"a longer text than sixteen bytes\"", "\"\\n\\\"\\u20ac\"",
		"[]", "[1]", "[1, 2,3]", "[1.5,-2]", "[\"x\", \"y\"]", "[true]", "\"nan\"",
		"{\"base64\": \"AAEC\"}", "{\"x\": 1}", "NaN", "3.4028236e38", "1e-50" };
	struct tfr_rng rng;
	unsigned encoded = 0;

	tfr_rng_init(&rng, 11, 0);
	for (int i = 0; i < 20000; i++) {
		TFR_AUTO_BUF text = { 0 };

		for (uint64_t rows = 1 + tfr_rng_below(&rng, 3); rows; rows--) {
			cr_assert(tfr_buf_append(&text, "{", 1));
			for (uint64_t n = tfr_rng_below(&rng, 4); n; n--) {
				append(&text, names, sizeof(names) / sizeof(*names), &rng);
				cr_assert(tfr_buf_append(&text, ": ", 2));
				append(&text, values, sizeof(values) / sizeof(*values), &rng);
				if (n > 1)
					cr_assert(tfr_buf_append(&text, ", ", 2));
			}
			cr_assert(tfr_buf_append(&text, "}\n", 2));
		}
		spoil(&text, &rng);
		encoded += rows_compare(TFR_LIST_JSONL, text.data, text.size);
	}
	cr_assert_gt(encoded, 5000);
}

Test(list_rows, random_cells, .timeout = 60)
{
	static const char *const cells[] = { "1", "-1", "", "2.5", "x", "\"q\"", "\"a\"\"b\"",
		"\"l\nm\"", "007", "1e39", "1e-5", "nan", " 1", "12345678901234567", "0.1234567890123",
		"a long cell of more than sixteen bytes", "\"\"", "-0.5", "5.", "1.2.3" };
	static const char *const ends[] = { "\n", "\n", "\n", "\r\n", "\n\n", "" };
	struct tfr_rng rng;
	unsigned encoded = 0;

	tfr_rng_init(&rng, 12, 0);
	for (int i = 0; i < 20000; i++) {
		TFR_AUTO_BUF text = { 0 };

		cr_assert(tfr_buf_append(&text, "a,b,c\n", 6));
		for (uint64_t rows = 1 + tfr_rng_below(&rng, 3); rows; rows--) {
			for (int k = 0; k < 3; k++) {
				append(&text, cells, sizeof(cells) / sizeof(*cells), &rng);
				if (k < 2)
					cr_assert(tfr_buf_append(&text, ",", 1));
			}
			append(&text, ends, sizeof(ends) / sizeof(*ends), &rng);
		}
		spoil(&text, &rng);
		encoded += rows_compare(TFR_LIST_CSV, text.data, text.size);
	}
	cr_assert_gt(encoded, 10000);
}
