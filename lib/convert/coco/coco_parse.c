/* convert/coco/coco_parse.c - finds the elements of a COCO file, and parses them.
 *
 * The scanner is a state machine between values; inside them it looks only for brackets and
 * strings, and leaves other faults to the parser of elements.  So a byte of a polygon, which is
 * most of the file, costs a part of a comparison.  The parser does not look into shapes either:
 * they are kept as text or skipped until they are drawn. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "convert/coco/coco_read.h"
#include "convert/number_text.h"

enum {
	DEEPEST = 63,
	POINTS_MOST = 10000, /* of an annotation */
};

static const char reading_it[] = "reading annotations";

/* --- the scanner --- */

/* What the scanner expects; inside a value, what it expects after it. */
enum state {
	START,
	FIRST_NAME, /* or the end of the object */
	NAME,
	COLON,
	VALUE,
	LIST,
	FIRST_ELEMENT, /* or the end of the list */
	ELEMENT,
	AFTER_ELEMENT,
	AFTER_VALUE,
	END,
};

static const struct {
	char accepted[4];
	enum state next[3];	   /* after each of them */
	const char *fault, *after; /* the name of the list is between them, if there is `after` */
} steps[] = {
	[START] = { "{", { FIRST_NAME }, "expected '{' at the beginning" },
	[FIRST_NAME] = { "\"}", { COLON, END }, "expected a name in quotes" },
	[NAME] = { "\"", { COLON }, "expected a name in quotes" },
	[COLON] = { ":", { VALUE }, "expected ':'" },
	[VALUE] = { "\"[{", { AFTER_VALUE, AFTER_VALUE, AFTER_VALUE }, "expected a value" },
	[LIST] = { "[", { FIRST_ELEMENT }, "'", "' is not a list" },
	[FIRST_ELEMENT] = { "{]", { AFTER_ELEMENT, AFTER_VALUE }, "an element of '",
		"' is not an object" },
	[ELEMENT] = { "{", { AFTER_ELEMENT }, "an element of '", "' is not an object" },
	[AFTER_ELEMENT] = { ",]", { ELEMENT, AFTER_VALUE }, "expected ',' or ']'" },
	[AFTER_VALUE] = { ",}", { NAME, END }, "expected ',' or '}'" },
	[END] = { "", { END }, "trailing bytes after the end of the object" },
};

static const char *const lists[TFR_COCO_LISTS] = { "images", "annotations", "categories" };

static enum tfr_status bad(const struct tfr_coco_scan *s, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, s->path, "%s at byte %llu of", what,
		(unsigned long long)(s->offset + s->at));
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_scalar(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '+' || c == '.';
}

/* Moves to the quote that ends a text; false: the text continues. */
static bool pass_text(struct tfr_coco_scan *s, const uint8_t *text, size_t size)
{
	const size_t from = s->at, room = sizeof(s->name) - s->name_size;
	size_t n;

	for (; s->at < size && (s->escaped || text[s->at] != '"'); s->at++)
		s->escaped = !s->escaped && text[s->at] == '\\';
	s->in_text = s->at == size;
	if (s->state == COLON) {
		n = s->at - from < room ? s->at - from : room;
		memcpy(s->name + s->name_size, text + from, n);
		s->name_size += n;
	}
	return !s->in_text;
}

static enum tfr_status pass_bracket(struct tfr_coco_scan *s, uint8_t c, struct tfr_error *err)
{
	bool object = c == '{' || c == '}';

	if (c == '\\')
		return bad(s, "a backslash outside of a text", err);
	if (c == '{' || c == '[') {
		if (s->depth == DEEPEST)
			return bad(s, "nested too deep", err);
		s->braces = s->braces << 1 | object;
		s->depth++;
		return TFR_OK;
	}
	if ((s->braces & 1) != object)
		return bad(s, "a bracket that closes another kind", err);
	s->braces >>= 1;
	s->depth--;
	return TFR_OK;
}

