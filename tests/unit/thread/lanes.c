#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "thread/lanes.h"

enum { ITEMS = 3000, LANES = 7 };

struct log {
	uint64_t last[LANES], delivered[LANES]; /* of each lane */
	atomic_bool busy[LANES];
	uint64_t retired;
	atomic_long in_flight, peak;
	uint64_t fail_work_at, fail_deliver_at;
};

static enum tfr_status work(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct log *l = ctx;
	long now, peak = atomic_load(&l->peak);

	(void)worker;
	tfr_lanes_reserve(lanes, i, 10);
	now = atomic_fetch_add(&l->in_flight, 10) + 10;
	while (now > peak && !atomic_compare_exchange_weak(&l->peak, &peak, now))
		;
	if (i % 13 == 0)
		usleep(50);
	*(uint64_t *)slot = i;
	return i >= l->fail_work_at ? tfr_fail(err, TFR_EDATA, "work %llu", (unsigned long long)i)
				    : TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct log *l = ctx;
	uint64_t lane = i % LANES;

	cr_assert_not(atomic_exchange(&l->busy[lane], true));
	cr_assert_eq(*(uint64_t *)slot, i);
	cr_assert_eq(i, lane + l->delivered[lane] * LANES);
	l->delivered[lane]++;
	atomic_fetch_sub(&l->in_flight, 10);
	atomic_store(&l->busy[lane], false);
	return i >= l->fail_deliver_at
		       ? tfr_fail(err, TFR_ESYS, "deliver %llu", (unsigned long long)i)
		       : TFR_OK;
}

static void retire(void *ctx, uint64_t i, void *slot)
{
	struct log *l = ctx;

	cr_assert_eq(i, l->retired++);
	cr_assert_eq(*(uint64_t *)slot, i);
}

static struct tfr_lanes job(unsigned threads)
{
	return (struct tfr_lanes){
		.threads = threads,
		.lanes = LANES,
		.count = ITEMS,
		.window = 20,
		.budget = 50,
		.slot_size = sizeof(uint64_t),
		.work = work,
		.deliver = deliver,
		.retire = retire,
	};
}

Test(lanes, each_in_order_within_the_budget)
{
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct log l = { .fail_work_at = UINT64_MAX, .fail_deliver_at = UINT64_MAX };
		struct tfr_lanes j = job(threads);

		cr_assert_eq(tfr_lanes_run(&j, &l, NULL), TFR_OK);
		cr_assert_eq(l.retired, ITEMS);
		cr_assert_leq(atomic_load(&l.peak), 60); /* the first in order may exceed it */
	}
}

Test(lanes, the_first_failure_in_order_is_reported)
{
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct log l = { .fail_work_at = 500, .fail_deliver_at = UINT64_MAX };
		struct tfr_lanes j = job(threads);
		struct tfr_error err = { 0 };

		cr_assert_eq(tfr_lanes_run(&j, &l, &err), TFR_EDATA);
		cr_assert_str_eq(err.message, "work 500");
		cr_assert_eq(l.retired, 500);
	}
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct log l = { .fail_work_at = 502, .fail_deliver_at = 499 };
		struct tfr_lanes j = job(threads);
		struct tfr_error err = { 0 };

		cr_assert_eq(tfr_lanes_run(&j, &l, &err), TFR_ESYS);
		cr_assert_str_eq(err.message, "deliver 499");
		cr_assert_eq(l.retired, 499);
	}
}

Test(lanes, no_items)
{
	struct log l = { .fail_work_at = UINT64_MAX, .fail_deliver_at = UINT64_MAX };
	struct tfr_lanes j = job(4);

	j.count = 0;
	cr_assert_eq(tfr_lanes_run(&j, &l, NULL), TFR_OK);
}

/* Item 0 reserves in two steps and gives all of it back; otherwise items 1 and 2, which wait for
 * each other, would not be let in together. */
static enum tfr_status two_steps(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	(void)worker, (void)slot, (void)err;
	tfr_lanes_reserve(lanes, i, 10);
	if (i == 0)
		tfr_lanes_reserve(lanes, i, 10);
	else
		pthread_barrier_wait(ctx);
	return TFR_OK;
}

Test(lanes, what_is_reserved_in_steps_is_given_back_whole, .timeout = 60)
{
	struct tfr_lanes j = { .threads = 2, .count = 3, .budget = 20, .work = two_steps };
	pthread_barrier_t both;

	pthread_barrier_init(&both, NULL, 2);
	cr_assert_eq(tfr_lanes_run(&j, &both, NULL), TFR_OK);
	pthread_barrier_destroy(&both);
}

