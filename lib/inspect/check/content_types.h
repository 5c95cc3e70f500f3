/* inspect/check/content_types.h - the types of the records of a file that must hold Examples. */
#ifndef TFR_INSPECT_CHECK_CONTENT_TYPES_H
#define TFR_INSPECT_CHECK_CONTENT_TYPES_H

#include "example/content.h"

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
/* Explains why a record that parses is not an Example. */
enum tfr_status tfr_types_explain(enum tfr_likeness like, struct tfr_error *err);
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

#endif
