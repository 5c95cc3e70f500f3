/* tests/bench/decode_alone.c - how fast crop decode, resize, mirror and normalise run with nothing
 * around them.
 *
 *   decode_alone LIST|DIRECTORY|FILE [THREADS [SIZE [SECONDS [crop|whole]]]]
 *
 * crop (the default): a random-resized crop of each; whole: all of it.  The images lie in memory;
 * each thread takes every THREADS-th of them in turn, for SECONDS after one second of warming up,
 * and writes SIZE x SIZE float32 pixels into a batch of 64 that it owns. Prints images a second,
 * all threads together: what a feed on the same cores is measured against.  THREADS 0 (the
 * default): one a processor. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

#include "base/clock.h"
#include "images.h"
#include "thread/threads.h"

enum { BATCH = 64 };

struct bench {
	struct images all;
	unsigned threads;
	uint32_t size;
	double seconds;
	bool whole;
	atomic_uint_fast64_t done, failed;
};

static bool feed_one(
	struct bench *b, struct tfr_decoder *d, struct tfr_resizer *r, uint64_t record, float *out)
{
	size_t count = b->all.count;
	const struct image *p = &b->all.list[record % count];
	struct tfr_draw draw = { .seed = 1, .epoch = record / count, .record = record % count };
	unsigned flags = TFR_RESIZE_NORMALISE | TFR_RESIZE_STREAM |
			 (tfr_random_flip(&draw) ? TFR_RESIZE_MIRROR : 0);
	struct tfr_image_info info;
	struct tfr_image image;
	struct tfr_crop crop;

	if (tfr_image_probe(p->data, p->size, &info, NULL))
		return false;
	if (b->whole)
		crop = (struct tfr_crop){ 0, 0, info.width, info.height };
	else
		tfr_random_resized_crop(&draw, info.width, info.height, &crop);
	return tfr_decode(d, p->data, p->size, &crop, 3, &image, NULL) == TFR_OK &&
	       tfr_resize_bilinear(r, &image, b->size, b->size, flags, out, NULL) == TFR_OK;
}

static void run(void *ctx, unsigned worker)
{
	struct bench *b = ctx;
	size_t floats = (size_t)b->size * b->size * 3;
	float *batch = aligned_alloc(64, (BATCH * floats * sizeof(float) + 63) / 64 * 64);
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_resizer *r = tfr_resizer_new();
	uint64_t start = tfr_clock_ns() + 1000000000u, end = start + (uint64_t)(b->seconds * 1e9),
		 now;

	if (!batch || !d || !r)
		abort();
	for (uint64_t i = 0; (now = tfr_clock_ns()) < end; i++) {
		if (!feed_one(b, d, r, worker + i * b->threads, batch + i % BATCH * floats))
			b->failed++;
		if (now >= start)
			b->done++;
	}
	tfr_resizer_free(r);
	tfr_decoder_free(d);
	free(batch);
}

int main(int argc, char **argv)
{
	struct bench b = { .threads = tfr_thread_count(argc > 2 ? (unsigned)atoi(argv[2]) : 0) };

	b.size = argc > 3 ? (uint32_t)atoi(argv[3]) : 224;
	b.seconds = argc > 4 ? atof(argv[4]) : 5;
	b.whole = argc > 5 && !strcmp(argv[5], "whole");
	if (argc < 2 || argc > 6 || !b.size || b.seconds <= 0 ||
		(argc > 5 && !b.whole && strcmp(argv[5], "crop"))) {
		fprintf(stderr, "usage: decode_alone LIST|DIRECTORY|FILE [THREADS [SIZE [SECONDS "
				"[crop|whole]]]]\n");
		return 2;
	}
	images_load(&b.all, argv[1]);
	tfr_threads_run(b.threads, run, &b);
	printf("%.1f\n", (double)b.done / b.seconds);
	if (b.failed)
		fprintf(stderr, "decode_alone: %llu images failed\n",
			(unsigned long long)b.failed);
	return b.failed ? 1 : 0;
}
