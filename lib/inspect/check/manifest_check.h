/* inspect/check/manifest_check.h - a file held to what its manifest says of it. */
#ifndef TFR_INSPECT_CHECK_MANIFEST_CHECK_H
#define TFR_INSPECT_CHECK_MANIFEST_CHECK_H

#include "base/error.h"
#include "shard/manifests.h"

/* What reading the file gave. */
struct tfr_proof {
	uint64_t records, sum;
	bool quick; /* no payload was read: there is no sum, and the file's bytes are not proved */
};

/* TFR_EDATA says all that differs, in one reason.  A failure to read the file is another status. */
enum tfr_status tfr_prove(const struct tfr_manifest_shard *shard, const char *path,
	const struct tfr_proof *found, struct tfr_error *err);

#endif
