/* tfr/example.h - tf.train.Example: read in place, written deterministically, printed, and selected
 * by an expression.
 *
 * An Example is map<string, Feature>; a Feature is one of three lists (bytes, float, int64) or
 * nothing at all (tensorflow/core/example/example.proto and feature.proto).  The reader follows
 * protobuf's rules as upb, the runtime under tf.train.Example.FromString, applies them:
 *   - a key given twice: the last entry wins; an Example concatenated with an Example is therefore
 * one Example;
 *   - two lists of one kind in a Feature are one list, of different kinds the last one counts;
 *   - an entry may lack key (then "") or value (then unset), or have them in either order; key
 * twice: the last, value twice: merged; an entry with a field that is neither is dropped;
 *   - fields nobody knows are skipped, groups too; numbers may be packed, unpacked or both.
 * One thing is read that upb refuses: a key that is not UTF-8.
 *
 * Nothing here is shared between threads: an object serves one thread at a time. */
#ifndef TFR_EXAMPLE_H
#define TFR_EXAMPLE_H

#include <sys/uio.h>
#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_kind {
	TFR_KIND_UNSET = 0, /* the Feature holds no list: TensorFlow treats it as absent */
	TFR_KIND_BYTES = 1, /* the numbers are the fields of the oneof in feature.proto */
	TFR_KIND_FLOAT = 2,
	TFR_KIND_INT64 = 3,
};

/* "bytes", "float", "int64", "unset". */
TFR_API const char *tfr_kind_name(enum tfr_kind kind);

/* Bytes somewhere else; never NUL-terminated. */
struct tfr_bytes {
	const uint8_t *data;
	size_t size;
};

/* --- reading --- */

/* One feature of a parsed Example: a view.  It lives until the next parse with, or the end of, its
 * struct tfr_example, and as long as the record's own bytes do. */
struct tfr_feature {
	const char *key; /* key_size bytes, not NUL-terminated, in any encoding */
	size_t key_size;
	enum tfr_kind kind;
	bool one_chunk; /* numbers: `body` is the inside of one packed chunk; bytes: always false */
	uint64_t count; /* values */
	const uint8_t *body; /* the list in wire form, for the functions below */
	size_t body_size;
};

/* A reusable parser: it keeps its memory, so that parsing allocates nothing once it has seen the
 * largest record. */
struct tfr_example;

TFR_API struct tfr_example *tfr_example_new(void); /* NULL: out of memory */
TFR_API void tfr_example_free(struct tfr_example *ex);

/* Parses one record.  The bytes are not copied and must stay as they are while views are in use.
 * Everything is checked here, so that reading values cannot fail.  TFR_EDATA names the fault and
 * the byte of the record it is at, and leaves `ex` without features.  An empty record is an Example
 * without features. */
TFR_API enum tfr_status tfr_example_parse(
	struct tfr_example *ex, const void *data, size_t size, struct tfr_error *err);

/* The features of the last parse, sorted bytewise by key, each key once. */
TFR_API size_t tfr_example_count(const struct tfr_example *ex);
TFR_API const struct tfr_feature *tfr_example_at(const struct tfr_example *ex, size_t i);
/* NULL: there is none of that name.  A feature of kind unset is found. */
TFR_API const struct tfr_feature *tfr_example_find(
	const struct tfr_example *ex, const void *key, size_t key_size);
TFR_API const struct tfr_feature *tfr_example_get(const struct tfr_example *ex, const char *key);

/* Whether a record is a SequenceExample: it has a field 2 (feature_lists) with a length.  An
 * Example and the context of a SequenceExample are the same field 1, so nothing else tells them
 * apart.  False for damaged records too. */
TFR_API bool tfr_is_sequence_example(const void *data, size_t size);

/* Parses a SequenceExample whole and shows `visit` every bytes value of its feature lists, frame
 * after frame; a failure of `visit` ends that and is returned.  `visit` may be NULL.  TFR_EDATA:
 * the feature lists are damaged.  (The context is what tfr_example_parse() reads of such a record.)
 */
