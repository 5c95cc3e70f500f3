/* inspect/check/record_contents.h - what is inside a record: is it an Example, and do its images
 * decode. */
#ifndef TFR_INSPECT_CHECK_RECORD_CONTENTS_H
#define TFR_INSPECT_CHECK_RECORD_CONTENTS_H

#include "base/error.h"
#include "example/content.h"

struct tfr_contents;
struct tfr_schema;

/* What of tfr_check_opts concerns records. */
struct tfr_contents_opts {
	bool example, decode, strict;
	uint64_t max_pixels;		 /* of an image that is decoded */
	const struct tfr_schema *schema; /* NULL: none */
};

struct tfr_contents *tfr_contents_new(
	const struct tfr_contents_opts *opts); /* NULL: out of memory */
void tfr_contents_free(struct tfr_contents *c);
/* TFR_EDATA names the fault.  Adds the images that decoded to *images.  Where records must be
 * Examples, counts in `counts` what this one shows; *strange: it is none, not even a damaged one.
 */
enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *images, struct tfr_content_counts *counts, bool *strange, struct tfr_error *err);
/* When the check found no fault: each difference from the schema, and with `strict` between
 * readers, is put in `fault`, without a place, and `tell` called.  A failure of `tell` ends it and
 * is returned. */
enum tfr_status tfr_contents_differences(struct tfr_contents *c, const void *data, size_t size,
	struct tfr_error *fault, enum tfr_status (*tell)(void *ctx, struct tfr_error *err),
	void *ctx, struct tfr_error *err);
/* Of the fault reported last by either: a hash of its feature and its wording without numbers, by
 * which such faults are counted together; 0 for an image that does not decode, which is reported
 * alone. */
uint64_t tfr_contents_kind(const struct tfr_contents *c);

#endif
