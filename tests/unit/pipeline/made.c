/* Examples with small JPEGs by libjpeg, and the loop every test has. */
#include "unit/pipeline/made.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>
/* after stdio.h */
#include <jpeglib.h>

enum { WIDTH = 48, HEIGHT = 36 };

static void encode(unsigned seed, unsigned char **data, unsigned long *size)
{
	struct jpeg_compress_struct j;
	struct jpeg_error_mgr errors;
	unsigned char row[WIDTH * 3], *rows[] = { row };

	j.err = jpeg_std_error(&errors);
	jpeg_create_compress(&j);
	*data = NULL;
	*size = 0;
	jpeg_mem_dest(&j, data, size);
	j.image_width = WIDTH;
	j.image_height = HEIGHT;
	j.input_components = 3;
	j.in_color_space = JCS_RGB;
	jpeg_set_defaults(&j);
	jpeg_start_compress(&j, TRUE);
	for (unsigned y = 0; y < HEIGHT; y++) {
		for (unsigned x = 0; x < WIDTH; x++) {
			row[3 * x] = (unsigned char)(seed * 37 + x * 4);
			row[3 * x + 1] = (unsigned char)(seed * 101 + y * 5);
			row[3 * x + 2] = (unsigned char)(x * y + seed);
		}
		jpeg_write_scanlines(&j, rows, 1);
	}
	jpeg_finish_compress(&j);
	jpeg_destroy_compress(&j);
}

