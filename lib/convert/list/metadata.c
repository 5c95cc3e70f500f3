/* convert/list/metadata.c - Hugging Face's ImageFolder and AudioFolder: metadata.csv or
 * metadata.jsonl beside files, a row for each of them
 * (https://huggingface.co/docs/datasets/image_dataset).
 *
 * The input is a list: the rows are those of the list, the files are embedded as --embed would, and
 * the objects of a row become boxes: "objects": {"bbox": [[x, y, width, height], ...],
 * "categories": [...]} in pixels, as COCO has them, with the features of COCO's boxes.  All rows of
 * a table are read once before its files: which columns are paths, which files are named, which
 * classes objects have.  Of a name only its hash is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/error.h"
#include "base/json_read.h"
#include "convert/folder/object_classes.h"
#include "convert/folder/scan.h"
#include "convert/folder/splits.h"
#include "convert/joined_parts.h"
#include "convert/list/list.h"
#include "convert/parts.h"
#include "io/root.h"

struct metadata {
	struct tfr_input in;
	struct tfr_convert_opts opts; /* of the list: with its columns of paths */
	const char *path;	      /* of the table, which opts.input.paths is */
	struct tfr_input *list;
	struct tfr_buf names;	/* of features that embedded columns become */
	struct tfr_buf embeds_; /* struct tfr_embed */
	char *folder;		/* of the files */
	char *filter;		/* "train/": only rows of files in it; NULL: all */
	struct tfr_buf rows_;	/* uint32_t: the items' rows in the list; where there is a filter */
	struct tfr_object_classes classes; /* of objects, where they are texts */
	bool objects, texts;		   /* rows have boxes; their classes are texts */
	uint64_t unusable;		   /* boxes left out, counted by any thread */
};

enum { HEAD = 64 << 10 };

static const char *const tables[] = { "metadata.csv", "metadata.jsonl" };

/* Whether the first line of a table names a column of files. */
static bool names_files(const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *head = malloc(HEAD);
	size_t n = tfr_head_of(head ? path : NULL, head, HEAD, err);
	const char *end = n ? memchr(head, '\n', n) : NULL;

	return n &&
	       memmem(head, end ? (size_t)(end - head) : n, "file_name", sizeof("file_name") - 1);
}

/* Where a table is for files in several splits, each split is a part of it. */
static bool find_shared(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *path)
{
	bool good = true;
	size_t n = 0;

	for (size_t i = 0; i < l->folders.n; i++)
		n += tfr_split_is_name(l->folders.list[i]);
	for (size_t i = 0; good && n > 1 && i < l->folders.n; i++)
		if (tfr_split_is_name(l->folders.list[i]))
			good = tfr_parts_add(p, l->folders.list[i], folder, path);
	return good && (n > 1 || tfr_parts_add(p, NULL, folder, path));
}

static bool find(struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		TFR_AUTO_FREE char *path = tfr_path_join(folder, tables[i]);

		if (!path)
			return false;
		if (!tfr_is_file(path, p->err) || !names_files(path, p->err))
			continue;
		return split ? tfr_parts_add(p, split, folder, path)
			     : find_shared(p, folder, l, path);
	}
	return true;
}

static bool find_all(struct tfr_parts *parts, const char *base)
{
	return tfr_parts_find(parts, base, find);
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	return !opts->input.masks && !opts->input.annotations && !opts->input.captions &&
	       !opts->input.panoptic && !opts->classes.list && !opts->classes.synsets &&
	       !opts->output.tfds && tfr_parts_recognised(find_all, offer);
}

/* --- objects --- */

enum { OBJECTS_MOST = 100000 };

struct objects {
	struct json_object *row;	     /* owns the arrays */
	struct json_object *boxes, *classes; /* arrays of the same length; classes may be NULL */
	size_t n;
};

static struct json_object *member(struct json_object *o, const char *const *names, size_t n)
{
	struct json_object *value = NULL;

	for (size_t i = 0; i < n && !value; i++)
		json_object_object_get_ex(o, names[i], &value);
	return value;
}

