/* example/builder.c - builds Examples whose bytes do not depend on the order in which features are
 * added.
 *
 * Each feature's list is written to `lists` in wire form as it is added.  A referenced value is
 * not copied there: `refs` has the offset where it belongs.  When the record is requested, the
 * keys are sorted and the sizes of all lists are known.  Then all bytes that are not referenced
 * are written to `out` in order, and the pieces point alternately into it and at the referenced
 * values. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/error.h"
#include "example/wire.h"

enum {
	TAG_1 = 0x0a, /* field 1, bytes */
	TAG_2 = 0x12,
	COPY_BELOW = 256, /* bytes: a shorter value is copied even if it could be referenced */
};

struct ref {
	size_t at; /* offset in `lists` before which the value belongs */
	const uint8_t *data;
	size_t size;
};

struct item {
	size_t key_at, key_size; /* in keys */
	enum tfr_kind kind;
	size_t at, size; /* in lists */
	size_t ref_at, n_refs, ref_size;
	size_t number; /* order of adding: of equal keys the last stays */
};

enum { ALWAYS = 4, BUFS = 8 };

struct tfr_builder {
	union {
		struct {
			/* The first ALWAYS have memory from the start, so that an offset of 0 may
			 * be added to each pointer. */
			struct tfr_buf keys, lists, items, refs, out, pieces, flat;
			struct tfr_buf frames; /* the entries of feature_lists, in wire form */
		};
		struct tfr_buf bufs[BUFS];
	};
	size_t n_items, n_refs;
};

static bool reserve_always(struct tfr_builder *b)
{
	bool ok = true;

	for (int i = 0; i < ALWAYS; i++)
		ok = ok && tfr_buf_reserve(&b->bufs[i], 1);
	return ok;
}

struct tfr_builder *tfr_builder_new(void)
{
	struct tfr_builder *b = calloc(1, sizeof(*b));

	if (b && reserve_always(b))
		return b;
	tfr_builder_free(b);
	return NULL;
}

void tfr_builder_free(struct tfr_builder *b)
{
	if (!b)
		return;
	for (int i = 0; i < BUFS; i++)
		tfr_buf_clear(&b->bufs[i]);
	free(b);
}

void tfr_builder_reset(struct tfr_builder *b)
{
	b->keys.size = b->lists.size = b->items.size = b->refs.size = b->frames.size = 0;
	b->n_items = b->n_refs = 0;
}

bool tfr_builder_trim(struct tfr_builder *b, size_t keep)
{
	tfr_builder_reset(b);
	for (int i = 0; i < BUFS; i++)
		if (b->bufs[i].cap > keep)
			tfr_buf_clear(&b->bufs[i]);
	return reserve_always(b);
}

/* ---- Wire form ---- */

/* The caller has reserved the room. */
static void put_varint(struct tfr_buf *b, uint64_t v)
{
	b->size = (size_t)(tfr_wire_put_varint(b->data + b->size, v) - b->data);
}

/* A field of `size` bytes with its tag and its length. */
static size_t field_size(size_t size)
{
	return 1 + tfr_wire_varint_size(size) + size;
}

static bool put_head(struct tfr_buf *b, uint8_t tag, size_t size)
{
	if (!tfr_buf_reserve(b, 1 + TFR_VARINT_MAX))
		return false;
	b->data[b->size++] = tag;
	put_varint(b, size);
	return true;
}

static bool put_ref(struct tfr_builder *b, struct item *it, struct tfr_bytes value)
{
	if (!tfr_buf_append(&b->refs, &(struct ref){ b->lists.size, value.data, value.size },
		    sizeof(struct ref)))
		return false;
	b->n_refs++;
	it->n_refs++;
	it->ref_size += value.size;
	return true;
}

/* ---- Adding ---- */

static struct item begin_item(struct tfr_builder *b, size_t key_size, enum tfr_kind kind)
{
	return (struct item){
		.key_at = b->keys.size,
		.key_size = key_size,
		.kind = kind,
		.at = b->lists.size,
		.ref_at = b->n_refs,
		.number = b->n_items,
	};
}

