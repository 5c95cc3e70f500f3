/* example/content.h - the message type of records, detected from their fields.
 *
 * One record can be ambiguous: an empty one may be any message.  The content of a file or a set
 * is therefore decided from the counts of many records. */
#ifndef TFR_EXAMPLE_CONTENT_H
#define TFR_EXAMPLE_CONTENT_H

#include <tfr-private/example.h>

/* The evidence of one record. */
enum tfr_likeness {
	TFR_LIKE_ANY,	  /* it is empty */
	TFR_LIKE_EXAMPLE, /* an Example without a complete feature, or nearly anything else */
	TFR_IS_EXAMPLE,	  /* or a SequenceExample */
	TFR_IS_ELWC,
	TFR_IS_TENSOR,
	TFR_IS_MESSAGE, /* a protobuf message of another type */
	TFR_IS_RAW,	/* no protobuf message */
	TFR_LIKENESSES,
};

/* A record that tfr_example_parse() refuses can still be a damaged TFR_IS_EXAMPLE. */
enum tfr_likeness tfr_likeness_of(const void *data, size_t size);
/* The same for a record that was just parsed; it costs nothing if the record has a feature. */
enum tfr_likeness tfr_likeness_parsed(const struct tfr_example *ex, const void *data, size_t size);

/* Records by their evidence; zero-initialised is none. */
struct tfr_content_counts {
	uint64_t records[TFR_LIKENESSES];
};

void tfr_content_merge(struct tfr_content_counts *into, const struct tfr_content_counts *from);

/* The number of records of each type, after all of them were considered.  A record that is only
 * "like" an Example, or empty, is one if another record certainly is; otherwise it gets the most
 * frequent type. records[TFR_CONTENT_AUTO] is 0. */
struct tfr_content_result {
	uint64_t records[TFR_CONTENT_TYPES];
	uint64_t all;
	enum tfr_content most; /* an Example if there are none */
};

struct tfr_content_result tfr_content_settle(const struct tfr_content_counts *counts);

/* The type of one record by itself.  Never AUTO. */
enum tfr_content tfr_content_alone(enum tfr_likeness like);
enum tfr_content tfr_content_of(const void *data, size_t size);

/* "an Example", "a protobuf message of another type". */
const char *tfr_content_one(enum tfr_content content);
/* Of a list in words. */
#define TFR_CONTENT_TEXT 400

/* If there are records but no Examples: TFR_EDATA, "'PATH' holds TensorProtos, not Examples", with
 * a hint.  `path` NULL: "the inputs hold …"; "": "holds …", for callers that print the path beside
 * it.  TFR_OK otherwise. */
enum tfr_status tfr_content_refuse(
	const struct tfr_content_result *r, const char *path, struct tfr_error *err);
/* If there are Examples and other records: "5 of 20 records are not Examples: 3
 * ExampleListWithContexts and 2 TensorProtos".  False: there is no mixture. */
bool tfr_content_mixture(char text[TFR_CONTENT_TEXT], const struct tfr_content_result *r);

#endif
