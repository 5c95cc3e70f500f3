/* base/clock.c - the monotonic clock, read through the vDSO (some 25 ns a call). */
#include "base/clock.h"

#include <time.h>

uint64_t tfr_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
