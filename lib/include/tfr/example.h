/* tfr/example.h - tf.train.Example: read in place and written deterministically.
 *
 * An Example is map<string, Feature>; a Feature is one of three lists (bytes, float, int64) or
 * empty (tensorflow/core/example/example.proto and feature.proto).  The reader follows protobuf's
 * rules as upb, the runtime of tf.train.Example.FromString, applies them:
 *
 *   - A key given twice: the last entry wins. Two concatenated Examples are therefore one Example.
 *   - Two lists of the same kind in a Feature are one list; of different kinds, the last one
 *     counts.
 *   - An entry may lack its key (then "") or value (then unset), or have them in either order.  Of
 *     two keys the last counts; two values are merged.  An entry with any other field is dropped.
 *   - Unknown fields are skipped, groups too. Numbers may be packed, unpacked or both.
 *
 * There is one exception: a key that is not UTF-8 is accepted, though upb refuses it.
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

/* A view of bytes that belong to another object; never NUL-terminated. */
struct tfr_bytes {
	const uint8_t *data;
	size_t size;
};

/* --- reading --- */

/* One feature of a parsed Example: a view.  It is valid until the struct tfr_example parses
 * again or is freed, and only while the record's own bytes are. */
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

/* Parses one record.  The bytes are not copied and must not change while views are in use.
 * Everything is checked here, so that reading values cannot fail.  TFR_EDATA names the fault and
 * its byte in the record, and leaves `ex` without features.  An empty record is an Example
 * without features. */
TFR_API enum tfr_status tfr_example_parse(
	struct tfr_example *ex, const void *data, size_t size, struct tfr_error *err);

/* Whether a record is a SequenceExample: it has a length-delimited field 2 (feature_lists).  An
 * Example and the context of a SequenceExample are the same field 1, so no other field
 * distinguishes them, and tfr_example_parse() reads the context.  False for damaged records too. */
TFR_API bool tfr_is_sequence_example(const void *data, size_t size);

/* The features of the last parse, sorted bytewise by key, each key once. */
TFR_API size_t tfr_example_count(const struct tfr_example *ex);
TFR_API const struct tfr_feature *tfr_example_at(const struct tfr_example *ex, size_t i);
/* NULL: no feature has that name.  A feature of kind unset is found. */
TFR_API const struct tfr_feature *tfr_example_get(const struct tfr_example *ex, const char *key);
/* The same, for a key of any bytes. */
TFR_API const struct tfr_feature *tfr_example_find(
	const struct tfr_example *ex, const void *key, size_t key_size);

/* Copies up to `n` values to `out`, starting with value `first`.  Returns how many it copied; 0
 * for another kind or f NULL. */
TFR_API size_t tfr_feature_floats(
	const struct tfr_feature *f, uint64_t first, float *out, size_t n);
TFR_API size_t tfr_feature_int64s(
	const struct tfr_feature *f, uint64_t first, int64_t *out, size_t n);
/* The same for bytes: the values are views into the record. */
TFR_API size_t tfr_feature_bytes_list(
	const struct tfr_feature *f, uint64_t first, struct tfr_bytes *out, size_t n);
/* Value `i`, as a view into the record.  False: there is no such value, the feature is of
 * another kind, or f is NULL.  Takes time in proportion to `i`: walk a list with a cursor. */
TFR_API bool tfr_feature_bytes(const struct tfr_feature *f, uint64_t i, struct tfr_bytes *value);
TFR_API bool tfr_feature_float(const struct tfr_feature *f, uint64_t i, float *value);
TFR_API bool tfr_feature_int64(const struct tfr_feature *f, uint64_t i, int64_t *value);

/* --- building --- */

/* Builds Examples one after another.  The same features give the same bytes, whatever order they
 * are added in.  Keys are sorted bytewise, and each list is one packed chunk.  Each map entry
 * has a key and a value even if they are empty, because TensorFlow's own parser refuses an entry
 * without them (protobuf-c leaves them out).  Python's SerializeToString(deterministic=True)
 * gives the same bytes, with one exception: if a key is a prefix of another, upb puts the
 * shorter one second.  Without features the record is empty, as for an empty tf.train.Example. */
struct tfr_builder;

TFR_API struct tfr_builder *tfr_builder_new(void); /* NULL: out of memory */
TFR_API void tfr_builder_free(struct tfr_builder *b);
/* Removes the features and keeps the memory. */
TFR_API void tfr_builder_reset(struct tfr_builder *b);

/* Each call adds one feature and replaces an earlier one with the same key.  Keys and values are
 * copied.  `n` may be 0: the list is then empty but set, which TensorFlow distinguishes from
 * absent.  TFR_ENOMEM, or TFR_EUSAGE for a key past 2 GiB. */
TFR_API enum tfr_status tfr_builder_int64s(struct tfr_builder *b, const char *key,
	const int64_t *values, size_t n, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_floats(struct tfr_builder *b, const char *key,
	const float *values, size_t n, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_bytes(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err);
/* The same for a single value. */
TFR_API enum tfr_status tfr_builder_int64(
	struct tfr_builder *b, const char *key, int64_t value, struct tfr_error *err);
TFR_API enum tfr_status tfr_builder_text(
	struct tfr_builder *b, const char *key, const char *value, struct tfr_error *err);

/* The record as pieces in order, ready for writev().  Referenced values are pieces of their own,
 * so an image is never copied.  The builder owns the pieces, which are valid until the next call
 * on it.  *size is their total size.  TFR_ENOMEM, or TFR_EUSAGE if the record would exceed 2
 * GiB, protobuf's limit. */
TFR_API enum tfr_status tfr_builder_gather(struct tfr_builder *b, const struct iovec **pieces,
	int *n, size_t *size, struct tfr_error *err);
/* The record in one buffer that the builder owns, valid until the next call on it. */
TFR_API enum tfr_status tfr_builder_flatten(
	struct tfr_builder *b, const uint8_t **data, size_t *size, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
