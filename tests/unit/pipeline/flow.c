/* Lists of stages in every order: the contents of batches depend only on the files, the list and
 * the seed, and are those that the stages describe. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/transfer/buffers.h"
#include "support/temp.h"
#include "unit/pipeline/made.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(flow, .init = setup, .fini = teardown, .timeout = 120);

static void expect_same(const struct run *a, const struct run *b, const char *list)
{
	cr_assert_eq(a->end, b->end, "%s: %s", list, b->err.message);
	cr_assert_eq(a->batches, b->batches, "%s: %u and %u batches", list, a->batches, b->batches);
	for (unsigned i = 0; i < a->batches; i++) {
		cr_assert_eq(a->records[i], b->records[i], "%s: records of batch %u", list, i);
		cr_assert_eq(a->epochs[i], b->epochs[i], "%s: epoch of batch %u", list, i);
		cr_assert_eq(a->hashes[i], b->hashes[i], "%s: batch %u", list, i);
	}
}

/* Over workers, memory, devices and what travels together. */
static void expect_invariant(struct tfr_pipeline_opts opts, uint64_t records)
{
	static const unsigned threads[] = { 1, 2, 3, 8 };
	const char *const paths[] = { "p-*", NULL };
	struct run *first = malloc(sizeof(*first)), *run = malloc(sizeof(*run));

	opts.threads = 1;
	run_feed_on(first, "p-*", opts);
	cr_assert_eq(first->end, TFR_END, "%s: %s", opts.stages, first->err.message);
	cr_assert_eq(first->stats.records, records, "%s: %llu", opts.stages,
		(unsigned long long)first->stats.records);
	for (unsigned i = 0; i < 4; i++) {
		opts.threads = threads[i];
		opts.memory = i % 2 ? 0 : 64 << 20;
		run_feed_on(run, "p-*", opts);
		expect_same(first, run, opts.stages);
	}
	opts.verify = true;
	run_feed_over(run, paths, "sim:1G,1ms,3", opts, 0);
	expect_same(first, run, opts.stages);
	opts.memory = 0;
	opts.no_overlap = opts.pageable = true;
	opts.steps_per_transfer = 3;
	run_feed_over(run, paths, "sim:4G,1us,2", opts, 0);
	if (run->end != TFR_ENOMEM) /* features may not fit their part of a transfer */
		expect_same(first, run, opts.stages);
	free(first);
	free(run);
}

enum { FILES = 3, EACH = 17, ALL = FILES * EACH };

Test(flow, is_the_same_for_any_workers_memory_and_devices)
{
	static const struct {
		const char *list;
		unsigned copies;
	} cases[] = {
		{ "read=2:3,parse,decode,resize=16,shuffle=9,batch=7,upload", 1 },
		{ "read=2,parse,shuffle=20,decode,five-crop=20,mirror,normalise,batch=16,upload",
			10 },
		{ "read=2,parse,decode,five-crop=20,mirror,shuffle=100,normalise,batch=16,"
		  "upload",
			10 },
		{ "read=3,parse,decode,random-crop=20*5,shuffle=50,flip,normalise,chw,batch=8,"
		  "upload",
			5 },
		{ "read=3,parse,cache,shuffle=10,decode,random-resized-crop=16,flip,batch=8,upload",
			1 },
		{ "read=3,shuffle=8,parse,cache,decode,random-resized-crop=16,batch=8,upload", 1 },
		{ "read=3,parse,decode,resize=20,cache,random-crop=16,flip,shuffle=12,normalise,"
		  "batch=8,upload",
			1 },
		{ "read=3,prefetch=5,parse,prefetch=30,shuffle=7,prefetch=3,decode,resize=16,"
		  "batch=8,prefetch=2,upload",
			1 },
		{ "read=2,batch=6,upload", 1 },
		{ "read=2,shuffle=30,batch=6,upload", 1 },
	};
	struct tfr_pipeline_opts opts = { .epochs = 3, .seed = 7 };

	make_images("p", FILES, EACH, -1, -1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		opts.stages = cases[i].list;
		opts.shuffle_files = i % 2;
		expect_invariant(opts, 3 * ALL * cases[i].copies);
	}
}

