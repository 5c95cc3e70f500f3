/* convert/coco/coco_parse.c - parses elements of a COCO file by json-c, except for the shapes.
 *
 * Shapes are most of the file.  They are kept as text or skipped until they are drawn.  The
 * parser gets the element up to its shape, a 0 in its place, and the rest. */
#include "convert/coco/coco_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "convert/number_text.h"

enum { DEEPEST = 16, POINTS_MOST = 10000 /* of an annotation */ };

static const char *const kinds[] = { "an image", "an annotation", "a category" };

/* --- the parser --- */

bool tfr_coco_parser_init(
	struct tfr_coco_parser *p, const char *path, enum tfr_coco_what what, bool shapes)
{
	*p = (struct tfr_coco_parser){ .path = path, .what = what, .shapes = shapes };
	p->json = json_tokener_new_ex(DEEPEST);
	if (p->json)
		json_tokener_set_flags(p->json, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	return p->json != NULL;
}

void tfr_coco_parser_clear(struct tfr_coco_parser *p)
{
	if (p->json)
		json_tokener_free(p->json);
	*p = (struct tfr_coco_parser){ 0 };
}

/* One element while it is parsed. */
struct element {
	const struct tfr_coco_parser *parser;
	const uint8_t *text;
	size_t size;
	enum tfr_coco_list list;
	uint64_t at; /* in the file */
	struct json_object *object;
};

static enum tfr_status wrong(const struct element *e, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, e->parser->path, "%s %s at byte %llu of",
		kinds[e->list], what, (unsigned long long)e->at);
}

/* Gives a part of the element to the parser.  False: it is malformed. */
static bool feed(struct element *e, const void *text, size_t size, bool last)
{
	enum json_tokener_error fault;

	e->object = json_tokener_parse_ex(e->parser->json, text, (int)size);
	fault = json_tokener_get_error(e->parser->json);
	return fault == (last ? json_tokener_success : json_tokener_continue);
}

static enum tfr_status parse(struct element *e, size_t from, size_t to, struct tfr_error *err)
{
	bool good;

	json_tokener_reset(e->parser->json);
	if (from == to)
		good = feed(e, e->text, e->size, true);
	else
		good = feed(e, e->text, from, false) && feed(e, "0", 1, false) &&
		       feed(e, e->text + to, e->size - to, true);
	if (good)
		return TFR_OK;
	return tfr_fail_path(err, TFR_EDATA, e->parser->path,
		"%s that is not JSON (%s) at byte %llu of", kinds[e->list],
		json_tokener_error_desc(json_tokener_get_error(e->parser->json)),
		(unsigned long long)e->at);
}

/* --- values --- */

static bool number(struct json_object *v, double *value)
{
	if (!json_object_is_type(v, json_type_int) && !json_object_is_type(v, json_type_double))
		return false;
	*value = json_object_get_double(v);
	return isfinite(*value);
}

/* A whole number, also in the form 5.0.  json-c limits larger numbers to the end of its range. */
static bool whole(struct json_object *v, int64_t *value)
{
	double d;

	if (json_object_is_type(v, json_type_int)) {
		*value = json_object_get_int64(v);
		return *value != INT64_MAX && *value != INT64_MIN;
	}
	if (!number(v, &d) || d != floor(d) || fabs(d) > 0x1p53)
		return false;
	*value = (int64_t)d;
	return true;
}

static enum tfr_status get_whole(
	const struct element *e, const char *key, int64_t *value, struct tfr_error *err)
{
	struct json_object *v;
	char what[64];

	if (json_object_object_get_ex(e->object, key, &v) && whole(v, value))
		return TFR_OK;
	snprintf(what, sizeof(what), "whose '%s' is not a whole number", key);
	return wrong(e, what, err);
}

