#include <criterion/criterion.h>
#include <pthread.h>

#include "thread/queue.h"

static void *produce(void *arg)
{
	for (intptr_t i = 1; i <= 10000; i++)
		if (!tfr_queue_push(arg, (void *)i, 8))
			return (void *)i;
	tfr_queue_end(arg);
	return NULL;
}

Test(queue, hands_over_in_order_then_ends)
{
	struct tfr_queue *q;
	pthread_t thread;

	cr_assert_eq(tfr_queue_new(&q, 64, NULL), TFR_OK);
	pthread_create(&thread, NULL, produce, q);
	for (intptr_t i = 1; i <= 10000; i++)
		cr_assert_eq((intptr_t)tfr_queue_pop(q), i);
	cr_assert_null(tfr_queue_pop(q));
	cr_assert_null(tfr_queue_pop(q));
	pthread_join(thread, NULL);
	tfr_queue_free(q);
}

Test(queue, a_consumer_can_stop_it)
{
	struct tfr_queue *q;
	pthread_t thread;
	void *refused = NULL;

	cr_assert_eq(tfr_queue_new(&q, 64, NULL), TFR_OK);
	pthread_create(&thread, NULL, produce, q);
	cr_assert_eq((intptr_t)tfr_queue_pop(q), 1);
	tfr_queue_stop(q);
	pthread_join(thread, &refused);
	cr_assert_not_null(refused);
	cr_assert_null(tfr_queue_pop(q));
	while (tfr_queue_drain(q))
		;
	tfr_queue_free(q);
}

Test(queue, one_item_may_exceed_the_limit)
{
	struct tfr_queue *q;
	char item[] = "x";

	cr_assert_eq(tfr_queue_new(&q, 4, NULL), TFR_OK);
	cr_assert(tfr_queue_push(q, item, 1000));
	cr_assert_eq(tfr_queue_pop(q), item);
	tfr_queue_free(q);
}
