/* inspect/check/check.h - what the files of a check share: the contents of a record, the types of
 * the records of a file, and what other readers lose. */
#ifndef TFR_INSPECT_CHECK_CHECK_H
#define TFR_INSPECT_CHECK_CHECK_H

#include <tfr-private/check.h>
#include <tfr-private/example.h>
#include <tfr-private/record.h>

#include "base/error.h"
#include "example/content.h"

/* --- a record: whether it is an Example, and whether its images decode (contents.c) --- */

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

/* --- the types of the records of a file that must hold Examples (contents.c) --- */

enum { TFR_STRANGERS_MAX = 32 };

/* Records that are not Examples, for one reason; `record` and `offset` are those of the first. */
struct tfr_stranger {
	uint64_t kind, records; /* as in struct tfr_check_kind */
	uint64_t record, offset;
	char why[200];
};

/* Zero-initialised is empty. */
struct tfr_types {
	struct tfr_content_counts counts; /* of all records */
	struct tfr_stranger strangers[TFR_STRANGERS_MAX];
	size_t n;
};

/* Whether a record of this type is not an Example, not even a damaged one. */
bool tfr_types_strange(enum tfr_likeness like);
/* Counts one such record; `why` has the reason and the place.  Reasons beyond the first
 * TFR_STRANGERS_MAX - 1 are counted together. */
void tfr_types_note(struct tfr_types *t, uint64_t kind, const struct tfr_error *why);
/* `from` comes after `into`. */
void tfr_types_merge(struct tfr_types *into, const struct tfr_types *from);
/* Fault number `i` of the file, after all its records were read.  If none is an Example, there is
 * one fault without a place that names their types; otherwise there is one per reason.  TFR_OK:
 * there are no more. *kind is the kind that the fault counts as. */
enum tfr_status tfr_types_fault(const struct tfr_types *t, const char *path, size_t i,
	struct tfr_stranger *kind, struct tfr_error *err);

/* --- data that libtfr reads and other readers lose, in the layout of a file and in features with
 * names that those readers know (strict.c) --- */

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
