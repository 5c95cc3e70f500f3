/* example/wire_lint.h - where a record that parses is read differently by protobuf (upb), by
 * TensorFlow's own parser, by DALI or by the PyPI package.
 *
 * tfr_example_parse() reads as protobuf does; TensorFlow's tf.io.parse_example has a parser of its
 * own (core/util/example_proto_fast_parsing.cc), stricter here and looser there, and DALI parses
 * with protobuf's C++, which checks names. */
#ifndef TFR_EXAMPLE_WIRE_LINT_H
#define TFR_EXAMPLE_WIRE_LINT_H

#include <tfr-private/example.h>

struct tfr_lint; /* keeps its memory from record to record */

struct tfr_lint *tfr_lint_new(void); /* NULL: out of memory */
void tfr_lint_free(struct tfr_lint *l);

/* Whether a record is meant to be an Example or a SequenceExample, if it parses as one: it has
 * something in the fields that those have, and nothing else in them.  Of a tfevents record and of a
 * TensorProto field 1 is no message. */
bool tfr_lint_concerns(const void *data, size_t size);

/* Shows `found` each difference in a record that tfr_example_parse() takes: one of a kind for each
 * feature, in the order of the record, then what concerns names together.  `name` NULL: the record
 * as a whole.  A failure of `found` ends it and is returned. */
enum tfr_status tfr_lint_run(struct tfr_lint *l, const void *data, size_t size,
	enum tfr_status (*found)(
		void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

#endif
