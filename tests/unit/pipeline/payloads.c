/* Batches of large payloads, which are copied as they come, against batches made here. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/buf.h"
#include "base/rng.h"
#include "support/temp.h"
#include "unit/pipeline/made.h"

enum { FILES = 3, EACH = 37, SMALL = 40000, LARGE = 700000 };

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(payloads, .init = setup, .fini = teardown, .timeout = 240);

/* Record `i` of file `f`: of up to SMALL bytes at first, so that the plan is made for those; of up
 * to `largest` later. */
static struct tfr_buf payload(unsigned f, unsigned i, size_t largest)
{
	struct tfr_buf buf = { 0 };
	struct tfr_rng rng;
	size_t size;

	tfr_rng_init(&rng, f, i);
	size = tfr_rng_below(&rng, i < EACH / 2 ? SMALL : (uint32_t)largest);
	cr_assert(tfr_buf_reserve(&buf, size + 8));
	for (size_t at = 0; at < size; at += 8) {
		uint64_t word = tfr_rng_u64(&rng);

		memcpy(buf.data + at, &word, 8);
	}
	buf.size = size;
	return buf;
}

static void make_files(size_t largest)
{
	for (unsigned f = 0; f < FILES; f++) {
		char path[20];
		struct tfr_writer *w;

		snprintf(path, sizeof(path), "l-%u", f);
		cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
		for (unsigned i = 0; i < EACH; i++) {
			TFR_AUTO_BUF one = payload(f, i, largest);

			cr_assert_eq(tfr_writer_put(w, one.data, one.size, NULL), TFR_OK);
		}
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
	}
}

/* The hash of the batch of records `from` on, of all files in turn. */
static uint64_t expected_hash(unsigned from, uint32_t records, size_t largest)
{
	TFR_AUTO_BUF all = { 0 };
	int64_t *offsets = calloc(records + 1, sizeof(*offsets));
	uint64_t hash;

	tfr_buf_append(&all, offsets, (records + 1) * sizeof(*offsets));
	for (uint32_t i = 0; i < records; i++) {
		TFR_AUTO_BUF one = payload((from + i) % FILES, (from + i) / FILES, largest);

		tfr_buf_append(&all, one.data, one.size);
		offsets[i + 1] = offsets[i] + (int64_t)one.size;
	}
	memcpy(all.data, offsets, (records + 1) * sizeof(*offsets));
	hash = XXH3_64bits(all.data, all.size);
	free(offsets);
	return hash;
}

static void compare(const struct run *run, uint32_t batch, size_t largest)
{
	unsigned total = FILES * EACH, at = 0;

	cr_assert_eq(run->end, TFR_END, "%s", run->err.message);
	cr_assert_eq(run->batches, (total + batch - 1) / batch);
	for (unsigned i = 0; i < run->batches; i++) {
		uint32_t records = total - at < batch ? total - at : batch;

		cr_assert_eq(run->records[i], records);
		cr_assert_eq(run->hashes[i], expected_hash(at, records, largest), "batch %u of %u",
			i, batch);
		at += records;
	}
}

Test(payloads, are_where_they_belong)
{
	static const uint32_t batches[] = { 1, 2, 7, 50, 200 };
	struct run *run = malloc(sizeof(*run));

	make_files(LARGE);
	for (size_t b = 0; b < sizeof(batches) / sizeof(*batches); b++)
		for (unsigned threads = 1; threads <= 4; threads += 3)
			for (unsigned memory = 256; memory <= 1024; memory += 768) {
				struct tfr_pipeline_opts opts = { .epochs = 1, .threads = threads };
				char list[60];

				opts.memory = (uint64_t)memory << 20;
				snprintf(
					list, sizeof(list), "read=3:1,batch=%u,upload", batches[b]);
				opts.stages = list;
				run_feed_on(run, "l-*", opts);
				compare(run, batches[b], LARGE);
			}
	free(run);
}

Test(payloads, are_the_same_in_transfers_of_several_batches)
{
	struct run *run = malloc(sizeof(*run));

	make_files(SMALL);
	for (unsigned steps = 2; steps <= 5; steps++) {
		struct tfr_pipeline_opts opts = { .stages = "read=3:1,batch=4,upload",
			.epochs = 1,
			.threads = 3,
			.steps_per_transfer = steps };

		run_feed_on(run, "l-*", opts);
		compare(run, 4, SMALL);
	}
	free(run);
}

/* What is left of an epoch is left out, and its memory used again. */
Test(payloads, of_short_batches_are_left_out)
{
	struct tfr_pipeline_opts opts = { .stages = "read=3:1,batch=50,upload",
		.epochs = 3,
		.threads = 3,
		.drop_remainder = true };
	struct run *run = malloc(sizeof(*run));

	make_files(LARGE);
	run_feed_on(run, "l-*", opts);
	cr_assert_eq(run->end, TFR_END, "%s", run->err.message);
	cr_assert_eq(run->batches, 6);
	for (unsigned i = 0; i < 6; i++)
		cr_assert_eq(run->hashes[i], expected_hash(i % 2 * 50, 50, LARGE), "batch %u", i);
	free(run);
}