static enum tfr_status find_objects(struct objects *o, struct tfr_error *err)
{
	static const char *const boxes[] = { "bbox", "bboxes" };
	static const char *const classes[] = { "categories", "category", "labels", "label" };
	struct json_object *objects = tfr_json_member(o->row, "objects", json_type_object);

	if (!objects)
		return TFR_OK;
	o->boxes = member(objects, boxes, sizeof(boxes) / sizeof(*boxes));
	o->classes = member(objects, classes, sizeof(classes) / sizeof(*classes));
	if (!o->boxes)
		return TFR_OK;
	if (!json_object_is_type(o->boxes, json_type_array))
		return tfr_fail(err, TFR_EDATA, "'objects' whose 'bbox' is not a list");
	o->n = json_object_array_length(o->boxes);
	if (o->n > OBJECTS_MOST)
		return tfr_fail(err, TFR_EDATA, "more than %d objects", OBJECTS_MOST);
	if (o->classes && (!json_object_is_type(o->classes, json_type_array) ||
				  json_object_array_length(o->classes) != o->n))
		return tfr_fail(
			err, TFR_EDATA, "%zu boxes in 'objects' and not as many categories", o->n);
	return TFR_OK;
}

static void clear_objects(struct objects *o)
{
	json_object_put(o->row);
	*o = (struct objects){ 0 };
}

/* The objects of a row of JSON lines; n is 0 where it has none.  TFR_EDATA: they are malformed.
 * Release them after TFR_OK. */
static enum tfr_status read_objects(
	struct objects *o, const char *row, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	*o = (struct objects){ 0 };
	status = tfr_json_read(&o->row, row, size, &(struct tfr_json_limits){ .depth = 32 }, err);
	if (!status)
		status = find_objects(o, err);
	if (status)
		clear_objects(o);
	return status;
}

struct making {
	struct metadata *m;
	struct tfr_item *item;
	struct objects o;
	struct tfr_boxes *boxes;
};

static bool get_box(struct json_object *v, double box[4])
{
	bool good = json_object_is_type(v, json_type_array) && json_object_array_length(v) == 4;

	for (size_t i = 0; good && i < 4; i++) {
		struct json_object *n = json_object_array_get_idx(v, i);

		good = json_object_is_type(n, json_type_int) ||
		       json_object_is_type(n, json_type_double);
		box[i] = good ? json_object_get_double(n) : 0;
		good = good && isfinite(box[i]);
	}
	return good;
}

static enum tfr_status add_class(struct making *k, size_t i, struct tfr_error *err)
{
	struct json_object *v = json_object_array_get_idx(k->o.classes, i);
	int64_t label = 0;

	if (k->m->texts && json_object_is_type(v, json_type_string)) {
		const struct tfr_class *class =
			tfr_object_classes_find(&k->m->classes, json_object_get_string(v));

		if (!class) {
			tfr_item_skip(k->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'",
				json_object_get_string(v),
				k->m->in.opts->classes.labels ?: "the classes that were found");
			return TFR_OK;
		}
		label = class->label;
		TFR_NEED_MEMORY(
			tfr_boxes_add_text(&k->boxes->texts, class->text), err, "reading metadata");
	} else if (!k->m->texts && json_object_is_type(v, json_type_int)) {
		label = json_object_get_int64(v) + k->m->in.opts->classes.base;
	} else {
		tfr_item_skip(k->item, TFR_EDATA,
			"'objects' with categories that are neither all numbers nor all texts");
	}
	return tfr_boxes_add_int(&k->boxes->labels, label)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading metadata");
}

static enum tfr_status add_object(struct making *k, size_t i, struct tfr_error *err)
{
	const struct tfr_image_info *image = &k->item->came;
	double b[4];

	if (!get_box(json_object_array_get_idx(k->o.boxes, i), b)) {
		tfr_item_skip(k->item, TFR_EDATA, "'objects' with a box that is not four numbers");
		return TFR_OK;
	}
	if (!(b[0] >= 0 && b[1] >= 0 && b[2] > 0 && b[3] > 0 && b[0] + b[2] <= image->width &&
		    b[1] + b[3] <= image->height)) {
		__atomic_fetch_add(&k->m->unusable, 1, __ATOMIC_RELAXED);
		return TFR_OK;
	}
	b[2] += b[0];
	b[3] += b[1];
	TFR_NEED_MEMORY(
		tfr_boxes_add(k->boxes, b, image->width, image->height), err, "reading metadata");
	return k->o.classes ? add_class(k, i, err) : TFR_OK;
}

