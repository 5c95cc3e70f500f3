/* io/remote/object_ranges.c - ranges of an object: how many, how large, and what their answers say.
 *
 * The number of ranges in flight doubles as long as that makes the whole faster.  All ranges of the
 * process share a budget of memory, from which each reader gets its part; with many readers, ranges
 * become smaller. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "io/remote/object_state.h"

enum {
	LEAST_RANGE = 1 << 20,
	BUDGET = 96 << 20,
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

static enum tfr_status on_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct tfr_object_range *r = ctx;
	struct tfr_object *o = r->o;
	bool room;

	pthread_mutex_lock(&o->lock);
	room = size <= (o->whole ? r->cap - (r->filled - r->taken) : r->size - r->filled);
	r->full = !room && o->whole;
	pthread_mutex_unlock(&o->lock);
	if (!room)
		return o->whole ? TFR_END
				: tfr_object_wrong(
					  o, "the server sends more than it was asked for:", err);
	store(r, data, size);
	pthread_mutex_lock(&o->lock);
	r->filled += size;
	o->came += size;
	if (o->awaited && r == o->head && r->filled >= o->awaited)
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

enum tfr_status tfr_ranges_ask_ahead(struct tfr_object *o, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (o->whole || !o->known)
		return TFR_OK;
	adapt(o);
	while (!status && o->next < o->size && o->in_flight < o->target) {
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
