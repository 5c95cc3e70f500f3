/* tests/stress/ordered.c - ordered work and queues under many threads, for ThreadSanitizer: a run's
 * results are handed on through a queue to a consumer, with failures and stops at any moment. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "thread/ordered.h"
#include "thread/queue.h"

enum { ITEMS = 2000, ROUNDS = 60 };

struct stress {
	struct tfr_queue *queue;
	uint64_t fail_at; /* work fails here */
	uint64_t stop_at; /* the consumer stops after that many */
	uint64_t consumed, delivered;
	uint64_t values[ITEMS]; /* written by workers, read by the consumer: races show here */
};

static uint64_t cost(void *ctx, uint64_t i)
{
	(void)ctx;
	return i % 13;
}

static enum tfr_status work(
	void *ctx, unsigned worker, uint64_t i, void *slot, struct tfr_error *err)
{
	struct stress *s = ctx;

	(void)worker;
	s->values[i] = i * 3;
	*(uint64_t *)slot = i;
	return i >= s->fail_at ? tfr_fail(err, TFR_EDATA, "as planned") : TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct stress *s = ctx;

	(void)err;
	if (*(uint64_t *)slot != i || s->delivered++ != i)
		abort();
	return tfr_queue_push(s->queue, &s->values[i], 8) ? TFR_OK : TFR_END;
}

static void *consume(void *arg)
{
	struct stress *s = arg;
	uint64_t *value;

	while ((value = tfr_queue_pop(s->queue))) {
		if (*value != s->consumed * 3)
			abort();
		if (++s->consumed == s->stop_at)
			tfr_queue_stop(s->queue);
	}
	return NULL;
}

int main(void)
{
	struct tfr_rng r;

	tfr_rng_init(&r, 1, 0);
	for (int round = 0; round < ROUNDS; round++) {
		static struct stress s;
		struct tfr_ordered o = {
			.threads = 1 + (unsigned)tfr_rng_below(&r, 8),
			.count = ITEMS,
			.window = 1 + tfr_rng_below(&r, 40),
			.budget = tfr_rng_below(&r, 60),
			.slot_size = sizeof(uint64_t),
			.cost = cost,
			.work = work,
			.deliver = deliver,
		};
		pthread_t consumer;

		s = (struct stress){
			.fail_at = round % 3 == 1 ? tfr_rng_below(&r, ITEMS) : UINT64_MAX,
			.stop_at = round % 3 == 2 ? 1 + tfr_rng_below(&r, ITEMS) : UINT64_MAX,
		};
		if (tfr_queue_new(&s.queue, 100, NULL))
			return 1;
		pthread_create(&consumer, NULL, consume, &s);
		tfr_ordered_run(&o, &s, NULL);
		tfr_queue_end(s.queue);
		pthread_join(consumer, NULL);
		if (s.fail_at == UINT64_MAX && s.stop_at == UINT64_MAX && s.consumed != ITEMS)
			abort();
		if (s.fail_at != UINT64_MAX && s.consumed != s.fail_at)
			abort();
		tfr_queue_free(s.queue);
	}
	puts("stress: ordered work and queues held");
	return 0;
}