/* Adds image/object/... of the item's row.  What is wrong with it skips the item. */
static enum tfr_status add_boxes(
	struct metadata *m, struct tfr_item *item, struct tfr_boxes *boxes, struct tfr_error *err)
{
	const struct tfr_list_item *own = item->own;
	struct making k = { .m = m, .item = item, .boxes = boxes };
	struct tfr_error why = { 0 };
	enum tfr_status status = TFR_OK;

	status = read_objects(&k.o, (const char *)own->text.data, own->text.size, &why);
	if (status == TFR_EDATA)
		tfr_item_skip_error(item, &why);
	else
		tfr_error_pass(&why, err);
	if (status)
		return status == TFR_EDATA ? TFR_OK : status;
	tfr_boxes_reset(boxes);
	for (size_t i = 0; !status && !item->skipped && i < k.o.n; i++)
		status = add_object(&k, i, err);
	if (!status && !item->skipped)
		status = tfr_boxes_put(boxes, item->builder, err);
	clear_objects(&k.o);
	return status;
}

/* --- all rows --- */

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
	struct objects o;
	enum tfr_status status = read_objects(&o, row, size, err);

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
	clear_objects(&o);
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
	bool objects = false;

	for (size_t i = 0; i < line->n; i++) {
		const struct tfr_json_member *m = &members[i];
		const struct tfr_token *t = tfr_json_line_tokens(line, m);

		objects |= m->form == TFR_MEMBER_OBJECT;
		if (m->parent || m->form != TFR_MEMBER_VALUE || t->type != TFR_TOKEN_TEXT ||
			!is_path(m->name, m->size))
			continue;
		TFR_TRY(note_path(s, row, t->text, t->size, err));
		file = m->size == sizeof(column) - 1 ? m : file;
	}
	if (objects)
		TFR_TRY(note_objects(s, (const char *)own->text.data, own->text.size, err));
	if (!file)
		return TFR_OK;
	return note_file(s, row, tfr_json_line_tokens(line, file)->text,
		tfr_json_line_tokens(line, file)->size, err);
}

static enum tfr_status see_cells(
	struct scanning *s, uint32_t row, const struct tfr_csv *csv, struct tfr_error *err)
{
	const struct tfr_columns *c = &s->list->columns;
	const struct tfr_cell *cells = tfr_csv_cells(csv);

	for (size_t i = 0; i < c->n && i < csv->n; i++)
		if (is_path(c->list[i].name, strlen(c->list[i].name)))
			TFR_TRY(note_path(
				s, row, tfr_csv_text(csv, &cells[i]), cells[i].size, err));
	if (csv->n <= s->path)
		return TFR_OK;
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
	TFR_NEED_MEMORY(tfr_buf_append(&m->names, name, strlen(name) + 1), err, "reading metadata");
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
	size_t own;

	for (size_t i = 0; i < c->n; i++) {
		const char *name = c->list[i].name;

		if (is_path(name, strlen(name)))
			TFR_TRY(add_embed(s, name,
				strcmp(name, column) ? strlen(name) + 1 - sizeof(ending) : 0, err));
	}
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
	TFR_NEED_MEMORY(tfr_buf_append(&m->embeds_, m->in.opts->tables.embeds,
				m->in.opts->tables.embed_count * sizeof(*embeds)),
		err, "reading metadata");
	return TFR_OK;
}

/* --- images that no row names --- */

static bool is_counted(const struct metadata *m, const char *path)
{
	return tfr_is_image(path) && (!m->filter || !strncmp(path, m->filter, strlen(m->filter)));
}

