#include <criterion/criterion.h>
#include <errno.h>

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

Test(error, exit_codes)
{
	cr_assert_eq(tfr_status_exit_code(TFR_OK), 0);
	cr_assert_eq(tfr_status_exit_code(TFR_EFORMAT), 1);
	cr_assert_eq(tfr_status_exit_code(TFR_EEXIST), 2);
	cr_assert_eq(tfr_status_exit_code(TFR_ENOMEM), 3);
}
