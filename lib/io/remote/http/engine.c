/* io/remote/http/engine.c - the threads that run libcurl: engines, of which each has connections
 * and requests of its own.
 *
 * A request is queued, active, or waiting for its next attempt.  Its owner talks to the thread by
 * flags and by the list of new ones; everything else of it belongs to the thread until `ended`.
 *
 * One engine is enough for a distant server.  A near one sends faster than one thread copies, so a
 * request goes to the engine that has fewest: one after another they all use the connection of the
 * first, and many at once are shared out.
 *
 * HTTP/1.1 only: over one connection of HTTP/2 all ranges would share one window of TCP.
 *
 * After a fork the child has no such threads: its first request starts one, and what was open
 * before fails. */
#include "io/remote/http/engine.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "io/remote/http/attempt.h"
#include "io/remote/http/measurements.h"
#include "io/remote/upload.h"

enum { ENGINES = 2, SHARED = 4 /* connections from which on all of them are used */ };
enum { ABORT_MS = 1500 }; /* to abort uploads, before a signal ends the process */

static struct tfr_engine {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct tfr_request *incoming, **incoming_end;
	unsigned requests; /* that have not ended */
	atomic_bool running, quit;
	pid_t pid;
	pthread_t thread;
	CURLM *multi;
	/* Of the thread alone: */
	struct tfr_request *all, **all_end; /* in the order of their start */
	CURL *idle[TFR_REMOTE_CONNECTIONS];
	unsigned n_idle, active;
	struct tfr_rng jitter;
	bool silenced;
} engines[ENGINES] = { [0 ... ENGINES - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER,
			       .ended = PTHREAD_COND_INITIALIZER } };

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

static const volatile bool *_Atomic stop_reading;

void tfr_engine_stop(const volatile bool *stop)
{
	atomic_store(&stop_reading, stop);
}

static double now(void)
{
	return (double)tfr_clock_ns() * 1e-9;
}

static unsigned engines_used(void)
{
	return settings.connections >= SHARED ? ENGINES : 1;
}

static unsigned connections_of(const struct tfr_engine *e)
{
	unsigned n = engines_used(), i = (unsigned)(e - engines);

	return settings.connections / n + (i < settings.connections % n);
}

/* --- the thread --- */

/* With a signal handler that waits: the threads stop what is under way, and then the first of them
 * aborts the uploads.  A part that arrives after that would stay at the server. */
static struct {
	atomic_bool wanted, done;
	atomic_uint silent; /* engines without requests */
	char left[1024];    /* the uploads that were not aborted, once `done` is set */
} abortion;

bool tfr_engine_lock(pthread_mutex_t *lock)
{
	struct timespec until;
	bool held = false;

	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (until.tv_nsec + 20000000) / 1000000000;
		until.tv_nsec = (until.tv_nsec + 20000000) % 1000000000;
		held = !pthread_mutex_timedlock(lock, &until);
	} while (!held && !atomic_load(&abortion.wanted));
	return held;
}

static void mark_ended(struct tfr_engine *e, struct tfr_request *t, enum tfr_status status)
{
	bool held = tfr_engine_lock(&e->lock);

	t->status = status;
	t->ended = true;
	e->requests--;
	pthread_cond_broadcast(&e->ended);
	if (held)
		pthread_mutex_unlock(&e->lock);
}

static void stop_attempt(struct tfr_engine *e, struct tfr_request *t)
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
	tfr_measure_active(-1);
}

/* Adds it to the list of the thread. */
static void append(struct tfr_engine *e, struct tfr_request *t)
{
	t->next = NULL;
	t->back = e->all_end;
	*e->all_end = t;
	e->all_end = &t->next;
}

/* Removes it from the list of the thread. */
static void drop(struct tfr_engine *e, struct tfr_request *t)
{
	*t->back = t->next;
	if (t->next)
		t->next->back = t->back;
	else
		e->all_end = t->back;
}

