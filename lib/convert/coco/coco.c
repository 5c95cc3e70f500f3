/* convert/coco/coco.c - COCO's annotations with a folder of images: each image in the file is an
 * item, with the features of the Object Detection API (tensorflow/models,
 * official/vision/data/create_coco_tf_record.py).
 *
 * Features have the order and the rounding of TensorFlow's own scripts for COCO: quotients are
 * computed in doubles.
 *
 * All annotations are read and kept before any image is read; their shapes are kept as text, and
 * drawn when the image is converted. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "convert/coco/coco_layout.h"
#include "convert/coco/coco_read.h"
#include "convert/coco/coco_shape.h"
#include "convert/folder/fetch_ahead.h"
#include "convert/folder/mask.h"
#include "convert/folder/scan.h"
#include "convert/image_features.h"
#include "convert/joined_parts.h"
#include "convert/parts.h"

enum { MOST_MASKS = 1 << 30 /* bytes of a record's masks */ };

struct coco {
	struct tfr_input in;
	struct tfr_coco data; /* whose images are the items */
	/* `data` or one of the others; NULL: there are none. */
	const struct tfr_coco *objects, *captions, *panoptic;
	struct tfr_coco others[2];
	uint32_t *caption_of, *panoptic_of; /* of an image in `data`: its position in this file */
	char *prefix;
	struct tfr_root *root, *segments;
	struct tfr_fetch_ahead ahead;
	struct tfr_class *classes; /* the categories of objects, by their ids */
};

static bool is_asked(const struct tfr_convert_opts *opts)
{
	return opts->input.annotations || opts->input.captions || opts->input.panoptic;
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	return is_asked(opts) ||
	       (!opts->input.masks && !opts->classes.list && !opts->classes.synsets &&
		       tfr_parts_recognised(tfr_coco_find, offer));
}

/* --- one image --- */

static bool image_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct coco *coco = ctx;
	const struct tfr_coco *c = &coco->data;
	const char *name = c->names + c->images[coco->in.order ? coco->in.order[i] : i].name;

	(void)size;
	return tfr_path_is_below(name) && tfr_buf_append(path, name, strlen(name) + 1);
}

/* Boxes without one of them would be other annotations. */
static void skip_bad(const struct tfr_coco *c, struct tfr_item *item)
{
	uint32_t k = c->bad[item->number] - 1, category = c->category_of[k];
	const struct tfr_coco_annotation *a = &c->annotations[k];

	if (category == UINT32_MAX)
		tfr_item_skip(item, TFR_EDATA,
			"an annotation of category %lld, which is not in 'categories', at byte "
			"%llu",
			(long long)a->category, (unsigned long long)a->at);
	else
		tfr_item_skip(item, TFR_EDATA,
			"an annotation with %u keypoints, of which its category names %u, at byte "
			"%llu",
			a->n, c->categories[category].n_points, (unsigned long long)a->at);
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct coco *coco = (struct coco *)in;
	const struct tfr_coco *c = &coco->data;
	const char *name = c->names + c->images[item->number].name;

	(void)room;
	tfr_fetch_ahead_of(&coco->ahead, coco->root, in->order ? in->place : item->number,
		in->ahead, image_path, coco);
	TFR_NEED_MEMORY(tfr_item_name(item, name, strlen(name)), err, "reading images");
	if (!tfr_path_is_below(name))
		tfr_item_skip(item, TFR_EDATA, "a name that leads out of the folder of images");
	else if (c->bad[item->number])
		skip_bad(c, item);
	return TFR_OK;
}

/* --- keypoints --- */

static const struct tfr_coco_annotation *annotation(const struct tfr_coco *c, uint64_t k)
{
	assert(k < c->first[c->n_images]);
	return &c->annotations[c->order[k]];
}

static const struct tfr_coco_category *category(const struct tfr_coco *c, uint64_t k)
{
	return &c->categories[c->category_of[c->order[k]]];
}

/* Keypoint `n` of a box; a box without keypoints has zeros. */
static struct tfr_coco_point point(const struct tfr_coco *c, uint64_t k, uint32_t n)
{
	const struct tfr_coco_annotation *a = annotation(c, k);

	/* Images with another number than the category's are skipped. */
	assert(!a->n || a->n == category(c, k)->n_points);
	return a->n ? c->points[a->first + n] : (struct tfr_coco_point){ 0 };
}