static enum tfr_status say_unnamed(struct scanning *s, struct tfr_error *err)
{
	const struct metadata *m = s->m;
	uint64_t *named = (uint64_t *)(void *)s->named_.data;
	size_t n = s->named_.size / sizeof(*named), images = 0, unnamed = 0;
	TFR_AUTO_BUF path = { 0 };
	struct tfr_scan scan;
	enum tfr_status status = TFR_OK;

	TFR_TRY(tfr_scan_folder(&scan, m->folder, NULL, err));
	tfr_sort_u64(named, n);
	for (size_t i = 0; !status && i < scan.n_items; i++) {
		if (!tfr_scan_path(&scan, &scan.items[i], &path))
			status = tfr_fail_nomem(err, "reading metadata");
		if (status || !is_counted(m, (const char *)path.data))
			continue;
		images++;
		unnamed += !tfr_find_u64(named, n, XXH3_64bits(path.data, path.size - 1));
	}
	tfr_scan_clear(&scan);
	if (!status && unnamed)
		tfr_warn(m->in.opts, "%zu of %zu images in '%s/%s' left out: not in '%s'", unnamed,
			images, m->folder, m->filter ?: "", m->path);
	return status;
}

/* Reads all rows: m->embeds_, rows_, classes, objects and texts.  Warns of images that no row
 * names. */
static enum tfr_status scan_table(
	struct metadata *m, const struct tfr_input_ops *ops, struct tfr_error *err)
{
	struct scanning s = { .m = m, .path = SIZE_MAX };
	struct tfr_convert_opts opts = m->opts;
	struct tfr_input *in = NULL;
	enum tfr_status status;

	/* No column is anything but a column yet. */
	opts.tables.embeds = NULL;
	opts.tables.types = NULL;
	opts.tables.embed_count = opts.tables.type_count = 0;
	opts.images.sha256 = false;
	opts.images.rework = (struct tfr_rework){ 0 };
	opts.audio.kind = TFR_AUDIO_BYTES;
	status = ops->open(&in, &opts, err);

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

/* --- one row --- */

static uint64_t row_of(const struct metadata *m, uint64_t item)
{
	return m->filter ? ((const uint32_t *)(const void *)m->rows_.data)[item] : item;
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct metadata *m = (struct metadata *)in;
	uint64_t number = item->number;
	enum tfr_status status;

	item->number = row_of(m, number);
	status = m->list->ops->next(m->list, item, room, err);
	item->number = number;
	if (!item->prefix)
		item->prefix = m->list->prefix;
	return status;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct metadata *m = (struct metadata *)in;
	uint64_t number = item->number;
	enum tfr_status status;

	item->number = row_of(m, number);
	status = m->list->ops->load(m->list, item, bench, room, err);
	item->number = number;
	return status || item->skipped || !m->objects ? status
						      : add_boxes(m, item, &bench->boxes, err);
}

/* --- the table --- */

static void close_metadata(struct tfr_input *in)
{
	struct metadata *m = (struct metadata *)in;

	if (m->unusable)
		tfr_warn(m->in.opts,
			"%llu box%s of '%s' left out: without an area, or past the edge of the "
			"image",
			(unsigned long long)m->unusable, m->unusable == 1 ? "" : "es", m->path);
	if (m->list)
		m->list->ops->close(m->list);
	tfr_buf_clear(&m->names);
	tfr_buf_clear(&m->embeds_);
	tfr_buf_clear(&m->rows_);
	tfr_object_classes_clear(&m->classes);
	free((char *)(uintptr_t)m->path);
	free(m->folder);
	free(m->filter);
	free(m);
}

/* Of a table for several splits, the folder of this one: "train/". */
static bool set_filter(struct metadata *m, const struct tfr_part *part)
{
	const char *slash = strrchr(part->images, '/');

	if (!part->split || !strcmp(slash ? slash + 1 : part->images, part->split))
		return true;
	m->filter = tfr_asprintf("%s/", part->split);
	return m->filter != NULL;
}

static enum tfr_status set_classes(struct metadata *m, struct tfr_error *err)
{
	if (m->in.opts->classes.labels && !m->texts)
		return tfr_fail_path(err, TFR_EUSAGE, m->path,
			"no objects with names that could have labels in");
	return m->texts ? tfr_object_classes_number(&m->classes, &m->in, err) : TFR_OK;
}

/* Boxes speak of the pixels as they came; scaling keeps fractions, turning does not. */
static enum tfr_status check(const struct metadata *m, struct tfr_error *err)
{
	if (m->objects && m->in.opts->images.rework.orient)
		return tfr_fail(err, TFR_EUSAGE,
			"--orient would turn the images but not their boxes in '%s'", m->path);
	return TFR_OK;
}

static enum tfr_status open_part(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const struct tfr_part *part, struct tfr_error *err)
{
	const struct tfr_input_ops *ops =
		tfr_has_extension(part->annotations, "csv") ? &tfr_input_csv : &tfr_input_jsonl;
	struct metadata *m = calloc(1, sizeof(*m));

