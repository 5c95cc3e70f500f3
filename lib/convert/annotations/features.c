/* convert/annotations/features.c - makes features of what the table has for an image: boxes with
 * classes, keypoints and polygons, masks, captions, and the classes of an image that has several.
 *
 * Names and rounding are those of the Object Detection API (tensorflow/models,
 * research/object_detection/dataset_tools, official/vision/data/create_coco_tf_record.py):
 * quotients are computed in doubles and then rounded, as in Python.  For polygons it has no names;
 * they are like those of its keypoints. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "convert/annotations/kinds.h"
#include "convert/coco/coco_shape.h"
#include "convert/folder/mask.h"

enum { MOST_MASKS = 1 << 30 /* bytes of a record's masks */ };

static const char making[] = "making features of annotations";

/* The lists of an image: a feature each. */
enum list {
	XMIN,
	YMIN,
	XMAX,
	YMAX,
	LABEL,
	TEXT,
	AREA,
	CROWD,
	DIFFICULT,
	TRUNCATED,
	VIEW,
	POINT_X,
	POINT_Y,
	VISIBILITY,
	POINT_NUM,
	POINT_TEXT,
	CORNER_X,
	CORNER_Y,
	CORNER_NUM,
	CAPTION,
	TAG,
	TAG_TEXT,
	LISTS
};

_Static_assert((int)LISTS <= (int)TFR_WORKBENCH_LISTS, "a workbench has a buffer for each list");

static const struct {
	const char *key;
	enum tfr_kind kind;
} features[LISTS] = {
	[XMIN] = { "image/object/bbox/xmin", TFR_KIND_FLOAT },
	[YMIN] = { "image/object/bbox/ymin", TFR_KIND_FLOAT },
	[XMAX] = { "image/object/bbox/xmax", TFR_KIND_FLOAT },
	[YMAX] = { "image/object/bbox/ymax", TFR_KIND_FLOAT },
	[LABEL] = { "image/object/class/label", TFR_KIND_INT64 },
	[TEXT] = { "image/object/class/text", TFR_KIND_BYTES },
	[AREA] = { "image/object/area", TFR_KIND_FLOAT },
	[CROWD] = { "image/object/is_crowd", TFR_KIND_INT64 },
	[DIFFICULT] = { "image/object/difficult", TFR_KIND_INT64 },
	[TRUNCATED] = { "image/object/truncated", TFR_KIND_INT64 },
	[VIEW] = { "image/object/view", TFR_KIND_BYTES },
	[POINT_X] = { "image/object/keypoint/x", TFR_KIND_FLOAT },
	[POINT_Y] = { "image/object/keypoint/y", TFR_KIND_FLOAT },
	[VISIBILITY] = { "image/object/keypoint/visibility", TFR_KIND_INT64 },
	[POINT_NUM] = { "image/object/keypoint/num", TFR_KIND_INT64 },
	[POINT_TEXT] = { "image/object/keypoint/text", TFR_KIND_BYTES },
	[CORNER_X] = { "image/object/polygon/x", TFR_KIND_FLOAT },
	[CORNER_Y] = { "image/object/polygon/y", TFR_KIND_FLOAT },
	[CORNER_NUM] = { "image/object/polygon/num", TFR_KIND_INT64 },
	[CAPTION] = { "image/caption", TFR_KIND_BYTES },
	[TAG] = { "image/class/label", TFR_KIND_INT64 },
	[TAG_TEXT] = { "image/class/text", TFR_KIND_BYTES },
};

/* An image while its features are made. */
struct making {
	struct tfr_table *t;
	uint32_t image;
	struct tfr_item *item;
	struct tfr_workbench *bench;
	bool no_memory;
};

static void append(struct making *m, enum list list, const void *value, size_t size)
{
	m->no_memory |= !tfr_buf_append(&m->bench->lists[list], value, size);
}

static void add_int(struct making *m, enum list list, int64_t value)
{
	append(m, list, &value, sizeof(value));
}

static void add_float(struct making *m, enum list list, double value)
{
	float rounded = (float)value;

	append(m, list, &rounded, sizeof(rounded));
}

