/* tfr/batch.h - parses many Examples into columns, as tf.io.parse_example does, from a list of
 * wanted features.
 *
 * Each record is walked once, and only wanted features are decoded.  The rules are those of
 * tf.io.parse_example (tensorflow/core/util/example_proto_fast_parsing.cc), which differ from
 * protobuf's (tfr/example.h):
 *
 *   - A key given twice, in one Example or in concatenated Examples: the last entry counts.  An
 *     unset one (a Feature without a list) leaves an earlier one of a dense or padded feature in
 *     place, and empties a ragged one.
 *   - The first list of a Feature counts, and the first packed chunk of a list of numbers.  The
 *     rest is dropped silently, though tfr_example_parse() reads it.  Unpacked values may not be
 *     followed by packed ones.
 *   - 1 to 3 surplus bytes of packed floats are dropped.
 *   - An entry has exactly two fields, key and value in either order (of two keys or two values
 *     the last counts, and the other is empty).  Features has nothing but entries.  Groups are
 *     refused everywhere; other unknown fields beside Features are skipped.
 *   - An unset or absent feature is missing.  A list that is set but empty is not missing: it has
 *     0 values.
 *
 * This parser is stricter in one respect.  Lengths that run past the end of their container,
 * lengths of more than 5 bytes or past 2 GiB, and field number 0 are always faults.  TensorFlow
 * takes some of them for an early end.
 *
 * A parser serves one thread.  To use more cores, give each thread its own parser and batches:
 * they share nothing, so no thread waits for another. */
#ifndef TFR_BATCH_H
#define TFR_BATCH_H

#include <tfr/example.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_layout {
	TFR_DENSE = 0, /* as FixedLenFeature: the same number of values in every record */
	TFR_PADDED, /* as FixedLenSequenceFeature with allow_missing: rows padded to the longest */
	TFR_RAGGED, /* as RaggedFeature, or VarLenFeature: values and row splits (CSR) */
};

/* One wanted feature.  Everything is copied by tfr_batch_parser_new(). */
struct tfr_batch_feature {
	const char *name; /* any bytes; no two features have the same */
	size_t name_size; /* 0: `name` ends in NUL */
	enum tfr_kind kind;
	enum tfr_layout layout;
	/* Dense: values per record.  Padded: the number of values must be a multiple of this.
	 * 0: 1.  Ragged: ignored. */
	size_t count;
	/* Dense: `count` values for records that lack the feature; NULL: every record must have
	 * it.  Padded: the one value that fills up rows; NULL: 0, 0.0 or no bytes.  The type is
	 * int64_t, float or struct tfr_bytes. */
	const void *fill;
	bool splits32; /* row splits are int32_t */
	bool copy;     /* bytes: copied into one text with offsets; else views into the records */
};

/* Parses a wanted feature as written on a command line:
 *
 *   NAME:KIND[N]   dense, N values in every record; without brackets: 1
 *   NAME:KIND[*]   rows padded to the longest
 *   NAME:KIND[]    ragged
 *
 * KIND is int64, float or bytes.  The name is all text before the last colon, or is in single or
 * double quotes, inside of which a backslash escapes a quote or a backslash.  Bytes are copied.
 * The name belongs to `f`, until tfr_batch_feature_clear().  TFR_EUSAGE. */
TFR_API enum tfr_status tfr_batch_feature_parse(
	struct tfr_batch_feature *f, const char *spec, struct tfr_error *err);
TFR_API void tfr_batch_feature_clear(struct tfr_batch_feature *f);

/* The values of one feature in a batch, contiguous, row by row.  The parser owns it; it is valid
 * until the next call on the parser. */
struct tfr_column {
	size_t rows;  /* records of the batch */
	size_t width; /* values per row: dense and padded of every row, ragged of the longest */
	size_t count; /* values: rows * width where not ragged */
	union {
		const int64_t *int64s;
		const float *floats;
		/* Bytes that are not copied: they are valid as long as the caller's records. */
		const struct tfr_bytes *bytes;
	};
	/* Bytes that are copied: value i is text[offsets[i]] up to text[offsets[i + 1]]. */
	const uint8_t *text;
	const int64_t *offsets; /* count + 1 of them; else NULL */
	/* Ragged: row r is values splits[r] up to splits[r + 1].  Padded: the same, before
	 * padding; the differences are the lengths of the rows. rows + 1 elements; dense: NULL. */
	const int64_t *splits;
	const int32_t *splits32; /* in place of `splits` if splits32 was set */
};

/* Keeps all its memory between batches, so that nothing is allocated once it has parsed the
 * largest batch. */
struct tfr_batch_parser;

/* TFR_EUSAGE: a feature without name or kind, or two with the same name. */
TFR_API enum tfr_status tfr_batch_parser_new(struct tfr_batch_parser **p,
	const struct tfr_batch_feature *features, size_t n, struct tfr_error *err);
TFR_API void tfr_batch_parser_free(struct tfr_batch_parser *p); /* accepts NULL */

/* Parses `n` records into columns, which replace those of the previous batch.  TFR_EDATA names
 * the record of the batch, counted from 0, and the feature; the batch is then empty.
 * TFR_EUSAGE: more values than 32-bit splits can count. */
TFR_API enum tfr_status tfr_batch_parse(struct tfr_batch_parser *p, const struct tfr_bytes *records,
	size_t n, struct tfr_error *err);

/* The same for one record at a time, for records that are released before the batch is
 * complete.  Such a batch must not have features of bytes that are not copied.  The first record
 * after tfr_batch_finish() begins a new batch.  A record that fails is not added and leaves the
 * batch unchanged: the caller can continue with the next record. */
TFR_API enum tfr_status tfr_batch_add(
	struct tfr_batch_parser *p, const void *record, size_t size, struct tfr_error *err);
/* Completes the columns.  A batch may have no records.  TFR_ENOMEM: not enough memory for
 * padding. */
TFR_API enum tfr_status tfr_batch_finish(struct tfr_batch_parser *p, struct tfr_error *err);

/* Records in the batch so far. */
TFR_API size_t tfr_batch_rows(const struct tfr_batch_parser *p);
/* The column of feature `i`, in the order given to tfr_batch_parser_new(), of a finished batch. */
TFR_API const struct tfr_column *tfr_batch_column(const struct tfr_batch_parser *p, size_t i);

#ifdef __cplusplus
}
#endif

#endif