/* A byte between values that is not white space. */
static enum tfr_status pass_step(struct tfr_coco_scan *s, uint8_t c, struct tfr_error *err)
{
	const char *found = c ? strchr(steps[s->state].accepted, c) : NULL;
	const char *after = steps[s->state].after;

	s->in_scalar = s->state == VALUE && is_scalar(c);
	if (!found && !s->in_scalar)
		return tfr_fail_path(err, TFR_EDATA, s->path, "%s%s%s at byte %llu of",
			steps[s->state].fault, after ? lists[s->list] : "", after ? after : "",
			(unsigned long long)(s->offset + s->at));
	s->from = s->at;
	s->name_size = 0;
	s->in_text = c == '"';
	if ((c == '{' && s->state != START) || (c == '[' && s->state == VALUE))
		TFR_TRY(pass_bracket(s, c, err));
	s->state = found ? steps[s->state].next[found - steps[s->state].accepted] : AFTER_VALUE;
	if (s->state == VALUE && s->list != TFR_COCO_LISTS)
		s->state = LIST;
	return TFR_OK;
}

/* The end of the name of a member. */
static enum tfr_status end_name(struct tfr_coco_scan *s, struct tfr_error *err)
{
	for (s->list = 0; s->list < TFR_COCO_LISTS; s->list++)
		if (s->name_size == strlen(lists[s->list]) &&
			!memcmp(s->name, lists[s->list], s->name_size))
			break;
	if (s->list == TFR_COCO_LISTS)
		return TFR_OK;
	if (s->seen[s->list])
		return bad(s, "a second list of the same name", err);
	s->seen[s->list] = true;
	return TFR_OK;
}

static enum tfr_status end_element(
	const struct tfr_coco_scan *s, struct tfr_buf *elements, struct tfr_error *err)
{
	const struct tfr_coco_element e = { (uint32_t)s->from, (uint32_t)s->at + 1, s->list };

	return tfr_buf_append(elements, &e, sizeof(e)) ? TFR_OK : tfr_fail_nomem(err, reading_it);
}

enum tfr_status tfr_coco_scan(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	struct tfr_buf *elements, struct tfr_error *err)
{
	const char *chars = (const char *)text;

	for (; s->at < size; s->at++) {
		if (s->in_text) {
			if (!pass_text(s, text, size))
				break;
		} else if (s->depth) {
			s->at = (size_t)(tfr_json_mark(chars + s->at, chars + size) - chars);
			if (s->at == size)
				break;
			s->in_text = text[s->at] == '"';
			if (!s->in_text)
				TFR_TRY(pass_bracket(s, text[s->at], err));
		} else {
			s->in_scalar = s->in_scalar && is_scalar(text[s->at]);
			if (!s->in_scalar && !is_space(text[s->at]))
				TFR_TRY(pass_step(s, text[s->at], err));
			continue;
		}
		if (s->in_text || s->depth)
			continue;
		if (s->state == COLON)
			TFR_TRY(end_name(s, err));
		else if (s->state == AFTER_ELEMENT)
			TFR_TRY(end_element(s, elements, err));
	}
	return TFR_OK;
}

size_t tfr_coco_scan_drop(struct tfr_coco_scan *s)
{
	const size_t n = s->depth && s->state == AFTER_ELEMENT ? s->from : s->at;

	s->offset += n;
	s->at -= n;
	s->from -= n;
	return n;
}

enum tfr_status tfr_coco_scan_end(const struct tfr_coco_scan *s, struct tfr_error *err)
{
	if (s->state != END)
		return bad(s, "truncated JSON", err);
	for (unsigned i = 0; i < TFR_COCO_LISTS; i++)
		if (!s->seen[i] && !(i == TFR_COCO_CATEGORIES && s->no_categories))
			return tfr_fail_path(err, TFR_EDATA, s->path, "no list '%s' in", lists[i]);
	return TFR_OK;
}

/* --- values --- */

