/* example/print/print.h - between the two ways to print a record: what a value is, whichever reader
 * it came from. */
#ifndef TFR_EXAMPLE_PRINT_PRINT_H
#define TFR_EXAMPLE_PRINT_PRINT_H

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "base/buf.h"
#include "event.pb-c.h"
#include "example.pb-c.h"
#include "example/content.h"
#include "example/print/printer.h"

struct tfr_printer {
	struct tfr_print_opts opts;
	struct tfr_example *ex;
	struct tfr_json *json;
	struct tfr_buf text, scratch, joined;
	enum tfr_content content;	  /* of the last record */
	struct tfr_content_counts counts; /* of the first records */
	unsigned counted;
	bool parsed; /* the record at hand is in `ex` */
	int indent;  /* of lines, more than usual */
};

/* The values of one Feature: of our reader (`frame` NULL) or of a frame that protobuf-c unpacked.
 */
struct tfr_printed_values {
	enum tfr_kind kind;
	uint64_t count, next;
	struct tfr_cursor cursor;
	const Tfr__Feature *frame;
};

struct tfr_printed_value {
	struct tfr_bytes bytes;
	float f;
	int64_t i;
};

struct tfr_printed_values tfr_values_of(const struct tfr_feature *f);
struct tfr_printed_values tfr_values_of_frame(const Tfr__Feature *frame);
bool tfr_values_next(struct tfr_printed_values *vs, struct tfr_printed_value *v);

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

/* Pieces of text and JSON that all kinds of records are printed with.  False: out of memory. */

/* "  name      kind   count  ": the columns before the values. */
bool tfr_print_text_head(struct tfr_printer *p, const void *key, size_t key_size, size_t width,
	const char *kind, const char *count);
/* The wider of the two, as long as a name is not unreasonable. */
size_t tfr_print_wider(size_t width, size_t size);
/* Lines end without blanks, which a column of nothing would leave, and within opts.columns. */
bool tfr_print_end_line(struct tfr_printer *p);
/* Columns that are left on the line under way; SIZE_MAX: a line has no end. */
size_t tfr_print_room(const struct tfr_printer *p);
/* Whether a text and its quotes have no more columns than that. */
bool tfr_print_goes(struct tfr_bytes text, size_t room);
/* Cuts the line under way to opts.columns. */
bool tfr_print_fit(struct tfr_printer *p);
/* A text in quotes, cut at its width, or what other bytes are and their size. */
bool tfr_print_text_bytes(struct tfr_printer *p, struct tfr_bytes b);
/* What stands in p->json: a number, without the quotes that only JSON gives NaN. */
bool tfr_print_text_json(struct tfr_printer *p);
bool tfr_print_json_bytes(struct tfr_printer *p, struct tfr_bytes b);
/* What the caller knows of these bytes; NULL: nothing. */
const char *tfr_print_describe(const struct tfr_printer *p, struct tfr_bytes b, bool brief);

/* The features that p->ex holds, and the lists of `s` beside them; NULL: it is no sequence. */
bool tfr_print_json_example(struct tfr_printer *p, const struct tfr_sequence *s);
/* The features that p->ex holds, alone: an object named `key`, or lines. */
bool tfr_print_json_features(struct tfr_printer *p, const char *key);
bool tfr_print_text_features(struct tfr_printer *p, size_t width);

struct tfr_tensor_proto;
/* `kind` NULL: type and shape are named. */
bool tfr_print_text_tensor(struct tfr_printer *p, struct tfr_bytes name, size_t width,
	const char *kind, struct tfr_tensor_proto t);
bool tfr_print_json_tensor(struct tfr_printer *p, const char *key, struct tfr_tensor_proto t);

/* A whole record, into p->text or p->json.  TFR_EDATA: it is none of that kind, and what stands
 * there by then is to be forgotten. */
enum tfr_status tfr_print_event(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err);
enum tfr_status tfr_print_elwc(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err);
enum tfr_status tfr_print_tensor(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err);

#endif
