/* Feeds of every shape, one after another: made for ThreadSanitizer, and to find what only happens
 * now and then, such as a wake-up that is missed.
 *
 *   stress-pipeline PICTURES.tfrecord [ROUNDS]
 *
 * Options are drawn at random, seeded.  Each feed must deliver every record of every epoch, and
 * batch after batch the same as a feed with one worker did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr/tfr.h>

#include "base/rng.h"

enum { HASHES = 4096, STUCK_SECONDS = 60 };

static void check(bool ok, const char *what, const struct tfr_error *err)
{
	if (ok)
		return;
	fprintf(stderr, "stress pipeline: %s: %s\n", what, err ? err->message : "");
	_Exit(1);
}

static uint64_t sum_of(const unsigned char *p, size_t n)
{
	uint64_t sum = n;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + p[i];
	return sum;
}

/* Runs a feed; returns the records delivered, the batches' sums in `sums`. */
static uint64_t feed(
	struct tfr_pipeline_opts opts, const char *spec, uint64_t *sums, unsigned *batches)
{
	struct tfr_error err = { 0 };
	struct tfr_pipeline_stats stats;
	struct tfr_pipeline *p;
	struct tfr_batch batch;
	enum tfr_status status;

	check(tfr_device_open(&opts.device, spec, &err) == TFR_OK, spec, &err);
	check(tfr_pipeline_open(&p, &opts, &err) == TFR_OK, "open", &err);
	*batches = 0;
	while ((status = tfr_pipeline_next(p, &batch, &err)) == TFR_OK) {
		unsigned char *copy = malloc(batch.bytes);

		tfr_device_download(opts.device, copy, batch.memory, batch.bytes, NULL);
		if (*batches < HASHES)
			sums[*batches] = sum_of(copy, batch.bytes);
		++*batches;
		free(copy);
		tfr_pipeline_release(p, &batch);
	}
	check(status == TFR_END, "end", &err);
	tfr_pipeline_stats(p, &stats);
	tfr_pipeline_close(p);
	tfr_device_close(opts.device);
	return stats.records + stats.skipped;
}

static void round_of(struct tfr_rng *rng, const char *const *paths, const uint64_t *records)
{
	static const char *const devices[] = { "host", "sim:1G,20us", "cuda:0" };
	static uint64_t expected[HASHES], sums[HASHES];
	uint64_t which = tfr_rng_below(rng, 2);
	const char *const inputs[] = { paths[which], paths[which], paths[which] };
	struct tfr_pipeline_opts opts = {
		.cycle_length = 1 + (uint32_t)tfr_rng_below(rng, 4),
		.block_length = 1 + (uint32_t)tfr_rng_below(rng, 3),
		.shuffle = tfr_rng_below(rng, 40),
		.batch = 1 + (uint32_t)tfr_rng_below(rng, 20),
		.width = 8 + (uint32_t)tfr_rng_below(rng, 8),
		.epochs = 1 + tfr_rng_below(rng, 6),
		.seed = tfr_rng_u32(rng),
		.threads = 1,
		.skip_bad = true,
	};
	unsigned batches, again;
	struct tfr_set *set;

	check(tfr_set_open(&set,
		      &(struct tfr_set_opts){
			      .inputs = inputs, .count = 1 + tfr_rng_below(rng, 3) },
		      NULL) == TFR_OK,
		"set", NULL);
	opts.set = set;
	alarm(STUCK_SECONDS);
	check(feed(opts, "host", expected, &batches) ==
			opts.epochs * tfr_set_count(set) * records[which],
		"records", NULL);
	opts.threads = 1 + (unsigned)tfr_rng_below(rng, 5);
	opts.prefetch = 1 + (unsigned)tfr_rng_below(rng, 3);
	feed(opts, devices[tfr_rng_below(rng, 3)], sums, &again);
	check(again == batches &&
			memcmp(sums, expected,
				(batches < HASHES ? batches : HASHES) * sizeof(*sums)) == 0,
		"batches differ", NULL);
	tfr_set_close(set);
}

static uint64_t make_payloads(const char *path)
{
	struct tfr_writer *w;

	check(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL) == TFR_OK,
		path, NULL);
	for (unsigned i = 0; i < 100; i++)
		check(tfr_writer_put(w, &i, sizeof(i), NULL) == TFR_OK, path, NULL);
	check(tfr_writer_publish(w, NULL) == TFR_OK, path, NULL);
	tfr_writer_close(w);
	return 100;
}

int main(int argc, char **argv)
{
	char payloads[] = "/tmp/tfr-stress-XXXXXX";
	const char *const paths[] = { argv[1], payloads };
	uint64_t records[2];
	int rounds = argc > 2 ? atoi(argv[2]) : 100, fd = mkstemp(payloads);
	struct tfr_rng rng;

	check(argc > 1 && fd >= 0, "usage: stress-pipeline PICTURES [ROUNDS]", NULL);
	close(fd);
	check(tfr_count_records(argv[1], NULL, &records[0], NULL) == TFR_OK, argv[1], NULL);
	records[1] = make_payloads(payloads);
	tfr_rng_init(&rng, 1, 0);
	for (int i = 0; i < rounds; i++)
		round_of(&rng, paths, records);
	unlink(payloads);
	return 0;
}
