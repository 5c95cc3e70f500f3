/* device/stream_copy.c - a copy past the caches.
 *
 * A batch is written once and read by the device.  Normal stores first read each line of the
 * target, and evict the decoders' data from the cache.  Non-temporal stores, four pages at a time,
 * copy a batch of 38.5 MB in 4.4 ms instead of 7.6 (Xeon of the fourth generation, 2 of its cores,
 * huge pages; wider vectors gain nothing).  glibc's memcpy does the same above a size that no batch
 * reaches on a large processor.  The copying thread competes with decoding for processors and
 * memory, so both effects count. */
#include "device/stream_copy.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { PAGE = 4096, PAGES = 4, BLOCK = PAGE * PAGES, LINE = 64, LEAST = 4 << 20 };

/* `to` is aligned to 16 bytes. */
static void copy_line(char *to, const char *from)
{
	__m128i v[LINE / 16];

	for (unsigned i = 0; i < LINE / 16; i++)
		v[i] = _mm_loadu_si128((const __m128i *)(from + i * 16));
	for (unsigned i = 0; i < LINE / 16; i++)
		_mm_stream_si128((__m128i *)(to + i * 16), v[i]);
}

/* Copies a line of each page in turn and prefetches the lines of the next block.  A prefetch past
 * the end of the memory has no effect. */
static void copy_block(char *to, const char *from)
{
	for (size_t at = 0; at < PAGE; at += LINE) {
		for (size_t page = 0; page < BLOCK; page += PAGE)
			_mm_prefetch(from + BLOCK + page + at, _MM_HINT_T0);
		for (size_t page = 0; page < BLOCK; page += PAGE)
			copy_line(to + page + at, from + page + at);
	}
}

/* Copies all but the ends with `copy`, `step` bytes at a time, to aligned lines. */
static inline __attribute__((always_inline)) void stream(char *to, const char *from, size_t size,
	size_t step, void (*copy)(char *to, const char *from))
{
	size_t head = -(uintptr_t)to % LINE;

	head = head < size ? head : size;
	memcpy(to, from, head);
	for (size -= head, to += head, from += head; size >= step; size -= step) {
		copy(to, from);
		to += step;
		from += step;
	}
	memcpy(to, from, size);
	/* A thread that learns of the copy through a lock sees all of it. */
	_mm_sfence();
}

void tfr_device_stream_copy(void *to, const void *from, size_t size)
{
	if (size < LEAST)
		memcpy(to, from, size);
	else
		stream(to, from, size, BLOCK, copy_block);
}

void tfr_device_stream_store(void *to, const void *from, size_t size)
{
	stream(to, from, size, LINE, copy_line);
}

#else

void tfr_device_stream_store(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
}

void tfr_device_stream_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
}

#endif
