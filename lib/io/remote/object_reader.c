/* io/remote/object_reader.c - reads an object: ranges in flight, delivered in order.
 *
 * Opening asks for the first 256 KiB at once, and its answer has the size and the ETag: one round
 * trip.  Once a caller reads on, ranges of 8 MiB follow.  Their number doubles as long as that
 * makes the whole faster.  All ranges of the process share a budget of memory, from which each
 * reader gets its part; with many readers, ranges become smaller.
 *
 * A server that ignores ranges sends everything in one answer, which pauses while the buffer is
 * full.  Such an object can only be read from start to end, unless it fits in the first buffer.
 *
 * The lock is for what the thread of the engine changes.  A range's bytes up to `filled` do not
 * change until the caller has taken them. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/remote/http/engine.h"
#include "io/remote/http/measurements.h"
#include "io/remote/object_reader.h"

enum {
	FIRST = 256 << 10, /* asked for at opening */
	AFTER_SEEK = 32 << 10,
	RANGE = 8 << 20,
	LEAST_RANGE = 1 << 20,
	ON = 32 << 10, /* a read of this size, or four of them in a row, is a sign of reading on */
	BUDGET = 96 << 20,
	NEAR = 2, /* ranges in flight at first: of a near server, of a distant one */
	FAR = 16,
	STREAM = 4 << 20, /* the buffer for an answer without ranges */
};

struct range {
	struct range *next;
	struct tfr_object *o;
	struct tfr_request *transfer;
	uint64_t first;
	size_t size, cap;	/* bytes asked for; of the buffer */
	uint64_t filled, taken; /* bytes that came; that the caller has read */
	bool full;		/* the transfer is paused */
	bool ended;
	enum tfr_status status;
	struct tfr_error err;
	uint8_t *data;
};

struct tfr_object {
	struct tfr_store *store;
	char *url;
	const char *key; /* in `url` */
	pid_t pid;
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct range *head, **tail; /* what is in flight or was not read, in order */
	struct range *spare;	    /* with buffers for the next ones */
	uint64_t next;		    /* the first byte that was not asked for */
	uint64_t position;	    /* of the next read, if it reads on */
	unsigned in_flight, reads_in_a_row;
	bool known;    /* the first answer came */
	bool whole;    /* the server ignores ranges */
	bool resident; /* all of it is in the first range, which stays */
	bool ahead;    /* counted among the readers that share the budget */
	uint64_t size; /* UINT64_MAX: unknown */
	char if_match[TFR_ETAG + 16];
	char etag[TFR_ETAG];
	int64_t mtime;
	struct stat st;
	/* The number of ranges in flight: */
	unsigned target;
	double best, rate;    /* bytes per second: the best so far, and the last */
	uint64_t since, came; /* nanoseconds; bytes since then */
};

static _Atomic uint64_t used;	 /* bytes of all buffers */
static _Atomic unsigned readers; /* that read ahead */

static uint64_t budget(void)
{
	uint64_t memory = tfr_engine_opts()->read_memory;

	return memory ? memory : BUDGET;
}

/* --- ranges --- */

static size_t range_size(const struct tfr_object *o)
{
	uint64_t left = o->size - o->next, size = budget() / (readers + 1u) / 4;

	size = size > RANGE ? RANGE : size < LEAST_RANGE ? LEAST_RANGE : size;
	return (size_t)(left < size + size / 2 ? left : size);
}

static struct range *new_range(struct tfr_object *o, size_t size)
{
	struct range *r = NULL, **at = &o->spare;

	while (*at && (*at)->cap < size)
		at = &(*at)->next;
	if (*at) {
		r = *at;
		*at = r->next;
		*r = (struct range){ .data = r->data, .cap = r->cap };
	} else {
		r = calloc(1, sizeof(*r));
		if (r)
			r->data = malloc(size);
		if (!r || !r->data) {
			free(r);
			return NULL;
		}
		r->cap = size;
		used += size;
	}
	r->o = o;
	r->size = size;
	return r;
}

static void free_range(struct range *r)
{
	used -= r->cap;
	free(r->data);
	free(r);
}

/* After its transfer has ended.  A buffer of another size than the ones to come is no use. */
static void retire(struct tfr_object *o, struct range *r)
{
	if (r->cap < LEAST_RANGE || o->next >= o->size) {
		free_range(r);
		return;
	}
	r->next = o->spare;
	o->spare = r;
}

