/* convert/list/list_features.c - a row's values under the names of their columns, each of the one
 * kind that its column has; files of paths read last.
 *
 * The columns of a file are known before its records are made, and so is the order of their
 * features in an Example: rows go straight into framed records, with what does not change from row
 * to row prepared once.  All lengths of a feature follow from that of its values, so that an
 * Example is written forwards.  Only the length of all features is known at the end: three bytes
 * are kept free for it, and an Example that needs another number of them is moved.  The bytes are
 * those that struct tfr_builder makes, which makes all other rows. */
#include <assert.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/url.h"
#include "convert/audio_features.h"
#include "convert/image_features.h"
#include "convert/list/list.h"
#include "example/wire.h"
#include "record/framing.h"
#include "record/writer.h"

enum {
	MOST_ROW = 1 << 20, /* bytes: memory for a larger row is not taken in advance */
	SPARSE = 8,	    /* columns for each member, beyond which most are absent */
	FEW_COLUMNS = 64,
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

/* A column, in the order of the names. */
struct row_column {
	uint32_t index; /* of the column */
	enum tfr_kind kind;
	size_t head_at, head_size; /* in the heads: from the key to the tag of the feature */
};

static const struct row_column *row_columns(const struct tfr_row_layout *l)
{
	return (const struct row_column *)(const void *)l->order_.data;
}

static int by_name(const void *a, const void *b, void *columns)
{
	const struct tfr_list_column *list = columns;
	const struct row_column *x = a, *y = b;

	return strcmp(list[x->index].name, list[y->index].name);
}

static bool add_head(struct tfr_row_layout *l, struct row_column *c, const char *name)
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
		struct row_column c = { (uint32_t)i, columns->list[i].kind, 0, 0 };

