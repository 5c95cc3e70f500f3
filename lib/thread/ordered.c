/* thread/ordered.c - a ring of slots between the workers and the one that delivers.
 *
 * Whoever finishes the item that is next in order delivers it and all finished ones behind it,
 * outside the lock, while the others work on: there is no thread of its own for delivery, and an
 * idle thread never waits for one. */
#include "thread/ordered.h"

#include <pthread.h>
#include <stdlib.h>

#include "thread/threads.h"

enum slot_state { FREE, WORKING, DONE };

struct slot {
	enum slot_state state;
	enum tfr_status status;
	uint64_t cost;
	void *data;
};

struct run {
	const struct tfr_ordered *o;
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t room;
	struct slot *slots;
	struct tfr_error *errors; /* one a slot */
	char *memory;		  /* the slots' data */
	uint64_t window;
	uint64_t next; /* item to start */
	uint64_t low;  /* item to deliver */
	uint64_t bytes;
	bool delivering, stopped;
	enum tfr_status status;
	struct tfr_error *err;
};

static void stop(struct run *r, enum tfr_status status, const struct tfr_error *why)
{
	if (r->stopped)
		return;
	r->stopped = true;
	r->status = status == TFR_END ? TFR_OK : status;
	if (r->err && r->status)
		*r->err = *why;
	pthread_cond_broadcast(&r->room);
}

/* Delivers every finished item that is next in order.  Called and left with the lock held. */
static void deliver_ready(struct run *r)
{
	const struct tfr_ordered *o = r->o;

	if (r->delivering)
		return;
	r->delivering = true;
	while (!r->stopped && r->low < r->next && r->slots[r->low % r->window].state == DONE) {
		struct slot *s = &r->slots[r->low % r->window];
		struct tfr_error *e = &r->errors[r->low % r->window];
		enum tfr_status status = s->status;

		pthread_mutex_unlock(&r->lock);
		if (status == TFR_OK && o->deliver)
			status = o->deliver(r->ctx, r->low, s->data, e);
		pthread_mutex_lock(&r->lock);
		if (status) {
			stop(r, status, e);
			break;
		}
		s->state = FREE;
		r->bytes -= s->cost;
		r->low++;
		pthread_cond_broadcast(&r->room);
	}
	r->delivering = false;
}

/* Claims the next item, waiting for room.  False: there is none any more. */
static bool claim(struct run *r, uint64_t *item)
{
	const struct tfr_ordered *o = r->o;

	while (!r->stopped && r->next < o->count) {
		uint64_t cost = o->cost ? o->cost(r->ctx, r->next) : 0;
		bool fits = r->next - r->low < r->window &&
			    (!o->budget || r->bytes + cost <= o->budget);

		if (fits || r->next == r->low) {
			struct slot *s = &r->slots[r->next % r->window];

			s->state = WORKING;
			s->cost = cost;
			r->bytes += cost;
			*item = r->next++;
			return true;
		}
		pthread_cond_wait(&r->room, &r->lock);
	}
	return false;
}

static void worker_main(void *ctx, unsigned worker)
{
	struct run *r = ctx;
	uint64_t item;

	pthread_mutex_lock(&r->lock);
	while (claim(r, &item)) {
		struct slot *s = &r->slots[item % r->window];

		pthread_mutex_unlock(&r->lock);
		s->status = r->o->work(r->ctx, worker, item, s->data, &r->errors[item % r->window]);
		pthread_mutex_lock(&r->lock);
		s->state = DONE;
		deliver_ready(r);
	}
	pthread_mutex_unlock(&r->lock);
}

static bool allocate(struct run *r)
{
	size_t stride = (r->o->slot_size + 63) / 64 * 64;

	r->slots = calloc(r->window, sizeof(*r->slots));
	r->errors = calloc(r->window, sizeof(*r->errors));
	r->memory = calloc(r->window, stride ? stride : 1);
	if (!r->slots || !r->errors || !r->memory)
		return false;
	for (uint64_t i = 0; i < r->window; i++)
		r->slots[i].data = r->memory + i * stride;
	return true;
}

enum tfr_status tfr_ordered_run(const struct tfr_ordered *o, void *ctx, struct tfr_error *err)
{
	struct run r = { .o = o, .ctx = ctx, .err = err };
	unsigned threads = o->threads ? o->threads : 1;

	if (threads > o->count)
		threads = o->count ? (unsigned)o->count : 1;
	r.window = o->window ? o->window : 4 * (uint64_t)threads;
	if (r.window > o->count)
		r.window = o->count ? o->count : 1;
	if (allocate(&r)) {
		pthread_mutex_init(&r.lock, NULL);
		pthread_cond_init(&r.room, NULL);
		tfr_threads_run(threads, worker_main, &r);
		pthread_mutex_destroy(&r.lock);
		pthread_cond_destroy(&r.room);
		for (uint64_t i = 0; o->clear_slot && i < r.window; i++)
			o->clear_slot(r.slots[i].data);
	} else {
		r.status = tfr_fail_nomem(err, "starting the workers");
	}
	free(r.slots);
	free(r.errors);
	free(r.memory);
	return r.status;
}