static enum tfr_status get_text(const struct element *e, const char *key, struct tfr_buf *names,
	uint64_t *offset, struct tfr_error *err)
{
	struct json_object *v;
	const char *text;
	char what[64];

	if (json_object_object_get_ex(e->object, key, &v) &&
		json_object_is_type(v, json_type_string)) {
		text = json_object_get_string(v);
		*offset = names->size;
		if (strlen(text) == (size_t)json_object_get_string_len(v))
			return tfr_buf_append(names, text, strlen(text) + 1)
				       ? TFR_OK
				       : tfr_fail_nomem(err, "reading annotations");
	}
	snprintf(what, sizeof(what), "whose '%s' is not a text", key);
	return wrong(e, what, err);
}

/* A side of a box; Roboflow writes some as strings, "328.0000". */
static bool side(struct json_object *v, double *value)
{
	if (!json_object_is_type(v, json_type_string))
		return number(v, value);
	return tfr_number(json_object_get_string(v), (size_t)json_object_get_string_len(v), value);
}

/* Absent, null or an empty list means no box: the annotation is of a shape or of the complete
 * image. */
static enum tfr_status get_box(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct json_object *v;
	bool list = json_object_object_get_ex(e->object, "bbox", &v) &&
		    json_object_is_type(v, json_type_array);
	bool good;

	a->boxless = !v || (list && !json_object_array_length(v));
	good = a->boxless || (list && json_object_array_length(v) == 4);
	for (size_t i = 0; good && !a->boxless && i < 4; i++)
		good = side(json_object_array_get_idx(v, i), &a->box[i]);
	return good ? TFR_OK : wrong(e, "whose 'bbox' is not four numbers", err);
}

/* Absent or null: the area of the box. */
static enum tfr_status get_area(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(e->object, "area", &v) || !v) {
		a->area = a->box[2] * a->box[3];
		return TFR_OK;
	}
	return number(v, &a->area) ? TFR_OK : wrong(e, "whose 'area' is not a number", err);
}

/* 0 and 1, or false and true. */
static bool truth(struct json_object *v, bool *value)
{
	int64_t number = 0;

	if (json_object_is_type(v, json_type_boolean))
		number = json_object_get_boolean(v);
	else if (!whole(v, &number))
		return false;
	*value = number;
	return number == 0 || number == 1;
}

/* Absent means 0, as in pycocotools. */
static enum tfr_status get_crowd(const struct element *e, bool *crowd, struct tfr_error *err)
{
	struct json_object *v;

	if (json_object_object_get_ex(e->object, "iscrowd", &v) && !truth(v, crowd))
		return wrong(e, "whose 'iscrowd' is neither 0 nor 1", err);
	return TFR_OK;
}

/* --- elements --- */

static enum tfr_status read_image(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_image image = { .at = e->at };
	int64_t width = 0, height = 0;
	enum tfr_status status = get_whole(e, "id", &image.id, err);

	if (!status)
		status = get_whole(e, "width", &width, err);
	if (!status)
		status = get_whole(e, "height", &height, err);
	if (!status && (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX))
		status = wrong(e, "of an impossible size", err);
	if (!status)
		status = get_text(e, "file_name", &out->names, &image.name, err);
	image.width = (uint32_t)width;
	image.height = (uint32_t)height;
	if (!status && !tfr_buf_append(&out->images, &image, sizeof(image)))
		status = tfr_fail_nomem(err, "reading annotations");
	return status;
}

/* The names of a category's keypoints, if it has some; other tools write an empty list. */
static enum tfr_status get_point_names(const struct element *e, struct tfr_coco_category *category,
	struct tfr_buf *names, struct tfr_error *err)
{
	struct json_object *list;
	size_t n;

	category->points = names->size;
	if (!json_object_object_get_ex(e->object, "keypoints", &list) || !list)
		return TFR_OK;
	n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : SIZE_MAX;
	if (n > POINTS_MOST)
		return wrong(e, "whose 'keypoints' are not names", err);
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		const char *text = json_object_get_string(v);