	TFR_NEED_MEMORY(m, err, "reading metadata");
	*in = &m->in;
	m->in = (struct tfr_input){ .ops = &tfr_input_metadata, .opts = opts, .by_path = true };
	m->path = strdup(part->annotations);
	m->folder = strdup(part->images);
	if (!m->path || !m->folder || !set_filter(m, part))
		return tfr_fail_nomem(err, "reading metadata");
	m->opts = *opts;
	m->opts.input.paths = &m->path;
	m->opts.input.count = 1;
	m->opts.classes.labels = NULL;
	TFR_TRY(scan_table(m, ops, err));
	m->opts.tables.embeds = (const struct tfr_embed *)(const void *)m->embeds_.data;
	m->opts.tables.embed_count = m->embeds_.size / sizeof(struct tfr_embed);
	TFR_TRY(check(m, err));
	TFR_TRY(ops->open(&m->list, &m->opts, err));
	TFR_TRY(set_classes(m, err));
	m->in.prefix = m->list->prefix;
	m->in.items = m->filter ? m->rows_.size / sizeof(uint32_t) : m->list->items;
	return TFR_OK;
}

/* --- the tables of all splits --- */

/* A column has one kind in all of them: that of all its values. */
static enum tfr_status unite_column(
	struct tfr_input **parts, size_t n, const char *name, struct tfr_error *err)
{
	unsigned looks = 0;

	for (int decide = 0; decide < 2; decide++)
		for (size_t k = 0; k < n; k++) {
			struct tfr_list *l = (struct tfr_list *)((struct metadata *)parts[k])->list;
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

static enum tfr_status unite_classes(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	struct metadata *first = (struct metadata *)parts[0];

	for (size_t k = 1; k < n; k++)
		TFR_TRY(tfr_object_classes_unite(
			&first->classes, &((struct metadata *)parts[k])->classes, err));
	if (first->classes.names.sorted.n)
		TFR_TRY(tfr_object_classes_number(&first->classes, &first->in, err));
	whole->classes = first->in.classes;
	whole->n_classes = first->in.n_classes;
	return TFR_OK;
}

static enum tfr_status unite(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	for (size_t k = 0; k < n; k++) {
		const struct tfr_list *l = (struct tfr_list *)((struct metadata *)parts[k])->list;

		for (size_t i = 0; i < l->columns.n; i++)
			TFR_TRY(unite_column(parts, n, l->columns.list[i].name, err));
	}
	return unite_classes(parts, n, whole, err);
}

static enum tfr_status open_metadata(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_parts_kind kind = {
		.ops = &tfr_input_metadata,
		.find = find_all,
		.none = "no metadata.csv or metadata.jsonl with a column 'file_name' in",
		.open = open_part,
		.unite = unite,
		.all = true,
	};

	return tfr_parts_open(in, &kind, opts, err);
}

const struct tfr_input_ops tfr_input_metadata = {
	.name = "metadata",
	.what = "files with metadata",
	.nothing = "no row to use in the metadata of",
	.refused = "not a usable row",
	.columns = true,
	.images = true,
	.reworks = true,
	.audio = true,
	.labelled = true,
	.splits = true,
	.tree = "",
	.recognises = recognises,
	.open = open_metadata,
	.next = next,
	.load = load,
	.close = close_metadata,
};
