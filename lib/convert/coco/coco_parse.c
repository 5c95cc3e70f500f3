/* convert/coco/coco_parse.c - parses elements of a COCO file, except for their shapes.
 *
 * Shapes are most of the file.  They are kept as text or skipped until they are drawn: the scanner
 * of JSON does not look into them. */
#include "convert/coco/coco_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert/number_text.h"

enum { POINTS_MOST = 10000 /* of an annotation */ };

static const char *const kinds[] = { "an image", "an annotation", "a category" };

/* --- the parser --- */

void tfr_coco_parser_clear(struct tfr_coco_parser *p)
{
	tfr_tape_clear(&p->tape);
	*p = (struct tfr_coco_parser){ 0 };
}

/* One element while it is parsed. */
struct element {
	struct tfr_coco_parser *parser;
	enum tfr_coco_list list;
	uint64_t at; /* in the file */
};

static enum tfr_status wrong(const struct element *e, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, e->parser->path, "%s %s at byte %llu of",
		kinds[e->list], what, (unsigned long long)e->at);
}

static enum tfr_status wrong_member(
	const struct element *e, const char *key, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, e->parser->path, "%s whose '%s' %s at byte %llu of",
		kinds[e->list], key, what, (unsigned long long)e->at);
}

static enum tfr_status append(
	struct tfr_buf *to, const void *bytes, size_t n, struct tfr_error *err)
{
	return tfr_buf_append(to, bytes, n) ? TFR_OK : tfr_fail_nomem(err, "reading annotations");
}

static enum tfr_status scan(
	const struct element *e, const char *text, size_t size, struct tfr_error *err)
{
	struct tfr_tape *tape = &e->parser->tape;
	enum tfr_status status;

	tape->skipped = e->list == TFR_COCO_ANNOTATIONS ? "segmentation" : NULL;
	status = tfr_tape_scan(tape, text, size, NULL);
	if (status != TFR_EDATA)
		return status ? tfr_fail_nomem(err, "reading annotations") : TFR_OK;
	return tape->fault ? tfr_fail_path(err, TFR_EDATA, e->parser->path,
				     "%s that is not JSON (%s) at byte %llu of", kinds[e->list],
				     tape->fault, (unsigned long long)e->at)
			   : wrong(e, "that is not JSON", err);
}

/* --- values --- */

/* Finds a member of the element; of equal names the last one counts.  NULL: there is none. */
static const struct tfr_token *get(const struct element *e, const char *key)
{
	return tfr_token_member(tfr_tape_root(&e->parser->tape), key);
}

/* The same of a member that is not null. */
static const struct tfr_token *get_some(const struct element *e, const char *key)
{
	const struct tfr_token *v = get(e, key);

	return v && v->type != TFR_TOKEN_NULL ? v : NULL;
}

/* A finite number. */
static bool number(const struct tfr_token *v, double *value)
{
	return tfr_token_double(v, value) && isfinite(*value);
}

/* A text without a NUL. */
static bool is_text(const struct tfr_token *v)
{
	return v->type == TFR_TOKEN_TEXT && !memchr(v->text, '\0', v->size);
}

static enum tfr_status keep_text(
	struct tfr_buf *names, const struct tfr_token *text, struct tfr_error *err)
{
	TFR_TRY(append(names, text->text, text->size, err));
	return append(names, "", 1, err);
}

static enum tfr_status get_whole(
	const struct element *e, const char *key, int64_t *value, struct tfr_error *err)
{
	const struct tfr_token *v = get(e, key);

	return v && tfr_token_whole(v, value) ? TFR_OK
					      : wrong_member(e, key, "is not a whole number", err);
}

static enum tfr_status get_text(const struct element *e, const char *key, struct tfr_buf *names,
	uint64_t *offset, struct tfr_error *err)
{
	const struct tfr_token *v = get(e, key);

	*offset = names->size;
	return v && is_text(v) ? keep_text(names, v, err)
			       : wrong_member(e, key, "is not a text", err);
}

/* A side of a box; Roboflow writes some as strings, "328.0000". */
static bool side(const struct tfr_token *v, double *value)
{
	return v->type == TFR_TOKEN_TEXT ? tfr_number(v->text, v->size, value) : number(v, value);
}

/* Absent, null or an empty list means no box: the annotation is of a shape or of the complete
 * image. */
