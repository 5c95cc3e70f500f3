/* Cells of a table and lines of JSON, against texts by the rules of RFC 4180 and of JSON; the order
 * of the records, and what a run leaves behind when it fails. */
#include <math.h>

#include "base/rng.h"
#include "unit/export/export_run.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(lines, .init = setup, .fini = teardown);

static struct exported table(const char *const *columns, size_t n, bool skip_damaged)
{
	struct tfr_export_opts o = { .target = "t.csv",
		.columns = columns,
		.column_count = n,
		.force = true,
		.threads = 1 };

	return export_of("in", o, skip_damaged);
}

/* --- cells --- */

Test(lines, cells_are_quoted_only_if_a_reader_needs_it)
{
	static const struct {
		const char *value, *cell;
	} cases[] = {
		{ "plain", "plain" },
		{ "two words", "two words" },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "two\nlines", "\"two\nlines\"" },
		{ "cr\rhere", "\"cr\rhere\"" },
		{ " before", "\" before\"" },
		{ "after ", "\"after \"" },
		{ "#id", "\"#id\"" },
		{ "x#", "x#" },
		{ "'single'", "'single'" },
		{ "a\tb", "a\tb" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		/* These could be taken for other values: they are JSON, so the cell is too. */
		{ "", "\"[\"\"\"\"]\"" },
		{ "[1]", "\"[\"\"[1]\"\"]\"" },
		{ "{x", "\"[\"\"{x\"\"]\"" },
		/* Not UTF-8. */
		{ "\xff", "\"{\"\"base64\"\": \"\"/w==\"\"}\"" },
		{ "\xc3", "\"{\"\"base64\"\": \"\"ww==\"\"}\"" },
	};
	static const char *const columns[] = { "v" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct examples x = examples_open("in");
		char expected[200];
		struct exported e;

		examples_text(&x, "v", cases[i].value);
		examples_end(&x);
		examples_close(&x);
		e = table(columns, 1, false);
		cr_assert_eq(e.status, TFR_OK, "%s", e.err.message);
		snprintf(expected, sizeof(expected), "v\n%s\n", cases[i].cell);
		expect_file("t.csv", expected);
	}
}

Test(lines, names_of_columns_are_cells_too)
{
	static const char *const columns[] = { "a", "b,c", "#d", " e", "\"f\"" };
	struct examples x = examples_open("in");

	examples_int64(&x, "a", 1);
	examples_int64(&x, "b,c", 2);
	examples_int64(&x, "#d", 3);
	examples_int64(&x, " e", 4);
	examples_int64(&x, "\"f\"", 5);
	examples_end(&x);
	examples_close(&x);
	cr_assert_eq(table(columns, 5, false).status, TFR_OK);
	expect_file("t.csv", "a,\"b,c\",\"#d\",\" e\",\"\"\"f\"\"\"\n1,2,3,4,5\n");
}

Test(lines, numbers_of_any_size)
{
	static const struct {
		int64_t value;
		const char *cell;
	} cases[] = { { 0, "0" }, { -1, "-1" }, { INT64_MAX, "9223372036854775807" },
		{ INT64_MIN, "-9223372036854775808" }, { 10, "10" }, { -1000000, "-1000000" } };
	static const char *const columns[] = { "v" };
	char expected[400] = "v\n";
	struct examples x = examples_open("in");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		examples_int64(&x, "v", cases[i].value);
		examples_end(&x);
		strcat(strcat(expected, cases[i].cell), "\n");
	}
	examples_close(&x);
	cr_assert_eq(table(columns, 1, false).status, TFR_OK);
	expect_file("t.csv", expected);
}

/* Written without quotes, so that a reader of numbers takes them. */
Test(lines, floats_that_json_cannot_hold)
{
	static const char *const columns[] = { "v" };
	static const float values[] = { NAN, INFINITY, -INFINITY, -0.0f, 0.1f, 1e-45f };
	struct examples x = examples_open("in");

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		examples_float(&x, "v", values[i]);
		examples_end(&x);
	}
	examples_close(&x);
	cr_assert_eq(table(columns, 1, false).status, TFR_OK);
	expect_file("t.csv", "v\nNaN\nInfinity\n-Infinity\n-0.0\n0.1\n1e-45\n");
}