static void drop_head(struct tfr_object *o)
{
	struct range *r = o->head;

	tfr_request_end(r->transfer);
	pthread_mutex_lock(&o->lock);
	o->head = r->next;
	if (!o->head)
		o->tail = &o->head;
	o->in_flight -= !r->ended;
	pthread_mutex_unlock(&o->lock);
	retire(o, r);
}

/* --- answers, on the thread of the engine --- */

static enum tfr_status replaced(const struct tfr_object *o, struct tfr_error *err)
{
	char url[300];

	tfr_fail_path(err, TFR_ESYS, tfr_store_show(o->store, o->key, url, sizeof(url)),
		"the object was replaced or removed while it was read:");
	return TFR_ESYS;
}

static enum tfr_status wrong(const struct tfr_object *o, const char *what, struct tfr_error *err)
{
	char url[300];

	return tfr_fail_path(
		err, TFR_ESYS, tfr_store_show(o->store, o->key, url, sizeof(url)), "%s", what);
}

/* A weak tag (W/"...") never matches If-Match; it is compared here. */
static void learn(struct tfr_object *o, const struct tfr_answer *a)
{
	o->known = true;
	memcpy(o->etag, a->etag, sizeof(o->etag));
	if (*o->etag == '"')
		snprintf(o->if_match, sizeof(o->if_match), "If-Match: %s", o->etag);
	o->mtime = a->mtime;
	o->size = a->status == 206 ? a->total : a->length;
	tfr_object_identity(&o->st, o->store, a, o->size);
}

static bool is_same(const struct tfr_object *o, const struct tfr_answer *a)
{
	uint64_t size = a->status == 206 ? a->total : a->length;

	return !strcmp(o->etag, a->etag) && o->mtime == a->mtime &&
	       (size == o->size || size == UINT64_MAX);
}

/* The answer has everything, and was asked for the beginning. */
static enum tfr_status take_whole(struct range *r, struct tfr_error *err)
{
	struct tfr_object *o = r->o;
	uint8_t *data;

	if (r->first || (o->head != r && o->head))
		return wrong(o, "the server does not serve ranges any more for", err);
	o->whole = true;
	if (o->size <= r->cap) {
		o->resident = true;
	} else if (r->cap < STREAM) {
		data = malloc(STREAM);
		if (!data)
			return tfr_fail_nomem(err, "reading an object");
		memcpy(data, r->data, r->cap);
		free(r->data);
		r->data = data;
		used += STREAM - r->cap;
		r->cap = STREAM;
	}
	return TFR_OK;
}

static enum tfr_status check(struct range *r, const struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_object *o = r->o;

	if (o->known && !is_same(o, a))
		return replaced(o, err);
	if (!o->known)
		learn(o, a);
	if (a->status != 206)
		return r->filled && r->cap >= STREAM ? TFR_OK : take_whole(r, err);
	return o->size == UINT64_MAX ? wrong(o, "the server does not tell the size of", err)
				     : TFR_OK;
}

static enum tfr_status on_head(void *ctx, const struct tfr_answer *a, struct tfr_error *err)
{
	struct range *r = ctx;
	enum tfr_status status;

	pthread_mutex_lock(&r->o->lock);
	status = check(r, a, err);
	pthread_cond_signal(&r->o->arrived);
	pthread_mutex_unlock(&r->o->lock);
	return status;
}

/* Up to `size` bytes at `filled`, which wraps around in an answer without ranges. */
static void store(struct range *r, const uint8_t *data, size_t size)
{
	size_t at = (size_t)(r->filled % r->cap), n = r->cap - at < size ? r->cap - at : size;

	memcpy(r->data + at, data, n);
	memcpy(r->data, data + n, size - n);
}

static enum tfr_status on_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct range *r = ctx;
	struct tfr_object *o = r->o;
	bool room;

	pthread_mutex_lock(&o->lock);
	room = size <= (o->whole ? r->cap - (r->filled - r->taken) : r->size - r->filled);
	r->full = !room && o->whole;
	pthread_mutex_unlock(&o->lock);
	if (!room)
		return o->whole ? TFR_END
				: wrong(o, "the server sends more than it was asked for:", err);
	store(r, data, size);
	pthread_mutex_lock(&o->lock);
	r->filled += size;
	o->came += size;
	pthread_cond_signal(&o->arrived);
	pthread_mutex_unlock(&o->lock);
	return TFR_OK;
}

