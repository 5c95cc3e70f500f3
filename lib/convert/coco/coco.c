/* convert/coco/coco.c - COCO's annotations with a folder of images: each image in the file is an
 * item, with the features of the Object Detection API (tensorflow/models,
 * official/vision/data/create_coco_tf_record.py).
 *
 * All annotations are read and kept before any image is read; their shapes are kept as text, and
 * drawn when the image is converted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "convert/coco/coco_layout.h"
#include "convert/coco/coco_features.h"
#include "convert/coco/coco_read.h"
#include "convert/coco/coco_shape.h"
#include "convert/joined_parts.h"
#include "convert/folder/mask.h"
#include "convert/image_features.h"

enum { KEEP = 1 << 20, MOST_MASKS = 1 << 30 /* bytes of a record's masks */ };

struct coco {
	struct tfr_input in;
	struct tfr_coco data; /* whose images are the items */
	/* `data` or one of the others; NULL: there are none. */
	const struct tfr_coco *objects, *captions, *panoptic;
	struct tfr_coco others[2];
	uint32_t *caption_of, *panoptic_of; /* of an image in `data`: its position in this file */
	char *prefix;
	int root, segments; /* folders */
};

static bool is_asked(const struct tfr_convert_opts *opts)
{
	return opts->annotations || opts->captions || opts->panoptic;
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	struct tfr_parts parts;
	bool found;

	if (is_asked(opts))
		return true;
	if (!offer->directory || opts->masks || opts->class_list || opts->synsets)
		return false;
	found = tfr_coco_find(&parts, offer->path) && parts.n;
	tfr_parts_clear(&parts);
	return found;
}

/* --- one image --- */

/* The data of an item besides its image. */
struct boxes {
	struct tfr_buf floats, ints, texts, masks, ends;
	struct tfr_coco_scratch more;
};

static void free_boxes(void *p)
{
	struct boxes *b = p;

	tfr_buf_clear(&b->floats);
	tfr_buf_clear(&b->ints);
	tfr_buf_clear(&b->texts);
	tfr_buf_clear(&b->masks);
	tfr_buf_clear(&b->ends);
	tfr_coco_scratch_clear(&b->more);
	free(b);
}

static struct boxes *boxes_of(struct tfr_item *item)
{
	struct boxes *b = item->own;

	if (!b) {
		b = calloc(1, sizeof(*b));
		item->own = b;
		item->free_own = free_boxes;
	} else if (b->masks.cap > KEEP) {
		tfr_buf_clear(&b->masks);
	}
	return b;
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco *c = &((struct coco *)in)->data;
	const char *name = c->names + c->images[item->number].name;

	(void)room;
	if (!tfr_item_name(item, name, strlen(name)))
		return tfr_fail_nomem(err, "reading images");
	if (!tfr_coco_is_below(name))
		tfr_item_skip(item, TFR_EDATA, "a name that leads out of the folder of images");
	return TFR_OK;
}