/* Every record before a damaged one arrives, and none after it. */
Test(payloads, end_exactly_at_the_damage)
{
	struct run *run = malloc(sizeof(*run));
	uint64_t offset = 0;

	make_files(LARGE);
	for (unsigned i = 0; i < EACH; i++) {
		TFR_AUTO_BUF one = payload(0, i, LARGE);
		int fd = open("l-0", O_RDWR);
		unsigned char byte, other;

		cr_assert_eq(pread(fd, &byte, 1, (off_t)(offset + 12 + one.size / 2)), 1);
		other = byte ^ 1;
		cr_assert_eq(pwrite(fd, &other, 1, (off_t)(offset + 12 + one.size / 2)), 1);
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			uint64_t records = 0;

			run_feed_on(run, "l-0",
				(struct tfr_pipeline_opts){ .stages = "read=1:1,batch=3,upload",
					.epochs = 1,
					.threads = threads });
			for (unsigned b = 0; b < run->batches; b++)
				records += run->records[b];
			if (i == 0) /* nothing came before it */
				cr_assert_neq(run->end, TFR_END);
			else
				cr_assert_eq(run->end, TFR_EDATA, "%s", run->err.message);
			cr_assert_eq(run->err.record, i);
			cr_assert_eq(run->err.offset, offset);
			cr_assert_eq(records, i);
		}
		cr_assert_eq(pwrite(fd, &byte, 1, (off_t)(offset + 12 + one.size / 2)), 1);
		close(fd);
		offset += one.size + 16;
	}
	free(run);
}

/* Small batches are kept deep in flight, unless prefetch says how many. */
Test(payloads, small_batches_are_kept_in_flight)
{
	struct tfr_pipeline_opts opts = { .stages = "read=1,batch=2,upload", .epochs = 1 };
	struct run *run = malloc(sizeof(*run));

	make_payloads("s", 100);
	run_feed_on(run, "s", opts);
	cr_assert_eq(run->end, TFR_END, "%s", run->err.message);
	cr_assert_eq(run->plan.device, 64);
	opts.stages = "read=1,batch=2,prefetch=2,upload";
	run_feed_on(run, "s", opts);
	cr_assert_eq(run->plan.device, 2);
	make_large("l", 20, 1 << 20);
	opts.stages = "read=1,batch=4,upload";
	run_feed_on(run, "l", opts);
	cr_assert_leq(run->plan.device, 12);
	free(run);
}

/* Every second batch is taken: it stays as it was until the end, and after it. */
static void take_batches(bool in_place)
{
	struct tfr_pipeline_opts opts = { .stages = "read=3:1,batch=10,upload",
		.epochs = 3,
		.in_place = in_place,
		.memory = 512 << 20 };
	const char *paths[] = { "l-0", "l-1", "l-2" };
	struct tfr_device **devices;
	void *taken[64];
	uint64_t before[64], bytes[64];
	unsigned device_count, n = 0;
	struct tfr_pipeline *p;
	struct tfr_batch batch;
	struct tfr_set *set;

	make_files(LARGE);
	opts.set = set = open_set(paths, FILES);
	cr_assert_eq(tfr_devices_open(&devices, &device_count, "host", NULL), TFR_OK);
	opts.devices = devices;
	opts.device_count = device_count;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, NULL), TFR_OK);
	while (tfr_pipeline_next(p, &batch, NULL) == TFR_OK) {
		if (batch.index % 2) {
			tfr_pipeline_release(p, &batch);
			continue;
		}
		if (batch.epoch == 0)
			cr_assert_eq(XXH3_64bits(batch.memory, batch.bytes),
				expected_hash(10 * (unsigned)batch.index, batch.records, LARGE));
		bytes[n] = batch.bytes;
		before[n] = XXH3_64bits(batch.memory, batch.bytes);
		cr_assert_eq(tfr_pipeline_take(p, &batch, &taken[n], NULL), TFR_OK);
		cr_assert_eq(taken[n++], batch.memory);
	}
	tfr_pipeline_close(p);
	tfr_devices_close(devices, device_count);
	tfr_set_close(set);
	cr_assert_eq(n, 18);
	for (unsigned i = 0; i < n; i++) {
		cr_expect_eq(XXH3_64bits(taken[i], bytes[i]), before[i], "batch %u", 2 * i);
		tfr_batch_memory_free(taken[i]);
	}
	tfr_batch_memory_free(NULL);
}

Test(payloads, batches_can_be_taken)
{
	take_batches(false);
}

Test(payloads, batches_can_be_taken_in_place)
{
	take_batches(true);
}

Test(payloads, seconds_are_0_or_more)
{
	static const double wrong[] = { -1, NAN };
	const char *inputs[] = { "l-0" };
	struct tfr_set_opts which = { .inputs = inputs, .count = 1 };
	struct tfr_set *set = NULL;

	make_files(SMALL);
	cr_assert_eq(tfr_set_open(&set, &which, NULL), TFR_OK);
	for (size_t i = 0; i < 4; i++) {
		struct tfr_pipeline_opts opts = {
			.set = set, .stages = "read,batch=4,upload", .threads = 1, .epochs = 1
		};
		struct tfr_pipeline *p = NULL;
		struct tfr_error err;

		*(i < 2 ? &opts.seconds : &opts.stall_timeout) = wrong[i % 2];
		cr_assert_eq(tfr_pipeline_open(&p, &opts, &err), TFR_EUSAGE);
		cr_expect(strstr(err.message, "seconds are 0 or more"), "%s", err.message);
	}
	tfr_set_close(set);
}
