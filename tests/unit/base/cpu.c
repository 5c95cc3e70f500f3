#include <criterion/criterion.h>
#include <stdlib.h>

#include <tfr-private/error.h>

#include "base/cpu.h"

Test(cpu, names_of_levels)
{
	enum tfr_cpu level = TFR_CPU_SSE42;

	cr_assert(tfr_cpu_parse("plain", &level) && level == TFR_CPU_PLAIN);
	cr_assert(tfr_cpu_parse("sse4.2", &level) && level == TFR_CPU_SSE42);
	cr_assert(tfr_cpu_parse("avx2", &level) && level == TFR_CPU_AVX2);
	cr_assert(tfr_cpu_parse("avx512", &level) && level == TFR_CPU_AVX512);
	cr_assert_not(tfr_cpu_parse("", &level) || tfr_cpu_parse("AVX2", &level) ||
		      tfr_cpu_parse("avx", &level));
	cr_assert_eq(level, TFR_CPU_AVX512);
}

/* scripts/test runs this with several. */
Test(cpu, the_limit_is_that_of_the_environment)
{
	const char *name = getenv("TFR_CPU");
	enum tfr_cpu level = TFR_CPU_AVX512;

	if (name)
		tfr_cpu_parse(name, &level);
	cr_assert_eq(tfr_cpu_limit, level);
	cr_assert_not_null(tfr_cpu_level());
	cr_assert(tfr_cpu_allows(TFR_CPU_PLAIN) && tfr_cpu_allows(level));
	cr_assert(level == TFR_CPU_AVX512 || !tfr_cpu_allows(level + 1));
}
