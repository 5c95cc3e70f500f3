/* The feed over CUDA devices of the fake driver: the batches are those of the host for any transfer
 * and number of devices, and a call that fails ends the feed with its name and frees everything. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <tfr-private/tfr.h>

#include "calls.h"
#include "fake_cuda.h"
#include "support/temp.h"
#include "unit/pipeline/made.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
	make_images("p", 1, 22, -1, -1);
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(pipeline_cuda, .init = setup, .fini = teardown, .timeout = 240);

enum { BATCHES_MAX = 64, DEVICES_MOST = 4 };

/* The output: the hash of each batch's tensors, and its device. */
struct outcome {
	uint64_t hashes[BATCHES_MAX];
	unsigned devices[BATCHES_MAX];
	unsigned batches;
	enum tfr_status end;
	struct tfr_error err;
};

static enum tfr_status hash_tensors(
	uint64_t *hash, struct tfr_device *dev, const struct tfr_batch *b, struct tfr_error *err)
{
	*hash = b->records;
	for (unsigned i = 0; i < b->tensor_count; i++) {
		const struct tfr_tensor *t = &b->tensors[i];
		size_t size = t->shape[0] * (size_t)t->strides[0];
		void *copy = malloc(size + 1);
		enum tfr_status status = tfr_device_download(dev, copy, t->data, size, err);

		*hash = status ? 0 : XXH3_64bits_withSeed(copy, size, *hash);
		free(copy);
		if (status)
			return status;
	}
	return TFR_OK;
}

static void take_all(struct outcome *o, struct tfr_pipeline *p, struct tfr_device **devs)
{
	struct tfr_batch batch;

	while ((o->end = tfr_pipeline_next(p, &batch, &o->err)) == TFR_OK) {
		cr_assert_lt(o->batches, BATCHES_MAX);
		o->devices[o->batches] = batch.device;
		o->end =
			hash_tensors(&o->hashes[o->batches++], devs[batch.device], &batch, &o->err);
		tfr_pipeline_release(p, &batch);
		if (o->end)
			return;
	}
}

static void feed(struct outcome *o, const char *device, struct tfr_pipeline_opts opts)
{
	static const char *const path = "p-0";
	struct tfr_device **devs = NULL;
	struct tfr_pipeline *p = NULL;
	struct tfr_set *set = open_set(&path, 1);

	*o = (struct outcome){ 0 };
	o->end = tfr_devices_open(&devs, &opts.device_count, device, &o->err);
	opts.set = set;
	opts.devices = devs;
	if (!o->end)
		o->end = tfr_pipeline_open(&p, &opts, &o->err);
	if (!o->end)
		take_all(o, p, devs);
	tfr_pipeline_close(p);
	tfr_devices_close(devs, devs ? opts.device_count : 0);
	tfr_set_close(set);
}

static void expect_same(const struct outcome *got, const struct outcome *expected, const char *what)
{
	cr_assert_eq(got->end, TFR_END, "%s: %s", what, got->err.message);
	cr_assert_eq(got->batches, expected->batches, "%s", what);
	for (unsigned i = 0; i < got->batches; i++)
		cr_assert_eq(got->hashes[i], expected->hashes[i], "%s, batch %u", what, i);
}

static const struct tfr_pipeline_opts usual = {
	.stages = "read=1,parse,shuffle=5,decode,random-crop=24,flip,normalise,batch=4,upload",
	.epochs = 2,
	.threads = 2,
};

Test(pipeline_cuda, any_number_of_devices_gets_the_batches_of_the_host)
{
	static const char *const specs[] = { "cuda", "cuda:1", "cuda:0,1", "cuda:3,1,2", "cuda:all",
		NULL };
	struct outcome host, o;

	fake_cuda.devices = DEVICES_MOST;
	feed(&host, "host", usual);
	cr_assert_eq(host.end, TFR_END, "%s", host.err.message);
	cr_assert_eq(host.batches, 12);
	for (int i = 0; specs[i]; i++) {
		unsigned count = 1;

		for (const char *c = specs[i]; *c; c++)
			count += *c == ',';
		if (strcmp(specs[i], "cuda:all") == 0)
			count = DEVICES_MOST;
		feed(&o, specs[i], usual);
		expect_same(&o, &host, specs[i]);
		for (unsigned b = 0; b < o.batches; b++)
			cr_assert_eq(o.devices[b], b % count, "%s, batch %u", specs[i], b);
		cr_assert(fake_cuda_all_freed(), "%s", specs[i]);
	}
	cr_assert_eq(fake_cuda_pageable_copies(), 0);
}

