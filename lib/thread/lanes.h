/* thread/lanes.h - work done by many threads, its results handed over in order lane by lane.
 *
 * Item i belongs to lane i mod `lanes`, or to the lane that pull() says.  work() runs on any thread
 * in any order; deliver() sees the items of a lane one at a time and in order, those of different
 * lanes at once, so that what each lane receives does not depend on the number of threads and no
 * lane waits for another.  retire() then sees all items one at a time in order: what must come out
 * in one sequence.  Threads run ahead by at most `window` items and `budget` bytes; the first item
 * not yet delivered always has room, so nothing deadlocks. */
#ifndef TFR_THREAD_LANES_H
#define TFR_THREAD_LANES_H

#include "base/error.h"

struct tfr_lanes_run;

struct tfr_lanes {
	unsigned threads; /* at least 1; the caller's is one of them */
	uint32_t lanes;	  /* 0: one, so that all items are delivered in one order */
	uint64_t count;	  /* items; with pull() an upper bound: UINT64_MAX where nobody knows */
	uint64_t window;  /* items in flight, 0: sixteen a thread */
	uint64_t budget;  /* bytes in flight, as tfr_lanes_reserve() is told; 0: no bound */
	size_t slot_size; /* bytes of state of an item in flight, zeroed once, then reused */

	/* Brings item `i` in before its work, one item at a time and in order: for what comes out
	 * of a stream.  *lane is i mod `lanes` unless it is set.  TFR_END: there is no item `i`.
	 * NULL: nothing is to be brought. */
	enum tfr_status (*pull)(void *ctx, struct tfr_lanes_run *run, uint64_t i, void *slot,
		uint32_t *lane, struct tfr_error *err);
	/* A failure of item `i` ends the run once every item before it was delivered and retired;
	 * of several, the first in order is reported, whatever the number of threads. */
	enum tfr_status (*work)(void *ctx, struct tfr_lanes_run *run, unsigned worker, uint64_t i,
		void *slot, struct tfr_error *err);
	enum tfr_status (*deliver)(
		void *ctx, uint64_t i, void *slot, struct tfr_error *err); /* NULL: nothing */
	void (*retire)(void *ctx, uint64_t i, void *slot);		   /* NULL: nothing */
	/* Releases what a slot holds, once, at the end; NULL: nothing. */
	void (*clear_slot)(void *slot);
};

enum tfr_status tfr_lanes_run(const struct tfr_lanes *l, void *ctx, struct tfr_error *err);

/* For pull() and work(): waits until `bytes` more fit in the budget.  They are given
 * back when the item has been delivered. */
void tfr_lanes_reserve(struct tfr_lanes_run *run, uint64_t i, uint64_t bytes);

#endif
