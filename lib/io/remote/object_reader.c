/* io/remote/object_reader.c - reads an object in order, or at a position.
 *
 * Opening asks for the first 256 KiB at once, and its answer has the size and the ETag: one round
 * trip.  Once a caller reads on, ranges of 8 MiB follow.
 *
 * A server that ignores ranges sends everything in one answer, which pauses while the buffer is
 * full.  Such an object can only be read from start to end, unless it fits in the first buffer. */
#include "io/remote/object_reader.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/remote/http/engine.h"
#include "io/remote/http/measurements.h"

/* A range that was asked for.  Its bytes up to `filled` do not change until the caller has taken
 * them. */
struct tfr_object_range {
	struct tfr_object_range *next;
	struct tfr_object *o;
	struct tfr_request *request;
	uint64_t first;
	size_t size, cap;	  /* bytes asked for; of the buffer */
	_Atomic uint64_t filled;  /* bytes that came */
	_Atomic uint64_t awaited; /* those that the caller waits for; 0: it does not */
	uint64_t taken;		  /* bytes that the caller has read */
	bool full;		  /* the request is paused */
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
	/* For what the threads change that run libcurl, but for what is atomic. */
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct tfr_object_range *head, **tail; /* those under way or not read yet, in order */
	struct tfr_object_range *spare;	       /* with buffers for the next ones */
	uint64_t next;			       /* the first byte that was not asked for */
	uint64_t position;		       /* of the next read, if it reads on */
	_Atomic unsigned in_flight;	       /* ranges whose request has not ended */
	unsigned reads_in_a_row;
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
	double best, rate;     /* bytes per second: the best so far, and the last */
	uint64_t since;	       /* nanoseconds */
	_Atomic uint64_t came; /* bytes since then */
};

/* `what` is followed by the URL. */
static enum tfr_status object_wrong(
	const struct tfr_object *o, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_ESYS, o->url, "%s", what);
}

/* Why the first range ended without the bytes that were awaited. */
static enum tfr_status object_why_ended(const struct tfr_object *o, struct tfr_error *err)
{
	const struct tfr_object_range *r = o->head;

	if (!r->status)
		return object_wrong(o, "the server sends less than it announced:", err);
	if (r->status == TFR_END)
		return tfr_fail_errno(err, ENOENT, o->url, "cannot open");
	if (err)
		*err = r->err;
	return r->status;
}

/* --- ranges --- */

/* The number of ranges in flight doubles as long as that makes the whole faster.  All ranges of the
 * process share a budget of memory, from which each reader gets its part; with many readers, ranges
 * become smaller. */

enum {
	RANGE = 8 << 20,
	LEAST_RANGE = 1 << 20,
	BUDGET = 96 << 20,
	HUGE_PAGE = 2 << 20,
	STREAM = 4 << 20, /* the buffer for an answer without ranges */
};

static _Atomic uint64_t used;	 /* bytes of all buffers */
static _Atomic unsigned readers; /* that read ahead */

static uint64_t budget(void)
{
	uint64_t memory = tfr_engine_opts()->read_memory;

	return memory ? memory : BUDGET;
}

static size_t range_size(const struct tfr_object *o)
{
	uint64_t left = o->size - o->next, size = budget() / (readers + 1u) / 4;

	size = size > RANGE ? RANGE : size < LEAST_RANGE ? LEAST_RANGE : size;
	return (size_t)(left < size + size / 2 ? left : size);
}

/* Large pages: touching 100 MiB in small ones takes a tenth of the time of reading 1 GB from a near
 * server. */
static void *new_buffer(size_t size)
{
	void *data = size < HUGE_PAGE ? malloc(size)
				      : aligned_alloc(HUGE_PAGE,
						size + (HUGE_PAGE - size % HUGE_PAGE) % HUGE_PAGE);

	if (data && size >= HUGE_PAGE)
		madvise(data, size, MADV_HUGEPAGE);
	return data;
}

