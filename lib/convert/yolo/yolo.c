/* convert/yolo/yolo.c - YOLO's data sets: images, each with a text file of labels.
 *
 *   images/ labels/             Ultralytics, Label Studio, Kaggle; with splits as images/train
 *   train/images train/labels   Roboflow
 *   *.jpg *.txt in one folder   Darknet, labelImg; with a file of names
 *
 * If the folders do not show the splits, data.yaml names them.  The labels of an image are found as
 * in Ultralytics: the last "images" in its path is replaced by "labels". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/suffix.h"
#include "base/url.h"
#include "convert/annotations/kinds.h"
#include "convert/yolo/yolo.h"
#include "io/path.h"

enum { HEAD = 4096, DEEPEST = 3 };

/* --- layouts --- */

/* Whether a text file is not the labels of an image: classes.txt, a README. */
static bool is_aside(const char *name)
{
	static const char *const names[] = { "classes.txt", "train.txt", "val.txt", "valid.txt",
		"test.txt", "notes.txt", "requirements.txt", "obj.txt", "labels.txt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return !strncasecmp(name, "readme", 6) || !strncmp(name, "autosplit_", 10);
}

/* Whether the beginning of a file is labels, or it is empty, which sets *empty. */
static bool is_label(const struct tfr_scan *s, uint32_t file, bool *empty, struct tfr_error *err)
{
	TFR_AUTO_BUF boxes = { 0 }, corners = { 0 };
	struct tfr_yolo_tally tally = { 0 };
	uint8_t head[HEAD];
	size_t n = tfr_scan_head(s, file, head, sizeof(head), err), line = 0, from = 0;
	enum tfr_status status;

	while (from < n && head[from] && strchr(" \t\r\n", head[from]))
		from++;
	*empty = from == n;
	if (*empty)
		return false;
	while (from + line < n && head[from + line] != '\n')
		line++;
	/* A first line that is truncated is a long polygon. */
	while (n == HEAD && from + line == HEAD && line && head[from + line - 1] != ' ')
		line--;
	status = tfr_yolo_parse(&boxes, &corners, head + from, line, 0, &tally, NULL);
	if (status == TFR_ENOMEM)
		tfr_fail_nomem(err, "looking for labels");
	return !status || (n == HEAD && from + line == HEAD);
}

/* Whether the text files of a folder, or of the folders in it, are labels. */
static bool has_labels(struct tfr_place place, unsigned depth, struct tfr_error *err)
{
	const struct tfr_scan *s = place.scan;
	bool found = false, other = false, empty, any = false;
	uint32_t at = 0, file;

	for (int i = 0; !found && i < TFR_EXAMINED; i++) {
		file = tfr_scan_next(s, place.dir, TFR_FILE_TEXT, &at);
		if (file == TFR_NO_FILE)
			break;
		found = is_label(s, file, &empty, err);
		if (is_aside(tfr_scan_name(s, s->items[file].name)))
			continue;
		any |= empty;
		other |= !found && !empty;
	}
	found |= any && !other;
	for (uint32_t d = place.dir + 1; !found && depth < DEEPEST && d < s->dirs[place.dir].end;
		d = s->dirs[d].end)
		found = has_labels((struct tfr_place){ place.scan, d }, depth + 1, err);
	return found;
}

/* A folder with folders of images and of labels, or the split of one. */
static void find_pair(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t images = tfr_scan_child(p->scan, dir, "images");
	uint32_t labels = tfr_scan_child(p->scan, dir, "labels");

	/* A split for testing can lack labels. */
	if (images != TFR_NO_FOLDER && labels != TFR_NO_FOLDER &&
		has_labels(tfr_place_in(p, labels), 0, p->err))
		tfr_parts_add_pair(p, split, tfr_place_in(p, images), tfr_place_in(p, labels));
}

/* The path with its last part "images" replaced by "labels"; NULL: it has none. */
static char *labels_of(const char *folder, struct tfr_error *err)
{
	const char *last = NULL;
	char *labels = NULL;

	for (const char *at = folder; (at = strstr(at, "images")); at++)
		if ((at == folder || at[-1] == '/') && (at[6] == '/' || !at[6]))
			last = at;
	if (last)
		labels = tfr_asprintf("%.*slabels%s", (int)(last - folder), folder, last + 6);
	if (last && !labels)
		tfr_fail_nomem(err, "looking for labels");
	return labels;
}

/* The input is a folder of images, and its labels are in another one. */
static void find_outside(struct tfr_parts *p, uint32_t dir)
{
	TFR_AUTO_FREE char *folder = tfr_scan_folder_path(p->scan, dir);
	TFR_AUTO_FREE char *real = !folder || p->scan->places ? NULL
				   : tfr_is_url(folder)	      ? strdup(folder)
							      : realpath(folder, NULL);
	TFR_AUTO_FREE char *labels = real ? labels_of(real, p->err) : NULL;
	struct tfr_place place = { NULL, 0 };

	if (!folder)
		tfr_fail_nomem(p->err, "looking for labels");
	if (!real && folder && !p->scan->places && errno != ENOENT && errno != ENOTDIR)
		tfr_fail_errno(p->err, errno, folder, "cannot access");
	if (labels)
		place = tfr_parts_outside(p, labels);
	if (place.scan && has_labels(place, 0, p->err))
		tfr_parts_add_pair(p, NULL, tfr_place_in(p, dir), place);
}

static bool has_file(const char *folder, const char *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_path_join(folder, name);
	struct tfr_error why = { 0 };
	struct stat st;
	enum tfr_status status =
		path ? tfr_look(path, &st, &why) : tfr_fail_nomem(&why, "looking for labels");

	if (status)
		status = tfr_absent_or_failed(path, status, &why, err);
	return !status && S_ISREG(st.st_mode);
}

/* Whether a folder, or with `above` the one above it, has a file that names classes. */
static bool has_names(struct tfr_parts *p, uint32_t dir, bool above)
{
	const bool outside = above && !dir && !p->scan->places;
	const uint32_t other = above ? p->scan->dirs[dir].parent : dir;
	TFR_AUTO_FREE char *folder = outside ? tfr_yolo_above(p->scan->path, p->err) : NULL;
	bool found = false;

	for (size_t i = 0; !found && i < TFR_YOLO_NAMES; i++)
		found = tfr_scan_file(p->scan, dir, tfr_yolo_names[i]) != TFR_NO_FILE ||
			tfr_scan_file(p->scan, other, tfr_yolo_names[i]) != TFR_NO_FILE ||
			(folder && has_file(folder, tfr_yolo_names[i], p->err));
	return found;
}

/* Images and labels in one folder. */
static void find_flat(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t at = 0, texts = tfr_scan_next(p->scan, dir, TFR_FILE_TEXT, &at);

	at = 0;
	if (texts == TFR_NO_FILE || tfr_scan_next(p->scan, dir, TFR_FILE_IMAGE, &at) == TFR_NO_FILE)
		return;
	if (has_names(p, dir, true) && has_labels(tfr_place_in(p, dir), DEEPEST, p->err))
		tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), TFR_NO_FILE);
}

