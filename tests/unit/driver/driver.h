/* What the tests of the fake driver share: a context with a stream, and memory on both sides. */
#ifndef TESTS_UNIT_DRIVER_H
#define TESTS_UNIT_DRIVER_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "calls.h"
#include "fake_cuda.h"

/* Results that lib/device/cuda_api.h has no use for. */
enum { INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NOT_FOUND = 500, CONTEXT_DESTROYED = 709 };

#define OK(call) cr_assert_eq(call, CUDA_OK)

/* Work that ends only when the test lets it. */
static inline void end_hangs(void)
{
	fake_cuda.hangs = NULL;
	fake_cuda_repair();
}

static inline void *end_hangs_soon(void *unused)
{
	usleep(50000);
	end_hangs();
	return unused;
}

/* The calling thread waits for that work meanwhile. */
static inline pthread_t end_hangs_later(void)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, end_hangs_soon, NULL), 0);
	return thread;
}

struct bed {
	int device;
	struct CUctx_st *context;
	struct CUstream_st *stream, *other, *third;
	struct CUevent_st *start, *end;
	unsigned char *pinned;
	tfr_cuda_ptr memory;
	size_t size;
};

/* Leaves the context pushed. */
static inline void open_bed(struct bed *b, int device, size_t size)
{
	*b = (struct bed){ .device = device, .size = size };
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&b->context, device));
	OK(cuCtxPushCurrent_v2(b->context));
	OK(cuStreamCreate(&b->stream, CUDA_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&b->other, CUDA_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&b->third, CUDA_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&b->start, CUDA_EVENT_BLOCKING_SYNC));
	OK(cuEventCreate(&b->end, CUDA_EVENT_BLOCKING_SYNC));
	OK(cuMemHostAlloc((void **)&b->pinned, size, 0));
	OK(cuMemAlloc_v2(&b->memory, size));
}

/* Frees it, whatever earlier work has come to. */
static inline void close_bed(struct bed *b)
{
	cuStreamDestroy_v2(b->stream);
	cuStreamDestroy_v2(b->other);
	cuStreamDestroy_v2(b->third);
	cuEventDestroy_v2(b->start);
	cuEventDestroy_v2(b->end);
	cuMemFreeHost(b->pinned);
	cuMemFree_v2(b->memory);
	OK(cuCtxPopCurrent_v2(NULL));
	OK(cuDevicePrimaryCtxRelease_v2(b->device));
	cr_assert(fake_cuda_all_freed());
}

#endif