Test(flow, filters_before_batches_are_made)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,filter,shuffle=8,decode,resize=8,batch=4,upload",
		.where = "image/class/label < 10",
		.epochs = 2,
	};
	struct run run;

	make_images("p", FILES, EACH, -1, -1);
	expect_invariant(opts, 20);
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.batches, 6);
	cr_assert_eq(run.records[2], 2);
	/* A filter that nothing passes ends the feed, though it has epochs without end. */
	opts.where = "image/class/label < 0";
	opts.epochs = 0;
	for (opts.threads = 1; opts.threads < 4; opts.threads++) {
		opts.stages = "read,parse,filter,shuffle=8,decode,resize=8,batch=4,upload";
		run_feed_on(&run, "p-*", opts);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.batches, 0);
		opts.stages = "read,shuffle=8,cache,parse,filter,batch=4,upload";
		run_feed_on(&run, "p-*", opts);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	}
}

Test(flow, has_features_beside_their_images)
{
	const struct tfr_batch_feature label = {
		.name = "image/class/label", .kind = TFR_KIND_INT64, .count = 1
	};
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,shuffle=8,decode,five-crop=20,batch=10,upload",
		.features = &label,
		.feature_count = 1,
		.epochs = 1,
	};
	const char *const paths[] = { "p-*" };
	struct tfr_pipeline *p;
	struct tfr_device *dev;
	struct tfr_batch batch;
	struct tfr_set *set;
	bool seen[ALL] = { false };
	unsigned count = 0;

	make_images("p", FILES, EACH, -1, -1);
	expect_invariant(opts, 5 * ALL);
	set = open_set(paths, 1);
	cr_assert_eq(tfr_device_open(&dev, "host", NULL), TFR_OK);
	opts.set = set;
	opts.devices = &dev;
	opts.device_count = 1;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK);
	while (tfr_pipeline_next(p, &batch, NULL) == TFR_OK) {
		const struct tfr_tensor *t = &batch.tensors[1];
		const int64_t *labels = t->data;

		cr_assert_eq(batch.tensor_count, 2);
		cr_assert_str_eq(t->name, "image/class/label");
		cr_assert_eq(t->offset % 64, 0);
		for (uint32_t i = 0; i < batch.records; i++, count++) {
			cr_assert_eq(labels[i], labels[i - i % 5]);
			seen[labels[i]] = true;
		}
		tfr_pipeline_release(p, &batch);
	}
	cr_assert_eq(count, 5 * ALL);
	for (unsigned i = 0; i < ALL; i++)
		cr_assert(seen[i], "label %u", i);
	tfr_pipeline_close(p);
	tfr_device_close(dev);
	tfr_set_close(set);
	/* After a shuffle of pixels there are no records any more. */
	opts.stages = "read,parse,decode,resize=8,shuffle=8,batch=10,upload";
	struct run run;
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.end, TFR_EUSAGE);
}

Test(flow, leaves_out_a_record_without_the_features)
{
	const struct tfr_batch_feature features[] = {
		{ .name = "image/class/label", .kind = TFR_KIND_INT64, .count = 1 },
		{ .name = "image/encoded", .kind = TFR_KIND_BYTES, .count = 1, .copy = true },
	};
	struct tfr_pipeline_opts opts = {
		.stages = "read=1,parse,batch=4,upload",
		.features = features,
		.feature_count = 2,
		.epochs = 1,
		.skip_bad = true,
	};
	struct run run;

	make_images("p", 1, 10, -1, 5);
	for (opts.threads = 1; opts.threads < 4; opts.threads++) {
		run_feed_on(&run, "p-*", opts);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.batches, 3);
		cr_assert_eq(run.records[1], 3);
		cr_assert_eq(run.stats.skipped, 1);
		cr_assert_not_null(
			strstr(run.first_skipped, "in 'p-0', record 5, "), "%s", run.first_skipped);
	}
	opts.skip_bad = false;
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_eq(run.err.record, 5);
}

