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

#include "base/json_read.h"
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

/* Makes a tree of the element.  TFR_EDATA: it is not JSON. */
static enum tfr_status make_tree(
	const struct element *e, struct json_object **tree, struct tfr_error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEEPEST);
	enum json_tokener_error why;

	*tree = NULL;
	TFR_NEED_MEMORY(tokener, err, "reading annotations");
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
	TFR_AUTO_JSON tree = NULL;
	enum tfr_status status;

	if (from < to) {
		p->text.size = 0;
		TFR_TRY(append(&p->text, e->text, from, err));
		TFR_TRY(append(&p->text, "0", 1, err));
		TFR_TRY(append(&p->text, e->text + to, e->size - to, err));
		e->text = p->text.data;
		e->size = p->text.size;
	}
	status = tfr_json_line_scan(&p->line, (const char *)e->text, e->size, err);
	if (status != TFR_EDATA)
		return status;
	TFR_TRY(make_tree(e, &tree, err));
	return wrong(e, "that is not JSON", err);
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

/* Whether the element has the member, and it is not null. */
static bool has(const struct element *e, const char *key, struct value *v)
{
	return get(e, key, v) && !is(v, TFR_TOKEN_NULL);
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

static enum tfr_status keep_text(
	struct tfr_buf *names, const char *value, size_t size, struct tfr_error *err)
{
	TFR_TRY(append(names, value, size, err));
	return append(names, "", 1, err);
}

static enum tfr_status get_whole(
	const struct element *e, const char *key, int64_t *value, struct tfr_error *err)
{
	struct value v;

	return get(e, key, &v) && whole(&v, value)
		       ? TFR_OK
		       : wrong_member(e, key, "is not a whole number", err);
}

static enum tfr_status get_text(const struct element *e, const char *key, struct tfr_buf *names,
	uint64_t *offset, struct tfr_error *err)
{
	struct value v;
	const char *value;
	size_t size;

	*offset = names->size;
	return get(e, key, &v) && text(&v, &value, &size)
		       ? keep_text(names, value, size, err)
		       : wrong_member(e, key, "is not a text", err);
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

	a->boxless = !has(e, "bbox", &list) || !list.n;
	good = a->boxless || list.n == 4;
	for (size_t i = 0; good && !a->boxless && i < 4; i++) {
		struct value v = at(&list, i);

		good = side(&v, &a->box[i]);
	}
	return good ? TFR_OK : wrong_member(e, "bbox", "is not four numbers", err);
}

/* Absent or null: the area of the box. */
static enum tfr_status get_area(
	const struct element *e, struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct value v;

	a->area = a->box[2] * a->box[3];
	return !has(e, "area", &v) || number(&v, &a->area)
		       ? TFR_OK
		       : wrong_member(e, "area", "is not a number", err);
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

/* With `may_lack`, an absent member is false, as in pycocotools. */
static enum tfr_status get_truth(
	const struct element *e, const char *key, bool may_lack, bool *value, struct tfr_error *err)
{
	struct value v;

	return (get(e, key, &v) ? truth(&v, value) : may_lack)
		       ? TFR_OK
		       : wrong_member(e, key, "is neither 0 nor 1", err);
}

/* --- elements --- */

static enum tfr_status read_image(
	const struct element *e, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_image image = { .at = e->at };
	int64_t width = 0, height = 0;

	TFR_TRY(get_whole(e, "id", &image.id, err));
	TFR_TRY(get_whole(e, "width", &width, err));
	TFR_TRY(get_whole(e, "height", &height, err));
	if (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX)
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
	struct value list;
	size_t n;

	category->points = names->size;
	if (!has(e, "keypoints", &list))
		return TFR_OK;
	n = list.n;
	if (n > POINTS_MOST)
		return wrong_member(e, "keypoints", "are not names", err);
	for (size_t i = 0; i < n; i++) {
		struct value v = at(&list, i);
		const char *name;
		size_t size;

		if (!text(&v, &name, &size))
			return wrong_member(e, "keypoints", "are not names", err);
		TFR_TRY(keep_text(names, name, size, err));
	}
	category->n_points = (uint32_t)n;
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
	return append(shapes, shape, size, err);
}

/* Three numbers per keypoint: x, y, and 0 not labelled, 1 hidden, 2 visible. */
static enum tfr_status get_points(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *points, struct tfr_error *err)
{
	static const char fault[] = "are not three numbers each";
	struct value list;
	size_t n;

	a->first = points->size / sizeof(struct tfr_coco_point);
	if (!has(e, "keypoints", &list))
		return TFR_OK;
	n = list.n;
	if (n % 3 || n / 3 > POINTS_MOST)
		return wrong_member(e, "keypoints", fault, err);
	for (size_t i = 0; i < n; i += 3) {
		struct value v[3] = { at(&list, i), at(&list, i + 1), at(&list, i + 2) };
		struct tfr_coco_point p;

		if (!number(&v[0], &p.x) || !number(&v[1], &p.y) || !whole(&v[2], &p.visibility))
			return wrong_member(e, "keypoints", fault, err);
		TFR_TRY(append(points, &p, sizeof(p), err));
		a->labelled += p.visibility > 0;
	}
	a->n = (uint32_t)(n / 3);
	return has(e, "num_keypoints", &list) ? get_whole(e, "num_keypoints", &a->labelled, err)
					      : TFR_OK;
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

		if (!segment_number(v, "id", &s.id) ||
			!segment_number(v, "category_id", &s.category))
			return wrong(e, "with a segment without 'id' and 'category_id'", err);
		TFR_TRY(append(segments, &s, sizeof(s), err));
	}
	a->n = (uint32_t)n;
	return TFR_OK;
}

static enum tfr_status get_segments(const struct element *e, struct tfr_coco_annotation *a,
	struct tfr_buf *segments, struct tfr_error *err)
{
	TFR_AUTO_JSON tree = NULL;
	struct json_object *list;

	a->first = segments->size / sizeof(struct tfr_coco_segment);
	TFR_TRY(make_tree(e, &tree, err));
	list = tfr_json_member(tree, "segments_info", json_type_array);
	return list ? add_segments(e, list, a, segments, err)
		    : wrong(e, "without a list 'segments_info'", err);
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

static enum tfr_status read_annotation(const struct element *e, const uint8_t *shape,
	size_t shape_size, struct tfr_coco_parsed *out, struct tfr_error *err)
{
	struct tfr_coco_annotation a = { .at = e->at, .id = INT64_MIN };
	struct value v;

	if (get(e, "id", &v))
		TFR_TRY(get_whole(e, "id", &a.id, err));
	TFR_TRY(get_whole(e, "image_id", &a.image, err));
	TFR_TRY(get_whole(e, "category_id", &a.category, err));
	TFR_TRY(get_box(e, &a, err));
	TFR_TRY(get_area(e, &a, err));
	TFR_TRY(get_truth(e, "iscrowd", true, &a.crowd, err));
	TFR_TRY(get_points(e, &a, &out->points, err));
	TFR_TRY(keep_shape(e, shape, shape_size, &a, &out->shapes, err));
	return append(&out->annotations, &a, sizeof(a), err);
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
	for (size_t i = 0; i < TFR_COCO_BUFFERS; i++)
		tfr_buf_clear(&out->all[i]);
}
