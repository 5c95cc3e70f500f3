/* pipeline/pipeline.c - a feed from its options to its end.
 *
 * Opening starts the reading threads, looks at what they read, settles the list and the plan, then
 * starts the workers and the uploaders; closing tells all of them and joins them.  A feed ends in
 * one of four ways: a limit, the last record, damage in a file (when what came before it is
 * delivered), or a failure (at once). */
#include "pipeline/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "pipeline/plan.h"
#include "thread/threads.h"

enum { BLOCK_SIZE = 512 << 10, BLOCK_LEAST = 32 << 10, READ_MOST = 16 << 20 };

static void init_locks(struct tfr_pipeline *p)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->skip_lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->arrivals, &attr);
	pthread_condattr_destroy(&attr);
}

static enum tfr_status start_reading(struct tfr_pipeline *p, struct tfr_error *err)
{
	uint64_t budget = p->opts.memory / 32, block;
	size_t files = tfr_set_count(p->opts.set);
	uint32_t cycle = p->cycle > files && files ? (uint32_t)files : p->cycle;

	budget = (budget < READ_MOST ? budget : READ_MOST) / cycle;
	block = budget / 4 < BLOCK_SIZE ? budget / 4 : BLOCK_SIZE;
	block = block < BLOCK_LEAST ? BLOCK_LEAST : block;
	p->source.budget = budget;
	p->source.block_size = (size_t)block;
	tfr_block_pool_init(&p->blocks, cycle + 2, 2 * (size_t)block);
	p->example = tfr_example_new();
	if (!p->example)
		return tfr_fail_nomem(err, "starting to read");
	return tfr_record_source_start(p, err);
}

static uint32_t most_copies(const struct tfr_pipeline *p)
{
	const struct tfr_flow_node *last = tfr_flow_last_const(p);

	return last->decodes ? last->recipe.copies : 1;
}

enum { DROP_AT_ONCE = 256 };

static enum tfr_status worker_init(struct tfr_pipeline *p, unsigned number, struct tfr_error *err)
{
	struct tfr_worker *w = &p->workers[number];
	enum tfr_status status = TFR_OK;

	w->p = p;
	w->number = number;
	w->example = tfr_example_new();
	w->fills = calloc(most_copies(p), sizeof(struct tfr_staged_batch *));
	w->places = calloc(most_copies(p), sizeof(*w->places));
	w->dropped = calloc(DROP_AT_ONCE, sizeof(struct tfr_feed_sample *));
	if (!w->example || !w->fills || !w->places || !w->dropped)
		return tfr_fail_nomem(err, "starting the workers");
	if (p->opts.where)
		status = tfr_where_compile(&w->where, p->opts.where, err);
	if (status == TFR_OK && p->features)
		status = tfr_feature_block_parser(p->features, &w->parser, err);
	if (status == TFR_OK && p->images)
		status = tfr_image_executor_new(
			&w->executor, p->opts.memory / 4, p->opts.fast_decode, err);
	return status;
}

static void worker_clear(struct tfr_worker *w)
{
	tfr_image_executor_free(w->executor);
	tfr_example_free(w->example);
	tfr_where_free(w->where);
	tfr_batch_parser_free(w->parser);
	free(w->fills);
	free(w->places);
	free(w->dropped);
}

static enum tfr_status start_threads(struct tfr_pipeline *p, struct tfr_error *err)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < p->opts.threads; i++) {
		rc = pthread_create(&p->threads[i], NULL, tfr_worker_main, &p->workers[i]);
		p->threads_started += rc == 0;
	}
	for (unsigned i = 0; rc == 0 && i < p->uploader_count; i++) {
		rc = pthread_create(
			&p->uploaders[i].uploader, NULL, tfr_uploader_main, &p->uploaders[i]);
		p->uploaders[i].started = rc == 0;
	}
	return rc ? tfr_fail(err, TFR_ESYS, "cannot start the workers: %s", strerror(rc)) : TFR_OK;
}

static enum tfr_status start_workers(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	p->workers = calloc(p->opts.threads, sizeof(*p->workers));
	p->threads = calloc(p->opts.threads, sizeof(*p->threads));
	if (!p->workers || !p->threads)
		return tfr_fail_nomem(err, "starting the workers");
	for (unsigned i = 0; status == TFR_OK && i < p->opts.threads; i++)
		status = worker_init(p, i, err);
	return status ? status : start_threads(p, err);
}

/* What the list becomes, once it is known what the records are. */
static enum tfr_status settle(struct tfr_pipeline *p, struct tfr_error *err)
{
	struct tfr_first_records f = { 0 };
	enum tfr_status status = tfr_first_records_read(p, &f, err);