__attribute__((format(printf, 3, 4))) static enum tfr_status wrong(
	const struct tfr_coco_parser *p, struct tfr_error *err, const char *format, ...)
{
	static const char *const kinds[] = { "an image", "an annotation", "a category" };
	char what[128];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return tfr_fail_path(err, TFR_EDATA, p->path, "%s %s at byte %llu of",
		kinds[p->element.list], what, (unsigned long long)p->element.key.at);
}

static enum tfr_status append(
	struct tfr_buf *to, const void *bytes, size_t n, struct tfr_error *err)
{
	return tfr_buf_append(to, bytes, n) ? TFR_OK : tfr_fail_nomem(err, reading_it);
}

/* Finds a member of the element; of equal names the last one counts.  NULL: there is none. */
static const struct tfr_token *get(const struct tfr_coco_parser *p, const char *key)
{
	return tfr_token_member(tfr_tape_root(&p->tape), key);
}

/* The same of a member that is not null. */
static const struct tfr_token *get_some(const struct tfr_coco_parser *p, const char *key)
{
	const struct tfr_token *v = get(p, key);

	return v && v->type != TFR_TOKEN_NULL ? v : NULL;
}

static bool is_list(const struct tfr_token *v, uint32_t most)
{
	return v->type == TFR_TOKEN_ARRAY && v->n <= most;
}

/* A finite number. */
static bool is_number(const struct tfr_token *v, double *value)
{
	return tfr_token_double(v, value) && isfinite(*value);
}

/* A text without a NUL. */
static bool is_text(const struct tfr_token *v)
{
	return v->type == TFR_TOKEN_TEXT && !memchr(v->text, '\0', v->size);
}

static enum tfr_status keep_text(
	struct tfr_coco_parser *p, const struct tfr_token *text, struct tfr_error *err)
{
	TFR_TRY(append(&p->texts, text->text, text->size, err));
	return append(&p->texts, "", 1, err);
}

static enum tfr_status get_whole(
	const struct tfr_coco_parser *p, const char *key, int64_t *value, struct tfr_error *err)
{
	const struct tfr_token *v = get(p, key);

	return v && tfr_token_whole(v, value)
		       ? TFR_OK
		       : wrong(p, err, "whose '%s' is not a whole number", key);
}

static enum tfr_status get_text(
	struct tfr_coco_parser *p, const char *key, uint32_t *offset, struct tfr_error *err)
{
	const struct tfr_token *v = get(p, key);

	*offset = (uint32_t)p->texts.size;
	return v && is_text(v) ? keep_text(p, v, err)
			       : wrong(p, err, "whose '%s' is not a text", key);
}

/* 0 and 1, or false and true.  With `may_lack`, an absent member is false, as in pycocotools. */
static enum tfr_status get_truth(const struct tfr_coco_parser *p, const char *key, bool may_lack,
	bool *value, struct tfr_error *err)
{
	const struct tfr_token *v = get(p, key);
	int64_t number = 0;
	bool good = v ? v->type == TFR_TOKEN_BOOL || tfr_token_whole(v, &number) : may_lack;

	if (v && v->type == TFR_TOKEN_BOOL)
		number = v->truth;
	*value = number;
	return good && (number == 0 || number == 1)
		       ? TFR_OK
		       : wrong(p, err, "whose '%s' is neither 0 nor 1", key);
}

/* --- elements --- */

static enum tfr_status read_image(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_image_row *row = &p->element.image;
	int64_t width = 0, height = 0;

	*row = (struct tfr_image_row){ .file = TFR_NO_FILE, .mask = TFR_NO_FILE };
	TFR_TRY(get_whole(p, "id", &p->element.key.id, err));
	if (get(p, "width") || get(p, "height")) { /* MediaPipe's files have no sizes */
		TFR_TRY(get_whole(p, "width", &width, err));
		TFR_TRY(get_whole(p, "height", &height, err));
		if (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX)
			return wrong(p, err, "of an impossible size");
	}
	TFR_TRY(get_text(p, "file_name", &row->name, err));
	row->width = (uint32_t)width;
	row->height = (uint32_t)height;
	row->source = (uint32_t)p->texts.size;
	TFR_NEED_MEMORY(tfr_buf_printf(&p->texts, "%lld%c", (long long)p->element.key.id, 0), err,
		reading_it);
	if (!p->keeps_names)
		p->texts.size = row->name;
	return TFR_OK;
}

