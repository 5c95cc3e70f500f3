/* convert/list/metadata_scan.c - all rows of a table, read once before its files: which columns are
 * paths, which files are named, which classes objects have.
 *
 * Of a name only its hash is kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <xxhash.h>

#include "base/error.h"
#include "convert/folder/scan.h"
#include "convert/list/metadata.h"

static const char column[] = "file_name", ending[] = "_file_name";

enum { MOST_PATHS = 1000 };

struct scanning {
	struct metadata *m;
	struct tfr_list *list;
	size_t path;	       /* of CSV: the column "file_name"; SIZE_MAX: there is none */
	struct tfr_buf named_; /* uint64_t: hashes of the paths */
	struct tfr_buf text;   /* the path at hand */
	bool audio;	       /* the first file is called as WAV files are */
	bool seen;
};

static enum tfr_status note_file(
	struct scanning *s, uint32_t row, const char *name, size_t size, struct tfr_error *err)
{
	const char *filter = s->m->filter;

	if (!s->seen)
		s->audio = size > 4 && !strncasecmp(name + size - 4, ".wav", 4);
	s->seen = true;
	if (filter && size > strlen(filter) && !memcmp(name, filter, strlen(filter)) &&
		!tfr_buf_append(&s->m->rows_, &row, sizeof(row)))
		return tfr_fail_nomem(err, "reading metadata");
	return TFR_OK;
}

/* Classes of objects; malformed ones are skipped when their turn comes. */
static enum tfr_status note_objects(
	struct scanning *s, const char *row, size_t size, struct tfr_error *err)
{
	struct tfr_objects o;
	enum tfr_status status = tfr_metadata_objects(&o, row, size, err);

	if (status == TFR_EDATA)
		return TFR_OK;
	s->m->objects |= o.n > 0;
	for (size_t i = 0; !status && o.classes && i < o.n; i++) {
		struct json_object *v = json_object_array_get_idx(o.classes, i);
		const char *name = json_object_get_string(v);

		if (!json_object_is_type(v, json_type_string))
			continue;
		s->m->texts = true;
		if (!tfr_class_names_add(&s->m->classes.names, name, strlen(name)))
			status = tfr_fail_nomem(err, "reading metadata");
	}
	tfr_objects_clear(&o);
	return status;
}

static bool is_path(const char *name, size_t n)
{
	size_t more = sizeof(ending) - 1;

	return (n == sizeof(column) - 1 && !memcmp(name, column, n)) ||
	       (n > more && !memcmp(name + n - more, ending, more));
}

/* A table comes from elsewhere: it may name files beside it only. */
static enum tfr_status note_path(
	struct scanning *s, uint64_t row, const char *text, size_t size, struct tfr_error *err)
{
	const char *path;
	uint64_t hash;

	s->text.size = 0;
	if (!tfr_buf_append(&s->text, text, size) || !tfr_buf_append(&s->text, "", 1))
		return tfr_fail_nomem(err, "reading metadata");
	path = (const char *)s->text.data;
	if (*path && !tfr_path_is_below(path))
		return tfr_fail(err, TFR_EDATA,
			"row %llu of '%s' names '%.100s', which leaves the folder",
			(unsigned long long)row + 1, s->m->path, path);
	while (!strncmp(path, "./", 2))
		path += 2;
	hash = XXH3_64bits(path, strlen(path));
	return tfr_buf_append(&s->named_, &hash, sizeof(hash))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading metadata");
}

static enum tfr_status see_members(
	struct scanning *s, uint32_t row, const struct tfr_list_item *own, struct tfr_error *err)
{
	const struct tfr_json_line *line = &own->reader.json.line;
	const struct tfr_json_member *members = tfr_json_line_members(line), *file = NULL;
	enum tfr_status status = TFR_OK;
	bool objects = false;

	for (size_t i = 0; !status && i < line->n; i++) {
		const struct tfr_json_member *m = &members[i];
		const struct tfr_token *t = tfr_json_line_tokens(line, m);

		objects |= m->form == TFR_MEMBER_OBJECT;
		if (m->parent || m->form != TFR_MEMBER_VALUE || t->type != TFR_TOKEN_TEXT ||
			!is_path(m->name, m->size))
			continue;
		status = note_path(s, row, t->text, t->size, err);
		file = m->size == sizeof(column) - 1 ? m : file;
	}
	if (!status && objects)
		status = note_objects(s, (const char *)own->text.data, own->text.size, err);
	if (status || !file)
		return status;
	return note_file(s, row, tfr_json_line_tokens(line, file)->text,
		tfr_json_line_tokens(line, file)->size, err);
}

static enum tfr_status see_cells(
	struct scanning *s, uint32_t row, const struct tfr_csv *csv, struct tfr_error *err)
{
	const struct tfr_columns *c = &s->list->columns;
	const struct tfr_cell *cells = tfr_csv_cells(csv);
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < c->n && i < csv->n; i++)
		if (is_path(c->list[i].name, strlen(c->list[i].name)))
			status =
				note_path(s, row, tfr_csv_text(csv, &cells[i]), cells[i].size, err);
	if (status || csv->n <= s->path)
		return status;
	return note_file(s, row, tfr_csv_text(csv, &cells[s->path]), cells[s->path].size, err);
}

/* A row that cannot be read is skipped when its turn comes. */
static enum tfr_status see_row(
	struct scanning *s, uint32_t row, struct tfr_list_item *own, struct tfr_error *err)
{
	enum tfr_status status = tfr_row_reader_read(
		&own->reader, &s->list->columns, (const char *)own->text.data, own->text.size, err);

