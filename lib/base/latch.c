#include "base/latch.h"

enum tfr_status tfr_latch_check(struct tfr_latch *l, struct tfr_error *err)
{
	enum tfr_status status = atomic_load(&l->status);

	if (status && err)
		*err = l->first;
	return status;
}

enum tfr_status tfr_latch_keep(
	struct tfr_latch *l, enum tfr_status status, const struct tfr_error *err)
{
	if (!status || atomic_exchange(&l->taken, true))
		return status;
	if (err)
		l->first = *err;
	else
		tfr_fail(&l->first, status, "an earlier write failed");
	atomic_store(&l->status, status);
	return status;
}
