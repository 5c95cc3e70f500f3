/* convert/annotations/images.c - reads the images of an annotated data set, one after the other,
 * for every kind of annotations: names them, reads and checks them, and adds the features that the
 * table has for them.  The images of the parts follow each other; each part goes to the set that
 * names its split. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "convert/annotations/kinds.h"
#include "convert/folder/splits.h"
#include "convert/image_features.h"
#include "io/path.h"

static const char reading[] = "reading annotations";

struct images {
	struct tfr_input in;
	struct tfr_input_ops ops;
	const struct tfr_set_kind *kind;
	struct tfr_parts parts;
	struct tfr_table table;
	struct tfr_open_part *open; /* those that are written come first */
	size_t n_open, n_written;
	struct tfr_fetch_ahead ahead;
};

static struct tfr_open_part *part_of(const struct images *im, uint64_t image)
{
	size_t k = 0;

	assert(image < im->in.items);
	while (k + 1 < im->n_written && image >= im->open[k + 1].first)
		k++;
	return &im->open[k];
}

/* --- one image --- */

/* The folder that has the file of a row. */
static const struct tfr_place *place_of(
	const struct tfr_open_part *part, const struct tfr_image_row *row)
{
	return row->aside ? &part->at->annotations : &part->at->images;
}

/* Appends the path of an image below the folder of its part. */
static bool append_name(const struct tfr_table *t, const struct tfr_open_part *part, uint32_t image,
	struct tfr_buf *path)
{
	const struct tfr_image_row *row = &t->images[image];
	const char *name = tfr_table_string(t, row->name);
	const struct tfr_place *place = place_of(part, row);
	TFR_AUTO_BUF below = { 0 };

	if (row->file == TFR_NO_FILE)
		return tfr_buf_append(path, name, strlen(name) + 1);
	return tfr_scan_path_below(place->scan, row->file, place->dir, &below) &&
	       tfr_buf_append(path, below.data, below.size);
}

/* The path of an image in the tree of its part, below the root.  False: out of memory. */
static bool image_path(const struct tfr_table *t, const struct tfr_open_part *part, uint32_t image,
	struct tfr_buf *path)
{
	path->size = 0;
	return tfr_buf_append(path, part->below, strlen(part->below)) &&
	       append_name(t, part, image, path);
}

static bool announced_path(void *ctx, uint64_t place, struct tfr_buf *path, uint64_t *size)
{
	const struct images *im = ctx;
	uint32_t image = im->in.order ? im->in.order[place] : (uint32_t)place;
	const struct tfr_image_row *row = &im->table.images[image];
	const struct tfr_open_part *part = part_of(im, image);

	if (row->file != TFR_NO_FILE && part->at->images.scan->sizes)
		*size = part->at->images.scan->sizes[row->file];
	return !row->fault && !row->aside && part->at->images.scan == im->parts.scan &&
	       image_path(&im->table, part, image, path);
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct images *im = (struct images *)in;
	const struct tfr_table *t = &im->table;
	const struct tfr_image_row *row = &t->images[item->number];
	struct tfr_open_part *part = part_of(im, item->number);
	const struct tfr_scan *scan = place_of(part, row)->scan;

	item->placed = part->target != TFR_NO_TARGET;
	item->target = item->placed ? part->target : 0;
	item->prefix = row->aside ? part->aside : part->prefix;
	item->name.size = 0;
	if (im->kind->next) {
		TFR_TRY(im->kind->next(part, row->mask, item, room, err));
	} else {
		tfr_fetch_ahead_of(&im->ahead, im->parts.scan->root,
			in->order ? in->place : item->number, in->ahead, announced_path, im);
		TFR_NEED_MEMORY(
			append_name(t, part, (uint32_t)item->number, &item->name), err, reading);
	}
	if (row->file != TFR_NO_FILE && scan->items[row->file].fault)
		tfr_item_skip_fault(item, scan->items[row->file].fault);
	else if (row->fault && !item->skipped)
		tfr_item_skip(
			item, (enum tfr_status)row->status, "%s", tfr_table_string(t, row->fault));
	return TFR_OK;
}

/* Reads the image, which must have the annotated size. */
static enum tfr_status read_image(struct images *im, const struct tfr_open_part *part,
	struct tfr_item *item, struct tfr_workbench *bench, const struct tfr_room *room,
	struct tfr_error *err)
{
	const struct tfr_image_row *row = &im->table.images[item->number];
	struct tfr_buf *path = &bench->scratch;