	if (status)
		return status == TFR_EDATA ? TFR_OK : status;
	return own->reader.format == TFR_LIST_JSONL ? see_members(s, row, own, err)
						    : see_cells(s, row, &own->reader.csv, err);
}

static enum tfr_status see_rows(struct scanning *s, struct tfr_error *err)
{
	static const struct tfr_room unbounded;
	struct tfr_input *in = &s->list->in;
	struct tfr_item item = { 0 };
	enum tfr_status status = TFR_OK;

	for (uint64_t i = 0; !status && i < in->items; i++) {
		status = tfr_item_start(&item, i, err);
		if (!status)
			status = in->ops->next(in, &item, &unbounded, err);
		if (!status)
			status = see_row(s, (uint32_t)i, item.own, err);
	}
	tfr_item_clear(&item);
	return status;
}

/* --- columns of paths --- */

static enum tfr_status add_embed(
	struct scanning *s, const char *name, size_t feature, struct tfr_error *err)
{
	struct tfr_embed embed = { .column = name, .feature = NULL };
	struct metadata *m = s->m;
	size_t at = m->names.size;

	/* Offsets in m->names until all are there. */
	embed.column = (const char *)(uintptr_t)at;
	if (!tfr_buf_append(&m->names, name, strlen(name) + 1))
		return tfr_fail_nomem(err, "reading metadata");
	embed.feature = (const char *)(uintptr_t)m->names.size;
	if (feature ? !tfr_buf_append(&m->names, name, feature) || !tfr_buf_append(&m->names, "", 1)
		    : !tfr_buf_append(&m->names, s->audio ? "audio/encoded" : "image/encoded",
			      sizeof("image/encoded")))
		return tfr_fail_nomem(err, "reading metadata");
	return tfr_buf_append(&m->embeds_, &embed, sizeof(embed))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading metadata");
}

/* "file_name" is the image itself; of "mask_file_name" the file becomes the feature "mask". */
static enum tfr_status find_paths(struct scanning *s, struct tfr_error *err)
{
	const struct tfr_columns *c = &s->list->columns;
	struct metadata *m = s->m;
	struct tfr_embed *embeds;
	enum tfr_status status = TFR_OK;
	size_t own;

	for (size_t i = 0; !status && i < c->n; i++) {
		const char *name = c->list[i].name;

		if (is_path(name, strlen(name)))
			status = add_embed(s, name,
				strcmp(name, column) ? strlen(name) + 1 - sizeof(ending) : 0, err);
	}
	if (status)
		return status;
	own = m->embeds_.size / sizeof(*embeds);
	if (!own)
		return tfr_fail(err, TFR_EDATA, "no column 'file_name' in '%s'", m->path);
	if (own > MOST_PATHS)
		return tfr_fail(err, TFR_EDATA, "more than %d columns of paths in '%s'", MOST_PATHS,
			m->path);
	embeds = (struct tfr_embed *)(void *)m->embeds_.data;
	for (size_t i = 0; i < own; i++) {
		embeds[i].column = (const char *)m->names.data + (uintptr_t)embeds[i].column;
		embeds[i].feature = (const char *)m->names.data + (uintptr_t)embeds[i].feature;
	}
	if (!tfr_buf_append(
		    &m->embeds_, m->in.opts->embeds, m->in.opts->embed_count * sizeof(*embeds)))
		return tfr_fail_nomem(err, "reading metadata");
	return TFR_OK;
}

/* --- images that no row names --- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_counted(const struct metadata *m, const char *path)
{
	return tfr_is_image(path) && (!m->filter || !strncmp(path, m->filter, strlen(m->filter)));
}

static enum tfr_status say_unnamed(struct scanning *s, struct tfr_error *err)
{
	const struct metadata *m = s->m;
	uint64_t *named = (uint64_t *)(void *)s->named_.data, hash;
	size_t n = s->named_.size / sizeof(*named), images = 0, unnamed = 0;
	TFR_AUTO_BUF path = { 0 };
	struct tfr_scan scan;
	enum tfr_status status = TFR_OK;

	TFR_TRY(tfr_scan_folder(&scan, m->folder, NULL, err));
	if (n)
		qsort(named, n, sizeof(*named), by_value);
	for (size_t i = 0; !status && i < scan.n_items; i++) {
		if (!tfr_scan_path(&scan, &scan.items[i], &path))
			status = tfr_fail_nomem(err, "reading metadata");
		if (status || !is_counted(m, (const char *)path.data))
			continue;
		images++;
		hash = XXH3_64bits(path.data, path.size - 1);
		unnamed += !n || !bsearch(&hash, named, n, sizeof(*named), by_value);
	}
	tfr_scan_clear(&scan);
	if (!status && unnamed)
		tfr_warn(m->in.opts, "%zu of %zu images in '%s/%s' left out: not in '%s'", unnamed,
			images, m->folder, m->filter ?: "", m->path);
	return status;
}

enum tfr_status tfr_metadata_scan(
	struct metadata *m, const struct tfr_input_ops *ops, struct tfr_error *err)
{
	struct scanning s = { .m = m, .path = SIZE_MAX };
	struct tfr_input *in = NULL;
	enum tfr_status status = ops->open(&in, &m->opts, err);

	s.list = (struct tfr_list *)in;
	for (size_t i = 0; !status && i < s.list->columns.n; i++)
		if (!strcmp(s.list->columns.list[i].name, column))
			s.path = i;
	if (!status)
		status = see_rows(&s, err);
	if (!status)
		status = find_paths(&s, err);
	if (!status && s.path != SIZE_MAX && !s.audio)
		status = say_unnamed(&s, err);
	if (in)
		in->ops->close(in);
	tfr_buf_clear(&s.named_);
	tfr_buf_clear(&s.text);
	return status;
}