static struct tfr_object_range *new_range(struct tfr_object *o, size_t size)
{
	struct tfr_object_range *r = NULL, **at = &o->spare;

	while (*at && (*at)->cap < size)
		at = &(*at)->next;
	if (*at) {
		r = *at;
		*at = r->next;
		*r = (struct tfr_object_range){ .data = r->data, .cap = r->cap };
	} else {
		r = calloc(1, sizeof(*r));
		if (r)
			r->data = new_buffer(size);
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

static void free_range(struct tfr_object_range *r)
{
	used -= r->cap;
	free(r->data);
	free(r);
}

/* After its request has ended.  A buffer of another size than the ones to come is no use. */
static void retire(struct tfr_object *o, struct tfr_object_range *r)
{
	if (r->cap < LEAST_RANGE || o->next >= o->size) {
		free_range(r);
		return;
	}
	r->next = o->spare;
	o->spare = r;
}

/* Ends the request of the first range, and keeps its buffer if that is of use. */
static void ranges_drop_head(struct tfr_object *o)
{
	struct tfr_object_range *r = o->head;

	tfr_request_end(r->request);
	pthread_mutex_lock(&o->lock);
	o->head = r->next;
	if (!o->head)
		o->tail = &o->head;
	o->in_flight -= !r->ended;
	pthread_mutex_unlock(&o->lock);
	retire(o, r);
}

/* --- answers, on a thread that runs libcurl --- */

static enum tfr_status object_replaced(const struct tfr_object *o, struct tfr_error *err)
{
	return object_wrong(o, "the object was replaced or removed while it was read:", err);
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
	if (a->status == 206 && o->size < o->next)
		o->head->size = (size_t)(o->next = o->size);
	tfr_object_identity(&o->st, o->store, a, o->size);
}

/* Whether the answer is of the object that was opened. */
static bool object_is_same(const struct tfr_object *o, const struct tfr_answer *a)
{
	uint64_t size = a->status == 206 ? a->total : a->length;

	return !strcmp(o->etag, a->etag) && o->mtime == a->mtime &&
	       (size == o->size || size == UINT64_MAX);
}

/* The answer has everything, and was asked for the beginning.  Nothing came before, since the
 * caller may be reading the buffer that is replaced here. */
static enum tfr_status take_whole(struct tfr_object_range *r, struct tfr_error *err)
{
	struct tfr_object *o = r->o;
	uint8_t *data;

	if (r->first || (o->head != r && o->head) || r->filled)
		return object_wrong(o, "the server does not serve ranges any more for", err);
	o->whole = true;
	if (o->size <= r->cap) {
		o->resident = true;
	} else if (r->cap < STREAM) {
		data = malloc(STREAM);
		TFR_NEED_MEMORY(data, err, "reading an object");
		memcpy(data, r->data, r->cap);
		free(r->data);
		r->data = data;
		used += STREAM - r->cap;
		r->cap = STREAM;
	}
	return TFR_OK;
}

static enum tfr_status check(
	struct tfr_object_range *r, const struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_object *o = r->o;

	if (o->known && !object_is_same(o, a))
		return object_replaced(o, err);
	if (!o->known)
		learn(o, a);
	if (a->status != 206)
		return o->whole ? TFR_OK : take_whole(r, err);
	return o->size == UINT64_MAX ? object_wrong(o, "the server does not tell the size of", err)
				     : TFR_OK;
}

static enum tfr_status on_head(void *ctx, const struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_object_range *r = ctx;
	enum tfr_status status;

	pthread_mutex_lock(&r->o->lock);
	status = check(r, a, err);
	pthread_cond_broadcast(&r->o->arrived);
	pthread_mutex_unlock(&r->o->lock);
	return status;
}

/* Up to `size` bytes at `filled`, which wraps around in an answer without ranges. */
static void store(struct tfr_object_range *r, const uint8_t *data, size_t size)
{
	size_t at = (size_t)(r->filled % r->cap), n = r->cap - at < size ? r->cap - at : size;

	memcpy(r->data + at, data, n);
	memcpy(r->data, data + n, size - n);
}

/* In an answer without ranges.  False: the request pauses until the caller has read on. */
static bool has_room(struct tfr_object_range *r, size_t size)
{
	bool room;

	pthread_mutex_lock(&r->o->lock);
	room = size <= r->cap - (r->filled - r->taken);
	r->full = !room;
	pthread_mutex_unlock(&r->o->lock);
	return room;
}

/* A piece of 16 KiB: the lock is taken only to wake the caller. */
static enum tfr_status on_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct tfr_object_range *r = ctx;
	struct tfr_object *o = r->o;
	uint64_t awaited;

	if (o->whole && !has_room(r, size))
		return TFR_END;
	if (!o->whole && size > r->size - r->filled)
		return object_wrong(o, "the server sends more than it was asked for:", err);
	store(r, data, size);
	r->filled += size;
	o->came += size;
	awaited = r->awaited;
	if (!awaited || r->filled < awaited)
		return TFR_OK;
	pthread_mutex_lock(&o->lock);
	r->awaited = 0;
	pthread_cond_broadcast(&o->arrived);
	pthread_mutex_unlock(&o->lock);
	return TFR_OK;
}

static void on_done(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	struct tfr_object_range *r = ctx;
	struct tfr_object *o = r->o;

	pthread_mutex_lock(&o->lock);
	if (status == TFR_ESYS && a->status == 416 && !o->known && a->total == 0) {
		o->known = o->whole = o->resident = true;
		o->size = 0;
		tfr_object_identity(&o->st, o->store, a, 0);
		status = TFR_OK;
	}
	r->status = status;
	if (status == TFR_ESYS && (a->status == 412 || (a->status == 416 && o->known)))
		object_replaced(o, &r->err);
	else if (status == TFR_END && o->known)
		r->status = object_replaced(o, &r->err);
	else if (status && status != TFR_END)
		r->err = *err;
	if (!status && o->whole && o->size == UINT64_MAX)
		o->size = r->filled;
	r->ended = true;
	o->in_flight--;
	pthread_cond_broadcast(&o->arrived);
	pthread_mutex_unlock(&o->lock);
}

/* --- asking --- */

/* Starts a request for `size` bytes from `first` on; `opts` has the functions that take them. */
static enum tfr_status request_bytes(const struct tfr_object *o, uint64_t first, size_t size,
	struct tfr_request **t, struct tfr_request_opts opts, struct tfr_error *err)
{
	const char *headers[] = { o->if_match };
	struct tfr_call call = { .method = "GET",
		.key = o->key,
		.headers = headers,
		.n_headers = *o->if_match ? 1 : 0,
		.empty = true };

