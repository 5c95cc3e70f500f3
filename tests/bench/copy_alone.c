/* copy_alone.c - the yardstick of a feed of large records: read() pieces of records, CRC-32C the
 * payloads, copy them once past the caches, nothing else.
 *
 *   copy_alone PIECE_KIB THREADS SECONDS FILE...   prints one JSON object
 *
 * Each thread takes whole files in turn, as often as the time allows, and has a target of its own,
 * which is larger than its cache.  A piece is copied while it is in the cache.  A payload whose
 * CRC does not verify ends the program. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { TARGET = 64 << 20, HEADER = 12, FOOTER = 4, THREADS = 64 };

static char **files;
static int file_count;
static size_t piece_size;
static double seconds;
static atomic_uint next_file;
static atomic_uint_fast64_t records, bytes;

/* A thread, in the middle of a record: bytes of its frame that are still to come. */
struct copier {
	unsigned char *piece, *target;
	size_t at; /* in the target */
	uint64_t payload;
	uint32_t crc;
	unsigned char frame[HEADER];
	unsigned frame_have;
	bool in_footer;
};

static void fail(const char *what)
{
	perror(what);
	exit(3);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* `to` is aligned to 16 bytes. */
static void copy(unsigned char *to, const unsigned char *from, size_t size)
{
#ifdef __SSE2__
	for (; size >= 64; to += 64, from += 64, size -= 64)
		for (unsigned i = 0; i < 64; i += 16)
			_mm_stream_si128((__m128i *)(void *)(to + i),
				_mm_loadu_si128((const __m128i *)(const void *)(from + i)));
#endif
	memcpy(to, from, size);
}

/* Collects `need` bytes of a header or a footer; returns those taken from `p`. */
static size_t collect(struct copier *c, const unsigned char *p, size_t size, unsigned need)
{
	size_t n = need - c->frame_have < size ? need - c->frame_have : size;

	memcpy(c->frame + c->frame_have, p, n);
	c->frame_have += (unsigned)n;
	return n;
}

static size_t take_frame(struct copier *c, const unsigned char *p, size_t size)
{
	size_t n = collect(c, p, size, c->in_footer ? FOOTER : HEADER);
	uint32_t stored;

	if (c->in_footer && c->frame_have == FOOTER) {
		memcpy(&stored, c->frame, sizeof(stored));
		if (stored != tfr_crc_mask(c->crc))
			fail("a payload");
		c->in_footer = false;
		c->frame_have = 0;
		atomic_fetch_add(&records, 1);
	} else if (!c->in_footer && c->frame_have == HEADER) {
		memcpy(&c->payload, c->frame, sizeof(c->payload));
		c->crc = 0;
		c->frame_have = 0;
		c->in_footer = !c->payload;
	}
	return n;
}

static size_t take_payload(struct copier *c, const unsigned char *p, size_t size)
{
	size_t n = c->payload < size ? (size_t)c->payload : size;

	c->crc = tfr_crc32c(c->crc, p, n);
	if (c->at + n > TARGET)
		c->at = 0;
	copy(c->target + c->at, p, n);
	c->at += (n + 15) / 16 * 16;
	c->payload -= n;
	c->in_footer = !c->payload;
	return n;
}

static void read_file(struct copier *c, const char *path, double until)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;

	if (fd < 0)
		fail(path);
	c->payload = 0;
	c->frame_have = 0;
	c->in_footer = false;
	while (now() < until && (got = read(fd, c->piece, piece_size)) > 0) {
		for (size_t at = 0; at < (size_t)got;)
			at += c->payload ? take_payload(c, c->piece + at, (size_t)got - at)
					 : take_frame(c, c->piece + at, (size_t)got - at);
		atomic_fetch_add(&bytes, (uint_fast64_t)got);
	}
	if (got < 0)
		fail(path);
	close(fd);
}

static void *work(void *until)
{
	struct copier c = { .piece = aligned_alloc(4096, piece_size),
		.target = aligned_alloc(2 << 20, TARGET) };

	if (!c.piece || !c.target)
		fail("memory");
	madvise(c.target, TARGET, MADV_HUGEPAGE);
	while (now() < *(double *)until)
		read_file(&c, files[atomic_fetch_add(&next_file, 1) % (unsigned)file_count],
			*(double *)until);
	free(c.piece);
	free(c.target);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double start, until, took;
	int n;

	if (argc < 5 || (piece_size = strtoul(argv[1], NULL, 10) << 10) < 4096 ||
		(n = atoi(argv[2])) < 1 || n > THREADS || (seconds = atof(argv[3])) <= 0) {
		fprintf(stderr, "usage: copy_alone PIECE_KIB THREADS SECONDS FILE...\n");
		return 2;
	}
	files = argv + 4;
	file_count = argc - 4;
	start = now();
	until = start + seconds;
	for (int i = 1; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, &until))
			fail("a thread");
	work(&until);
	for (int i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	took = now() - start;
	printf("{\"records_per_second\": %.3f, \"bytes_per_second\": %.0f}\n",
		(double)records / took, (double)bytes / took);
	return 0;
}