/* Adds the item whose list has just been written, or removes a partly written list. */
static enum tfr_status end_item(struct tfr_builder *b, struct item *it, const void *key,
	bool written, struct tfr_error *err)
{
	it->size = b->lists.size - it->at;
	if (written && tfr_buf_append(&b->keys, key, it->key_size)) {
		if (tfr_buf_append(&b->items, it, sizeof(*it))) {
			b->n_items++;
			return TFR_OK;
		}
		b->keys.size = it->key_at;
	}
	b->lists.size = it->at;
	b->n_refs = it->ref_at;
	b->refs.size = b->n_refs * sizeof(struct ref);
	return tfr_fail_nomem(err, "building an Example");
}

/* There is room for the values and one more byte.  The processor would mispredict for every
 * other pixel whether a small number takes one byte or two.  Therefore two are always written,
 * and the second is kept only if needed. */
static void put_varints(struct tfr_buf *out, const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = (uint64_t)values[i];
		uint8_t *p = out->data + out->size;
		unsigned more = v > 0x7f;

		if (v >> 14) {
			put_varint(out, v);
			continue;
		}
		p[0] = (uint8_t)((v & 0x7f) | more << 7);
		p[1] = (uint8_t)(v >> 7);
		out->size += 1 + more;
	}
}

static bool put_int64s(struct tfr_builder *b, const int64_t *values, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += tfr_wire_varint_size((uint64_t)values[i]);
	if (!size)
		return true;
	if (!put_head(&b->lists, TAG_1, size) || !tfr_buf_reserve(&b->lists, size + 1))
		return false;
	put_varints(&b->lists, values, n);
	return true;
}

static bool put_floats(struct tfr_buf *b, const float *values, size_t n)
{
	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "floats are copied as they are");
	return !n || (put_head(b, TAG_1, 4 * n) && tfr_buf_append(b, values, 4 * n));
}

static bool put_bytes(struct tfr_builder *b, struct item *it, struct tfr_bytes value, bool refer)
{
	if (!put_head(&b->lists, TAG_1, value.size))
		return false;
	if (refer && value.size >= COPY_BELOW)
		return put_ref(b, it, value);
	return tfr_buf_append(&b->lists, value.data, value.size);
}

enum tfr_status tfr_builder_int64s(struct tfr_builder *b, const char *key, const int64_t *values,
	size_t n, struct tfr_error *err)
{
	struct item it = begin_item(b, strlen(key), TFR_KIND_INT64);

	return end_item(b, &it, key, put_int64s(b, values, n), err);
}

enum tfr_status tfr_builder_floats(struct tfr_builder *b, const char *key, const float *values,
	size_t n, struct tfr_error *err)
{
	struct item it = begin_item(b, strlen(key), TFR_KIND_FLOAT);

	return end_item(b, &it, key, put_floats(&b->lists, values, n), err);
}

static enum tfr_status add_bytes(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, bool refer, struct tfr_error *err)
{
	struct item it = begin_item(b, strlen(key), TFR_KIND_BYTES);
	bool written = true;

	for (size_t i = 0; written && i < n; i++)
		written = put_bytes(b, &it, values[i], refer);
	return end_item(b, &it, key, written, err);
}

enum tfr_status tfr_builder_bytes(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err)
{
	return add_bytes(b, key, values, n, false, err);
}

enum tfr_status tfr_builder_bytes_ref(struct tfr_builder *b, const char *key,
	const struct tfr_bytes *values, size_t n, struct tfr_error *err)
{
	return add_bytes(b, key, values, n, true, err);
}

enum tfr_status tfr_builder_int64(
	struct tfr_builder *b, const char *key, int64_t value, struct tfr_error *err)
{
	return tfr_builder_int64s(b, key, &value, 1, err);
}

enum tfr_status tfr_builder_text(
	struct tfr_builder *b, const char *key, const char *value, struct tfr_error *err)
{
	return add_bytes(b, key, &(struct tfr_bytes){ (const uint8_t *)value, strlen(value) }, 1,
		false, err);
}

/* ---- Feature lists ---- */

/* The sizes of the messages around `n` floats, from the inside: packed chunk, FloatList,
 * Feature. */
static size_t chunk_size(size_t n)
{
	return n ? field_size(4 * n) : 0;
}

static size_t frame_size(size_t n)
{
	return field_size(chunk_size(n));
}

static bool put_frame(struct tfr_buf *b, const float *values, size_t n)
{
	return put_head(b, TAG_1, frame_size(n)) &&
	       put_head(b, TFR_KIND_FLOAT << 3 | 2, chunk_size(n)) && put_floats(b, values, n);
}

