/* convert/annotations/metadata.c - Hugging Face's ImageFolder and AudioFolder: metadata.csv or
 * metadata.jsonl beside files, a row for each of them
 * (https://huggingface.co/docs/datasets/image_dataset).
 *
 * The rows are those of a list, and the files are embedded as --embed would.  The objects of a row
 * are boxes: "objects": {"bbox": [[x, y, width, height], ...], "categories": [...]} in pixels, as
 * COCO has them.  All rows of a table are read once before its files: which columns are paths,
 * which files are named, and the objects.  Of a name only its hash is kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/compare.h"
#include "base/error.h"
#include "convert/annotations/kinds.h"
#include "convert/folder/splits.h"
#include "convert/list/list.h"

static const char reading[] = "reading metadata";

/* What a part has beside the table. */
struct metadata {
	struct tfr_open_part *part;
	struct tfr_convert_tables tables; /* with its columns of paths */
	struct tfr_input *list;
	struct tfr_buf names;	/* of features that embedded columns become */
	struct tfr_buf embeds_; /* struct tfr_embed */
	struct tfr_buf text;	/* of a table in an archive */
	char *filter;		/* "train/": only rows of files in it; NULL: all */
};

enum { HEAD = 64 << 10, MOST_PATHS = 1000 };

/* tfr_part.form: a table for the files of one folder, or for several splits. */
enum { OWN, SHARED };

/* --- layouts --- */

/* Whether the first line of a table names a column of files. */
static bool names_files(struct tfr_parts *p, uint32_t file)
{
	TFR_AUTO_FREE char *head = malloc(HEAD);
	size_t n = 0;
	const char *end;

	if (head)
		n = tfr_scan_head(p->scan, file, head, HEAD, p->err);
	else
		tfr_fail_nomem(p->err, reading);
	end = n ? memchr(head, '\n', n) : NULL;
	return n &&
	       memmem(head, end ? (size_t)(end - head) : n, "file_name", sizeof("file_name") - 1);
}

