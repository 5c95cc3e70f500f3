#include "base/latch.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct tfr_error no_memory = { .status = TFR_ENOMEM,
	.message = "an earlier write failed, and memory ran out" };

enum tfr_status tfr_latch_check(struct tfr_latch *l, struct tfr_error *err)
{
	const struct tfr_error *first = atomic_load(&l->first);

	if (first && err)
		*err = *first;
	return first ? first->status : TFR_OK;
}

enum tfr_status tfr_latch_keep(
	struct tfr_latch *l, enum tfr_status status, const struct tfr_error *err)
{
	struct tfr_error *none = NULL, *first;

	if (!status || atomic_load(&l->first))
		return status;
	first = malloc(sizeof(*first));
	if (first && err)
		*first = *err;
	else if (first)
		tfr_fail(first, status, "an earlier write failed");
	if (!atomic_compare_exchange_strong(&l->first, &none, first ? first : &no_memory))
		free(first);
	return status;
}

void tfr_latch_clear(struct tfr_latch *l)
{
	if (l->first != &no_memory)
		free(l->first);
	l->first = NULL;
}
