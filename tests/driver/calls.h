/* calls.h - the prototypes of the driver's calls, for the fake driver and for tests that make them
 * themselves. */
#ifndef TESTS_DRIVER_CALLS_H
#define TESTS_DRIVER_CALLS_H

#include "device/cuda_api.h"

#define DECLARE(name, older, arguments)                                                            \
	__attribute__((visibility("default"))) unsigned name arguments;
TFR_CUDA_CALLS(DECLARE)
#undef DECLARE

#endif
