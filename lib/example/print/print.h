/* example/print/print.h - shared by the two ways to print a record. */
#ifndef TFR_EXAMPLE_PRINT_PRINT_H
#define TFR_EXAMPLE_PRINT_PRINT_H

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "base/buf.h"
#include "example/content.h"
#include "example/lists.h"
#include "example/print/printer.h"

struct tfr_printer {
	struct tfr_print_opts opts;
	struct tfr_example *ex;
	struct tfr_lists *lists;
	struct tfr_json *json;
	struct tfr_buf text, scratch, joined;
	enum tfr_content content;	  /* type of the last record */
	struct tfr_content_counts counts; /* of the first records */
	unsigned counted;
	bool parsed; /* the current record is in `ex` */
	int indent;  /* additional indentation of lines */
};

/* Pieces of text and JSON shared by all kinds of records.  False: out of memory. */

/* "  name      kind   count  ": the columns before the values. */
bool tfr_print_text_head(struct tfr_printer *p, const void *key, size_t key_size, size_t width,
	const char *kind, const char *count);
/* The larger of the two, limited to a reasonable width for names. */
size_t tfr_print_wider(size_t width, size_t size);
/* Ends a line without trailing blanks, which an empty column would leave, and within
 * opts.columns. */
bool tfr_print_end_line(struct tfr_printer *p);
/* A text in quotes, cut at its width; for other bytes, their description and size. */
bool tfr_print_text_bytes(struct tfr_printer *p, struct tfr_bytes b);
/* Prints the contents of p->json: a number, without the quotes that JSON needs for NaN. */
bool tfr_print_text_json(struct tfr_printer *p);
bool tfr_print_json_bytes(struct tfr_printer *p, struct tfr_bytes b);
/* The caller's description of these bytes; NULL: none. */
const char *tfr_print_describe(const struct tfr_printer *p, struct tfr_bytes b, bool brief);

/* The features in p->ex and, of a SequenceExample, the lists in p->lists. */
bool tfr_print_json_example(struct tfr_printer *p, bool sequence);
/* Only the features in p->ex: an object named `key`, or lines. */
bool tfr_print_json_features(struct tfr_printer *p, const char *key);
bool tfr_print_text_features(struct tfr_printer *p, size_t width);

/* A complete record, into p->text or p->json.  TFR_EDATA: it is not of that kind; discard what
 * was printed. */
enum tfr_status tfr_print_elwc(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err);
enum tfr_status tfr_print_tensor(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err);

#endif
