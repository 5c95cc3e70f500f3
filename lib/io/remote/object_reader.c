/* io/remote/object_reader.c - reads an object in order.
 *
 * Opening asks for the first 256 KiB at once, and its answer has the size and the ETag: one round
 * trip.  Once a caller reads on, ranges of 8 MiB follow.
 *
 * A server that ignores ranges sends everything in one answer, which pauses while the buffer is
 * full.  Such an object can only be read from start to end, unless it fits in the first buffer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/remote/http/measurements.h"
#include "io/remote/object_state.h"

enum {
	FIRST = 256 << 10, /* asked for at opening */
	AFTER_SEEK = 32 << 10,
	ON = 32 << 10, /* a read of this size, or four of them in a row, is a sign of reading on */
	NEAR = 2,      /* ranges in flight at first: of a near server, of a distant one */
	FAR = 16,
};

/* --- reading --- */

/* Begins anew elsewhere. */
static enum tfr_status jump(
	struct tfr_object *o, uint64_t position, size_t size, struct tfr_error *err)
{
	uint64_t left = o->size - position;

	tfr_ranges_forget(o);
	tfr_ranges_share(o, false);
	o->reads_in_a_row = 0;
	o->next = position;
	size = size < AFTER_SEEK ? AFTER_SEEK : size > TFR_RANGE ? TFR_RANGE : size;
	return tfr_ranges_ask(o, left < size ? (size_t)left : size, err);
}

/* Makes the first range the one that holds `position`. */
static enum tfr_status move_to(
	struct tfr_object *o, uint64_t position, size_t size, struct tfr_error *err)
{
	if (o->whole)
		return TFR_OK;
	while (o->head && position >= o->head->first + o->head->size)
		tfr_ranges_drop_head(o);
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

enum tfr_status tfr_object_why_ended(const struct tfr_object *o, struct tfr_error *err)
{
	const struct tfr_object_range *r = o->head;

	if (!r->status)
		return tfr_object_wrong(o, "the server sends less than it announced:", err);
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
	tfr_ranges_share(o, true);
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
		return tfr_object_wrong(
			o, "without ranges, only the process that opened it can read", err);
	if (!o->resident)
		tfr_ranges_forget(o);
	o->in_flight = 0;
	o->next = o->position;
	tfr_ranges_share(o, false);
	return TFR_OK;
}

enum tfr_status tfr_object_read(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	enum tfr_status status = begin_in_child(o, err);
	struct tfr_object_range *r;

	*got = 0;
	if (status)
		return status;
	if (!size || position >= o->size)
		return TFR_OK;
	note_reading(o, position, size);
	status = move_to(o, position, size, err);
	if (!status && o->ahead)
		status = tfr_ranges_ask_ahead(o, err);
	if (status)
		return status;
	r = o->head;
	*got = await(o, position, o->ahead ? size : 1);
	if (!*got && !r->status && o->whole && position >= o->size)
		return TFR_OK; /* its size was not known before */
	if (!*got)
		return tfr_object_why_ended(o, err);
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
	struct tfr_object_range *r = o->head;

	pthread_mutex_lock(&o->lock);
	while (!o->known && !r->ended)
		pthread_cond_wait(&o->arrived, &o->lock);
	pthread_mutex_unlock(&o->lock);
	if (!o->known)
		return tfr_object_why_ended(o, err);
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
	status = tfr_store_find(&o->store, o->url, &o->key, err);
	if (!status)
		status = tfr_ranges_ask(o, FIRST, err);
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
	tfr_ranges_forget(o);
	tfr_ranges_share(o, false);
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