static void put_example(struct tfr_writer *w, unsigned seed, bool image, bool whole)
{
	struct tfr_builder *b = tfr_builder_new();
	unsigned char *jpeg;
	unsigned long size;
	const uint8_t *record;
	size_t record_size;

	encode(seed, &jpeg, &size);
	if (image)
		tfr_builder_bytes(b, "image/encoded",
			&(struct tfr_bytes){ jpeg, whole ? size : size / 2 }, 1, NULL);
	tfr_builder_int64(b, "image/class/label", seed, NULL);
	cr_assert_eq(tfr_builder_flatten(b, &record, &record_size, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_put(w, record, record_size, NULL), TFR_OK);
	tfr_builder_free(b);
	free(jpeg);
}

void make_images(const char *prefix, unsigned files, unsigned each, int broken, int without)
{
	for (unsigned f = 0; f < files; f++) {
		struct tfr_writer *w;
		char path[100];

		snprintf(path, sizeof(path), "%s-%u", prefix, f);
		cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
		for (unsigned i = 0; i < each; i++)
			put_example(w, f * each + i, f || (int)i != without, f || (int)i != broken);
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
	}
}

void make_pairs(const char *path, unsigned count)
{
	struct tfr_encode_opts png = { .format = TFR_IMAGE_PNG };
	struct tfr_encoder *e = tfr_encoder_new();
	struct tfr_builder *b = tfr_builder_new();
	const uint8_t *record;
	struct tfr_writer *w;
	size_t size;

	cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
	for (unsigned r = 0; r < count; r++) {
		uint8_t pixels[WIDTH * HEIGHT * 3];

		memset(pixels, (int)r, sizeof(pixels));
		tfr_builder_reset(b);
		for (unsigned channels = 1; channels <= 3; channels += 2) {
			struct tfr_image image = { pixels, WIDTH * channels, WIDTH, HEIGHT,
				channels };
			struct tfr_bytes encoded;
			const void *data;

			cr_assert_eq(
				tfr_encode(e, &image, &png, &data, &encoded.size, NULL), TFR_OK);
			encoded.data = data;
			tfr_builder_bytes(b,
				channels == 3 ? "image/encoded"
					      : "image/segmentation/class/encoded",
				&encoded, 1, NULL);
		}
		cr_assert_eq(tfr_builder_flatten(b, &record, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, record, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
	tfr_encoder_free(e);
}

void make_sparse(const char *path, unsigned count)
{
	struct tfr_builder *b = tfr_builder_new();
	const uint8_t *record;
	struct tfr_writer *w;
	size_t size;

	cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
	for (unsigned r = 0; r < count; r++) {
		tfr_builder_reset(b);
		for (unsigned f = 0; f < 17; f++) {
			int64_t value = 1000 * (int64_t)r + f, values[] = { value, value, value };
			char name[8];

			snprintf(name, sizeof(name), "f%02u", f);
			tfr_builder_int64s(b, name, values, (r + f) % 4, NULL);
		}
		cr_assert_eq(tfr_builder_flatten(b, &record, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, record, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
}

void make_large(const char *path, unsigned count, size_t size)
{
	char *zeros = calloc(1, size);
	struct tfr_writer *w;

	cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
	for (unsigned i = 0; i < count; i++)
		cr_assert_eq(tfr_writer_put(w, zeros, size, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	free(zeros);
}

void make_payloads(const char *path, unsigned count)
{
	struct tfr_writer *w;

	cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
	for (unsigned i = 0; i < count; i++) {
		char text[100];

		snprintf(text, sizeof(text), "%s:%u", path, i);
		cr_assert_eq(tfr_writer_put(w, text, strlen(text), NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
}

struct tfr_set *open_set(const char *const *paths, unsigned count)
{
	struct tfr_set *set;
	struct tfr_error err = { 0 };

	cr_assert_eq(
		tfr_set_open(&set, &(struct tfr_set_opts){ .inputs = paths, .count = count }, &err),
		TFR_OK, "%s", err.message);
	return set;
}

static void note_skipped(void *ctx, const struct tfr_error *why, const void *record, size_t size)
{
	struct run *run = ctx;

	(void)record;
	(void)size;
	if (!run->skipped++)
		tfr_error_format(why, run->first_skipped, sizeof(run->first_skipped));
}

static void take(struct run *run, struct tfr_device **devs, const struct tfr_batch *batch)
{
	unsigned char *copy = calloc(1, batch->bytes + 1);

	cr_assert_eq(batch->index, run->batches);
	if (batch->memory)
		cr_assert_eq(tfr_device_download(
				     devs[batch->device], copy, batch->memory, batch->bytes, NULL),
			TFR_OK);
	if (run->batches < RUN_BATCHES_MAX) {
		run->hashes[run->batches] = XXH3_64bits(copy, batch->bytes);
		run->records[run->batches] = batch->records;
		run->epochs[run->batches] = batch->epoch;
	}
	run->batches++;
	free(copy);
}

static void run_feed(struct run *run, const char *const *paths, const char *device,
	struct tfr_pipeline_opts opts, unsigned consume_ms, bool look)
{
	struct timespec pause = { 0, consume_ms * 1000000l };
	struct tfr_pipeline *p;
	struct tfr_device **devs;
	struct tfr_batch batch;
	struct tfr_set *set;
	unsigned count = 0;

	*run = (struct run){ 0 };
	while (paths[count])
		count++;
	set = open_set(paths, count);
	cr_assert_eq(tfr_devices_open(&devs, &opts.device_count, device, &run->err), TFR_OK, "%s",
		run->err.message);
	opts.set = set;
	opts.devices = devs;
	opts.skipped = note_skipped;
	if (!opts.cancelled)
		opts.ctx = run;
	run->end = tfr_pipeline_open(&p, &opts, &run->err);
	if (run->end == TFR_OK) {
		run->plan = *tfr_pipeline_plan(p);
		while ((run->end = tfr_pipeline_next(p, &batch, &run->err)) == TFR_OK) {
			if (look)
				take(run, devs, &batch);
			if (consume_ms)
				nanosleep(&pause, NULL);
			tfr_pipeline_release(p, &batch);
		}
		tfr_pipeline_stats(p, &run->stats);
		tfr_pipeline_close(p);
	}
	tfr_devices_close(devs, opts.device_count);
	tfr_set_close(set);
}

void run_feed_over(struct run *run, const char *const *paths, const char *device,
	struct tfr_pipeline_opts opts, unsigned consume_ms)
{
	run_feed(run, paths, device, opts, consume_ms, true);
}

void run_feed_blind(struct run *run, const char *const *paths, const char *device,
	struct tfr_pipeline_opts opts, unsigned consume_ms)
{
	run_feed(run, paths, device, opts, consume_ms, false);
}

void run_feed_on(struct run *run, const char *glob, struct tfr_pipeline_opts opts)
{
	const char *const paths[] = { glob, NULL };

	run_feed_over(run, paths, "host", opts, 0);
}
