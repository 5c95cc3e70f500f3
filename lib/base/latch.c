/* base/latch.c - the first failure is written once, by the thread that takes the latch; `status`
 * publishes it. */
#include "base/latch.h"

enum tfr_status tfr_latch_failure(const struct tfr_latch *l, struct tfr_error *err)
{
	if (err)
		*err = l->first;
	return l->status;
}

enum tfr_status tfr_latch_fail(
	struct tfr_latch *l, enum tfr_status status, const struct tfr_error *err)
{
	if (atomic_exchange(&l->taken, true))
		return status;
	if (err)
		l->first = *err;
	else
		tfr_fail(&l->first, status, "an earlier write failed");
	atomic_store(&l->status, status);
	return status;
}
