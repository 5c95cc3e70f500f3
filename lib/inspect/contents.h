/* inspect/contents.h - what is inside a record: is it an Example, and do its pictures decode. */
#ifndef TFR_INSPECT_CONTENTS_H
#define TFR_INSPECT_CONTENTS_H

#include "base/error.h"

struct tfr_contents;

/* What of tfr_check_opts concerns records.  NULL: out of memory. */
struct tfr_contents *tfr_contents_new(bool example, bool decode, bool strict);
void tfr_contents_free(struct tfr_contents *c);
/* TFR_EDATA names the fault.  Adds the pictures that decoded to *pictures. */
enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *pictures, struct tfr_error *err);
/* With `strict`, and when the check found no fault: each difference between readers is put in
 * `fault`, without a place, and `tell` called.  A failure of `tell` ends it and is returned. */
enum tfr_status tfr_contents_differences(struct tfr_contents *c, const void *data, size_t size,
	struct tfr_error *fault, enum tfr_status (*tell)(void *ctx, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

#endif