		if (!json_object_is_type(v, json_type_string) ||
			strlen(text) != (size_t)json_object_get_string_len(v))
			return wrong(e, "whose 'keypoints' are not names", err);
		if (!tfr_buf_append(names, text, strlen(text) + 1))
			return tfr_fail_nomem(err, "reading annotations");
	}
	category->n_points = (uint32_t)n;
	return TFR_OK;
}

static enum tfr_status get_thing(const struct element *e, bool *thing, struct tfr_error *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(e->object, "isthing", &v) || !truth(v, thing))
		return wrong(e, "whose 'isthing' is neither 0 nor 1", err);
	return TFR_OK;
}

static enum tfr_status read_category(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_category category = { .at = e->at };
	enum tfr_status status = get_whole(e, "id", &category.id, err);

	if (!status)
		status = get_text(e, "name", &out->names, &category.name, err);
	if (!status && e->parser->what == TFR_COCO_OBJECTS)
		status = get_point_names(e, &category, &out->names, err);
	if (!status && e->parser->what == TFR_COCO_PANOPTIC)
		status = get_thing(e, &category.thing, err);
	if (!status && !tfr_buf_append(&out->categories, &category, sizeof(category)))
		status = tfr_fail_nomem(err, "reading annotations");
	return status;
}

/* Whether a shape is null or an empty list, as for boxes without a shape. */
static bool is_empty(const uint8_t *text, size_t size)
{
	char seen[5] = "";
	size_t n = 0;

	for (size_t i = 0; i < size && n < sizeof(seen) - 1; i++)
		if (!strchr(" \t\r\n", text[i]))
			seen[n++] = (char)text[i];
	return !strcmp(seen, "[]") || !strcmp(seen, "[[]]") || !strcmp(seen, "null");
}

static enum tfr_status keep_shape(const struct element *e, size_t from, size_t to,
	struct tfr_coco_annotation *a, struct tfr_buf *shapes, struct tfr_error *err)
{
	if (!e->parser->shapes || is_empty(e->text + from, to - from))
		return TFR_OK;
	/* An offset until all are read: a pointer would become invalid when the memory grows. */
	a->shape.at = shapes->size;
	a->shape_size = (uint32_t)(to - from);
	return tfr_buf_append(shapes, e->text + from, to - from)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading annotations");
}

/* Three numbers per keypoint: x, y, and 0 not labelled, 1 hidden, 2 visible. */
static enum tfr_status get_points(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *points, struct tfr_error *err)
{
	static const char fault[] = "whose 'keypoints' are not three numbers each";
	struct json_object *list;
	size_t n;

	a->first = points->size / sizeof(struct tfr_coco_point);
	if (!json_object_object_get_ex(e->object, "keypoints", &list) || !list)
		return TFR_OK;
	n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 1;
	if (n % 3 || n / 3 > POINTS_MOST)
		return wrong(e, fault, err);
	for (size_t i = 0; i < n; i += 3) {
		struct tfr_coco_point p;

		if (!number(json_object_array_get_idx(list, i), &p.x) ||
			!number(json_object_array_get_idx(list, i + 1), &p.y) ||
			!whole(json_object_array_get_idx(list, i + 2), &p.visibility))
			return wrong(e, fault, err);
		if (!tfr_buf_append(points, &p, sizeof(p)))
			return tfr_fail_nomem(err, "reading annotations");
		a->labelled += p.visibility > 0;
	}
	a->n = (uint32_t)(n / 3);
	if (json_object_object_get_ex(e->object, "num_keypoints", &list) && list)
		return get_whole(e, "num_keypoints", &a->labelled, err);
	return TFR_OK;
}

static enum tfr_status get_segments(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *segments, struct tfr_error *err)
{
	struct json_object *list;
	size_t n;