/* CVAT's export for Darknet: obj_train_data/ beside obj.names. */
static void find_darknet(struct tfr_parts *p, uint32_t dir)
{
	if (!has_names(p, dir, false))
		return;
	for (uint32_t d = dir + 1; d < p->scan->dirs[dir].end; d = p->scan->dirs[d].end) {
		const char *name = tfr_scan_name(p->scan, p->scan->dirs[d].name);

		if (strlen(name) > strlen("obj__data") && !strncmp(name, "obj_", 4) &&
			tfr_has_suffix(name, "_data") && has_labels(tfr_place_in(p, d), 0, p->err))
			tfr_parts_add(p, name, tfr_place_in(p, d), tfr_place_in(p, d), TFR_NO_FILE);
	}
}

/* The folder of a path in a description below `dir`, or, if it leads outside, its own tree.
 * Roboflow writes "../train/images" for train/images; the root is often a path of another
 * machine. */
static struct tfr_place resolve(
	struct tfr_parts *p, const struct tfr_yolo_yaml *y, uint32_t dir, const char *text)
{
	TFR_AUTO_FREE char *folder = NULL, *outside = NULL;

	for (int from_root = y->root != 0; from_root >= 0; from_root--) {
		uint32_t root =
			from_root ? tfr_scan_folder_at(p->scan, dir, tfr_yolo_text(y, y->root))
				  : dir;
		const char *below = text;

		while (root != TFR_NO_FOLDER) {
			uint32_t found = tfr_scan_folder_at(p->scan, root, below);

			if (found != TFR_NO_FOLDER)
				return tfr_place_in(p, found);
			if (strncmp(below, "../", 3))
				break;
			below += 3;
		}
	}
	if (strncmp(text, "../", 3) || p->scan->places)
		return (struct tfr_place){ NULL, 0 };
	folder = tfr_scan_folder_path(p->scan, dir);
	outside = folder ? tfr_path_join(folder, text) : NULL;
	if (!outside)
		tfr_fail_nomem(p->err, "looking for labels");
	return outside ? tfr_parts_outside(p, outside) : (struct tfr_place){ NULL, 0 };
}