static void on_done(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	struct range *r = ctx;
	struct tfr_object *o = r->o;

	pthread_mutex_lock(&o->lock);
	if (status == TFR_ESYS && a->status == 416 && !r->first && (a->total == 0 || !o->known)) {
		o->known = o->whole = o->resident = true;
		o->size = 0;
		tfr_object_identity(&o->st, o->store, a, 0);
		status = TFR_OK;
	}
	r->status = status;
	if (status == TFR_ESYS && a->status == 412)
		replaced(o, &r->err);
	else if (status == TFR_END && o->known)
		r->status = replaced(o, &r->err);
	else if (status && status != TFR_END)
		r->err = *err;
	if (!status && o->whole && o->size == UINT64_MAX)
		o->size = r->filled;
	r->ended = true;
	o->in_flight--;
	pthread_cond_signal(&o->arrived);
	pthread_mutex_unlock(&o->lock);
}

/* --- asking --- */

static enum tfr_status ask(struct tfr_object *o, size_t size, struct tfr_error *err)
{
	const char *headers[] = { o->if_match };
	struct tfr_call call = { .method = "GET",
		.key = o->key,
		.headers = headers,
		.n_headers = *o->if_match ? 1 : 0,
		.empty = true };
	struct range *r = new_range(o, size);
	struct tfr_request_opts opts = { .store = o->store,
		.call = &call,
		.ranged = true,
		.first = o->next,
		.last = o->next + size - 1,
		.ctx = r,
		.head = on_head,
		.take = on_body,
		.done = on_done };
	enum tfr_status status;

	if (!r)
		return tfr_fail_nomem(err, "reading an object");
	r->first = o->next;
	o->next += size;
	pthread_mutex_lock(&o->lock);
	*o->tail = r;
	o->tail = &r->next;
	o->in_flight++;
	pthread_mutex_unlock(&o->lock);
	status = tfr_request_start(&r->transfer, &opts, err);
	if (!status)
		return TFR_OK;
	pthread_mutex_lock(&o->lock);
	r->ended = true;
	r->status = status;
	if (err)
		r->err = *err;
	o->in_flight--;
	pthread_mutex_unlock(&o->lock);
	return status;
}

/* Doubles the ranges in flight as long as that pays. */
static void adapt(struct tfr_object *o)
{
	uint64_t time = tfr_clock_ns(), came;
	double rate;

	pthread_mutex_lock(&o->lock);
	came = o->came;
	if (came < (uint64_t)o->target * range_size(o) / 2 || time == o->since) {
		pthread_mutex_unlock(&o->lock);
		return;
	}
	o->came = 0;
	pthread_mutex_unlock(&o->lock);
	rate = (double)came * 1e9 / (double)(time - o->since);
	o->since = time;
	o->rate = rate;
	if (rate > 1.1 * o->best) {
		o->best = rate;
		if (o->target < tfr_engine_opts()->connections)
			o->target += o->target;
	} else if (rate < o->best / 2) {
		o->best = rate; /* the network has changed: try again from here */
	}
}

static enum tfr_status ask_ahead(struct tfr_object *o, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (o->whole || !o->known)
		return TFR_OK;
	adapt(o);
	while (!status && o->next < o->size && o->in_flight < o->target) {
		size_t size = range_size(o);

		if (o->head && !o->spare && used + size > budget())
			break;
		status = ask(o, size, err);
	}
	return status;
}

static void forget_ranges(struct tfr_object *o)
{
	while (o->head)
		drop_head(o);
	while (o->spare) {
		struct range *r = o->spare;

		o->spare = r->next;
		free_range(r);
	}
}

/* --- reading --- */

static void stop_ahead(struct tfr_object *o)
{
	if (o->ahead)
		readers--;
	o->ahead = false;
	o->reads_in_a_row = 0;
}

/* Begins anew elsewhere. */
static enum tfr_status jump(
	struct tfr_object *o, uint64_t position, size_t size, struct tfr_error *err)
{
	uint64_t left = o->size - position;

	forget_ranges(o);
	stop_ahead(o);
	o->next = position;
	size = size < AFTER_SEEK ? AFTER_SEEK : size > RANGE ? RANGE : size;
	return ask(o, left < size ? (size_t)left : size, err);
}