/* Adds image/object/keypoint/{x,y,visibility,num,text} of the boxes of image `i`.  Each box has
 * as many keypoints as its category names; a box without keypoints has zeros (tensorflow/models,
 * research/object_detection/dataset_tools/create_coco_tf_record.py). */
static enum tfr_status add_points(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_boxes *b, struct tfr_error *err)
{
	struct tfr_builder *builder = item->builder;
	bool good = true;

	tfr_boxes_reset(b);
	for (uint64_t k = c->first[i]; good && k < c->first[i + 1]; k++) {
		const char *name = c->names + category(c, k)->points;

		for (uint32_t n = 0; good && n < category(c, k)->n_points; n++) {
			struct tfr_coco_point p = point(c, k, n);

			good = tfr_boxes_add_float(&b->floats[0], p.x / c->images[i].width) &&
			       tfr_boxes_add_float(&b->floats[1], p.y / c->images[i].height) &&
			       tfr_boxes_add_int(&b->ints[0], p.visibility) &&
			       tfr_boxes_add_text(&b->names, name);
			name += strlen(name) + 1;
		}
		good = good && tfr_boxes_add_int(&b->ints[1], annotation(c, k)->labelled);
	}
	TFR_NEED_MEMORY(good, err, "reading annotations");
	TFR_TRY(tfr_put_floats(builder, "image/object/keypoint/x", &b->floats[0], err));
	TFR_TRY(tfr_put_floats(builder, "image/object/keypoint/y", &b->floats[1], err));
	TFR_TRY(tfr_put_ints(builder, "image/object/keypoint/visibility", &b->ints[0], err));
	TFR_TRY(tfr_put_ints(builder, "image/object/keypoint/num", &b->ints[1], err));
	return tfr_put_texts(builder, "image/object/keypoint/text", &b->names, err);
}

/* --- boxes --- */

static enum tfr_status add_boxes(
	const struct tfr_coco *c, struct tfr_item *item, struct tfr_boxes *b, struct tfr_error *err)
{
	const struct tfr_coco_image *image = &c->images[item->number];
	bool good = true;

	tfr_boxes_reset(b);
	for (uint64_t k = c->first[item->number]; good && k < c->first[item->number + 1]; k++) {
		const struct tfr_coco_annotation *a = annotation(c, k);
		const double corners[4] = { a->box[0], a->box[1], a->box[0] + a->box[2],
			a->box[1] + a->box[3] };

		good = tfr_boxes_add(b, corners, image->width, image->height) &&
		       tfr_boxes_add_class(
			       b, category(c, k)->id, c->names + category(c, k)->name) &&
		       tfr_boxes_add_float(&b->floats[0], a->area) &&
		       tfr_boxes_add_int(&b->ints[0], a->crowd);
	}
	TFR_NEED_MEMORY(good, err, "reading annotations");
	TFR_TRY(tfr_boxes_put(b, item->builder, err));
	TFR_TRY(tfr_put_floats(item->builder, "image/object/area", &b->floats[0], err));
	TFR_TRY(tfr_put_ints(item->builder, "image/object/is_crowd", &b->ints[0], err));
	return c->keypoints ? add_points(c, item->number, item, b, err) : TFR_OK;
}

/* --- masks --- */

/* Draws the shape of annotation `a` and appends it to the masks. */
static enum tfr_status draw(struct tfr_item *item, const struct tfr_coco_annotation *a,
	struct tfr_canvas *canvas, struct tfr_workbench *bench, struct tfr_error *err)
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
		status = tfr_mask_add(item, &image, bench, &why);
	if (!status && item->more.size > MOST_MASKS)
		tfr_item_skip(item, TFR_EDATA, "its masks are larger than 1 GiB");
	return status ? tfr_fail_nomem(err, "drawing masks") : TFR_OK;
}

static enum tfr_status draw_all(struct tfr_item *item, const struct tfr_coco *c,
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
	bench->pixels.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&bench->pixels, pixels), err, "drawing masks");
	canvas.pixels = bench->pixels.data;
	canvas.scratch = bench->scratch;
	for (uint64_t k = c->first[item->number];
		!status && !item->skipped && k < c->first[item->number + 1]; k++) {
		size_t before = item->more.size;

		status = draw(item, annotation(c, k), &canvas, bench, err);
		tfr_room_reserve(room, item->more.size - before);
	}
	bench->scratch = canvas.scratch;
	return status;
}

/* Puts the masks in item->more, which grows no longer: those of the first `n` boxes, and two of the
 * segments if there are more. */
