/* The contents of batches: the same on every device, in TensorFlow's order. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

TestSuite(batches, .init = setup, .fini = teardown, .timeout = 120);

static void expect_same(const struct run *a, const struct run *b)
{
	cr_assert_eq(a->end, b->end);
	cr_assert_eq(a->batches, b->batches, "%u and %u batches", a->batches, b->batches);
	for (unsigned i = 0; i < a->batches; i++) {
		cr_assert_eq(a->records[i], b->records[i], "records of batch %u", i);
		cr_assert_eq(a->hashes[i], b->hashes[i], "batch %u", i);
	}
}

Test(batches, are_the_same_for_any_threads_memory_prefetch_and_device)
{
	static const char list[] =
		"read=3:2,parse,shuffle=40,decode,random-resized-crop=32x24,flip,"
		"normalise,batch=16,upload";
	struct tfr_pipeline_opts opts = { .stages = list, .epochs = 3, .seed = 5, .threads = 1 };
	const char *const paths[] = { "p-*", NULL };
	struct run *first = malloc(sizeof(*first)), *run = malloc(sizeof(*run));

	make_images("p", 4, 37, -1, -1);
	run_feed_on(first, "p-*", opts);
	cr_assert_eq(first->end, TFR_END, "%s", first->err.message);
	cr_assert_eq(first->batches, 3 * 10);
	cr_assert_neq(first->hashes[0], first->hashes[10], "epochs alike");
	for (opts.threads = 2; opts.threads <= 4; opts.threads += 2) {
		run_feed_on(run, "p-*", opts);
		expect_same(first, run);
	}
	opts.stages = "read=3:2,parse,shuffle=40,decode,random-resized-crop=32x24,flip,normalise,"
		      "batch=16,prefetch=1,upload";
	opts.memory = 64 << 20;
	run_feed_on(run, "p-*", opts);
	expect_same(first, run);
	run_feed_over(run, paths, "sim:1G,1ms", opts, 0);
	expect_same(first, run);
	opts.seed = 6;
	run_feed_on(run, "p-*", opts);
	cr_assert_neq(first->hashes[0], run->hashes[0], "seeds alike");
	free(first);
	free(run);
}

Test(batches, hold_the_images_in_their_places)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read=1,parse,decode,resize=20x16,batch=4,upload", .epochs = 1
	};
	const size_t floats = 20 * 16 * 3;
	struct tfr_decoder *decoder = tfr_decoder_new(NULL);
	struct tfr_resizer *resizer = tfr_resizer_new();
	struct tfr_example *ex = tfr_example_new();
	float *expected = malloc(4 * floats * sizeof(float)),
	      *got = malloc(4 * floats * sizeof(float));
	struct tfr_device *dev;
	struct tfr_pipeline *p;
	struct tfr_reader *r;
	struct tfr_record rec;
	struct tfr_batch batch;
	const char *const paths[] = { "p-0" };
	struct tfr_set *set;

	make_images("p", 1, 4, -1, -1);
	cr_assert_eq(tfr_reader_open(&r, "p-0", NULL, NULL), TFR_OK);
	for (int i = 0; tfr_reader_next(r, &rec, NULL) == TFR_OK; i++) {
		struct tfr_image image;
		struct tfr_bytes jpeg;

		tfr_example_parse(ex, rec.data, rec.size, NULL);
		tfr_feature_bytes(tfr_example_get(ex, "image/encoded"), 0, &jpeg);
		cr_assert_eq(
			tfr_decode(decoder, jpeg.data, jpeg.size, NULL, 3, &image, NULL), TFR_OK);
		tfr_resize_bilinear(resizer, &image, 20, 16, 0, expected + i * floats, NULL);
	}
	tfr_reader_close(r);
	set = open_set(paths, 1);
	cr_assert_eq(tfr_device_open(&dev, "host", NULL), TFR_OK);
	opts.set = set;
	opts.devices = &dev;
	opts.device_count = 1;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK);
	cr_assert_str_eq(
		tfr_pipeline_describe(p), "read=1:1,parse,decode,resize=20x16,batch=4,upload");
	cr_assert_eq(tfr_pipeline_next(p, &batch, NULL), TFR_OK);
	cr_assert_eq(batch.bytes, 4 * floats * sizeof(float));
	cr_assert_eq(batch.tensor_count, 1);
	cr_assert_str_eq(batch.tensors[0].name, "image");
	cr_assert_eq(batch.tensors[0].dtype, TFR_FLOAT32);
	cr_assert_eq(batch.tensors[0].rank, 4);
	cr_assert_arr_eq(batch.tensors[0].shape, ((uint64_t[]){ 4, 16, 20, 3 }), 32);
	cr_assert_arr_eq(batch.tensors[0].strides, ((int64_t[]){ 3840, 240, 12, 4 }), 32);
	cr_assert_eq(batch.tensors[0].data, batch.memory);
	cr_assert(tfr_event_done(batch.event));
	cr_assert_eq(tfr_device_download(dev, got, batch.memory, batch.bytes, NULL), TFR_OK);
	cr_assert_arr_eq(got, expected, batch.bytes);
	tfr_pipeline_release(p, &batch);
	cr_assert_eq(tfr_pipeline_next(p, &batch, NULL), TFR_END);
	tfr_pipeline_close(p);
	tfr_device_close(dev);
	tfr_set_close(set);
	tfr_example_free(ex);
	tfr_decoder_free(decoder);
	tfr_resizer_free(resizer);
	free(expected);
	free(got);
}

static void expect_records(const struct run *run, unsigned count, const uint32_t *records)
{
	cr_assert_eq(run->end, TFR_END, "%s", run->err.message);
	cr_assert_eq(run->batches, count);
	for (unsigned i = 0; i < count; i++)
		cr_assert_eq(run->records[i], records[i], "batch %u", i);
}

Test(batches, of_an_epoch_end_with_a_short_one)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,shuffle=100,decode,resize=8,batch=4,upload", .epochs = 2
	};
	struct run run;

	make_images("p", 2, 5, -1, -1);
	run_feed_on(&run, "p-*", opts);
	expect_records(&run, 6, (uint32_t[]){ 4, 4, 2, 4, 4, 2 });
	cr_assert_eq(run.epochs[2], 0);
	cr_assert_eq(run.epochs[3], 1);
	cr_assert_eq(run.stats.epochs, 2);
	cr_assert_eq(run.stats.records, 20);
	opts.drop_remainder = true;
	run_feed_on(&run, "p-*", opts);
	expect_records(&run, 4, (uint32_t[]){ 4, 4, 4, 4 });
	opts.drop_remainder = false;
	opts.epochs = 0;
	opts.steps = 5;
	run_feed_on(&run, "p-*", opts);
	expect_records(&run, 5, (uint32_t[]){ 4, 4, 2, 4, 4 });
}

/* The payloads of a run in order, each followed by a blank. */
static void expect_payloads(const char *const *paths, const char *stages, const char *expected)
{
	struct tfr_pipeline_opts opts = { .stages = stages };
	struct tfr_device *dev;
	struct tfr_pipeline *p;
	struct tfr_batch batch;
	struct tfr_set *set;
	char text[1000] = "";
	unsigned count = 0;

	while (paths[count])
		count++;
	set = open_set(paths, count);
	cr_assert_eq(tfr_device_open(&dev, "host", NULL), TFR_OK);
	opts.set = set;
	opts.devices = &dev;
	opts.device_count = 1;
	opts.epochs = 1;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK);
	while (tfr_pipeline_next(p, &batch, NULL) == TFR_OK) {
		const uint64_t *offsets = batch.memory;
		const char *bytes = (const char *)(offsets + batch.records + 1);

		for (uint32_t i = 0; i < batch.records; i++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*s ",
				(int)(offsets[i + 1] - offsets[i]), bytes + offsets[i]);
		tfr_pipeline_release(p, &batch);
	}
	cr_assert_str_eq(text, expected);
	tfr_pipeline_close(p);
	tfr_device_close(dev);
	tfr_set_close(set);
}