/* Ways to travel that change no byte, and one that the host goes too. */
Test(pipeline_cuda, the_way_there_changes_nothing)
{
	struct tfr_pipeline_opts ways[6];
	struct outcome host, o;

	fake_cuda.devices = 2;
	feed(&host, "host", usual);
	for (unsigned i = 0; i < 6; i++)
		ways[i] = usual;
	ways[0].pageable = true;
	ways[1].no_overlap = true;
	ways[2].steps_per_transfer = 3;
	ways[3].verify = true;
	ways[4].steps_per_transfer = 2;
	ways[4].pageable = ways[4].verify = true;
	ways[5].normalise_on_device = true;
	for (unsigned i = 0; i < 6; i++) {
		char what[8] = { (char)('0' + i) };

		if (ways[i].normalise_on_device)
			feed(&host, "host", ways[i]);
		feed(&o, "cuda:0,1", ways[i]);
		expect_same(&o, &host, what);
		cr_assert_eq(fake_cuda_pageable_copies() > 0, ways[i].pageable, "%u", i);
		cr_assert(fake_cuda_all_freed(), "%u", i);
	}
}

/* The options under which every call is made. */
static struct tfr_pipeline_opts everything(void)
{
	struct tfr_pipeline_opts opts = usual;

	opts.epochs = 1;
	opts.normalise_on_device = true;
	return opts;
}

/* How a call fails. */
enum mode { ONCE, FOR_GOOD, LOST };

/* The name of a call in messages. */
static const char *plain_name(const char *call)
{
	static char name[64];

	snprintf(name, sizeof(name), "%.*s",
		(int)(strstr(call, "_v2") ? strlen(call) - 3 : strlen(call)), call);
	return name;
}

/* A context that cannot be made current takes with it what could not be freed. */
static void expect_freed(const char *call)
{
	if (strncmp(call, "cuCtxPush", 9) == 0)
		fake_cuda_leaked();
	cr_assert(fake_cuda_all_freed(), "%s, use %d", call, fake_cuda.after);
}

/* Fails `call` at its first use, its second, and so on, until it is used no more. */
static void fail_every_use(const char *call, enum mode mode)
{
	struct tfr_pipeline_opts opts = everything();

	fake_cuda.fails = call;
	fake_cuda.once = mode == ONCE;
	fake_cuda.lost = mode == LOST;
	for (fake_cuda.after = 0; fake_cuda.after < 200;
		fake_cuda.after += 1 + fake_cuda.after / 8) {
		/* The first call that reports a lost device is named. */
		const char *named = mode == LOST ? "cu" : plain_name(call);
		struct outcome o;

		fake_cuda_repair();
		feed(&o, "cuda:0,1", opts);
		expect_freed(call);
		if (o.end == TFR_END) {
			cr_assert_gt(fake_cuda.after, 0, "%s is never called", call);
			return;
		}
		cr_assert_eq(
			o.end, TFR_ESYS, "%s, use %d: %s", call, fake_cuda.after, o.err.message);
		cr_assert_eq(strncmp(o.err.message, named, strlen(named)), 0, "%s, use %d: %s",
			call, fake_cuda.after, o.err.message);
		cr_assert(strstr(o.err.message, " on cuda:0: unspecified launch failure") ||
				  strstr(o.err.message, " on cuda:1: unspecified launch failure"),
			"%s", o.err.message);
	}
}

static const char *const calls[] = { "cuCtxPushCurrent_v2", "cuStreamCreate", "cuMemHostAlloc",
	"cuMemAlloc_v2", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent",
	"cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuEventSynchronize", "cuStreamSynchronize",
	NULL };

Test(pipeline_cuda, a_call_that_fails_ends_the_feed_with_its_name)
{
	fake_cuda.devices = 2;
	for (int i = 0; calls[i]; i++)
		for (int mode = ONCE; mode < LOST; mode++)
			fail_every_use(calls[i], (enum mode)mode);
}

Test(pipeline_cuda, a_device_may_be_lost_at_any_call)
{
	fake_cuda.devices = 2;
	for (int i = 0; calls[i]; i++)
		fail_every_use(calls[i], LOST);
}

Test(pipeline_cuda, work_that_fails_in_progress_ends_the_feed_too)
{
	static const char *const works[] = { "copy", "kernel", NULL };

	fake_cuda.devices = 2;
	for (int i = 0; works[i]; i++)
		for (fake_cuda.after = 0; fake_cuda.after < 5; fake_cuda.after++)
			for (fake_cuda.on = 0; fake_cuda.on < 2; fake_cuda.on++) {
				struct outcome o;

				fake_cuda.fails = works[i];
				fake_cuda_repair();
				feed(&o, "cuda:0,1", everything());
				cr_assert(fake_cuda_all_freed());
				if (o.end == TFR_END) {
					cr_assert_gt(fake_cuda.after, 1, "%s", works[i]);
					continue;
				}
				cr_assert_eq(o.end, TFR_ESYS, "%s", o.err.message);
				cr_assert(strstr(o.err.message,
						  fake_cuda.on ? " on cuda:1: " : " on cuda:0: "),
					"%s", o.err.message);
			}
}

