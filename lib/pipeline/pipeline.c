/* pipeline/pipeline.c - a feed from its options to its end.
 *
 * Opening starts the reading threads, plans from what they read, then starts the workers and the
 * uploader; closing tells all of them and joins them.  A feed ends in one of four ways: a limit,
 * the last record, damage in a file (when what came before it is delivered), or a failure (at
 * once). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "pipeline/state.h"
#include "thread/threads.h"

/* How often a waiting consumer looks whether it is to stop. */
#define LOOK_NS 20000000u

static enum tfr_status check_opts(struct tfr_pipeline *p, struct tfr_error *err)
{
	struct tfr_pipeline_opts *o = &p->opts;

	o->cycle_length = o->cycle_length ? o->cycle_length : 4;
	o->block_length = o->block_length ? o->block_length : 1;
	o->batch = o->batch ? o->batch : 64;
	o->width = o->width ? o->width : 224;
	o->height = o->height ? o->height : o->width;
	o->threads = tfr_thread_count(o->threads);
	o->memory = o->memory ? o->memory : 1ull << 30;
	if (o->cycle_length > 1024)
		return tfr_fail(err, TFR_EUSAGE,
			"a cycle length of %u: at most 1024 files are read at once",
			o->cycle_length);
	if (o->threads > 1024)
		return tfr_fail(err, TFR_EUSAGE, "%u workers: there are at most 1024", o->threads);
	if (o->batch > 1u << 20 || o->width > 1u << 14 || o->height > 1u << 14)
		return tfr_fail(err, TFR_EUSAGE, "batches of %u pictures of %ux%u are out of reach",
			o->batch, o->width, o->height);
	if (o->prefetch > 64)
		return tfr_fail(err, TFR_EUSAGE, "%u batches in flight: at most 64", o->prefetch);
	if (o->shuffle > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "a shuffle buffer of %llu records is out of reach",
			(unsigned long long)o->shuffle);
	if (!source_can_repeat(p)) {
		if (o->epochs > 1)
			return tfr_fail(err, TFR_EUSAGE,
				"standard input can be read once, not for %llu epochs",
				(unsigned long long)o->epochs);
		o->epochs = 1;
	}
	p->recipe = (struct recipe){ .width = o->width, .height = o->height, .seed = o->seed };
	return recipe_parse(
		&p->recipe, o->augment ? o->augment : "random-resized-crop,flip,normalise", err);
}

static void init_locks(struct tfr_pipeline *p)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->skip_lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->uploads, NULL);
	pthread_cond_init(&p->arrivals, &attr);
	pthread_condattr_destroy(&attr);
}

static enum tfr_status start_reading(struct tfr_pipeline *p, struct tfr_error *err)
{
	uint64_t budget = p->opts.memory / 32;
	uint32_t cycle = p->opts.cycle_length;
	size_t files = tfr_set_count(p->opts.set);

	if (cycle > files && files)
		cycle = (uint32_t)files;
	p->source.budget = (budget < 16u << 20 ? budget : 16u << 20) / cycle;
	p->example = tfr_example_new();
	tfr_shuffler_init(&p->shuffle, p->opts.shuffle, p->opts.seed);
	if (!p->example || !tfr_shuffler_reserve(&p->shuffle))
		return tfr_fail_nomem(err, "starting to read");
	return source_start(p, err);
}

static enum tfr_status start_workers(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	int rc = 0;

	p->fifo = calloc(p->fifo_capacity, sizeof(struct sample *));
	p->workers = calloc(p->opts.threads, sizeof(*p->workers));
	p->threads = calloc(p->opts.threads, sizeof(*p->threads));
	if (!p->fifo || !p->workers || !p->threads)
		return tfr_fail_nomem(err, "starting the workers");
	for (unsigned i = 0; status == TFR_OK && i < p->opts.threads; i++) {
		p->workers[i].p = p;
		if (p->pictures)
			status = studio_init(&p->workers[i].studio, p->opts.memory / 4, err);
	}
	if (status)
		return status;
	for (unsigned i = 0; rc == 0 && i < p->opts.threads; i++) {
		rc = pthread_create(&p->threads[i], NULL, worker_main, &p->workers[i]);
		p->threads_started += rc == 0;
	}
	if (rc == 0) {
		rc = pthread_create(&p->uploader, NULL, uploader_main, p);
		p->uploader_started = rc == 0;
	}
	if (rc)
		return tfr_fail(err, TFR_ESYS, "cannot start the workers: %s", strerror(rc));
	return TFR_OK;
}

enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **out, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_pipeline *p = calloc(1, sizeof(*p));
	enum tfr_status status;

	if (!p)
		return tfr_fail_nomem(err, "starting a feed");
	p->opts = *opts;
	p->start_ns = tfr_clock_ns();
	init_locks(p);
	sample_store_init(&p->store, (p->opts.memory ? p->opts.memory : 1ull << 30) / 64);
	status = check_opts(p, err);
	if (status == TFR_OK)
		status = start_reading(p, err);
	if (status == TFR_OK)
		status = plan_make(p, err);
	if (status == TFR_OK)
		status = batches_init(p, err);
	if (status == TFR_OK)
		status = start_workers(p, err);
	if (status) {
		tfr_pipeline_close(p);
		return status;
	}
	plan_describe(p);
	*out = p;
	return TFR_OK;
}

static void stop_threads(struct tfr_pipeline *p)
{
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->work);
	pthread_cond_broadcast(&p->uploads);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->threads_started; i++)
		pthread_join(p->threads[i], NULL);
	if (p->uploader_started)
		pthread_join(p->uploader, NULL);
	source_stop(p);
}

