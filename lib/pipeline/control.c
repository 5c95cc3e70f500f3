/* pipeline/control.c - see control.h. */
#include "pipeline/control.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct tfr_feed_control {
	const struct tfr_feed_settings *set;
	pthread_mutex_t lock;
	pthread_mutex_t skip_lock; /* one call of opts.skipped at a time */
	pthread_cond_t work, arrivals;
	struct tfr_feed_waiter *waiters;
	unsigned idle_workers;
	bool stopping;
	enum tfr_status failed;
	struct tfr_error failure;
	uint64_t moves, skipped;
};

enum tfr_status tfr_feed_control_new(
	struct tfr_feed_control **out, const struct tfr_feed_settings *set, struct tfr_error *err)
{
	struct tfr_feed_control *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	*out = c;
	if (!c)
		return tfr_fail_nomem(err, "starting a feed");
	c->set = set;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->skip_lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->arrivals, &attr);
	pthread_condattr_destroy(&attr);
	return TFR_OK;
}

/* The waiters went with their parts, before the control. */
void tfr_feed_control_free(struct tfr_feed_control *c)
{
	if (!c)
		return;
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->arrivals);
	pthread_mutex_destroy(&c->skip_lock);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void tfr_feed_lock(struct tfr_feed_control *c)
{
	pthread_mutex_lock(&c->lock);
}

void tfr_feed_unlock(struct tfr_feed_control *c)
{
	pthread_mutex_unlock(&c->lock);
}

/* ---- waiting ---- */

void tfr_feed_add_waiter(struct tfr_feed_control *c, struct tfr_feed_waiter *w)
{
	assert(!w->next);
	pthread_cond_init(&w->changed, NULL);
	w->next = c->waiters;
	c->waiters = w;
}

void tfr_feed_wait(struct tfr_feed_control *c, struct tfr_feed_waiter *w)
{
	pthread_cond_wait(&w->changed, &c->lock);
}

void tfr_feed_wait_for_work(struct tfr_feed_control *c)
{
	c->idle_workers++;
	pthread_cond_wait(&c->work, &c->lock);
	assert(c->idle_workers);
	c->idle_workers--;
}

void tfr_feed_wake_workers(struct tfr_feed_control *c)
{
	c->moves++;
	if (c->idle_workers)
		pthread_cond_broadcast(&c->work);
}

void tfr_feed_consumer_wait(struct tfr_feed_control *c, uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	pthread_cond_timedwait(&c->arrivals, &c->lock, &ts);
}

void tfr_feed_wake_consumer(struct tfr_feed_control *c)
{
	pthread_cond_signal(&c->arrivals);
}

void tfr_feed_note_move(struct tfr_feed_control *c)
{
	c->moves++;
}

uint64_t tfr_feed_moves(const struct tfr_feed_control *c)
{
	return c->moves;
}

/* ---- the end ---- */

bool tfr_feed_stopping(const struct tfr_feed_control *c)
{
	return c->stopping;
}

static void stop_locked(struct tfr_feed_control *c)
{
	c->stopping = true;
	pthread_cond_broadcast(&c->work);
	for (struct tfr_feed_waiter *w = c->waiters; w; w = w->next)
		pthread_cond_signal(&w->changed);
	pthread_cond_broadcast(&c->arrivals);
}

void tfr_feed_stop(struct tfr_feed_control *c)
{
	pthread_mutex_lock(&c->lock);
	stop_locked(c);
	pthread_mutex_unlock(&c->lock);
}

void tfr_feed_fail(struct tfr_feed_control *c, enum tfr_status status, const struct tfr_error *err)
{
	assert(status != TFR_OK);
	if (!c->failed) {
		c->failed = status;
		c->failure = *err;
	}
	stop_locked(c);
}

enum tfr_status tfr_feed_failure(const struct tfr_feed_control *c, struct tfr_error *err)
{
	if (c->failed && err)
		*err = c->failure;
	return c->failed;
}

void tfr_feed_bad_record(
	struct tfr_feed_control *c, const struct tfr_feed_sample *s, struct tfr_error *err)
{
	const struct tfr_pipeline_opts *opts = &c->set->opts;
	const char *path = tfr_set_path(opts->set, s->file);

	tfr_error_locate(
		err, strcmp(path, "-") == 0 ? "standard input" : path, s->record, s->offset);
	if (err->status == TFR_ENOMEM) { /* which is no fault of the record */
		pthread_mutex_lock(&c->lock);
		tfr_feed_fail(c, TFR_ENOMEM, err);
		pthread_mutex_unlock(&c->lock);
		return;
	}
	if (opts->skip_bad && opts->skipped) {
		pthread_mutex_lock(&c->skip_lock);
		opts->skipped(opts->ctx, err, s->data, s->data ? s->size : 0);
		pthread_mutex_unlock(&c->skip_lock);
	}
	pthread_mutex_lock(&c->lock);
	if (opts->skip_bad) {
		c->skipped++;
	} else {
		/* Whatever the decoder called it, to this feed it is bad data. */
		err->status = TFR_EDATA;
		tfr_feed_fail(c, TFR_EDATA, err);
	}
	pthread_mutex_unlock(&c->lock);
}

uint64_t tfr_feed_skipped(const struct tfr_feed_control *c)
{
	return c->skipped;
}
