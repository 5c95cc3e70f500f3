/* thread/lanes.c - a ring of slots, and for each lane the list of its items in the ring.
 *
 * The thread that finishes the work on an item delivers it, if the lane is free and the item is
 * next, and then the other items that the lane has ready, outside the lock.  No thread only
 * delivers.  Items leave the ring in order, so `low` alone determines the room in it.  A thread
 * that finds the ring full sleeps until half of it is free.  If it were woken for each item, it
 * would run in lockstep with the thread that wakes it, both on one processor. */
#include "thread/lanes.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "thread/threads.h"

#define NONE UINT64_MAX

enum slot_state { FREE, WORKING, READY, DELIVERED };

struct slot {
	enum slot_state state;
	uint32_t lane;
	uint64_t after; /* the next item of its lane, or NONE */
	uint64_t cost;
	void *data;
};

struct lane {
	uint64_t first, last; /* items that are not delivered; first may be NONE */
	bool busy;
};

struct tfr_lanes_run {
	const struct tfr_lanes *l;
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t room;   /* in the ring */
	pthread_cond_t turn;   /* to pull */
	pthread_cond_t budget; /* bytes were returned, or the first item changed */
	unsigned waiting_for_budget;
	struct slot *slots;
	struct lane *lanes;
	uint32_t lane_count;
	struct tfr_error *errors; /* one per slot */
	char *memory;		  /* the slots' data */
	uint64_t window;
	uint64_t next; /* item to start */
	uint64_t low;  /* item to retire */
	uint64_t end;  /* no items from here on: the count, or the first that failed */
	uint64_t bytes;
	bool retiring, pulling;
	enum tfr_status status; /* of item `end` */
	struct tfr_error *err;
};

static struct slot *slot_of(struct tfr_lanes_run *r, uint64_t i)
{
	assert(i >= r->low && i - r->low < r->window);
	return &r->slots[i % r->window];
}

static void fail_item(struct tfr_lanes_run *r, uint64_t i, enum tfr_status status)
{
	if (i >= r->end)
		return;
	r->end = i;
	r->status = status;
	if (r->err && status != TFR_END)
		*r->err = r->errors[i % r->window];
	pthread_cond_broadcast(&r->room);
	pthread_cond_broadcast(&r->turn);
	pthread_cond_broadcast(&r->budget);
}

/* Called and left with the lock held, as are the next four functions. */
static void retire_ready(struct tfr_lanes_run *r)
{
	if (r->retiring)
		return;
	r->retiring = true;
	while (r->low < r->end && slot_of(r, r->low)->state == DELIVERED) {
		if (r->l->retire) {
			pthread_mutex_unlock(&r->lock);
			r->l->retire(r->ctx, r->low, slot_of(r, r->low)->data);
			pthread_mutex_lock(&r->lock);
		}
		slot_of(r, r->low)->state = FREE;
		r->low++;
		if (r->next - r->low == r->window / 2)
			pthread_cond_broadcast(&r->room);
	}
	r->retiring = false;
}

static void deliver_ready(struct tfr_lanes_run *r, struct lane *lane)
{
	if (lane->busy)
		return;
	lane->busy = true;
	while (lane->first < r->end && slot_of(r, lane->first)->state == READY) {
		uint64_t i = lane->first;
		struct slot *s = slot_of(r, i);
		enum tfr_status status;

		assert(&r->lanes[s->lane] == lane);
		pthread_mutex_unlock(&r->lock);
		status = r->l->deliver
				 ? r->l->deliver(r->ctx, i, s->data, &r->errors[i % r->window])
				 : TFR_OK;
		pthread_mutex_lock(&r->lock);
		if (status) {
			fail_item(r, i, status);
			break;
		}
		lane->first = s->after;
		s->state = DELIVERED;
		assert(r->bytes >= s->cost);
		r->bytes -= s->cost;
		s->cost = 0;
		if (r->waiting_for_budget)
			pthread_cond_broadcast(&r->budget);
		retire_ready(r);
	}
	lane->busy = false;
}

/* Reads a claimed item, without the lock.  False: there is no such item, or reading it failed. */
static bool pull_item(struct tfr_lanes_run *r, unsigned worker, uint64_t i, uint32_t *lane)
{
	enum tfr_status status;
	void *data;

	if (!r->l->pull)
		return true;
	assert(!r->pulling && i + 1 == r->next);
	r->pulling = true;
	data = slot_of(r, i)->data;
	pthread_mutex_unlock(&r->lock);
	status = r->l->pull(r->ctx, r, worker, i, data, lane, &r->errors[i % r->window]);
	pthread_mutex_lock(&r->lock);
	r->pulling = false;
	pthread_cond_signal(&r->turn);
	if (status)
		fail_item(r, i, status);
	return !status;
}

