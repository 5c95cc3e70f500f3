/* The fake driver: streams, events, copies and memory. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "unit/driver/driver.h"

enum { SIZE = 100000 };

static void fill(struct bed *b, int value)
{
	memset(b->pinned, value, b->size);
}

static void read_back(const struct bed *b, unsigned char *to)
{
	OK(cuMemcpyDtoHAsync_v2(to, b->memory, b->size, b->stream));
	OK(cuStreamSynchronize(b->stream));
}

Test(streams, do_their_work_in_order_and_later)
{
	unsigned char *back = malloc(SIZE);
	struct bed b;
	float ms = 0;

	fake_cuda.bandwidth = 2e6; /* 50 ms */
	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	fill(&b, 7);
	cr_assert_eq(cuEventElapsedTime(&ms, b.start, b.end), CUDA_INVALID_HANDLE);
	OK(cuEventRecord(b.start, b.stream));
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	OK(cuEventRecord(b.end, b.stream));
	cr_assert_eq(cuEventQuery(b.end), CUDA_NOT_READY);
	cr_assert_eq(cuEventElapsedTime(&ms, b.start, b.end), CUDA_NOT_READY);
	end_hangs();
	OK(cuEventSynchronize(b.end));
	OK(cuEventQuery(b.end));
	OK(cuEventElapsedTime(&ms, b.start, b.end));
	cr_assert_geq(ms, 49.9f);
	cr_assert_eq(fake_cuda_spinning_waits(), 0);
	cr_assert_eq(fake_cuda_most_in_flight(), 1);
	cr_assert_eq(fake_cuda_pageable_copies(), 0);
	read_back(&b, back);
	for (int i = 0; i < SIZE; i++)
		cr_assert_eq(back[i], 7);
	free(back);
	close_bed(&b);
}

/* The link is one, whatever the number of streams; each direction has its own. */
Test(streams, share_the_link)
{
	uint64_t start;
	struct bed b;

	fake_cuda.bandwidth = 2e6;
	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	start = tfr_clock_ns();
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE / 2, b.stream));
	OK(cuMemcpyHtoDAsync_v2(b.memory + SIZE / 2, b.pinned, SIZE / 2, b.other));
	cr_assert_eq(fake_cuda_most_in_flight(), 2);
	end_hangs();
	OK(cuStreamSynchronize(b.stream));
	OK(cuStreamSynchronize(b.other));
	cr_assert_geq(tfr_clock_ns() - start, 49900000);
	cr_assert_gt(fake_cuda_spinning_waits(), 0);
	close_bed(&b);
}

/* `other` waits for what `stream` brings; `third` does not. */
Test(streams, wait_for_events)
{
	unsigned char *back;
	struct bed b;

	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	OK(cuMemHostAlloc((void **)&back, 1, 0));
	fill(&b, 9);
	OK(cuStreamWaitEvent(b.other, b.end, 0)); /* never recorded: waits for nothing */
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	OK(cuEventRecord(b.end, b.stream));
	OK(cuStreamWaitEvent(b.other, b.end, 0));
	OK(cuMemcpyDtoHAsync_v2(back, b.memory + SIZE - 1, 1, b.other));
	OK(cuEventRecord(b.start, b.third));
	OK(cuEventSynchronize(b.start)); /* the third stream continues meanwhile */
	cr_assert_eq(cuEventQuery(b.end), CUDA_NOT_READY);
	OK(cuEventDestroy_v2(b.end)); /* the wait keeps what it needs */
	OK(cuEventCreate(&b.end, CUDA_EVENT_BLOCKING_SYNC));
	end_hangs();
	OK(cuStreamSynchronize(b.other));
	cr_assert_eq(*back, 9);
	OK(cuMemFreeHost(back));
	close_bed(&b);
}

/* The second copy need not come after the first. */
Test(streams, that_are_not_ordered_share_no_memory, .signal = SIGABRT)
{
	struct bed b;

	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE / 2, b.stream));
	OK(cuEventRecord(b.end, b.stream));
	OK(cuMemcpyHtoDAsync_v2(b.memory + SIZE / 2, b.pinned, 10, b.other)); /* its own memory */
	OK(cuMemcpyHtoDAsync_v2(b.memory + SIZE - 1, b.pinned, 1, b.stream));
	OK(cuStreamWaitEvent(b.third, b.end, 0));
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, 10, b.third)); /* after the event */
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, 10, b.third));
	cuMemcpyHtoDAsync_v2(b.memory + SIZE - 1, b.pinned, 1, b.third);
}

Test(streams, pageable_memory_is_read_in_the_call)
{
	unsigned char *pageable = malloc(SIZE), *back = malloc(SIZE);
	uint64_t start;
	struct bed b;

	fake_cuda.bandwidth = 2e6;
	open_bed(&b, 0, SIZE);
	memset(pageable, 3, SIZE);
	start = tfr_clock_ns();
	OK(cuMemcpyHtoDAsync_v2(b.memory, pageable, SIZE, b.stream));
	cr_assert_geq(tfr_clock_ns() - start, 49900000);
	memset(pageable, 4, SIZE);
	cr_assert_eq(fake_cuda_pageable_copies(), 1);
	read_back(&b, back);
	cr_assert_eq(back[SIZE - 1], 3);
	free(pageable);
	free(back);
	close_bed(&b);
}

