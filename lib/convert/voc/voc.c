/* convert/voc/voc.c - PASCAL VOC: a folder of images and a folder of annotations, each an XML file
 * that names its image.  Records have the features of the Object Detection API (tensorflow/models,
 * research/object_detection/dataset_tools/create_pascal_tf_record.py).
 *
 * All annotations are read before any image, because labels are numbers of all class names.
 * Only the names of their images are kept, and each annotation is read again together with its
 * image. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "convert/folder/fetch_ahead.h"
#include "convert/folder/object_classes.h"
#include "convert/folder/scan.h"
#include "convert/image_features.h"
#include "convert/joined_parts.h"
#include "convert/list/line_reader.h"
#include "convert/voc/voc.h"
#include "convert/voc/voc_xml.h"

/* An annotation; offsets in names. */
struct entry {
	size_t xml;   /* its path below the folder of annotations */
	size_t image; /* below the folder of images; SIZE_MAX: it is not usable */
	size_t why;
	enum tfr_status status;
};

struct voc {
	struct tfr_input in;
	struct tfr_root *images, *annotations;
	char *prefix, *xml_prefix;
	struct tfr_buf names;
	struct entry *entries; /* in.items of them */
	size_t entries_cap;
	struct tfr_object_classes classes;
	size_t unusable, clipped; /* boxes */
	struct tfr_fetch_ahead image_ahead, xml_ahead;
};

/* An item while it is converted. */
struct making {
	const struct voc *v;
	struct tfr_item *item;
	struct tfr_voc voc;	    /* its annotation */
	struct tfr_image_info size; /* of its image */
};

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	if (opts->input.annotations)
		return tfr_is_folder(opts->input.annotations, offer->err);
	return !opts->input.captions && !opts->input.panoptic && !opts->input.masks &&
	       !opts->classes.list && !opts->classes.synsets &&
	       tfr_parts_recognised(tfr_voc_find, offer);
}

static const char *name_at(const struct voc *v, size_t at)
{
	return (const char *)v->names.data + at;
}

/* --- one item --- */

static bool append_text(struct tfr_buf *to, const char *text)
{
	return tfr_buf_append(to, text, strlen(text) + 1);
}

static bool image_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct voc *v = ctx;
	const struct entry *e = &v->entries[v->in.order ? v->in.order[i] : i];

	(void)size;
	return e->image != SIZE_MAX && append_text(path, name_at(v, e->image));
}

static bool xml_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct voc *v = ctx;
	const struct entry *e = &v->entries[v->in.order ? v->in.order[i] : i];

	(void)size;
	return e->image != SIZE_MAX && append_text(path, name_at(v, e->xml));
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct voc *v = (struct voc *)in;
	const struct entry *e = &v->entries[item->number];
	const char *name = name_at(v, e->image == SIZE_MAX ? e->xml : e->image);
	uint64_t at = in->order ? in->place : item->number;

	(void)room;
	tfr_fetch_ahead_of(&v->xml_ahead, v->annotations, at, in->ahead, xml_path, v);
	tfr_fetch_ahead_of(&v->image_ahead, v->images, at, in->ahead, image_path, v);
	TFR_NEED_MEMORY(tfr_item_name(item, name, strlen(name)), err, "reading images");
	if (e->image == SIZE_MAX) {
		item->prefix = v->xml_prefix;
		tfr_item_skip(item, e->status, "%s", name_at(v, e->why));
	}
	return TFR_OK;
}

static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *m)
{
	struct voc *v = (struct voc *)in;
	const struct entry *e = &v->entries[item->number];

	*m = (struct tfr_measure){ 0 };
	if (item->skipped)
		return;
	tfr_measure_add(v->images, name_at(v, e->image), m);
	tfr_measure_add(v->annotations, name_at(v, e->xml), m);
}

/* Reads and parses an annotation; item->file does not change. */
static enum tfr_status read_xml(const struct voc *v, const char *path, struct tfr_item *item,
	struct tfr_voc *voc, const struct tfr_room *room, struct tfr_error *err)
{
	TFR_AUTO_BUF xml = { 0 };
	struct tfr_error why = { 0 };
	enum tfr_status status;

	TFR_TRY(tfr_item_read_other(item, &xml, v->annotations, path, room, err));
	if (item->skipped)
		return TFR_OK;
	status = tfr_voc_parse(voc, xml.data, xml.size, &why);
	if (status != TFR_EDATA)
		return tfr_error_pass(&why, err);
	tfr_item_skip_error(item, &why);
	return TFR_OK;
}

