/* convert/voc/voc.c - PASCAL VOC: a folder of images and one of annotations, each an XML file that
 * names its image.
 *
 *   JPEGImages/ Annotations/    PASCAL VOC
 *   images/ annotations/        Kaggle; with splits as images/train
 *   *.jpg *.xml in one folder   Roboflow, labelImg; in train/, valid/, test/ or in images/
 *
 * Tools change images after they wrote the name into the annotation.  So if the named image is
 * absent, the image beside the annotation with the same name is used. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "convert/annotations/kinds.h"
#include "convert/list/line_reader.h"
#include "convert/voc/voc_xml.h"

enum { HEAD = 4096, DEEPEST = 2, WIDEST = 8 };

/* --- layouts --- */

/* Whether a file begins with an element <annotation>; <annotations> is CVAT's. */
static bool is_annotation(const struct tfr_scan *s, uint32_t file, struct tfr_error *err)
{
	char head[HEAD];
	size_t n = tfr_scan_head(s, file, head, sizeof(head), err);

	return n && memmem(head, n, "<annotation", strlen("<annotation")) &&
	       !memmem(head, n, "<annotations", strlen("<annotations"));
}

/* Whether a folder, or one of its first `widest` folders and so on, has annotations; with `beside`,
 * only those beside images count. */
static bool has_annotations(
	struct tfr_parts *p, uint32_t dir, unsigned depth, size_t widest, bool beside)
{
	const struct tfr_scan *s = p->scan;
	uint32_t at = 0, file;
	bool found = false,
	     counts = !beside || tfr_scan_next(s, dir, TFR_FILE_IMAGE, &at) != TFR_NO_FILE;

	at = 0;
	for (int i = 0; counts && !found && i < TFR_EXAMINED; i++) {
		file = tfr_scan_next(s, dir, TFR_FILE_XML, &at);
		if (file == TFR_NO_FILE)
			break;
		found = is_annotation(s, file, p->err);
	}
	for (uint32_t d = dir + 1; !found && depth < DEEPEST && d < s->dirs[dir].end && widest;
		d = s->dirs[d].end, widest--)
		found = has_annotations(
			p, d, depth + 1, widest == SIZE_MAX ? SIZE_MAX : WIDEST, beside);
	return found;
}

static void find_in(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t own = tfr_scan_child(p->scan, dir, "JPEGImages");
	uint32_t images = own != TFR_NO_FOLDER ? own : tfr_scan_child(p->scan, dir, "images");
	uint32_t annotations = tfr_scan_child(p->scan, dir, "Annotations"), at = 0;

	if (images != TFR_NO_FOLDER && annotations != TFR_NO_FOLDER &&
		(own != TFR_NO_FOLDER || has_annotations(p, annotations, 0, SIZE_MAX, false))) {
		tfr_parts_add_pair(p, split, tfr_place_in(p, images), tfr_place_in(p, annotations));
		return;
	}
	if (tfr_scan_next(p->scan, dir, TFR_FILE_IMAGE, &at) != TFR_NO_FILE &&
		has_annotations(p, dir, DEEPEST, SIZE_MAX, false))
		tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), TFR_NO_FILE);
}

static void find(struct tfr_parts *p, uint32_t base)
{
	uint32_t images = tfr_scan_child(p->scan, base, "images");

	tfr_parts_find(p, base, find_in);
	if (!p->n && images != TFR_NO_FOLDER)
		tfr_parts_find(p, images, find_in);
	if (!p->n && has_annotations(p, base, 0, WIDEST, true))
		tfr_parts_add(p, NULL, tfr_place_in(p, base), tfr_place_in(p, base), TFR_NO_FILE);
}

/* --- the image of an annotation --- */

struct reading {
	struct tfr_table *t;
	struct tfr_open_part *part;
	struct tfr_voc voc;
	struct tfr_buf path, image; /* of the annotation below its folder; of its image */
	size_t unusable, clipped;   /* boxes */
};

/* Sets r->image to the first `n` bytes of the annotation's path and `name`, and returns whether
 * there is such an image.  Out of memory, it returns true and leaves r->image empty. */
static bool is_at(struct reading *r, size_t n, const char *name)
{
	const struct tfr_place *p = &r->part->at->images;

	r->image.size = 0;
	if (!tfr_buf_append(&r->image, r->path.data, n) ||
		!tfr_buf_append(&r->image, name, strlen(name) + 1)) {
		r->image.size = 0;
		return true;
	}
	name = (const char *)r->image.data;
	return tfr_path_is_below(name) && tfr_scan_file(p->scan, p->dir, name) != TFR_NO_FILE;
}

/* Sets r->image to the path below the folder of images of the image of an annotation: the image
 * that it names, or else the one with its own name.  If neither exists, the name. */