/* 17 ragged features: one transfer for each batch, and every value in its row. */
Test(flow, sends_17_sparse_features_at_once)
{
	struct tfr_batch_feature features[17];
	char names[17][8];
	struct tfr_pipeline_opts opts = { .stages = "read=1,parse,batch=8,upload",
		.features = features,
		.feature_count = 17,
		.epochs = 1 };
	const char *const paths[] = { "s" };
	struct tfr_pipeline_stats *st = calloc(1, sizeof(*st));
	struct tfr_pipeline *p;
	struct tfr_device *dev;
	struct tfr_batch batch;
	struct tfr_set *set;
	int64_t record = 0;

	for (unsigned i = 0; i < 17; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02u", i);
		features[i] = (struct tfr_batch_feature){
			.name = names[i], .kind = TFR_KIND_INT64, .layout = TFR_RAGGED
		};
	}
	make_sparse("s", 100);
	set = open_set(paths, 1);
	cr_assert_eq(tfr_device_open(&dev, "host", NULL), TFR_OK);
	opts.set = set;
	opts.devices = &dev;
	opts.device_count = 1;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK);
	while (tfr_pipeline_next(p, &batch, NULL) == TFR_OK) {
		cr_assert_eq(batch.tensor_count, 34);
		for (unsigned f = 0; f < 17; f++) {
			const int64_t *values = batch.tensors[2 * f].data;
			const int64_t *splits = batch.tensors[2 * f + 1].data;

			for (uint32_t r = 0; r < batch.records; r++) {
				cr_assert_eq(splits[r + 1] - splits[r], (record + r + f) % 4);
				for (int64_t k = splits[r]; k < splits[r + 1]; k++)
					cr_assert_eq(values[k], 1000 * (record + r) + f);
			}
		}
		record += batch.records;
		tfr_pipeline_release(p, &batch);
	}
	cr_assert_eq(record, 100);
	tfr_pipeline_stats(p, st);
	cr_assert_eq(st->stages[st->stage_count - 2].items, 13);
	cr_assert_str_eq(st->stages[st->stage_count - 2].name, "upload");
	tfr_pipeline_close(p);
	tfr_device_close(dev);
	tfr_set_close(set);
	free(st);
}

static unsigned sum_of(const uint8_t *p, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}

/* How often neighbours in a batch are of one record, of all pairs of neighbours. */
static double neighbours(const char *list)
{
	const char *const paths[] = { "p-*" };
	struct tfr_pipeline_opts opts = { .stages = list, .epochs = 1, .seed = 3 };
	struct tfr_pipeline *p;
	struct tfr_device *dev;
	struct tfr_batch batch;
	struct tfr_set *set = open_set(paths, 1);
	unsigned pairs = 0, alike = 0;

	cr_assert_eq(tfr_device_open(&dev, "host", NULL), TFR_OK);
	opts.set = set;
	opts.devices = &dev;
	opts.device_count = 1;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK);
	while (tfr_pipeline_next(p, &batch, NULL) == TFR_OK) {
		const uint8_t *pixels = batch.memory;
		size_t one = batch.bytes / batch.records;

		/* An image and its mirror image have the same sum. */
		for (uint32_t i = 1; i < batch.records; i++, pairs++)
			alike += sum_of(pixels + i * one, one) ==
				 sum_of(pixels + (i - 1) * one, one);
		tfr_pipeline_release(p, &batch);
	}
	tfr_pipeline_close(p);
	tfr_device_close(dev);
	tfr_set_close(set);
	return (double)alike / pairs;
}

/* Five crops and their mirror images are neighbours until a shuffle after them separates them. */
Test(flow, decorrelates_crops_by_a_shuffle_behind_them)
{
	double before, behind;

	make_images("p", FILES, EACH, -1, -1);
	before = neighbours("read,parse,shuffle=51,decode,centre-crop=8,cast=uint8,mirror,batch=32,"
			    "upload");
	behind = neighbours("read,parse,decode,centre-crop=8,cast=uint8,mirror,shuffle=102,"
			    "batch=32,upload");
	cr_assert_gt(before, 2 * behind + 0.1, "%g and %g", before, behind);
}

