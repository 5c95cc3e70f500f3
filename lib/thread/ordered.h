/* thread/ordered.h - work done by many threads, its results handed over in order.
 *
 * Items 0, 1, 2, … are worked on by any thread in any order; deliver() sees them one at a time in
 * item order, so what it writes does not depend on the number of threads.  Workers run ahead of
 * delivery by at most `window` items and `budget` bytes; the next item to be delivered may always
 * start, so nothing deadlocks.  The crew knows nothing about the work. */
#ifndef TFR_THREAD_ORDERED_H
#define TFR_THREAD_ORDERED_H

#include "base/error.h"

struct tfr_ordered {
	unsigned threads; /* at least 1; the caller's is one of them */
	uint64_t count;	  /* items */
	uint64_t window;  /* items in flight, 0: four a thread */
	uint64_t budget;  /* bytes in flight, 0: no bound */
	size_t slot_size; /* bytes of state an item in flight has, zeroed once, then reused from
			     item to item */

	/* The bytes item `i` will hold while in flight; NULL: none.  Called under a lock: must be
	 * quick. */
	uint64_t (*cost)(void *ctx, uint64_t i);
	/* On any thread.  A failure ends the run once every item before `i` was delivered. */
	enum tfr_status (*work)(
		void *ctx, unsigned worker, uint64_t i, void *slot, struct tfr_error *err);
	/* In item order, one at a time, on any thread; NULL: nothing.  TFR_END ends the run as a
	 * success. */
	enum tfr_status (*deliver)(void *ctx, uint64_t i, void *slot, struct tfr_error *err);
	/* Releases what a slot holds, once, at the end; NULL: nothing. */
	void (*clear_slot)(void *slot);
};

/* TFR_OK, or the failure of the first item in order that failed. */
enum tfr_status tfr_ordered_run(const struct tfr_ordered *o, void *ctx, struct tfr_error *err);

#endif
