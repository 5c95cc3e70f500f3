/* Records noted from many threads at once, classes new and old, spilling on the way: for
 * ThreadSanitizer. */
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "rewrite/strata.h"
#include "thread/threads.h"

enum { THREADS = 8, EACH = 20000, CLASSES = 7000 };

static struct tfr_strata *strata;
static uint64_t received[3];

static struct tfr_counted_class class_of(int64_t label)
{
	return (struct tfr_counted_class){ .kind = TFR_KIND_INT64, .number = label };
}

static uint64_t hash_of(uint64_t record)
{
	return XXH3_64bits_withSeed(&record, sizeof(record), 1);
}

static void note(void *ctx, unsigned worker)
{
	(void)ctx;
	for (uint64_t i = 0; i < EACH; i++) {
		uint64_t record = i * THREADS + worker;
		struct tfr_counted_class class = class_of((int64_t)(record % CLASSES));

		if (tfr_strata_note(strata, worker, &class, hash_of(record), NULL))
			abort();
	}
}

static void ask(void *ctx, unsigned worker)
{
	(void)ctx;
	for (uint64_t i = 0; i < EACH; i++) {
		uint64_t record = i * THREADS + worker;
		struct tfr_counted_class class = class_of((int64_t)(record % CLASSES));
		uint32_t number = tfr_classes_find(tfr_strata_classes(strata), &class);

		__atomic_fetch_add(&received[tfr_strata_choose(strata, number, hash_of(record))], 1,
			__ATOMIC_RELAXED);
	}
}

int main(void)
{
	struct tfr_spill_folders folders = { (const char *const[]){ "/tmp" }, 1, NULL };
	struct tfr_share shares[] = { { "a", 0.5 }, { "b", 0.25 } };
	uint64_t wanted[3] = { 0 };

	strata = tfr_strata_new(shares, 2, THREADS, 1, &folders);
	tfr_threads_run(THREADS, note, NULL);
	if (tfr_strata_draw(strata, NULL))
		abort();
	tfr_threads_run(THREADS, ask, NULL);
	for (size_t c = 0; c < tfr_strata_classes(strata)->n; c++)
		for (size_t i = 0; i < 3; i++)
			wanted[i] += tfr_strata_wanted(
				strata, tfr_strata_classes(strata)->items[c].records, i);
	for (size_t i = 0; i < 3; i++)
		if (received[i] != wanted[i]) {
			printf("set %zu received %llu, not %llu\n", i,
				(unsigned long long)received[i], (unsigned long long)wanted[i]);
			return 1;
		}
	tfr_strata_free(strata);
	puts("exact");
	return 0;
}