static void finish(struct tfr_engine *e, struct tfr_request *t, enum tfr_status status)
{
	bool detached = t->o.detached; /* an owner frees it as soon as it has ended */

	stop_attempt(e, t);
	drop(e, t);
	if (t->o.done)
		t->o.done(t->o.ctx, status, &t->answer, &t->err);
	mark_ended(e, t, status);
	if (detached)
		tfr_attempts_free(t);
}

static void start_attempt(struct tfr_engine *e, struct tfr_request *t)
{
	enum tfr_status status;

	t->easy = e->n_idle ? e->idle[--e->n_idle] : curl_easy_init();
	if (!t->easy) {
		status = tfr_fail_nomem(&t->err, "starting a request");
	} else {
		t->state = TFR_ACTIVE;
		e->active++;
		tfr_measure_active(1);
		status = tfr_attempt_begin(t, now());
	}
	if (!status && curl_multi_add_handle(e->multi, t->easy) != CURLM_OK)
		status = tfr_fail_nomem(&t->err, "starting a request");
	if (status)
		finish(e, t, status);
}

/* An attempt is over: with its result the request ends, or waits for the next attempt. */
static void settle(struct tfr_engine *e, struct tfr_request *t, CURLcode code)
{
	double wait = 0;
	enum tfr_status status = tfr_attempt_end(t, code, now(), tfr_rng_unit(&e->jitter), &wait);

	stop_attempt(e, t);
	if (status != TFR_ATTEMPT_AGAIN)
		finish(e, t, status);
	else
		t->due = now() + wait;
}

static void take_messages(struct tfr_engine *e)
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

static void take_incoming(struct tfr_engine *e)
{
	if (!tfr_engine_lock(&e->lock))
		return;
	for (struct tfr_request *t = e->incoming, *next; t; t = next) {
		next = t->next;
		append(e, t);
	}
	e->incoming = NULL;
	e->incoming_end = &e->incoming;
	pthread_mutex_unlock(&e->lock);
}

/* Obeys the flags, ends attempts that stall, starts what is due.  Returns the seconds until the
 * next look. */
static double look(struct tfr_engine *e)
{
	const volatile bool *stopped = atomic_load(&stop_reading);
	double time = now(), sleep = 1;

	for (struct tfr_request *t = e->all, *next; t; t = next) {
		next = t->next;
		if (atomic_load(&t->cancel)) {
			stop_attempt(e, t);
			drop(e, t);
			mark_ended(e, t, TFR_ECANCELLED);
			continue;
		}
		if (stopped && *stopped && t->o.ranged) {
			finish(e, t, tfr_fail(&t->err, TFR_ECANCELLED, "interrupted"));
			continue;
		}
		if (t->state == TFR_ACTIVE && t->paused && atomic_exchange(&t->resume, false)) {
			t->paused = false;
			t->window = t->progress = time;
			curl_easy_pause(t->easy, CURLPAUSE_CONT);
		}
		if (t->state == TFR_ACTIVE && tfr_attempt_stalls(t, time))
			settle(e, t, CURLE_OPERATION_TIMEDOUT);
		else if (t->state == TFR_QUEUED && t->due <= time && e->active < connections_of(e))
			start_attempt(e, t);
		else if (t->state == TFR_QUEUED && t->due > time && t->due - time < sleep)
			sleep = t->due - time;
	}
	return settings.timeout / 12 < sleep ? settings.timeout / 12 : sleep;
}

/* --- the end by a signal --- */

static void silence(struct tfr_engine *e)
{
	if (e->silenced)
		return;
	for (struct tfr_request *t = e->all, *next; t; t = next) {
		next = t->next;
		stop_attempt(e, t);
		if (t->o.detached)
			tfr_attempts_free(t);
	}
	e->all = NULL;
	e->all_end = &e->all;
	e->silenced = true;
	abortion.silent++;
	if (e != engines)
		curl_multi_wakeup(engines->multi);
}

static unsigned engines_running(void)
{
	unsigned n = 0;

	for (int i = 0; i < ENGINES; i++)
		n += engines[i].running;
	return n;
}

static void note_left(const struct tfr_request *t)
{
	size_t n = strlen(abortion.left);
	char url[300];

	tfr_store_show(t->o.store, t->call.key, url, sizeof(url));
	snprintf(abortion.left + n, sizeof(abortion.left) - n, "%s'%s'", n ? ", " : "", url);
}