/* Makes the first range the one that holds `position`. */
static enum tfr_status move_to(
	struct tfr_object *o, uint64_t position, size_t size, struct tfr_error *err)
{
	if (o->whole)
		return TFR_OK;
	while (o->head && position >= o->head->first + o->head->size)
		drop_head(o);
	if (!o->head || position < o->head->first + o->head->taken)
		return jump(o, position, size, err);
	return TFR_OK;
}

/* Waits until the byte at `position` came, or the range has ended.  Returns the bytes there. */
static size_t await(struct tfr_object *o, struct range *r, uint64_t position)
{
	uint64_t want = position - r->first, there;

	pthread_mutex_lock(&o->lock);
	while (r->filled <= want && !r->ended)
		pthread_cond_wait(&o->arrived, &o->lock);
	there = r->filled > want ? r->filled - want : 0;
	pthread_mutex_unlock(&o->lock);
	return (size_t)(there < SIZE_MAX ? there : SIZE_MAX);
}

static void copy(struct range *r, uint64_t from, void *buf, size_t size)
{
	size_t at = (size_t)(from % r->cap), n = r->cap - at < size ? r->cap - at : size;

	memcpy(buf, r->data + at, n);
	memcpy((char *)buf + n, r->data, size - n);
}

static void mark_taken(struct tfr_object *o, struct range *r, uint64_t taken)
{
	bool wake;

	pthread_mutex_lock(&o->lock);
	if (taken > r->taken && !o->resident)
		r->taken = taken;
	wake = r->full && r->filled - r->taken <= r->cap / 2;
	if (wake)
		r->full = false;
	pthread_mutex_unlock(&o->lock);
	if (wake)
		tfr_request_resume(r->transfer);
}

static enum tfr_status why_ended(
	const struct tfr_object *o, const struct range *r, struct tfr_error *err)
{
	if (!r->status)
		return wrong(o, "the server sends less than it announced:", err);
	if (r->status == TFR_END)
		return tfr_fail_errno(err, ENOENT, o->url, "cannot open");
	if (err)
		*err = r->err;
	return r->status;
}

static void note_reading(struct tfr_object *o, uint64_t position, size_t size)
{
	o->reads_in_a_row = position == o->position ? o->reads_in_a_row + 1 : 0;
	if (o->ahead || (size < ON && o->reads_in_a_row < 4))
		return;
	o->ahead = true;
	readers++;
	o->since = tfr_clock_ns();
}

/* After a fork, what was in flight is the parent's.  The child asks for it again. */
static enum tfr_status begin_in_child(struct tfr_object *o, struct tfr_error *err)
{
	if (o->pid == getpid())
		return TFR_OK;
	o->pid = getpid();
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->arrived, NULL);
	if (o->whole && !(o->resident && o->head->ended))
		return wrong(o, "without ranges, only the process that opened it can read", err);
	if (!o->resident)
		forget_ranges(o);
	o->in_flight = 0;
	o->next = o->position;
	o->ahead = false;
	return TFR_OK;
}

enum tfr_status tfr_object_read(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	enum tfr_status status = begin_in_child(o, err);
	struct range *r;

	*got = 0;
	if (status)
		return status;
	if (!size || position >= o->size)
		return TFR_OK;
	note_reading(o, position, size);
	status = move_to(o, position, size, err);
	if (!status && o->ahead)
		status = ask_ahead(o, err);
	if (status)
		return status;
	r = o->head;
	*got = await(o, r, position);
	if (!*got && !r->status && o->whole && position >= o->size)
		return TFR_OK; /* its size was not known before */
	if (!*got)
		return why_ended(o, r, err);
	*got = *got < size ? *got : size;
	copy(r, position - r->first, buf, *got);
	o->position = position + *got;
	mark_taken(o, r, o->position - r->first);
	return TFR_OK;
}

bool tfr_object_reads_on(const struct tfr_object *o, uint64_t position, uint64_t ahead)
{
	double rate = o->rate > 0 ? o->rate : 50e6;

	if (o->whole)
		return true;
	return position + ahead < o->next || (double)ahead < rate * tfr_measured_first_byte();
}

/* --- opening --- */

static enum tfr_status first_answer(struct tfr_object *o, struct tfr_error *err)
{
	struct range *r = o->head;

