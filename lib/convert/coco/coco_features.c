/* convert/coco/coco_features.c - features of TensorFlow's own scripts for COCO, with their order
 * and rounding: quotients are computed in doubles. */
#include "convert/coco/coco_features.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "convert/folder/mask.h"

bool tfr_coco_is_below(const char *name)
{
	for (const char *p = name; *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.')
			return false;
		p += n;
	}
	return *name && *name != '/';
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

	/* coco_read.c refuses another number than the category's. */
	assert(!a->n || a->n == category(c, k)->n_points);
	return a->n ? c->points[a->first + n] : (struct tfr_coco_point){ 0 };
}

enum tfr_status tfr_coco_add_points(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_boxes *b, struct tfr_error *err)
{
	bool good = true;
	enum tfr_status status;

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
	if (!good)
		return tfr_fail_nomem(err, "reading annotations");
	status = tfr_put_floats(item->builder, "image/object/keypoint/x", &b->floats[0], err);
	if (!status)
		status = tfr_put_floats(
			item->builder, "image/object/keypoint/y", &b->floats[1], err);
	if (!status)
		status = tfr_put_ints(
			item->builder, "image/object/keypoint/visibility", &b->ints[0], err);
	if (!status)
		status = tfr_put_ints(item->builder, "image/object/keypoint/num", &b->ints[1], err);
	return status ? status
		      : tfr_put_texts(item->builder, "image/object/keypoint/text", &b->names, err);
}

/* --- captions --- */

enum tfr_status tfr_coco_add_captions(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_boxes *b, struct tfr_error *err)
{
	b->names.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++)
		if (!tfr_boxes_add_text(&b->names, c->names + annotation(c, k)->text))
			return tfr_fail_nomem(err, "reading annotations");
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

	if (!decoder)
		return tfr_fail_nomem(err, "decoding masks");
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

/* Adds two masks of numbers, which are one after the other. */
static enum tfr_status add_masks(struct tfr_item *item, const struct tfr_coco_image *size,
	struct tfr_workbench *bench, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t k = 0; !status && k < 2; k++) {
		struct tfr_image mask = { bench->pixels.data +
						  k * ((size_t)size->width * size->height),
			size->width, size->width, size->height, 1 };

		status = tfr_mask_add(item, &mask, bench, err);
	}
	return status;
}

enum tfr_status tfr_coco_paint_panoptic(const struct tfr_coco *c, size_t i,
	const struct tfr_root *folder, struct tfr_item *item, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco_image *image = &c->images[i];
	struct painting p = { .c = c, .item = item };
	size_t pixels = (size_t)image->width * image->height, before = item->more.size;
	struct tfr_buf *file = &bench->encoded;
	struct tfr_image ids = { 0 };
	enum tfr_status status;

	if (c->first[i] == c->first[i + 1])
		return TFR_OK;
	p.a = annotation(c, c->first[i]);
	p.name = c->names + p.a->text;
	if (!tfr_coco_is_below(p.name)) {
		skip(&p, "a name that leads out of the folder");
		return TFR_OK;
	}
	status = tfr_item_read_other(item, file, folder, p.name, room, err);
	if (!status && item->skipped)
		tfr_item_blame(item, "its segments", p.name);
	if (!status && !item->skipped)
		status = decode(&p, file, image->width, image->height, bench, &ids, err);
	if (status || item->skipped)
		return status;
	bench->pixels.size = 0;
	if (!tfr_buf_reserve(&bench->pixels, 2 * pixels))
		return tfr_fail_nomem(err, "drawing masks");
	paint(&p, &ids, bench->pixels.data, bench->pixels.data + pixels);
	if (item->skipped)
		return TFR_OK;
	status = add_masks(item, image, bench, err);
	tfr_room_reserve(room, item->more.size - before);
	return status;
}
