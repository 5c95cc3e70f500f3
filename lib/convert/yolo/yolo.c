/* convert/yolo/yolo.c - YOLO's data sets: images, each with a text file of labels, and the
 * features of the Object Detection API, as for COCO.
 *
 * All labels are read before any image: their faults are known before anything is written.  The
 * boxes are kept, 20 bytes each. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "convert/folder/scan.h"
#include "convert/image_features.h"
#include "convert/joined_parts.h"
#include "convert/yolo/yolo.h"
#include "convert/yolo/yolo_labels.h"

/* An image. */
struct entry {
	const struct tfr_scan_item *found;
	size_t first, n; /* boxes */
	size_t why;	 /* offset in reasons; 0: its labels are well-formed */
};

struct yolo {
	struct tfr_input in;
	struct tfr_root *labels;
	char *prefix, *labels_prefix;
	struct tfr_scan scan;
	struct entry *entries;
	size_t n_entries, entries_cap;
	struct tfr_buf boxes_, reasons;
	struct tfr_yolo_classes classes;
	struct tfr_yolo_tally tally;
	struct tfr_fetch_ahead label_ahead;
	size_t without; /* images without a file of labels */
	size_t texts;	/* files of labels found */
};

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	return !opts->input.masks && !opts->input.annotations && !opts->input.captions &&
	       !opts->input.panoptic && !opts->classes.list && !opts->classes.synsets &&
	       tfr_parts_recognised(tfr_yolo_find, offer);
}

/* --- one image --- */

static bool image_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct yolo *y = ctx;
	const struct entry *e = &y->entries[y->in.order ? y->in.order[i] : i];

	*size = y->scan.sizes[e->found - y->scan.items];
	return !e->found->fault && !e->why && tfr_scan_path(&y->scan, e->found, path);
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct yolo *y = (struct yolo *)in;
	const struct entry *e = &y->entries[item->number];

	(void)room;
	tfr_fetch_ahead_of(&y->scan.ahead, y->scan.root, in->order ? in->place : item->number,
		in->ahead, image_path, y);
	TFR_NEED_MEMORY(tfr_scan_path(&y->scan, e->found, &item->name), err, "reading images");
	if (e->found->fault)
		tfr_item_skip_fault(item, e->found->fault);
	else if (e->why)
		tfr_item_skip(item, TFR_EDATA, "%s", (const char *)y->reasons.data + e->why);
	return TFR_OK;
}

/* Changes "a/1.jpg" to "a/1.txt". */
static bool set_label_path(struct tfr_buf *path, const char *name)
{
	const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
	size_t n = dot ? (size_t)(dot - name) : strlen(name);

	path->size = 0;
	return tfr_buf_append(path, name, n) && tfr_buf_append(path, ".txt", 5);
}

/* Its labels count in the size alone: they were read by open(). */
static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *m)
{
	struct yolo *y = (struct yolo *)in;
	const char *name = (const char *)item->name.data;
	TFR_AUTO_BUF path = { 0 };
	uint64_t mark;

	*m = (struct tfr_measure){ 0 };
	if (item->skipped)
		return;
	tfr_measure_add(y->scan.root, name, m);
	mark = m->mark;
	if (set_label_path(&path, name))
		tfr_measure_add(y->labels, (const char *)path.data, m);
	else
		m->fault = ENOMEM;
	m->mark = mark;
}

/* --- its boxes --- */

static enum tfr_status add_boxes(
	const struct yolo *y, struct tfr_item *item, struct tfr_boxes *b, struct tfr_error *err)
{
	const struct entry *e = &y->entries[item->number];
	const struct tfr_yolo_box *boxes =
		(const struct tfr_yolo_box *)(const void *)y->boxes_.data + e->first;

	TFR_TRY(tfr_builder_text(
		item->builder, "image/source_id", (const char *)item->name.data, err));
	assert((e->first + e->n) * sizeof(*boxes) <= y->boxes_.size);
	tfr_boxes_reset(b);
	for (size_t i = 0; i < e->n; i++) {
		const struct tfr_class *c =
			&y->in.classes[tfr_yolo_class_of(&y->classes, boxes[i].class)];
		const double corners[4] = { boxes[i].xmin, boxes[i].ymin, boxes[i].xmax,
			boxes[i].ymax };

		if (!tfr_boxes_add(b, corners, 1, 1) || !tfr_boxes_add_class(b, c->label, c->text))
			return tfr_fail_nomem(err, "reading labels");
	}
	return tfr_boxes_put(b, item->builder, err);
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct yolo *y = (struct yolo *)in;

	TFR_TRY(tfr_item_read(
		item, y->scan.root, (const char *)item->name.data, tfr_image_look, room, err));
	if (!item->skipped)
		TFR_TRY(tfr_image_add(in, item, bench, err));
	return item->skipped ? TFR_OK : add_boxes(y, item, &bench->boxes, err);
}