		if (!add_head(l, &c, columns->list[i].name) ||
			!tfr_buf_append(&l->order_, &c, sizeof(c)))
			return false;
		l->bound += c.head_size + ENTRY_ROOM;
	}
	if (!tfr_buf_reserve(&l->heads, SHORT_HEAD))
		return false;
	memset(l->heads.data + l->heads.size, 0, SHORT_HEAD);
	if (columns->n)
		qsort_r(l->order_.data, columns->n, sizeof(struct row_column), by_name,
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

/* Writes what comes before `list` bytes of values, and returns where they are to be written. */
static uint8_t *put_entry(struct tfr_records *r, const struct tfr_row_layout *l,
	const struct row_column *c, size_t list)
{
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

/* The same of numbers, which are packed. */
static inline uint8_t *put_packed(struct tfr_records *r, const struct tfr_row_layout *l,
	const struct row_column *c, size_t size)
{
	uint8_t *p = put_entry(r, l, c, size ? 1 + varint_size(size) + size : 0);

	if (!size)
		return p;
	*p++ = TAG_1;
	return tfr_wire_put_varint(p, size);
}

static uint8_t *put_int64s(struct tfr_records *r, const struct tfr_row_layout *l,
	const struct row_column *c, const int64_t *values, size_t n)
{
	size_t size = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		size += varint_size((uint64_t)values[i]);
	p = put_packed(r, l, c, size);
	for (size_t i = 0; i < n; i++)
		p = tfr_wire_put_varint(p, (uint64_t)values[i]);
	return p;
}

static uint8_t *put_floats(struct tfr_records *r, const struct tfr_row_layout *l,
	const struct row_column *c, const float *values, size_t n)
{
	uint8_t *p = put_packed(r, l, c, n * sizeof(*values));

	if (n)
		memcpy(p, values, n * sizeof(*values));
	return p + n * sizeof(*values);
}

static uint8_t *put_bytes(struct tfr_records *r, const struct tfr_row_layout *l,
	const struct row_column *c, const struct tfr_bytes *values, size_t n)
{
	size_t size = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		size += 1 + varint_size(values[i].size) + values[i].size;
	p = put_entry(r, l, c, size);
	for (size_t i = 0; i < n; i++) {
		*p++ = TAG_1;
		p = tfr_wire_put_varint(p, values[i].size);
		if (values[i].size)
			memcpy(p, values[i].data, values[i].size);
		p += values[i].size;
	}
	return p;
}

/* Adds the framing of `size` bytes of payload at the end of the data. */
static bool put_framing(struct tfr_records *r, size_t size)
{
	uint8_t *payload = r->data.data + r->begin + TFR_RECORD_HEADER;
	uint64_t sum = tfr_content_sum(payload, size);

	if (!tfr_buf_append(&r->sums, &sum, sizeof(sum)))
		return false;
	tfr_put_header(r->data.data + r->begin, size);
	tfr_store32(payload + size, tfr_crc_mask(tfr_crc32c(0, payload, size)));
	r->data.size = r->begin + TFR_RECORD_OVERHEAD + size;
	assert(r->data.size <= r->room);
	return true;
}

/* Ends the features of a record.  False: out of memory, or it is larger than an Example may be. */
static bool end_features(struct tfr_records *r)
{
	uint8_t *payload = r->data.data + r->begin + TFR_RECORD_HEADER;
	uint8_t *from = payload + FEATURES_ROOM;
	size_t size = r->data.size - (size_t)(from - r->data.data), head;

	if (size > INT32_MAX - FEATURES_MOST)
		return false;
	if (!size) /* an Example without features has no bytes */
		return put_framing(r, 0);
	head = 1 + varint_size(size);
	if (head != FEATURES_ROOM)
		memmove(payload + head, from, size);
	*payload = TAG_1;
	tfr_wire_put_varint(payload + 1, size);
	return put_framing(r, head + size);
}

/* Makes room for a record.  False: out of memory. */
static bool begin_record(struct tfr_records *r, size_t room)
{
	if (!tfr_buf_reserve(&r->data, room))
		return false;
	r->begin = r->data.size;
	r->room = r->begin + room;
	return true;
}

bool tfr_records_add(struct tfr_records *r, const void *payload, size_t size)
{
	if (!begin_record(r, TFR_RECORD_OVERHEAD + size))
		return false;
	if (size)
		memcpy(r->data.data + r->begin + TFR_RECORD_HEADER, payload, size);
	return put_framing(r, size);
}

/* ---- values ---- */

/* Where the features of a row go: into a record, in the order of the layout, or into a builder. */
struct sink {
	struct tfr_records *records; /* NULL: the builder */
	const struct tfr_row_layout *layout;
	const struct row_column *at; /* the column under way in the layout */
	struct tfr_builder *builder;
};

/* `values`: of the kind of the column. */
static inline enum tfr_status put(const struct sink *s, const struct tfr_list_column *col,
	const void *values, size_t n, struct tfr_error *err)
{
	uint8_t *end;

	if (!s->records)
		return col->kind == TFR_KIND_INT64
			       ? tfr_builder_int64s(s->builder, col->name, values, n, err)
		       : col->kind == TFR_KIND_FLOAT
			       ? tfr_builder_floats(s->builder, col->name, values, n, err)
			       : tfr_builder_bytes(s->builder, col->name, values, n, err);
	end = col->kind == TFR_KIND_INT64   ? put_int64s(s->records, s->layout, s->at, values, n)
	      : col->kind == TFR_KIND_FLOAT ? put_floats(s->records, s->layout, s->at, values, n)
					    : put_bytes(s->records, s->layout, s->at, values, n);
	assert(end == s->records->data.data + s->records->data.size);
	(void)end;
	return TFR_OK;
}

static enum tfr_status put_cell(const struct sink *s, const struct tfr_list_column *col,
	const char *text, size_t size, struct tfr_error *err)
{
	union {
		int64_t whole;
		float real;
		struct tfr_bytes bytes;
	} v;
	bool good = true;

	if (col->kind == TFR_KIND_INT64)
		good = tfr_text_int64(text, size, &v.whole);
	else if (col->kind == TFR_KIND_FLOAT)
		good = tfr_text_float(text, size, &v.real);
	else
		v.bytes = (struct tfr_bytes){ (const uint8_t *)text, size };
	if (good)
		return put(s, col, &v, 1, err);
	return tfr_fail(err, TFR_EDATA, "'%s' is '%.*s', which %s cannot hold%s", col->name,
		(int)(size < 40 ? size : 40), text, tfr_kind_name(col->kind),
		tfr_csv_is_na(TFR_NA_TEXTS, text, size) ? " (--na leaves such cells out)" : "");
}

static enum tfr_status put_member(const struct sink *s, struct tfr_row_reader *r,
	const struct tfr_list_column *col, const struct tfr_json_member *m, struct tfr_error *err)
{
	const void *values;
	size_t n;

	TFR_TRY(tfr_json_row_values(&r->json, m, col, &values, &n, err));
	return put(s, col, values, n, err);
}

/* ---- rows as records ---- */

/* Puts the values of a column into a record.  Lists that are all empty have no kind, and make no
 * feature. */
static bool encode_column(
	const struct sink *s, struct tfr_row_reader *r, const struct tfr_list_column *col)
{
	const struct tfr_json_member *m;
	const struct tfr_cell *cell;

	if (r->format != TFR_LIST_JSONL) {
		cell = &tfr_csv_cells(&r->csv)[s->at->index];
		return cell->absent || (col->kind && !put_cell(s, col, tfr_csv_text(&r->csv, cell),
							     cell->size, NULL));
	}
	m = tfr_json_row_member(&r->json, s->at->index);
	if (!m || !tfr_json_member_has(m))
		return true;
	return col->kind ? !put_member(s, r, col, m, NULL) : tfr_json_member_is_empty(m);
}

/* Whether all features of the row have a column, and no column has two of them. */
static bool is_regular(const struct tfr_row_reader *r, const struct tfr_columns *c)
{
	const struct tfr_json_member *members = tfr_json_row_members(&r->json);

	if (r->format != TFR_LIST_JSONL)
		return r->csv.n == c->n;
	if (r->json.twice || (c->n > FEW_COLUMNS && c->n / SPARSE > r->json.n))
		return false;
	for (size_t i = 0; i < r->json.n; i++)
		if (members[i].column == SIZE_MAX && !tfr_json_member_is_empty(&members[i]) &&
			tfr_json_member_has(&members[i]))
			return false;
	return true;
}

bool tfr_list_encode_row(struct tfr_row_reader *r, const struct tfr_row_layout *layout, size_t size,
	struct tfr_records *to)
{
	const struct tfr_columns *c = layout->columns;
	struct sink s = { .records = to, .layout = layout };
	bool good = true;

	if (size > MOST_ROW || !is_regular(r, c) ||
		!begin_record(to, layout->bound + GROWTH * size))
		return false;
	to->data.size += TFR_RECORD_HEADER + FEATURES_ROOM;
	for (size_t k = 0; good && k < c->n; k++) {
		s.at = row_columns(layout) + k;
		good = encode_column(&s, r, &c->list[s.at->index]);
	}
	good = good && end_features(to);
	if (!good)
		to->data.size = to->begin;
	return good;
}

/* ---- rows in a builder ---- */

/* A column that is embedded: its path is kept until load() reads the file. */
static enum tfr_status note_path(struct tfr_list_item *own, size_t embed, const char *path,
	size_t size, struct tfr_error *err)
{
	struct tfr_buf *to = &own->embedded[embed].path;

	if (memchr(path, '\0', size))
		return tfr_fail(err, TFR_EDATA, "a path with a NUL byte in it");
	to->size = 0;
	TFR_TRY(tfr_list_append(to, path, size, err));
	return tfr_list_append(to, "", 1, err);
}

static enum tfr_status build_cells(struct tfr_list *l, struct tfr_list_item *own,
	const struct tfr_csv *csv, const struct sink *s, struct tfr_error *err)
{
	const struct tfr_cell *cells = tfr_csv_cells(csv);

	if (csv->n != l->columns.n)
		return tfr_fail(
			err, TFR_EDATA, "%zu cells where the header has %zu", csv->n, l->columns.n);
	for (size_t i = 0; i < csv->n; i++) {
		const struct tfr_list_column *col = &l->columns.list[i];
		const char *text = tfr_csv_text(csv, &cells[i]);

		if (cells[i].absent)
			continue;
		if (col->embed != TFR_NO_EMBED)
			TFR_TRY(note_path(own, col->embed, text, cells[i].size, err));
		else if (s)
			TFR_TRY(put_cell(s, col, text, cells[i].size, err));
	}
	return TFR_OK;
}

static enum tfr_status build_member(struct tfr_list *l, struct tfr_list_item *own,
	struct tfr_row_reader *r, const struct tfr_json_member *m, const struct sink *s,
	struct tfr_error *err)
{
	const struct tfr_token *t = m->value, *misfit;
	const struct tfr_list_column *col =
		m->column == SIZE_MAX ? NULL : &l->columns.list[m->column];
	const char *name;
	size_t size;

	/* An array that was always empty has no kind. */
	if ((!col || !col->kind) && t->type == TFR_TOKEN_ARRAY &&
		!tfr_json_member_looks(m, &misfit))
		return TFR_OK;
	if (!col || !col->kind) {
		name = tfr_json_row_name(&r->json, m, &size);
		return name ? tfr_fail(err, TFR_EDATA, "'%.*s' is nothing a feature can hold",
				      (int)size, name)
			    : tfr_fail_nomem(err, "reading a list");
	}
	/* "a/b" may be a name and a path. */
	if (tfr_json_row_member(&r->json, m->column) != m)
		return tfr_fail(err, TFR_EDATA, "'%s' is given twice", col->name);
	if (col->embed == TFR_NO_EMBED)
		return s ? put_member(s, r, col, m, err) : TFR_OK;
	if (t->type != TFR_TOKEN_TEXT)
		return tfr_fail(err, TFR_EDATA, "'%s' is no path", col->name);
	return note_path(own, col->embed, t->text, t->size, err);
}

enum tfr_status tfr_list_build_row(struct tfr_list *l, struct tfr_list_item *own,
	struct tfr_row_reader *r, struct tfr_builder *b, struct tfr_error *err)
{
	const struct tfr_json_member *members = tfr_json_row_members(&r->json);
	struct sink s = { .builder = b };

	if (r->format != TFR_LIST_JSONL)
		return build_cells(l, own, &r->csv, b ? &s : NULL, err);
	for (size_t i = 0; i < r->json.n; i++)
		if (tfr_json_member_has(&members[i]))
			TFR_TRY(build_member(l, own, r, &members[i], b ? &s : NULL, err));
	return TFR_OK;
}

/* --- embedded files --- */

static enum tfr_status read_embedded(struct tfr_list *l, struct tfr_item *item, const char *path,
	void (*look)(struct tfr_item *item), const struct tfr_room *room, struct tfr_error *err)
{
	size_t before = item->size;
	enum tfr_status status = tfr_item_read(item, l->folder, path, look, room, err);

	item->size += before;
	return status;
}

/* The reason is that of a file, which the row's name does not tell. */
static void name_file(const struct tfr_list *l, struct tfr_item *item, const char *path)
{
	const char *folder =
		*path != '/' && !tfr_is_url(path) && l->folder_name ? l->folder_name : "";
	size_t shown = tfr_path_shown(path);
	bool room = strlen(folder) + shown < sizeof(item->reason) / 2;
	char reason[sizeof(item->reason)];
	enum tfr_finding finding = item->finding;

	if (!item->skipped)
		return;
	memcpy(reason, item->reason, sizeof(reason));
	tfr_item_skip(
		item, item->why, "'%s%.*s': %s", room ? folder : "", (int)shown, path, reason);
	item->finding = finding;
}

static enum tfr_status embed_media(struct tfr_list *l, struct tfr_item *item, const char *path,
	bool image, struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_bytes name = { (const uint8_t *)path, tfr_path_shown(path) };
	enum tfr_status status = read_embedded(
		l, item, path, image ? tfr_image_look : tfr_audio_item_look, room, err);

	if (!status && !item->skipped)
		status = image ? tfr_image_add(&l->in, item, bench, err)
			       : tfr_audio_item_add(&l->in, item, bench, room, err);
	if (!status && !item->skipped)
		status = tfr_builder_bytes(
			item->builder, image ? "image/filename" : "audio/filename", &name, 1, err);
	name_file(l, item, path);
	return status;
}

/* Moves the bytes that the record points into out of the way of the next file. */
static void keep_file(struct tfr_item *item, size_t i)
{
	struct tfr_list_item *own = item->own;
	struct tfr_buf spare = own->embedded[i].file;

	own->embedded[i].file = item->file;
	item->file = spare;
}

static enum tfr_status embed_bytes(struct tfr_list *l, struct tfr_item *item, size_t i,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;
	const char *path = (const char *)own->embedded[i].path.data;
	struct tfr_bytes bytes;
	enum tfr_status status = read_embedded(l, item, path, NULL, room, err);

	name_file(l, item, path);
	if (status || item->skipped)
		return status;
	keep_file(item, i);
	bytes = (struct tfr_bytes){ own->embedded[i].file.data, own->embedded[i].file.size };
	return tfr_builder_bytes_ref(
		item->builder, l->columns.tables->embeds[i].feature, &bytes, 1, err);
}

/* The image comes last: it stays where it was read to. */
enum tfr_status tfr_list_embed_all(struct tfr_list *l, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_embed *embeds = l->columns.tables->embeds;
	struct tfr_list_item *own = item->own;
	const char *image = NULL;

	for (size_t i = 0; !item->skipped && i < own->n; i++) {
		if (!own->embedded[i].path.size)
			continue;
		if (tfr_embed_is_image(&embeds[i])) {
			image = (const char *)own->embedded[i].path.data;
		} else if (tfr_embed_is_audio(&embeds[i])) {
			TFR_TRY(embed_media(l, item, (const char *)own->embedded[i].path.data,
				false, bench, room, err));
			keep_file(item, i);
		} else {
			TFR_TRY(embed_bytes(l, item, i, room, err));
		}
	}
	return item->skipped || !image ? TFR_OK
				       : embed_media(l, item, image, true, bench, room, err);
}
