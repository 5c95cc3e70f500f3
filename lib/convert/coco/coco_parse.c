/* convert/coco/coco_parse.c - parses elements of a COCO file, except for their shapes.
 *
 * Shapes are most of the file.  They are kept as text or skipped until they are drawn: the element is
 * parsed with a 0 in place of its shape, by the scanner of JSON lines, which does not copy values.
 * json-c reads only the segments of panoptic annotations, and describes faults of the JSON. */
#include "convert/coco/coco_parse.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "convert/number_text.h"

enum { DEEPEST = 16, POINTS_MOST = 10000 /* of an annotation */ };

static const char *const kinds[] = { "an image", "an annotation", "a category" };

/* --- the parser --- */

void tfr_coco_parser_clear(struct tfr_coco_parser *p)
{
	tfr_json_line_clear(&p->line);
	tfr_buf_clear(&p->text);
	*p = (struct tfr_coco_parser){ 0 };
}

/* One element while it is parsed. */
struct element {
	struct tfr_coco_parser *parser;
	const uint8_t *text; /* with a 0 in place of its shape */
	size_t size;
	enum tfr_coco_list list;
	uint64_t at; /* in the file */
};

static enum tfr_status wrong(const struct element *e, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, e->parser->path, "%s %s at byte %llu of",
		kinds[e->list], what, (unsigned long long)e->at);
}

/* Makes a tree of the element.  TFR_EDATA: it is not JSON. */
static enum tfr_status make_tree(
	const struct element *e, struct json_object **tree, struct tfr_error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEEPEST);
	enum json_tokener_error why;

	*tree = NULL;
	if (!tokener)
		return tfr_fail_nomem(err, "reading annotations");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*tree = json_tokener_parse_ex(tokener, (const char *)e->text, (int)e->size);
	why = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	if (why == json_tokener_success)
		return TFR_OK;
	return tfr_fail_path(err, TFR_EDATA, e->parser->path,
		"%s that is not JSON (%s) at byte %llu of", kinds[e->list],
		json_tokener_error_desc(why), (unsigned long long)e->at);
}

/* Scans the element with a 0 in place of its bytes `from` to before `to`, if there are any. */
static enum tfr_status scan(struct element *e, size_t from, size_t to, struct tfr_error *err)
{
	struct tfr_coco_parser *p = e->parser;
	struct json_object *tree;
	enum tfr_status status;

	if (from < to) {
		p->text.size = 0;
		if (!tfr_buf_append(&p->text, e->text, from) ||
			!tfr_buf_append(&p->text, "0", 1) ||
			!tfr_buf_append(&p->text, e->text + to, e->size - to))
			return tfr_fail_nomem(err, "reading annotations");
		e->text = p->text.data;
		e->size = p->text.size;
	}
	status = tfr_json_line_scan(&p->line, (const char *)e->text, e->size, err);
	if (status != TFR_EDATA)
		return status;
	status = make_tree(e, &tree, err);
	json_object_put(tree);
	return status ? status : wrong(e, "that is not JSON", err);
}

/* --- values --- */

/* A value of the element, or of an array. */
struct value {
	const struct tfr_token *token;
	size_t n; /* tokens of an array; SIZE_MAX: it is another value */
};

/* Finds a member of the element; of equal names the last one counts.  False: there is none. */
static bool get(const struct element *e, const char *key, struct value *v)
{
	const struct tfr_json_line *line = &e->parser->line;
	size_t size = strlen(key);

	for (size_t i = line->n; i-- > 0;) {
		const struct tfr_json_member *m = &tfr_json_line_members(line)[i];

		if (m->object || m->size != size || memcmp(m->name, key, size))
			continue;
		*v = (struct value){ m->form == TFR_MEMBER_OBJECT ? NULL
								   : tfr_json_line_tokens(line, m),
			m->form == TFR_MEMBER_ARRAY ? m->n : SIZE_MAX };
		return true;
	}
	return false;
}

static bool is(const struct value *v, enum tfr_token_type type)
{
	return v->token && v->n == SIZE_MAX && v->token->type == type;
}

static struct value at(const struct value *v, size_t i)
{
	assert(v->n != SIZE_MAX && i < v->n);
	return (struct value){ v->token + i, SIZE_MAX };
}

static bool number(const struct value *v, double *value)
{
	const struct tfr_token *t = v->token;
	int64_t whole;

	if (!is(v, TFR_TOKEN_NUMBER))
		return false;
	/* The integer -0 is 0, as in Python. */
	if (t->scanned && tfr_scanned_is_integer(&t->number) &&
		tfr_scanned_int64(&t->number, &whole)) {
		*value = (double)whole;
		return true;
	}
	return (t->scanned && tfr_scanned_f64(&t->number, value)) ||
	       tfr_number(t->text, t->size, value);
}