/* The second epoch comes from the cache: the files may be gone. */
Test(flow, reads_files_once_where_there_is_a_cache)
{
	static const char *const lists[] = {
		"read,parse,cache,decode,resize=8,batch=4,upload",
		"read,parse,decode,resize=8,cache,batch=4,upload",
	};
	struct tfr_pipeline_opts opts = { .epochs = 5 };
	struct run run;

	make_images("p", FILES, EACH, -1, -1);
	for (unsigned i = 0; i < 2; i++) {
		opts.stages = lists[i];
		run_feed_on(&run, "p-*", opts);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.stats.records, 5 * ALL);
		cr_assert_eq(run.stats.epochs, 5);
		cr_assert_eq(run.stats.stages[0].items, ALL, "read more than once");
		cr_assert_gt(run.stats.later_epochs_records_per_second, 0);
	}
	/* A cache that cannot fit is refused before the run. */
	opts.stages = "read=1,cache,batch=4,upload";
	opts.memory = 40 << 20;
	make_large("p-large", 40, 1 << 20);
	run_feed_on(&run, "p-large", opts);
	cr_assert_eq(run.end, TFR_ENOMEM);
	cr_assert_not_null(strstr(run.err.message, "cache "), "%s", run.err.message);
	cr_assert_not_null(strstr(tfr_error_hint_text(&run.err), "'cache'"), "%s",
		tfr_error_hint_text(&run.err));
}

/* A list may end anywhere: what leaves its last stage is counted. */
Test(flow, drops_what_leaves_the_last_stage)
{
	static const char *const lists[] = { "read", "read,parse", "read,shuffle=10",
		"read,parse,cache", "read,parse,shuffle=20,decode",
		"read,parse,decode,random-crop=8*3", "read,parse,decode,resize=8,batch=10" };
	struct tfr_pipeline_opts opts = { .epochs = 2 };
	struct run run;

	make_images("p", FILES, EACH, -1, -1);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (opts.threads = 1; opts.threads < 4; opts.threads++) {
			opts.stages = lists[i];
			run_feed_on(&run, "p-*", opts);
			cr_assert_eq(run.end, TFR_END, "%s: %s", lists[i], run.err.message);
			cr_assert_eq(run.stats.records, 2 * ALL * (i == 5 ? 3 : 1), "%s: %llu",
				lists[i], (unsigned long long)run.stats.records);
			cr_assert_eq(run.stats.device_bytes, 0);
			cr_assert_eq(run.stats.epochs, 2);
		}
}

Test(flow, normalises_on_the_device)
{
	const char *const paths[] = { "p-*", NULL };
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,decode,centre-crop=16,flip,normalise=0.5/0.4/0.3:0.2/0.2/"
			  "0.2,batch=8,"
			  "upload",
		.epochs = 1,
		.normalise_on_device = true,
		.verify = true,
	};
	struct run run;

	make_images("p", FILES, EACH, -1, -1);
	for (opts.steps_per_transfer = 1; opts.steps_per_transfer < 4; opts.steps_per_transfer++) {
		run_feed_over(&run, paths, "sim:1G,1us,2", opts, 0);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.stats.records, ALL);
		cr_assert_eq(run.stats.device_bytes, ALL * 16 * 16 * 3);
	}
	opts.stages = "read,parse,decode,centre-crop=16,batch=8,upload";
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.end, TFR_EUSAGE);
}

Test(flow, shuffles_files_anew_every_epoch)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read=1,batch=17,upload", .epochs = 6, .shuffle_files = true
	};
	struct run run;
	bool moved = false;

	make_images("p", 6, 17, -1, -1);
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.batches, 36);
	for (unsigned i = 6; i < 36; i++)
		moved |= run.hashes[i] != run.hashes[i % 6];
	cr_assert(moved);
	for (unsigned e = 0; e < 6; e++) /* each file once an epoch */
		for (unsigned i = 0; i < 6; i++)
			for (unsigned k = 0; k < i; k++)
				cr_assert_neq(run.hashes[6 * e + i], run.hashes[6 * e + k]);
}

