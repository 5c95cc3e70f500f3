/* base/clock.h - the monotonic clock, in nanoseconds and in seconds. */
#ifndef TFR_BASE_CLOCK_H
#define TFR_BASE_CLOCK_H

#include <stdint.h>

uint64_t tfr_clock_ns(void);
/* Processor time of the calling thread: a system call. */
uint64_t tfr_clock_thread_ns(void);

#endif