static enum tfr_status find_image(struct reading *r, struct tfr_error *err)
{
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG",
		".webp", ".bmp", ".gif" };
	const char *xml = (const char *)r->path.data;
	const char *filename = tfr_voc_text(&r->voc, r->voc.filename);
	const char *slash = strrchr(xml, '/'), *last = strrchr(filename, '/');
	const char *dot = strrchr(xml, '.'), *windows = strrchr(filename, '\\');
	size_t folder = slash ? (size_t)(slash + 1 - xml) : 0;
	size_t stem = dot ? (size_t)(dot - xml) : strlen(xml);
	bool found;

	if (windows && (!last || windows > last))
		last = windows;
	found = is_at(r, folder, filename) || is_at(r, 0, filename) ||
		(last && is_at(r, folder, last + 1));
	for (size_t i = 0; !found && i < sizeof(extensions) / sizeof(*extensions); i++)
		found = is_at(r, stem, extensions[i]);
	if (!found)
		is_at(r, 0, filename);
	return r->image.size ? TFR_OK : tfr_fail_nomem(err, "reading annotations");
}

/* --- one annotation --- */

static enum tfr_status add_object(
	struct reading *r, const struct tfr_voc_object *o, struct tfr_error *err)
{
	struct tfr_table *t = r->t;
	const struct tfr_voc *v = &r->voc;
	const char *name = tfr_voc_text(v, o->name), *pose = tfr_voc_text(v, o->pose);
	struct tfr_box box = { .image = (uint32_t)t->n_images - 1,
		.difficult = o->difficult,
		.truncated = o->truncated };
	struct tfr_box_more more = { 0 };
	double side[4];
	uint32_t class;
	bool usable;

	memcpy(side, o->box, sizeof(side));
	/* Without a size, only an impossible box is left out here. */
	usable = tfr_box_is_usable(t, side, v->width ? (uint32_t)v->width : UINT32_MAX,
		v->height ? (uint32_t)v->height : UINT32_MAX);
	r->unusable += !usable;
	r->clipped += memcmp(o->box, side, sizeof(side)) != 0;
	TFR_TRY(tfr_table_class(t, name, strlen(name), &class, err));
	box.class = class;
	if (!usable)
		return TFR_OK;
	TFR_TRY(tfr_table_text(t, pose, strlen(pose), &more.view, err));
	return tfr_table_add_box(t, &box, side, &more, err);
}

/* Reads and parses an annotation; a fault of it is that of `item`. */
static enum tfr_status parse_file(struct reading *r, const char *below, int fault,
	struct tfr_item *item, struct tfr_error *err)
{
	static const struct tfr_room unbounded;
	const struct tfr_place *p = &r->part->at->annotations;
	struct tfr_error why = { 0 };
	enum tfr_status status;

	if (fault) {
		tfr_item_skip_fault(item, fault);
		return TFR_OK;
	}
	TFR_TRY(tfr_item_read(item, p->scan->root, below, NULL, &unbounded, err));
	if (item->skipped)
		return TFR_OK;
	status = tfr_voc_parse(&r->voc, item->file.data, item->file.size, &why);
	if (status != TFR_EDATA)
		return tfr_error_pass(&why, err);
	tfr_item_skip_error(item, &why);
	return TFR_OK;
}

/* Adds the image of an annotation, whose path is r->path, with its boxes. */
static enum tfr_status read_annotation(
	struct reading *r, uint32_t file, struct tfr_item *item, struct tfr_error *err)
{
	const struct tfr_place *p = &r->part->at->annotations;
	struct tfr_image_row row = { .file = TFR_NO_FILE, .mask = TFR_NO_FILE };
	TFR_AUTO_BUF below = { 0 };
	struct tfr_table *t = r->t;
	const char *name;

	item->skipped = false;
	TFR_NEED_MEMORY(tfr_scan_path_in(p->scan, p->dir, (const char *)r->path.data, &below), err,
		"reading annotations");
	TFR_TRY(parse_file(r, (const char *)below.data,
		file == TFR_NO_FILE ? 0 : p->scan->items[file].fault, item, err));
	row.bytes = (uint32_t)item->file.size;
	if (!item->skipped) {
		TFR_TRY(find_image(r, err));
		name = (const char *)r->image.data;
		if (!tfr_path_is_below(name))
			tfr_item_skip(item, TFR_EDATA,
				"it names '%.100s', which leads out of the folder of images", name);
	}
	row.aside = item->skipped;
	name = (const char *)(row.aside ? r->path.data : r->image.data);
	TFR_TRY(tfr_table_text(t, name, strlen(name), &row.name, err));
	if (item->skipped) {
		TFR_TRY(tfr_table_fault(t, &row, item->why, item->reason, err));
		return tfr_table_add_image(t, &row, err);
	}
	name = tfr_voc_text(&r->voc, r->voc.filename);
	TFR_TRY(tfr_table_text(t, name, strlen(name), &row.source, err));
	row.width = (uint32_t)r->voc.width;
	row.height = (uint32_t)r->voc.height;
	TFR_TRY(tfr_table_add_image(t, &row, err));
	for (size_t k = 0; k < r->voc.n_objects; k++)
		TFR_TRY(add_object(r, &r->voc.objects[k], err));
	return TFR_OK;
}

/* --- all of them --- */

