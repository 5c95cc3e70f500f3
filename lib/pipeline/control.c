/* pipeline/control.c - who waits for what in a feed, under its one lock, and how it ends. */
#include "pipeline/control.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

void tfr_control_init(struct tfr_control *c, const struct tfr_pipeline_opts *opts)
{
	pthread_condattr_t attr;

	c->files = opts->set;
	c->faults = (struct tfr_fault_policy){ .on_fault = opts->skip_bad ? TFR_ON_FAULT_SKIP
									  : TFR_ON_FAULT_FAIL,
		.skipped = opts->skipped,
		.ctx = opts->ctx };
	tfr_fault_policy_init(&c->faults);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->arrivals, &attr);
	pthread_condattr_destroy(&attr);
}

/* The waiters went with their owners, before the control. */
void tfr_control_clear(struct tfr_control *c)
{
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->arrivals);
	pthread_mutex_destroy(&c->lock);
	tfr_fault_policy_clear(&c->faults);
}

/* ---- waiting ---- */

void tfr_control_add_waiter(struct tfr_control *c, struct tfr_waiter *w)
{
	assert(!w->next);
	pthread_cond_init(&w->changed, NULL);
	w->next = c->waiters;
	c->waiters = w;
}

void tfr_control_wait_for_work(struct tfr_control *c)
{
	c->idle_workers++;
	pthread_cond_wait(&c->work, &c->lock);
	assert(c->idle_workers);
	c->idle_workers--;
}

void tfr_control_wake_workers(struct tfr_control *c)
{
	c->moves++;
	if (c->idle_workers)
		pthread_cond_broadcast(&c->work);
}

void tfr_control_wake_worker(struct tfr_control *c)
{
	c->moves++;
	if (c->idle_workers)
		pthread_cond_signal(&c->work);
}

void tfr_control_consumer_wait(struct tfr_control *c, uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	pthread_cond_timedwait(&c->arrivals, &c->lock, &ts);
}

enum tfr_status tfr_control_stalled(
	const struct tfr_settings *settings, unsigned row, const char *path, struct tfr_error *err)
{
	const char *stage = settings->list.at[row].row->name;

	if (path)
		tfr_fail_path(err, TFR_ESYS, path, "nothing moved for %g s: stage '%s' waits for",
			settings->opts.stall_timeout, stage);
	else
		tfr_fail(err, TFR_ESYS, "nothing moved for %g s: stage '%s' waits",
			settings->opts.stall_timeout, stage);
	return tfr_control_timed_out(err);
}

/* ---- the end ---- */

static void stop_locked(struct tfr_control *c)
{
	c->stopping = true;
	pthread_cond_broadcast(&c->work);
	for (struct tfr_waiter *w = c->waiters; w; w = w->next)
		pthread_cond_signal(&w->changed);
	pthread_cond_broadcast(&c->arrivals);
}

void tfr_control_stop(struct tfr_control *c)
{
	pthread_mutex_lock(&c->lock);
	stop_locked(c);
	pthread_mutex_unlock(&c->lock);
}

void tfr_control_fail(struct tfr_control *c, enum tfr_status status, const struct tfr_error *err)
{
	assert(status != TFR_OK);
	if (!c->failed) {
		c->failed = status;
		c->failure = *err;
	}
	stop_locked(c);
}

void tfr_control_bad_record(
	struct tfr_control *c, const struct tfr_pipeline_sample *s, struct tfr_error *err)
{
	const char *path = tfr_set_path(c->files, s->file);
	/* Whatever else the decoder calls it, to this feed it is bad data. */
	enum tfr_status status = err->status == TFR_ENOMEM ? TFR_ENOMEM : TFR_EDATA;

	tfr_error_locate(
		err, strcmp(path, "-") == 0 ? "standard input" : path, s->record, s->offset);
	if (!tfr_fault_skip_record(&c->faults, NULL, status, err, s->data, s->data ? s->size : 0))
		return;
	err->status = status;
	pthread_mutex_lock(&c->lock);
	tfr_control_fail(c, status, err);
	pthread_mutex_unlock(&c->lock);
}