/* A split can have several folders: the second one gets its own name. */
static void add_place(struct tfr_parts *p, const char *split, struct tfr_place images)
{
	TFR_AUTO_FREE char *path = tfr_scan_folder_path(images.scan, images.dir);
	TFR_AUTO_FREE char *other = path ? labels_of(path, p->err) : NULL;
	size_t above = strlen(images.scan->path);
	struct tfr_place labels = images;

	if (!path)
		tfr_fail_nomem(p->err, "looking for labels");
	if (other && !strncmp(other, images.scan->path, above)) {
		uint32_t dir = tfr_scan_folder_at(images.scan, 0, other + above);

		labels.dir = dir == TFR_NO_FOLDER ? images.dir : dir;
	} else if (other) {
		labels = tfr_parts_outside(p, other);
		labels = labels.scan ? labels : images;
	}
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->list[i].split, split))
			split = tfr_scan_name(images.scan, images.scan->dirs[images.dir].name);
	if (has_labels(labels, 0, p->err))
		tfr_parts_add(p, split, images, labels, TFR_NO_FILE);
}

static void find_described(struct tfr_parts *p, const struct tfr_yolo_yaml *y, uint32_t dir)
{
	for (size_t i = 0; i < y->n_places; i++) {
		struct tfr_place images = resolve(p, y, dir, tfr_yolo_text(y, y->places[i].text));
		const char *split = tfr_parts_keep(p, tfr_yolo_text(y, y->places[i].split));

		if (split && images.scan && !tfr_parts_have(p, images))
			add_place(p, split, images);
	}
}

/* Folders without names of splits can be the ones that data.yaml names as splits. */
static void find_better(struct tfr_parts *p, uint32_t dir)
{
	struct tfr_parts described = { .opts = p->opts, .scan = p->scan, .err = p->err };
	struct tfr_yolo_yaml y;

	if (tfr_yolo_describe(&y, p->scan, dir, p->err))
		find_described(&described, &y, dir);
	tfr_yolo_yaml_clear(&y);
	if (described.n > p->n)
		tfr_parts_take(p, &described);
	tfr_parts_clear(&described);
}

static void find(struct tfr_parts *p, uint32_t base)
{
	tfr_parts_find(p, base, find_pair);
	if (!p->n)
		find_outside(p, base);
	if (!p->n)
		tfr_parts_find(p, base, find_flat);
	if (!p->n)
		find_darknet(p, base);
	find_better(p, base);
}

/* --- labels --- */

struct reading {
	struct tfr_table *t;
	struct tfr_open_part *part;
	struct tfr_yolo_classes *classes;
	struct tfr_yolo_tally tally;
	struct tfr_buf boxes, corners, path;
	struct tfr_item item;
	size_t without, texts; /* images without a file of labels; files of labels */
};

/* Adds the boxes of an image, which is the last one of the table. */
static enum tfr_status add_boxes(struct reading *r, const char *path, struct tfr_error *err)
{
	const struct tfr_yolo_box *boxes = (const struct tfr_yolo_box *)(const void *)r->boxes.data;
	const float *corner = (const float *)(const void *)r->corners.data;
	const struct tfr_yolo_classes *c = r->classes;

	for (size_t i = 0; i < r->boxes.size / sizeof(*boxes); i++) {
		const struct tfr_yolo_box *b = &boxes[i];
		uint32_t class = tfr_yolo_class_of(c, b->class);
		const double side[4] = { b->xmin, b->ymin, b->xmax, b->ymax };
		const struct tfr_box_more more = { .first = (uint32_t)r->t->n_corners,
			.n = b->corners };
		struct tfr_box box = { .image = (uint32_t)r->t->n_images - 1 };

		if (class == TFR_NO_CLASS)
			return tfr_fail(err, TFR_EDATA,
				"class %u in '%s%s', but '%s' names %zu classes, %lld to %lld",
				b->class, r->part->aside, path, c->path, c->n,
				(long long)c->list[0].number, (long long)c->list[c->n - 1].number);
		box.class = class;
		for (uint32_t k = 0; k < b->corners; k++, corner += 2)
			TFR_TRY(tfr_table_add_corner(r->t, corner[0], corner[1], err));
		TFR_TRY(tfr_table_add_box(
			r->t, &box, side, r->t->polygons || b->corners ? &more : NULL, err));
		r->t->polygons |= b->corners > 0;
	}
	return TFR_OK;
}