/* The file `i` of the folder of annotations, if it is one. */
static bool announced_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct tfr_place *p = ctx;
	uint32_t file = p->scan->dirs[p->dir].first + (uint32_t)i;

	*size = p->scan->sizes[file];
	return p->scan->items[file].kind == TFR_FILE_XML && !p->scan->items[file].fault &&
	       tfr_scan_path_below(p->scan, file, 0, path);
}

/* Finds all files .xml below the folder, in the order of their paths. */
static enum tfr_status read_all(struct reading *r, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_place p = r->part->at->annotations;
	const struct tfr_scan_dir *dir = &p.scan->dirs[p.dir];
	struct tfr_fetch_ahead ahead = { 0 };

	for (uint32_t i = dir->first; i < dir->last; i++) {
		tfr_fetch_ahead_of(&ahead, p.scan->root, i - dir->first, dir->last - dir->first,
			announced_path, &p);
		if (p.scan->items[i].kind != TFR_FILE_XML)
			continue;
		TFR_NEED_MEMORY(tfr_scan_path_below(p.scan, i, p.dir, &r->path), err,
			"reading annotations");
		TFR_TRY(read_annotation(r, i, item, err));
	}
	return TFR_OK;
}

/* Adds the annotation of a line of a list: a name without its extension and, in the lists of one
 * class, a number. */
static enum tfr_status read_line(struct reading *r, const char *list, uint64_t number,
	const char *line, size_t size, struct tfr_item *item, struct tfr_error *err)
{
	const struct tfr_place *p = &r->part->at->annotations;
	const char *path;
	size_t n = 0;

	while (n < size && !strchr(" \t\r\n", line[n]))
		n++;
	if (!n)
		return TFR_OK;
	if (memchr(line, '\0', n))
		return tfr_fail(err, TFR_EDATA, "no name in '%s', line %llu", list,
			(unsigned long long)number);
	r->path.size = 0;
	if (!tfr_buf_append(&r->path, line, n) || !tfr_buf_append(&r->path, ".xml", 5))
		return tfr_fail_nomem(err, "reading annotations");
	path = (const char *)r->path.data;
	if (!tfr_path_is_below(path))
		return tfr_fail(err, TFR_EDATA,
			"a name that leads out of the folder of annotations in '%s', line %llu",
			list, (unsigned long long)number);
	return read_annotation(r, tfr_scan_file(p->scan, p->dir, path), item, err);
}

/* Finds the files in a list, in its order. */
static enum tfr_status read_listed(struct reading *r, struct tfr_item *item, struct tfr_error *err)
{
	TFR_AUTO_FREE char *list = tfr_asprintf("%s/ImageSets/Main/%s.txt",
		r->part->opts->input.paths[0], r->part->opts->input.image_set);
	struct tfr_lines lines;
	const char *line;
	size_t size;
	enum tfr_status status;

	TFR_NEED_MEMORY(list, err, "reading annotations");
	status = tfr_lines_open(&lines, list, err);
	while (!status && !(status = tfr_lines_next(&lines, &line, &size, err)))
		status = read_line(r, list, lines.number, line, size, item, err);
	tfr_lines_clear(&lines);
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	struct reading r = { .t = t, .part = part };
	struct tfr_item item = { 0 };
	enum tfr_status status;

	t->clips = t->poses = t->by_name = true;
	status = part->opts->input.image_set ? read_listed(&r, &item, err)
					     : read_all(&r, &item, err);
	tfr_part_warn(part, r.unusable, "box", "boxes",
		"left out: without an area, or past the edge of its image");
	tfr_part_warn(part, r.clipped, "box", "boxes",
		"clipped: up to one pixel past the edge of its image");
	tfr_item_clear(&item);
	tfr_voc_clear(&r.voc);
	tfr_buf_clear(&r.path);
	tfr_buf_clear(&r.image);
	return status;
}

static enum tfr_status check(const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	const struct tfr_convert_input *o = &opts->input;

	if (o->draw_masks || o->captions || o->panoptic)
		return tfr_fail(err, TFR_EUSAGE,
			"--draw-masks, --captions and --panoptic do not apply to VOC annotations");
	if (o->image_set && o->annotations)
		return tfr_fail(err, TFR_EUSAGE,
			"an image set is looked for in the folder that has Annotations and "
			"JPEGImages");
	if (o->image_set && (!*o->image_set || strchr(o->image_set, '/')))
		return tfr_fail(err, TFR_EUSAGE, "not a name of an image set: '%s'", o->image_set);
	return TFR_OK;
}

const struct tfr_set_kind tfr_set_voc = {
	.ops = {
		.name = "voc",
		.what = "images with VOC annotations",
		.nothing = "no image with an annotation in",
		.refused = "not a usable image",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_LABELS | TFR_INPUT_NUMBERS |
			 TFR_INPUT_SPLITS | TFR_INPUT_BOXES | TFR_INPUT_ANNOTATIONS |
			 TFR_INPUT_IMAGE_SET,
		.tree = "xml",
	},
	.none = "no images with VOC annotations in",
	.sizes = "in its annotation",
	.unmatched = "without an annotation",
	.by_path = true,
	.all_parts = true,
	.counts_annotations = true,
	.check = check,
	.find = find,
	.read = read_part,
};