	if (status == TFR_OK)
		status = tfr_feed_options_settle(p, &f, err);
	if (status == TFR_OK && tfr_feeds_audio(p))
		tfr_first_records_use_audio(&f);
	if (status == TFR_OK && p->features)
		status = tfr_first_records_parse(p, &f, err);
	if (status == TFR_OK)
		status = tfr_flow_compile(p, err);
	if (status == TFR_OK)
		status = tfr_feed_plan(p, &f, err);
	if (status == TFR_OK)
		status = tfr_flow_allocate(p, err);
	return status;
}

enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **out, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_pipeline *p = calloc(1, sizeof(*p));
	enum tfr_status status;

	if (!p)
		return tfr_fail_nomem(err, "starting a feed");
	p->opts = *opts;
	p->source.cancel = -1;
	p->start_ns = tfr_clock_ns();
	tfr_load_read(&p->load_then);
	init_locks(p);
	tfr_sample_pool_init(&p->store, (p->opts.memory ? p->opts.memory : 1ull << 30) / 64);
	tfr_block_pool_init(&p->blocks, 0, 0);
	status = tfr_feed_options_check(p, err);
	if (status == TFR_OK)
		status = start_reading(p, err);
	if (status == TFR_OK)
		status = settle(p, err);
	if (status == TFR_OK)
		status = tfr_transfer_init(p, err);
	if (status == TFR_OK)
		status = start_workers(p, err);
	if (status) {
		tfr_pipeline_close(p);
		return status;
	}
	*out = p;
	return TFR_OK;
}

static void stop_threads(struct tfr_pipeline *p)
{
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->work);
	for (unsigned i = 0; i < p->uploader_count; i++)
		pthread_cond_signal(&p->uploaders[i].uploads);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->uploader_count; i++)
		tfr_uploader_cut_short(&p->uploaders[i]);
	for (unsigned i = 0; i < p->threads_started; i++)
		pthread_join(p->threads[i], NULL);
	for (unsigned i = 0; i < p->uploader_count; i++)
		if (p->uploaders[i].started)
			pthread_join(p->uploaders[i].uploader, NULL);
	tfr_record_source_stop(p);
}

static void warn_of_names(struct tfr_pipeline *p)
{
	struct tfr_lookout *all = NULL;

	for (unsigned i = 0; p->workers && i < p->opts.threads; i++) {
		struct tfr_where *where = p->workers[i].where;

		if (where && all)
			tfr_lookout_merge(all, tfr_where_lookout(where));
		else if (where)
			all = tfr_where_lookout(where);
	}
	if (all)
		tfr_lookout_warn(all, p->opts.warn, p->opts.ctx);
}

void tfr_pipeline_close(struct tfr_pipeline *p)
{
	if (!p)
		return;
	stop_threads(p);
	warn_of_names(p);
	tfr_transfer_clear(p);
	tfr_flow_clear(p);
	for (unsigned i = 0; p->workers && i < p->opts.threads; i++)
		worker_clear(&p->workers[i]);
	free(p->workers);
	free(p->threads);
	tfr_feed_options_clear(p);
	tfr_example_free(p->example);
	tfr_sample_pool_clear(&p->store);
	tfr_block_pool_clear(&p->blocks);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->arrivals);
	pthread_mutex_destroy(&p->skip_lock);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void tfr_feed_fail(struct tfr_pipeline *p, enum tfr_status status, const struct tfr_error *err)
{
	if (!p->failed) {
		p->failed = status;
		p->failure = *err;
	}
	p->stopping = true;
	pthread_cond_broadcast(&p->work);
	for (unsigned i = 0; i < p->uploader_count; i++)
		pthread_cond_signal(&p->uploaders[i].uploads);
	pthread_cond_broadcast(&p->arrivals);
}

void tfr_feed_bad_record(
	struct tfr_pipeline *p, const struct tfr_feed_sample *s, struct tfr_error *err)
{
	const char *path = tfr_set_path(p->opts.set, s->file);

	tfr_error_locate(
		err, strcmp(path, "-") == 0 ? "standard input" : path, s->record, s->offset);
	if (err->status == TFR_ENOMEM) { /* which says nothing about the record */
		pthread_mutex_lock(&p->lock);
		tfr_feed_fail(p, TFR_ENOMEM, err);
		pthread_mutex_unlock(&p->lock);
		return;
	}
	if (p->opts.skip_bad && p->opts.skipped) {
		pthread_mutex_lock(&p->skip_lock);
		p->opts.skipped(p->opts.ctx, err, s->data, s->data ? s->size : 0);
		pthread_mutex_unlock(&p->skip_lock);
	}
	pthread_mutex_lock(&p->lock);
	if (p->opts.skip_bad) {
		p->skipped++;
	} else {
		/* Whatever the decoder called it, to this feed it is bad data. */
		err->status = TFR_EDATA;
		tfr_feed_fail(p, TFR_EDATA, err);
	}
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