/* --- all labels --- */

static enum tfr_status check_classes(
	const struct yolo *y, const char *path, size_t first, struct tfr_error *err)
{
	const struct tfr_yolo_box *boxes = (const void *)y->boxes_.data;
	const struct tfr_yolo_classes *c = &y->classes;
	size_t n = y->boxes_.size / sizeof(*boxes);

	for (size_t i = first; i < n; i++)
		if (tfr_yolo_class_of(c, boxes[i].class) == TFR_NO_CLASS)
			return tfr_fail(err, TFR_EDATA,
				"class %u in '%s%s', but '%s' names %zu classes, %lld to %lld",
				boxes[i].class, y->labels_prefix, path, c->path, c->n,
				c->n ? (long long)(c->list[0].label - c->base) : 0,
				c->n ? (long long)(c->list[c->n - 1].label - c->base) : -1);
	return TFR_OK;
}

/* Reads the labels of an image, with the buffers of `item`. */
static enum tfr_status read_labels(struct yolo *y, struct entry *e, const char *path,
	struct tfr_item *item, struct tfr_error *err)
{
	static const struct tfr_room unbounded;
	struct tfr_error why = { 0 };
	struct stat st;
	enum tfr_status status;

	if (tfr_root_stat(y->labels, path, &st) && (errno == ENOENT || errno == ENOTDIR)) {
		y->without++;
		return TFR_OK;
	}
	y->texts++;
	item->skipped = false;
	status = tfr_item_read(item, y->labels, path, NULL, &unbounded, err);
	if (!status && item->skipped)
		snprintf(why.message, sizeof(why.message), "its labels: %s", item->reason);
	else if (!status)
		status = tfr_yolo_parse(&y->boxes_, item->file.data, item->file.size,
			y->classes.keypoints, &y->tally, &why);
	if (status && status != TFR_EDATA) {
		*err = why.status ? why : *err;
		return status;
	}
	if (*why.message) {
		e->why = y->reasons.size;
		return tfr_buf_append(&y->reasons, why.message, strlen(why.message) + 1)
			       ? TFR_OK
			       : tfr_fail_nomem(err, "reading labels");
	}
	e->n = y->boxes_.size / sizeof(struct tfr_yolo_box) - e->first;
	return check_classes(y, path, e->first, err);
}

/* Files of a data set that are not images. */
static bool is_other(const char *name)
{
	static const char *const extensions[] = { "txt", "yaml", "yml", "names", "data", "labels",
		"cfg", "cache", "json", "jsonl", "csv", "xml", "md", "html", "pdf", "py", "npy",
		"zip", "weights", NULL };

	return tfr_has_one_of(name, extensions);
}

static bool label_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct yolo *y = ctx;
	TFR_AUTO_BUF name = { 0 };

	(void)size;
	return !is_other(tfr_scan_name(&y->scan, y->scan.items[i].name)) &&
	       tfr_scan_path(&y->scan, &y->scan.items[i], &name) &&
	       set_label_path(path, (const char *)name.data);
}

static enum tfr_status read_all(struct yolo *y, struct tfr_error *err)
{
	struct tfr_item item = { 0 };
	TFR_AUTO_BUF path = { 0 }, label = { 0 };
	enum tfr_status status = TFR_OK;

	if (!tfr_buf_append(&y->reasons, "", 1)) /* offset 0 is none */
		return tfr_fail_nomem(err, "reading labels");
	for (size_t i = 0; !status && i < y->scan.n_items; i++) {
		struct entry e = { .found = &y->scan.items[i],
			.first = y->boxes_.size / sizeof(struct tfr_yolo_box) };

		tfr_fetch_ahead_of(&y->label_ahead, y->labels, i, y->scan.n_items, label_path, y);
		if (is_other(tfr_scan_name(&y->scan, e.found->name)))
			continue;
		if (!tfr_scan_path(&y->scan, e.found, &path) ||
			!set_label_path(&label, (const char *)path.data))
			status = tfr_fail_nomem(err, "reading labels");
		if (!status && !e.found->fault)
			status = read_labels(y, &e, (const char *)label.data, &item, err);
		if (!status && TFR_ARRAY_RESERVE(y->entries, y->entries_cap, y->n_entries + 1))
			status = tfr_fail_nomem(err, "reading labels");
		if (!status)
			y->entries[y->n_entries++] = e;
	}
	tfr_item_clear(&item);
	y->in.items = y->n_entries;
	return status;
}