TFR_API enum tfr_status tfr_sequence_visit_bytes(const void *data, size_t size,
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
TFR_API void tfr_cursor_init(struct tfr_cursor *c, const struct tfr_feature *f);
TFR_API bool tfr_cursor_bytes(struct tfr_cursor *c, struct tfr_bytes *value);
TFR_API bool tfr_cursor_float(struct tfr_cursor *c, float *value);
TFR_API bool tfr_cursor_int64(struct tfr_cursor *c, int64_t *value);

/* Copies up to `n` values, from value `first` on, to `out`.  Returns how many there were; 0 for
 * another kind or f NULL. */
TFR_API size_t tfr_feature_floats(
	const struct tfr_feature *f, uint64_t first, float *out, size_t n);
TFR_API size_t tfr_feature_int64s(
	const struct tfr_feature *f, uint64_t first, int64_t *out, size_t n);
/* Value `i`, as a view into the record.  False: there is none, or the feature is of another kind,
 * or f is NULL. Takes time in proportion to `i`: walk a whole list with a cursor. */
TFR_API bool tfr_feature_bytes(const struct tfr_feature *f, uint64_t i, struct tfr_bytes *value);
TFR_API bool tfr_feature_float(const struct tfr_feature *f, uint64_t i, float *value);
TFR_API bool tfr_feature_int64(const struct tfr_feature *f, uint64_t i, int64_t *value);

/* --- building --- */

/* Builds one Example after another.  The same features give the same bytes, whatever the order they
 * came in: keys sorted bytewise, one packed chunk a list, key and value in every map entry even
 * when empty (TensorFlow's own parser refuses an entry without them, and protobuf-c leaves them
 * out).  Python's SerializeToString(deterministic=True) gives these bytes, but for the place of a
 * key that another one begins with, which upb puts behind that. No features at all: an empty
 * record, as an empty tf.train.Example is. */
struct tfr_builder;

TFR_API struct tfr_builder *tfr_builder_new(void); /* NULL: out of memory */
TFR_API void tfr_builder_free(struct tfr_builder *b);
/* Forgets the features, keeps the memory. */
TFR_API void tfr_builder_reset(struct tfr_builder *b);
/* Likewise, and gives back each piece of memory that is larger than `keep` bytes.  False: out of
 * memory; the builder may only be freed then. */
TFR_API bool tfr_builder_trim(struct tfr_builder *b, size_t keep);

/* Each adds one feature; a key that is there already is replaced.  Keys are copied, and so are
 * values, but for _ref: there the bytes are only pointed at, and must stay until the record has
 * been written.  `n` may be 0: the list is then empty but set, which TensorFlow tells from absent.
 * TFR_ENOMEM, or TFR_EUSAGE for a key past 2 GiB. */
TFR_API enum tfr_status tfr_builder_int64s(struct tfr_builder *b, const char *key,
	const int64_t *values, size_t n, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_floats(struct tfr_builder *b, const char *key,
	const float *values, size_t n, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_bytes(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_bytes_ref(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err);
/* One value each. */
TFR_API enum tfr_status tfr_builder_int64(
	struct tfr_builder *b, const char *key, int64_t value, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_text(
	struct tfr_builder *b, const char *key, const char *value, struct tfr_error *err);
/* A feature list of floats, which makes the record a SequenceExample, whose context the features
 * are: `frame` values (at least 1) in each frame but the last, which has what is left of `n`. Lists
 * come in the order in which they are added; a key must not be added twice. */
TFR_API enum tfr_status tfr_builder_frames(struct tfr_builder *b, const char *key,
	const float *values, size_t n, size_t frame, struct tfr_error *err);
/* A feature as read, its key of any bytes, its values in the builder's own form; unset stays unset.
 */
TFR_API enum tfr_status tfr_builder_feature(
	struct tfr_builder *b, const struct tfr_feature *f, struct tfr_error *err);

/* The record as pieces in order, ready for writev(): referenced values are pieces of their own, so
 * an image is never copied.  The pieces are the builder's, valid until the next call on it.  *size
 * is their sum.  TFR_ENOMEM, or TFR_EUSAGE when the record would pass 2 GiB, protobuf's limit. */
TFR_API enum tfr_status tfr_builder_gather(struct tfr_builder *b, const struct iovec **pieces,
	int *n, size_t *size, struct tfr_error *err);
/* The record in one buffer, which is the builder's, valid until the next call on it. */
TFR_API enum tfr_status tfr_builder_flatten(
	struct tfr_builder *b, const uint8_t **data, size_t *size, struct tfr_error *err);

/* --- printing --- */

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
TFR_API struct tfr_printer *tfr_printer_new(const struct tfr_print_opts *opts);
TFR_API void tfr_printer_free(struct tfr_printer *p);

/* For a person: a line a feature with name, kind, count and the first values.  *text is
 * NUL-terminated, the printer's, valid until the next call on it.  What is of no kind, or
 * damaged, is printed as raw bytes.  TFR_EDATA: it is not what opts.as says; for an Example the
 * byte it goes wrong at is named. */
TFR_API enum tfr_status tfr_printer_text(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err);
/* One line without its newline: {"feature": [values]}, always arrays, sorted by name; int64 exact,
 * floats the shortest decimal that reads back the same, non-finite ones as strings; bytes that are
 * UTF-8 as strings, others as objects. A SequenceExample is {"context": {…}, "feature_lists":
 * {"name": [[values], …]}}, an Event {"event": {…}}, a TensorProto {"tensor": {"dtype": "float32",
 * "shape": […], "values": […]}} with the values as they are stored: where there are fewer than the
 * shape has, the last one stands for the rest.  An ELWC is {"context": {…}, "examples": [{…}, …]}.
 * Anything else, damaged records included, is {"raw": …}.  TFR_EDATA: it is not what opts.as says.
 */
TFR_API enum tfr_status tfr_printer_json(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err);
/* What the last record was printed as. */
TFR_API enum tfr_content tfr_printer_content(const struct tfr_printer *p);

/* --- names of features that are not there --- */

/* The features that a user named, which of them no record has, not even unset, and which names the
 * user may have meant: <tfr/text.h>'s tfr_meant over the names of all features of all records.  Each
 * thread has its own; merged at the end, they report the same as a single one. */
struct tfr_lookout;

TFR_API struct tfr_lookout *tfr_lookout_new(void); /* NULL: out of memory */
TFR_API void tfr_lookout_free(struct tfr_lookout *l);
/* Copies `name`, which gets the next number from 0.  False: out of memory. */
TFR_API bool tfr_lookout_add(struct tfr_lookout *l, const char *name);
/* Name number `i` may be missing from every record: tfr_lookout_report() only warns of it. */
TFR_API void tfr_lookout_allow(struct tfr_lookout *l, size_t i);
TFR_API void tfr_lookout_look(struct tfr_lookout *l, const struct tfr_example *ex);
/* The same with a single feature of a record, by its name. */
TFR_API void tfr_lookout_look_at(struct tfr_lookout *l, const char *key, size_t size);
/* `from` has the same names, in the same order. */
TFR_API void tfr_lookout_merge(struct tfr_lookout *into, const struct tfr_lookout *from);
/* The i-th name that no record had so far, and the name that may have been meant (NULL: none is
 * similar).  Both live as long as `l`; *meant changes with the next record.  False: there are no
 * more, or no record was examined. */
TFR_API bool tfr_lookout_missing(
	const struct tfr_lookout *l, size_t i, const char **name, const char **meant);
/* Warns of each such name: "no record has 'x'; did you mean 'y'?".  `warn` may be NULL. */
TFR_API void tfr_lookout_warn(
	const struct tfr_lookout *l, void (*warn)(void *ctx, const char *text), void *ctx);
/* After the whole input: reports each such name as an error (TFR_EDATA) to `missing`, those of
 * tfr_lookout_allow() to `warn`.  Where `missing` is NULL, `warn` receives all; it may be NULL. */
TFR_API void tfr_lookout_report(const struct tfr_lookout *l,
	void (*missing)(void *ctx, const struct tfr_error *err),
	void (*warn)(void *ctx, const char *text), void *ctx);

/* --- selecting --- */

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
TFR_API enum tfr_status tfr_where_compile(
	struct tfr_where **w, const char *expr, struct tfr_error *err);
TFR_API void tfr_where_free(struct tfr_where *w);
/* Whether the parsed Example is selected.  TFR_EDATA: a pattern needs too many steps on one of its
 * values. */
TFR_API enum tfr_status tfr_where_match(
	struct tfr_where *w, const struct tfr_example *ex, bool *selected, struct tfr_error *err);
/* The features that the expression names, with what was looked at by tfr_where_match(): each copy
 * of an expression answers for the records that it saw. */
TFR_API struct tfr_lookout *tfr_where_lookout(struct tfr_where *w);

#ifdef __cplusplus
}
#endif

#endif