static void note_aborted(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	(void)a, (void)err;
	if (status && status != TFR_END && !atomic_load(&abortion.done))
		note_left(ctx);
}

static void begin_abort(void *ctx, const struct tfr_request_opts *opts)
{
	struct tfr_engine *e = ctx;
	struct tfr_request *t;

	if (tfr_attempts_new(&t, opts, NULL))
		return;
	t->o.ctx = t;
	t->o.done = note_aborted;
	t->engine = e;
	append(e, t);
}

/* Makes the requests that abort uploads, and no others. */
static void abort_uploads(struct tfr_engine *e)
{
	double end = now() + ABORT_MS * 1e-3;
	int running;

	tfr_uploads_aborts(begin_abort, e);
	while (e->all && now() < end) {
		look(e);
		curl_multi_perform(e->multi, &running);
		take_messages(e);
		if (e->all)
			curl_multi_poll(e->multi, NULL, 0, 50, NULL);
	}
	for (const struct tfr_request *t = e->all; t; t = t->next)
		note_left(t);
	atomic_store(&abortion.done, true);
}

const char *tfr_uploads_abort(bool patient)
{
	const struct timespec moment = { 0, 10000000 };

	if (!engines->running || engines->pid != getpid())
		return "";
	if (patient && !atomic_load(&abortion.wanted) && !tfr_uploads_left())
		return "";
	atomic_store(&abortion.wanted, true);
	for (int i = 0; i < ENGINES; i++)
		if (engines[i].running)
			curl_multi_wakeup(engines[i].multi);
	for (int i = 0; i < ABORT_MS / 10 + 20 && !atomic_load(&abortion.done); i++)
		nanosleep(&moment, NULL);
	return atomic_load(&abortion.done) ? abortion.left : "this run";
}

static void obey_signal(struct tfr_engine *e)
{
	if (!atomic_load(&abortion.wanted) || atomic_load(&abortion.done))
		return;
	silence(e);
	if (e == engines && abortion.silent >= engines_running())
		abort_uploads(e);
}

/* --- the loop --- */

static void *run(void *arg)
{
	struct tfr_engine *e = arg;
	int running;

	while (!atomic_load(&e->quit)) {
		double sleep;

		obey_signal(e);
		if (!e->silenced)
			take_incoming(e);
		sleep = look(e);
		curl_multi_perform(e->multi, &running);
		take_messages(e);
		if (e->active < connections_of(e) && e->all)
			sleep = look(e);
		curl_multi_poll(e->multi, NULL, 0, (int)(sleep * 1000) + 1, NULL);
	}
	return NULL;
}

/* --- starting and stopping it --- */

/* Before the libraries beneath are torn down. */
static void stop(struct tfr_engine *e)
{
	atomic_store(&e->quit, true);
	if (!e->running || e->pid != getpid())
		return;
	curl_multi_wakeup(e->multi);
	pthread_join(e->thread, NULL);
}

static void stop_at_exit(void)
{
	tfr_uploads_abort(true);
	for (int i = 0; i < ENGINES; i++)
		stop(&engines[i]);
}

/* Connections belong to the parent, so the handles are left as they are. */
static void forget_after_fork(void)
{
	for (int i = 0; i < ENGINES; i++)
		engines[i] = (struct tfr_engine){ .lock = PTHREAD_MUTEX_INITIALIZER,
			.ended = PTHREAD_COND_INITIALIZER };
	tfr_uploads_forget();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
	pthread_atfork(NULL, NULL, forget_after_fork);
	atexit(stop_at_exit);
}

/* With the lock held. */
static enum tfr_status start_thread(struct tfr_engine *e, struct tfr_error *err)
{
	sigset_t all, saved;
	int failed;

