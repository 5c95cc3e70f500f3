/* tests/bench/resize_alone.c - how fast images are decoded, resized and encoded with nothing
 * around it: what `tfr shard --resize` is measured against.
 *
 *   resize_alone LIST|DIRECTORY|FILE [THREADS [SIZE [ROUNDS]]]
 *
 * The images lie in memory; each thread takes the next one until every image was taken ROUNDS
 * times (1).  The shorter side becomes SIZE (256), triangle filter, JPEG of quality 95 with the
 * source's subsampling.  Prints images a second, all threads together, without the time it takes
 * to read them.  THREADS 0 (the default): one a processor. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <tfr-private/media.h>

#include "base/clock.h"
#include "images.h"
#include "thread/threads.h"

struct bench {
	struct images all;
	uint32_t size;
	uint64_t total;
	atomic_uint_fast64_t next, failed;
	atomic_uint_fast64_t bytes; /* encoded, so that nothing is done in vain */
};

struct tools {
	struct tfr_decoder *decoder;
	struct tfr_scaler *scaler;
	struct tfr_encoder *encoder;
};

static bool resize_one(struct bench *b, struct tools *t, const struct image *p)
{
	struct tfr_encode_opts opts = { .format = TFR_IMAGE_JPEG };
	struct tfr_image_info info;
	struct tfr_image image;
	const void *data;
	uint64_t shorter;
	size_t size;

	if (tfr_image_probe(p->data, p->size, &info, NULL) ||
		tfr_decode(t->decoder, p->data, p->size, NULL, 3, &image, NULL))
		return false;
	shorter = info.width < info.height ? info.width : info.height;
	opts.subsampling = info.subsampling;
	if (tfr_scale(t->scaler, &image, (uint32_t)((uint64_t)info.width * b->size / shorter),
		    (uint32_t)((uint64_t)info.height * b->size / shorter), TFR_FILTER_TRIANGLE, 0,
		    &image, NULL) ||
		tfr_encode(t->encoder, &image, &opts, &data, &size, NULL))
		return false;
	b->bytes += size;
	return true;
}

static void run(void *ctx, unsigned worker)
{
	struct bench *b = ctx;
	struct tools t = { tfr_decoder_new(NULL), tfr_scaler_new(), tfr_encoder_new() };
	uint64_t i;

	(void)worker;
	if (!t.decoder || !t.scaler || !t.encoder)
		abort();
	while ((i = b->next++) < b->total)
		if (!resize_one(b, &t, &b->all.list[i % b->all.count]))
			b->failed++;
	tfr_decoder_free(t.decoder);
	tfr_scaler_free(t.scaler);
	tfr_encoder_free(t.encoder);
}

int main(int argc, char **argv)
{
	unsigned threads = tfr_thread_count(argc > 2 ? (unsigned)atoi(argv[2]) : 0);
	struct bench b = { .size = argc > 3 ? (uint32_t)atoi(argv[3]) : 256 };
	uint64_t start;

	if (argc < 2 || argc > 5 || !b.size) {
		fprintf(stderr,
			"usage: resize_alone LIST|DIRECTORY|FILE [THREADS [SIZE [ROUNDS]]]\n");
		return 2;
	}
	images_load(&b.all, argv[1]);
	b.total = b.all.count * (argc > 4 ? (uint64_t)atoi(argv[4]) : 1);
	start = tfr_clock_ns();
	tfr_threads_run(threads, run, &b);
	printf("%.1f\n", (double)b.total / ((double)(tfr_clock_ns() - start) / 1e9));
	if (b.failed)
		fprintf(stderr, "resize_alone: %llu images failed\n",
			(unsigned long long)b.failed);
	return b.failed ? 1 : 0;
}
