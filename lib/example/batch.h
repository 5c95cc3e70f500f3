/* example/batch.h - what the files of the batch parser share.
 *
 * A record is parsed in two steps. batch_walk.c walks its entries and notes the position of the
 * valid entry of each wanted feature. batch_values.c then processes the features in order, and
 * appends to each column one row, decoded or filled in.  The record belongs to the batch only
 * when all columns have a row: until then `rows` is unchanged, and data after the last row is
 * overwritten. */
#ifndef TFR_EXAMPLE_BATCH_H
#define TFR_EXAMPLE_BATCH_H

#include <tfr/batch.h>

#include "base/buf.h"
#include "base/hash_index.h"
#include "example/varint.h"
#include "example/wire.h"

#define TFR_UNWANTED UINT32_MAX

/* A wanted feature, and its column as far as it is parsed. */
struct tfr_batch_column {
	char *name;
	size_t name_size;
	enum tfr_kind kind;
	enum tfr_layout layout;
	bool splits32, copy;
	size_t count;		/* see struct tfr_batch_feature */
	void *fill;		/* NULL: none was given */
	uint8_t *texts;		/* the memory of `fill`, if it is bytes */
	size_t elements;	/* elements of `values` */
	tfr_varints_fn *decode; /* the fastest on this processor */
	uint64_t wrong;		/* of a failed append: the kind, or the number of values, found */
	/* int64_t, float or struct tfr_bytes.  For copied bytes: the int64_t offset of each end
	 * in `text`, with a 0 before the first.  `values` and the splits are never NULL. */
	struct tfr_buf values;
	struct tfr_buf text;
	struct tfr_buf splits;
	struct tfr_column shown;
};

/* The value of the entry that counts: a Feature in wire form. size 0: missing; data NULL: there
 * is not even an unset one. */
struct tfr_found {
	const uint8_t *data;
	size_t size;
};

/* Records of one writer are alike: the bytes of an entry up to the tag of its value are probably
 * those of the entry at the same position of the previous record. */
struct tfr_hint {
	uint8_t head[59];
	uint8_t size; /* 0: none yet */
	uint32_t feature;
};

enum { TFR_HINTS = 256 };

struct tfr_batch_parser {
	size_t n;
	struct tfr_batch_column *columns;
	struct tfr_found *found;
	struct tfr_hash_index names;
	size_t rows;
	bool finished;
	/* The feature with a fault in the record, or TFR_UNWANTED. */
	uint32_t fault_feature;
	struct tfr_hint hints[TFR_HINTS];
};

enum tfr_append {
	TFR_APPENDED,
	TFR_APPEND_FAULT, /* the struct tfr_wire has the fault and its position */
	TFR_APPEND_MISSING,
	TFR_APPEND_KIND,
	TFR_APPEND_COUNT,
	TFR_APPEND_SPLITS, /* more values than 32-bit splits can count */
	TFR_APPEND_NOMEM,
};

/* ---- batch_walk.c ---- */

/* Fills the table of names.  TFR_EUSAGE: two features have one name. */
enum tfr_status tfr_batch_index_names(struct tfr_batch_parser *b, struct tfr_error *err);
/* Fills `found`.  False: w->fault has the reason. */
bool tfr_batch_walk(struct tfr_batch_parser *b, struct tfr_wire *w);

/* ---- batch_values.c ---- */

/* Appends a row to the column.  `w` covers the record: it gives the end, and receives faults.
 * After a failure `elements` may have changed. */
enum tfr_append tfr_batch_append(
	struct tfr_batch_column *c, size_t row, const struct tfr_found *v, struct tfr_wire *w);

/* ---- Used by all ---- */

/* Whether bytes are kept as offsets into `text`. */
static inline bool tfr_batch_offsets(const struct tfr_batch_column *c)
{
	return c->kind == TFR_KIND_BYTES && c->copy;
}

static inline size_t tfr_batch_value_size(const struct tfr_batch_column *c)
{
	if (c->kind == TFR_KIND_FLOAT)
		return sizeof(float);
	return c->kind == TFR_KIND_INT64 || c->copy ? sizeof(int64_t) : sizeof(struct tfr_bytes);
}

static inline size_t tfr_batch_split(const struct tfr_batch_column *c, size_t row)
{
	return c->splits32 ? (size_t)((const int32_t *)c->splits.data)[row]
			   : (size_t)((const int64_t *)c->splits.data)[row];
}

/* Makes room for `size` bytes in `b` and keeps its contents. */
static inline bool tfr_batch_room(struct tfr_buf *b, size_t size)
{
	if (size <= b->cap)
		return true;
	b->size = b->cap; /* so that growing copies all of it, not only the bytes counted */
	return tfr_buf_reserve(b, size - b->cap);
}

#endif
