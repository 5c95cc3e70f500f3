/* tfr-private/progress.h - how far a long call is, for another thread to look at.
 *
 * The library adds to the numbers with atomic operations as work is done; the caller may read them
 * with __atomic_load_n() from any thread while the call runs.  They only grow. */
#ifndef TFR_PRIVATE_PROGRESS_H
#define TFR_PRIVATE_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_progress {
	uint64_t items;	      /* records, or input files where those become records */
	uint64_t bytes;	      /* of input */
	uint64_t total_items; /* 0: not known */
	uint64_t total_bytes; /* 0: not known */
};

static inline void tfr_progress_add(struct tfr_progress *p, uint64_t items, uint64_t bytes)
{
	if (!p)
		return;
	__atomic_fetch_add(&p->items, items, __ATOMIC_RELAXED);
	__atomic_fetch_add(&p->bytes, bytes, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