static void add_text(struct making *m, enum list list, uint32_t offset)
{
	const char *text = tfr_table_string(m->t, offset);
	struct tfr_bytes bytes = { (const uint8_t *)text, strlen(text) };

	append(m, list, &bytes, sizeof(bytes));
}

/* Puts the lists from `first` to before `end`, also empty ones. */
static enum tfr_status put(struct making *m, enum list first, enum list end, struct tfr_error *err)
{
	struct tfr_builder *b = m->item->builder;

	for (enum list i = first; i < end; i++) {
		const void *values = m->bench->lists[i].data;
		size_t size = m->bench->lists[i].size;
		const char *key = features[i].key;

		if (features[i].kind == TFR_KIND_FLOAT)
			TFR_TRY(tfr_builder_floats(b, key, values, size / sizeof(float), err));
		else if (features[i].kind == TFR_KIND_INT64)
			TFR_TRY(tfr_builder_int64s(b, key, values, size / sizeof(int64_t), err));
		else
			TFR_TRY(tfr_builder_bytes(
				b, key, values, size / sizeof(struct tfr_bytes), err));
	}
	return TFR_OK;
}

/* --- boxes --- */

/* Adds the class of a box.  One without a label skips the item. */
static void add_class(struct making *m, const struct tfr_table_class *class)
{
	const struct tfr_table *t = m->t;

	if (!class->numbered)
		tfr_item_skip(m->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'",
			tfr_table_string(t, class->name), t->opts->classes.labels);
	else if (!class->name && t->by_name)
		tfr_item_skip(m->item, TFR_EDATA,
			"'objects' with categories that are neither all numbers nor all texts");
	add_int(m, LABEL, class->label);
	if (class->name)
		add_text(m, TEXT, class->name);
}

/* Each box has as many keypoints as its class names; a box without keypoints has zeros
 * (tensorflow/models, research/object_detection/dataset_tools/create_coco_tf_record.py). */
static void add_keypoints(struct making *m, const struct tfr_box_more *more,
	const struct tfr_table_class *class, double width, double height)
{
	uint32_t name = class->points;

	for (uint32_t n = 0; n < class->n_points; n++) {
		struct tfr_keypoint p = { 0 };

		if (more->n)
			p = m->t->keypoints[more->first + n];
		add_float(m, POINT_X, p.x / width);
		add_float(m, POINT_Y, p.y / height);
		add_int(m, VISIBILITY, p.visibility);
		add_text(m, POINT_TEXT, name);
		name += (uint32_t)strlen(tfr_table_string(m->t, name)) + 1;
	}
	add_int(m, POINT_NUM, more->labelled);
}

static void add_box(struct making *m, const struct tfr_box *box, const struct tfr_box_more *more)
{
	const struct tfr_table *t = m->t;
	const struct tfr_image_info *came = &m->item->came;

	for (int side = 0; side < 4; side++)
		add_float(m, XMIN + side, box->side[side]);
	if (box->class != TFR_NO_BOX_CLASS)
		add_class(m, &t->classes[box->class]);
	if (t->areas)
		add_float(m, AREA, more->area);
	add_int(m, CROWD, box->crowd);
	add_int(m, DIFFICULT, box->difficult);
	add_int(m, TRUNCATED, box->truncated);
	if (t->poses)
		add_text(m, VIEW, more->view);
	if (t->has_keypoints)
		add_keypoints(m, more, &t->classes[box->class], came->width, came->height);
	for (uint32_t n = 0; t->polygons && n < more->n; n++) {
		add_float(m, CORNER_X, t->corners[more->first + n].x);
		add_float(m, CORNER_Y, t->corners[more->first + n].y);
	}
	if (t->polygons)
		add_int(m, CORNER_NUM, more->n);
}

/* Sets the box at place `k`.  False: it is left out; without an annotated size that is known only
 * now, and so are the fractions. */
static bool box_at(
	struct making *m, uint32_t k, struct tfr_box *box, const struct tfr_box_more **more)
{
	const struct tfr_table *t = m->t;
	const struct tfr_image_row *row = &t->images[m->image];
	const struct tfr_image_info *came = &m->item->came;
	static const struct tfr_box_more nothing;
	uint32_t i = tfr_table_box(t, k);
	double side[4];

