/* Any bytes as a manifest: refused with a reason, or shards with names that are no paths.  A
 * bracket more before it must not be believed either. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "shard/manifests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_manifest *m = NULL;
	struct tfr_error err = { 0 };
	char *exact = malloc(size + 1); /* the text has no NUL behind it to run on to */

	memcpy(exact, data, size);
	if (tfr_manifest_parse(&m, exact, size, &err)) {
		if (err.status != TFR_EDATA || !err.message[0])
			abort();
	} else {
		for (size_t i = 0; i < m->count; i++)
			if (!m->shards[i].name[0] || strchr(m->shards[i].name, '/'))
				abort();
		tfr_manifest_free(m);
		m = NULL;
		memmove(exact + 1, exact, size);
		exact[0] = '[';
		if (!tfr_manifest_parse(&m, exact, size + 1, &err))
			abort();
	}
	free(exact);
	return 0;
}