/* --- messages --- */

static void say(
	const struct yolo *y, uint64_t n, const char *one, const char *several, const char *what)
{
	if (n)
		tfr_warn(y->in.opts, "%llu %s of '%s' %s", (unsigned long long)n,
			n == 1 ? one : several, y->labels_prefix, what);
}

static void say_all(const struct yolo *y)
{
	say(y, y->tally.empty, "box", "boxes", "left out: without an area");
	say(y, y->tally.clipped, "box", "boxes", "clipped to the image");
	say(y, y->tally.polygons, "polygon", "polygons", "kept as bounding box");
	if (y->classes.keypoints)
		say(y, y->tally.boxes, "box", "boxes", "kept without keypoints");
	if (y->without * 2 > y->in.items)
		tfr_warn(y->in.opts, "%zu of %llu images in '%s' have no labels in '%s'",
			y->without, (unsigned long long)y->in.items, y->prefix, y->labels_prefix);
}

static bool is_label_file(const char *name)
{
	return tfr_has_extension(name, "txt") && !tfr_yolo_is_aside(name);
}

/* Labels without an image are often those of lost images. */
static enum tfr_status say_orphans(const struct yolo *y, struct tfr_error *err)
{
	size_t n;

	TFR_TRY(tfr_scan_count(y->labels_prefix, is_label_file, &n, err));
	if (n > y->texts)
		say(y, n - y->texts, "file", "files", "left out: labels without an image");
	return TFR_OK;
}

/* --- the folders --- */

static void close_yolo(struct tfr_input *in)
{
	struct yolo *y = (struct yolo *)in;

	tfr_root_close(y->labels);
	tfr_scan_clear(&y->scan);
	tfr_yolo_classes_clear(&y->classes);
	free(y->entries);
	tfr_buf_clear(&y->boxes_);
	tfr_buf_clear(&y->reasons);
	free(y->prefix);
	free(y->labels_prefix);
	free(y);
}

static enum tfr_status open_part(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const struct tfr_part *part, struct tfr_error *err)
{
	struct yolo *y = calloc(1, sizeof(*y));

	TFR_NEED_MEMORY(y, err, "reading labels");
	*in = &y->in;
	y->in = (struct tfr_input){ .ops = &tfr_input_yolo, .opts = opts, .by_path = true };
	y->labels = y->scan.root = NULL;
	y->in.prefix = y->prefix = tfr_path_join(part->images, "");
	TFR_NEED_MEMORY(y->prefix, err, "reading labels");
	TFR_TRY(tfr_open_named_folder(&y->labels, &y->labels_prefix, part->annotations, err));
	TFR_TRY(tfr_scan_folder(&y->scan, part->images, NULL, err));
	TFR_TRY(tfr_yolo_classes_read(&y->classes, opts, part, err));
	TFR_TRY(read_all(y, err));
	TFR_TRY(say_orphans(y, err));
	y->in.classes = y->classes.list;
	y->in.n_classes = y->classes.n;
	say_all(y);
	return TFR_OK;
}

/* The parts must use the same numbers for classes. */
static enum tfr_status unite(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	const struct yolo *first = (const struct yolo *)parts[0];

	(void)whole;
	for (size_t k = 1; k < n; k++) {
		const struct yolo *y = (const struct yolo *)parts[k];

		if (!tfr_yolo_classes_equal(&first->classes, &y->classes))
			return tfr_fail(err, TFR_EDATA,
				"'%s' and '%s' name different classes, which cannot share one "
				"numbering",
				first->classes.path, y->classes.path);
	}
	return TFR_OK;
}

static enum tfr_status open_yolo(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_parts_kind kind = {
		.ops = &tfr_input_yolo,
		.find = tfr_yolo_find,
		.none = "no images with YOLO labels in",
		.open = open_part,
		.unite = unite,
	};
	if (opts->order.stratify)
		return tfr_fail(err, TFR_EUSAGE,
			"--stratify-classes needs one class per image, and images with boxes have "
			"several");
	return tfr_parts_open(in, &kind, opts, err);
}

const struct tfr_input_ops tfr_input_yolo = {
	.name = "yolo",
	.what = "images with YOLO labels",
	.nothing = "no usable image in",
	.refused = "not a usable image",
	.images = true,
	.labelled = true,
	.splits = true,
	.tree = "txt",
	.recognises = recognises,
	.open = open_yolo,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_yolo,
};