	*box = t->boxes[i];
	*more = t->more ? &t->more[i] : &nothing;
	if (t->fractions || row->width || row->height)
		return true;
	memcpy(side, t->pixels[i], sizeof(side));
	if (!tfr_box_is_usable(t, side, came->width, came->height))
		return false;
	for (int s = 0; s < 4; s++)
		box->side[s] = (float)(side[s] / (s % 2 ? came->height : came->width));
	return true;
}

static enum tfr_status add_boxes(struct making *m, struct tfr_error *err)
{
	const struct tfr_table *t = m->t;
	const uint32_t end = tfr_table_boxes_end(t, m->image);
	const struct tfr_box_more *more;
	struct tfr_box box;

	for (uint32_t k = t->images[m->image].first; k < end && !m->item->skipped; k++)
		if (box_at(m, k, &box, &more))
			add_box(m, &box, more);
		else
			__atomic_fetch_add(&m->t->unusable, 1, __ATOMIC_RELAXED);
	if (m->item->skipped || !m->bench->lists[XMIN].size)
		return TFR_OK;
	TFR_TRY(put(m, XMIN, LABEL, err));
	if (m->bench->lists[LABEL].size)
		TFR_TRY(put(m, LABEL, TEXT, err));
	if (m->bench->lists[TEXT].size)
		TFR_TRY(put(m, TEXT, AREA, err));
	if (t->areas)
		TFR_TRY(put(m, AREA, DIFFICULT, err));
	if (t->poses)
		TFR_TRY(put(m, DIFFICULT, POINT_X, err));
	if (t->has_keypoints)
		TFR_TRY(put(m, POINT_X, CORNER_X, err));
	return t->polygons ? put(m, CORNER_X, CAPTION, err) : TFR_OK;
}

/* --- captions and tags --- */

static enum tfr_status add_captions(struct making *m, struct tfr_error *err)
{
	const struct tfr_table *t = m->t;
	size_t low = 0, high = t->n_captions;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->captions[middle].image < m->image)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < t->n_captions && t->captions[low].image == m->image; low++)
		add_text(m, CAPTION, t->captions[low].text);
	return m->bench->lists[CAPTION].size ? put(m, CAPTION, TAG, err) : TFR_OK;
}

static enum tfr_status add_tags(struct making *m, struct tfr_error *err)
{
	const struct tfr_table *t = m->t;
	const uint32_t end = tfr_table_tags_end(t, m->image);

	for (uint32_t k = t->images[m->image].tag; k < end && !m->item->skipped; k++) {
		const struct tfr_table_class *class = &t->classes[t->tags[k]];

		if (!class->numbered)
			tfr_item_skip(m->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'",
				tfr_table_string(t, class->name), t->opts->classes.labels);
		add_int(m, TAG, class->label);
		add_text(m, TAG_TEXT, class->name);
	}
	return m->item->skipped ? TFR_OK : put(m, TAG, LISTS, err);
}

/* --- masks --- */

static enum tfr_status draw_polygon(struct making *m, struct tfr_canvas *canvas,
	const struct tfr_box_more *more, struct tfr_error *why)
{
	const struct tfr_corner *corners = m->t->corners + more->first;
	struct tfr_buf *xy = &m->bench->encoded;
	double *p;

	memset(canvas->pixels, 0, (size_t)canvas->width * canvas->height);
	if (!more->n)
		return TFR_OK;
	xy->size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(xy, 2 * more->n * sizeof(*p)), why, making);
	p = (double *)(void *)xy->data;
	for (uint32_t n = 0; n < more->n; n++) {
		p[2 * n] = (double)corners[n].x * canvas->width;
		p[2 * n + 1] = (double)corners[n].y * canvas->height;
	}
	return tfr_draw_polygon(canvas, p, more->n, why);
}

/* Draws the shape of a box and appends it to the masks. */
static enum tfr_status draw_mask(struct making *m, const struct tfr_box_more *more,
	struct tfr_canvas *canvas, struct tfr_error *err)
{
	struct tfr_image image = { canvas->pixels, canvas->width, canvas->width, canvas->height,
		1 };
	struct tfr_error why;
	enum tfr_status status =
		m->t->polygons ? draw_polygon(m, canvas, more, &why)
			       : tfr_coco_shape_draw(canvas, more->shape, more->shape_size, &why);