	TFR_NEED_MEMORY(image_path(&im->table, part, (uint32_t)item->number, path), err, reading);
	TFR_TRY(tfr_item_read(item, part->at->images.scan->root, (const char *)path->data,
		tfr_image_look, room, err));
	if (!item->skipped)
		TFR_TRY(tfr_image_add(&im->in, item, bench, err));
	if (item->skipped || (!row->width && !row->height) ||
		(row->width == item->came.width && row->height == item->came.height))
		return TFR_OK;
	tfr_item_skip(item, TFR_EDATA, "%u x %u, but %u x %u %s", item->came.width,
		item->came.height, row->width, row->height, im->kind->sizes);
	item->finding = TFR_FOUND_SIZE;
	return TFR_OK;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct images *im = (struct images *)in;
	struct tfr_table *t = &im->table;
	struct tfr_open_part *part = part_of(im, item->number);
	uint32_t image = (uint32_t)item->number;
	size_t masks;

	bench->ends.size = 0;
	TFR_TRY(im->kind->load ? im->kind->load(part, t->images[image].mask, item, bench, room, err)
			       : read_image(im, part, item, bench, room, err));
	item->size += im->kind->counts_annotations ? t->images[image].bytes : 0;
	if (!item->skipped)
		TFR_TRY(tfr_annotations_add(t, image, item, bench, room, err));
	masks = bench->ends.size / sizeof(size_t);
	if (!item->skipped && im->kind->add)
		TFR_TRY(im->kind->add(t, part, image, item, bench, room, err));
	return item->skipped || !bench->ends.size ? TFR_OK : tfr_masks_put(item, masks, bench, err);
}

/* Annotations that open() has read count in the size alone. */
static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *m)
{
	const struct images *im = (const struct images *)in;
	const struct tfr_table *t = &im->table;
	const struct tfr_open_part *part = part_of(im, item->number);
	TFR_AUTO_BUF path = { 0 };

	*m = (struct tfr_measure){ 0 };
	if (item->skipped)
		return;
	if (!image_path(t, part, (uint32_t)item->number, &path)) {
		m->fault = ENOMEM;
		return;
	}
	tfr_measure_add(part->at->images.scan->root, (const char *)path.data, m);
	m->bytes += t->images[item->number].bytes;
	if (im->kind->measure)
		im->kind->measure(t, part, (uint32_t)item->number, m);
}

static void close_images(struct tfr_input *in)
{
	struct images *im = (struct images *)in;

	if (im->table.unusable)
		tfr_part_warn(&im->open[0], im->table.unusable, "box", "boxes",
			"left out: without an area, or past the edge of the image");
	for (size_t k = 0; k < im->n_open; k++) {
		if (im->kind->close)
			im->kind->close(&im->open[k]);
		free(im->open[k].prefix);
		free(im->open[k].aside);
		free(im->open[k].below);
	}
	free(im->open);
	tfr_parts_clear(&im->parts);
	tfr_table_clear(&im->table);
	free(im);
}

/* --- which parts are written --- */

/* Whether "train/" or "images/train/" names a part. */
static bool names_part(const char *folder, const struct tfr_part *part)
{
	size_t n = strlen(folder);
	TFR_AUTO_BUF path = { 0 };

	while (n && folder[n - 1] == '/')
		n--;
	if (n && part->split && strlen(part->split) == n && !strncmp(folder, part->split, n))
		return true;
	return tfr_scan_dir_path(part->images.scan, part->images.dir, &path) &&
	       path.size - 1 == n && !strncmp(folder, (const char *)path.data, n);
}

static enum tfr_status no_split(
	const struct tfr_parts *parts, const char *folder, struct tfr_error *err)
{
	char text[300] = "";

	for (size_t k = 0; k < parts->n; k++)
		if (parts->list[k].split)
			tfr_list_name(text, sizeof(text), parts->list[k].split, "/");
	tfr_fail(err, TFR_EUSAGE, "no split '%s' with annotations in '%s'", folder,
		parts->opts->input.paths[0]);
	if (*text && strlen(text) < sizeof(text) - 1)
		tfr_error_hint(err, "Its splits are %s.", text);
	return TFR_EUSAGE;
}

