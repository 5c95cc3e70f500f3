/* inspect/check/strict.h - data that libtfr reads and other readers lose: in the layout of a file,
 * and in features with names that those readers know. */
#ifndef TFR_INSPECT_CHECK_STRICT_H
#define TFR_INSPECT_CHECK_STRICT_H

#include <tfr-private/example.h>
#include <tfr-private/inspect.h>
#include <tfr-private/record.h>

#include "base/error.h"

/* Difference number `i` in the layout of a file that was read to its end.  TFR_EDATA names it;
 * TFR_OK: there is none of that number.  Numbers below TFR_STRICT_FILE may have none while later
 * ones do. */
enum { TFR_STRICT_FILE = 3 };
enum tfr_status tfr_strict_file(const struct tfr_reader *r, const struct tfr_check_file *file,
	unsigned i, struct tfr_error *err);

/* After a fault: appends to `err` how other readers behave there.  The first function is for the
 * compressed stream.  The second is for a record with its header, which is NULL if fewer than 12
 * bytes are left, or if the length is not at fault. */
void tfr_strict_stream(const struct tfr_reader *r, const char *path, struct tfr_error *err);
void tfr_strict_record(enum tfr_fault fault, const uint8_t *header, struct tfr_error *err);

/* The kind that object_detection's decoder and similar ones (tf_example_decoder.py) expect of a
 * feature; TFR_KIND_UNSET if they do not know its name. */
enum tfr_kind tfr_strict_kind(const struct tfr_bytes *name);

/* Reports a difference, or another fault, of a feature: "name: what", cut if long. */
enum tfr_status tfr_strict_feature(
	struct tfr_error *err, const struct tfr_bytes *name, const char *what);

#endif
