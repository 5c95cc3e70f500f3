/* convert/list/list_features.c - a row's values under the names of their columns, each of the one
 * kind that its column has; files of paths read last. */
#include <string.h>

#include "base/url.h"
#include "convert/audio_features.h"
#include "convert/image_features.h"
#include "convert/list/list.h"

enum {
	MOST_ROW = 1 << 20, /* bytes: memory for a larger row is not taken in advance */
	SPARSE = 8,	    /* columns for each member, beyond which most are absent */
	FEW_COLUMNS = 64,
};

/* A column that is embedded: its path is kept until load() reads the file. */
static enum tfr_status note_path(struct tfr_list_item *own, size_t embed, const char *path,
	size_t size, struct tfr_error *err)
{
	struct tfr_buf *to = &own->paths[embed];

	if (memchr(path, '\0', size))
		return tfr_fail(err, TFR_EDATA, "a path with a NUL byte in it");
	to->size = 0;
	if (!tfr_buf_append(to, path, size) || !tfr_buf_append(to, "", 1))
		return tfr_fail_nomem(err, "reading a list");
	return TFR_OK;
}

/* ---- values ---- */

/* Where the features of a row go: into a record, in the order of the layout, or into a builder. */
struct sink {
	struct tfr_records *records; /* NULL: the builder */
	const struct tfr_row_layout *layout;
	size_t place; /* of the column in the layout */
	struct tfr_builder *builder;
};

/* `values`: of the kind of the column. */
static enum tfr_status put(const struct sink *s, const struct tfr_list_column *col,
	const void *values, size_t n, struct tfr_error *err)
{
	switch (col->kind) {
	case TFR_KIND_INT64:
		if (!s->records)
			return tfr_builder_int64s(s->builder, col->name, values, n, err);
		tfr_records_int64s(s->records, s->layout, s->place, values, n);
		return TFR_OK;
	case TFR_KIND_FLOAT:
		if (!s->records)
			return tfr_builder_floats(s->builder, col->name, values, n, err);
		tfr_records_floats(s->records, s->layout, s->place, values, n);
		return TFR_OK;
	default:
		if (!s->records)
			return tfr_builder_bytes(s->builder, col->name, values, n, err);
		tfr_records_bytes(s->records, s->layout, s->place, values, n);
		return TFR_OK;
	}
}

static enum tfr_status put_cell(const struct sink *s, const struct tfr_list_column *col,
	const char *text, size_t size, struct tfr_error *err)
{
	struct tfr_bytes bytes = { (const uint8_t *)text, size };
	int64_t whole;
	float real;

	if (col->kind == TFR_KIND_INT64
			? tfr_text_int64(text, size, &whole)
			: col->kind != TFR_KIND_FLOAT || tfr_text_float(text, size, &real))
		return put(s, col,
			col->kind == TFR_KIND_INT64   ? (const void *)&whole
			: col->kind == TFR_KIND_FLOAT ? (const void *)&real
						      : &bytes,
			1, err);
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

static bool encode_cell(
	const struct sink *s, const struct tfr_csv *csv, const struct tfr_columns *c, size_t column)
{
	const struct tfr_cell *cell = &tfr_csv_cells(csv)[column];

	return cell->absent ||
	       (c->list[column].kind &&
		       !put_cell(s, &c->list[column], tfr_csv_text(csv, cell), cell->size, NULL));
}

static bool is_empty(const struct tfr_json_member *m)
{
	return m->value->type == TFR_TOKEN_ARRAY && !m->value->n;
}

static bool encode_member(
	const struct sink *s, struct tfr_row_reader *r, const struct tfr_columns *c, size_t column)
{
	const struct tfr_json_member *m = tfr_json_row_member(&r->json, column);

	if (!m || !tfr_json_member_has(m))
		return true;
	/* Lists that are all empty have no kind, and make no feature. */
	return c->list[column].kind ? !put_member(s, r, &c->list[column], m, NULL) : is_empty(m);
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
		if (members[i].column == SIZE_MAX && !is_empty(&members[i]) &&
			tfr_json_member_has(&members[i]))
			return false;
	return true;
}

bool tfr_list_encode_row(struct tfr_row_reader *r, const struct tfr_row_layout *layout, size_t size,
	struct tfr_records *to)
{
	const struct tfr_columns *c = layout->columns;
	struct sink s = { .records = to, .layout = layout };

	if (size > MOST_ROW || !is_regular(r, c) || !tfr_records_begin(to, layout, size))
		return false;
	for (; s.place < c->n; s.place++) {
		size_t column = tfr_row_layout_at(layout, s.place)->index;

		if (r->format == TFR_LIST_JSONL ? !encode_member(&s, r, c, column)
						: !encode_cell(&s, &r->csv, c, column)) {
			tfr_records_cancel(to);
			return false;
		}
	}
	return tfr_records_end(to);
}

/* ---- rows in a builder ---- */

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
	struct tfr_buf spare = own->files[i];

	own->files[i] = item->file;
	item->file = spare;
}

static enum tfr_status embed_bytes(struct tfr_list *l, struct tfr_item *item, size_t i,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;
	const char *path = (const char *)own->paths[i].data;
	struct tfr_bytes bytes;
	enum tfr_status status = read_embedded(l, item, path, NULL, room, err);

	name_file(l, item, path);
	if (status || item->skipped)
		return status;
	keep_file(item, i);
	bytes = (struct tfr_bytes){ own->files[i].data, own->files[i].size };
	return tfr_builder_bytes_ref(
		item->builder, l->in.opts->tables.embeds[i].feature, &bytes, 1, err);
}

/* The image comes last: it stays where it was read to. */
enum tfr_status tfr_list_embed_all(struct tfr_list *l, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_embed *embeds = l->in.opts->tables.embeds;
	struct tfr_list_item *own = item->own;
	const char *image = NULL;

	for (size_t i = 0; !item->skipped && i < own->n; i++) {
		if (!own->paths[i].size)
			continue;
		if (tfr_embed_is_image(&embeds[i])) {
			image = (const char *)own->paths[i].data;
		} else if (tfr_embed_is_audio(&embeds[i])) {
			TFR_TRY(embed_media(l, item, (const char *)own->paths[i].data, false, bench,
				room, err));
			keep_file(item, i);
		} else {
			TFR_TRY(embed_bytes(l, item, i, room, err));
		}
	}
	return item->skipped || !image ? TFR_OK
				       : embed_media(l, item, image, true, bench, room, err);
}
