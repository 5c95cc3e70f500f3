/* inspect/check/record_contents.h - checks the contents of a record: whether it is an Example, and
 * whether its images decode. */
#ifndef TFR_INSPECT_CHECK_RECORD_CONTENTS_H
#define TFR_INSPECT_CHECK_RECORD_CONTENTS_H

#include <tfr-private/inspect.h>

#include "base/error.h"
#include "example/content.h"

struct tfr_contents;
struct tfr_schema;

/* For the options that concern records, and the open schema, which may be NULL.  NULL: out of
 * memory. */
struct tfr_contents *tfr_contents_new(
	const struct tfr_check_opts *opts, const struct tfr_schema *schema);
void tfr_contents_free(struct tfr_contents *c);
/* TFR_EDATA names the fault.  Adds the number of decoded images to *images.  If records must be
 * Examples, counts the record's type in `counts`; *strange: it is not an Example, not even a
 * damaged one. */
enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *images, struct tfr_content_counts *counts, bool *strange, struct tfr_error *err);
/* Call if the check found no fault.  Puts each difference from the schema, and with `strict`
 * between readers, into `fault`, without a place, and calls `tell`.  A failure of `tell` ends the
 * call and is returned. */
enum tfr_status tfr_contents_differences(struct tfr_contents *c, const void *data, size_t size,
	struct tfr_error *fault, enum tfr_status (*tell)(void *ctx, struct tfr_error *err),
	void *ctx, struct tfr_error *err);
/* For the fault reported last by either function: a hash of its feature and of its wording without
 * numbers, which identifies the kind.  0 for an image that does not decode, which is reported
 * alone. */
uint64_t tfr_contents_kind(const struct tfr_contents *c);

#endif
