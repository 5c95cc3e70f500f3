/* tfr-private/example.h - additions to <tfr/example.h> for the commands: cursors, printing,
 * --where. */
#ifndef TFR_PRIVATE_EXAMPLE_H
#define TFR_PRIVATE_EXAMPLE_H

#include <tfr/example.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parses a complete SequenceExample and calls `visit` for every bytes value of its feature
 * lists, frame by frame.  A failure of `visit` ends the walk and is returned.  `visit` may be
 * NULL.  TFR_EDATA: the feature lists are damaged.  (tfr_example_parse() reads the context of
 * such a record.) */
enum tfr_status tfr_sequence_visit_bytes(const void *data, size_t size,
	enum tfr_status (*visit)(void *ctx, const struct tfr_bytes *key,
		const struct tfr_bytes *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

/* Reads values from first to last, in time linear in the list.  Each function returns false at
 * the end or if the feature is of another kind.  `f` NULL is an empty list. */
struct tfr_cursor {
	const uint8_t *p, *end,
		*chunk_end; /* of the list; of the packed chunk that p is in (else NULL) */
	enum tfr_kind kind;
};
void tfr_cursor_init(struct tfr_cursor *c, const struct tfr_feature *f);
bool tfr_cursor_bytes(struct tfr_cursor *c, struct tfr_bytes *value);
bool tfr_cursor_float(struct tfr_cursor *c, float *value);
bool tfr_cursor_int64(struct tfr_cursor *c, int64_t *value);

/* The same as tfr_builder_reset(), but frees each buffer that is larger than `keep` bytes.
 * False: out of memory; the builder may then only be freed. */
bool tfr_builder_trim(struct tfr_builder *b, size_t keep);

/* The same as tfr_builder_bytes(), but the values are not copied: the bytes must stay valid
 * until the record has been written. */
enum tfr_status tfr_builder_bytes_ref(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err);

/* Adds a feature list of floats.  It makes the record a SequenceExample, and the features become
 * its context.  Each frame has `frame` values (at least 1), except the last, which has the rest
 * of `n`.  Lists keep the order in which they are added; a key must not be added twice. */
enum tfr_status tfr_builder_frames(struct tfr_builder *b, const char *key, const float *values,
	size_t n, size_t frame, struct tfr_error *err);

/* Adds a feature of a parsed record.  Its key may be any bytes, its values get the builder's own
 * form, and an unset feature stays unset. */
enum tfr_status tfr_builder_feature(
	struct tfr_builder *b, const struct tfr_feature *f, struct tfr_error *err);

/* The kind of that name; UNSET: there is none. */
enum tfr_kind tfr_kind_named(const char *name, size_t size);

/* The type of a record.  No record names its type, so its fields decide:
 *
 *   EXAMPLE  an Example or a SequenceExample: an entry of its maps has a name and a value
 *   ELWC     an ExampleListWithContext (tensorflow_serving/apis/input.proto, as TensorFlow Ranking
 *            reads it) or an ExampleList: field 1, Examples; field 2, the context, an Example
 *   TENSOR   a TensorProto (tensorflow/core/framework/tensor.proto): fields of a TensorProto only,
 *            with a type, a shape, and values that match them
 *   MESSAGE  a protobuf message of another type
 *   RAW      anything else
 *
 * A single empty record is an Example. */
enum tfr_content {
	TFR_CONTENT_AUTO = 0, /* decided by its fields */
	TFR_CONTENT_EXAMPLE,
	TFR_CONTENT_ELWC,
	TFR_CONTENT_TENSOR,
	TFR_CONTENT_RAW,
	TFR_CONTENT_MESSAGE, /* printed as RAW; must not be requested */
	TFR_CONTENT_TYPES,
};

struct tfr_print_opts {
	/* Describes a bytes value: "jpeg", or words such as "jpeg 500x375" for people (`brief`
	 * false); NULL: unknown.  The text is valid until the next call.  Optional, because only
	 * lib/media can read images. */
	const char *(*describe)(void *ctx, const void *data, size_t size, bool brief);
	void *ctx;
	bool base64;	  /* JSON: bytes that are not text as {"base64": "…"}, not as {"bytes": N,
			     "type": "jpeg"} */
	unsigned values;  /* text: values shown of each feature, 0: 8 */
	unsigned width;	  /* text: bytes shown of each text value, 0: 60 */
	unsigned columns; /* text: lines are cut to this many columns, as on a terminal; 0: no limit
			   */
	bool colour;	  /* text: names bold, types dim, by ECMA-48's sequences */
	enum tfr_content as; /* the type that all records are printed as */
};

/* Prints records of every kind as text.  Keeps its memory from record to record. */
struct tfr_printer;

/* `opts` may be NULL; it is copied.  NULL: out of memory. */
struct tfr_printer *tfr_printer_new(const struct tfr_print_opts *opts);
void tfr_printer_free(struct tfr_printer *p);

/* Text for a person: one line per feature with name, kind, count and the first values.  *text is
 * NUL-terminated, owned by the printer and valid until the next call on it.  A record that is
 * damaged or of no known kind is printed as raw bytes.  TFR_EDATA: the record is not of the type
 * opts.as; for an Example, the message names the byte of the fault. */
enum tfr_status tfr_printer_text(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err);

/* One line of JSON without its newline: {"feature": [values]}, always arrays, sorted by name.
 *
 *   - int64 values are exact; a float is the shortest decimal that reads back as the same float,
 *     or a string if it is not finite.  Bytes in UTF-8 are strings, other bytes are objects.
 *   - A SequenceExample is {"context": {…}, "feature_lists": {"name": [[values], …]}}.
 *   - A TensorProto is {"tensor": {"dtype": "float32", "shape": […], "values": […]}}, with the
 *     stored values only: if the shape has more elements, the last value stands for the rest.
 *   - An ELWC is {"context": {…}, "examples": [{…}, …]}.
 *   - Anything else, damaged records included, is {"raw": …}.
 *
 * TFR_EDATA: the record is not of the type opts.as. */
enum tfr_status tfr_printer_json(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err);

/* The length of the character at the start of a text of `n` bytes, at least 1, and the columns that
 * it takes on a terminal: two for wide East Asian characters and emoji, none for combining ones. */
size_t tfr_text_step(const void *text, size_t n, unsigned *columns);

/* The type that the last record was printed as. */
enum tfr_content tfr_printer_content(const struct tfr_printer *p);

/* Finds the features named by the user that no record has, not even unset, and the names that
 * the user may have meant.  These come from tfr_suggestion of <tfr-private/text.h>, which receives
 * the names of all features of all records.  Each thread has its own; when merged at the end,
 * they report the same as a single one. */
struct tfr_feature_watch;

struct tfr_feature_watch *tfr_feature_watch_new(void); /* NULL: out of memory */
void tfr_feature_watch_free(struct tfr_feature_watch *l);

/* Copies `name`, which gets the next number from 0.  False: out of memory. */
bool tfr_feature_watch_add(struct tfr_feature_watch *l, const char *name);

/* Name number `i` may be missing from every record: tfr_feature_watch_report() only warns of it. */
void tfr_feature_watch_allow(struct tfr_feature_watch *l, size_t i);
void tfr_feature_watch_look(struct tfr_feature_watch *l, const struct tfr_example *ex);

/* The same for a single feature of a record, by its name. */
void tfr_feature_watch_look_at(struct tfr_feature_watch *l, const char *key, size_t size);

/* `from` has the same names, in the same order. */
void tfr_feature_watch_merge(struct tfr_feature_watch *into, const struct tfr_feature_watch *from);

/* The i-th name that no record had so far, and the name that the user may have meant (NULL: none
 * is similar).  Both are valid as long as `l`; *meant changes with the next record.  False:
 * there are no more, or no record was examined. */
bool tfr_feature_watch_missing(
	const struct tfr_feature_watch *l, size_t i, const char **name, const char **meant);

/* Warns of each such name: "no record has 'x'; did you mean 'y'?".  `warn` may be NULL. */
void tfr_feature_watch_warn(
	const struct tfr_feature_watch *l, void (*warn)(void *ctx, const char *text), void *ctx);

/* After all input was read: reports each such name as an error (TFR_EDATA) to `missing`, those
 * of tfr_feature_watch_allow() to `warn`.  If `missing` is NULL, `warn` receives all; it may be
 * NULL. */
void tfr_feature_watch_report(const struct tfr_feature_watch *l,
	void (*missing)(void *ctx, const struct tfr_error *err),
	void (*warn)(void *ctx, const char *text), void *ctx);

/* A compiled --where expression:
 *
 *   image/class/label == 3 && exists(image/object/bbox/xmin) || image/class/text =~ "^tabby"
 *
 *   - Names are bare or in quotes, on the left of an operator or inside a function; `f[2]` is one
 *     value of f.
 *   - The operators are == != < <= > >= =~, && || ! and parentheses.
 *   - Constants are numbers, and texts in single or double quotes.
 *   - Functions: len(f), the number of values, 0 if absent; size(f), the bytes of value 0;
 *     exists(f), whether f has a list, even an empty one.
 *
 * A comparison is true if it is true for any value of the feature; a != b is !(a == b).  It is
 * false if the feature is absent or of a type that cannot be compared with the other side.
 * Compared with floats, a number is rounded to float first, so that `score == 0.1` finds 0.1f.
 * =~ is PCRE2, unanchored, with a limit on its steps; bytes are compared bytewise. */
struct tfr_where;

/* TFR_EUSAGE: the message says what is wrong and where: "expected a number or a text at
 * character 12". */
enum tfr_status tfr_where_compile(struct tfr_where **w, const char *expr, struct tfr_error *err);
void tfr_where_free(struct tfr_where *w);

/* Whether the expression selects the parsed Example.  TFR_EDATA: a pattern needs too many steps
 * for one of its values. */
enum tfr_status tfr_where_match(
	struct tfr_where *w, const struct tfr_example *ex, bool *selected, struct tfr_error *err);

/* The features that the expression names, and the records that tfr_where_match() examined.  Each
 * copy of an expression reports on the records that it examined. */
struct tfr_feature_watch *tfr_where_lookout(struct tfr_where *w);

#ifdef __cplusplus
}
#endif

#endif