	a->first = segments->size / sizeof(struct tfr_coco_segment);
	if (!json_object_object_get_ex(e->object, "segments_info", &list) ||
		!json_object_is_type(list, json_type_array))
		return wrong(e, "without a list 'segments_info'", err);
	n = json_object_array_length(list);
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i), *id, *category;
		struct tfr_coco_segment s;

		if (!json_object_is_type(v, json_type_object) ||
			!json_object_object_get_ex(v, "id", &id) || !whole(id, &s.id) ||
			!json_object_object_get_ex(v, "category_id", &category) ||
			!whole(category, &s.category))
			return wrong(e, "with a segment without 'id' and 'category_id'", err);
		if (!tfr_buf_append(segments, &s, sizeof(s)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	a->n = (uint32_t)n;
	return TFR_OK;
}

/* An annotation of captions or of panoptic. */
static enum tfr_status read_other(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_annotation a = { .at = e->at, .id = INT64_MIN };
	bool captions = e->parser->what == TFR_COCO_CAPTIONS;
	enum tfr_status status = get_whole(e, "image_id", &a.image, err);

	if (!status)
		status = get_text(e, captions ? "caption" : "file_name", &out->names, &a.text, err);
	if (!status && !captions)
		status = get_segments(e, &a, &out->segments, err);
	if (!status && !tfr_buf_append(&out->annotations, &a, sizeof(a)))
		status = tfr_fail_nomem(err, "reading annotations");
	return status;
}

static enum tfr_status read_annotation(const struct element *e, size_t from, size_t to,
	struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_annotation a = { .at = e->at, .id = INT64_MIN };
	struct json_object *v;
	enum tfr_status status = TFR_OK;

	if (json_object_object_get_ex(e->object, "id", &v))
		status = get_whole(e, "id", &a.id, err);
	if (!status)
		status = get_whole(e, "image_id", &a.image, err);
	if (!status)
		status = get_whole(e, "category_id", &a.category, err);
	if (!status)
		status = get_box(e, &a, err);
	if (!status)
		status = get_area(e, &a, err);
	if (!status)
		status = get_crowd(e, &a.crowd, err);
	if (!status)
		status = get_points(e, &a, &out->points, err);
	if (!status)
		status = keep_shape(e, from, to, &a, &out->shapes, err);
	if (!status && !tfr_buf_append(&out->annotations, &a, sizeof(a)))
		status = tfr_fail_nomem(err, "reading annotations");
	return status;
}

enum tfr_status tfr_coco_parse(struct tfr_coco_parser *p, const uint8_t *text,
	const struct tfr_coco_element *el, uint64_t offset, struct tfr_coco_parsed *out,
	struct tfr_error *err)
{
	struct element e = { p, text + el->from, el->to - el->from, el->list, offset + el->from,
		NULL };
	size_t from = 0, to = 0;
	enum tfr_status status;

	if (el->list == TFR_COCO_ANNOTATIONS &&
		!tfr_coco_member(e.text, e.size, "segmentation", &from, &to))
		from = to = 0;
	status = parse(&e, from, to, err);
	if (!status && el->list == TFR_COCO_IMAGES)
		status = read_image(&e, out, err);
	else if (!status && el->list == TFR_COCO_ANNOTATIONS && p->what != TFR_COCO_OBJECTS)
		status = read_other(&e, out, err);
	else if (!status && el->list == TFR_COCO_ANNOTATIONS)
		status = read_annotation(&e, from, to, out, err);
	else if (!status)
		status = read_category(&e, out, err);
	json_object_put(e.object);
	return status;
}

void tfr_coco_shapes_place(struct tfr_coco_parsed *out)
{
	struct tfr_coco_annotation *a = (struct tfr_coco_annotation *)(void *)out->annotations.data;
	size_t n = out->annotations.size / sizeof(*a);

	for (size_t i = 0; i < n; i++)
		if (a[i].shape_size)
			a[i].shape.text = out->shapes.data + a[i].shape.at;
}

void tfr_coco_parsed_clear(struct tfr_coco_parsed *out)
{
	tfr_buf_clear(&out->images);
	tfr_buf_clear(&out->annotations);
	tfr_buf_clear(&out->categories);
	tfr_buf_clear(&out->names);
	tfr_buf_clear(&out->shapes);
	tfr_buf_clear(&out->points);
	tfr_buf_clear(&out->segments);
}
