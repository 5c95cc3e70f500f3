/* io/remote/object_ranges.c - ranges of an object: how many, how large, and what their answers say.
 *
 * The number of ranges in flight doubles as long as that makes the whole faster.  All ranges of the
 * process share a budget of memory, from which each reader gets its part; with many readers, ranges
 * become smaller. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "io/remote/object_state.h"

enum {
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

/* --- ranges --- */

static size_t range_size(const struct tfr_object *o)
{
	uint64_t left = o->size - o->next, size = budget() / (readers + 1u) / 4;

	size = size > TFR_RANGE ? TFR_RANGE : size < LEAST_RANGE ? LEAST_RANGE : size;
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

void tfr_ranges_drop_head(struct tfr_object *o)
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

enum tfr_status tfr_object_replaced(const struct tfr_object *o, struct tfr_error *err)
{
	char url[300];

	tfr_fail_path(err, TFR_ESYS, tfr_store_show(o->store, o->key, url, sizeof(url)),
		"the object was replaced or removed while it was read:");
	return TFR_ESYS;
}

enum tfr_status tfr_object_wrong(
	const struct tfr_object *o, const char *what, struct tfr_error *err)
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
	if (a->status == 206 && o->size < o->next)
		o->head->size = (size_t)(o->next = o->size);
	tfr_object_identity(&o->st, o->store, a, o->size);
}

bool tfr_object_is_same(const struct tfr_object *o, const struct tfr_answer *a)
{
	uint64_t size = a->status == 206 ? a->total : a->length;

	return !strcmp(o->etag, a->etag) && o->mtime == a->mtime &&
	       (size == o->size || size == UINT64_MAX);
}

/* The answer has everything, and was asked for the beginning. */
static enum tfr_status take_whole(struct tfr_object_range *r, struct tfr_error *err)
{
	struct tfr_object *o = r->o;
	uint8_t *data;

	if (r->first || (o->head != r && o->head))
		return tfr_object_wrong(o, "the server does not serve ranges any more for", err);
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

static enum tfr_status check(
	struct tfr_object_range *r, const struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_object *o = r->o;

	if (o->known && !tfr_object_is_same(o, a))
		return tfr_object_replaced(o, err);
	if (!o->known)
		learn(o, a);
	if (a->status != 206)
		return r->filled && r->cap >= STREAM ? TFR_OK : take_whole(r, err);
	return o->size == UINT64_MAX
		       ? tfr_object_wrong(o, "the server does not tell the size of", err)
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
		return tfr_object_wrong(o, "the server sends more than it was asked for:", err);
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
	if (status == TFR_ESYS && a->status == 416 && !r->first && (a->total == 0 || !o->known)) {
		o->known = o->whole = o->resident = true;
		o->size = 0;
		tfr_object_identity(&o->st, o->store, a, 0);
		status = TFR_OK;
	}
	r->status = status;
	if (status == TFR_ESYS && a->status == 412)
		tfr_object_replaced(o, &r->err);
	else if (status == TFR_END && o->known)
		r->status = tfr_object_replaced(o, &r->err);
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

enum tfr_status tfr_ranges_ask(struct tfr_object *o, size_t size, struct tfr_error *err)
{
	const char *headers[] = { o->if_match };
	struct tfr_call call = { .method = "GET",
		.key = o->key,
		.headers = headers,
		.n_headers = *o->if_match ? 1 : 0,
		.empty = true };
	struct tfr_object_range *r = new_range(o, size);
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
	status = tfr_request_start(&r->request, &opts, err);
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

enum tfr_status tfr_ranges_ask_ahead(struct tfr_object *o, struct tfr_error *err)
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
		status = tfr_ranges_ask(o, size, err);
	}
	return status;
}

void tfr_ranges_forget(struct tfr_object *o)
{
	while (o->head)
		tfr_ranges_drop_head(o);
	while (o->spare) {
		struct tfr_object_range *r = o->spare;

		o->spare = r->next;
		free_range(r);
	}
}

void tfr_ranges_share(struct tfr_object *o, bool ahead)
{
	if (o->ahead != ahead)
		readers += ahead ? 1u : -1u;
	o->ahead = ahead;
}