static enum tfr_status put_masks(
	struct tfr_item *item, size_t n, struct tfr_workbench *bench, struct tfr_error *err)
{
	const size_t *ends = (const size_t *)(void *)bench->ends.data;
	size_t all = bench->ends.size / sizeof(*ends);
	struct tfr_bytes *masks;

	assert(all == n || all == n + 2);
	bench->boxes.names.size = 0;
	TFR_NEED_MEMORY(
		tfr_buf_reserve(&bench->boxes.names, all * sizeof(*masks)), err, "drawing masks");
	masks = (struct tfr_bytes *)(void *)bench->boxes.names.data;
	for (size_t k = 0; k < all; k++) {
		size_t from = k ? ends[k - 1] : 0;

		masks[k] = (struct tfr_bytes){ item->more.data + from, ends[k] - from };
	}
	if (n)
		TFR_TRY(tfr_builder_bytes_ref(item->builder, "image/object/mask", masks, n, err));
	if (all == n)
		return TFR_OK;
	TFR_TRY(tfr_builder_bytes_ref(
		item->builder, "image/panoptic/category_mask", &masks[n], 1, err));
	return tfr_builder_bytes_ref(
		item->builder, "image/panoptic/instance_mask", &masks[n + 1], 1, err);
}

/* --- captions --- */

/* Adds image/caption: the captions of image `i`, in the order of the file. */
static enum tfr_status add_captions(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_boxes *b, struct tfr_error *err)
{
	b->names.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++)
		TFR_NEED_MEMORY(tfr_boxes_add_text(&b->names, c->names + annotation(c, k)->text),
			err, "reading annotations");
	return b->names.size ? tfr_put_texts(item->builder, "image/caption", &b->names, err)
			     : TFR_OK;
}

/* --- panoptic --- */

struct painting {
	const struct tfr_coco *c;
	const struct tfr_coco_annotation *a;
	struct tfr_item *item;
	const char *name; /* of the image of segments */
};

static void skip(const struct painting *p, const char *reason)
{
	tfr_item_skip(p->item, TFR_EDATA, "its segments '%s': %s", p->name, reason);
}

/* Sets the values for the pixels of a segment.  False: a number is above 255, and the item is
 * skipped. */
static bool numbers_of(
	const struct painting *p, uint32_t n, uint8_t *of_category, uint8_t *of_thing)
{
	const struct tfr_coco_segment *s = &p->c->segments[p->a->first + n];
	const struct tfr_coco_category *k = tfr_coco_category_of(p->c, s->category);
	char reason[128];

	if (!k)
		snprintf(reason, sizeof(reason), "a segment of category %lld, which is not listed",
			(long long)s->category);
	else if (s->category < 0 || s->category > 255)
		snprintf(reason, sizeof(reason), "the category %lld, which 8 bits cannot hold",
			(long long)s->category);
	else if (k->thing && n >= 255)
		snprintf(
			reason, sizeof(reason), "more than 255 segments, which 8 bits cannot hold");
	else {
		*of_category = (uint8_t)s->category;
		*of_thing = k->thing ? (uint8_t)(n + 1) : 0;
		return true;
	}
	skip(p, reason);
	return false;
}

/* Finds the segment of a pixel by its id: R + 256 G + 65536 B
 * (https://cocodataset.org/#format-data).  Of equal ids the last one counts, because the script
 * paints one over the other.  UINT32_MAX: none. */
static uint32_t segment_of(const struct painting *p, int64_t id)
{
	for (uint32_t n = p->a->n; n-- > 0;)
		if (p->c->segments[p->a->first + n].id == id)
			return n;
	return UINT32_MAX;
}

/* Paints both masks; adjacent pixels mostly have the same segment. */
static void paint(
	const struct painting *p, const struct tfr_image *ids, uint8_t *categories, uint8_t *things)
{
	uint8_t category = 0, thing = 0;
	int64_t last = -1;

	for (uint32_t y = 0; y < ids->height && !p->item->skipped; y++) {
		const uint8_t *row = ids->data + (size_t)y * ids->stride;

		for (uint32_t x = 0; x < ids->width; x++, row += 3) {
			int64_t id = row[0] | row[1] << 8 | row[2] << 16;

			if (id != last) {
				uint32_t n = segment_of(p, id);

				category = thing = 0;
				if (n != UINT32_MAX && !numbers_of(p, n, &category, &thing))
					return;
				last = id;
			}
			*categories++ = category;
			*things++ = thing;
		}
	}
}

