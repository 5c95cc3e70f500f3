#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "base/error.h"

static char text[8192];

Test(error, names_the_place)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_fail_record(&err, TFR_EDATA, "a.tfrecord", 1041, 73400320,
			     "data checksum mismatch"),
		TFR_EDATA);
	cr_assert_str_eq(tfr_error_format(&err, text, sizeof(text)),
		"data checksum mismatch in 'a.tfrecord', record 1041, offset 73400320");
}

Test(error, system_failures_say_why)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_fail_errno(&err, ENOENT, "x", "cannot open"), TFR_ESYS);
	cr_assert_str_eq(tfr_error_format(&err, text, sizeof(text)),
		"cannot open 'x': No such file or directory");
	cr_assert_eq(tfr_fail_errno(&err, ENOMEM, "x", "cannot map"), TFR_ENOMEM);
}

Test(error, a_file_name_cannot_break_the_line)
{
	struct tfr_error err = { 0 };

	tfr_fail_path(&err, TFR_EUSAGE, "a\nb\x1b[31m", "cannot open");
	cr_assert_str_eq(
		tfr_error_format(&err, text, sizeof(text)), "cannot open 'a\\x0ab\\x1b[31m'");
}

Test(error, urls_in_quotes_end_with_them)
{
	struct tfr_error err = { 0 };

	tfr_fail(&err, TFR_EUSAGE, "'http://127.0.0.1:9000' and 'https://h/x?secret': no, 'a@b'");
	cr_assert_str_eq(tfr_error_format(&err, text, sizeof(text)),
		"'http://127.0.0.1:9000' and 'https://h/x': no, 'a@b'");
}

Test(error, formats_into_any_size)
{
	struct tfr_error err = { 0 };
	char small[8];

	tfr_fail(&err, TFR_EUSAGE, "a long message");
	cr_assert_str_eq(tfr_error_format(&err, small, sizeof(small)), "a long ");
	tfr_error_format(&err, small, 0);
	cr_assert_str_eq(small, "a long ");
}

Test(error, null_is_allowed)
{
	cr_assert_eq(tfr_fail(NULL, TFR_EDATA, "x"), TFR_EDATA);
	cr_assert_eq(tfr_fail_errno(NULL, EIO, "p", "x"), TFR_ESYS);
	tfr_error_hint(NULL, "x");
	tfr_error_locate(NULL, "x", 0, 0);
}

/* A path of `size` bytes: "/ab/ab/...". */
static const char *long_path(char *path, size_t size)
{
	for (size_t i = 0; i < size; i++)
		path[i] = "/ab"[i % 3];
	path[size] = '\0';
	return path;
}

Test(error, a_copy_is_complete)
{
	struct tfr_error err, copy;

	memset(&err, 'x', sizeof(err));
	tfr_fail_path(&err, TFR_EDATA, "a.tfrecord", "cannot read");
	tfr_error_hint(&err, "Read %s.", "another");
	copy = err;
	memset(&err, 'x', sizeof(err));
	cr_assert_str_eq(copy.message, "cannot read 'a.tfrecord'");
	cr_assert_str_eq(tfr_error_path(&copy), "a.tfrecord");
	cr_assert_str_eq(tfr_error_hint_text(&copy), "Read another.");
	cr_assert_leq(sizeof(err), 1024);
}

Test(error, message_hint_and_path_change_one_by_one)
{
	struct tfr_error err = { 0 };

	cr_assert_str_eq(tfr_error_path(&err), "");
	cr_assert_str_eq(tfr_error_hint_text(&err), "");
	tfr_fail(&err, TFR_EDATA, "damaged");
	tfr_error_hint(&err, "first");
	tfr_error_locate(&err, "a", 1, 2);
	tfr_error_append(&err, "; %d bytes", 7);
	cr_assert_str_eq(err.message, "damaged; 7 bytes");
	cr_assert_str_eq(tfr_error_hint_text(&err), "first");
	cr_assert_str_eq(tfr_error_path(&err), "a");
	tfr_error_hint(&err, "%s", "");
	tfr_error_set_path(&err, "b");
	cr_assert_str_eq(tfr_error_hint_text(&err), "");
	cr_assert_str_eq(tfr_error_format(&err, text, sizeof(text)),
		"damaged; 7 bytes in 'b', record 1, offset 2");
}

Test(error, long_paths_are_printed_in_full)
{
	char path[900], expected[1024];
	struct tfr_error err = { 0 };

	tfr_fail_record(&err, TFR_EDATA, long_path(path, 800), 1, 2, "data checksum mismatch");
	snprintf(expected, sizeof(expected),
		"data checksum mismatch in '%s', record 1, offset 2", path);
	cr_assert_str_eq(tfr_error_format(&err, text, sizeof(text)), expected);
	tfr_fail_path(&err, TFR_ESYS, long_path(path, 500), "cannot open");
	snprintf(expected, sizeof(expected), "cannot open '%s'", path);
	cr_assert_str_eq(err.message, expected);
}

Test(error, longer_paths_lose_their_middle)
{
	static char path[5000], huge[2000];
	struct tfr_error err = { 0 };

	strcpy(path + strlen(long_path(path, 3999)), "/last");
	tfr_fail_record(&err, TFR_EDATA, path, 1, 2, "damaged");
	cr_assert(strstr(tfr_error_path(&err), "..."));
	cr_assert_eq(strncmp(tfr_error_path(&err), path, 400), 0);
	cr_assert_str_eq(tfr_error_path(&err) + strlen(tfr_error_path(&err)) - 8, "/ab/last");
	memset(huge, 'm', sizeof(huge) - 1);
	tfr_fail_record(&err, TFR_EDATA, path, 1, 2, "%s", huge);
	tfr_error_hint(&err, "%s", huge);
	cr_assert_eq(strlen(err.message), 575);
	cr_assert_eq(strlen(tfr_error_hint_text(&err)), 383);
	cr_assert(strlen(tfr_error_path(&err)) > 20);
	cr_assert_str_eq(tfr_error_path(&err) + strlen(tfr_error_path(&err)) - 5, "/last");
}

Test(error, a_cut_keeps_characters_together)
{
	static char path[4000];
	struct tfr_error err = { 0 };

	for (size_t shift = 0; shift < 4; shift++) {
		memset(path, 'a', shift);
		for (size_t i = shift; i + 3 < sizeof(path); i += 3)
			strcpy(path + i, "\xe2\x82\xac");
		tfr_fail_record(&err, TFR_EDATA, path, 1, 2, "damaged");
		cr_assert_null(strstr(tfr_error_format(&err, text, sizeof(text)), "\\x"));
	}
}

Test(error, exit_codes)
{
	cr_assert_eq(tfr_status_exit_code(TFR_OK), 0);
	cr_assert_eq(tfr_status_exit_code(TFR_EFORMAT), 1);
	cr_assert_eq(tfr_status_exit_code(TFR_EEXIST), 2);
	cr_assert_eq(tfr_status_exit_code(TFR_ENOMEM), 3);
}