/* Reads the labels of an image, and adds both. */
static enum tfr_status read_labels(
	struct reading *r, uint32_t image, uint32_t file, const char *path, struct tfr_error *err)
{
	static const struct tfr_room unbounded;
	struct tfr_image_row row = { .file = image, .mask = TFR_NO_FILE };
	const struct tfr_place *labels = &r->part->at->annotations;
	struct tfr_error why = { 0 };
	enum tfr_status status = TFR_OK;

	r->boxes.size = r->corners.size = 0;
	r->item.skipped = false;
	r->without += file == TFR_NO_FILE && !r->part->at->images.scan->items[image].fault;
	r->texts += file != TFR_NO_FILE;
	if (file != TFR_NO_FILE) {
		TFR_NEED_MEMORY(tfr_scan_path_below(labels->scan, file, 0, &r->path), err,
			"reading labels");
		TFR_TRY(tfr_item_read(&r->item, labels->scan->root, (const char *)r->path.data,
			NULL, &unbounded, err));
		row.bytes = (uint32_t)r->item.file.size;
		if (r->item.skipped)
			snprintf(
				why.message, sizeof(why.message), "its labels: %s", r->item.reason);
		else
			status = tfr_yolo_parse(&r->boxes, &r->corners, r->item.file.data,
				r->item.file.size, r->classes->keypoints, &r->tally, &why);
	}
	if (status && status != TFR_EDATA)
		return tfr_error_pass(&why, err);
	if (*why.message)
		TFR_TRY(tfr_table_fault(r->t, &row, TFR_EDATA, why.message, err));
	TFR_TRY(tfr_table_add_image(r->t, &row, err));
	return add_boxes(r, path, err);
}

/* Files of a data set that are not images. */
static bool is_other(const struct tfr_scan *s, uint32_t file)
{
	static const char *const extensions[] = { "names", "data", "labels", "cfg", "cache", "md",
		"html", "pdf", "py", "npy", "zip", "weights", NULL };
	uint8_t kind = s->items[file].kind;

	return kind >= TFR_FILE_TEXT ||
	       (kind == TFR_FILE_OTHER &&
		       tfr_has_one_of(tfr_scan_name(s, s->items[file].name), extensions));
}

/* Sets the path "a/1.txt" for the image "a/1.jpg", and returns its file. */
static enum tfr_status find_labels(struct reading *r, uint32_t image, struct tfr_buf *path,
	uint32_t *file, struct tfr_error *err)
{
	const struct tfr_part *at = r->part->at;
	const char *name, *slash, *dot;

	TFR_NEED_MEMORY(tfr_scan_path_below(at->images.scan, image, at->images.dir, path), err,
		"reading labels");
	name = (const char *)path->data;
	slash = strrchr(name, '/');
	dot = strrchr(slash ? slash : name, '.');
	path->size = dot ? (size_t)(dot - name) : strlen(name);
	TFR_NEED_MEMORY(tfr_buf_append(path, ".txt", 5), err, "reading labels");
	*file = tfr_scan_file(at->annotations.scan, at->annotations.dir, (const char *)path->data);
	return TFR_OK;
}

/* The labels of the image `i` of the part. */
static bool label_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	struct reading *r = ctx;
	const struct tfr_part *at = r->part->at;
	uint32_t image = at->images.scan->dirs[at->images.dir].first + (uint32_t)i, file;

	if (is_other(at->images.scan, image) || find_labels(r, image, path, &file, NULL) ||
		file == TFR_NO_FILE)
		return false;
	*size = at->annotations.scan->sizes[file];
	return tfr_scan_path_below(at->annotations.scan, file, 0, path);
}

