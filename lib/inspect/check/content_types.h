/* inspect/check/content_types.h - the types of the records of a file that must hold Examples. */
#ifndef TFR_INSPECT_CHECK_CONTENT_TYPES_H
#define TFR_INSPECT_CHECK_CONTENT_TYPES_H

#include "example/content.h"

enum { TFR_STRANGERS_MAX = 32 };

/* Records that are not Examples, for one reason: the first of them. */
struct tfr_stranger {
	uint64_t kind, records; /* as struct tfr_check_kind has them */
	uint64_t record, offset;
	char why[200];
};

/* Zero-initialised is none. */
struct tfr_types {
	struct tfr_content_counts counts; /* of all records */
	struct tfr_stranger strangers[TFR_STRANGERS_MAX];
	size_t n;
};

/* Whether a record that shows this is not an Example, be it a damaged one. */
bool tfr_types_strange(enum tfr_likeness like);
/* Why a record that parses is not an Example. */
enum tfr_status tfr_types_explain(enum tfr_likeness like, struct tfr_error *err);
/* Counts one, whose reason and place `why` has.  Those for other reasons than the first
 * TFR_STRANGERS_MAX - 1 are counted together. */
void tfr_types_note(struct tfr_types *t, uint64_t kind, const struct tfr_error *why);
/* `from` comes after `into`. */
void tfr_types_merge(struct tfr_types *into, const struct tfr_types *from);
/* Fault number `i` of the file, once all its records were seen: where none is an Example, one that
 * names what they are, without a place; otherwise one for each reason.  TFR_OK: there are no more.
 * *kind is what it is counted by. */
enum tfr_status tfr_types_fault(const struct tfr_types *t, const char *path, size_t i,
	struct tfr_stranger *kind, struct tfr_error *err);

#endif
