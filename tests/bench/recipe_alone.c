/* tests/bench/recipe_alone.c - how fast a list of image stages runs with nothing around it.
 *
 *   recipe_alone LIST|DIRECTORY|FILE STAGES [THREADS [SECONDS]]
 *
 * STAGES begins with decode: "decode,five-crop=224,mirror,normalise".  The images lie in memory;
 * each thread takes every THREADS-th of them in turn, for SECONDS after one second of warming up,
 * and puts what it makes into a batch of 64 that it owns.  Prints images made a second, all
 * threads together, and on stderr the share of each stage in the first thread's time.  THREADS 0
 * (the default): one a processor. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "images.h"
#include "pipeline/images/executor.h"
#include "thread/threads.h"

enum { BATCH = 64 };

struct bench {
	struct images all;
	struct tfr_stage_list stages;
	struct tfr_recipe recipe;
	unsigned threads;
	double seconds;
	atomic_uint_fast64_t made, failed;
};

/* A batch that grows to what is put into it. */
struct batch {
	uint8_t *memory;
	size_t each;
	unsigned at;
};

static void *place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct batch *b = ctx;
	size_t bytes = (tfr_image_form_bytes(form) + 63) & ~63ull;

	(void)k, (void)mask;
	if (bytes > b->each) {
		free(b->memory);
		b->each = bytes;
		b->memory = aligned_alloc(64, BATCH * bytes);
	}
	return b->memory ? b->memory + b->at++ % BATCH * b->each : NULL;
}

static void report(const struct bench *b, const uint64_t *spent)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < b->stages.count; i++)
		all += spent[i];
	for (unsigned i = b->recipe.from; i < b->recipe.to; i++)
		fprintf(stderr, "%5.1f%% %s\n", 100 * (double)spent[i] / (double)all,
			b->stages.at[i].text);
}

static void run(void *ctx, unsigned worker)
{
	struct bench *b = ctx;
	uint64_t start = tfr_clock_ns() + 1000000000u, end = start + (uint64_t)(b->seconds * 1e9),
		 now, spent[STAGES_COUNT_MAX] = { 0 };
	struct batch batch = { 0 };
	struct tfr_image_executor *st;

	if (tfr_image_executor_new(&st, 1 << 30, false, NULL))
		abort();
	for (uint64_t i = worker; (now = tfr_clock_ns()) < end; i += b->threads) {
		const struct image *p = &b->all.list[i % b->all.count];
		struct tfr_image_input in = { .encoded = p->data,
			.encoded_size = p->size,
			.epoch = i / b->all.count,
			.ordinal = i % b->all.count };

		if (tfr_image_executor_run(st, &b->recipe, &in, place, &batch, NULL))
			b->failed++;
		if (now >= start)
			b->made += b->recipe.copies;
		for (unsigned k = 0; k < b->stages.count; k++)
			spent[k] += tfr_image_executor_spent(st)[k];
	}
	if (worker == 0)
		report(b, spent);
	tfr_image_executor_free(st);
	free(batch.memory);
}

int main(int argc, char **argv)
{
	struct bench b = { .threads = tfr_thread_count(argc > 3 ? (unsigned)atoi(argv[3]) : 0) };
	struct tfr_error err;
	char list[4096];

	b.seconds = argc > 4 ? atof(argv[4]) : 5;
	if (argc < 3 || argc > 5 || b.seconds <= 0) {
		fprintf(stderr,
			"usage: recipe_alone LIST|DIRECTORY|FILE STAGES [THREADS [SECONDS]]\n");
		return 2;
	}
	snprintf(list, sizeof(list), "read,parse,%s", argv[2]);
	if (tfr_stage_list_parse(&b.stages, list, &err)) {
		fprintf(stderr, "recipe_alone: %s\n", err.message);
		return 2;
	}
	tfr_recipe_init(&b.recipe, &b.stages, 2, 1);
	images_load(&b.all, argv[1]);
	tfr_threads_run(b.threads, run, &b);
	printf("%.1f\n", (double)b.made / b.seconds);
	if (b.failed)
		fprintf(stderr, "recipe_alone: %llu images failed\n", (unsigned long long)b.failed);
	tfr_stage_list_free(&b.stages);
	return b.failed ? 1 : 0;
}
