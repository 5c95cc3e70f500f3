/* Numbers are read as the C locale has them, whatever the locale. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include <tfr-private/text.h>

/* A locale with a decimal comma: one that is installed, or one that is compiled for the test. */
static bool use_comma(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR" };
	char folder[] = "/tmp/tfr-locale-XXXXXX", command[200];
	bool found = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (setlocale(LC_ALL, names[i]))
			return true;
	if (!mkdtemp(folder))
		return false;
	snprintf(command, sizeof(command),
		"localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
	if (!system(command)) {
		setenv("LOCPATH", folder, 1);
		found = setlocale(LC_ALL, "de_DE.UTF-8");
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	(void)!system(command);
	return found;
}

Test(number, the_point_is_a_point_in_every_locale)
{
	char *end;

	cr_assert_eq(tfr_text_f64("1.5x", &end), 1.5);
	cr_assert_str_eq(end, "x");
	cr_assert_eq(tfr_text_f32("-0x1p-3,5", &end), -0.125f);
	cr_assert_str_eq(end, ",5");
	if (!use_comma())
		cr_skip_test("no locale with a decimal comma");
	cr_assert_eq(strtod("1,5", NULL), 1.5);
	cr_assert_eq(tfr_text_f64("1.5,5", &end), 1.5);
	cr_assert_str_eq(end, ",5");
	cr_assert_eq(tfr_text_f32("16777217.5", NULL), 16777218.0f);
}

Test(number, sizes_have_a_point_in_every_locale)
{
	uint64_t bytes = 0;

	if (!use_comma())
		cr_skip_test("no locale with a decimal comma");
	cr_assert_eq(tfr_parse_size("1.5K", &bytes, NULL), TFR_OK);
	cr_assert_eq(bytes, 1536);
}