static void free_samples(struct tfr_pipeline *p)
{
	struct sample *s;

	for (unsigned i = 0; i < p->fifo_count; i++)
		sample_put(&p->store, p->fifo[(p->fifo_head + i) % p->fifo_capacity]);
	while ((s = tfr_shuffler_discard(&p->shuffle)))
		sample_put(&p->store, s);
	tfr_shuffler_clear(&p->shuffle);
}

void tfr_pipeline_close(struct tfr_pipeline *p)
{
	if (!p)
		return;
	stop_threads(p);
	free_samples(p);
	batches_clear(p);
	for (unsigned i = 0; p->workers && i < p->opts.threads; i++)
		studio_clear(&p->workers[i].studio);
	free(p->workers);
	free(p->threads);
	free(p->fifo);
	tfr_example_free(p->example);
	sample_store_clear(&p->store);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->uploads);
	pthread_cond_destroy(&p->arrivals);
	pthread_mutex_destroy(&p->skip_lock);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void pipeline_fail(struct tfr_pipeline *p, enum tfr_status status, const struct tfr_error *err)
{
	if (!p->failed) {
		p->failed = status;
		p->failure = *err;
	}
	p->stopping = true;
	pthread_cond_broadcast(&p->work);
	pthread_cond_broadcast(&p->uploads);
	pthread_cond_broadcast(&p->arrivals);
}

void pipeline_bad_record(struct tfr_pipeline *p, const struct sample *s, enum tfr_status status,
	struct tfr_error *err)
{
	const char *path = tfr_set_path(p->opts.set, s->file);

	tfr_error_locate(
		err, strcmp(path, "-") == 0 ? "standard input" : path, s->record, s->offset);
	if (p->opts.skip_bad && p->opts.skipped) {
		pthread_mutex_lock(&p->skip_lock);
		p->opts.skipped(p->opts.ctx, err, s->data, s->size);
		pthread_mutex_unlock(&p->skip_lock);
	}
	pthread_mutex_lock(&p->lock);
	if (p->opts.skip_bad) {
		p->skipped++;
	} else {
		/* Whatever the decoder called it, to this feed it is bad data. */
		err->status = TFR_EDATA;
		pipeline_fail(p, TFR_EDATA, err);
	}
	pthread_mutex_unlock(&p->lock);
	(void)status;
}

/* ---- the consumer ---- */

/* Whether every batch that will be has been delivered. */
static bool all_delivered(const struct tfr_pipeline *p)
{
	return p->fed_all && !p->fifo_count && !p->open && p->upload_number == p->fill_number &&
	       !p->flying.count && !p->full.count;
}

static bool out_of_time(const struct tfr_pipeline *p, uint64_t now)
{
	return p->opts.seconds > 0 && (double)(now - p->start_ns) * 1e-9 >= p->opts.seconds;
}

/* Waits until there is a batch (TFR_OK) or will be none. */
static enum tfr_status await_batch(struct tfr_pipeline *p, struct tfr_error *err)
{
	for (;;) {
		uint64_t now = tfr_clock_ns();
		struct timespec ts;

		if (p->failed) {
			if (err)
				*err = p->failure;
			return p->failed;
		}
		if (p->opts.cancelled && p->opts.cancelled(p->opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (out_of_time(p, now))
			return TFR_END;
		if (p->full.count)
			return TFR_OK;
		if (all_delivered(p)) {
			p->epochs = p->source.epoch + !p->ended;
			if (p->ended && err)
				*err = p->end;
			return p->ended ? p->ended : TFR_END;
		}
		now += LOOK_NS;
		ts = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
		pthread_cond_timedwait(&p->arrivals, &p->lock, &ts);
	}
}

static void deliver(struct tfr_pipeline *p, struct tfr_batch *batch, uint64_t waited_since)
{
	uint64_t now = tfr_clock_ns();
	unsigned number = p->full.at[p->full.head];
	struct target *t = &p->targets[number];

	p->full.head = (p->full.head + 1) % p->full.capacity;
	p->full.count--;
	t->state = TARGET_HELD;
	*batch = (struct tfr_batch){ .index = p->batches,
		.epoch = t->epoch,
		.records = t->records,
		.bytes = t->bytes,
		.memory = t->memory,
		.buffer = number };
	stats_delivered(p, t, now - waited_since, now);
}

enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err)
{
	struct counter *c = &p->counters[STAGE_CONSUMER];
	enum tfr_status status = TFR_END;
	uint64_t start = tfr_clock_ns();

	pthread_mutex_lock(&p->lock);
	span_end(&p->consumer_span);
	span_charge(&p->consumer_span, &c->starved);
	if (!p->opts.steps || p->batches < p->opts.steps)
		status = await_batch(p, err);
	span_end(&p->consumer_span);
	if (status == TFR_OK) {
		span_charge(&p->consumer_span, &c->busy);
		deliver(p, batch, start);
	}
	pthread_mutex_unlock(&p->lock);
	return status;
}

void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch)
{
	pthread_mutex_lock(&p->lock);
	p->targets[batch->buffer].state = TARGET_FREE;
	pthread_cond_signal(&p->uploads);
	pthread_mutex_unlock(&p->lock);
}

const struct tfr_pipeline_plan *tfr_pipeline_plan(const struct tfr_pipeline *p)
{
	return &p->plan;
}

const char *tfr_pipeline_describe(const struct tfr_pipeline *p)
{
	return p->description;
}
