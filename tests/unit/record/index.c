#include <time.h>

#include "base/buf.h"
#include "record/framing.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(index, .init = setup, .fini = teardown);

/* Reads all pairs of a text; *count of them, the last in *last. */
static enum tfr_status read_text(
	const char *text, size_t size, size_t *count, struct tfr_index_entry *last)
{
	struct tfr_index *ix = NULL;
	struct tfr_index_entry e;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	cr_assert_eq(tfr_index_open_memory(&ix, text, size, &err), TFR_OK);
	for (*count = 0; !(status = tfr_index_next(ix, &e, &err)); (*count)++)
		*last = e;
	cr_assert_eq(status == TFR_EDATA, err.message[0] != 0);
	tfr_index_close(ix);
	return status;
}

/* What DALI's `fin >> pos >> size` takes is taken, but for signs; what ends it is a failure. */
Test(index, reads_pairs_as_dali_does)
{
	static const struct {
		const char *text;
		enum tfr_status status;
		size_t count;
	} cases[] = {
		{ "", TFR_END, 0 },
		{ " \n\r\n\t", TFR_END, 0 },
		{ "0 16\n16 20\n", TFR_END, 2 },
		{ "0 16\n16 20", TFR_END, 2 },
		{ "0 16\r\n16 20\r\n", TFR_END, 2 },
		{ "0\t16\v16\f20", TFR_END, 2 },
		{ "0\n16\n16\n20\n", TFR_END, 2 },
		{ "007 0016", TFR_END, 1 },
		{ "100 16 0 16", TFR_END, 2 },
		{ "0 16 7\n", TFR_EDATA, 1 },
		{ "0 16\n# comment\n", TFR_EDATA, 1 },
		{ "0 16\n16", TFR_EDATA, 1 },
		{ "0 15\n", TFR_EDATA, 0 },
		{ "0 -16\n", TFR_EDATA, 0 },
		{ "+0 16\n", TFR_EDATA, 0 },
		{ "0x10 16\n", TFR_EDATA, 0 },
		{ "0 16.0\n", TFR_EDATA, 0 },
		{ "0 16,16 20\n", TFR_EDATA, 0 },
		{ "4611686018427387888 16", TFR_END, 1 },
		{ "4611686018427387889 16", TFR_EDATA, 0 },
		{ "0 18446744073709551616", TFR_EDATA, 0 },
		{ "18446744073709551615 18446744073709551615", TFR_EDATA, 0 },
		{ "99999999999999999999999999999999999999 16", TFR_EDATA, 0 },
	};
	struct tfr_index_entry last;
	size_t count;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_expect_eq(read_text(cases[i].text, strlen(cases[i].text), &count, &last),
			cases[i].status, "'%s'", cases[i].text);
		cr_expect_eq(count, cases[i].count, "'%s': %zu", cases[i].text, count);
	}
	cr_assert_eq(read_text("0 16\n\0", 6, &count, &last), TFR_EDATA);
}

/* A number may straddle two blocks of text, at every place. */
Test(index, blocks_do_not_cut_numbers)
{
	for (int pad = 0; pad < 20; pad++) {
		struct tfr_buf b = { 0 };
		struct tfr_index_entry last = { 0 };
		size_t count;

		tfr_buf_printf(&b, "%*s", pad + 1, "");
		for (int i = 0; i < 20000; i++)
			tfr_buf_printf(&b, "%d 1234567\n", i);
		cr_assert_eq(read_text((char *)b.data, b.size, &count, &last), TFR_END);
		cr_assert_eq(count, 20000);
		cr_assert(last.offset == 19999 && last.size == 1234567);
		tfr_buf_clear(&b);
	}
}