/* The names of a category's keypoints, if it has some; other tools write an empty list. */
static enum tfr_status get_point_names(struct tfr_coco_parser *p, struct tfr_error *err)
{
	const struct tfr_token *list = get_some(p, "keypoints"), *v = list ? list + 1 : NULL;
	bool good = !list || is_list(list, POINTS_MOST);

	p->element.category.points = (uint32_t)p->texts.size;
	p->element.category.n_points = list && good ? list->n : 0;
	for (uint32_t i = 0; i < p->element.category.n_points && good; i++, v++) {
		good = is_text(v);
		if (good)
			TFR_TRY(keep_text(p, v, err));
	}
	return good ? TFR_OK : wrong(p, err, "whose 'keypoints' are not names");
}

static enum tfr_status read_category(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_coco_category *c = &p->element.category;

	*c = (struct tfr_coco_category){ 0 };
	TFR_TRY(get_whole(p, "id", &p->element.key.id, err));
	TFR_TRY(get_text(p, "name", &c->name, err));
	if (p->what == TFR_COCO_OBJECTS)
		TFR_TRY(get_point_names(p, err));
	if (p->what == TFR_COCO_PANOPTIC)
		TFR_TRY(get_truth(p, "isthing", false, &c->thing, err));
	return TFR_OK;
}

/* Absent, null or an empty list means no box: the annotation is of a shape or of the complete
 * image.  Roboflow writes some sides as strings, "328.0000".  Without an area it is that of the
 * box. */
static enum tfr_status get_box(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_coco_annotation *a = &p->annotation;
	const struct tfr_token *list = get_some(p, "bbox"), *v = list ? list + 1 : NULL;
	const struct tfr_token *area = get_some(p, "area");
	bool good = !list || (is_list(list, 4) && list->n % 4 == 0);
	double box[4] = { 0 };

	a->boxless = !list || !list->n;
	for (size_t i = 0; good && !a->boxless && i < 4; i++, v = tfr_token_next(v))
		good = v->type == TFR_TOKEN_TEXT ? tfr_number(v->text, v->size, &box[i])
						 : is_number(v, &box[i]);
	if (!good)
		return wrong(p, err, "whose 'bbox' is not four numbers");
	for (size_t i = 0; i < 4; i++)
		a->side[i] = i < 2 ? box[i] : box[i - 2] + box[i];
	a->more.area = box[2] * box[3];
	return !area || is_number(area, &a->more.area)
		       ? TFR_OK
		       : wrong(p, err, "whose 'area' is not a number");
}

/* Three numbers per keypoint: x, y, and 0 not labelled, 1 hidden, 2 visible. */
static enum tfr_status get_points(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_box_more *more = &p->annotation.more;
	const struct tfr_token *list = get_some(p, "keypoints"), *v = list ? list + 1 : NULL;
	bool good = !list || (is_list(list, 3 * POINTS_MOST) && list->n % 3 == 0);
	struct tfr_keypoint point;

	more->first = (uint32_t)(p->points.size / sizeof(point));
	more->n = list && good ? list->n / 3 : 0;
	for (uint32_t i = 0; i < more->n && good; i++, v += 3) {
		good = is_number(v, &point.x) && is_number(v + 1, &point.y) &&
		       tfr_token_whole(v + 2, &point.visibility);
		if (good)
			TFR_TRY(append(&p->points, &point, sizeof(point), err));
		more->labelled += good && point.visibility > 0;
	}
	if (!good)
		return wrong(p, err, "whose 'keypoints' are not three numbers each");
	return list && get_some(p, "num_keypoints")
		       ? get_whole(p, "num_keypoints", &more->labelled, err)
		       : TFR_OK;
}

