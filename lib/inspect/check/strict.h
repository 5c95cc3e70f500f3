/* inspect/check/strict.h - what libtfr reads and other readers lose: of a file as a whole, and of
 * names that those readers know. */
#ifndef TFR_INSPECT_CHECK_STRICT_H
#define TFR_INSPECT_CHECK_STRICT_H

#include <tfr-private/example.h>
#include <tfr-private/inspect.h>
#include <tfr-private/record.h>

#include "base/error.h"

/* Difference number `i` in how a file that was read to its end is laid out.  TFR_EDATA names it;
 * TFR_OK: there is none of that number, which may be said of one below TFR_STRICT_FILE. */
enum { TFR_STRICT_FILE = 3 };
enum tfr_status tfr_strict_file(const struct tfr_reader *r, const struct tfr_check_file *file,
	unsigned i, struct tfr_error *err);

/* After a fault: adds to `err` what other readers make of it.  Of the compressed stream; of a
 * record with its header, which is NULL where the file has no 12 bytes any more, or where it is not
 * the length that is wrong. */
void tfr_strict_stream(const struct tfr_reader *r, const char *path, struct tfr_error *err);
void tfr_strict_record(enum tfr_fault fault, const uint8_t *header, struct tfr_error *err);

/* The kind that object_detection's decoder and those like it (tf_example_decoder.py) want of a
 * feature, TFR_KIND_UNSET where they do not know its name. */
enum tfr_kind tfr_strict_kind(const struct tfr_bytes *name);

/* Names a difference, or another fault, of a feature: "name: what", cut where it is long. */
enum tfr_status tfr_strict_feature(
	struct tfr_error *err, const struct tfr_bytes *name, const char *what);

#endif