static enum tfr_status read_all(struct reading *r, struct tfr_error *err)
{
	const struct tfr_part *at = r->part->at;
	const struct tfr_scan_dir *dir = &at->images.scan->dirs[at->images.dir];
	struct tfr_fetch_ahead ahead = { 0 };
	TFR_AUTO_BUF path = { 0 };
	uint32_t file;

	for (uint32_t i = dir->first; i < dir->last; i++) {
		tfr_fetch_ahead_of(&ahead, at->annotations.scan->root, i - dir->first,
			dir->last - dir->first, label_path, r);
		if (is_other(at->images.scan, i))
			continue;
		TFR_TRY(find_labels(r, i, &path, &file, err));
		if (at->images.scan->items[i].fault)
			file = TFR_NO_FILE;
		TFR_TRY(read_labels(r, i, file, (const char *)path.data, err));
	}
	return TFR_OK;
}

/* --- messages --- */

/* Labels without an image are often those of lost images. */
static size_t count_orphans(const struct reading *r)
{
	const struct tfr_place *p = &r->part->at->annotations;
	const struct tfr_scan_dir *dir = &p->scan->dirs[p->dir];
	size_t n = 0;

	for (uint32_t i = dir->first; i < dir->last; i++)
		n += p->scan->items[i].kind == TFR_FILE_TEXT &&
		     !is_aside(tfr_scan_name(p->scan, p->scan->items[i].name));
	return n > r->texts ? n - r->texts : 0;
}

static void warn_of_labels(const struct reading *r)
{
	const struct tfr_open_part *part = r->part;
	size_t images = r->t->n_images - part->first;

	tfr_part_warn(part, count_orphans(r), "file", "files", "left out: labels without an image");
	tfr_part_warn(part, r->tally.empty, "box", "boxes", "left out: without an area");
	tfr_part_warn(part, r->tally.clipped, "box", "boxes", "clipped to the image");
	if (r->classes->keypoints)
		tfr_part_warn(part, r->tally.boxes, "box", "boxes", "kept without keypoints");
	if (part->opts->input.draw_masks)
		tfr_part_warn(part, r->tally.boxes - r->tally.polygons, "box", "boxes",
			"without a polygon: an empty mask each");
	if (r->without * 2 > images)
		tfr_warn(part->opts, "%zu of %zu images in '%s' have no labels in '%s'", r->without,
			images, part->prefix, part->aside);
}

/* --- the kind --- */

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	struct reading r = { .t = t, .part = part };
	enum tfr_status status;

	r.classes = part->own = calloc(1, sizeof(*r.classes));
	TFR_NEED_MEMORY(part->own, err, "reading labels");
	t->fractions = t->named_source = true;
	status = tfr_yolo_classes_read(r.classes, t, part, err);
	if (!status)
		status = read_all(&r, err);
	if (!status)
		warn_of_labels(&r);
	tfr_buf_clear(&r.boxes);
	tfr_buf_clear(&r.corners);
	tfr_buf_clear(&r.path);
	tfr_item_clear(&r.item);
	return status;
}

/* The parts must use the same numbers for classes. */
static enum tfr_status unite(
	struct tfr_table *t, struct tfr_open_part *parts, size_t n, struct tfr_error *err)
{
	const struct tfr_yolo_classes *first = parts[0].own;

	(void)t;
	for (size_t k = 1; k < n; k++) {
		const struct tfr_yolo_classes *c = parts[k].own;
		bool same = c->n == first->n && !c->renames;

		for (size_t i = 0; same && i < c->n; i++)
			same = c->list[i].id == first->list[i].id;
		if (!same)
			return tfr_fail(err, TFR_EDATA,
				"'%s' and '%s' name different classes, which cannot share one "
				"numbering",
				first->path, c->path);
	}
	return TFR_OK;
}

static void close_part(struct tfr_open_part *part)
{
	if (part->own)
		tfr_yolo_classes_clear(part->own);
	free(part->own);
}

const struct tfr_set_kind tfr_set_yolo = {
	.ops = {
		.name = "yolo",
		.what = "images with YOLO labels",
		.nothing = "no usable image in",
		.refused = "not a usable image",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_LABELS | TFR_INPUT_NUMBERS |
			 TFR_INPUT_SPLITS | TFR_INPUT_BOXES | TFR_INPUT_SHAPES,
		.tree = "txt",
	},
	.none = "no images with YOLO labels in",
	.by_path = true,
	.find = find,
	.read = read_part,
	.unite = unite,
	.close = close_part,
};