	opts.store = o->store;
	opts.call = &call;
	opts.ranged = true;
	opts.first = first;
	opts.last = first + size - 1;
	return tfr_request_start(t, &opts, err);
}

/* Asks for the next `size` bytes. */
static enum tfr_status ranges_ask(struct tfr_object *o, size_t size, struct tfr_error *err)
{
	struct tfr_object_range *r = new_range(o, size);
	struct tfr_request_opts opts = {
		.ctx = r, .head = on_head, .take = on_body, .done = on_done
	};
	enum tfr_status status;

	TFR_NEED_MEMORY(r, err, "reading an object");
	r->first = o->next;
	o->next += size;
	pthread_mutex_lock(&o->lock);
	*o->tail = r;
	o->tail = &r->next;
	o->in_flight++;
	pthread_mutex_unlock(&o->lock);
	status = request_bytes(o, r->first, size, &r->request, opts, err);
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
	uint64_t time = tfr_clock_ns(), came = o->came;
	double rate;

	if (came < (uint64_t)o->target * range_size(o) / 2 || time == o->since)
		return;
	o->came -= came;
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

/* Ranges under way or not read yet. */
static unsigned held(const struct tfr_object *o)
{
	unsigned n = 0;

	for (const struct tfr_object_range *r = o->head; r; r = r->next)
		n++;
	return n;
}

/* Asks for as many ranges as pays; the caller reads on. */
static enum tfr_status ranges_ask_ahead(struct tfr_object *o, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (o->whole || !o->known)
		return TFR_OK;
	adapt(o);
	while (!status && o->next < o->size && o->in_flight < o->target &&
		held(o) < 2 * o->target) {
		size_t size = range_size(o);

		if (o->head && !o->spare && used + size > budget())
			break;
		status = ranges_ask(o, size, err);
	}
	return status;
}

/* The same for all of them, without a buffer. */
static void ranges_forget(struct tfr_object *o)
{
	while (o->head)
		ranges_drop_head(o);
	while (o->spare) {
		struct tfr_object_range *r = o->spare;

		o->spare = r->next;
		free_range(r);
	}
}

/* Counts the object among the readers that share the budget, or no longer. */
static void ranges_share(struct tfr_object *o, bool ahead)
{
	if (o->ahead != ahead)
		readers += ahead ? 1u : -1u;
	o->ahead = ahead;
}

/* --- reading at a position --- */

/* By a request of its own. */
struct part {
	struct tfr_object *o;
	uint8_t *to;
	size_t size, filled;
};

static enum tfr_status on_part_head(void *ctx, const struct tfr_answer *a, struct tfr_error *err)
{
	const struct part *p = ctx;