/* A stream: items come in one at a time, go to lanes by a law of their own, and end when they end.
 */
struct stream {
	struct log log;
	atomic_bool pulling;
	uint64_t pulled, end, fail_at;
	uint64_t wanted[LANES][ITEMS], n_wanted[LANES], n_got[LANES];
	unsigned pulled_by[ITEMS];
};

static enum tfr_status pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct stream *s = ctx;

	cr_assert_not(atomic_exchange(&s->pulling, true));
	cr_assert_eq(i, s->pulled++);
	cr_assert_eq(*lane, i % LANES);
	tfr_lanes_reserve(lanes, i, 10);
	*lane = (uint32_t)(i * i % LANES);
	*(uint64_t *)slot = i;
	if (i < ITEMS)
		s->pulled_by[i] = worker;
	if (i < s->end)
		s->wanted[*lane][s->n_wanted[*lane]++] = i;
	atomic_store(&s->pulling, false);
	if (i == s->fail_at)
		return tfr_fail(err, TFR_EDATA, "pull %llu", (unsigned long long)i);
	return i == s->end ? TFR_END : TFR_OK;
}

static enum tfr_status stream_work(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	(void)lanes, (void)err;
	cr_assert_eq(*(uint64_t *)slot, i);
	cr_assert_eq(((struct stream *)ctx)->pulled_by[i], worker, "the worker that pulls works");
	if (i % 13 == 0)
		usleep(50);
	return TFR_OK;
}

static enum tfr_status stream_deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct stream *s = ctx;
	uint64_t lane = i * i % LANES;

	(void)err;
	cr_assert_eq(*(uint64_t *)slot, i);
	cr_assert_not(atomic_exchange(&s->log.busy[lane], true));
	cr_assert_eq(s->wanted[lane][s->n_got[lane]++], i);
	atomic_store(&s->log.busy[lane], false);
	return TFR_OK;
}

static void stream_retire(void *ctx, uint64_t i, void *slot)
{
	retire(&((struct stream *)ctx)->log, i, slot);
}

static struct tfr_lanes stream_job(unsigned threads)
{
	struct tfr_lanes j = job(threads);

	j.count = UINT64_MAX;
	j.pull = pull;
	j.work = stream_work;
	j.deliver = stream_deliver;
	j.retire = stream_retire;
	return j;
}

Test(lanes, a_stream_ends_where_it_ends)
{
	static const uint64_t ends[] = { 0, 1, 19, 20, 21, ITEMS - 1 };

	for (unsigned threads = 1; threads <= 8; threads *= 2)
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++) {
			struct stream *s = calloc(1, sizeof(*s));
			struct tfr_lanes j = stream_job(threads);
			struct tfr_error err = { 0 };

			s->end = ends[k];
			s->fail_at = UINT64_MAX;
			cr_assert_eq(tfr_lanes_run(&j, s, &err), TFR_OK);
			cr_assert_eq(s->log.retired, ends[k]);
			for (uint32_t lane = 0; lane < LANES; lane++)
				cr_assert_eq(s->n_got[lane], s->n_wanted[lane]);
			free(s);
		}
}

Test(lanes, a_stream_that_fails)
{
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct stream *s = calloc(1, sizeof(*s));
		struct tfr_lanes j = stream_job(threads);
		struct tfr_error err = { 0 };

		s->end = ITEMS - 1;
		s->fail_at = 777;
		cr_assert_eq(tfr_lanes_run(&j, s, &err), TFR_EDATA);
		cr_assert_str_eq(err.message, "pull 777");
		cr_assert_eq(s->log.retired, 777);
		free(s);
	}
}

static enum tfr_status slow_pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, uint32_t *lane, struct tfr_error *err)
{
	usleep(2000); /* until everybody waits for their turn */
	return pull(ctx, lanes, worker, i, slot, lane, err);
}

/* Whoever waits for their turn to pull when the last item is brought in must hear that there is
 * none. */
Test(lanes, a_stream_of_a_known_number_ends_for_all_threads, .timeout = 60)
{
	struct stream *s = calloc(1, sizeof(*s));
	struct tfr_lanes j = stream_job(8);
	struct tfr_error err = { 0 };

	j.count = 8;
	j.pull = slow_pull;
	s->end = s->fail_at = UINT64_MAX;
	cr_assert_eq(tfr_lanes_run(&j, s, &err), TFR_OK);
	cr_assert_eq(s->log.retired, 8);
	free(s);
}
