/* convert/coco/coco_features.c - features of TensorFlow's own scripts for COCO, with their order
 * and rounding: quotients are computed in doubles. */
#include "convert/coco/coco_features.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void tfr_coco_scratch_clear(struct tfr_coco_scratch *s)
{
	tfr_buf_clear(&s->floats);
	tfr_buf_clear(&s->ints);
	tfr_buf_clear(&s->texts);
	tfr_buf_clear(&s->ids);
	tfr_buf_clear(&s->category);
	tfr_buf_clear(&s->instance);
}

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

	return a->n ? c->points[a->first + n] : (struct tfr_coco_point){ 0 };
}

static enum tfr_status add_axis(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, bool across, struct tfr_error *err)
{
	double size = across ? c->images[i].width : c->images[i].height;

	s->floats.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++)
		for (uint32_t n = 0; n < category(c, k)->n_points; n++) {
			struct tfr_coco_point p = point(c, k, n);
			float f = (float)((across ? p.x : p.y) / size);

			if (!tfr_buf_append(&s->floats, &f, sizeof(f)))
				return tfr_fail_nomem(err, "reading annotations");
		}
	return tfr_builder_floats(item->builder,
		across ? "image/object/keypoint/x" : "image/object/keypoint/y",
		(const float *)(void *)s->floats.data, s->floats.size / sizeof(float), err);
}

static enum tfr_status add_visibility(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, struct tfr_error *err)
{
	s->ints.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++)
		for (uint32_t n = 0; n < category(c, k)->n_points; n++) {
			int64_t v = point(c, k, n).visibility;

			if (!tfr_buf_append(&s->ints, &v, sizeof(v)))
				return tfr_fail_nomem(err, "reading annotations");
		}
	return tfr_builder_int64s(item->builder, "image/object/keypoint/visibility",
		(const int64_t *)(void *)s->ints.data, s->ints.size / sizeof(int64_t), err);
}

static enum tfr_status add_numbers_labelled(const struct tfr_coco *c, size_t i,
	struct tfr_item *item, struct tfr_coco_scratch *s, struct tfr_error *err)
{
	s->ints.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++)
		if (!tfr_buf_append(&s->ints, &annotation(c, k)->labelled, sizeof(int64_t)))
			return tfr_fail_nomem(err, "reading annotations");
	return tfr_builder_int64s(item->builder, "image/object/keypoint/num",
		(const int64_t *)(void *)s->ints.data, s->ints.size / sizeof(int64_t), err);
}

static enum tfr_status add_point_names(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, struct tfr_error *err)
{
	s->texts.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++) {
		const char *name = c->names + category(c, k)->points;

		for (uint32_t n = 0; n < category(c, k)->n_points; n++) {
			struct tfr_bytes text = { (const uint8_t *)name, strlen(name) };

			if (!tfr_buf_append(&s->texts, &text, sizeof(text)))
				return tfr_fail_nomem(err, "reading annotations");
			name += text.size + 1;
		}
	}
	return tfr_builder_bytes(item->builder, "image/object/keypoint/text",
		(const struct tfr_bytes *)(void *)s->texts.data,
		s->texts.size / sizeof(struct tfr_bytes), err);
}

enum tfr_status tfr_coco_add_points(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, struct tfr_error *err)
{
	enum tfr_status status = add_axis(c, i, item, s, true, err);

	if (!status)
		status = add_axis(c, i, item, s, false, err);
	if (!status)
		status = add_visibility(c, i, item, s, err);
	if (!status)
		status = add_numbers_labelled(c, i, item, s, err);
	return status ? status : add_point_names(c, i, item, s, err);
}

/* --- captions --- */

enum tfr_status tfr_coco_add_captions(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, struct tfr_error *err)
{
	uint64_t n = c->first[i + 1] - c->first[i];

	if (!n)
		return TFR_OK;
	s->texts.size = 0;
	for (uint64_t k = c->first[i]; k < c->first[i + 1]; k++) {
		const char *text = c->names + annotation(c, k)->text;
		struct tfr_bytes caption = { (const uint8_t *)text, strlen(text) };

		if (!tfr_buf_append(&s->texts, &caption, sizeof(caption)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	return tfr_builder_bytes(item->builder, "image/caption",
		(const struct tfr_bytes *)(void *)s->texts.data, n, err);
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

static enum tfr_status encode(struct tfr_item *item, const char *key, uint8_t *pixels,
	uint32_t width, uint32_t height, struct tfr_buf *out, struct tfr_workbench *bench,
	struct tfr_error *err)
{
	static const struct tfr_encode_opts opts = { .format = TFR_IMAGE_PNG, .runs = true };
	struct tfr_image image = { pixels, width, width, height, 1 };
	struct tfr_encoder *encoder = tfr_workbench_encoder(bench);
	struct tfr_bytes value;
	enum tfr_status status;
	const void *png;
	size_t size;

	if (!encoder)
		return tfr_fail_nomem(err, "drawing masks");
	status = tfr_encode(encoder, &image, &opts, &png, &size, err);
	if (status)
		return status;
	out->size = 0;
	if (!tfr_buf_append(out, png, size))
		return tfr_fail_nomem(err, "drawing masks");
	value = (struct tfr_bytes){ out->data, out->size };
	return tfr_builder_bytes_ref(item->builder, key, &value, 1, err);
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

/* Reads the image of segments into s->ids; the item's own image stays in place for the record. */
static enum tfr_status read_segments(const struct painting *p, int folder,
	struct tfr_coco_scratch *s, const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_item *item = p->item;
	struct tfr_buf image = item->file;
	char reason[sizeof(item->reason)];
	size_t before = item->size;
	enum tfr_status status;

	item->file = s->ids;
	status = tfr_item_read(item, folder, p->name, NULL, room, err);
	s->ids = item->file;
	item->file = image;
	item->size += before;
	if (!status && item->skipped) {
		memcpy(reason, item->reason, sizeof(reason));
		tfr_item_skip(item, item->why, "its segments '%s': %s", p->name, reason);
	}
	return status;
}

enum tfr_status tfr_coco_add_panoptic(const struct tfr_coco *c, size_t i, int folder,
	struct tfr_item *item, struct tfr_coco_scratch *s, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco_image *image = &c->images[i];
	struct painting p = { .c = c, .item = item };
	size_t pixels = (size_t)image->width * image->height;
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
	status = read_segments(&p, folder, s, room, err);
	if (!status && !item->skipped)
		status = decode(&p, &s->ids, image->width, image->height, bench, &ids, err);
	if (status || item->skipped)
		return status;
	bench->pixels.size = 0;
	if (!tfr_buf_reserve(&bench->pixels, 2 * pixels))
		return tfr_fail_nomem(err, "drawing masks");
	paint(&p, &ids, bench->pixels.data, bench->pixels.data + pixels);
	if (item->skipped)
		return TFR_OK;
	status = encode(item, "image/panoptic/category_mask", bench->pixels.data, image->width,
		image->height, &s->category, bench, err);
	if (!status)
		status = encode(item, "image/panoptic/instance_mask", bench->pixels.data + pixels,
			image->width, image->height, &s->instance, bench, err);
	tfr_room_reserve(room, s->category.size + s->instance.size);
	return status;
}
