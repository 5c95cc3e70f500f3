/* Feeds of every shape, one after another: made for ThreadSanitizer, and to find what only happens
 * now and then, such as a wake-up that is missed.
 *
 *   stress-pipeline IMAGES.tfrecord [ROUNDS]
 *
 * Lists of stages and options are drawn at random, seeded.  Each feed must deliver every record of
 * every epoch, and batch after batch the same as a feed with one worker did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/tfr.h>

#include "base/rng.h"
#include "fake_cuda.h"

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
	struct tfr_device **devices;
	struct tfr_pipeline *p;
	struct tfr_batch batch;
	enum tfr_status status;

	check(tfr_devices_open(&devices, &opts.device_count, spec, &err) == TFR_OK, spec, &err);
	opts.devices = devices;
	check(tfr_pipeline_open(&p, &opts, &err) == TFR_OK, "open", &err);
	*batches = 0;
	while ((status = tfr_pipeline_next(p, &batch, &err)) == TFR_OK) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < batch.tensor_count; i++) {
			const struct tfr_tensor *t = &batch.tensors[i];
			size_t size = t->shape[0] * (size_t)t->strides[0];
			unsigned char *copy = malloc(size + 1);

			tfr_device_download(devices[batch.device], copy, t->data, size, NULL);
			sum = sum * 31 + sum_of(copy, size);
			free(copy);
		}
		if (*batches < HASHES)
			sums[*batches] = sum;
		++*batches;
		tfr_pipeline_release(p, &batch);
	}
	check(status == TFR_END, "end", &err);
	tfr_pipeline_stats(p, &stats);
	tfr_pipeline_close(p);
	tfr_devices_close(devices, opts.device_count);
	return stats.records + stats.skipped;
}

/* A list of stages drawn at random; `factor` is how many images become of a record. */
static void draw_list(struct tfr_rng *rng, bool images, char *list, size_t size, uint64_t *factor)
{
	static const char *const crops[] = { "random-resized-crop", "resize", "centre-crop" };
	unsigned shuffle = 2 * (unsigned)tfr_rng_below(rng, 20),
		 where = (unsigned)tfr_rng_below(rng, 3);
	unsigned side = 8 + (unsigned)tfr_rng_below(rng, 8);
	char mix[40] = "", text[100] = "";

	*factor = 1;
	if (shuffle)
		snprintf(mix, sizeof(mix), "shuffle=%u,", shuffle);
	if (images && tfr_rng_below(rng, 2)) {
		*factor = 2;
		strcpy(text, "mirror,");
	}
	int n = snprintf(list, size, "read=%u:%u,%s%s%s", 1 + (unsigned)tfr_rng_below(rng, 4),
		1 + (unsigned)tfr_rng_below(rng, 3), where == 0 ? mix : "",
		images || tfr_rng_below(rng, 2) ? "parse," : "",
		tfr_rng_below(rng, 3) ? "" : "prefetch=5,");
	if (tfr_rng_below(rng, 3) == 0)
		n += snprintf(list + n, size - (size_t)n, "cache,");
	n += snprintf(list + n, size - (size_t)n, "%s", where == 1 ? mix : "");
	if (images)
		n += snprintf(list + n, size - (size_t)n, "decode,%s=%u,%sflip,%snormalise,",
			crops[tfr_rng_below(rng, 3)], side, text, where == 2 ? mix : "");
	snprintf(list + n, size - (size_t)n, "batch=%u,", 1 + (unsigned)tfr_rng_below(rng, 20));
}

