/* base/cpu.h - which extensions of the processor the inner loops may use.
 *
 * A loop asks tfr_cpu_allows() for its level, and then the processor for the exact features. */
#ifndef TFR_BASE_CPU_H
#define TFR_BASE_CPU_H

#include <stdbool.h>

enum tfr_cpu {
	TFR_CPU_PLAIN, /* portable C */
	TFR_CPU_SSE42,
	TFR_CPU_AVX2, /* and BMI2, F16C */
	TFR_CPU_AVX512,
};

/* The highest level that $TFR_CPU allows; if it is unset, the highest of all.  Set before main()
 * and constant from then on. */
extern enum tfr_cpu tfr_cpu_limit;

static inline bool tfr_cpu_allows(enum tfr_cpu level)
{
	return level <= tfr_cpu_limit;
}

/* "plain", "sse4.2", "avx2", "avx512"; false: none of these. */
bool tfr_cpu_parse(const char *name, enum tfr_cpu *level);

#endif