Test(flow, inflates_in_a_row_of_its_own)
{
	struct tfr_pipeline_opts opts = { .stages = "read,batch=8,upload", .epochs = 2 };
	struct tfr_writer *w;
	struct run run;

	cr_assert_eq(tfr_writer_open(&w, "z.gz", NULL, NULL), TFR_OK);
	for (int i = 0; i < 5000; i++)
		cr_assert_eq(tfr_writer_put(w, "a payload of some length", 24, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	run_feed_on(&run, "z.gz", opts);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_str_eq(run.stats.stages[1].name, "inflate");
	cr_assert_eq(run.stats.stages[1].items, 10000);
	cr_assert_gt(run.stats.stages[1].busy, 0);
	cr_assert_eq(run.stats.stages[0].items, 10000);
}

/* A mask goes with its image, whatever becomes of both. */
Test(flow, has_masks_beside_their_images)
{
	static const char *const lists[] = {
		"read,parse,shuffle=9,decode=masks,random-crop=17*2,mirror,cast=uint8,batch=12,"
		"upload",
		"read,parse,decode=masks,random-crop=17*2,mirror,shuffle=30,cast=uint8,batch=12,"
		"upload",
		"read,parse,decode=masks,resize=19x17,cache,random-crop=17*4,cast=uint8,batch="
		"12,"
		"upload",
	};
	const char *const paths[] = { "p-0" };
	struct tfr_pipeline_opts opts = { .epochs = 2 };
	struct tfr_device *dev;
	struct tfr_set *set;

	make_pairs("p-0", 31);
	set = open_set(paths, 1);
	cr_assert_eq(tfr_device_open(&dev, "host", NULL), TFR_OK);
	for (unsigned i = 0; i < 3; i++) {
		struct tfr_pipeline *p;
		struct tfr_batch batch;
		unsigned count = 0;

		opts.stages = lists[i];
		opts.set = set;
		opts.devices = &dev;
		opts.device_count = 1;
		cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK, "%s", lists[i]);
		while (tfr_pipeline_next(p, &batch, NULL) == TFR_OK) {
			const uint8_t *images = batch.tensors[0].data;
			const uint8_t *masks = batch.tensors[1].data;

			cr_assert_eq(batch.tensor_count, 2);
			cr_assert_str_eq(batch.tensors[1].name, "mask");
			cr_assert_eq(batch.tensors[1].shape[3], 1);
			for (uint32_t k = 0; k < batch.records; k++, count++)
				for (unsigned px = 0; px < 17 * 17; px++) {
					cr_assert_eq(masks[k * 17 * 17 + px], masks[k * 17 * 17]);
					cr_assert_eq(
						images[3 * (k * 17 * 17 + px)], masks[k * 17 * 17]);
				}
			tfr_pipeline_release(p, &batch);
		}
		cr_assert_eq(count, 2 * 31 * 4);
		tfr_pipeline_close(p);
		expect_invariant(opts, 2 * 31 * 4);
	}
	tfr_device_close(dev);
	tfr_set_close(set);
}

/* A writer that stops in the middle. */
Test(flow, ends_where_nothing_moves_any_more)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,batch=8,upload", .epochs = 1, .stall_timeout = 0.5
	};
	char *bytes = malloc(1 << 20);
	struct run run;
	size_t size;
	FILE *f;
	int fd;

	make_payloads("whole", 100);
	f = fopen("whole", "rb");
	size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	cr_assert_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	cr_assert_eq(write(fd, bytes, size / 2), (ssize_t)size / 2);
	run_feed_on(&run, "pipe", opts);
	cr_assert_eq(run.end, TFR_ESYS, "%s", run.err.message);
	cr_assert_not_null(strstr(run.err.message, "'read'"), "%s", run.err.message);
	cr_assert_gt(run.batches, 3);
	close(fd);
	free(bytes);
}