static bool put_frames(
	struct tfr_buf *b, const char *key, const float *values, size_t n, size_t frame)
{
	size_t full = n / frame, rest = n % frame, key_size = strlen(key), list, entry;

	list = full * field_size(frame_size(frame));
	if (rest)
		list += field_size(frame_size(rest));
	entry = field_size(key_size) + field_size(list);
	if (!put_head(b, TAG_1, entry) || !put_head(b, TAG_1, key_size) ||
		!tfr_buf_append(b, key, key_size) || !put_head(b, TAG_2, list) ||
		!tfr_buf_reserve(b, list))
		return false;
	for (size_t i = 0; i < n; i += frame)
		if (!put_frame(b, values + i, n - i < frame ? n - i : frame))
			return false;
	return true;
}

enum tfr_status tfr_builder_frames(struct tfr_builder *b, const char *key, const float *values,
	size_t n, size_t frame, struct tfr_error *err)
{
	size_t before = b->frames.size;

	if (n > INT32_MAX / 4)
		return tfr_fail(err, TFR_EUSAGE,
			"a SequenceExample cannot be larger than protobuf's 2 GiB");
	if (put_frames(&b->frames, key, values, n, frame))
		return TFR_OK;
	b->frames.size = before;
	return tfr_fail_nomem(err, "building a SequenceExample");
}

/* A parsed list may be packed in pieces or not at all: its values are written again. */
static bool copy_list(struct tfr_builder *b, struct item *it, const struct tfr_feature *f)
{
	struct tfr_cursor c;
	struct tfr_bytes bytes;
	size_t at = b->lists.size, size;
	int64_t i;
	float v;
	bool ok = true;

	tfr_cursor_init(&c, f);
	while (ok && tfr_cursor_bytes(&c, &bytes))
		ok = put_bytes(b, it, bytes, false);
	while (ok && tfr_cursor_float(&c, &v))
		ok = tfr_buf_append(&b->lists, &v, 4);
	while (ok && tfr_cursor_int64(&c, &i)) {
		ok = tfr_buf_reserve(&b->lists, TFR_VARINT_MAX);
		if (ok)
			put_varint(&b->lists, (uint64_t)i);
	}
	size = b->lists.size - at;
	if (!ok || !size || f->kind == TFR_KIND_BYTES)
		return ok;
	/* The chunk's length is known now: insert its head before it. */
	if (!put_head(&b->lists, TAG_1, size))
		return false;
	memmove(b->lists.data + at + 1 + tfr_wire_varint_size(size), b->lists.data + at, size);
	b->lists.size = at;
	put_head(&b->lists, TAG_1, size);
	b->lists.size += size;
	return true;
}

enum tfr_status tfr_builder_feature(
	struct tfr_builder *b, const struct tfr_feature *f, struct tfr_error *err)
{
	struct item it = begin_item(b, f->key_size, f->kind);

	return end_item(b, &it, f->key, copy_list(b, &it, f), err);
}

/* ---- The record ---- */

static int compare_keys(const struct item *a, const struct item *b, const uint8_t *keys)
{
	return tfr_compare_bytes(keys + a->key_at, a->key_size, keys + b->key_at, b->key_size);
}

static int by_key(const void *pa, const void *pb, void *keys)
{
	const struct item *a = pa, *b = pb;
	int c = compare_keys(a, b, keys);

	return c ? c : (a->number > b->number) - (a->number < b->number);
}

/* Sorts the items by key and keeps the last of equal keys.  An insertion sort, because items are
 * few and often in order. */
static void sort_items(struct tfr_builder *b)
{
	struct item *items = (struct item *)b->items.data;
	size_t n = 0;

	if (b->n_items > 32) {
		qsort_r(items, b->n_items, sizeof(*items), by_key, b->keys.data);
	} else {
		for (size_t i = 1; i < b->n_items; i++) {
			struct item x = items[i];
			size_t k = i;

			for (; k && by_key(&items[k - 1], &x, b->keys.data) > 0; k--)
				items[k] = items[k - 1];
			items[k] = x;
		}
	}
	for (size_t i = 0; i < b->n_items; i++) {
		if (n && !compare_keys(&items[n - 1], &items[i], b->keys.data))
			n--;
		items[n++] = items[i];
	}
	b->n_items = n;
	b->items.size = n * sizeof(*items);
}

struct sizes {
	size_t list, feature, entry;
};