	if (status == TFR_EDATA && m->t->polygons)
		tfr_item_skip(m->item, TFR_EDATA, "%s", why.message);
	else if (status == TFR_EDATA)
		tfr_item_skip(m->item, TFR_EDATA, "an annotation, at byte %llu, with %s",
			(unsigned long long)more->at, why.message);
	if (status == TFR_EDATA)
		return TFR_OK;
	if (!status)
		status = tfr_mask_add(m->item, &image, m->bench, &why);
	if (!status && m->item->more.size > MOST_MASKS)
		tfr_item_skip(m->item, TFR_EDATA, "its masks are larger than 1 GiB");
	return status ? tfr_fail_nomem(err, "drawing masks") : TFR_OK;
}

static enum tfr_status draw_masks(
	struct making *m, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_image_info *came = &m->item->came;
	const uint32_t first = m->t->images[m->image].first;
	const uint32_t end = tfr_table_boxes_end(m->t, m->image);
	struct tfr_canvas canvas = { .width = came->width, .height = came->height };
	uint64_t pixels = (uint64_t)came->width * came->height;
	const struct tfr_box_more *more;
	enum tfr_status status = TFR_OK;
	struct tfr_box box;

	if (first == end)
		return TFR_OK;
	if (pixels > TFR_CANVAS_MOST) {
		tfr_item_skip(m->item, TFR_EDATA, "%u x %u, too large for masks", came->width,
			came->height);
		return TFR_OK;
	}
	m->bench->pixels.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&m->bench->pixels, pixels), err, "drawing masks");
	canvas.pixels = m->bench->pixels.data;
	canvas.scratch = m->bench->scratch;
	for (uint32_t k = first; !status && !m->item->skipped && k < end; k++) {
		size_t before = m->item->more.size;

		if (box_at(m, k, &box, &more))
			status = draw_mask(m, more, &canvas, err);
		tfr_room_reserve(room, m->item->more.size - before);
	}
	m->bench->scratch = canvas.scratch;
	return status;
}

enum tfr_status tfr_masks_put(
	struct tfr_item *item, size_t n, struct tfr_workbench *bench, struct tfr_error *err)
{
	static const char *const panoptic[] = { "image/panoptic/category_mask",
		"image/panoptic/instance_mask" };
	const size_t *ends = (const size_t *)(void *)bench->ends.data;
	size_t all = bench->ends.size / sizeof(*ends);
	struct tfr_bytes *masks;

	assert(all == n || all == n + 2);
	bench->scratch.size = 0;
	TFR_NEED_MEMORY(
		tfr_buf_reserve(&bench->scratch, all * sizeof(*masks)), err, "drawing masks");
	masks = (struct tfr_bytes *)(void *)bench->scratch.data;
	for (size_t k = 0; k < all; k++) {
		size_t from = k ? ends[k - 1] : 0;

		masks[k] = (struct tfr_bytes){ item->more.data + from, ends[k] - from };
	}
	if (n)
		TFR_TRY(tfr_builder_bytes_ref(item->builder, "image/object/mask", masks, n, err));
	for (size_t k = n; k < all; k++)
		TFR_TRY(tfr_builder_bytes_ref(item->builder, panoptic[k - n], &masks[k], 1, err));
	return TFR_OK;
}

/* --- all of it --- */

enum tfr_status tfr_annotations_add(struct tfr_table *t, uint32_t image, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct making m = { t, image, item, bench, false };
	const uint32_t source = t->images[image].source;

	for (int i = 0; i < LISTS; i++)
		bench->lists[i].size = 0;
	if (source)
		TFR_TRY(tfr_builder_text(
			item->builder, "image/source_id", tfr_table_string(t, source), err));
	else if (t->named_source)
		TFR_TRY(tfr_builder_text(
			item->builder, "image/source_id", (const char *)item->name.data, err));
	TFR_TRY(add_boxes(&m, err));
	if (!item->skipped && t->opts->input.draw_masks)
		TFR_TRY(draw_masks(&m, room, err));
	if (!item->skipped && t->tagged)
		TFR_TRY(add_tags(&m, err));
	if (!item->skipped)
		TFR_TRY(add_captions(&m, err));
	TFR_NEED_MEMORY(!m.no_memory, err, making);
	return TFR_OK;
}
