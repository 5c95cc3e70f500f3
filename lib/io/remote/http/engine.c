/* io/remote/http/engine.c - the thread that runs libcurl.
 *
 * A transfer is queued, active, or waiting for its next attempt.  Its owner talks to the thread by
 * flags and by the list of new ones; everything else of it belongs to the thread until `ended`.
 *
 * HTTP/1.1 only: over one connection of HTTP/2 all ranges would share one window of TCP.
 *
 * After a fork the child has no such thread: its first request starts one, and what was open before
 * fails. */
#include "io/remote/http/engine.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "io/remote/http/attempt.h"
#include "io/remote/http/measurements.h"
#include "io/remote/upload_state.h"

enum { ABORT_SECONDS = 5 };

static struct engine {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct tfr_request *incoming, **incoming_end;
	bool running, quit;
	pid_t pid;
	pthread_t thread;
	CURLM *multi;
	/* Of the thread alone: */
	struct tfr_request *all, **all_end; /* in the order of their start */
	CURL *idle[TFR_REMOTE_CONNECTIONS];
	unsigned n_idle, active;
	struct tfr_rng jitter;
} engine = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

static struct tfr_remote_opts settings = { .connections = TFR_REMOTE_CONNECTIONS,
	.timeout = TFR_REMOTE_TIMEOUT };

void tfr_engine_set(const struct tfr_remote_opts *opts)
{
	settings = *opts;
	if (!settings.connections)
		settings.connections = TFR_REMOTE_CONNECTIONS;
	if (!(settings.timeout > 0))
		settings.timeout = TFR_REMOTE_TIMEOUT;
}

const struct tfr_remote_opts *tfr_engine_opts(void)
{
	return &settings;
}

static double now(void)
{
	return (double)tfr_clock_ns() * 1e-9;
}

/* --- the thread --- */

static atomic_int aborting; /* 1: a signal handler waits; 2: the uploads are aborted */

static void end_transfer(struct engine *e, struct tfr_request *t)
{
	pthread_mutex_lock(&e->lock);
	t->ended = true;
	pthread_cond_broadcast(&e->ended);
	pthread_mutex_unlock(&e->lock);
}

static void stop_attempt(struct engine *e, struct tfr_request *t)
{
	if (t->state != TFR_ACTIVE)
		return;
	curl_multi_remove_handle(e->multi, t->easy);
	tfr_attempt_measure(t);
	if (e->n_idle < TFR_REMOTE_CONNECTIONS)
		e->idle[e->n_idle++] = t->easy;
	else
		curl_easy_cleanup(t->easy);
	t->easy = NULL;
	t->state = TFR_QUEUED;
	e->active--;
}

/* Removes it from the list of the thread. */
static void drop(struct engine *e, struct tfr_request *t)
{
	*t->back = t->next;
	if (t->next)
		t->next->back = t->back;
	else
		e->all_end = t->back;
}

static void finish(struct engine *e, struct tfr_request *t, enum tfr_status status)
{
	stop_attempt(e, t);
	drop(e, t);
	if (t->o.done)
		t->o.done(t->o.ctx, status, &t->answer, &t->err);
	end_transfer(e, t);
}

static void start_attempt(struct engine *e, struct tfr_request *t)
{
	enum tfr_status status;

	t->easy = e->n_idle ? e->idle[--e->n_idle] : curl_easy_init();
	if (!t->easy) {
		status = tfr_fail_nomem(&t->err, "starting a request");
	} else {
		t->state = TFR_ACTIVE;
		e->active++;
		status = tfr_attempt_begin(t, now());
	}
	if (!status && curl_multi_add_handle(e->multi, t->easy) != CURLM_OK)
		status = tfr_fail_nomem(&t->err, "starting a request");
	if (status)
		finish(e, t, status);
	else
		tfr_measure_active(e->active);
}

/* An attempt is over: with its result the transfer ends, or waits for the next attempt. */
static void settle(struct engine *e, struct tfr_request *t, CURLcode code)
{
	double wait = 0;
	enum tfr_status status = tfr_attempt_end(t, code, now(), tfr_rng_unit(&e->jitter), &wait);

	stop_attempt(e, t);
	if (status != TFR_ATTEMPT_AGAIN)
		finish(e, t, status);
	else
		t->due = now() + wait;
}

static void take_messages(struct engine *e)
{
	struct tfr_request *t;
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(e->multi, &left))) {
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		settle(e, t, code);
	}
}

static void take_incoming(struct engine *e)
{
	pthread_mutex_lock(&e->lock);
	for (struct tfr_request *t = e->incoming, *next; t; t = next) {
		next = t->next;
		t->next = NULL;
		t->back = e->all_end;
		*e->all_end = t;
		e->all_end = &t->next;
	}
	e->incoming = NULL;
	e->incoming_end = &e->incoming;
	pthread_mutex_unlock(&e->lock);
}

/* Obeys the flags, ends attempts that stall, starts what is due.  Returns the seconds until the
 * next look. */
static double look(struct engine *e)
{
	double time = now(), sleep = 1;

	for (struct tfr_request *t = e->all, *next; t; t = next) {
		next = t->next;
		if (atomic_load(&t->cancel)) {
			stop_attempt(e, t);
			drop(e, t);
			end_transfer(e, t);
			continue;
		}
		if (t->state == TFR_ACTIVE && t->paused && atomic_exchange(&t->resume, false)) {
			t->paused = false;
			t->window = t->progress = time;
			curl_easy_pause(t->easy, CURLPAUSE_CONT);
		}
		if (t->state == TFR_ACTIVE && tfr_attempt_stalls(t, time))
			settle(e, t, CURLE_OPERATION_TIMEDOUT);
		else if (t->state == TFR_QUEUED && t->due <= time &&
			 e->active < settings.connections)
			start_attempt(e, t);
		else if (t->state == TFR_QUEUED && t->due > time && t->due - time < sleep)
			sleep = t->due - time;
	}
	return settings.timeout / 12 < sleep ? settings.timeout / 12 : sleep;
}