	if (e->running)
		return TFR_OK;
	e->incoming_end = &e->incoming;
	e->all_end = &e->all;
	e->multi = curl_multi_init();
	TFR_NEED_MEMORY(e->multi, err, "starting a request");
	curl_multi_setopt(e->multi, CURLMOPT_MAXCONNECTS, (long)connections_of(e) + 4);
	curl_multi_setopt(e->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	tfr_rng_init(&e->jitter, tfr_clock_ns(), (uint64_t)getpid() + (size_t)(e - engines));
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

static struct tfr_engine *least_busy(void)
{
	struct tfr_engine *least = engines;
	unsigned fewest = UINT_MAX;

	for (unsigned i = 0; i < engines_used(); i++) {
		struct tfr_engine *e = &engines[i];
		unsigned n;

		pthread_mutex_lock(&e->lock);
		n = e->requests;
		pthread_mutex_unlock(&e->lock);
		if (n < fewest) {
			fewest = n;
			least = e;
		}
	}
	return least;
}

enum tfr_status tfr_request_start(
	struct tfr_request **out, const struct tfr_request_opts *opts, struct tfr_error *err)
{
	struct tfr_engine *e;
	struct tfr_request *t = NULL;
	enum tfr_status status;

	pthread_once(&once, initialise);
	TFR_TRY(tfr_store_prepare(opts->store, err));
	TFR_TRY(tfr_attempts_new(&t, opts, err));
	e = least_busy();
	pthread_mutex_lock(&e->lock);
	status = start_thread(e, err);
	if (!status) {
		t->engine = e;
		t->pid = e->pid;
		e->requests++;
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
	if (t->pid == t->engine->pid)
		curl_multi_wakeup(t->engine->multi);
}

bool tfr_request_ended(struct tfr_request *t)
{
	bool ended;

	pthread_mutex_lock(&t->engine->lock);
	ended = t->ended;
	pthread_mutex_unlock(&t->engine->lock);
	return ended;
}

enum tfr_status tfr_request_wait(struct tfr_request *t, struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_engine *e = t->engine;

	pthread_mutex_lock(&e->lock);
	while (!t->ended)
		pthread_cond_wait(&e->ended, &e->lock);
	pthread_mutex_unlock(&e->lock);
	if (a)
		*a = t->answer;
	if (t->status && t->status != TFR_END && err)
		*err = t->err;
	return t->status;
}

void tfr_request_end(struct tfr_request *t)
{
	struct tfr_engine *e;

	if (!t)
		return;
	if (t->pid != getpid())
		return; /* the parent's: its memory may be in any state */
	e = t->engine;
	atomic_store(&t->cancel, true);
	pthread_mutex_lock(&e->lock);
	if (!t->ended)
		curl_multi_wakeup(e->multi);
	while (!t->ended)
		pthread_cond_wait(&e->ended, &e->lock);
	pthread_mutex_unlock(&e->lock);
	tfr_attempts_free(t);
}

/* --- a request for a caller that waits --- */

struct exchange {
	struct tfr_buf body;
	size_t most;
	char url[300]; /* for messages */
};

void tfr_answer_clear(struct tfr_answer *a)
{
	tfr_buf_clear(&a->body);
}

static enum tfr_status take_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct exchange *x = ctx;

	if (size > x->most - x->body.size)
		return tfr_fail_path(
			err, TFR_ESYS, x->url, "more than %zu bytes in the answer for", x->most);
	return tfr_buf_append(&x->body, data, size) ? TFR_OK
						    : tfr_fail_nomem(err, "reading an answer");
}

enum tfr_status tfr_exchange(struct tfr_store *s, const struct tfr_call *call,
	const struct tfr_request_body *content, size_t most, struct tfr_answer *a,
	struct tfr_error *err)
{
	struct exchange x = { .most = most };
	struct tfr_request_opts opts = { .store = s,
		.call = call,
		.patient = !strcmp(call->method, "POST"),
		.body = &x.body,
		.ctx = &x,
		.take = take_body };
	struct tfr_request *t = NULL;
	enum tfr_status status;

	*a = (struct tfr_answer){ 0 };
	if (content)
		opts.content = *content;
	tfr_store_show(s, call->key, x.url, sizeof(x.url));
	TFR_TRY(tfr_request_start(&t, &opts, err));
	status = tfr_request_wait(t, a, err);
	tfr_request_end(t);
	a->body = x.body;
	return status;
}