static enum tfr_status get_box(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	const struct tfr_token *list = get_some(e, "bbox"), *v = list;
	bool good = !list || (list->type == TFR_TOKEN_ARRAY && list->n % 4 == 0 && list->n <= 4);

	a->boxless = !list || !list->n;
	for (size_t i = 0; good && !a->boxless && i < 4; i++)
		good = side(v = i ? tfr_token_next(v) : v + 1, &a->box[i]);
	return good ? TFR_OK : wrong_member(e, "bbox", "is not four numbers", err);
}

/* Absent or null: the area of the box. */
static enum tfr_status get_area(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	const struct tfr_token *v = get_some(e, "area");

	a->area = a->box[2] * a->box[3];
	return !v || number(v, &a->area) ? TFR_OK : wrong_member(e, "area", "is not a number", err);
}

/* 0 and 1, or false and true. */
static bool truth(const struct tfr_token *v, bool *value)
{
	int64_t number = 0;

	if (v->type == TFR_TOKEN_BOOL)
		number = v->truth;
	else if (!tfr_token_whole(v, &number))
		return false;
	*value = number;
	return number == 0 || number == 1;
}

/* With `may_lack`, an absent member is false, as in pycocotools. */
static enum tfr_status get_truth(
	const struct element *e, const char *key, bool may_lack, bool *value, struct tfr_error *err)
{
	const struct tfr_token *v = get(e, key);

	return (v ? truth(v, value) : may_lack) ? TFR_OK
						: wrong_member(e, key, "is neither 0 nor 1", err);
}

/* --- elements --- */

static enum tfr_status read_image(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_image image = { .at = e->at };
	/* MediaPipe's files have no sizes. */
	const bool sized = get(e, "width") || get(e, "height");
	int64_t width = 0, height = 0;

	TFR_TRY(get_whole(e, "id", &image.id, err));
	if (sized) {
		TFR_TRY(get_whole(e, "width", &width, err));
		TFR_TRY(get_whole(e, "height", &height, err));
	}
	if (sized && (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX))
		return wrong(e, "of an impossible size", err);
	TFR_TRY(get_text(e, "file_name", &out->names, &image.name, err));
	image.width = (uint32_t)width;
	image.height = (uint32_t)height;
	return append(&out->images, &image, sizeof(image), err);
}

/* The names of a category's keypoints, if it has some; other tools write an empty list. */
static enum tfr_status get_point_names(const struct element *e, struct tfr_coco_category *category,
	struct tfr_buf *names, struct tfr_error *err)
{
	const struct tfr_token *list = get_some(e, "keypoints"), *v;

	category->points = names->size;
	if (!list)
		return TFR_OK;
	if (list->type != TFR_TOKEN_ARRAY || list->n > POINTS_MOST)
		return wrong_member(e, "keypoints", "are not names", err);
	v = list + 1;
	for (size_t i = 0; i < list->n; i++, v++) {
		if (!is_text(v))
			return wrong_member(e, "keypoints", "are not names", err);
		TFR_TRY(keep_text(names, v, err));
	}
	category->n_points = list->n;
	return TFR_OK;
}

static enum tfr_status read_category(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_category category = { .at = e->at };

	TFR_TRY(get_whole(e, "id", &category.id, err));
	TFR_TRY(get_text(e, "name", &out->names, &category.name, err));
	if (e->parser->what == TFR_COCO_OBJECTS)
		TFR_TRY(get_point_names(e, &category, &out->names, err));
	if (e->parser->what == TFR_COCO_PANOPTIC)
		TFR_TRY(get_truth(e, "isthing", false, &category.thing, err));
	return append(&out->categories, &category, sizeof(category), err);
}

/* Whether a shape is null or an empty list, as for boxes without a shape. */
static bool is_empty(const char *text, size_t size)
{
	char seen[5] = "";
	size_t n = 0;

	for (size_t i = 0; i < size && n < sizeof(seen) - 1; i++)
		if (!strchr(" \t\r\n", text[i]))
			seen[n++] = text[i];
	return !strcmp(seen, "[]") || !strcmp(seen, "[[]]") || !strcmp(seen, "null");
}

static enum tfr_status keep_shape(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *shapes, struct tfr_error *err)
{
	const struct tfr_token *shape = get(e, "segmentation");

	if (!e->parser->shapes || !shape || is_empty(shape->text, shape->size))
		return TFR_OK;
	/* An offset until all are read: a pointer would become invalid when the memory grows. */
	a->shape.at = shapes->size;
	a->shape_size = shape->size;
	return append(shapes, shape->text, shape->size, err);
}