/* Where a table is for files in several splits, each split is a part of it. */
static void find_shared(struct tfr_parts *p, uint32_t dir, uint32_t file)
{
	const struct tfr_scan *s = p->scan;
	size_t n = 0;

	for (uint32_t d = dir + 1; d < s->dirs[dir].end; d = s->dirs[d].end)
		n += tfr_split_is_name(tfr_scan_name(s, s->dirs[d].name));
	for (uint32_t d = dir + 1; n > 1 && d < s->dirs[dir].end; d = s->dirs[d].end) {
		const char *name = tfr_scan_name(s, s->dirs[d].name);

		if (!tfr_split_is_name(name))
			continue;
		tfr_parts_add(p, name, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
		if (p->n)
			p->list[p->n - 1].form = SHARED;
	}
	if (n <= 1)
		tfr_parts_add(p, NULL, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
}

static void find_in(struct tfr_parts *p, uint32_t dir, const char *split)
{
	static const char *const tables[] = { "metadata.csv", "metadata.jsonl" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		uint32_t file = tfr_scan_file(p->scan, dir, tables[i]);

		if (file == TFR_NO_FILE || !names_files(p, file))
			continue;
		if (split)
			tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
		else
			find_shared(p, dir, file);
		return;
	}
}

static void find(struct tfr_parts *p, uint32_t base)
{
	tfr_parts_find(p, base, find_in);
}

/* --- objects --- */

enum { OBJECTS_MOST = 100000 };

static const struct tfr_token *one_member(const struct tfr_token *t, const char *const *names)
{
	const struct tfr_token *found = NULL;

	for (; t && *names && !found; names++)
		found = tfr_token_member(t, *names);
	return found;
}

static bool get_box(const struct tfr_token *t, double box[4])
{
	bool good = t->type == TFR_TOKEN_ARRAY && t->n == 4;

	for (int i = 0; good && i < 4; i++)
		good = tfr_token_double(&t[1 + i], &box[i]) && isfinite(box[i]);
	return good;
}

/* --- all rows --- */

static const char column[] = "file_name", ending[] = "_file_name";

struct scanning {
	struct metadata *m;
	struct tfr_table *t;
	struct tfr_list *list;
	size_t path;	       /* of CSV: the column "file_name"; SIZE_MAX: there is none */
	struct tfr_buf named_; /* uint64_t: hashes of the paths */
	struct tfr_buf text;   /* the path at hand */
	bool audio;	       /* the first file is called as WAV files are */
	bool seen;
	bool objects; /* rows have boxes */
};

/* Whether the row of a file is one of this part's. */
static bool is_wanted(struct scanning *s, const char *name, size_t size)
{
	const char *filter = s->m->filter;

	if (!s->seen)
		s->audio = size > 4 && !strncasecmp(name + size - 4, ".wav", 4);
	s->seen = true;
	return !filter || (size > strlen(filter) && !memcmp(name, filter, strlen(filter)));
}

static enum tfr_status read_class(struct scanning *s, const struct tfr_token *v, uint32_t *class,
	const char **fault, struct tfr_error *err)
{
	int64_t label;

	if (tfr_token_is_name(v)) {
		s->t->by_name = true;
		return tfr_table_class(s->t, v->text, v->size, class, err);
	}
	if (tfr_token_int64(v, &label) &&
		!__builtin_add_overflow(label, s->t->opts->classes.base, &label))
		return tfr_table_label(s->t, label, NULL, 0, class, err);
	*fault = "'objects' with a category that is neither a name nor the number of a class";
	return TFR_OK;
}

/* Adds the boxes of the image that was added last, and their classes, if there are any; *fault:
 * what is wrong with them. */
static enum tfr_status add_boxes(struct scanning *s, const struct tfr_token *boxes,
	const struct tfr_token *classes, const char **fault, struct tfr_error *err)
{
	const struct tfr_token *b = boxes + 1, *c = classes ? classes + 1 : NULL;

	for (uint32_t i = 0; i < boxes->n && !*fault; i++, b = tfr_token_next(b)) {
		struct tfr_box box = { .image = (uint32_t)s->t->n_images - 1 };
		uint32_t class = TFR_NO_BOX_CLASS;
		double side[4] = { 0 };

		if (!get_box(b, side))
			*fault = "'objects' with a box that is not four numbers";
		else if (c)
			TFR_TRY(read_class(s, c, &class, fault, err));
		c = c ? tfr_token_next(c) : NULL;
		box.class = class;
		side[2] += side[0];
		side[3] += side[1];
		if (!*fault)
			TFR_TRY(tfr_table_add_box(s->t, &box, side, NULL, err));
	}
	return TFR_OK;
}

/* Reads the objects of a row of JSON lines. */
static enum tfr_status read_objects(
	struct scanning *s, const struct tfr_token *row, struct tfr_error *err)
{
	const struct tfr_token *objects = tfr_token_member(row, "objects");
	static const char *const box_names[] = { "bbox", "bboxes", NULL };
	static const char *const class_names[] = { "categories", "category", "labels", "label",
		NULL };
	const struct tfr_token *boxes = one_member(objects, box_names);
	const struct tfr_token *classes = one_member(objects, class_names);
	struct tfr_image_row *image = &s->t->images[s->t->n_images - 1];
	const char *fault = NULL;
	char text[100];

	if (!boxes)
		return TFR_OK;
	if (boxes->type != TFR_TOKEN_ARRAY)
		fault = "'objects' whose 'bbox' is not a list";
	else if (boxes->n > OBJECTS_MOST)
		fault = "more than 100000 objects";
	else if (classes && (classes->type != TFR_TOKEN_ARRAY || classes->n != boxes->n)) {
		snprintf(text, sizeof(text), "%u boxes in 'objects' and not as many categories",
			boxes->n);
		fault = text;
	} else {
		s->objects |= boxes->n > 0;
		TFR_TRY(add_boxes(s, boxes, classes, &fault, err));
	}
	return fault ? tfr_table_fault(s->t, image, TFR_EDATA, fault, err) : TFR_OK;
}

/* Adds the image of row `row`. */
static enum tfr_status add_row(struct scanning *s, uint32_t row, struct tfr_error *err)
{
	const struct tfr_image_row image = { .file = TFR_NO_FILE, .mask = row };

	return tfr_table_add_image(s->t, &image, err);
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
		return tfr_fail_nomem(err, reading);
	path = (const char *)s->text.data;
	if (*path && !tfr_path_is_below(path))
		return tfr_fail(err, TFR_EDATA,
			"row %llu of '%s' names '%.100s', which leaves the folder",
			(unsigned long long)row + 1, s->m->part->aside, path);
	while (!strncmp(path, "./", 2))
		path += 2;
	hash = XXH3_64bits(path, strlen(path));
	return tfr_buf_append(&s->named_, &hash, sizeof(hash)) ? TFR_OK
							       : tfr_fail_nomem(err, reading);
}

static enum tfr_status see_members(
	struct scanning *s, uint32_t row, const struct tfr_list_item *own, struct tfr_error *err)
{
	const struct tfr_json_row *r = &own->reader.json;
	const struct tfr_json_member *members = tfr_json_row_members(r);
	bool wanted = !s->m->filter;

	for (size_t i = 0; i < r->n; i++) {
		const struct tfr_json_member *m = &members[i];
		const struct tfr_token *t = m->value;

		if (m->parent || t->type != TFR_TOKEN_TEXT ||
			!is_path(m->name->text, m->name->size))
			continue;
		TFR_TRY(note_path(s, row, t->text, t->size, err));
		if (m->name->size == sizeof(column) - 1)
			wanted = is_wanted(s, t->text, t->size);
	}
	if (!wanted)
		return TFR_OK;
	TFR_TRY(add_row(s, row, err));
	return read_objects(s, tfr_tape_root(&r->tape), err);
}

static enum tfr_status see_cells(
	struct scanning *s, uint32_t row, const struct tfr_csv *csv, struct tfr_error *err)
{
	const struct tfr_columns *c = &s->list->columns;
	const struct tfr_cell *cells = tfr_csv_cells(csv);
	bool wanted = !s->m->filter;

	for (size_t i = 0; i < c->n && i < csv->n; i++)
		if (is_path(c->list[i].name, strlen(c->list[i].name)))
			TFR_TRY(note_path(
				s, row, tfr_csv_text(csv, &cells[i]), cells[i].size, err));
	if (csv->n > s->path)
		wanted = is_wanted(s, tfr_csv_text(csv, &cells[s->path]), cells[s->path].size);
	return wanted ? add_row(s, row, err) : TFR_OK;
}

/* A row that cannot be read is skipped when its turn comes. */
static enum tfr_status see_row(
	struct scanning *s, uint32_t row, struct tfr_list_item *own, struct tfr_error *err)
{
	enum tfr_status status = tfr_row_reader_read(
		&own->reader, &s->list->columns, (const char *)own->text.data, own->text.size, err);

	if (status == TFR_EDATA)
		return s->m->filter ? TFR_OK : add_row(s, row, err);
	TFR_TRY(status);
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
	TFR_NEED_MEMORY(tfr_buf_append(&m->names, name, strlen(name) + 1), err, reading);
	embed.feature = (const char *)(uintptr_t)m->names.size;
	if (feature ? !tfr_buf_append(&m->names, name, feature) || !tfr_buf_append(&m->names, "", 1)
		    : !tfr_buf_append(&m->names, s->audio ? "audio/encoded" : "image/encoded",
			      sizeof("image/encoded")))
		return tfr_fail_nomem(err, reading);
	return tfr_buf_append(&m->embeds_, &embed, sizeof(embed)) ? TFR_OK
								  : tfr_fail_nomem(err, reading);
}

/* "file_name" is the image itself; of "mask_file_name" the file becomes the feature "mask". */
static enum tfr_status find_paths(struct scanning *s, struct tfr_error *err)
{
	const struct tfr_columns *c = &s->list->columns;
	struct metadata *m = s->m;
	struct tfr_embed *embeds;
	size_t own;

	for (size_t i = 0; i < c->n; i++) {
		const char *name = c->list[i].name;

		if (is_path(name, strlen(name)))
			TFR_TRY(add_embed(s, name,
				strcmp(name, column) ? strlen(name) + 1 - sizeof(ending) : 0, err));
	}
	own = m->embeds_.size / sizeof(*embeds);
	if (!own)
		return tfr_fail(err, TFR_EDATA, "no column 'file_name' in '%s'", m->part->aside);
	if (own > MOST_PATHS)
		return tfr_fail(err, TFR_EDATA, "more than %d columns of paths in '%s'", MOST_PATHS,
			m->part->aside);
	embeds = (struct tfr_embed *)(void *)m->embeds_.data;
	for (size_t i = 0; i < own; i++) {
		embeds[i].column = (const char *)m->names.data + (uintptr_t)embeds[i].column;
		embeds[i].feature = (const char *)m->names.data + (uintptr_t)embeds[i].feature;
	}
	TFR_NEED_MEMORY(tfr_buf_append(&m->embeds_, m->part->opts->tables.embeds,
				m->part->opts->tables.embed_count * sizeof(*embeds)),
		err, reading);
	return TFR_OK;
}

/* --- images that no row names --- */

static enum tfr_status warn_of_unnamed(struct scanning *s, struct tfr_error *err)
{
	const struct tfr_open_part *part = s->m->part;
	const struct tfr_place *p = &part->at->images;
	const struct tfr_scan_dir *dir = &p->scan->dirs[p->dir];
	const char *filter = s->m->filter ?: "";
	uint64_t *named = (uint64_t *)(void *)s->named_.data;
	size_t n = s->named_.size / sizeof(*named), images = 0, unnamed = 0;
	TFR_AUTO_BUF path = { 0 };

	tfr_sort_u64(named, n);
	for (uint32_t i = dir->first; i < dir->last; i++) {
		if (p->scan->items[i].kind != TFR_FILE_IMAGE)
			continue;
		TFR_NEED_MEMORY(tfr_scan_path_below(p->scan, i, p->dir, &path), err, reading);
		if (strncmp((const char *)path.data, filter, strlen(filter)))
			continue;
		images++;
		unnamed += !tfr_find_u64(named, n, XXH3_64bits(path.data, path.size - 1));
	}
	if (unnamed)
		tfr_warn(part->opts, "%zu of %zu images in '%s%s' left out: not in '%s'", unnamed,
			images, part->prefix, filter, part->aside);
	return TFR_OK;
}

/* Reads all rows into the table, and finds the columns of paths. */
static enum tfr_status scan_table(struct metadata *m, struct tfr_table *t, struct tfr_error *err)
{
	struct scanning s = {
		.m = m, .t = t, .list = (struct tfr_list *)m->list, .path = SIZE_MAX
	};
	enum tfr_status status;

	for (size_t i = 0; i < s.list->columns.n; i++)
		if (!strcmp(s.list->columns.list[i].name, column))
			s.path = i;
	status = see_rows(&s, err);
	if (!status)
		status = find_paths(&s, err);
	if (!status && s.path != SIZE_MAX && !s.audio)
		status = warn_of_unnamed(&s, err);
	/* Boxes speak of the pixels as they came; scaling keeps fractions, turning does not. */
	if (!status && s.objects && t->opts->images.rework.orient)
		status = tfr_fail(err, TFR_EUSAGE,
			"--orient would turn the images but not their boxes in '%s'",
			m->part->aside);
	tfr_buf_clear(&s.named_);
	tfr_buf_clear(&s.text);
	return status;
}

/* --- one row --- */

static enum tfr_status next(struct tfr_open_part *part, uint32_t row, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct metadata *m = part->own;
	uint64_t number = item->number;
	enum tfr_status status;

	item->number = row;
	item->prefix = m->list->prefix;
	status = m->list->ops->next(m->list, item, room, err);
	item->number = number;
	return status;
}

static enum tfr_status load(struct tfr_open_part *part, uint32_t row, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct metadata *m = part->own;
	uint64_t number = item->number;
	enum tfr_status status;

	item->number = row;
	status = m->list->ops->load(m->list, item, bench, room, err);
	item->number = number;
	return status;
}

/* --- the table --- */

static void close_part(struct tfr_open_part *part)
{
	struct metadata *m = part->own;

	if (!m)
		return;
	if (m->list)
		m->list->ops->close(m->list);
	tfr_buf_clear(&m->text);
	tfr_buf_clear(&m->names);
	tfr_buf_clear(&m->embeds_);
	free(m->filter);
	free(m);
}

/* Finds the files of an archive beside the table. */
static bool find_beside(const void *ctx, const char *name, uint64_t *place, uint64_t *size)
{
	const struct tfr_place *p = ctx;
	uint32_t file = tfr_scan_file(p->scan, p->dir, name);

	if (file == TFR_NO_FILE)
		return false;
	*place = p->scan->places[file];
	*size = p->scan->sizes[file];
	return true;
}

/* Opens the table as a list; in an archive it is in memory. */
static enum tfr_status open_list(struct metadata *m, struct tfr_error *err)
{
	const struct tfr_open_part *part = m->part;
	const struct tfr_place *p = &part->at->annotations;
	const struct tfr_input_ops *ops =
		tfr_has_extension(part->aside, "csv") ? &tfr_input_csv : &tfr_input_jsonl;
	const struct tfr_source *archive;
	struct tfr_source *source = NULL;
	struct tfr_root *folder = NULL;
	enum tfr_status status = TFR_OK;
	uint64_t place, size;
	bool there;

	archive = tfr_root_part(p->scan->root, "", &there, &place, &size);
	if (archive) {
		TFR_TRY(tfr_part_read_file(part, &m->text, err));
		TFR_TRY(tfr_source_open_memory(
			&source, m->text.data, m->text.size, part->aside, err));
		status = tfr_root_of_parts(&folder, archive, find_beside, p, err);
	}
	if (status)
		tfr_source_close(source);
	return status ?: tfr_list_open(&m->list, ops, part->opts, part->aside, source, folder, err);
}

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	struct metadata *m = part->own = calloc(1, sizeof(*m));

	TFR_NEED_MEMORY(m, err, reading);
	m->part = part;
	if (part->at->form == SHARED) {
		m->filter = tfr_asprintf("%s/", part->at->split);
		TFR_NEED_MEMORY(m->filter, err, reading);
	}
	TFR_TRY(open_list(m, err));
	TFR_TRY(scan_table(m, t, err));
	m->tables = part->opts->tables;
	m->tables.embeds = (const struct tfr_embed *)(const void *)m->embeds_.data;
	m->tables.embed_count = m->embeds_.size / sizeof(struct tfr_embed);
	return tfr_list_embed((struct tfr_list *)m->list, &m->tables, err);
}

/* --- the tables of all splits --- */

/* A column has one kind in all of them: that of all its values. */
static enum tfr_status unite_column(
	const struct tfr_open_part *parts, size_t n, const char *name, struct tfr_error *err)
{
	unsigned looks = 0;

	for (int decide = 0; decide < 2; decide++)
		for (size_t k = 0; k < n; k++) {
			struct tfr_list *l =
				(struct tfr_list *)((struct metadata *)parts[k].own)->list;
			size_t guess = 0;
			const struct tfr_list_column *found =
				tfr_columns_find(&l->columns, name, strlen(name), &guess);
			struct tfr_list_column *col =
				found ? &l->columns.list[found - l->columns.list] : NULL;

			if (col && !decide)
				looks |= col->looks;
			if (!col || !decide || col->given || col->looks == looks)
				continue;
			col->looks = looks;
			col->kind = TFR_KIND_UNSET;
			TFR_TRY(tfr_column_decide(
				col, l->reader.format != TFR_LIST_JSONL, l->path, err));
		}
	return TFR_OK;
}

static enum tfr_status unite(
	struct tfr_table *t, struct tfr_open_part *parts, size_t n, struct tfr_error *err)
{
	for (size_t k = 0; k < n && n > 1; k++) {
		const struct tfr_list *l =
			(struct tfr_list *)((struct metadata *)parts[k].own)->list;

		for (size_t i = 0; i < l->columns.n; i++)
			TFR_TRY(unite_column(parts, n, l->columns.list[i].name, err));
	}
	if (t->opts->classes.labels && !t->by_name)
		return tfr_fail_path(err, TFR_EUSAGE, parts[0].aside,
			"no objects with names that could have labels in");
	return TFR_OK;
}

const struct tfr_set_kind tfr_set_metadata = {
	.ops = {
		.name = "metadata",
		.what = "files with metadata",
		.nothing = "no row to use in the metadata of",
		.refused = "not a usable row",
		.flags = TFR_INPUT_COLUMNS | TFR_INPUT_IMAGES | TFR_INPUT_REWORKS |
			 TFR_INPUT_AUDIO | TFR_INPUT_LABELS | TFR_INPUT_NUMBERS | TFR_INPUT_SPLITS |
			 TFR_INPUT_CELLS,
		.tree = "",
	},
	.none = "no metadata.csv or metadata.jsonl with a column 'file_name' in",
	.by_path = true,
	.all_parts = true,
	.find = find,
	.read = read_part,
	.next = next,
	.load = load,
	.unite = unite,
	.close = close_part,
};