/* Decodes the image of segments, in the decoder's memory. */
static enum tfr_status decode(const struct painting *p, const struct tfr_buf *file, uint32_t width,
	uint32_t height, struct tfr_workbench *bench, struct tfr_image *ids, struct tfr_error *err)
{
	struct tfr_decoder *decoder = tfr_workbench_decoder(bench);
	struct tfr_image_info info;
	struct tfr_error why = { 0 };

	TFR_NEED_MEMORY(decoder, err, "decoding masks");
	if (tfr_image_probe(file->data, file->size, &info, &why))
		skip(p, why.message);
	else if (info.format != TFR_IMAGE_PNG || info.components != 3 || info.bit_depth != 8)
		skip(p, "not a PNG of 3 channels of 8 bits");
	else if (info.width != width || info.height != height)
		skip(p, "not of the size of its image");
	else if (tfr_decode(decoder, file->data, file->size, NULL, 3, ids, &why))
		skip(p, why.message);
	return why.status == TFR_ENOMEM ? tfr_fail_nomem(err, "decoding masks") : TFR_OK;
}

/* Adds two masks of image `i` by tfr_mask_add(), those of image/panoptic/{category_mask,
 * instance_mask} (tensorflow/models, official/vision/data/create_coco_tf_record.py).  They have
 * each pixel's category, and the position of its segment in the list, from 1, if the category is of
 * things; otherwise 0.  `folder` has the images of segments.  A fault skips the item. */
static enum tfr_status paint_panoptic(const struct tfr_coco *c, size_t i,
	const struct tfr_root *folder, struct tfr_item *item, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco_image *image = &c->images[i];
	struct painting p = { .c = c, .item = item };
	size_t pixels = (size_t)image->width * image->height, before = item->more.size;
	struct tfr_buf *file = &bench->encoded;
	struct tfr_image ids = { 0 };

	if (c->first[i] == c->first[i + 1])
		return TFR_OK;
	p.a = annotation(c, c->first[i]);
	p.name = c->names + p.a->text;
	if (!tfr_path_is_below(p.name)) {
		skip(&p, "a name that leads out of the folder");
		return TFR_OK;
	}
	TFR_TRY(tfr_item_read_other(item, file, folder, p.name, room, err));
	if (item->skipped)
		tfr_item_blame(item, "its segments", p.name);
	else
		TFR_TRY(decode(&p, file, image->width, image->height, bench, &ids, err));
	if (item->skipped)
		return TFR_OK;
	bench->pixels.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&bench->pixels, 2 * pixels), err, "drawing masks");
	paint(&p, &ids, bench->pixels.data, bench->pixels.data + pixels);
	if (item->skipped)
		return TFR_OK;
	for (size_t k = 0; k < 2; k++) {
		struct tfr_image mask = { bench->pixels.data + k * pixels, image->width,
			image->width, image->height, 1 };

		TFR_TRY(tfr_mask_add(item, &mask, bench, err));
	}
	tfr_room_reserve(room, item->more.size - before);
	return TFR_OK;
}

/* The image of segments counts in the mark alone: the record has masks in its place. */
static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *m)
{
	const struct coco *coco = (const struct coco *)in;
	const struct tfr_coco *c = coco->panoptic;
	uint32_t i = c ? coco->panoptic_of[item->number] : UINT32_MAX;
	uint64_t bytes;

	*m = (struct tfr_measure){ 0 };
	if (item->skipped)
		return;
	tfr_measure_add(coco->root, (const char *)item->name.data, m);
	if (i == UINT32_MAX || c->first[i] == c->first[i + 1])
		return;
	bytes = m->bytes;
	tfr_measure_add(coco->segments, c->names + annotation(c, c->first[i])->text, m);
	m->bytes = bytes;
}

/* --- all of an image --- */

