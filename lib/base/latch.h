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

/* The first failure, or TFR_OK.  Any thread. */
enum tfr_status tfr_latch_check(struct tfr_latch *l, struct tfr_error *err);
/* Keeps a failure unless there is one already, and returns `status`.  Any thread. */
enum tfr_status tfr_latch_keep(
	struct tfr_latch *l, enum tfr_status status, const struct tfr_error *err);

#endif