/* --- its image --- */

/* Reads the image, which must have the size in its annotation, if there is one. */
static enum tfr_status read_image(
	struct making *m, const struct tfr_room *room, struct tfr_error *err)
{
	size_t before = m->item->size;

	TFR_TRY(tfr_image_read(m->item, m->v->images, room, &m->size, err));
	m->item->size += before;
	if (m->item->skipped || (!m->voc.width && !m->voc.height) ||
		(m->size.width == m->voc.width && m->size.height == m->voc.height))
		return TFR_OK;
	tfr_item_skip(m->item, TFR_EDATA, "%u x %u, but %lld x %lld in its annotation",
		m->size.width, m->size.height, (long long)m->voc.width, (long long)m->voc.height);
	m->item->finding = TFR_FOUND_SIZE;
	return TFR_OK;
}

/* The next usable object from *at on; NULL: there is none. */
static const struct tfr_voc_object *usable(const struct making *m, size_t *at)
{
	struct tfr_voc_object *objects = m->voc.objects;

	while (*at < m->voc.n_objects)
		if (tfr_voc_usable(&objects[(*at)++], m->size.width, m->size.height))
			return &objects[*at - 1];
	return NULL;
}

/* The class of a name; NULL: it has no label, and the item is skipped. */
static const struct tfr_class *class_of(const struct making *m, const char *name)
{
	const char *labels = m->v->in.opts->classes.labels;
	const struct tfr_class *class = tfr_object_classes_find(&m->v->classes, name);

	if (!class && labels)
		tfr_item_skip(
			m->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'", name, labels);
	else if (!class)
		tfr_item_skip(m->item, TFR_EDATA, "its annotation has changed");
	return class;
}

/* Adds image/source_id, and the boxes that have an area and are inside the image, in the order of
 * the file.  Skips the item if a class has no label.  The computations are those of
 * create_pascal_tf_record.py, so that the values are equal. */
static enum tfr_status add_boxes(const struct making *m, struct tfr_boxes *b, struct tfr_error *err)
{
	struct tfr_builder *builder = m->item->builder;
	const struct tfr_voc_object *o;
	bool good = true;
	size_t at = 0;

	TFR_TRY(tfr_builder_text(
		builder, "image/source_id", tfr_voc_text(&m->voc, m->voc.filename), err));
	tfr_boxes_reset(b);
	while (good && (o = usable(m, &at))) {
		const struct tfr_class *class = class_of(m, tfr_voc_text(&m->voc, o->name));

		if (!class)
			return TFR_OK;
		good = tfr_boxes_add(b, o->box, m->size.width, m->size.height) &&
		       tfr_boxes_add_class(b, class->label, class->text) &&
		       tfr_boxes_add_int(&b->ints[0], o->difficult) &&
		       tfr_boxes_add_int(&b->ints[1], o->truncated) &&
		       tfr_boxes_add_text(&b->names, tfr_voc_text(&m->voc, o->pose));
	}
	TFR_NEED_MEMORY(good, err, "reading annotations");
	if (!b->labels.size)
		return TFR_OK;
	TFR_TRY(tfr_boxes_put(b, builder, err));
	TFR_TRY(tfr_put_ints(builder, "image/object/difficult", &b->ints[0], err));
	TFR_TRY(tfr_put_ints(builder, "image/object/truncated", &b->ints[1], err));
	return tfr_put_texts(builder, "image/object/view", &b->names, err);
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct voc *v = (struct voc *)in;
	struct making m = { .v = v, .item = item };
	enum tfr_status status =
		read_xml(v, name_at(v, v->entries[item->number].xml), item, &m.voc, room, err);

	if (!status && !item->skipped)
		status = read_image(&m, room, err);
	if (!status && !item->skipped)
		status = tfr_image_add(in, item, bench, err);
	if (!status && !item->skipped)
		status = add_boxes(&m, &bench->boxes, err);
	tfr_voc_clear(&m.voc);
	return status;
}

/* --- the annotations --- */

/* Reads an annotation at the start, with the memory of `voc`. */
static enum tfr_status look_at(
	struct voc *v, const char *path, int fault, struct tfr_voc *voc, struct tfr_error *err)
{
	struct tfr_item one = { 0 }, *item = &one;
	struct entry e = { .xml = v->names.size, .image = SIZE_MAX };
	TFR_AUTO_BUF image = { 0 };
	const char *name = "";

	TFR_NEED_MEMORY(append_text(&v->names, path), err, "reading annotations");
	if (fault)
		tfr_item_skip_fault(item, fault);
	else
		TFR_TRY(read_xml(v, path, item, voc, &(struct tfr_room){ 0 }, err));
	if (!item->skipped) {
		TFR_TRY(tfr_voc_image(
			v->images, path, tfr_voc_text(voc, voc->filename), &image, err));
		name = (const char *)image.data;
		if (!tfr_path_is_below(name))
			tfr_item_skip(item, TFR_EDATA,
				"it names '%.100s', which leads out of the folder of images", name);
	}
	e.status = item->why;
	*(item->skipped ? &e.why : &e.image) = v->names.size;
	if (!append_text(&v->names, item->skipped ? item->reason : name) ||
		TFR_ARRAY_RESERVE(v->entries, v->entries_cap, v->in.items + 1))
		return tfr_fail_nomem(err, "reading annotations");
	for (size_t k = 0; !item->skipped && k < voc->n_objects; k++) {
		struct tfr_voc_object *object = &voc->objects[k], came = *object;
		const char *class = tfr_voc_text(voc, object->name);

		/* Without a size, only an impossible box is reported. */
		v->unusable +=
			!tfr_voc_usable(object, voc->width ? (uint32_t)voc->width : UINT32_MAX,
				voc->height ? (uint32_t)voc->height : UINT32_MAX);
		v->clipped += memcmp(came.box, object->box, sizeof(came.box)) != 0;
		TFR_NEED_MEMORY(tfr_class_names_add(&v->classes.names, class, strlen(class)), err,
			"reading annotations");
	}
	v->entries[v->in.items++] = e;
	return TFR_OK;
}

/* Images without an annotation are often those not yet labelled. */
static enum tfr_status say_unannotated(const struct voc *v, struct tfr_error *err)
{
	size_t images = 0, used = 0;

	TFR_TRY(tfr_scan_count(v->prefix, tfr_is_image, &images, err));
	for (uint64_t i = 0; i < v->in.items; i++)
		used += v->entries[i].image != SIZE_MAX;
	if (images > used)
		tfr_warn(v->in.opts, "%zu of %zu images in '%s' left out: without an annotation",
			images - used, images, v->prefix);
	return TFR_OK;
}

/* Finds all files .xml below the folder, in the order of their paths. */
static enum tfr_status look_at_all(struct voc *v, const char *folder, struct tfr_error *err)
{
	struct tfr_scan scan;
	struct tfr_voc voc = { 0 };
	TFR_AUTO_BUF path = { 0 };
	enum tfr_status status = TFR_OK;

	TFR_TRY(tfr_scan_folder(&scan, folder, NULL, err));
	for (size_t i = 0; !status && i < scan.n_items; i++) {
		tfr_scan_announce(&scan, NULL, i, scan.n_items);
		if (!tfr_scan_path(&scan, &scan.items[i], &path))
			status = tfr_fail_nomem(err, "reading annotations");
		else if (tfr_has_extension((const char *)path.data, "xml"))
			status =
				look_at(v, (const char *)path.data, scan.items[i].fault, &voc, err);
	}
	tfr_voc_clear(&voc);
	tfr_scan_clear(&scan);
	return status ? status : say_unannotated(v, err);
}

/* Finds the files in a list, in its order: lines of a name without its extension and, in the
 * lists of one class, a number. */
static enum tfr_status look_at_listed(struct voc *v, const char *top, struct tfr_error *err)
{
	TFR_AUTO_FREE char *list =
		tfr_asprintf("%s/ImageSets/Main/%s.txt", top, v->in.opts->input.image_set);
	struct tfr_lines lines;
	struct tfr_voc voc = { 0 };
	const char *line;
	size_t size, n;
	enum tfr_status status;
	char path[4096];

	TFR_NEED_MEMORY(list, err, "reading annotations");
	status = tfr_lines_open(&lines, list, err);
	while (!status && !(status = tfr_lines_next(&lines, &line, &size, err))) {
		for (n = 0; n < size && !strchr(" \t\r\n", line[n]); n++)
			;
		if (!n)
			continue;
		if (memchr(line, '\0', n) || n + 5 > sizeof(path))
			status = tfr_fail(err, TFR_EDATA, "no name in '%s', line %llu", list,
				(unsigned long long)lines.number);
		snprintf(path, sizeof(path), "%.*s.xml", (int)n, line);
		if (!status && !tfr_path_is_below(path))
			status = tfr_fail(err, TFR_EDATA,
				"a name that leads out of the folder of annotations in '%s', line "
				"%llu",
				list, (unsigned long long)lines.number);
		if (!status)
			status = look_at(v, path, 0, &voc, err);
		if (status)
			break;
	}
	tfr_lines_clear(&lines);
	tfr_voc_clear(&voc);
	return status == TFR_END ? TFR_OK : status;
}

/* --- the folders --- */

static void close_voc(struct tfr_input *in)
{
	struct voc *v = (struct voc *)in;

	tfr_root_close(v->images);
	tfr_root_close(v->annotations);
	free(v->prefix);
	free(v->xml_prefix);
	tfr_buf_clear(&v->names);
	free(v->entries);
	tfr_object_classes_clear(&v->classes);
	free(v);
}

static enum tfr_status check(const struct tfr_convert_opts *o, struct tfr_error *err)
{
	if (o->input.draw_masks || o->input.captions || o->input.panoptic)
		return tfr_fail(err, TFR_EUSAGE,
			"--draw-masks, --captions and --panoptic do not apply to VOC annotations");
	if (o->order.stratify)
		return tfr_fail(err, TFR_EUSAGE,
			"--stratify-classes needs one class per image, and images with boxes have "
			"several");
	if (o->input.image_set && o->input.annotations)
		return tfr_fail(err, TFR_EUSAGE,
			"an image set is looked for in the folder that has Annotations and "
			"JPEGImages");
	if (o->input.image_set && (!*o->input.image_set || strchr(o->input.image_set, '/')))
		return tfr_fail(
			err, TFR_EUSAGE, "not a name of an image set: '%s'", o->input.image_set);
	return TFR_OK;
}

static enum tfr_status open_part(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const struct tfr_part *part, struct tfr_error *err)
{
	struct voc *v = calloc(1, sizeof(*v));
	enum tfr_status status;

	TFR_NEED_MEMORY(v, err, "reading annotations");
	*in = &v->in;
	v->in = (struct tfr_input){
		.ops = &tfr_input_voc, .opts = opts, .by_path = !opts->input.image_set
	};
	v->images = v->annotations = NULL;
	TFR_TRY(tfr_open_named_folder(&v->images, &v->prefix, part->images, err));
	v->in.prefix = v->prefix;
	TFR_TRY(tfr_open_named_folder(&v->annotations, &v->xml_prefix, part->annotations, err));
	status = opts->input.image_set ? look_at_listed(v, opts->input.paths[0], err)
				       : look_at_all(v, v->xml_prefix, err);
	if (v->unusable)
		tfr_warn(opts,
			"%zu box%s of '%s' left out: without an area, or past the edge of its "
			"image",
			v->unusable, v->unusable == 1 ? "" : "es", v->xml_prefix);
	if (v->clipped)
		tfr_warn(opts,
			"%zu box%s of '%s' clipped: up to one pixel past the edge of its image",
			v->clipped, v->clipped == 1 ? "" : "es", v->xml_prefix);
	TFR_TRY(status);
	TFR_TRY(tfr_object_classes_number(&v->classes, &v->in, err));
	if (v->in.items > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u annotations", UINT32_MAX);
	return TFR_OK;
}

/* Names are numbered over all parts; the first part has the numbers. */
static enum tfr_status unite(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	struct voc *first = (struct voc *)parts[0];

	for (size_t k = 1; k < n; k++)
		TFR_TRY(tfr_object_classes_unite(
			&first->classes, &((struct voc *)parts[k])->classes, err));
	TFR_TRY(tfr_object_classes_number(&first->classes, &first->in, err));
	whole->classes = first->in.classes;
	whole->n_classes = first->in.n_classes;
	return TFR_OK;
}

static enum tfr_status open_voc(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_parts_kind kind = {
		.ops = &tfr_input_voc,
		.find = tfr_voc_find,
		.none = "no images with VOC annotations in",
		.open = open_part,
		.unite = unite,
		.all = true,
	};

	TFR_TRY(check(opts, err));
	return tfr_parts_open(in, &kind, opts, err);
}

const struct tfr_input_ops tfr_input_voc = {
	.name = "voc",
	.what = "images with VOC annotations",
	.nothing = "no image with an annotation in",
	.refused = "not a usable image",
	.images = true,
	.labelled = true,
	.splits = true,
	.tree = "xml",
	.recognises = recognises,
	.open = open_voc,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_voc,
};
