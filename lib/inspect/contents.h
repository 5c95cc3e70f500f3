/* inspect/contents.h - what is inside a record: is it an Example, and do its pictures decode. */
#ifndef TFR_INSPECT_CONTENTS_H
#define TFR_INSPECT_CONTENTS_H

#include "base/error.h"

struct tfr_contents;

struct tfr_contents *tfr_contents_new(bool decode); /* NULL: out of memory */
void tfr_contents_free(struct tfr_contents *c);
/* TFR_EDATA names the fault.  Adds the pictures that decoded to *pictures. */
enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *pictures, struct tfr_error *err);

#endif
