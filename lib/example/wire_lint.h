/* example/wire_lint.h - finds what protobuf (upb), TensorFlow's own parser, DALI or the PyPI
 * package read differently in a record that parses.
 *
 * tfr_example_parse() reads as protobuf does.  TensorFlow's tf.io.parse_example has its own
 * parser (core/util/example_proto_fast_parsing.cc), which is stricter in some cases and more
 * lenient in others.  DALI parses with protobuf's C++, which checks names. */
#ifndef TFR_EXAMPLE_WIRE_LINT_H
#define TFR_EXAMPLE_WIRE_LINT_H

#include <tfr-private/example.h>

struct tfr_lint; /* keeps its memory from record to record */

struct tfr_lint *tfr_lint_new(void); /* NULL: out of memory */
void tfr_lint_free(struct tfr_lint *l);

/* Whether a record is meant to be an Example or a SequenceExample, if it parses as one: it uses
 * the fields of these messages, and nothing else is in them.  In a tfevents record and in a
 * TensorProto, field 1 is not a message. */
bool tfr_lint_concerns(const void *data, size_t size);

/* Calls `found` for each difference in a record that tfr_example_parse() accepts: each kind once
 * per feature, in the order of the record, then the differences between names.  `name` NULL: the
 * record as a whole.  A failure of `found` ends the walk and is returned. */
enum tfr_status tfr_lint_run(struct tfr_lint *l, const void *data, size_t size,
	enum tfr_status (*found)(
		void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

#endif
