#include <criterion/criterion.h>
#include <stdatomic.h>
#include <unistd.h>

#include "thread/ordered.h"

struct log {
	uint64_t delivered[1000];
	size_t n;
	atomic_long in_flight_bytes, peak_bytes;
	uint64_t fail_at;
};

static enum tfr_status work(
	void *ctx, unsigned worker, uint64_t i, void *slot, struct tfr_error *err)
{
	struct log *l = ctx;
	long now = atomic_fetch_add(&l->in_flight_bytes, 10) + 10,
	     peak = atomic_load(&l->peak_bytes);

	(void)worker;
	while (now > peak && !atomic_compare_exchange_weak(&l->peak_bytes, &peak, now))
		;
	if (i % 7 == 0)
		usleep(300);
	*(uint64_t *)slot = i * i;
	if (i >= l->fail_at)
		return tfr_fail(err, TFR_EDATA, "item %llu", (unsigned long long)i);
	return TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct log *l = ctx;

	(void)err;
	cr_assert_eq(*(uint64_t *)slot, i * i);
	l->delivered[l->n++] = i;
	atomic_fetch_sub(&l->in_flight_bytes, 10);
	return TFR_OK;
}

static uint64_t cost(void *ctx, uint64_t i)
{
	(void)ctx;
	(void)i;
	return 10;
}

static struct tfr_ordered job(unsigned threads)
{
	return (struct tfr_ordered){
		.threads = threads,
		.count = 1000,
		.window = 16,
		.budget = 50,
		.slot_size = sizeof(uint64_t),
		.cost = cost,
		.work = work,
		.deliver = deliver,
	};
}

Test(ordered, delivers_in_order_within_the_budget)
{
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct log l = { .fail_at = UINT64_MAX };
		struct tfr_ordered o = job(threads);

		cr_assert_eq(tfr_ordered_run(&o, &l, NULL), TFR_OK);
		cr_assert_eq(l.n, 1000);
		for (uint64_t i = 0; i < 1000; i++)
			cr_assert_eq(l.delivered[i], i);
		cr_assert_leq(atomic_load(&l.peak_bytes), 50);
	}
}

Test(ordered, the_first_failure_in_order_wins)
{
	struct log l = { .fail_at = 500 };
	struct tfr_ordered o = job(4);
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_ordered_run(&o, &l, &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "item 500");
	cr_assert_eq(l.n, 500);
}

Test(ordered, no_items)
{
	struct log l = { .fail_at = UINT64_MAX };
	struct tfr_ordered o = job(4);

	o.count = 0;
	cr_assert_eq(tfr_ordered_run(&o, &l, NULL), TFR_OK);
	cr_assert_eq(l.n, 0);
}