/* As TensorFlow's interleave gives them: b is empty and takes up one visit. */
Test(batches, of_payloads_come_in_interleaved_order)
{
	const char *const paths[] = { "a", "b", "c", "d", NULL };

	make_payloads("a", 3);
	make_payloads("b", 0);
	make_payloads("c", 2);
	make_payloads("d", 1);
	expect_payloads(paths, "read=1,batch=2,upload", "a:0 a:1 a:2 c:0 c:1 d:0 ");
	expect_payloads(paths, "read=2,batch=4,upload", "a:0 a:1 c:0 a:2 c:1 d:0 ");
	expect_payloads(paths, "read=2:2,batch=64,upload", "a:0 a:1 a:2 c:0 c:1 d:0 ");
	expect_payloads(paths, "read=9,batch=5,upload", "a:0 c:0 d:0 a:1 c:1 a:2 ");
}

Test(batches, of_payloads_larger_than_the_first_ones_grow)
{
	struct tfr_pipeline_opts opts = { .stages = "read=1,batch=8,upload", .epochs = 1 };
	char *large = calloc(1, 100000);
	struct tfr_writer *w;
	struct run run;

	cr_assert_eq(tfr_writer_open(&w, "grow", NULL, NULL), TFR_OK);
	for (int i = 0; i < 400; i++)
		cr_assert_eq(tfr_writer_put(w, large, i < 200 ? 10 : 100000, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	run_feed_on(&run, "grow", opts);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_eq(run.batches, 50);
	cr_assert_eq(run.stats.bytes, 200 * 10 + 200 * 100000);
	opts.memory = 24 << 20;
	opts.stages = "read=1,batch=400,upload";
	run_feed_on(&run, "grow", opts);
	cr_assert_eq(run.end, TFR_ENOMEM);
	free(large);
}

/* ---- batches larger than the plan ---- */

enum { FEW = 4, MANY = 3000, SMALL = 20000, GROWN = 64 };

/* Small records, which the plan is made of, then others with many more values; the values of
 * record r begin with its number. */
static void make_growing(const char *path, bool images, unsigned small)
{
	static int64_t values[MANY];
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_bytes jpeg = { NULL, 0 };
	struct tfr_example *ex = tfr_example_new();
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	const uint8_t *record;
	struct tfr_writer *w;
	size_t size;

	if (images) {
		make_images("one", 1, 1, -1, -1);
		cr_assert_eq(tfr_reader_open(&r, "one-0", NULL, NULL), TFR_OK);
		cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
		cr_assert_eq(tfr_example_parse(ex, rec.data, rec.size, NULL), TFR_OK);
		tfr_feature_bytes(tfr_example_get(ex, "image/encoded"), 0, &jpeg);
	}
	cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
	for (unsigned i = 0; i < small + GROWN; i++) {
		for (int k = 0; k < MANY; k++)
			values[k] = (int64_t)i * 10000 + k;
		tfr_builder_reset(b);
		if (images)
			tfr_builder_bytes(b, "image/encoded", &jpeg, 1, NULL);
		tfr_builder_int64s(b, "ids", values, i < small ? FEW : MANY, NULL);
		cr_assert_eq(tfr_builder_flatten(b, &record, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, record, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_reader_close(r);
	tfr_example_free(ex);
	tfr_builder_free(b);
}

/* The values of the tensor, copied back. */
static int64_t *values_of(struct tfr_device *dev, const struct tfr_tensor *t, uint64_t count)
{
	int64_t *values = malloc(count * sizeof(*values) + 1);

	cr_assert_eq(
		tfr_device_download(dev, values, t->data, count * sizeof(*values), NULL), TFR_OK);
	return values;
}

/* The floats that the device made of the one image, equal in every batch. */
static void expect_floats(struct tfr_device *dev, const struct tfr_tensor *t, float **first)
{
	uint64_t one = t->shape[1] * t->shape[2] * t->shape[3], count = t->shape[0] * one;
	float *got = malloc(count * sizeof(*got));

	cr_assert_eq(t->dtype, TFR_FLOAT32);
	cr_assert_eq(tfr_device_download(dev, got, t->data, count * sizeof(*got), NULL), TFR_OK);
	if (!*first)
		*first = memcpy(malloc(one * sizeof(*got)), got, one * sizeof(*got));
	for (uint64_t i = 0; i < t->shape[0]; i++)
		cr_assert_arr_eq(got + i * one, *first, one * sizeof(*got));
	free(got);
}

static void expect_grown(const char *device, struct tfr_pipeline_opts opts, unsigned small)
{
	const struct tfr_batch_feature ids = {
		.name = "ids", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED
	};
	const char *const paths[] = { "grow" };
	struct tfr_error err = { 0 };
	struct tfr_device **devs;
	struct tfr_pipeline *p;
	struct tfr_batch batch;
	struct tfr_set *set = open_set(paths, 1);
	float *first = NULL;
	uint64_t largest = 0, planned;
	unsigned seen = 0;
	enum tfr_status end;

	cr_assert_eq(tfr_devices_open(&devs, &opts.device_count, device, NULL), TFR_OK);
	opts.set = set;
	opts.devices = devs;
	opts.epochs = 1;
	opts.features = &ids;
	opts.feature_count = 1;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, &err), TFR_OK, "%s", err.message);
	planned = tfr_pipeline_plan(p)->transfer_bytes;
	while ((end = tfr_pipeline_next(p, &batch, &err)) == TFR_OK) {
		const struct tfr_tensor *t = &batch.tensors[batch.tensor_count - 2];
		int64_t *got = values_of(devs[batch.device], t, t->shape[0]), at = 0;

		cr_assert_str_eq(t->name, "ids");
		for (uint32_t i = 0; i < batch.records; i++, seen++)
			for (int k = 0; k < (seen < small ? FEW : MANY); k++, at++)
				cr_assert_eq(got[at], (int64_t)seen * 10000 + k, "record %u, %d",
					seen, k);
		cr_assert_eq((uint64_t)at, t->shape[0]);
		if (opts.normalise_on_device)
			expect_floats(devs[batch.device], &batch.tensors[0], &first);
		largest = batch.bytes > largest ? batch.bytes : largest;
		tfr_pipeline_release(p, &batch);
		free(got);
	}
	cr_assert_eq(end, TFR_END, "%s", err.message);
	cr_assert_eq(seen, small + GROWN);
	cr_assert_gt(largest, planned, "the plan was large enough");
	tfr_pipeline_close(p);
	tfr_devices_close(devs, opts.device_count);
	tfr_set_close(set);
	free(first);
}

Test(batches, that_outgrow_the_plan_are_verified)
{
	struct tfr_pipeline_opts opts = { .stages = "read=1,parse,batch=32,upload",
		.verify = true };

	make_growing("grow", false, SMALL);
	expect_grown("host", opts, SMALL);
	expect_grown("sim:1G,10us,2", opts, SMALL);
}

Test(batches, that_outgrow_the_plan_keep_the_floats_of_the_device_apart)
{
	/* Many floats for few bytes, so that a larger batch fits the memory for both; then few
	 * floats, so that it does not fit. */
	static const char *const lists[] = {
		"read=1,parse,decode,centre-crop=160,normalise,batch=4,upload",
		"read=1,parse,decode,centre-crop=8,normalise,batch=4,upload"
	};
	struct tfr_pipeline_opts opts = { .normalise_on_device = true };

	make_growing("grow", true, SMALL / 10);
	for (unsigned i = 0; i < 2; i++)
		for (opts.verify = false;; opts.verify = true) {
			opts.stages = lists[i];
			expect_grown("host", opts, SMALL / 10);
			if (opts.verify)
				break;
		}
}
