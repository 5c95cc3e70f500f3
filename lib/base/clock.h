/* base/clock.h - the monotonic clock in nanoseconds, read through the vDSO (about 25 ns per call).
 */
#ifndef TFR_BASE_CLOCK_H
#define TFR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t tfr_clock_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t tfr_clock_ns(void)
{
	return tfr_clock_of(CLOCK_MONOTONIC);
}

/* Processor time of the calling thread: a system call. */
static inline uint64_t tfr_clock_thread_ns(void)
{
	return tfr_clock_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
