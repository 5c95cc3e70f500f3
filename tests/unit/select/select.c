/* The selection as a program uses it, without a command line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/select.h>

enum { FILES = 3, RECORDS = 4 };

static char folder[] = "/tmp/tfr-select-XXXXXX";

/* Three files of four records: "00" to "03", "10" to "13", "20" to "23". */
static struct tfr_set *made_set(void)
{
	struct tfr_set *set = NULL;
	char pattern[64];
	const char *inputs[] = { pattern };

	cr_assert(mkdtemp(folder));
	for (int f = 0; f < FILES; f++) {
		struct tfr_writer_opts opts = { 0 };
		struct tfr_writer *w = NULL;
		char text[64];

		snprintf(text, sizeof(text), "%s/in%d", folder, f);
		cr_assert_eq(tfr_writer_open(&w, text, &opts, NULL), TFR_OK);
		for (int r = 0; r < RECORDS; r++) {
			snprintf(text, sizeof(text), "%d%d", f, r);
			cr_assert_eq(tfr_writer_put(w, text, 2, NULL), TFR_OK);
		}
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
	}
	snprintf(pattern, sizeof(pattern), "%s/in*", folder);
	cr_assert_eq(
		tfr_set_open(&set, &(struct tfr_set_opts){ .inputs = inputs, .count = 1 }, NULL),
		TFR_OK);
	return set;
}

static void remove_set(struct tfr_set *set)
{
	for (size_t i = 0; i < tfr_set_count(set); i++)
		unlink(tfr_set_path(set, i));
	rmdir(folder);
	tfr_set_close(set);
}

/* The records in one line, each with the file it says it is from proved. */
static char *selected(const struct tfr_set *set, const struct tfr_select_opts *opts)
{
	static char line[FILES * RECORDS * 3 + 1];
	struct tfr_select *s = NULL;
	struct tfr_record rec;
	struct tfr_error err = { 0 };
	enum tfr_status status;
	size_t n = 0;

	cr_assert_eq(tfr_select_open(&s, set, opts, &err), TFR_OK, "%s", err.message);
	while (!(status = tfr_select_next(s, &rec, &err))) {
		const char *path = tfr_select_path(s);

		cr_assert_eq(rec.data[0], path[strlen(path) - 1]);
		cr_assert_eq(rec.data[1] - '0', rec.index);
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%.2s ", (const char *)rec.data);
	}
	cr_assert_eq(status, TFR_END);
	cr_assert_eq(tfr_select_next(s, &rec, &err), TFR_END, "the end is the end");
	tfr_select_close(s);
	line[n ? n - 1 : 0] = 0;
	return line;
}

Test(select, gives_the_files_one_after_another_or_interleaved)
{
	struct tfr_set *set = made_set();

	cr_expect_str_eq(selected(set, &(struct tfr_select_opts){ .limit = UINT64_MAX }),
		"00 01 02 03 10 11 12 13 20 21 22 23");
	cr_expect_str_eq(
		selected(set, &(struct tfr_select_opts){ .limit = UINT64_MAX, .order = { 2, 3 } }),
		"00 01 02 10 11 12 03 13 20 21 22 23");
	cr_expect_str_eq(
		selected(
			set, &(struct tfr_select_opts){ .order = { 3, 1 }, .skip = 2, .limit = 3 }),
		"20 01 11");
	cr_expect_str_eq(selected(set, &(struct tfr_select_opts){ .limit = 0 }), "");
	remove_set(set);
}

Test(select, refuses_half_an_interleave)
{
	struct tfr_set *set = made_set();
	struct tfr_select *s = NULL;
	struct tfr_error err;

	cr_expect_eq(tfr_select_open(&s, set, &(struct tfr_select_opts){ .order.cycle = 2 }, &err),
		TFR_EUSAGE);
	cr_expect_eq(tfr_select_open(&s, set, &(struct tfr_select_opts){ .order.block = 2 }, &err),
		TFR_EUSAGE);
	cr_expect_eq(tfr_select_open(&s, set, &(struct tfr_select_opts){ .where = "a ==" }, &err),
		TFR_EUSAGE);
	remove_set(set);
}