static bool is_over(struct engine *e)
{
	bool quit;

	pthread_mutex_lock(&e->lock);
	quit = e->quit;
	pthread_mutex_unlock(&e->lock);
	return quit;
}

/* A signal ends the process: everything in flight stops, and only the requests that abort uploads
 * are made. */
static void abort_uploads(struct engine *e)
{
	double end = now() + ABORT_SECONDS;
	size_t n = 0;
	struct tfr_request_opts *all = tfr_uploads_aborts(&n);
	int running;

	for (struct tfr_request *t = e->all; t; t = t->next)
		stop_attempt(e, t);
	e->all = NULL;
	e->all_end = &e->all;
	for (size_t i = 0; i < n; i++) {
		struct tfr_request *t = NULL;

		if (tfr_attempts_new(&t, &all[i], NULL))
			continue;
		t->back = e->all_end;
		*e->all_end = t;
		e->all_end = &t->next;
	}
	while (e->all && now() < end) {
		look(e);
		curl_multi_perform(e->multi, &running);
		take_messages(e);
		if (e->all)
			curl_multi_poll(e->multi, NULL, 0, 50, NULL);
	}
	atomic_store(&aborting, 2);
}

void tfr_uploads_abort(void)
{
	const struct timespec moment = { 0, 10000000 };

	if (!engine.running || engine.pid != getpid())
		return;
	atomic_store(&aborting, 1);
	curl_multi_wakeup(engine.multi);
	for (int i = 0; i < ABORT_SECONDS * 110 && atomic_load(&aborting) != 2; i++)
		nanosleep(&moment, NULL);
}

static void *run(void *arg)
{
	struct engine *e = arg;
	int running;

	while (!is_over(e)) {
		double sleep;

		if (atomic_load(&aborting) == 1)
			abort_uploads(e);
		take_incoming(e);
		sleep = look(e);
		curl_multi_perform(e->multi, &running);
		take_messages(e);
		if (e->active < settings.connections && e->all)
			sleep = look(e);
		curl_multi_poll(e->multi, NULL, 0, (int)(sleep * 1000) + 1, NULL);
	}
	return NULL;
}

/* --- starting and stopping it --- */

/* Before the libraries beneath are torn down. */
static void stop_at_exit(void)
{
	struct engine *e = &engine;
	bool running;

	pthread_mutex_lock(&e->lock);
	running = e->running && e->pid == getpid();
	e->quit = true;
	pthread_mutex_unlock(&e->lock);
	if (!running)
		return;
	curl_multi_wakeup(e->multi);
	pthread_join(e->thread, NULL);
}

/* Connections belong to the parent, so the handles are left as they are. */
static void forget_after_fork(void)
{
	engine = (struct engine){ .lock = PTHREAD_MUTEX_INITIALIZER,
		.ended = PTHREAD_COND_INITIALIZER };
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
	pthread_atfork(NULL, NULL, forget_after_fork);
	atexit(stop_at_exit);
}

/* With the lock held. */
static enum tfr_status start_thread(struct engine *e, struct tfr_error *err)
{
	sigset_t all, saved;
	int failed;

	if (e->running)
		return TFR_OK;
	e->incoming_end = &e->incoming;
	e->all_end = &e->all;
	e->multi = curl_multi_init();
	if (!e->multi)
		return tfr_fail_nomem(err, "starting a request");
	curl_multi_setopt(e->multi, CURLMOPT_MAXCONNECTS, (long)settings.connections + 4);
	curl_multi_setopt(e->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	tfr_rng_init(&e->jitter, tfr_clock_ns(), (uint64_t)getpid());
	e->pid = getpid();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	failed = pthread_create(&e->thread, NULL, run, e);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (failed) {
		curl_multi_cleanup(e->multi);
		e->multi = NULL;
		return tfr_fail_errno(err, failed, NULL, "cannot start a thread");
	}
	e->running = true;
	return TFR_OK;
}

enum tfr_status tfr_request_start(
	struct tfr_request **out, const struct tfr_request_opts *opts, struct tfr_error *err)
{
	struct engine *e = &engine;
	struct tfr_request *t = NULL;
	enum tfr_status status;

	pthread_once(&once, initialise);
	status = tfr_store_prepare(opts->store, err);
	if (!status)
		status = tfr_attempts_new(&t, opts, err);
	if (status)
		return status;
	pthread_mutex_lock(&e->lock);
	status = start_thread(e, err);
	if (!status) {
		t->pid = e->pid;
		*e->incoming_end = t;
		e->incoming_end = &t->next;
	}
	pthread_mutex_unlock(&e->lock);
	if (status) {
		tfr_attempts_free(t);
		return status;
	}
	curl_multi_wakeup(e->multi);
	*out = t;
	return TFR_OK;
}

void tfr_request_resume(struct tfr_request *t)
{
	atomic_store(&t->resume, true);
	if (t->pid == engine.pid)
		curl_multi_wakeup(engine.multi);
}

void tfr_request_end(struct tfr_request *t)
{
	struct engine *e = &engine;

	if (!t)
		return;
	if (t->pid != getpid())
		return; /* the parent's: its memory may be in any state */
	atomic_store(&t->cancel, true);
	pthread_mutex_lock(&e->lock);
	if (!t->ended)
		curl_multi_wakeup(e->multi);
	while (!t->ended)
		pthread_cond_wait(&e->ended, &e->lock);
	pthread_mutex_unlock(&e->lock);
	tfr_attempts_free(t);
}