static struct sizes measure_item(const struct item *it)
{
	struct sizes s = { .list = it->size + it->ref_size };

	if (it->kind)
		s.feature = field_size(s.list);
	s.entry = field_size(it->key_size) + field_size(s.feature);
	return s;
}

/* Ends the piece of `out` that began at `*from`, then adds `value`. */
static bool put_pieces(struct tfr_builder *b, size_t *from, const struct ref *value)
{
	/* While `out` may still move, its pieces have a NULL base; the offset is added at the
	 * end. */
	struct iovec own = { .iov_base = NULL, .iov_len = b->out.size - *from };

	*from = b->out.size;
	if (own.iov_len && !tfr_buf_append(&b->pieces, &own, sizeof(own)))
		return false;
	return !value || tfr_buf_append(&b->pieces,
				 &(struct iovec){ (void *)(uintptr_t)value->data, value->size },
				 sizeof(struct iovec));
}

static bool put_item(struct tfr_builder *b, const struct item *it, size_t *from)
{
	const struct ref *refs = (const struct ref *)b->refs.data + it->ref_at;
	struct sizes s = measure_item(it);
	size_t at = it->at;

	if (!put_head(&b->out, TAG_1, s.entry) || !put_head(&b->out, TAG_1, it->key_size) ||
		!tfr_buf_append(&b->out, b->keys.data + it->key_at, it->key_size) ||
		!put_head(&b->out, TAG_2, s.feature))
		return false;
	if (it->kind && !put_head(&b->out, (uint8_t)(it->kind << 3 | 2), s.list))
		return false;
	for (size_t i = 0; i < it->n_refs; i++) {
		if (!tfr_buf_append(&b->out, b->lists.data + at, refs[i].at - at) ||
			!put_pieces(b, from, &refs[i]))
			return false;
		at = refs[i].at;
	}
	return tfr_buf_append(&b->out, b->lists.data + at, it->at + it->size - at);
}

enum tfr_status tfr_builder_gather(struct tfr_builder *b, const struct iovec **pieces, int *n,
	size_t *size, struct tfr_error *err)
{
	const struct item *items;
	struct iovec *piece;
	size_t total = 0, from = 0;
	uint8_t *out;

	sort_items(b);
	items = (const struct item *)b->items.data;
	b->out.size = b->pieces.size = 0;
	for (size_t i = 0; i < b->n_items; i++)
		total += field_size(measure_item(&items[i]).entry);
	if (total > INT32_MAX - 12 || b->frames.size > INT32_MAX - 12 - total ||
		b->n_refs > INT32_MAX / 2 - 1)
		return tfr_fail(
			err, TFR_EUSAGE, "an Example cannot be larger than protobuf's 2 GiB");
	if (b->n_items && !put_head(&b->out, TAG_1, total))
		return tfr_fail_nomem(err, "building an Example");
	for (size_t i = 0; i < b->n_items; i++)
		TFR_NEED_MEMORY(put_item(b, &items[i], &from), err, "building an Example");
	if (b->frames.size && (!put_head(&b->out, TAG_2, b->frames.size) ||
				      !tfr_buf_append(&b->out, b->frames.data, b->frames.size)))
		return tfr_fail_nomem(err, "building an Example");
	TFR_NEED_MEMORY(put_pieces(b, &from, NULL), err, "building an Example");

	*pieces = piece = (struct iovec *)b->pieces.data;
	*n = (int)(b->pieces.size / sizeof(*piece));
	*size = b->n_items ? field_size(total) : 0;
	if (b->frames.size)
		*size += field_size(b->frames.size);
	out = b->out.data;
	for (int i = 0; i < *n; i++) {
		if (piece[i].iov_base)
			continue;
		piece[i].iov_base = out;
		out += piece[i].iov_len;
	}
	return TFR_OK;
}

enum tfr_status tfr_builder_flatten(
	struct tfr_builder *b, const uint8_t **data, size_t *size, struct tfr_error *err)
{
	const struct iovec *pieces;
	int n;

	TFR_TRY(tfr_builder_gather(b, &pieces, &n, size, err));
	b->flat.size = 0;
	for (int i = 0; i < n; i++)
		TFR_NEED_MEMORY(tfr_buf_append(&b->flat, pieces[i].iov_base, pieces[i].iov_len),
			err, "building an Example");
	*data = n ? b->flat.data : (const uint8_t *)"";
	return TFR_OK;
}