static enum tfr_status add_all(const struct coco *coco, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco *c = &coco->data;
	uint32_t i = (uint32_t)item->number;
	char id[32];
	size_t n;

	bench->ends.size = 0;
	snprintf(id, sizeof(id), "%lld", (long long)c->images[i].id);
	TFR_TRY(tfr_builder_text(item->builder, "image/source_id", id, err));
	if (coco->objects && c->first[i] < c->first[i + 1]) {
		TFR_TRY(add_boxes(c, item, &bench->boxes, err));
		if (coco->in.opts->input.draw_masks)
			TFR_TRY(draw_all(item, c, bench, room, err));
	}
	n = bench->ends.size / sizeof(size_t);
	if (!item->skipped && coco->captions && coco->caption_of[i] != UINT32_MAX)
		TFR_TRY(add_captions(
			coco->captions, coco->caption_of[i], item, &bench->boxes, err));
	if (!item->skipped && coco->panoptic && coco->panoptic_of[i] != UINT32_MAX)
		TFR_TRY(paint_panoptic(coco->panoptic, coco->panoptic_of[i], coco->segments, item,
			bench, room, err));
	return item->skipped ? TFR_OK : put_masks(item, n, bench, err);
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct coco *coco = (struct coco *)in;
	const struct tfr_coco_image *image = &coco->data.images[item->number];
	struct tfr_image_info info;

	TFR_TRY(tfr_image_read(item, coco->root, room, &info, err));
	if (!item->skipped && (info.width != image->width || info.height != image->height)) {
		tfr_item_skip(item, TFR_EDATA, "%u x %u, but %u x %u in the annotations",
			info.width, info.height, image->width, image->height);
		item->finding = TFR_FOUND_SIZE;
	}
	if (!item->skipped)
		TFR_TRY(tfr_image_add(in, item, bench, err));
	return item->skipped ? TFR_OK : add_all(coco, item, bench, room, err);
}

/* --- the file --- */

static void say(const struct tfr_convert_opts *opts, const char *path, size_t n, const char *what)
{
	if (n)
		tfr_warn(opts, "%zu annotation%s of '%s' %s", n, n == 1 ? "" : "s", path, what);
}

static void say_all(const struct coco *coco, const struct tfr_coco *c, const char *path)
{
	const struct tfr_convert_opts *o = coco->in.opts;
	size_t shapeless = 0;
	char what[160];

	if (c->strays)
		snprintf(what, sizeof(what),
			"left out: of an image that is not listed (the first of image %lld, at "
			"byte %llu)",
			(long long)c->annotations[c->first_stray].image,
			(unsigned long long)c->annotations[c->first_stray].at);
	say(o, path, c->strays, what);
	say(o, path, c->boxless, "left out: without a 'bbox'");
	say(o, path, c->unusable, "left out: a box without an area or past the edge of its image");
	say(o, path, c->same_ids, "kept, with the id of another one");
	/* the kept annotations whose mask has no shape */
	for (uint64_t k = 0; o->input.draw_masks && c == coco->objects && k < c->first[c->n_images];
		k++)
		shapeless += !annotation(c, k)->shape_size;
	say(o, path, shapeless, "without a 'segmentation': an empty mask each");
}

static void close_coco(struct tfr_input *in)
{
	struct coco *coco = (struct coco *)in;

	tfr_coco_clear(&coco->data);
	tfr_coco_clear(&coco->others[0]);
	tfr_coco_clear(&coco->others[1]);
	free(coco->caption_of);
	free(coco->panoptic_of);
	tfr_root_close(coco->root);
	tfr_root_close(coco->segments);
	free(coco->prefix);
	free(coco->classes);
	free(coco);
}

/* The folder with the images of segments: "panoptic_val2017" beside "panoptic_val2017.json", as
 * in COCO. */
static enum tfr_status open_segments(struct coco *coco, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = coco->in.opts;
	size_t n = strlen(o->input.panoptic);
	TFR_AUTO_FREE char *path = NULL;
	enum tfr_status status;

	if (o->input.segments)
		path = strdup(o->input.segments);
	else
		path = strndup(o->input.panoptic,
			n > 5 && !strcmp(o->input.panoptic + n - 5, ".json") ? n - 5 : n);
	TFR_NEED_MEMORY(path, err, "reading annotations");
	status = tfr_root_open(&coco->segments, path, err);
	if (status && !o->input.segments)
		tfr_error_hint(err, "Name the folder with --panoptic-masks.");
	return status;
}

/* Reads a file, the first one into coco->data; *places has the positions of that one's images in
 * this file. */
static enum tfr_status read_file(struct coco *coco, const char *path, enum tfr_coco_what what,
	struct tfr_coco *other, const struct tfr_coco **read, uint32_t **places,
	struct tfr_error *err)
{
	const struct tfr_convert_opts *o = coco->in.opts;
	struct tfr_coco_opts opts = { .what = what,
		.threads = o->run.threads,
		.shapes = o->input.draw_masks && what == TFR_COCO_OBJECTS };
	bool first = !coco->objects && !coco->captions && !coco->panoptic;
	struct tfr_coco *c = first ? &coco->data : other;