/* Three numbers per keypoint: x, y, and 0 not labelled, 1 hidden, 2 visible. */
static enum tfr_status get_points(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *points, struct tfr_error *err)
{
	static const char fault[] = "are not three numbers each";
	const struct tfr_token *list = get_some(e, "keypoints"), *v;

	a->first = points->size / sizeof(struct tfr_coco_point);
	if (!list)
		return TFR_OK;
	if (list->type != TFR_TOKEN_ARRAY || list->n % 3 || list->n / 3 > POINTS_MOST)
		return wrong_member(e, "keypoints", fault, err);
	v = list + 1;
	for (size_t i = 0; i < list->n; i += 3, v += 3) {
		struct tfr_coco_point p;

		if (!number(v, &p.x) || !number(v + 1, &p.y) ||
			!tfr_token_whole(v + 2, &p.visibility))
			return wrong_member(e, "keypoints", fault, err);
		TFR_TRY(append(points, &p, sizeof(p), err));
		a->labelled += p.visibility > 0;
	}
	a->n = list->n / 3;
	return get_some(e, "num_keypoints") ? get_whole(e, "num_keypoints", &a->labelled, err)
					    : TFR_OK;
}

static enum tfr_status get_segments(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *segments, struct tfr_error *err)
{
	const struct tfr_token *list = get(e, "segments_info"), *v;

	a->first = segments->size / sizeof(struct tfr_coco_segment);
	if (!list || list->type != TFR_TOKEN_ARRAY)
		return wrong(e, "without a list 'segments_info'", err);
	v = list + 1;
	for (size_t i = 0; i < list->n; i++, v = tfr_token_next(v)) {
		const struct tfr_token *id = tfr_token_member(v, "id"),
				       *category = tfr_token_member(v, "category_id");
		struct tfr_coco_segment s;

		if (!id || !category || !tfr_token_whole(id, &s.id) ||
			!tfr_token_whole(category, &s.category))
			return wrong(e, "with a segment without 'id' and 'category_id'", err);
		TFR_TRY(append(segments, &s, sizeof(s), err));
	}
	a->n = list->n;
	return TFR_OK;
}

/* An annotation of captions or of panoptic. */
static enum tfr_status read_other(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_annotation a = { .at = e->at, .id = INT64_MIN };
	bool captions = e->parser->what == TFR_COCO_CAPTIONS;

	TFR_TRY(get_whole(e, "image_id", &a.image, err));
	TFR_TRY(get_text(e, captions ? "caption" : "file_name", &out->names, &a.text, err));
	if (!captions)
		TFR_TRY(get_segments(e, &a, &out->segments, err));
	return append(&out->annotations, &a, sizeof(a), err);
}

static enum tfr_status read_annotation(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_annotation a = { .at = e->at, .id = INT64_MIN };

	if (get(e, "id"))
		TFR_TRY(get_whole(e, "id", &a.id, err));
	TFR_TRY(get_whole(e, "image_id", &a.image, err));
	TFR_TRY(get_whole(e, "category_id", &a.category, err));
	TFR_TRY(get_box(e, &a, err));
	TFR_TRY(get_area(e, &a, err));
	TFR_TRY(get_truth(e, "iscrowd", true, &a.crowd, err));
	TFR_TRY(get_points(e, &a, &out->points, err));
	TFR_TRY(keep_shape(e, &a, &out->shapes, err));
	return append(&out->annotations, &a, sizeof(a), err);
}

enum tfr_status tfr_coco_parse(struct tfr_coco_parser *p, const uint8_t *text,
	const struct tfr_coco_element *el, uint64_t offset, struct tfr_coco_parsed *out,
	struct tfr_error *err)
{
	const struct element e = { p, el->list, offset + el->from };

	TFR_TRY(scan(&e, (const char *)text + el->from, el->to - el->from, err));
	if (el->list == TFR_COCO_IMAGES)
		return read_image(&e, out, err);
	if (el->list == TFR_COCO_CATEGORIES)
		return read_category(&e, out, err);
	return p->what == TFR_COCO_OBJECTS ? read_annotation(&e, out, err)
					   : read_other(&e, out, err);
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
	for (size_t i = 0; i < TFR_COCO_BUFFERS; i++)
		tfr_buf_clear(&out->all[i]);
}