/* Sets the target of each part, or TFR_NO_TARGET. */
static enum tfr_status choose_parts(
	const struct tfr_parts *parts, uint32_t *target, struct tfr_error *err)
{
	const struct tfr_convert_output *o = &parts->opts->output;

	for (size_t k = 0; k < parts->n; k++)
		target[k] = TFR_NO_TARGET;
	for (size_t t = 0; t < o->target_count; t++) {
		const char *folder = o->targets[t].folder;
		size_t k = 0;

		while (k < parts->n && !names_part(folder, &parts->list[k]))
			k++;
		if (k == parts->n)
			return no_split(parts, folder, err);
		if (target[k] != TFR_NO_TARGET)
			return tfr_fail(err, TFR_EUSAGE, "the folder '%s' is named twice", folder);
		target[k] = (uint32_t)t;
	}
	return TFR_OK;
}

static enum tfr_status refuse_splits(const struct tfr_parts *parts, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_found_split *found = calloc(parts->n, sizeof(*found));

	TFR_NEED_MEMORY(found, err, reading);
	for (size_t k = 0; k < parts->n; k++)
		found[k] = (struct tfr_found_split){ .folder = parts->list[k].split,
			.files = tfr_scan_count(parts->list[k].images.scan,
				parts->list[k].images.dir, TFR_FILE_IMAGE) };
	return tfr_splits_refuse_found(parts->opts, "splits", found, parts->n, err);
}

static enum tfr_status warn_of_left(const struct tfr_parts *p, const struct tfr_buf *dirs,
	const char *why, struct tfr_error *err)
{
	const uint32_t *list = (const uint32_t *)(const void *)dirs->data;
	size_t n = dirs->size / sizeof(*list);
	TFR_AUTO_FREE char *path = n ? tfr_scan_folder_path(p->scan, list[0]) : NULL;
	char more[64] = "";

	if (!n)
		return TFR_OK;
	TFR_NEED_MEMORY(path, err, reading);
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu other folder%s", n - 1, n > 2 ? "s" : "");
	tfr_warn(p->opts, "'%.4000s'%s left out: %s", path, more, why);
	return TFR_OK;
}

/* --- all of them --- */

/* Images that annotations do not name are often those not yet labelled. */
static void warn_of_unmatched(const struct images *im, const struct tfr_open_part *part)
{
	const struct tfr_part *at = part->at;
	size_t images = tfr_scan_count(at->images.scan, at->images.dir, TFR_FILE_IMAGE), named = 0;

	for (size_t i = part->first; i < im->table.n_images; i++)
		named += !im->table.images[i].aside;
	if (im->kind->unmatched && images > named)
		tfr_warn(im->in.opts, "%zu of %zu images in '%s' left out: %s", images - named,
			images, part->prefix, im->kind->unmatched);
}

static enum tfr_status name_part(struct tfr_open_part *part, struct tfr_error *err)
{
	const struct tfr_part *at = part->at;
	TFR_AUTO_FREE char *images = tfr_scan_folder_path(at->images.scan, at->images.dir);
	TFR_AUTO_FREE char *annotations = NULL;
	TFR_AUTO_BUF below = { 0 };

	if (at->path || at->file != TFR_NO_FILE)
		part->aside = at->path ? strdup(at->path)
				       : tfr_scan_file_path(at->annotations.scan, at->file);
	else if ((annotations = tfr_scan_folder_path(at->annotations.scan, at->annotations.dir)))
		part->aside = tfr_path_join(annotations, "");
	part->prefix = images ? tfr_path_join(images, "") : NULL;
	if (tfr_scan_dir_path(at->images.scan, at->images.dir, &below))
		part->below =
			at->images.dir ? tfr_path_join((const char *)below.data, "") : strdup("");
	return part->aside && part->prefix && part->below ? TFR_OK : tfr_fail_nomem(err, reading);
}

static enum tfr_status open_part(
	struct images *im, const struct tfr_part *at, uint32_t target, struct tfr_error *err)
{
	struct tfr_open_part *part = &im->open[im->n_open++];

	*part = (struct tfr_open_part){ .at = at,
		.opts = im->in.opts,
		.first_part = im->open,
		.first = (uint32_t)im->table.n_images,
		.target = target };
	TFR_TRY(name_part(part, err));
	TFR_TRY(im->kind->read(&im->table, part, err));
	warn_of_unmatched(im, part);
	return TFR_OK;
}

/* The parts that are written come first; the others are read only for their classes. */
static enum tfr_status open_parts(struct images *im, const uint32_t *target, struct tfr_error *err)
{
	const struct tfr_parts *parts = &im->parts;