Test(pipeline_cuda, too_little_memory_is_told_before_the_first_batch)
{
	static const char *const allocators[] = { "cuMemHostAlloc", "cuMemAlloc_v2", NULL };

	for (int i = 0; allocators[i]; i++) {
		struct outcome o;

		fake_cuda.fails = allocators[i];
		fake_cuda.error = CUDA_OUT_OF_MEMORY;
		fake_cuda_repair();
		feed(&o, "cuda", usual);
		cr_assert_eq(o.end, TFR_ENOMEM, "%s", o.err.message);
		cr_assert_eq(o.batches, 0);
		cr_assert_eq(strncmp(o.err.message, plain_name(allocators[i]),
				     strlen(plain_name(allocators[i]))),
			0, "%s", o.err.message);
		cr_assert(fake_cuda_all_freed());
	}
}

Test(pipeline_cuda, without_kernels_normalising_there_is_refused)
{
	struct outcome o;

	fake_cuda.nojit = true;
	feed(&o, "cuda", everything());
	cr_assert_eq(o.end, TFR_EUNAVAILABLE);
	cr_assert_str_eq(
		o.err.message, "cuModuleLoadDataEx on cuda:0: PTX JIT compiler library not found");
	cr_assert_eq(o.batches, 0);
	cr_assert(fake_cuda_all_freed());
	feed(&o, "cuda", usual);
	cr_assert_eq(o.end, TFR_END);
}