	if (a->status != 206)
		return object_wrong(p->o, "the server does not serve ranges any more for", err);
	return object_is_same(p->o, a) ? TFR_OK : object_replaced(p->o, err);
}

static enum tfr_status on_part_body(
	void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct part *p = ctx;

	if (size > p->size - p->filled)
		return object_wrong(p->o, "the server sends more than it was asked for:", err);
	memcpy(p->to + p->filled, data, size);
	p->filled += size;
	return TFR_OK;
}

static enum tfr_status get(struct part *p, uint64_t position, struct tfr_error *err)
{
	struct tfr_request_opts opts = { .ctx = p, .head = on_part_head, .take = on_part_body };
	struct tfr_request *t = NULL;
	struct tfr_answer a = { 0 };
	enum tfr_status status;

	TFR_TRY(request_bytes(p->o, position, p->size, &t, opts, err));
	status = tfr_request_wait(t, &a, err);
	tfr_request_end(t);
	return status == TFR_END || (status && (a.status == 412 || a.status == 416))
		       ? object_replaced(p->o, err)
		       : status;
}

/* Any thread may wait for what the first range brings. */
static enum tfr_status copy_resident(struct part *p, uint64_t position, struct tfr_error *err)
{
	struct tfr_object *o = p->o;

	pthread_mutex_lock(&o->lock);
	while (!o->head->ended)
		pthread_cond_wait(&o->arrived, &o->lock);
	pthread_mutex_unlock(&o->lock);
	if (o->head->filled < position + p->size)
		return object_why_ended(o, err);
	memcpy(p->to, o->head->data + position, p->size);
	return TFR_OK;
}

enum tfr_status tfr_object_read_at(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	uint64_t left = position < o->size ? o->size - position : 0;
	struct part p = { o, buf, size < left ? size : (size_t)left, 0 };

	*got = p.size;
	if (!p.size)
		return TFR_OK;
	return o->resident ? copy_resident(&p, position, err) : get(&p, position, err);
}

enum {
	FIRST = 256 << 10, /* asked for at opening */
	AFTER_SEEK = 32 << 10,
	ON = 32 << 10, /* a read of this size, or four of them in a row, is a sign of reading on */
	NEAR = 2,      /* ranges in flight at first: of a near server, of a distant one */
	FAR = 16,
};

/* --- reading in order --- */

/* Begins anew elsewhere. */
static enum tfr_status jump(
	struct tfr_object *o, uint64_t position, size_t size, struct tfr_error *err)
{
	uint64_t left = o->size - position;

