/* example/print.h - between the two ways to print a record: what a value is, whichever reader it
 * came from. */
#ifndef TFR_EXAMPLE_PRINT_H
#define TFR_EXAMPLE_PRINT_H

#include <tfr/example.h>
#include <tfr/text.h>

#include "base/buf.h"
#include "example.pb-c.h"

struct tfr_printer {
	struct tfr_print_opts opts;
	struct tfr_example *ex;
	struct tfr_json *json;
	struct tfr_buf text, scratch;
};

/* The values of one Feature: of our reader (`frame` NULL) or of a frame that protobuf-c unpacked.
 */
struct tfr_values {
	enum tfr_kind kind;
	uint64_t count, next;
	struct tfr_cursor cursor;
	const Tfr__Feature *frame;
};

struct tfr_value {
	struct tfr_bytes bytes;
	float f;
	int64_t i;
};

struct tfr_values tfr_values_of(const struct tfr_feature *f);
struct tfr_values tfr_values_of_frame(const Tfr__Feature *frame);
bool tfr_values_next(struct tfr_values *vs, struct tfr_value *v);

/* The feature lists of a SequenceExample, sorted by key, the last of equal keys. */
struct tfr_sequence_list {
	const Tfr__FeatureListEntry *entry;
	size_t place; /* in the record */
};

struct tfr_sequence {
	Tfr__SequenceExample *message;
	struct tfr_sequence_list *lists;
	size_t n;
};

/* To be ended by tfr_sequence_clear(), whatever the status. */
enum tfr_status tfr_sequence_parse(
	struct tfr_sequence *s, const void *data, size_t size, struct tfr_error *err);
void tfr_sequence_clear(struct tfr_sequence *s);

#endif