	pthread_mutex_lock(&o->lock);
	while (!o->known && !r->ended)
		pthread_cond_wait(&o->arrived, &o->lock);
	pthread_mutex_unlock(&o->lock);
	if (!o->known)
		return why_ended(o, r, err);
	/* Far away, the first ranges would take longer to find the best number than to arrive. */
	if (tfr_measured_first_byte() > 0.005)
		o->target = FAR;
	if (!o->whole && o->size < o->next)
		r->size = (size_t)(o->next = o->size);
	return TFR_OK;
}

enum tfr_status tfr_object_open(struct tfr_object **out, const char *url, struct tfr_error *err)
{
	struct tfr_object *o = calloc(1, sizeof(*o));
	enum tfr_status status;

	if (!o || !(o->url = strdup(url))) {
		free(o);
		return tfr_fail_nomem(err, "opening an object");
	}
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->arrived, NULL);
	o->tail = &o->head;
	o->size = UINT64_MAX;
	o->target = NEAR;
	o->pid = getpid();
	status = tfr_store_find(&o->store, o->url, &o->key, err);
	if (!status)
		status = ask(o, FIRST, err);
	if (!status)
		status = first_answer(o, err);
	if (status)
		tfr_object_close(o);
	else
		*out = o;
	return status;
}

void tfr_object_close(struct tfr_object *o)
{
	if (!o)
		return;
	o->next = o->size; /* no buffer is kept */
	forget_ranges(o);
	stop_ahead(o);
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->arrived);
	free(o->url);
	free(o);
}

const struct stat *tfr_object_stat(const struct tfr_object *o)
{
	return &o->st;
}

bool tfr_object_seekable(const struct tfr_object *o)
{
	return !o->whole || o->resident;
}

/* --- reading at any position --- */

struct span {
	struct tfr_object *o;
	pthread_mutex_t lock;
	pthread_cond_t over;
	uint8_t *to;
	size_t size, filled;
	bool ended;
	enum tfr_status status;
	long http;
	struct tfr_error err;
};

static enum tfr_status span_head(void *ctx, const struct tfr_answer *a, struct tfr_error *err)
{
	struct span *s = ctx;

	if (a->status != 206)
		return wrong(s->o, "the server does not serve ranges any more for", err);
	return is_same(s->o, a) ? TFR_OK : replaced(s->o, err);
}

static enum tfr_status span_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct span *s = ctx;

	if (size > s->size - s->filled)
		return wrong(s->o, "the server sends more than it was asked for:", err);
	memcpy(s->to + s->filled, data, size);
	s->filled += size;
	return TFR_OK;
}

static void span_done(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	struct span *s = ctx;

	pthread_mutex_lock(&s->lock);
	s->status = status;
	s->http = a->status;
	if (status && status != TFR_END)
		s->err = *err;
	s->ended = true;
	pthread_cond_signal(&s->over);
	pthread_mutex_unlock(&s->lock);
}

static enum tfr_status get_span(
	struct tfr_object *o, uint64_t position, struct span *s, struct tfr_error *err)
{
	const char *headers[] = { o->if_match };
	struct tfr_call call = { .method = "GET",
		.key = o->key,
		.headers = headers,
		.n_headers = *o->if_match ? 1 : 0,
		.empty = true };
	struct tfr_request_opts opts = { .store = o->store,
		.call = &call,
		.ranged = true,
		.first = position,
		.last = position + s->size - 1,
		.ctx = s,
		.head = span_head,
		.take = span_body,
		.done = span_done };
	struct tfr_request *t = NULL;
	enum tfr_status status = tfr_request_start(&t, &opts, err);

	if (status)
		return status;
	pthread_mutex_lock(&s->lock);
	while (!s->ended)
		pthread_cond_wait(&s->over, &s->lock);
	pthread_mutex_unlock(&s->lock);
	tfr_request_end(t);
	if (s->status == TFR_END || s->http == 412)
		return replaced(o, err);
	if (s->status && err)
		*err = s->err;
	return s->status;
}

enum tfr_status tfr_object_read_at(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	uint64_t left = position < o->size ? o->size - position : 0;
	struct span s = { .o = o,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.over = PTHREAD_COND_INITIALIZER,
		.to = buf,
		.size = size < left ? size : (size_t)left };
	enum tfr_status status = TFR_OK;

	*got = s.size;
	if (!s.size)
		return TFR_OK;
	if (!o->resident)
		return get_span(o, position, &s, err);
	if (await(o, o->head, position + s.size - 1))
		memcpy(buf, o->head->data + position, s.size);
	else
		status = why_ended(o, o->head, err);
	return status;
}
