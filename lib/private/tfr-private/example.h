/* tfr-private/example.h - Examples, as far as the commands need more than <tfr/example.h>: cursors,
 * printing, --where. */
#ifndef TFR_PRIVATE_EXAMPLE_H
#define TFR_PRIVATE_EXAMPLE_H

#include <tfr/example.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As tfr_example_get(), for a key of any bytes. */
const struct tfr_feature *tfr_example_find(
	const struct tfr_example *ex, const void *key, size_t key_size);

/* Whether a record is a SequenceExample: it has a field 2 (feature_lists) with a length.  An
 * Example and the context of a SequenceExample are the same field 1, so nothing else tells them
 * apart.  False for damaged records too. */
bool tfr_is_sequence_example(const void *data, size_t size);

/* Parses a SequenceExample whole and shows `visit` every bytes value of its feature lists, frame
 * after frame; a failure of `visit` ends that and is returned.  `visit` may be NULL.  TFR_EDATA:
 * the feature lists are damaged.  (The context is what tfr_example_parse() reads of such a record.)
 */
enum tfr_status tfr_sequence_visit_bytes(const void *data, size_t size,
	enum tfr_status (*visit)(void *ctx, const struct tfr_bytes *key,
		const struct tfr_bytes *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

/* Values, first to last, in time linear in the list.  Each function gives false at the end or when
 * the feature is of another kind.  `f` NULL is an empty list. */
struct tfr_cursor {
	const uint8_t *p, *end,
		*chunk_end; /* of the list; of the packed chunk p is in (else NULL) */
	enum tfr_kind kind;
};
void tfr_cursor_init(struct tfr_cursor *c, const struct tfr_feature *f);
bool tfr_cursor_bytes(struct tfr_cursor *c, struct tfr_bytes *value);
bool tfr_cursor_float(struct tfr_cursor *c, float *value);
bool tfr_cursor_int64(struct tfr_cursor *c, int64_t *value);

/* Likewise, and gives back each piece of memory that is larger than `keep` bytes.  False: out of
 * memory; the builder may only be freed then. */
bool tfr_builder_trim(struct tfr_builder *b, size_t keep);

/* As tfr_builder_bytes(), but the values are not copied: the bytes must stay valid until the record
 * has been written. */
enum tfr_status tfr_builder_bytes_ref(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err);

/* A feature list of floats, which makes the record a SequenceExample, whose context the features
 * are: `frame` values (at least 1) in each frame but the last, which has what is left of `n`. Lists
 * come in the order in which they are added; a key must not be added twice. */
enum tfr_status tfr_builder_frames(struct tfr_builder *b, const char *key, const float *values,
	size_t n, size_t frame, struct tfr_error *err);

/* A feature as read, its key of any bytes, its values in the builder's own form; unset stays unset.
 */
enum tfr_status tfr_builder_feature(
	struct tfr_builder *b, const struct tfr_feature *f, struct tfr_error *err);

/* What a record holds.  No record names its type, so its fields decide:
 *   EXAMPLE  an Example or a SequenceExample: an entry of its maps has a name and a value
 *   ELWC     an ExampleListWithContext (tensorflow_serving/apis/input.proto, as TensorFlow Ranking
 *            reads it) or an ExampleList: field 1, Examples; field 2, the context, an Example
 *   EVENT    an Event (tensorflow/core/util/event.proto): fields of an Event only, and one that
 *            says what happened
 *   TENSOR   a TensorProto (tensorflow/core/framework/tensor.proto): fields of a TensorProto only,
 *            a type, a shape, and values that go with them
 *   MESSAGE  a protobuf message of another type
 *   RAW      anything else
 * An empty record by itself is an Example. */
enum tfr_content {
	TFR_CONTENT_AUTO = 0, /* by its fields */
	TFR_CONTENT_EXAMPLE,
	TFR_CONTENT_ELWC,
	TFR_CONTENT_EVENT,
	TFR_CONTENT_TENSOR,
	TFR_CONTENT_RAW,
	TFR_CONTENT_MESSAGE, /* printed as RAW, and not to be asked for */
	TFR_CONTENT_TYPES,
};

struct tfr_print_opts {
	/* What a bytes value is: "jpeg", or words such as "jpeg 500x375" for people (`brief`
	 * false); NULL: unknown.  The text lives until the next call.  Optional: images are
	 * another room's knowledge. */
	const char *(*describe)(void *ctx, const void *data, size_t size, bool brief);
	void *ctx;
	bool base64;	  /* JSON: bytes that are not text as {"base64": "…"}, not as {"bytes": N,
			     "type": "jpeg"} */
	unsigned values;  /* text: values shown of each feature, 0: 8 */
	unsigned width;	  /* text: bytes shown of each text value, 0: 60 */
	unsigned columns; /* text: what a line is cut to, as on a terminal; 0: none is cut */
	bool colour;	  /* text: names bold, types dim, by ECMA-48's sequences */
	enum tfr_content as; /* what all records are taken for */
};

/* Turns records of every kind into text.  Keeps its memory from record to record. */
struct tfr_printer;

/* `opts` may be NULL; it is copied.  NULL: out of memory. */
struct tfr_printer *tfr_printer_new(const struct tfr_print_opts *opts);
void tfr_printer_free(struct tfr_printer *p);

/* For a person: a line a feature with name, kind, count and the first values.  *text is
 * NUL-terminated, the printer's, valid until the next call on it.  What is of no kind, or
 * damaged, is printed as raw bytes.  TFR_EDATA: it is not what opts.as says; for an Example the
 * byte it goes wrong at is named. */
enum tfr_status tfr_printer_text(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err);

/* One line without its newline: {"feature": [values]}, always arrays, sorted by name; int64 exact,
 * floats the shortest decimal that reads back the same, non-finite ones as strings; bytes that are
 * UTF-8 as strings, others as objects. A SequenceExample is {"context": {…}, "feature_lists":
 * {"name": [[values], …]}}, an Event {"event": {…}}, a TensorProto {"tensor": {"dtype": "float32",
 * "shape": […], "values": […]}} with the values as they are stored: where there are fewer than the
 * shape has, the last one stands for the rest.  An ELWC is {"context": {…}, "examples": [{…}, …]}.
 * Anything else, damaged records included, is {"raw": …}.  TFR_EDATA: it is not what opts.as says.
 */
enum tfr_status tfr_printer_json(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err);

/* What the last record was printed as. */
enum tfr_content tfr_printer_content(const struct tfr_printer *p);

/* The features that a user named, which of them no record has, not even unset, and which names the
 * user may have meant: <tfr/text.h>'s tfr_meant over the names of all features of all records. Each
 * thread has its own; merged at the end, they report the same as a single one. */
struct tfr_lookout;

struct tfr_lookout *tfr_lookout_new(void); /* NULL: out of memory */
void tfr_lookout_free(struct tfr_lookout *l);

/* Copies `name`, which gets the next number from 0.  False: out of memory. */
bool tfr_lookout_add(struct tfr_lookout *l, const char *name);

/* Name number `i` may be missing from every record: tfr_lookout_report() only warns of it. */
void tfr_lookout_allow(struct tfr_lookout *l, size_t i);
void tfr_lookout_look(struct tfr_lookout *l, const struct tfr_example *ex);

/* The same with a single feature of a record, by its name. */
void tfr_lookout_look_at(struct tfr_lookout *l, const char *key, size_t size);

/* `from` has the same names, in the same order. */
void tfr_lookout_merge(struct tfr_lookout *into, const struct tfr_lookout *from);

/* The i-th name that no record had so far, and the name that may have been meant (NULL: none is
 * similar).  Both live as long as `l`; *meant changes with the next record.  False: there are no
 * more, or no record was examined. */
bool tfr_lookout_missing(
	const struct tfr_lookout *l, size_t i, const char **name, const char **meant);

/* Warns of each such name: "no record has 'x'; did you mean 'y'?".  `warn` may be NULL. */
void tfr_lookout_warn(
	const struct tfr_lookout *l, void (*warn)(void *ctx, const char *text), void *ctx);

/* After the whole input: reports each such name as an error (TFR_EDATA) to `missing`, those of
 * tfr_lookout_allow() to `warn`.  Where `missing` is NULL, `warn` receives all; it may be NULL. */
void tfr_lookout_report(const struct tfr_lookout *l,
	void (*missing)(void *ctx, const struct tfr_error *err),
	void (*warn)(void *ctx, const char *text), void *ctx);

/* A compiled --where expression:
 *   image/class/label == 3 && exists(image/object/bbox/xmin) || image/class/text =~ "^tabby"
 * Names stand bare or in quotes, on the left of an operator or inside a function; `f[2]` is one
 * value of f.  Operators
 * == != < <= > >= =~, && || ! and parentheses.  Numbers; texts in single or double quotes.
 * Functions: len(f), the number of values, 0 when absent; size(f), the bytes of value 0; exists(f),
 * whether f holds a list, be it empty. A comparison holds when it does for any value of the
 * feature; a != b is !(a == b); an absent feature, or one of another type than what it is compared
 * with, makes a comparison false.  Against floats a number is rounded to float first, so that
 * `score == 0.1` finds 0.1f.  =~ is PCRE2, unanchored, with a bound on its steps; bytes compare as
 * bytes. */
struct tfr_where;

/* TFR_EUSAGE names what is wrong and where: "expected a number or a text at character 12". */
enum tfr_status tfr_where_compile(struct tfr_where **w, const char *expr, struct tfr_error *err);
void tfr_where_free(struct tfr_where *w);

/* Whether the parsed Example is selected.  TFR_EDATA: a pattern needs too many steps on one of its
 * values. */
enum tfr_status tfr_where_match(
	struct tfr_where *w, const struct tfr_example *ex, bool *selected, struct tfr_error *err);

/* The features that the expression names, with what was looked at by tfr_where_match(): each copy
 * of an expression answers for the records that it saw. */
struct tfr_lookout *tfr_where_lookout(struct tfr_where *w);

#ifdef __cplusplus
}
#endif

#endif