/* A whole number, also in the form 5.0, whose neighbours are different numbers. */
static bool whole(const struct value *v, int64_t *value)
{
	double d;

	if (is(v, TFR_TOKEN_NUMBER) && tfr_token_is_integer(v->token))
		return v->token->scanned && tfr_scanned_int64(&v->token->number, value) &&
		       *value != INT64_MAX && *value != INT64_MIN;
	if (!number(v, &d) || d != floor(d) || fabs(d) > 0x1p53)
		return false;
	*value = (int64_t)d;
	return true;
}

/* A text without a NUL. */
static bool text(const struct value *v, const char **value, size_t *size)
{
	if (!is(v, TFR_TOKEN_TEXT))
		return false;
	*value = v->token->text;
	*size = v->token->size;
	return !memchr(*value, '\0', *size);
}

static bool keep_text(struct tfr_buf *names, const char *value, size_t size)
{
	return tfr_buf_append(names, value, size) && tfr_buf_append(names, "", 1);
}

static enum tfr_status get_whole(
	const struct element *e, const char *key, int64_t *value, struct tfr_error *err)
{
	struct value v;
	char what[64];

	if (get(e, key, &v) && whole(&v, value))
		return TFR_OK;
	snprintf(what, sizeof(what), "whose '%s' is not a whole number", key);
	return wrong(e, what, err);
}

static enum tfr_status get_text(const struct element *e, const char *key, struct tfr_buf *names,
	uint64_t *offset, struct tfr_error *err)
{
	struct value v;
	const char *value;
	char what[64];
	size_t size;

	*offset = names->size;
	if (get(e, key, &v) && text(&v, &value, &size))
		return keep_text(names, value, size)
			       ? TFR_OK
			       : tfr_fail_nomem(err, "reading annotations");
	snprintf(what, sizeof(what), "whose '%s' is not a text", key);
	return wrong(e, what, err);
}

/* A side of a box; Roboflow writes some as strings, "328.0000". */
static bool side(const struct value *v, double *value)
{
	const char *digits;
	size_t size;

	return text(v, &digits, &size) ? tfr_number(digits, size, value) : number(v, value);
}

/* Absent, null or an empty list means no box: the annotation is of a shape or of the complete
 * image. */
static enum tfr_status get_box(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct value list;
	bool good;

	a->boxless = !get(e, "bbox", &list) || is(&list, TFR_TOKEN_NULL) || !list.n;
	good = a->boxless || list.n == 4;
	for (size_t i = 0; good && !a->boxless && i < 4; i++) {
		struct value v = at(&list, i);

		good = side(&v, &a->box[i]);
	}
	return good ? TFR_OK : wrong(e, "whose 'bbox' is not four numbers", err);
}

/* Absent or null: the area of the box. */
static enum tfr_status get_area(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct value v;

	if (!get(e, "area", &v) || is(&v, TFR_TOKEN_NULL)) {
		a->area = a->box[2] * a->box[3];
		return TFR_OK;
	}
	return number(&v, &a->area) ? TFR_OK : wrong(e, "whose 'area' is not a number", err);
}

/* 0 and 1, or false and true. */
static bool truth(const struct value *v, bool *value)
{
	int64_t number = 0;

	if (is(v, TFR_TOKEN_BOOL))
		number = v->token->truth;
	else if (!whole(v, &number))
		return false;
	*value = number;
	return number == 0 || number == 1;
}

/* Absent means 0, as in pycocotools. */
static enum tfr_status get_crowd(const struct element *e, bool *crowd, struct tfr_error *err)
{
	struct value v;

	if (get(e, "iscrowd", &v) && !truth(&v, crowd))
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
	struct value list;
	size_t n;

	category->points = names->size;
	if (!get(e, "keypoints", &list) || is(&list, TFR_TOKEN_NULL))
		return TFR_OK;
	n = list.n;
	if (n > POINTS_MOST)
		return wrong(e, "whose 'keypoints' are not names", err);
	for (size_t i = 0; i < n; i++) {
		struct value v = at(&list, i);
		const char *name;
		size_t size;

		if (!text(&v, &name, &size))
			return wrong(e, "whose 'keypoints' are not names", err);
		if (!keep_text(names, name, size))
			return tfr_fail_nomem(err, "reading annotations");
	}
	category->n_points = (uint32_t)n;
	return TFR_OK;
}

static enum tfr_status get_thing(const struct element *e, bool *thing, struct tfr_error *err)
{
	struct value v;

	if (!get(e, "isthing", &v) || !truth(&v, thing))
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

static enum tfr_status keep_shape(const struct element *e, const uint8_t *shape, size_t size,
	struct tfr_coco_annotation *a, struct tfr_buf *shapes, struct tfr_error *err)
{
	if (!e->parser->shapes || is_empty(shape, size))
		return TFR_OK;
	/* An offset until all are read: a pointer would become invalid when the memory grows. */
	a->shape.at = shapes->size;
	a->shape_size = (uint32_t)size;
	return tfr_buf_append(shapes, shape, size)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading annotations");
}

/* Three numbers per keypoint: x, y, and 0 not labelled, 1 hidden, 2 visible. */
static enum tfr_status get_points(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *points, struct tfr_error *err)
{
	static const char fault[] = "whose 'keypoints' are not three numbers each";
	struct value list;
	size_t n;