/* strtof() of each cell gives the same bits, and no text of fewer digits does. */
Test(lines, floats_read_back_the_same)
{
	static const char *const columns[] = { "v" };
	enum { N = 3000 };
	static float values[N];
	struct examples x = examples_open("in");
	struct tfr_rng rng;
	char *text, *line;
	size_t size;

	tfr_rng_init(&rng, 5, 5);
	for (int i = 0; i < N;) {
		uint32_t bits = (uint32_t)tfr_rng_u64(&rng);

		memcpy(&values[i], &bits, sizeof(bits));
		if (!isfinite(values[i]))
			continue;
		examples_float(&x, "v", values[i++]);
		examples_end(&x);
	}
	examples_close(&x);
	cr_assert_eq(table(columns, 1, false).status, TFR_OK);
	text = examples_slurp("t.csv", &size);
	line = strchr(text, '\n') + 1;
	for (int i = 0; i < N; i++) {
		char *end, other[40];
		float back = strtof(line, &end);
		int digits = 0, shortest = 1;

		cr_assert_eq(*end, '\n');
		cr_assert_eq(memcmp(&back, &values[i], sizeof(back)), 0, "%a", (double)values[i]);
		for (const char *p = line; p < end && *p != 'e'; p++)
			digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
		for (;; shortest++) {
			snprintf(other, sizeof(other), "%.*e", shortest - 1, (double)values[i]);
			if (strtof(other, NULL) == values[i])
				break;
		}
		/* Zeros before the decimal point, as in 1200000, are no digits of the value. */
		cr_assert(digits <= shortest || line[strcspn(line, ".e\n")] != '.', "%.*s: %s",
			(int)(end - line), line, other);
		line = end + 1;
	}
	cr_assert_eq(*line, '\0');
	free(text);
}

