#include <criterion/criterion.h>

#include <tfr-private/text.h>

static uint64_t parse(const char *text)
{
	uint64_t n = 0;

	cr_assert_eq(tfr_parse_size(text, &n, NULL), TFR_OK, "%s", text);
	return n;
}

Test(sizes, units_are_powers_of_1024)
{
	cr_assert_eq(parse("0"), 0);
	cr_assert_eq(parse("512"), 512);
	cr_assert_eq(parse("64K"), 65536);
	cr_assert_eq(parse("64kib"), 65536);
	cr_assert_eq(parse("1.5G"), 1610612736);
	cr_assert_eq(parse("2GB"), (uint64_t)2 << 30);
}

Test(sizes, refuses_what_is_no_size)
{
	const char *bad[] = { "", "x", "-1", "+1", " 1", "1 K", "0x10", "nan", "inf", "1Q", "1KK",
		"16E", "1iB" };
	uint64_t n;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_eq(tfr_parse_size(bad[i], &n, NULL), TFR_EUSAGE, "'%s'", bad[i]);
}

Test(sizes, formats_for_a_person)
{
	char text[TFR_SIZE_TEXT];

	cr_assert_str_eq(tfr_format_size(1, text), "1 byte");
	cr_assert_str_eq(tfr_format_size(17, text), "17 bytes");
	cr_assert_str_eq(tfr_format_size(67584, text), "66.0 KiB");
	cr_assert_str_eq(tfr_format_size((uint64_t)5 << 28, text), "1.25 GiB");
	cr_assert_str_eq(tfr_format_size(1023, text), "1.00 KiB");
	cr_assert_str_eq(tfr_format_count(0, text), "0");
	cr_assert_str_eq(tfr_format_count(999.6, text), "1,000");
	cr_assert_str_eq(tfr_format_count(12345678, text), "12,345,678");
	cr_assert_str_eq(tfr_format_count(1e300, text), "1,000,000,000,000,000");
}
