#include <criterion/criterion.h>

#include "base/suffix.h"

Test(suffix, ends_of_names)
{
	cr_assert(tfr_has_suffix("a.gz", ".gz"));
	cr_assert(tfr_has_suffix(".gz", ".gz"));
	cr_assert(tfr_has_suffix("a", ""));
	cr_assert_not(tfr_has_suffix("gz", ".gz"));
	cr_assert_not(tfr_has_suffix("a.GZ", ".gz"));
	cr_assert_not(tfr_has_suffix("a.gz.tmp", ".gz"));
	cr_assert(tfr_has_suffix_any_case("a.GZ", ".gz"));
	cr_assert_not(tfr_has_suffix_any_case("z", ".gz"));
}