	a->first = points->size / sizeof(struct tfr_coco_point);
	if (!get(e, "keypoints", &list) || is(&list, TFR_TOKEN_NULL))
		return TFR_OK;
	n = list.n;
	if (n % 3 || n / 3 > POINTS_MOST)
		return wrong(e, fault, err);
	for (size_t i = 0; i < n; i += 3) {
		struct value v[3] = { at(&list, i), at(&list, i + 1), at(&list, i + 2) };
		struct tfr_coco_point p;

		if (!number(&v[0], &p.x) || !number(&v[1], &p.y) || !whole(&v[2], &p.visibility))
			return wrong(e, fault, err);
		if (!tfr_buf_append(points, &p, sizeof(p)))
			return tfr_fail_nomem(err, "reading annotations");
		a->labelled += p.visibility > 0;
	}
	a->n = (uint32_t)(n / 3);
	if (get(e, "num_keypoints", &list) && !is(&list, TFR_TOKEN_NULL))
		return get_whole(e, "num_keypoints", &a->labelled, err);
	return TFR_OK;
}

/* A member of a segment. */
static bool segment_number(struct json_object *segment, const char *key, int64_t *value)
{
	struct json_object *v;
	double d;

	if (!json_object_object_get_ex(segment, key, &v))
		return false;
	*value = json_object_get_int64(v);
	if (json_object_is_type(v, json_type_int))
		return *value != INT64_MAX && *value != INT64_MIN;
	d = json_object_get_double(v);
	return json_object_is_type(v, json_type_double) && d == floor(d) && fabs(d) <= 0x1p53;
}

static enum tfr_status add_segments(const struct element *e, struct json_object *list,
	struct tfr_coco_annotation *a, struct tfr_buf *segments, struct tfr_error *err)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		struct tfr_coco_segment s;

		if (!json_object_is_type(v, json_type_object) ||
			!segment_number(v, "id", &s.id) ||
			!segment_number(v, "category_id", &s.category))
			return wrong(e, "with a segment without 'id' and 'category_id'", err);
		if (!tfr_buf_append(segments, &s, sizeof(s)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	a->n = (uint32_t)n;
	return TFR_OK;
}

static enum tfr_status get_segments(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *segments, struct tfr_error *err)
{
	struct json_object *tree, *list;
	enum tfr_status status = make_tree(e, &tree, err);

	a->first = segments->size / sizeof(struct tfr_coco_segment);
	if (!status && (!json_object_object_get_ex(tree, "segments_info", &list) ||
			       !json_object_is_type(list, json_type_array)))
		status = wrong(e, "without a list 'segments_info'", err);
	if (!status)
		status = add_segments(e, list, a, segments, err);
	json_object_put(tree);
	return status;
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

static enum tfr_status read_annotation(const struct element *e, const uint8_t *shape,
	size_t shape_size, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_annotation a = { .at = e->at, .id = INT64_MIN };
	struct value v;
	enum tfr_status status = TFR_OK;

	if (get(e, "id", &v))
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
		status = keep_shape(e, shape, shape_size, &a, &out->shapes, err);
	if (!status && !tfr_buf_append(&out->annotations, &a, sizeof(a)))
		status = tfr_fail_nomem(err, "reading annotations");
	return status;
}

enum tfr_status tfr_coco_parse(struct tfr_coco_parser *p, const uint8_t *text,
	const struct tfr_coco_element *el, uint64_t offset, struct tfr_coco_parsed *out,
	struct tfr_error *err)
{
	struct element e = { p, text + el->from, el->to - el->from, el->list, offset + el->from };
	const uint8_t *given = e.text;
	size_t from = 0, to = 0;

	if (el->list == TFR_COCO_ANNOTATIONS &&
		!tfr_coco_member(e.text, e.size, "segmentation", &from, &to))
		from = to = 0;
	TFR_TRY(scan(&e, from, to, err));
	if (el->list == TFR_COCO_IMAGES)
		return read_image(&e, out, err);
	if (el->list == TFR_COCO_CATEGORIES)
		return read_category(&e, out, err);
	return p->what == TFR_COCO_OBJECTS ? read_annotation(&e, given + from, to - from, out, err)
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
	tfr_buf_clear(&out->images);
	tfr_buf_clear(&out->annotations);
	tfr_buf_clear(&out->categories);
	tfr_buf_clear(&out->names);
	tfr_buf_clear(&out->shapes);
	tfr_buf_clear(&out->points);
	tfr_buf_clear(&out->segments);
}
