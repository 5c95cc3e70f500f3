/* convert/list/row_encoder.c - all lengths of a feature follow from that of its values, so that an
 * Example is written forwards.  Only the length of all features is known at the end: three bytes
 * are kept free for it, and an Example that needs another number of them is moved. */
#include "convert/list/row_encoder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "example/wire.h"
#include "record/framing.h"
#include "record/writer.h"

enum {
	TAG_1 = 0x0a, /* field 1, bytes */
	TAG_2 = 0x12,
	MAX_VARINT = 10,
	/* Of an entry, beside its key and values: its length, the tag and length of the list, the
	 * tag and length of packed values. */
	ENTRY_ROOM = 3 * (1 + MAX_VARINT) + MAX_VARINT,
	SHORT_HEAD = 32, /* bytes of a head that are copied at once */
	SHORT_LIST = 64,
	FEATURES_ROOM = 3,     /* the tag of the features and a length of two bytes */
	FEATURES_MOST = 1 + 5, /* and of five */
	/* A value takes at least two characters of its row ("1,"), and a negative integer, which
	 * becomes ten bytes, three. */
	GROWTH = 5,
};

/* ---- wire form ---- */

static inline size_t varint_size(uint64_t v)
{
	if (v < 0x80)
		return 1;
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

/* ---- the layout ---- */

static int by_name(const void *a, const void *b, void *columns)
{
	const struct tfr_list_column *list = columns;
	const struct tfr_row_column *x = a, *y = b;

	return strcmp(list[x->index].name, list[y->index].name);
}

static bool add_head(struct tfr_row_layout *l, struct tfr_row_column *c, const char *name)
{
	size_t n = strlen(name);
	uint8_t *p;

	if (!tfr_buf_reserve(&l->heads, n + MAX_VARINT + 2))
		return false;
	p = l->heads.data + l->heads.size;
	*p++ = TAG_1;
	p = tfr_wire_put_varint(p, n);
	memcpy(p, name, n);
	p += n;
	*p++ = TAG_2;
	c->head_at = l->heads.size;
	c->head_size = (size_t)(p - l->heads.data) - l->heads.size;
	l->heads.size += c->head_size;
	return true;
}

bool tfr_row_layout_init(struct tfr_row_layout *l, const struct tfr_columns *columns)
{
	*l = (struct tfr_row_layout){ .columns = columns };
	l->bound = TFR_RECORD_OVERHEAD + FEATURES_MOST + SHORT_HEAD;
	for (size_t i = 0; i < columns->n; i++) {
		struct tfr_row_column c = { (uint32_t)i, columns->list[i].kind, 0, 0 };

		if (!add_head(l, &c, columns->list[i].name) ||
			!tfr_buf_append(&l->order_, &c, sizeof(c)))
			return false;
		l->bound += c.head_size + ENTRY_ROOM;
	}
	if (!tfr_buf_reserve(&l->heads, SHORT_HEAD))
		return false;
	memset(l->heads.data + l->heads.size, 0, SHORT_HEAD);
	if (columns->n)
		qsort_r(l->order_.data, columns->n, sizeof(struct tfr_row_column), by_name,
			columns->list);
	return true;
}

void tfr_row_layout_clear(struct tfr_row_layout *l)
{
	tfr_buf_clear(&l->order_);
	tfr_buf_clear(&l->heads);
	*l = (struct tfr_row_layout){ 0 };
}

/* ---- records ---- */

void tfr_records_clear(struct tfr_records *r)
{
	tfr_buf_clear(&r->data);
	tfr_buf_clear(&r->sums);
	*r = (struct tfr_records){ 0 };
}

bool tfr_records_begin(struct tfr_records *r, const struct tfr_row_layout *l, size_t size)
{
	size_t room = l->bound + GROWTH * size;

	if (!tfr_buf_reserve(&r->data, room))
		return false;
	r->begin = r->data.size;
	r->room = r->begin + room;
	r->data.size += TFR_RECORD_HEADER + FEATURES_ROOM;
	return true;
}

void tfr_records_cancel(struct tfr_records *r)
{
	r->data.size = r->begin;
}

/* Writes what comes before `list` bytes of values, and returns where they are to be written. */
static uint8_t *put_entry(
	struct tfr_records *r, const struct tfr_row_layout *l, size_t k, size_t list)
{
	const struct tfr_row_column *c = tfr_row_layout_at(l, k);
	size_t feature = 1 + varint_size(list) + list;
	uint8_t *p = r->data.data + r->data.size;

	*p++ = TAG_1;
	if (c->head_size <= SHORT_HEAD && list < SHORT_LIST) {
		/* All lengths have one byte, and a copy of a constant size needs no call. */
		*p++ = (uint8_t)(c->head_size + 1 + feature);
		memcpy(p, l->heads.data + c->head_at, SHORT_HEAD);
	} else {
		p = tfr_wire_put_varint(p, c->head_size + varint_size(feature) + feature);
		memcpy(p, l->heads.data + c->head_at, c->head_size);
	}
	p = tfr_wire_put_varint(p + c->head_size, feature);
	*p++ = (uint8_t)(c->kind << 3 | 2);
	p = tfr_wire_put_varint(p, list);
	r->data.size = (size_t)(p - r->data.data) + list;
	assert(r->data.size <= r->room);
	return p;
}

void tfr_records_int64s(struct tfr_records *r, const struct tfr_row_layout *l, size_t k,
	const int64_t *values, size_t n)
{
	size_t size = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		size += varint_size((uint64_t)values[i]);
	p = put_entry(r, l, k, size ? 1 + varint_size(size) + size : 0);
	if (!size)
		return;
	*p++ = TAG_1;
	p = tfr_wire_put_varint(p, size);
	for (size_t i = 0; i < n; i++)
		p = tfr_wire_put_varint(p, (uint64_t)values[i]);
	assert(p == r->data.data + r->data.size);
}

void tfr_records_floats(struct tfr_records *r, const struct tfr_row_layout *l, size_t k,
	const float *values, size_t n)
{
	size_t size = n * sizeof(*values);
	uint8_t *p = put_entry(r, l, k, size ? 1 + varint_size(size) + size : 0);

	if (!size)
		return;
	*p++ = TAG_1;
	p = tfr_wire_put_varint(p, size);
	memcpy(p, values, size);
	assert(p + size == r->data.data + r->data.size);
}

void tfr_records_bytes(struct tfr_records *r, const struct tfr_row_layout *l, size_t k,
	const struct tfr_bytes *values, size_t n)
{
	size_t size = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		size += 1 + varint_size(values[i].size) + values[i].size;
	p = put_entry(r, l, k, size);
	for (size_t i = 0; i < n; i++) {
		*p++ = TAG_1;
		p = tfr_wire_put_varint(p, values[i].size);
		if (values[i].size)
			memcpy(p, values[i].data, values[i].size);
		p += values[i].size;
	}
	assert(p == r->data.data + r->data.size);
}

/* Adds the framing of `size` bytes of payload at the end of the data. */
static bool put_framing(struct tfr_records *r, size_t size)
{
	uint8_t *payload = r->data.data + r->begin + TFR_RECORD_HEADER;
	uint64_t sum = tfr_content_sum(payload, size);

	if (!tfr_buf_append(&r->sums, &sum, sizeof(sum))) {
		tfr_records_cancel(r);
		return false;
	}
	tfr_put_header(r->data.data + r->begin, size);
	tfr_store32(payload + size, tfr_crc_mask(tfr_crc32c(0, payload, size)));
	r->data.size = r->begin + TFR_RECORD_OVERHEAD + size;
	assert(r->data.size <= r->room);
	return true;
}

bool tfr_records_end(struct tfr_records *r)
{
	uint8_t *payload = r->data.data + r->begin + TFR_RECORD_HEADER;
	uint8_t *from = payload + FEATURES_ROOM;
	size_t size = r->data.size - (size_t)(from - r->data.data), head;

	if (size > INT32_MAX - FEATURES_MOST) {
		tfr_records_cancel(r);
		return false;
	}
	if (!size) /* an Example without features has no bytes */
		return put_framing(r, 0);
	head = 1 + varint_size(size);
	if (head != FEATURES_ROOM)
		memmove(payload + head, from, size);
	*payload = TAG_1;
	tfr_wire_put_varint(payload + 1, size);
	return put_framing(r, head + size);
}

bool tfr_records_add(struct tfr_records *r, const void *payload, size_t size)
{
	if (!tfr_buf_reserve(&r->data, TFR_RECORD_OVERHEAD + size))
		return false;
	r->begin = r->data.size;
	r->room = r->begin + TFR_RECORD_OVERHEAD + size;
	if (size)
		memcpy(r->data.data + r->begin + TFR_RECORD_HEADER, payload, size);
	return put_framing(r, size);
}