/* A link that takes hours for a batch: it is named, and the feed can be closed. */
Test(flow, ends_where_the_link_hangs)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,batch=100,upload", .epochs = 1, .stall_timeout = 0.5
	};
	const char *const paths[] = { "large", NULL };
	struct run run;

	make_large("large", 300, 100000);
	run_feed_blind(&run, paths, "sim:1000,0,2", opts, 0);
	cr_assert_eq(run.end, TFR_ESYS, "%s", run.err.message);
	cr_assert_not_null(
		strstr(run.err.message, "stage 'upload' waits for sim:1000,0#0 to take batch 0"),
		"%s", run.err.message);
	cr_assert_eq(run.batches, 0);
	opts.verify = true;
	run_feed_blind(&run, paths, "sim:1000,0", opts, 0);
	cr_assert_eq(run.end, TFR_ESYS, "%s", run.err.message);
}

/* An upload that differs is reported with batch, device and byte. */
Test(flow, names_the_byte_that_did_not_arrive)
{
	const struct tfr_settings settings = { .opts = { .steps_per_transfer = 1 } };
	struct tfr_transfer transfer = { .settings = &settings, .layout = { .stride = 64 } };
	uint8_t sent[64] = { 1, 2, 3 }, check[64];
	struct tfr_uploader l = {
		.transfer = &transfer, .check = check, .check_capacity = sizeof(check)
	};
	struct tfr_staged_batch f = {
		.state = STAGED_READY, .number = 7, .records = 1, .used = 64
	};
	struct tfr_staging_buffer b = { .memory = sent, .batches = &f, .bytes = 64 };
	struct tfr_device_buffer t = { 0 };
	struct tfr_event *ev;
	struct tfr_error err;
	void *memory;

	cr_assert_eq(tfr_device_open(&l.device, "host", NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(l.device, TFR_MEMORY_DEVICE, 64, &memory, NULL), TFR_OK);
	cr_assert_eq(tfr_event_new(&ev, l.device, NULL), TFR_OK);
	cr_assert_eq(tfr_device_upload(l.device, memory, sent, 64, ev, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(ev, NULL, NULL), TFR_OK);
	t.memory = memory;
	cr_assert_eq(tfr_uploader_verify(&l, &b, &t, &err), TFR_OK);
	sent[41] ^= 1;
	cr_assert_eq(tfr_uploader_verify(&l, &b, &t, &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "batch 7 on host is not what was sent: byte 41 differs");
	tfr_event_free(ev);
	tfr_device_free(l.device, TFR_MEMORY_DEVICE, memory);
	tfr_device_close(l.device);
}

/* No process ever writes to the pipe. */
Test(flow, ends_where_nothing_moves)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,batch=8,upload", .epochs = 1, .stall_timeout = 0.3
	};
	struct run run;

	cr_assert_eq(mkfifo("pipe", 0600), 0);
	run_feed_on(&run, "pipe", opts);
	cr_assert_eq(run.end, TFR_ESYS, "%s", run.err.message);
	cr_assert_not_null(
		strstr(run.err.message, "nothing moved for 0.3 s"), "%s", run.err.message);
	cr_assert_not_null(strstr(run.err.message, "'read'"), "%s", run.err.message);
	cr_assert_str_eq(tfr_error_path(&run.err), "pipe");
}

static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t traced_pieces[TFR_STAGES_MAX];
static bool traced_backwards;

static void note_trace(void *ctx, const struct tfr_trace *piece)
{
	(void)ctx;
	pthread_mutex_lock(&trace_lock);
	traced_pieces[piece->stage]++;
	traced_backwards |= piece->end < piece->start;
	pthread_mutex_unlock(&trace_lock);
}

Test(flow, is_traced_piece_by_piece)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,shuffle=10,decode,resize=8,batch=10,upload",
		.epochs = 1,
		.traced = note_trace,
	};
	struct run run;

	make_images("p", FILES, EACH, -1, -1);
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.end, TFR_END);
	cr_assert_not(traced_backwards);
	for (unsigned i = 0; i < 7; i++)
		cr_assert_eq(traced_pieces[i] > 0, i != 5 /* completes itself */, "stage %u", i);
	cr_assert_eq(traced_pieces[3], ALL);
	cr_assert_eq(traced_pieces[6], 6);
}