Test(streams, destroying_them_waits_for_nothing)
{
	struct bed b;

	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	fill(&b, 5);
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.other));
	OK(cuEventRecord(b.end, b.other));
	OK(cuStreamDestroy_v2(b.other));
	cr_assert_eq(cuEventQuery(b.end), CUDA_NOT_READY);
	end_hangs();
	OK(cuEventSynchronize(b.end));
	OK(cuStreamCreate(&b.other, 0));
	close_bed(&b);
}

Test(memory, freeing_waits_for_the_device)
{
	tfr_cuda_ptr memory;
	pthread_t thread;
	struct bed b;

	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	OK(cuMemAlloc_v2(&memory, 10));
	fill(&b, 1);
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	OK(cuEventRecord(b.end, b.stream));
	thread = end_hangs_later();
	OK(cuMemFree_v2(memory));
	OK(cuEventQuery(b.end));
	cr_assert_eq(fake_cuda_waiting_frees(), 1);
	pthread_join(thread, NULL);
	close_bed(&b);
	cr_assert_eq(fake_cuda_waiting_frees(), 0);
}

Test(memory, in_use_must_not_be_freed, .signal = SIGABRT)
{
	struct bed b;

	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	cuMemFree_v2(b.memory);
}

Test(memory, pinned_in_use_must_not_be_freed, .signal = SIGABRT)
{
	struct bed b;

	fake_cuda.hangs = "copy";
	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	cuMemFreeHost(b.pinned);
}

/* No memory of a process is at such an address; arm64 ignores the uppermost 8 bits. */
Test(memory, of_the_device_is_not_the_processors)
{
	struct bed b;

	open_bed(&b, 0, SIZE);
	cr_assert_neq(b.memory >> 52 & 15, 0);
	close_bed(&b);
}

Test(memory, is_limited)
{
	size_t available, total;
	tfr_cuda_ptr memory;
	struct bed b;
	void *pinned;

	fake_cuda.memory = 1e6;
	open_bed(&b, 0, SIZE);
	OK(cuMemGetInfo_v2(&available, &total));
	cr_assert_eq(total, 1000000);
	cr_assert_eq(available, 900000);
	cr_assert_eq(cuMemAlloc_v2(&memory, 900001), CUDA_OUT_OF_MEMORY);
	cr_assert_eq(cuMemAlloc_v2(&memory, 0), CUDA_INVALID_VALUE);
	cr_assert_eq(cuMemHostAlloc(&pinned, 2000000, 0), CUDA_OUT_OF_MEMORY);
	OK(cuMemAlloc_v2(&memory, 900000));
	OK(cuMemFree_v2(memory));
	close_bed(&b);
}

/* A copy to memory that is not the device's ends the context. */
static void expect_context_lost(tfr_cuda_ptr offset, size_t size)
{
	struct bed b;
	void *memory;

	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	OK(cuMemcpyHtoDAsync_v2(b.memory + offset, b.pinned, size, b.stream));
	cr_assert_eq(cuStreamSynchronize(b.stream), CUDA_ILLEGAL_ADDRESS);
	cr_assert_eq(cuStreamSynchronize(b.other), CUDA_ILLEGAL_ADDRESS);
	cr_assert_eq(cuEventRecord(b.end, b.other), CUDA_ILLEGAL_ADDRESS);
	cr_assert_eq(cuMemHostAlloc(&memory, 1, 0), CUDA_ILLEGAL_ADDRESS);
	close_bed(&b);
	open_bed(&b, 0, SIZE); /* a new context works */
	OK(cuStreamSynchronize(b.stream));
	close_bed(&b);
}

Test(memory, beyond_its_end_ends_the_context)
{
	expect_context_lost(1, SIZE);
	expect_context_lost(SIZE, 1);
	expect_context_lost((tfr_cuda_ptr)1 << 40, 1);
}

Test(memory, of_another_device_ends_the_context)
{
	struct bed b, other;
	unsigned char byte = 0;

	fake_cuda.devices = 2;
	open_bed(&b, 0, SIZE);
	OK(cuCtxPopCurrent_v2(NULL));
	open_bed(&other, 1, SIZE);
	cr_assert_eq(cuMemcpyDtoHAsync_v2(&byte, b.memory, 1, other.stream), CUDA_ILLEGAL_ADDRESS);
	OK(cuCtxPopCurrent_v2(NULL));
	OK(cuCtxPushCurrent_v2(b.context));
	OK(cuStreamSynchronize(b.stream)); /* only that of the copy */
}

Test(streams, work_that_fails_is_reported_from_then_on)
{
	struct bed b;

	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	fake_cuda.fails = "copy";
	fake_cuda.after = 1;
	fake_cuda.once = true;
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	OK(cuStreamSynchronize(b.stream));
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	cr_assert_eq(cuStreamSynchronize(b.stream), CUDA_LAUNCH_FAILED);
	cr_assert_eq(cuEventQuery(b.end), CUDA_LAUNCH_FAILED);
	close_bed(&b);
}

Test(streams, work_hangs_until_it_is_repaired)
{
	uint64_t start = tfr_clock_ns();
	pthread_t thread;
	struct bed b;

	open_bed(&b, 0, SIZE);
	fill(&b, 1);
	fake_cuda.hangs = "copy";
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, SIZE, b.stream));
	OK(cuEventRecord(b.start, b.other));
	OK(cuEventSynchronize(b.start));
	thread = end_hangs_later();
	OK(cuStreamSynchronize(b.stream));
	cr_assert_geq(tfr_clock_ns() - start, 50000000);
	pthread_join(thread, NULL);
	close_bed(&b);
}