static void append_to_lane(struct tfr_lanes_run *r, uint64_t i, uint32_t number)
{
	struct lane *lane = &r->lanes[number];

	assert(number < r->lane_count);
	slot_of(r, i)->lane = number;
	slot_of(r, i)->after = NONE;
	if (lane->first == NONE)
		lane->first = i;
	else
		slot_of(r, lane->last)->after = i;
	lane->last = i;
}

/* Claims the next item, waiting for room.  False: there are no more items.  pull_item() wakes one
 * waiting thread at a time, so a thread that finds no item wakes the next. */
static bool claim_item(struct tfr_lanes_run *r, unsigned worker, uint64_t *item)
{
	while (r->next < r->end) {
		uint64_t i = r->next;

		if (!r->pulling && i - r->low < r->window) {
			uint32_t lane = (uint32_t)(i % r->lane_count);

			slot_of(r, i)->state = WORKING;
			r->next++;
			if (!pull_item(r, worker, i, &lane))
				return false;
			append_to_lane(r, i, lane);
			*item = i;
			return true;
		}
		pthread_cond_wait(r->pulling ? &r->turn : &r->room, &r->lock);
	}
	pthread_cond_signal(&r->turn);
	return false;
}

/* The first item in order that is not delivered always goes on: all others wait for it. */
static bool is_first(struct tfr_lanes_run *r, uint64_t item)
{
	for (uint64_t i = r->low; i < item; i++)
		if (slot_of(r, i)->state != DELIVERED)
			return false;
	return true;
}

void tfr_lanes_reserve(struct tfr_lanes_run *r, uint64_t item, uint64_t bytes)
{
	pthread_mutex_lock(&r->lock);
	while (r->l->budget && r->bytes + bytes > r->l->budget && item < r->end &&
		!is_first(r, item)) {
		r->waiting_for_budget++;
		pthread_cond_wait(&r->budget, &r->lock);
		r->waiting_for_budget--;
	}
	r->bytes += bytes;
	slot_of(r, item)->cost += bytes;
	pthread_mutex_unlock(&r->lock);
}

static void worker_main(void *ctx, unsigned worker)
{
	struct tfr_lanes_run *r = ctx;
	enum tfr_status status;
	uint64_t i;

	pthread_mutex_lock(&r->lock);
	while (claim_item(r, worker, &i)) {
		struct slot *s = slot_of(r, i);

		pthread_mutex_unlock(&r->lock);
		status = r->l->work(r->ctx, r, worker, i, s->data, &r->errors[i % r->window]);
		pthread_mutex_lock(&r->lock);
		s->state = READY;
		if (status)
			fail_item(r, i, status);
		deliver_ready(r, &r->lanes[s->lane]);
	}
	pthread_mutex_unlock(&r->lock);
}

static bool allocate(struct tfr_lanes_run *r)
{
	size_t stride = (r->l->slot_size + TFR_APART_SIZE - 1) / TFR_APART_SIZE * TFR_APART_SIZE;

	r->slots = calloc(r->window, sizeof(*r->slots));
	r->lanes = calloc(r->lane_count, sizeof(*r->lanes));
	r->errors = calloc(r->window, sizeof(*r->errors));
	r->memory = tfr_calloc_apart(r->window, stride);
	if (!r->slots || !r->lanes || !r->errors || !r->memory)
		return false;
	for (uint64_t i = 0; i < r->window; i++)
		r->slots[i].data = r->memory + i * stride;
	for (uint32_t k = 0; k < r->lane_count; k++)
		r->lanes[k].first = NONE;
	return true;
}

enum tfr_status tfr_lanes_run(const struct tfr_lanes *l, void *ctx, struct tfr_error *err)
{
	struct tfr_lanes_run r = { .l = l, .ctx = ctx, .end = l->count, .err = err };
	unsigned threads = l->threads ? l->threads : 1;

	if (threads > l->count)
		threads = l->count ? (unsigned)l->count : 1;
	r.lane_count = l->lanes ? l->lanes : 1;
	r.window = l->window ? l->window : 16 * (uint64_t)threads;
	if (allocate(&r)) {
		pthread_mutex_init(&r.lock, NULL);
		pthread_cond_init(&r.room, NULL);
		pthread_cond_init(&r.turn, NULL);
		pthread_cond_init(&r.budget, NULL);
		tfr_threads_run(threads, worker_main, &r);
		pthread_mutex_destroy(&r.lock);
		pthread_cond_destroy(&r.room);
		pthread_cond_destroy(&r.turn);
		pthread_cond_destroy(&r.budget);
		for (uint64_t i = 0; l->clear_slot && i < r.window; i++)
			l->clear_slot(r.slots[i].data);
	} else {
		r.status = tfr_fail_nomem(err, "starting the workers");
	}
	free(r.slots);
	free(r.lanes);
	free(r.errors);
	free(r.memory);
	return r.status == TFR_END ? TFR_OK : r.status;
}