static enum tfr_status get_segments(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_box_more *more = &p->annotation.more;
	const struct tfr_token *list = get(p, "segments_info"), *v = list ? list + 1 : NULL;
	struct tfr_coco_segment s;

	if (!list || !is_list(list, UINT32_MAX))
		return wrong(p, err, "without a list 'segments_info'");
	more->first = (uint32_t)(p->points.size / sizeof(s));
	more->n = list->n;
	for (uint32_t i = 0; i < list->n; i++, v = tfr_token_next(v)) {
		const struct tfr_token *id = tfr_token_member(v, "id"),
				       *category = tfr_token_member(v, "category_id");

		if (!id || !category || !tfr_token_whole(id, &s.id) ||
			!tfr_token_whole(category, &s.category))
			return wrong(p, err, "with a segment without 'id' and 'category_id'");
		TFR_TRY(append(&p->points, &s, sizeof(s), err));
	}
	return TFR_OK;
}

/* Keeps the text of a shape that is not null or an empty list, as boxes without a shape have. */
static enum tfr_status keep_shape(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_coco_annotation *a = &p->annotation;
	const struct tfr_token *shape = p->keeps_shapes ? get(p, "segmentation") : NULL;
	char seen[5] = "";

	for (size_t i = 0, n = 0; shape && i < shape->size && n < sizeof(seen) - 1; i++)
		if (!strchr(" \t\r\n", shape->text[i]))
			seen[n++] = shape->text[i];
	if (!shape || !strcmp(seen, "[]") || !strcmp(seen, "[[]]") || !strcmp(seen, "null"))
		return TFR_OK;
	a->offset = (uint32_t)p->shapes.size;
	a->more.shape_size = shape->size;
	return append(&p->shapes, shape->text, shape->size, err);
}

static enum tfr_status read_annotation(struct tfr_coco_parser *p, struct tfr_error *err)
{
	struct tfr_coco_annotation *a = &p->annotation;

	*a = (struct tfr_coco_annotation){ .id = INT64_MIN, .more.at = p->element.key.at };
	if (p->what == TFR_COCO_OBJECTS && get(p, "id"))
		TFR_TRY(get_whole(p, "id", &a->id, err));
	TFR_TRY(get_whole(p, "image_id", &a->image, err));
	if (p->what == TFR_COCO_CAPTIONS)
		return get_text(p, "caption", &a->offset, err);
	if (p->what == TFR_COCO_PANOPTIC) {
		TFR_TRY(get_text(p, "file_name", &a->offset, err));
		return get_segments(p, err);
	}
	TFR_TRY(get_whole(p, "category_id", &a->category, err));
	TFR_TRY(get_box(p, err));
	TFR_TRY(get_truth(p, "iscrowd", true, &a->crowd, err));
	TFR_TRY(get_points(p, err));
	return keep_shape(p, err);
}

enum tfr_status tfr_coco_parse(struct tfr_coco_parser *p, const uint8_t *text,
	const struct tfr_coco_element *e, uint64_t offset, struct tfr_error *err)
{
	enum tfr_status status;

	p->element.list = e->list;
	p->element.key = (struct tfr_coco_id){ .at = offset + e->from };
	p->tape.skipped = e->list == TFR_COCO_ANNOTATIONS ? "segmentation" : NULL;
	status = tfr_tape_scan(&p->tape, (const char *)text + e->from, e->to - e->from, NULL);
	if (status == TFR_EDATA)
		return wrong(p, err, "that is not JSON (%s)", p->tape.fault);
	if (status)
		return tfr_fail_nomem(err, reading_it);
	if (e->list == TFR_COCO_ANNOTATIONS)
		return read_annotation(p, err);
	return e->list == TFR_COCO_IMAGES ? read_image(p, err) : read_category(p, err);
}

void tfr_coco_parser_clear(struct tfr_coco_parser *p)
{
	tfr_buf_clear(&p->texts);
	tfr_buf_clear(&p->points);
	tfr_buf_clear(&p->shapes);
	tfr_tape_clear(&p->tape);
}