static void write_records(const char *path, int count, size_t size)
{
	struct tfr_writer *w = NULL;
	char *payload = calloc(1, size + 1);

	cr_assert_eq(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL),
		TFR_OK);
	for (int i = 0; i < count; i++)
		cr_assert_eq(tfr_writer_put(w, payload, size, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	free(payload);
}

static enum tfr_index_state inspect(const char *path)
{
	enum tfr_index_state state;

	cr_assert_eq(tfr_index_inspect(path, NULL, &state, NULL), TFR_OK);
	return state;
}

Test(index, written_once_and_left_alone_while_it_fits)
{
	struct tfr_index_report report;
	struct tfr_error err;
	struct stat first, second;
	char text[64] = "";

	write_records("a", 3, 5);
	cr_assert_eq(inspect("a"), TFR_INDEX_MISSING);
	cr_assert_eq(tfr_index_write("a", NULL, &report, &err), TFR_OK);
	cr_assert(report.written && report.records == 3 && report.before == TFR_INDEX_MISSING);
	cr_assert_eq(temp_read("a.idx", text, sizeof(text)), strlen("0 21\n21 21\n42 21\n"));
	cr_assert_str_eq(text, "0 21\n21 21\n42 21\n");
	cr_assert_eq(inspect("a"), TFR_INDEX_GOOD);
	stat("a.idx", &first);
	cr_assert_eq(tfr_index_write("a", NULL, &report, &err), TFR_OK);
	stat("a.idx", &second);
	cr_assert(!report.written && report.records == 3 && report.before == TFR_INDEX_GOOD);
	cr_assert_eq(first.st_ino, second.st_ino);
	cr_assert_eq(tfr_index_write("a", &(struct tfr_index_opts){ .force = true }, &report, &err),
		TFR_OK);
	stat("a.idx", &second);
	cr_assert(report.written && first.st_ino != second.st_ino);
	cr_assert_eq(temp_count("."), 2);
}

/* An index that says the same number of bytes in other lines is told by the headers alone. */
Test(index, compared_with_the_headers)
{
	struct tfr_index_report report;
	struct tfr_error err;

	write_records("a", 3, 5);
	temp_write("a.idx", "0 42\n42 21\n", 11);
	cr_assert_eq(inspect("a"), TFR_INDEX_GOOD);
	cr_assert_eq(tfr_index_write("a", NULL, &report, &err), TFR_OK);
	cr_assert(report.written && report.records == 3 && report.before == TFR_INDEX_DIFFERS);
	temp_write("a.idx", "0 21\n21 21\n42 21\n63 21\n", 23);
	cr_assert_eq(tfr_index_write("a", NULL, &report, &err), TFR_OK);
	cr_assert(report.written && report.before == TFR_INDEX_OTHER_END);
	temp_write("a.idx", "0 21\n21 21\n", 11);
	cr_assert_eq(inspect("a"), TFR_INDEX_OTHER_END);
	cr_assert_eq(tfr_index_write("a", NULL, &report, &err), TFR_OK);
	cr_assert(report.written && report.before == TFR_INDEX_OTHER_END);
	cr_assert_eq(inspect("a"), TFR_INDEX_GOOD);
}

Test(index, every_truncation_and_flip_of_a_header_is_refused)
{
	struct tfr_index_report report;
	struct tfr_error err;
	uint8_t whole[200], bad[200];
	size_t size;

	write_records("a", 4, 7);
	size = temp_read("a", whole, sizeof(whole));
	for (size_t cut = 1; cut < size; cut++) {
		temp_write("b", whole, cut);
		cr_assert_eq(tfr_index_write("b", NULL, &report, &err) == TFR_OK, cut % 23 == 0,
			"%zu bytes", cut);
		cr_assert_eq(access("b.idx", F_OK) == 0, cut % 23 == 0);
		cr_assert_eq(report.records, cut / 23);
		if (cut % 23)
			cr_assert(err.record == cut / 23 && err.offset == cut / 23 * 23);
		unlink("b.idx");
	}
	for (size_t at = 0; at < size; at++) {
		memcpy(bad, whole, size);
		bad[at] ^= 0x10;
		temp_write("b", bad, size);
		cr_assert_eq(tfr_index_write("b", NULL, &report, &err) == TFR_OK, at % 23 >= 12,
			"byte %zu", at);
		cr_assert_eq(access("b.idx", F_OK) == 0, at % 23 >= 12);
		unlink("b.idx");
	}
	cr_assert_eq(temp_count("."), 2);
}