static void round_of(struct tfr_rng *rng, const char *const *paths, const uint64_t *records)
{
	static const char *const devices[] = { "host", "cuda:0,1", "cuda:0", "sim:1G,20us,3" };
	static uint64_t expected[HASHES], sums[HASHES];
	uint64_t which = tfr_rng_below(rng, 3), factor;
	const char *const inputs[] = { paths[which], paths[which], paths[which] };
	struct tfr_pipeline_opts opts = {
		.epochs = 1 + tfr_rng_below(rng, 6),
		.seed = tfr_rng_u32(rng),
		.shuffle_files = tfr_rng_below(rng, 2),
		.threads = 1,
		.skip_bad = true,
		.normalise_on_device = which == 0 && tfr_rng_below(rng, 2),
	};
	const struct tfr_batch_feature features[] = {
		{ .name = "number", .kind = TFR_KIND_INT64, .count = 1 },
		{ .name = "some", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED },
	};
	char list[300], prefetched[340];
	unsigned batches, again;
	struct tfr_set *set;

	check(tfr_set_open(&set,
		      &(struct tfr_set_opts){
			      .inputs = inputs, .count = 1 + tfr_rng_below(rng, 3) },
		      NULL) == TFR_OK,
		"set", NULL);
	draw_list(rng, which == 0, list, sizeof(list), &factor);
	snprintf(prefetched, sizeof(prefetched), "%sprefetch=%u,upload", list,
		1 + (unsigned)tfr_rng_below(rng, 3));
	strcat(list, "upload");
	if (which == 1 && tfr_rng_below(rng, 2)) {
		opts.features = features;
		opts.feature_count = 2;
	}
	opts.set = set;
	opts.stages = list;
	alarm(STUCK_SECONDS);
	check(feed(opts, "host", expected, &batches) ==
			opts.epochs * tfr_set_count(set) * records[which] * factor,
		list, NULL);
	opts.threads = 1 + (unsigned)tfr_rng_below(rng, 5);
	opts.stages = prefetched;
	opts.steps_per_transfer = 1 + (unsigned)tfr_rng_below(rng, 2) * (which == 0) * 2;
	opts.no_overlap = tfr_rng_below(rng, 4) == 0;
	opts.verify = tfr_rng_below(rng, 2);
	opts.pageable = tfr_rng_below(rng, 4) == 0;
	feed(opts, devices[tfr_rng_below(rng, 4)], sums, &again);
	check(again == batches &&
			memcmp(sums, expected,
				(batches < HASHES ? batches : HASHES) * sizeof(*sums)) == 0,
		list, NULL);
	tfr_set_close(set);
}

/* The records have up to `pad` bytes more. */
static uint64_t make_payloads(const char *path, unsigned count, size_t pad)
{
	struct tfr_builder *b = tfr_builder_new();
	uint8_t *padding = calloc(1, pad + 1);
	const uint8_t *record;
	struct tfr_writer *w;
	size_t size;

	check(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL) == TFR_OK,
		path, NULL);
	for (unsigned i = 0; i < count; i++) {
		struct tfr_bytes more = { padding, pad * (i % 7) / 6 };
		const int64_t values[] = { i, 2 * i, 3 * i, 4 * i };

		tfr_builder_reset(b);
		tfr_builder_int64(b, "number", i, NULL);
		tfr_builder_int64s(b, "some", values, i % 5, NULL);
		memset(padding, (int)i, pad);
		if (pad)
			tfr_builder_bytes(b, "padding", &more, 1, NULL);
		check(tfr_builder_flatten(b, &record, &size, NULL) == TFR_OK, path, NULL);
		check(tfr_writer_put(w, record, size, NULL) == TFR_OK, path, NULL);
	}
	tfr_builder_free(b);
	check(tfr_writer_publish(w, NULL) == TFR_OK, path, NULL);
	tfr_writer_close(w);
	free(padding);
	return count;
}

int main(int argc, char **argv)
{
	char payloads[] = "/tmp/tfr-stress-XXXXXX", large[] = "/tmp/tfr-stress-XXXXXX";
	const char *const paths[] = { argv[1], payloads, large };
	uint64_t records[3];
	int rounds = argc > 2 ? atoi(argv[2]) : 100, fd = mkstemp(payloads), other = mkstemp(large);
	struct tfr_rng rng;

	fake_cuda.devices = 2;
	check(argc > 1 && fd >= 0 && other >= 0, "usage: stress-pipeline IMAGES [ROUNDS]", NULL);
	close(fd);
	close(other);
	check(tfr_count_records(argv[1], NULL, &records[0], NULL) == TFR_OK, argv[1], NULL);
	records[1] = make_payloads(payloads, 100, 0);
	records[2] = make_payloads(large, 40, 90000);
	tfr_rng_init(&rng, 1, 0);
	for (int i = 0; i < rounds; i++)
		round_of(&rng, paths, records);
	unlink(payloads);
	unlink(large);
	check(fake_cuda_all_freed(), "something is left", NULL);
	return 0;
}
