#include <criterion/criterion.h>
#include <stdatomic.h>
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

static enum tfr_status work(void *ctx, struct tfr_lanes_run *run, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct log *l = ctx;
	long now, peak = atomic_load(&l->peak);

	(void)worker;
	tfr_lanes_reserve(run, i, 10);
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
