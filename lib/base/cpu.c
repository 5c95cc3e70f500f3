/* base/cpu.c - the limit that $TFR_CPU sets for the inner loops; nothing else reads the variable.
 *
 * Every fast loop has a portable twin with the same results.  TFR_CPU=plain, sse4.2, avx2 or
 * avx512 limits the loops to that level, so that tests can run the loops of older processors.
 * It changes the speed and nothing else.  The limit is set when the library is loaded, before
 * any thread exists, and never changes: no caller can observe two values. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#include <tfr-private/error.h>

enum tfr_cpu tfr_cpu_limit = TFR_CPU_AVX512;

static const char *const names[] = {
	[TFR_CPU_PLAIN] = "plain",
	[TFR_CPU_SSE42] = "sse4.2",
	[TFR_CPU_AVX2] = "avx2",
	[TFR_CPU_AVX512] = "avx512",
};

bool tfr_cpu_parse(const char *name, enum tfr_cpu *level)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			*level = (enum tfr_cpu)i;
			return true;
		}
	return false;
}

static bool known = true;

__attribute__((constructor)) static void read_limit(void)
{
	const char *name = getenv("TFR_CPU");

	known = !name || tfr_cpu_parse(name, &tfr_cpu_limit);
}

const char *tfr_cpu_level(void)
{
	return known ? names[tfr_cpu_limit] : NULL;
}