static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure)
{
	struct coco *coco = (struct coco *)in;
	struct stat st;

	*measure = (struct tfr_measure){ 0 };
	if (item->skipped || fstatat(coco->root, (const char *)item->name.data, &st, 0))
		return;
	measure->bytes = (uint64_t)st.st_size;
	measure->mtime = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

/* --- boxes --- */

/* One float per box, computed in doubles as Python does. */
static enum tfr_status add_floats(struct tfr_item *item, const char *key, struct boxes *b,
	const struct tfr_coco *c,
	double (*value)(const struct tfr_coco_annotation *a, const struct tfr_coco_image *image),
	struct tfr_error *err)
{
	const struct tfr_coco_image *image = &c->images[item->number];
	uint64_t first = c->first[item->number], end = c->first[item->number + 1];

	b->floats.size = 0;
	for (uint64_t k = first; k < end; k++) {
		float f = (float)value(&c->annotations[c->order[k]], image);

		if (!tfr_buf_append(&b->floats, &f, sizeof(f)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	return tfr_builder_floats(
		item->builder, key, (const float *)(void *)b->floats.data, end - first, err);
}

static double xmin(const struct tfr_coco_annotation *a, const struct tfr_coco_image *image)
{
	return a->box[0] / image->width;
}

static double xmax(const struct tfr_coco_annotation *a, const struct tfr_coco_image *image)
{
	return (a->box[0] + a->box[2]) / image->width;
}

static double ymin(const struct tfr_coco_annotation *a, const struct tfr_coco_image *image)
{
	return a->box[1] / image->height;
}

static double ymax(const struct tfr_coco_annotation *a, const struct tfr_coco_image *image)
{
	return (a->box[1] + a->box[3]) / image->height;
}

static double area(const struct tfr_coco_annotation *a, const struct tfr_coco_image *image)
{
	(void)image;
	return a->area;
}

static enum tfr_status add_numbers(
	struct tfr_item *item, struct boxes *b, const struct tfr_coco *c, struct tfr_error *err)
{
	static const struct {
		const char *key;
		double (*value)(
			const struct tfr_coco_annotation *a, const struct tfr_coco_image *image);
	} rows[] = {
		{ "image/object/area", area },
		{ "image/object/bbox/xmax", xmax },
		{ "image/object/bbox/xmin", xmin },
		{ "image/object/bbox/ymax", ymax },
		{ "image/object/bbox/ymin", ymin },
	};
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < sizeof(rows) / sizeof(*rows); i++)
		status = add_floats(item, rows[i].key, b, c, rows[i].value, err);
	return status;
}

static enum tfr_status add_classes(
	struct tfr_item *item, struct boxes *b, const struct tfr_coco *c, struct tfr_error *err)
{
	uint64_t first = c->first[item->number], n = c->first[item->number + 1] - first;
	int64_t *labels, *crowds;
	struct tfr_bytes *texts;
	enum tfr_status status;

	b->ints.size = b->texts.size = 0;
	if (!tfr_buf_reserve(&b->ints, 2 * n * sizeof(*labels)) ||
		!tfr_buf_reserve(&b->texts, n * sizeof(*texts)))
		return tfr_fail_nomem(err, "reading annotations");
	labels = (int64_t *)(void *)b->ints.data;
	crowds = labels + n;
	texts = (struct tfr_bytes *)(void *)b->texts.data;
	for (uint64_t k = 0; k < n; k++) {
		uint32_t a = c->order[first + k];
		const struct tfr_coco_category *category = &c->categories[c->category_of[a]];
		const char *text = c->names + category->name;

		labels[k] = category->id;
		crowds[k] = c->annotations[a].crowd;
		texts[k] = (struct tfr_bytes){ (const uint8_t *)text, strlen(text) };
	}
	status = tfr_builder_int64s(item->builder, "image/object/class/label", labels, n, err);
	if (!status)
		status = tfr_builder_bytes(item->builder, "image/object/class/text", texts, n, err);
	return status ? status
		      : tfr_builder_int64s(item->builder, "image/object/is_crowd", crowds, n, err);
}

/* --- masks --- */

/* Draws the shape of annotation `a` and appends it to the masks. */
static enum tfr_status draw(struct tfr_item *item, const struct tfr_coco_annotation *a,
	struct tfr_canvas *canvas, struct boxes *b, struct tfr_workbench *bench,
	struct tfr_error *err)
{
	struct tfr_image image = { canvas->pixels, canvas->width, canvas->width, canvas->height,
		1 };
	struct tfr_error why;
	enum tfr_status status = tfr_coco_shape_draw(canvas, a->shape.text, a->shape_size, &why);

	if (status == TFR_EDATA) {
		tfr_item_skip(item, TFR_EDATA, "an annotation, at byte %llu, with %s",
			(unsigned long long)a->at, why.message);
		return TFR_OK;
	}
	if (!status)
		status = tfr_mask_append(&b->masks, &image, bench, &why);
	if (!status && !tfr_buf_append(&b->ends, &b->masks.size, sizeof(b->masks.size)))
		status = TFR_ENOMEM;
	if (!status && b->masks.size > MOST_MASKS)
		tfr_item_skip(item, TFR_EDATA, "its masks are larger than 1 GiB");
	return status ? tfr_fail_nomem(err, "drawing masks") : TFR_OK;
}

static enum tfr_status draw_all(struct tfr_item *item, const struct tfr_coco *c, struct boxes *b,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco_image *image = &c->images[item->number];
	struct tfr_canvas canvas = { .width = image->width, .height = image->height };
	uint64_t pixels = (uint64_t)image->width * image->height;
	enum tfr_status status = TFR_OK;

	if (pixels > TFR_CANVAS_MOST) {
		tfr_item_skip(item, TFR_EDATA, "%u x %u, too large for masks", image->width,
			image->height);
		return TFR_OK;
	}
	bench->pixels.size = b->masks.size = b->ends.size = 0;
	if (!tfr_buf_reserve(&bench->pixels, pixels))
		return tfr_fail_nomem(err, "drawing masks");
	canvas.pixels = bench->pixels.data;
	canvas.scratch = bench->scratch;
	for (uint64_t k = c->first[item->number];
		!status && !item->skipped && k < c->first[item->number + 1]; k++) {
		size_t before = b->masks.size;

		status = draw(item, &c->annotations[c->order[k]], &canvas, b, bench, err);
		tfr_room_reserve(room, b->masks.size - before);
	}
	bench->scratch = canvas.scratch;
	return status;
}

static enum tfr_status add_masks(struct tfr_item *item, struct boxes *b, struct tfr_error *err)
{
	const size_t *ends = (const size_t *)(void *)b->ends.data;
	size_t n = b->ends.size / sizeof(*ends);
	struct tfr_bytes *masks;

	b->texts.size = 0;
	if (!tfr_buf_reserve(&b->texts, n * sizeof(*masks)))
		return tfr_fail_nomem(err, "drawing masks");
	masks = (struct tfr_bytes *)(void *)b->texts.data;
	for (size_t k = 0; k < n; k++) {
		size_t from = k ? ends[k - 1] : 0;

		masks[k] = (struct tfr_bytes){ b->masks.data + from, ends[k] - from };
	}
	return tfr_builder_bytes_ref(item->builder, "image/object/mask", masks, n, err);
}

/* --- all of an image --- */

static enum tfr_status add_boxes(struct tfr_input *in, struct tfr_item *item, struct boxes *b,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco *c = &((struct coco *)in)->data;
	char id[32];
	enum tfr_status status;

	snprintf(id, sizeof(id), "%lld", (long long)c->images[item->number].id);
	status = tfr_builder_text(item->builder, "image/source_id", id, err);
	if (status || !((struct coco *)in)->objects ||
		c->first[item->number] == c->first[item->number + 1])
		return status;
	status = add_numbers(item, b, c, err);
	if (!status && c->keypoints)
		status = tfr_coco_add_points(c, item->number, item, &b->more, err);
	if (!status)
		status = add_classes(item, b, c, err);
	if (!status && in->opts->instance_masks)
		status = draw_all(item, c, b, bench, room, err);
	if (!status && !item->skipped && in->opts->instance_masks)
		status = add_masks(item, b, err);
	return status;
}

/* Adds the features of the other files for the image. */
static enum tfr_status add_others(struct coco *coco, struct tfr_item *item, struct boxes *b,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	uint32_t i = (uint32_t)item->number;
	enum tfr_status status = TFR_OK;

	if (coco->captions && coco->caption_of[i] != UINT32_MAX)
		status = tfr_coco_add_captions(
			coco->captions, coco->caption_of[i], item, &b->more, err);
	if (!status && coco->panoptic && coco->panoptic_of[i] != UINT32_MAX)
		status = tfr_coco_add_panoptic(coco->panoptic, coco->panoptic_of[i], coco->segments,
			item, &b->more, bench, room, err);
	return status;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct coco *coco = (struct coco *)in;
	const struct tfr_coco_image *image = &coco->data.images[item->number];
	struct boxes *b = boxes_of(item);
	struct tfr_image_info info;
	enum tfr_status status;

	if (!b)
		return tfr_fail_nomem(err, "reading annotations");
	status = tfr_item_read(
		item, coco->root, (const char *)item->name.data, tfr_image_look, room, err);

	if (!status && !item->skipped)
		tfr_item_probe_image(item, &info);
	if (!status && !item->skipped &&
		(info.width != image->width || info.height != image->height)) {
		tfr_item_skip(item, TFR_EDATA, "%u x %u, but %u x %u in the annotations",
			info.width, info.height, image->width, image->height);
		item->finding = TFR_FOUND_SIZE;
	}
	if (!status && !item->skipped)
		status = tfr_image_add(in, item, bench, err);
	if (!status && !item->skipped)
		status = add_boxes(in, item, b, bench, room, err);
	return status || item->skipped ? status : add_others(coco, item, b, bench, room, err);
}

/* --- the file --- */

static void say(const struct tfr_convert_opts *opts, const char *path, size_t n, const char *what)
{
	char text[8192];

	if (!n || !opts->warn)
		return;
	snprintf(text, sizeof(text), "%zu annotation%s of '%s' %s", n, n == 1 ? "" : "s", path,
		what);
	opts->warn(opts->ctx, text);
}

/* Counts the kept annotations whose mask has no shape. */
static size_t count_shapeless(const struct tfr_coco *c)
{
	size_t n = 0;

	for (uint64_t k = 0; k < c->first[c->n_images]; k++)
		n += !c->annotations[c->order[k]].shape_size;
	return n;
}

static void say_all(const struct coco *coco, const struct tfr_coco *c, const char *path)
{
	char what[160];

	if (c->strays)
		snprintf(what, sizeof(what),
			"left out: of an image that is not listed (the first of image %lld, at byte "
			"%llu)",
			(long long)c->annotations[c->first_stray].image,
			(unsigned long long)c->annotations[c->first_stray].at);
	say(coco->in.opts, path, c->strays, what);
	say(coco->in.opts, path, c->boxless, "left out: without a 'bbox'");
	say(coco->in.opts, path, c->unusable,
		"left out: a box without an area or past the edge of its image");
	say(coco->in.opts, path, c->same_ids, "kept, with the id of another one");
	if (coco->in.opts->instance_masks && c == coco->objects)
		say(coco->in.opts, path, count_shapeless(c),
			"without a 'segmentation': an empty mask each");
}

static void close_coco(struct tfr_input *in)
{
	struct coco *coco = (struct coco *)in;

	tfr_coco_clear(&coco->data);
	tfr_coco_clear(&coco->others[0]);
	tfr_coco_clear(&coco->others[1]);
	free(coco->caption_of);
	free(coco->panoptic_of);
	if (coco->root >= 0)
		close(coco->root);
	if (coco->segments >= 0)
		close(coco->segments);
	free(coco->prefix);
	free(coco);
}

static enum tfr_status open_folder(struct coco *coco, const char *folder, struct tfr_error *err)
{
	coco->prefix = tfr_asprintf("%s/", folder);
	if (!coco->prefix)
		return tfr_fail_nomem(err, "reading annotations");
	coco->in.prefix = coco->prefix;
	coco->root =
		TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
	if (coco->root < 0 && errno == ENOTDIR)
		return tfr_fail_path(err, TFR_EUSAGE, folder, "not a folder:");
	if (coco->root < 0)
		return tfr_fail_errno(err, errno, folder, "cannot open folder");
	return TFR_OK;
}

/* The folder with the images of segments: "panoptic_val2017" beside "panoptic_val2017.json", as
 * in COCO. */
static enum tfr_status open_segments(struct coco *coco, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = coco->in.opts;
	size_t n = strlen(o->panoptic);
	TFR_AUTO_FREE char *path = NULL;

	if (o->segments)
		path = strdup(o->segments);
	else
		path = strndup(
			o->panoptic, n > 5 && !strcmp(o->panoptic + n - 5, ".json") ? n - 5 : n);
	if (!path)
		return tfr_fail_nomem(err, "reading annotations");
	coco->segments =
		TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
	if (coco->segments >= 0)
		return TFR_OK;
	tfr_fail_errno(err, errno, path, "cannot open the folder of segments");
	if (!o->segments)
		tfr_error_hint(err, "Name the folder with --panoptic-masks.");
	return TFR_ESYS;
}

/* Reads a file, the first one into coco->data; *places has the positions of that one's images in
 * this file. */
static enum tfr_status read_file(struct coco *coco, const char *path, enum tfr_coco_what what,
	struct tfr_coco *other, const struct tfr_coco **read, uint32_t **places,
	struct tfr_error *err)
{
	const struct tfr_convert_opts *o = coco->in.opts;
	struct tfr_coco_opts opts = { .what = what,
		.threads = o->threads,
		.shapes = o->instance_masks && what == TFR_COCO_OBJECTS };
	bool first = !coco->objects && !coco->captions && !coco->panoptic;
	struct tfr_coco *c = first ? &coco->data : other;
	enum tfr_status status;

	if (!path)
		return TFR_OK;
	status = tfr_coco_read(c, path, &opts, err);
	if (status)
		return status;
	*read = c;
	say_all(coco, c, path);
	return places ? tfr_coco_match(&coco->data, c, places, err) : TFR_OK;
}

static enum tfr_status read_files(struct coco *coco, const char *annotations, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = coco->in.opts;
	enum tfr_status status =
		read_file(coco, annotations, TFR_COCO_OBJECTS, NULL, &coco->objects, NULL, err);

	if (!status)
		status = read_file(coco, o->captions, TFR_COCO_CAPTIONS, &coco->others[0],
			&coco->captions, &coco->caption_of, err);
	return status ? status
		      : read_file(coco, o->panoptic, TFR_COCO_PANOPTIC, &coco->others[1],
				&coco->panoptic, &coco->panoptic_of, err);
}

/* `annotations` can be NULL if one of the other two files is given. */
static enum tfr_status open_files(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const char *images, const char *annotations, struct tfr_error *err)
{
	struct coco *coco = calloc(1, sizeof(*coco));
	enum tfr_status status;

	if (!coco)
		return tfr_fail_nomem(err, "reading annotations");
	*in = &coco->in;
	coco->in.ops = &tfr_input_coco;
	coco->in.opts = opts;
	coco->root = coco->segments = -1;
	status = open_folder(coco, images, err);
	if (!status)
		status = read_files(coco, annotations, err);
	if (!status && opts->panoptic)
		status = open_segments(coco, err);
	coco->in.items = coco->data.n_images;
	return status;
}

static enum tfr_status open_part(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const struct tfr_part *part, struct tfr_error *err)
{
	return open_files(in, opts, part->images, part->annotations, err);
}

/* The parts must use the same numbers for categories. */
static enum tfr_status unite(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	const struct coco *first = (const struct coco *)parts[0];

	(void)whole;
	for (size_t k = 1; k < n; k++) {
		const struct coco *c = (const struct coco *)parts[k];

		for (size_t i = 0; i < c->data.n_categories; i++) {
			const struct tfr_coco_category *a = &c->data.categories[i];
			const struct tfr_coco_category *b =
				tfr_coco_category_of(&first->data, a->id);

			if (b && strcmp(c->data.names + a->name, first->data.names + b->name))
				return tfr_fail(err, TFR_EDATA,
					"the category %lld is '%.60s' in '%s' and '%.60s' in '%s'",
					(long long)a->id, first->data.names + b->name,
					first->prefix, c->data.names + a->name, c->prefix);
		}
	}
	return TFR_OK;
}

static enum tfr_status open_coco(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_parts_kind kind = {
		.ops = &tfr_input_coco,
		.none = "no COCO annotations in",
		.open = open_part,
		.unite = unite,
	};
	struct tfr_parts parts;
	enum tfr_status status;

	if (opts->label_base)
		return tfr_fail(err, TFR_EUSAGE,
			"--label-base does not apply: the annotations number the classes");
	if (is_asked(opts))
		return open_files(in, opts, opts->inputs[0], opts->annotations, err);
	status = tfr_coco_find(&parts, opts->inputs[0])
			 ? tfr_parts_open(in, &kind, &parts, opts, err)
			 : tfr_fail_nomem(err, "reading annotations");
	tfr_parts_clear(&parts);
	return status;
}

const struct tfr_input_ops tfr_input_coco = {
	.name = "coco",
	.what = "images with annotations",
	.nothing = "no image that the annotations name in",
	.refused = "not a usable image",
	.images = true,
	.splits = true,
	.recognises = recognises,
	.open = open_coco,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_coco,
};
