/* convert/list/list_features.c - a row's values under the names of their columns, each of the one kind
 * that its column has; files of paths read last. */
#include <string.h>

#include "convert/list/list.h"
#include "convert/image_features.h"
#include "convert/audio_features.h"

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

static enum tfr_status put_text(struct tfr_builder *b, const struct tfr_list_column *col,
	const char *text, size_t size, struct tfr_error *err)
{
	struct tfr_bytes bytes = { (const uint8_t *)text, size };
	int64_t whole;
	float real;

	switch (col->kind) {
	case TFR_KIND_INT64:
		if (!tfr_text_int64(text, size, &whole))
			break;
		return tfr_builder_int64s(b, col->name, &whole, 1, err);
	case TFR_KIND_FLOAT:
		if (!tfr_text_float(text, size, &real))
			break;
		return tfr_builder_floats(b, col->name, &real, 1, err);
	default:
		return tfr_builder_bytes(b, col->name, &bytes, 1, err);
	}
	return tfr_fail(err, TFR_EDATA, "'%s' is '%.*s', which %s cannot hold", col->name,
		(int)(size < 40 ? size : 40), text, tfr_kind_name(col->kind));
}

enum tfr_status tfr_list_put_cells(struct tfr_list *l, struct tfr_list_item *own,
	const struct tfr_csv *csv, struct tfr_builder *b, struct tfr_error *err)
{
	const struct tfr_cell *cells = tfr_csv_cells(csv);
	enum tfr_status status = TFR_OK;

	if (csv->n != l->columns.n)
		return tfr_fail(
			err, TFR_EDATA, "%zu cells where the header has %zu", csv->n, l->columns.n);
	for (size_t i = 0; !status && i < csv->n; i++) {
		const struct tfr_list_column *col = &l->columns.list[i];
		const char *text = tfr_csv_text(csv, &cells[i]);

		if (cells[i].absent)
			continue;
		if (col->embed != TFR_NO_EMBED)
			status = note_path(own, col->embed, text, cells[i].size, err);
		else
			status = put_text(b, col, text, cells[i].size, err);
	}
	return status;
}

struct putting {
	struct tfr_list *l;
	struct tfr_list_item *own;
	struct tfr_jsonl *json;
	struct tfr_builder *builder;
	size_t guess;
};

/* Whether another member of the row has put this column: "a/b" may be a name and a path. */
static enum tfr_status see_once(
	struct putting *p, const struct tfr_list_column *col, struct tfr_error *err)
{
	struct tfr_buf *seen = &p->own->seen;
	size_t i = (size_t)(col - p->l->columns.list), end = (i + 1) * sizeof(uint64_t);
	uint64_t *last;

	if (end > seen->size) {
		if (!tfr_buf_reserve(seen, end - seen->size))
			return tfr_fail_nomem(err, "reading a list");
		memset(seen->data + seen->size, 0, end - seen->size);
		seen->size = end;
	}
	last = (uint64_t *)(void *)seen->data + i;
	if (*last == p->own->row)
		return tfr_fail(err, TFR_EDATA, "'%s' is given twice", col->name);
	*last = p->own->row;
	return TFR_OK;
}

static enum tfr_status put_member(
	void *ctx, const char *name, size_t size, struct json_object *value, struct tfr_error *err)
{
	struct putting *p = ctx;
	const struct tfr_list_column *col = tfr_columns_find(&p->l->columns, name, size, &p->guess);
	struct json_object *misfit;

	/* An array that was always empty has no kind. */
	if (!col || col->kind == TFR_KIND_UNSET)
		return tfr_jsonl_looks(value, &misfit) ||
				       !json_object_is_type(value, json_type_array)
			       ? tfr_fail(err, TFR_EDATA, "'%.*s' is nothing a feature can hold",
					 (int)size, name)
			       : TFR_OK;
	if (see_once(p, col, err))
		return err ? err->status : TFR_EDATA;
	if (col->embed == TFR_NO_EMBED)
		return tfr_jsonl_put(
			p->json, p->builder, col->name, col->kind, col->given, value, err);
	if (!json_object_is_type(value, json_type_string))
		return tfr_fail(err, TFR_EDATA, "'%s' is no path", col->name);
	return note_path(p->own, col->embed, json_object_get_string(value),
		(size_t)json_object_get_string_len(value), err);
}

enum tfr_status tfr_list_put_object(struct tfr_list *l, struct tfr_list_item *own,
	struct tfr_jsonl *json, struct tfr_builder *b, struct tfr_error *err)
{
	struct putting p = { l, own, json, b, 0 };

	own->row++;
	return tfr_jsonl_each(json, put_member, &p, err);
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
	const char *folder = *path != '/' && l->folder_name ? l->folder_name : "";
	bool room = strlen(folder) + strlen(path) < sizeof(item->reason) / 2;
	char reason[sizeof(item->reason)];
	enum tfr_finding finding = item->finding;

	if (!item->skipped)
		return;
	memcpy(reason, item->reason, sizeof(reason));
	tfr_item_skip(item, item->why, "'%s%s': %s", room ? folder : "", path, reason);
	item->finding = finding;
}

static enum tfr_status embed_image(struct tfr_list *l, struct tfr_item *item, const char *path,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	enum tfr_status status = read_embedded(l, item, path, tfr_image_look, room, err);

	if (!status && !item->skipped)
		status = tfr_image_add(&l->in, item, bench, err);
	if (!status && !item->skipped)
		status = tfr_builder_text(item->builder, "image/filename", path, err);
	name_file(l, item, path);
	return status;
}

static enum tfr_status embed_sound(struct tfr_list *l, struct tfr_item *item, const char *path,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	enum tfr_status status = read_embedded(l, item, path, tfr_sound_look, room, err);

	if (!status && !item->skipped)
		status = tfr_sound_add(&l->in, item, bench, room, err);
	if (!status && !item->skipped)
		status = tfr_builder_text(item->builder, "audio/filename", path, err);
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
	return tfr_builder_bytes_ref(item->builder, l->in.opts->embeds[i].feature, &bytes, 1, err);
}

/* The image comes last: it stays where it was read to. */
enum tfr_status tfr_list_embed_all(struct tfr_list *l, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_embed *embeds = l->in.opts->embeds;
	struct tfr_list_item *own = item->own;
	const char *image = NULL;
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && !item->skipped && i < own->n; i++) {
		if (!own->paths[i].size)
			continue;
		if (tfr_embed_is_image(&embeds[i])) {
			image = (const char *)own->paths[i].data;
		} else if (tfr_embed_is_sound(&embeds[i])) {
			status = embed_sound(
				l, item, (const char *)own->paths[i].data, bench, room, err);
			keep_file(item, i);
		} else {
			status = embed_bytes(l, item, i, room, err);
		}
	}
	if (status || item->skipped || !image)
		return status;
	return embed_image(l, item, image, bench, room, err);
}
