/* thread/queue.c - the bounded queue: a ring that grows in slots and is bounded in bytes. */
#include "thread/queue.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
	void *item;
	uint64_t bytes;
};

struct tfr_queue {
	pthread_mutex_t lock;
	pthread_cond_t room, items;
	struct entry *ring;
	size_t cap, head, count;
	uint64_t bytes, limit;
	bool ended, stopped;
};

enum tfr_status tfr_queue_new(struct tfr_queue **out, uint64_t limit, struct tfr_error *err)
{
	struct tfr_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return tfr_fail_nomem(err, "starting a queue");
	q->limit = limit;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->room, NULL);
	pthread_cond_init(&q->items, NULL);
	*out = q;
	return TFR_OK;
}

void tfr_queue_free(struct tfr_queue *q)
{
	if (!q)
		return;
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->room);
	pthread_cond_destroy(&q->items);
	free(q->ring);
	free(q);
}

static bool grow(struct tfr_queue *q)
{
	size_t cap = q->cap ? q->cap * 2 : 16;
	struct entry *ring = malloc(cap * sizeof(*ring));

	if (!ring)
		return false;
	for (size_t i = 0; i < q->count; i++)
		ring[i] = q->ring[(q->head + i) % q->cap];
	free(q->ring);
	q->ring = ring;
	q->cap = cap;
	q->head = 0;
	return true;
}

bool tfr_queue_push(struct tfr_queue *q, void *item, uint64_t bytes)
{
	bool pushed = false;

	pthread_mutex_lock(&q->lock);
	while (!q->stopped && !q->ended && q->count && q->bytes + bytes > q->limit)
		pthread_cond_wait(&q->room, &q->lock);
	if (!q->stopped && !q->ended && (q->count < q->cap || grow(q))) {
		q->ring[(q->head + q->count++) % q->cap] = (struct entry){ item, bytes };
		q->bytes += bytes;
		pushed = true;
		pthread_cond_signal(&q->items);
	}
	pthread_mutex_unlock(&q->lock);
	return pushed;
}

static void *take(struct tfr_queue *q)
{
	struct entry e = q->ring[q->head];

	q->head = (q->head + 1) % q->cap;
	q->count--;
	q->bytes -= e.bytes;
	pthread_cond_broadcast(&q->room);
	return e.item;
}

void *tfr_queue_pop(struct tfr_queue *q)
{
	void *item;

	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->ended && !q->stopped)
		pthread_cond_wait(&q->items, &q->lock);
	item = q->count && !q->stopped ? take(q) : NULL;
	pthread_mutex_unlock(&q->lock);
	return item;
}

void *tfr_queue_drain(struct tfr_queue *q)
{
	void *item;

	pthread_mutex_lock(&q->lock);
	item = q->count ? take(q) : NULL;
	pthread_mutex_unlock(&q->lock);
	return item;
}

static void finish(struct tfr_queue *q, bool *flag)
{
	pthread_mutex_lock(&q->lock);
	*flag = true;
	pthread_cond_broadcast(&q->items);
	pthread_cond_broadcast(&q->room);
	pthread_mutex_unlock(&q->lock);
}

void tfr_queue_end(struct tfr_queue *q)
{
	finish(q, &q->ended);
}

void tfr_queue_stop(struct tfr_queue *q)
{
	finish(q, &q->stopped);
}
