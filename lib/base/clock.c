/* base/clock.c - the monotonic clock, read through the vDSO (about 25 ns per call). */
#include "base/clock.h"

#include <time.h>

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t tfr_clock_ns(void)
{
	return now(CLOCK_MONOTONIC);
}

uint64_t tfr_clock_thread_ns(void)
{
	return now(CLOCK_THREAD_CPUTIME_ID);
}
