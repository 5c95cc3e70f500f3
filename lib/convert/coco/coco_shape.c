/* convert/coco/coco_shape.c - parses points and runs by json-c when a shape is drawn, which
 * takes much longer than the parsing. */
#include "convert/coco/coco_shape.h"

#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "base/json_read.h"

enum { DEEPEST = 8 };

static enum tfr_status polygon(struct tfr_canvas *c, struct json_object *list,
	struct tfr_buf *points, struct tfr_error *err)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 1;

	if (n % 2)
		return tfr_fail(err, TFR_EDATA, "a polygon that is not pairs of numbers");
	points->size = 0;
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		double d = json_object_get_double(v);

		if (!json_object_is_type(v, json_type_int) &&
			!json_object_is_type(v, json_type_double))
			return tfr_fail(err, TFR_EDATA, "a polygon that is not pairs of numbers");
		if (!tfr_buf_append(points, &d, sizeof(d)))
			return tfr_fail_nomem(err, "drawing masks");
	}
	return tfr_draw_polygon(c, (const double *)(void *)points->data, n / 2, err);
}

static enum tfr_status polygons(
	struct tfr_canvas *c, struct json_object *list, struct tfr_error *err)
{
	size_t n = json_object_array_length(list);
	TFR_AUTO_BUF points = { 0 };
	enum tfr_status status = TFR_OK;

	if (!n)
		return tfr_fail(err, TFR_EDATA, "not a polygon");
	for (size_t i = 0; !status && i < n; i++)
		status = polygon(c, json_object_array_get_idx(list, i), &points, err);
	return status;
}

static bool is_number(struct json_object *v, int64_t low, int64_t high)
{
	return json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= low &&
	       json_object_get_int64(v) <= high;
}

static enum tfr_status runs(struct tfr_canvas *c, struct json_object *list, struct tfr_error *err)
{
	TFR_AUTO_BUF numbers = { 0 };
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		uint32_t run;

		if (!is_number(v, 0, UINT32_MAX))
			return tfr_fail(err, TFR_EDATA, "runs that are not numbers of pixels");
		run = (uint32_t)json_object_get_int64(v);
		if (!tfr_buf_append(&numbers, &run, sizeof(run)))
			return tfr_fail_nomem(err, "drawing masks");
	}
	return tfr_draw_runs(c, (const uint32_t *)(void *)numbers.data, n, err);
}

static enum tfr_status rle(struct tfr_canvas *c, struct json_object *o, struct tfr_error *err)
{
	struct json_object *counts, *size, *h = NULL, *w = NULL;

	if (json_object_object_get_ex(o, "size", &size) &&
		json_object_is_type(size, json_type_array) && json_object_array_length(size) == 2) {
		h = json_object_array_get_idx(size, 0);
		w = json_object_array_get_idx(size, 1);
	}
	if (!is_number(h, c->height, c->height) || !is_number(w, c->width, c->width))
		return tfr_fail(err, TFR_EDATA, "runs whose 'size' is not that of the image");
	if (json_object_object_get_ex(o, "counts", &counts)) {
		if (json_object_is_type(counts, json_type_array))
			return runs(c, counts, err);
		if (json_object_is_type(counts, json_type_string))
			return tfr_draw_text(c, json_object_get_string(counts),
				(size_t)json_object_get_string_len(counts), err);
	}
	return tfr_fail(err, TFR_EDATA, "runs without 'counts'");
}

enum tfr_status tfr_coco_shape_draw(
	struct tfr_canvas *c, const uint8_t *text, size_t size, struct tfr_error *err)
{
	struct json_object *shape = NULL;
	enum tfr_status status;

	memset(c->pixels, 0, (size_t)c->width * c->height);
	if (!size)
		return TFR_OK;
	status = tfr_json_read(&shape, text, size, &(struct tfr_json_limits){ .depth = DEEPEST }, err);
	if (status == TFR_ENOMEM)
		return status;
	if (shape && json_object_is_type(shape, json_type_array))
		status = polygons(c, shape, err);
	else if (shape && json_object_is_type(shape, json_type_object))
		status = rle(c, shape, err);
	else
		status = tfr_fail(err, TFR_EDATA, "neither polygons nor runs");
	json_object_put(shape);
	return status;
}