	if (!path)
		return TFR_OK;
	TFR_TRY(tfr_coco_read(c, path, &opts, err));
	*read = c;
	say_all(coco, c, path);
	return places ? tfr_coco_match(&coco->data, c, places, err) : TFR_OK;
}

/* Adds the categories of `other` to the classes of `coco`, which `in` gets. */
static enum tfr_status add_classes(
	struct coco *coco, const struct coco *other, struct tfr_input *in, struct tfr_error *err)
{
	const struct tfr_coco *c = &other->data;
	size_t n = coco->in.n_classes;
	struct tfr_class *larger =
		reallocarray(coco->classes, n + c->n_categories + 1, sizeof(*coco->classes));

	TFR_NEED_MEMORY(larger, err, "reading annotations");
	coco->classes = larger;
	for (size_t i = 0; other->objects && i < c->n_categories; i++) {
		struct tfr_class one = { .label = c->categories[i].id,
			.text = c->names + c->categories[i].name };

		if (!n || !bsearch(&one, larger, n, sizeof(one), tfr_class_by_label))
			larger[coco->in.n_classes++] = one;
	}
	qsort(larger, coco->in.n_classes, sizeof(*larger), tfr_class_by_label);
	coco->in.classes = in->classes = larger;
	in->n_classes = coco->in.n_classes;
	return TFR_OK;
}

/* Images that the file does not list are often those not yet labelled. */
static enum tfr_status say_unlisted(const struct coco *coco, struct tfr_error *err)
{
	size_t images;

	TFR_TRY(tfr_scan_count(coco->prefix, tfr_is_image, &images, err));
	if (images > coco->data.n_images)
		tfr_warn(coco->in.opts,
			"%zu of %zu images in '%s' left out: the annotations do not list them",
			images - coco->data.n_images, images, coco->prefix);
	return TFR_OK;
}

/* `annotations` can be NULL if one of the other two files is given. */
static enum tfr_status open_files(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const char *images, const char *annotations, struct tfr_error *err)
{
	struct coco *coco = calloc(1, sizeof(*coco));

	TFR_NEED_MEMORY(coco, err, "reading annotations");
	*in = &coco->in;
	coco->in.ops = &tfr_input_coco;
	coco->in.opts = opts;
	coco->root = coco->segments = NULL;
	TFR_TRY(tfr_open_named_folder(&coco->root, &coco->prefix, images, err));
	coco->in.prefix = coco->prefix;
	TFR_TRY(read_file(coco, annotations, TFR_COCO_OBJECTS, NULL, &coco->objects, NULL, err));
	TFR_TRY(read_file(coco, opts->input.captions, TFR_COCO_CAPTIONS, &coco->others[0],
		&coco->captions, &coco->caption_of, err));
	TFR_TRY(read_file(coco, opts->input.panoptic, TFR_COCO_PANOPTIC, &coco->others[1],
		&coco->panoptic, &coco->panoptic_of, err));
	if (opts->input.panoptic)
		TFR_TRY(open_segments(coco, err));
	coco->in.items = coco->data.n_images;
	TFR_TRY(say_unlisted(coco, err));
	return add_classes(coco, coco, &coco->in, err);
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
	struct coco *first = (struct coco *)parts[0];

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
		TFR_TRY(add_classes(first, c, whole, err));
	}
	return TFR_OK;
}

static enum tfr_status open_coco(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_parts_kind kind = {
		.ops = &tfr_input_coco,
		.find = tfr_coco_find,
		.none = "no COCO annotations in",
		.open = open_part,
		.unite = unite,
	};
	if (opts->classes.base)
		return tfr_fail(err, TFR_EUSAGE,
			"--label-base does not apply: the annotations number the classes");
	if (is_asked(opts))
		return open_files(in, opts, opts->input.paths[0], opts->input.annotations, err);
	return tfr_parts_open(in, &kind, opts, err);
}

const struct tfr_input_ops tfr_input_coco = {
	.name = "coco",
	.what = "images with COCO annotations",
	.nothing = "no image that the annotations name in",
	.refused = "not a usable image",
	.images = true,
	.splits = true,
	.tree = "",
	.recognises = recognises,
	.open = open_coco,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_coco,
};
