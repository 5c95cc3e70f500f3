/* thread/lanes.h - runs work on many threads and delivers the results in order, lane by lane.
 *
 * Item i belongs to lane i mod `lanes`, or to the lane that pull() chooses.  work() runs on any
 * thread and in any order.  deliver() gets the items of a lane one at a time and in order, and
 * those of different lanes concurrently.  So the results of a lane do not depend on the number of
 * threads, and no lane waits for another.  retire() then gets all items one at a time in order, for
 * output that is one sequence.  Threads run ahead by at most `window` items and `budget` bytes.
 * The first item that is not yet delivered always gets room, which rules out a deadlock. */
#ifndef TFR_THREAD_LANES_H
#define TFR_THREAD_LANES_H

#include "base/error.h"

struct tfr_lanes_run;

struct tfr_lanes {
	unsigned threads; /* at least 1, including the caller's */
	uint32_t lanes;	  /* 0: one, so that all items are delivered in one order */
	uint64_t count;	  /* items; with pull() an upper bound, UINT64_MAX if unknown */
	uint64_t window;  /* items in flight; 0: sixteen per thread */
	uint64_t budget;  /* bytes in flight, by tfr_lanes_reserve(); 0: no bound */
	size_t slot_size; /* bytes of state per item in flight, zeroed once, then reused */

	/* Reads item `i` from a stream before its work: one item at a time and in order, on the
	 * thread that then works on it.  *lane is i mod `lanes` unless pull() sets it.  TFR_END:
	 * the stream has no item `i`.  May be NULL. */
	enum tfr_status (*pull)(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
		void *slot, uint32_t *lane, struct tfr_error *err);
	/* A failure of item `i` ends the run once every earlier item is delivered and retired.  The
	 * first failure in order is reported, whatever the number of threads. */
	enum tfr_status (*work)(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
		void *slot, struct tfr_error *err);
	enum tfr_status (*deliver)(
		void *ctx, uint64_t i, void *slot, struct tfr_error *err); /* may be NULL */
	void (*retire)(void *ctx, uint64_t i, void *slot);		   /* may be NULL */
	/* Releases what a slot holds, once, at the end.  May be NULL. */
	void (*clear_slot)(void *slot);
};

enum tfr_status tfr_lanes_run(const struct tfr_lanes *l, void *ctx, struct tfr_error *err);

/* For pull() and work(): waits until `bytes` more fit in the budget.  They are returned when the
 * item is delivered. */
void tfr_lanes_reserve(struct tfr_lanes_run *lanes, uint64_t i, uint64_t bytes);

#endif