/* A kernel that never ends keeps neither the copies after it nor their staging memory. */
Test(pipeline_cuda, copies_go_on_while_a_kernel_runs)
{
	static const char *const path = "p-0";
	struct tfr_pipeline_opts opts = usual;
	struct tfr_pipeline_stats stats;
	struct tfr_set *set = open_set(&path, 1);
	struct tfr_device **devs = NULL;
	struct tfr_error err = { 0 };
	struct tfr_pipeline *p = NULL;
	struct tfr_batch batch;

	cr_assert_eq(tfr_devices_open(&devs, &opts.device_count, "cuda", &err), TFR_OK);
	opts.set = set;
	opts.devices = devs;
	opts.normalise_on_device = true;
	opts.stall_timeout = 1;
	fake_cuda.hangs = "kernel";
	cr_assert_eq(tfr_pipeline_open(&p, &opts, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(tfr_pipeline_next(p, &batch, &err), TFR_ESYS);
	cr_assert_str_eq(err.message,
		"nothing moved for 1 s: stage 'upload' waits for cuda:0 to normalise batch 0");
	tfr_pipeline_stats(p, &stats);
	cr_assert_eq(stats.devices[0].batches, tfr_pipeline_plan(p)->device, "%llu",
		(unsigned long long)stats.devices[0].batches);
	fake_cuda.hangs = NULL;
	fake_cuda_repair();
	tfr_pipeline_close(p);
	tfr_devices_close(devs, opts.device_count);
	tfr_set_close(set);
	cr_assert(fake_cuda_all_freed());
}

/* Payloads that grow from batch to batch, so that every buffer is outgrown several times. */
static void make_growing(void)
{
	struct tfr_writer *w;
	char *zeros = calloc(1, 1 << 20);

	cr_assert_eq(tfr_writer_open(&w, "g", NULL, NULL), TFR_OK);
	for (unsigned i = 0; i < 400; i++)
		cr_assert_eq(
			tfr_writer_put(w, zeros, i < 100 ? 100 : (i - 80) * 2500, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	free(zeros);
}

static const struct tfr_pipeline_opts growing = {
	.stages = "read=1,batch=4,upload", .epochs = 1, .threads = 2, .memory = 64 << 20
};

/* A driver waits for all work on its device before it frees memory. */
Test(pipeline_cuda, growing_frees_no_memory_while_the_device_works)
{
	static const char *const path = "g";
	struct tfr_pipeline_opts opts = growing;
	struct tfr_set *set;
	struct tfr_device **devs = NULL;
	struct tfr_error err = { 0 };
	struct tfr_pipeline *p = NULL;
	struct tfr_batch batch;
	enum tfr_status status;

	make_growing();
	set = open_set(&path, 1);
	fake_cuda.bandwidth = 2e9;
	cr_assert_eq(tfr_devices_open(&devs, &opts.device_count, "cuda", &err), TFR_OK);
	opts.set = set;
	opts.devices = devs;
	cr_assert_eq(tfr_pipeline_open(&p, &opts, &err), TFR_OK, "%s", err.message);
	fake_cuda_waiting_frees();
	while ((status = tfr_pipeline_next(p, &batch, &err)) == TFR_OK)
		tfr_pipeline_release(p, &batch);
	cr_assert_eq(status, TFR_END, "%s", err.message);
	cr_assert_eq(fake_cuda_waiting_frees(), 0);
	tfr_pipeline_close(p);
	tfr_devices_close(devs, opts.device_count);
	tfr_set_close(set);
	cr_assert(fake_cuda_all_freed());
}

/* Each allocation fails in turn: nothing is used that is not there, and all is freed. */
Test(pipeline_cuda, growing_fails_at_each_allocation)
{
	static const char *const allocations[] = { "cuMemAlloc_v2", "cuMemHostAlloc" };
	static const char *const path = "g";

	make_growing();
	for (unsigned c = 0; c < 2; c++)
		for (int after = 0, failed = true; failed; after++) {
			struct tfr_pipeline_opts opts = growing;
			struct tfr_set *set = open_set(&path, 1);
			struct tfr_device **devs = NULL;
			struct tfr_error err = { 0 };
			struct tfr_pipeline *p = NULL;
			struct tfr_batch batch;
			enum tfr_status status;

			fake_cuda.fails = allocations[c];
			fake_cuda.after = after;
			fake_cuda.error = 2;
			status = tfr_devices_open(&devs, &opts.device_count, "cuda", &err);
			opts.set = set;
			opts.devices = devs;
			if (!status)
				status = tfr_pipeline_open(&p, &opts, &err);
			while (!status && !(status = tfr_pipeline_next(p, &batch, &err)))
				tfr_pipeline_release(p, &batch);
			failed = status != TFR_END;
			if (failed)
				cr_assert_eq(status, TFR_ENOMEM, "%s", err.message);
			tfr_pipeline_close(p);
			tfr_devices_close(devs, devs ? opts.device_count : 0);
			tfr_set_close(set);
			fake_cuda_repair();
			cr_assert(fake_cuda_all_freed(), "%s %d", allocations[c], after);
		}
}

/* The floats that the device makes have a row between upload and consumer, whoever waits for them.
 */
Test(pipeline_cuda, kernels_have_a_row)
{
	for (int verify = 0; verify < 2; verify++) {
		struct tfr_pipeline_opts opts = usual;
		const char *const paths[] = { "p-0", NULL };
		const struct tfr_stage_stats *row;
		struct run run;

		fake_cuda.devices = 2;
		opts.normalise_on_device = true;
		opts.verify = verify;
		run_feed_blind(&run, paths, "cuda:all", opts, 0);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		row = &run.stats.stages[run.stats.stage_count - 2];
		cr_assert_str_eq(row->name, "kernels");
		cr_assert_str_eq(row[-1].name, "upload");
		cr_assert_eq(row->threads, 2);
		cr_assert_eq(row->items, row[-1].items);
		cr_assert_eq(row->bytes, 4 * row[-1].bytes);
		cr_assert_gt(row->busy, 0);
		cr_assert_leq(row->busy + row->starved, 2 * run.stats.seconds * 1.001);
	}
}

/* Workers that have little to do wait for kernels, which this driver runs on a processor. */
Test(pipeline_cuda, kernels_can_be_the_limit)
{
	const char *const paths[] = { "p-0", NULL };
	struct tfr_pipeline_opts opts = usual;
	struct run run;

	fake_cuda.devices = 1;
	opts.stages = "read=1,parse,decode,resize=96,normalise,batch=4,upload";
	opts.normalise_on_device = true;
	opts.epochs = 10;
	for (int tries = 0; tries < 10; tries++) {
		run_feed_blind(&run, paths, "cuda", opts, 0);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		if (!strcmp(run.stats.bottleneck, "kernels"))
			break;
		opts.epochs *= 2;
	}
	if (strcmp(run.stats.bottleneck, "kernels") && run.stats.other_load >= 0.25)
		cr_skip("this machine is busy with other work");
	cr_assert_str_eq(run.stats.bottleneck, "kernels", "%s: %s; %s", run.stats.bottleneck,
		run.stats.finding, run.stats.advice);
	cr_assert(strstr(run.stats.finding, "kernels make floats on the device"), "%s",
		run.stats.finding);
}
