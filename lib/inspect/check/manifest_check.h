/* inspect/check/manifest_check.h - compares a file with its manifest entry. */
#ifndef TFR_INSPECT_CHECK_MANIFEST_CHECK_H
#define TFR_INSPECT_CHECK_MANIFEST_CHECK_H

#include "base/error.h"
#include "shard/manifests.h"

/* The result of reading the file. */
struct tfr_proof {
	uint64_t records, sum;
	bool quick; /* no payload was read, so there is no sum */
};

/* TFR_EDATA lists all differences in one message.  A failure to read the file has another status.
 */
enum tfr_status tfr_prove(const struct tfr_manifest_shard *shard, const char *path,
	const struct tfr_proof *found, struct tfr_error *err);

#endif