Test(lines, lists_are_json_and_absent_values_are_empty)
{
	static const char *const columns[] = { "i", "f", "b", "none" };
	const int64_t ints[] = { 1, -2 };
	const float floats[] = { 0.5f, NAN };
	const struct tfr_bytes texts[] = { { (const uint8_t *)"a", 1 },
		{ (const uint8_t *)"\xff", 1 } };
	struct examples x = examples_open("in");
	struct exported e;

	cr_assert_eq(tfr_builder_int64s(x.b, "i", ints, 2, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_floats(x.b, "f", floats, 2, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_bytes(x.b, "b", texts, 2, NULL), TFR_OK);
	examples_end(&x);
	cr_assert_eq(tfr_builder_int64s(x.b, "i", ints, 0, NULL), TFR_OK);
	examples_end(&x);
	examples_end(&x);
	examples_close(&x);
	e = table(columns, 4, false);
	cr_assert_eq(e.status, TFR_OK);
	expect_file("t.csv", "i,f,b,none\n"
			     "\"[1, -2]\",\"[0.5, \"\"NaN\"\"]\","
			     "\"[\"\"a\"\", {\"\"base64\"\": \"\"/w==\"\"}]\",\n"
			     "[],,,\n"
			     ",,,\n");
	cr_assert_eq(e.warnings, 1);
	cr_assert_not_null(strstr(e.warned[0], "'none'"), "%s", e.warned[0]);
}

/* An empty line is not a row, so the only cell of a row is in quotes. */
Test(lines, a_row_without_a_value_is_still_a_row)
{
	static const char *const columns[] = { "a" };
	struct examples x = examples_open("in");

	examples_int64(&x, "b", 1);
	examples_end(&x);
	examples_int64(&x, "a", 2);
	examples_end(&x);
	examples_close(&x);
	cr_assert_eq(table(columns, 1, false).status, TFR_OK);
	expect_file("t.csv", "a\n\"\"\n2\n");
}

Test(lines, a_misspelt_column_has_a_suggestion)
{
	static const char *const columns[] = { "image/widht" };
	struct examples x = examples_open("in");
	struct exported e;

	examples_int64(&x, "image/width", 1);
	examples_end(&x);
	examples_close(&x);
	e = table(columns, 1, false);
	cr_assert_eq(e.warnings, 1);
	cr_assert_not_null(strstr(e.warned[0], "'image/widht'"), "%s", e.warned[0]);
	cr_assert_not_null(strstr(e.warned[0], "'image/width'"), "%s", e.warned[0]);
}

/* --- order, and faults --- */

static void write_many(const char *path, int n)
{
	struct examples x = examples_open(path);

	for (int i = 0; i < n; i++) {
		char pad[3000];

		memset(pad, 'p', sizeof(pad));
		examples_int64(&x, "id", i);
		/* Groups end by their bytes as well as by their number of records. */
		examples_bytes(&x, "pad", pad, i % 90 ? 1 : sizeof(pad) - 1);
		examples_end(&x);
	}
	examples_close(&x);
}

Test(lines, rows_keep_the_order_for_any_number_of_threads)
{
	enum { N = 1000 };
	static const char *const columns[] = { "id" };
	static char expected[16 * N];
	char *p = expected + sprintf(expected, "id\n");

	write_many("in", N);
	for (int i = 0; i < N; i++)
		p += sprintf(p, "%d\n", i);
	for (unsigned threads = 1; threads <= 5; threads += 2) {
		struct tfr_export_opts o = { .target = "t.csv",
			.columns = columns,
			.column_count = 1,
			.force = true,
			.threads = threads };
		struct exported e = export_of("in", o, false);

		cr_assert_eq(e.status, TFR_OK);
		cr_assert_eq(e.report.written, N);
		expect_file("t.csv", expected);
	}
}

Test(lines, a_record_that_is_no_example_ends_a_table_or_is_skipped)
{
	static const char *const columns[] = { "a" };
	struct examples x = examples_open("in");
	struct exported e;

	for (int i = 0; i < 3; i++) {
		examples_int64(&x, "a", i);
		examples_end(&x);
		if (i == 1)
			examples_raw(&x, "\xff\xff", 2);
	}
	examples_close(&x);
	e = table(columns, 1, false);
	cr_assert_eq(e.status, TFR_EDATA);
	cr_assert(e.err.has_record && e.err.record == 2, "%s", e.err.message);
	cr_assert_eq(temp_count("."), 1, "nothing but the input is left");
	e = table(columns, 1, true);
	cr_assert_eq(e.status, TFR_OK);
	cr_assert_eq(e.bad, 1);
	cr_assert_eq(e.report.written, 3);
	expect_file("t.csv", "a\n0\n1\n2\n");
}

/* A record that is damaged in the middle of a group. */
Test(lines, records_before_damage_are_not_lost)
{
	static const char *const columns[] = { "id" };
	struct exported e;
	size_t size, at = 0;
	uint64_t length;
	char *bytes;

	write_many("in", 200);
	bytes = examples_slurp("in", &size);
	for (int i = 0; i < 70; i++) { /* to record 70, by the lengths of those before it */
		memcpy(&length, bytes + at, sizeof(length));
		at += length + 16;
	}
	bytes[at + 12] ^= 1;
	temp_write("in", bytes, size);
	free(bytes);
	e = table(columns, 1, false);
	cr_assert_eq(e.status, TFR_EDATA);
	cr_assert_eq(e.err.record, 70);
	e = table(columns, 1, true);
	cr_assert_eq(e.status, TFR_OK);
	cr_assert_eq(e.report.written, 199);
	cr_assert_eq(e.bad, 1);
}

/* --- JSON --- */

Test(lines, json_lines_of_every_kind)
{
	static const char expected[] =
		"{\"f\": [0.1], \"i\": [0, -1, -9223372036854775808], \"raw\": [{\"base64\": "
		"\"AP/+\"}], \"t\": [\"line\\n\\\"quoted\\\" \\\\ \\u0001\"]}\n"
		"{\"f\": [\"NaN\"]}\n";
	const int64_t ints[] = { 0, -1, INT64_MIN };
	struct examples x = examples_open("in");
	struct exported e;

	cr_assert_eq(tfr_builder_int64s(x.b, "i", ints, 3, NULL), TFR_OK);
	examples_float(&x, "f", 0.1f);
	examples_text(&x, "t", "line\n\"quoted\" \\ \x01");
	examples_bytes(&x, "raw", "\0\xff\xfe", 3);
	examples_end(&x);
	examples_float(&x, "f", NAN);
	examples_end(&x);
	examples_close(&x);
	e = export_of("in", (struct tfr_export_opts){ .target = "o.jsonl" }, false);
	cr_assert_eq(e.status, TFR_OK, "%s", e.err.message);
	expect_file("o.jsonl", expected);
	cr_assert_eq(e.report.output_bytes, strlen(expected));
}

struct taker {
	char *text;
	size_t size, calls, most;
};

static enum tfr_status take(void *ctx, const void *lines, size_t size, struct tfr_error *err)
{
	struct taker *t = ctx;

	(void)err;
	if (++t->calls > t->most)
		return TFR_END;
	t->text = realloc(t->text, t->size + size + 1);
	memcpy(t->text + t->size, lines, size);
	t->size += size;
	t->text[t->size] = '\0';
	return TFR_OK;
}

Test(lines, json_lines_go_to_a_function_in_order)
{
	struct taker t = { .most = SIZE_MAX };
	struct exported e;
	const char *p;

	write_many("in", 1000);
	e = export_of("in",
		(struct tfr_export_opts){
			.target = "-", .to = "jsonl", .put = take, .ctx = &t, .threads = 3 },
		false);
	cr_assert_eq(e.status, TFR_OK);
	p = t.text;
	for (int i = 0; i < 1000; i++) {
		char begin[32];

		snprintf(begin, sizeof(begin), "{\"id\": [%d], ", i);
		cr_assert_eq(strncmp(p, begin, strlen(begin)), 0, "%d: %.40s", i, p);
		p = strchr(p, '\n') + 1;
	}
	cr_assert_eq(*p, '\0');
	cr_assert_gt(t.calls, 1);
	cr_assert_lt(t.calls, 1000, "lines come in groups");
	free(t.text);
}

/* --- the output --- */

Test(lines, the_report_is_that_of_the_records)
{
	struct exported e, dry;
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_digest d;
	uint64_t bytes = 0, sum = 0;
	struct stat st;

	write_many("in", 300);
	cr_assert_eq(tfr_reader_open(&r, "in", NULL, NULL), TFR_OK);
	while (!tfr_reader_next(r, &rec, NULL)) {
		tfr_digest_record(&rec, &d);
		bytes += rec.size;
		sum += d.sum;
	}
	tfr_reader_close(r);
	dry = export_of(
		"in", (struct tfr_export_opts){ .target = "o.jsonl", .dry_run = true }, false);
	cr_assert_eq(dry.status, TFR_OK);
	cr_assert_eq(access("o.jsonl", F_OK), -1);
	e = export_of("in", (struct tfr_export_opts){ .target = "o.jsonl" }, false);
	cr_assert_eq(stat("o.jsonl", &st), 0);
	cr_assert_eq(e.report.output_bytes, (uint64_t)st.st_size);
	cr_assert_eq(e.report.bytes, bytes);
	cr_assert_eq(e.report.sum, sum);
	cr_assert_eq(memcmp(&dry.report, &e.report, sizeof(e.report)), 0);
}

Test(lines, nothing_is_left_of_a_run_that_fails)
{
	const volatile bool stopped = true;
	struct exported e;

	write_many("in", 10);
	e = export_of("in",
		(struct tfr_export_opts){
			.target = "o.jsonl", .expect = { .has_records = true, .records = 11 } },
		false);
	cr_assert_eq(e.status, TFR_EDATA);
	cr_assert_str_eq(e.err.message, "10 records where 11 are expected");
	e = export_of("in",
		(struct tfr_export_opts){ .target = "o.jsonl", .interrupted = &stopped }, false);
	cr_assert_eq(e.status, TFR_ECANCELLED);
	e = export_of("in", (struct tfr_export_opts){ .target = "t.csv", .to = "csv" }, false);
	cr_assert_eq(e.status, TFR_EUSAGE, "a table needs a column");
	cr_assert_eq(temp_count("."), 1);
}

Test(lines, an_existing_file_is_replaced_on_request_only)
{
	struct stat st;

	write_many("in", 1);
	temp_write("o.jsonl", "old", 3);
	cr_assert_eq(export_of("in", (struct tfr_export_opts){ .target = "o.jsonl" }, false).status,
		TFR_EEXIST);
	expect_file("o.jsonl", "old");
	cr_assert_eq(export_of("in", (struct tfr_export_opts){ .target = "o.jsonl", .force = true },
			     false)
			     .status,
		TFR_OK);
	cr_assert_eq(stat("o.jsonl", &st), 0);
	cr_assert_eq(st.st_size, 2999 + (off_t)strlen("{\"id\": [0], \"pad\": [\"\"]}\n"));
}

/* --- the form --- */

Test(form, by_the_ending_or_by_name)
{
	static const struct {
		const char *target, *to, *is;
	} cases[] = { { "a.tar", NULL, "webdataset" }, { "a.jsonl", NULL, "jsonl" },
		{ "a.csv", NULL, "csv" }, { "a", NULL, "folder" }, { "a.d/", NULL, "folder" },
		{ "a.CSV", NULL, "folder" }, { "-", "jsonl", "jsonl" }, { "a.tar", "csv", "csv" },
		{ "-", NULL, NULL }, { "a", "cvs", NULL }, { "a.csv.gz", NULL, NULL },
		{ "a.tgz", NULL, NULL }, { "a.zip", NULL, NULL }, { "a.gz", "csv", "csv" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_error err = { 0 };
		const char *form = tfr_export_form(cases[i].target, cases[i].to, &err);

		cr_assert_eq(!form, !cases[i].is, "%s", cases[i].target);
		if (form)
			cr_assert_str_eq(form, cases[i].is);
		else
			cr_assert_eq(err.status, TFR_EUSAGE);
	}
}

Test(form, a_misspelt_form_has_a_suggestion)
{
	struct tfr_error err = { 0 };

	cr_assert_null(tfr_export_form("a", "cvs", &err));
	cr_assert_not_null(
		strstr(tfr_error_hint_text(&err), "'csv'"), "%s", tfr_error_hint_text(&err));
}

/* --- the names of all features --- */

Test(lines, columns_are_all_features_in_order)
{
	static const char *const expected[] = { "", "a", "ab", "b", "c" };
	struct tfr_select_opts how = { .limit = UINT64_MAX };
	const char *input = "in";
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct examples x = examples_open("in");
	struct tfr_select *records = NULL;
	struct tfr_set *set = NULL;
	char **columns = NULL;
	size_t n = 0;

	examples_int64(&x, "b", 1);
	examples_int64(&x, "ab", 1);
	examples_end(&x);
	examples_int64(&x, "c", 1);
	examples_int64(&x, "a", 1);
	examples_end(&x);
	examples_text(&x, "b", "of another kind");
	examples_int64(&x, "", 1);
	examples_end(&x);
	examples_close(&x);
	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	cr_assert_eq(tfr_select_open(&records, set, &how, NULL), TFR_OK);
	cr_assert_eq(tfr_export_columns(records, &columns, &n, NULL), TFR_OK);
	cr_assert_eq(n, 5);
	for (size_t i = 0; i < n; i++)
		cr_assert_str_eq(columns[i], expected[i]);
	tfr_export_columns_free(columns, n);
	tfr_select_close(records);
	tfr_set_close(set);
}