	im->open = calloc(parts->n, sizeof(*im->open));
	TFR_NEED_MEMORY(im->open, err, reading);
	for (int written = 1; written >= 0; written--) {
		for (size_t k = 0; k < parts->n; k++)
			if ((!target || target[k] != TFR_NO_TARGET) == written &&
				(written || im->kind->all_parts))
				TFR_TRY(open_part(im, &parts->list[k],
					target ? target[k] : TFR_NO_TARGET, err));
		if (written) {
			im->n_written = im->n_open;
			im->in.items = im->table.n_images;
		}
	}
	if (im->kind->unite)
		TFR_TRY(im->kind->unite(&im->table, im->open, im->n_open, err));
	TFR_TRY(tfr_table_finish(&im->table, err));
	im->in.classes = im->table.map.n ? im->table.map.classes : im->table.sorted;
	im->in.n_classes = im->table.map.n ? im->table.map.n : im->table.n_sorted;
	im->in.prefix = im->open[0].prefix;
	return TFR_OK;
}

static enum tfr_status open_found(struct images *im, struct tfr_error *err)
{
	struct tfr_parts *parts = &im->parts;
	TFR_AUTO_FREE uint32_t *target = NULL;

	if (!parts->n)
		return tfr_fail_path(
			err, TFR_EUSAGE, im->in.opts->input.paths[0], "%s", im->kind->none);
	/* The parts of a data set without splits would have no names. */
	assert(parts->n == 1 || parts->list[0].split);
	TFR_TRY(warn_of_left(parts, &parts->left, "images without annotations", err));
	TFR_TRY(warn_of_left(parts, &parts->others, "not named like a split", err));
	if (tfr_splits_are_asked(im->in.opts)) {
		target = calloc(parts->n, sizeof(*target));
		TFR_NEED_MEMORY(target, err, reading);
		TFR_TRY(choose_parts(parts, target, err));
	} else if (parts->n > 1) {
		return refuse_splits(parts, err);
	}
	return open_parts(im, target, err);
}

/* The only part, whose annotations are named by an option: a folder, or a file. */
static void add_named(struct tfr_parts *p, const char *annotations)
{
	struct tfr_place images = tfr_place_in(p, 0), place = { NULL, 0 };

	if (annotations)
		place = tfr_parts_outside(p, annotations);
	if (p->err->status)
		return;
	tfr_parts_add(p, NULL, images, place.scan ? place : images, TFR_NO_FILE);
	if (!p->err->status && !place.scan)
		p->list[0].path = annotations ?: p->opts->input.paths[0];
}

enum tfr_status tfr_images_open(struct tfr_input **in, const struct tfr_set_kind *kind,
	const struct tfr_convert_opts *opts, struct tfr_scan *scan, struct tfr_error *err)
{
	struct images *im = calloc(1, sizeof(*im));
	const struct tfr_convert_input *o = &opts->input;
	const char *named = o->masks ?: o->annotations ?: o->captions ?: o->panoptic;
	struct tfr_error why = { 0 };

	TFR_NEED_MEMORY(im, err, reading);
	*in = &im->in;
	im->kind = kind;
	im->ops = kind->ops;
	im->ops.next = next;
	im->ops.load = load;
	im->ops.measure = kind->load ? NULL : measure;
	im->ops.close = close_images;
	im->in = (struct tfr_input){ .ops = &im->ops,
		.opts = opts,
		.scan = scan,
		.by_path = kind->by_path && !o->image_set };
	im->table.opts = opts;
	im->parts = (struct tfr_parts){ .opts = opts, .scan = scan, .err = &why };
	if (kind->check)
		TFR_TRY(kind->check(opts, err));
	if (named)
		add_named(&im->parts, o->masks ?: o->annotations);
	else
		kind->find(&im->parts, tfr_parts_base(scan));
	im->parts.err = NULL;
	TFR_TRY(tfr_error_pass(&why, err));
	return open_found(im, err);
}

/* --- files of annotations --- */

enum { MOST = 1 << 30 };

enum tfr_status tfr_part_read_file(
	const struct tfr_open_part *part, struct tfr_buf *text, struct tfr_error *err)
{
	const struct tfr_part *at = part->at;

	if (at->file == TFR_NO_FILE)
		TFR_TRY(tfr_source_read_file(at->path, MOST, text, reading, err));
	else
		TFR_TRY(tfr_scan_read(at->annotations.scan, at->file, MOST, text, err));
	return text->size > MOST ? tfr_fail_path(err, TFR_EDATA, part->aside, "larger than 1 GiB:")
				 : TFR_OK;
}

void tfr_part_warn(const struct tfr_open_part *part, uint64_t n, const char *one,
	const char *several, const char *what)
{
	if (n)
		tfr_warn(part->opts, "%llu %s of '%s' %s", (unsigned long long)n,
			n == 1 ? one : several, part->aside, what);
}
