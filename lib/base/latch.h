/* base/latch.h - the first failure of an object, which every later call on it returns. */
#ifndef TFR_BASE_LATCH_H
#define TFR_BASE_LATCH_H

#include <stdatomic.h>

#include "base/error.h"

/* All zero: nothing has failed. */
struct tfr_latch {
	atomic_bool taken;
	_Atomic enum tfr_status status; /* set after `first` */
	struct tfr_error first;
};

enum tfr_status tfr_latch_failure(const struct tfr_latch *l, struct tfr_error *err);
enum tfr_status tfr_latch_fail(
	struct tfr_latch *l, enum tfr_status status, const struct tfr_error *err);

/* The first failure, or TFR_OK.  Any thread. */
static inline enum tfr_status tfr_latch_check(const struct tfr_latch *l, struct tfr_error *err)
{
	return atomic_load(&l->status) ? tfr_latch_failure(l, err) : TFR_OK;
}

/* Keeps a failure unless there is one already, and returns `status`.  Any thread. */
static inline enum tfr_status tfr_latch_keep(
	struct tfr_latch *l, enum tfr_status status, const struct tfr_error *err)
{
	return status ? tfr_latch_fail(l, status, err) : TFR_OK;
}

#endif