	ranges_forget(o);
	ranges_share(o, false);
	o->reads_in_a_row = 0;
	o->next = position;
	size = size < AFTER_SEEK ? AFTER_SEEK : size > RANGE ? RANGE : size;
	return ranges_ask(o, left < size ? (size_t)left : size, err);
}

/* Makes the first range the one that holds `position`. */
static enum tfr_status move_to(
	struct tfr_object *o, uint64_t position, size_t size, struct tfr_error *err)
{
	if (o->whole)
		return TFR_OK;
	while (o->head && position >= o->head->first + o->head->size)
		ranges_drop_head(o);
	if (!o->head || position < o->head->first + o->head->taken)
		return jump(o, position, size, err);
	return TFR_OK;
}

/* Waits until the first range has `size` bytes at `position`, or as many of them as fit in half of
 * it, or has ended: one wake-up for many pieces.  Returns the bytes there. */
static size_t await(struct tfr_object *o, uint64_t position, size_t size)
{
	struct tfr_object_range *r = o->head;
	uint64_t want = position - r->first, goal, there;
	size_t most = r->cap / 2 ?: 1;

	goal = want + (size < most ? size : most);
	if (!o->whole && goal > r->size)
		goal = r->size;
	pthread_mutex_lock(&o->lock);
	for (r->awaited = goal; r->filled < goal && !r->ended; r->awaited = goal)
		pthread_cond_wait(&o->arrived, &o->lock);
	r->awaited = 0;
	there = r->filled > want ? r->filled - want : 0;
	pthread_mutex_unlock(&o->lock);
	return (size_t)(there < SIZE_MAX ? there : SIZE_MAX);
}

static void copy(struct tfr_object_range *r, uint64_t from, void *buf, size_t size)
{
	size_t at = (size_t)(from % r->cap), n = r->cap - at < size ? r->cap - at : size;

	memcpy(buf, r->data + at, n);
	memcpy((char *)buf + n, r->data, size - n);
}

static void mark_taken(struct tfr_object *o, struct tfr_object_range *r, uint64_t taken)
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
		tfr_request_resume(r->request);
}

static void note_reading(struct tfr_object *o, uint64_t position, size_t size)
{
	o->reads_in_a_row = position == o->position ? o->reads_in_a_row + 1 : 0;
	if (o->ahead || (size < ON && o->reads_in_a_row < 4))
		return;
	ranges_share(o, true);
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
		return object_wrong(
			o, "without ranges, only the process that opened it can read", err);
	if (!o->resident)
		ranges_forget(o);
	o->in_flight = 0;
	o->next = o->position;
	ranges_share(o, false);
	return TFR_OK;
}

enum tfr_status tfr_object_read(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	struct tfr_object_range *r;

	*got = 0;
	TFR_TRY(begin_in_child(o, err));
	if (!size || position >= o->size)
		return TFR_OK;
	note_reading(o, position, size);
	TFR_TRY(move_to(o, position, size, err));
	if (o->ahead)
		TFR_TRY(ranges_ask_ahead(o, err));
	r = o->head;
	*got = await(o, position, o->ahead ? size : 1);
	if (!*got && !r->status && o->whole && position >= o->size)
		return TFR_OK; /* its size was not known before */
	if (!*got)
		return object_why_ended(o, err);
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

static enum tfr_status ask_first(struct tfr_object *o, struct tfr_error *err)
{
	const struct tfr_object_range *r;

	TFR_TRY(tfr_store_find(&o->store, o->url, &o->key, err));
	TFR_TRY(ranges_ask(o, FIRST, err));
	r = o->head;
	pthread_mutex_lock(&o->lock);
	while (!o->known && !r->ended)
		pthread_cond_wait(&o->arrived, &o->lock);
	pthread_mutex_unlock(&o->lock);
	if (!o->known)
		return object_why_ended(o, err);
	/* Far away, the first ranges would take longer to find the best number than to arrive. */
	if (tfr_measured_first_byte() > 0.005)
		o->target = FAR;
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
	status = ask_first(o, err);
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
	ranges_forget(o);
	ranges_share(o, false);
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
