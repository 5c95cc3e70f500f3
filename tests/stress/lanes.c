/* Lanes, window and budget under as many threads as will disturb each other: made for
 * ThreadSanitizer, under which Criterion does not start. */
#include <stdio.h>
#include <stdlib.h>

#include "thread/lanes.h"

enum { LANES = 5, ITEMS = 20000 };

struct log {
	uint64_t delivered[LANES]; /* unlocked: what the lanes promise must protect them */
	uint64_t retired, pulled;  /* as unlocked */
};

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "stress lanes: %s\n", what);
		_Exit(1);
	}
}

static enum tfr_status pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct log *l = ctx;

	(void)worker;
	(void)slot;
	(void)err;
	check(i == l->pulled++, "pulled out of order");
	if (i % 5 == 0)
		tfr_lanes_reserve(lanes, i, 3);
	*lane = (uint32_t)(i % LANES);
	return i == ITEMS ? TFR_END : TFR_OK;
}

static enum tfr_status work(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	(void)ctx;
	(void)worker;
	(void)err;
	if (i % 3 && i % 5)
		tfr_lanes_reserve(lanes, i, i % 7);
	*(uint64_t *)slot = i;
	return TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct log *l = ctx;

	(void)err;
	check(*(uint64_t *)slot == i, "slot of another item");
	check(i == i % LANES + LANES * l->delivered[i % LANES]++, "lane out of order");
	return TFR_OK;
}

static void retire(void *ctx, uint64_t i, void *slot)
{
	struct log *l = ctx;

	check(*(uint64_t *)slot == i && i == l->retired++, "retired out of order");
}

int main(void)
{
	for (unsigned threads = 2; threads <= 8; threads += 3) {
		struct log l = { .retired = 0 };
		struct tfr_lanes lanes = {
			.threads = threads,
			.lanes = LANES,
			.count = ITEMS,
			.window = 6,
			.budget = 9,
			.slot_size = sizeof(uint64_t),
			.work = work,
			.deliver = deliver,
			.retire = retire,
		};

		check(!tfr_lanes_run(&lanes, &l, NULL) && l.retired == ITEMS, "items lost");
		lanes.pull = pull;
		lanes.count = UINT64_MAX;
		l = (struct log){ .retired = 0 };
		check(!tfr_lanes_run(&lanes, &l, NULL) && l.retired == ITEMS, "items lost");
	}
	return 0;
}
