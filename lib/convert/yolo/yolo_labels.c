/* convert/yolo/yolo_labels.c - parses labels in one pass over the text, without storing a line,
 * however many numbers it has.
 *
 * Corners are computed in doubles and rounded to floats last, as in NumPy.  A box can extend
 * past an edge, because labels are rounded to a few decimals: it is clipped, as in Ultralytics.
 * What Ultralytics refuses is malformed here: a number outside of 0 to 1, with 1 % of tolerance
 * (ultralytics/data/utils.py: verify_image_label). */
#include "convert/yolo/yolo.h"

#include <math.h>
#include <string.h>

#include "convert/number_text.h"

enum { SHOWN = 40 };
static const double tolerance = 0.01, rounding = 0.001;

struct line {
	const char *at, *end;
	unsigned long number;
	struct tfr_buf *corners;
	struct tfr_error *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Reads the next word of the line; false: there is none. */
static bool next_word(struct line *l, const char **word, size_t *size)
{
	while (l->at < l->end && is_blank(*l->at))
		l->at++;
	*word = l->at;
	while (l->at < l->end && !is_blank(*l->at))
		l->at++;
	*size = (size_t)(l->at - *word);
	return *size > 0;
}

static enum tfr_status bad_word(
	const struct line *l, const char *word, size_t size, const char *what)
{
	return tfr_fail(l->err, TFR_EDATA, "line %lu of its labels has '%.*s', which is %s",
		l->number, (int)(size < SHOWN ? size : SHOWN), word, what);
}

/* A class is a whole number; some tools write it as "3.0". */
static enum tfr_status read_class(struct line *l, uint32_t *class)
{
	const char *word;
	size_t size;
	double value;

	next_word(l, &word, &size);
	if (!tfr_number(word, size, &value) || value < 0 || value > INT32_MAX ||
		value != floor(value))
		return bad_word(l, word, size, "not the number of a class");
	*class = (uint32_t)value;
	return TFR_OK;
}

static bool is_fraction(double value)
{
	return value >= -tolerance && value <= 1 + tolerance;
}

/* The numbers after the class. */
struct numbers {
	double box[4];		/* the first ones */
	double low[2], high[2]; /* of all, as corners */
	size_t n;
};

static enum tfr_status read_numbers(struct line *l, size_t bounded, struct numbers *v)
{
	const char *word;
	size_t size;
	double value;

	*v = (struct numbers){ .low = { 1, 1 } };
	for (; next_word(l, &word, &size); v->n++) {
		unsigned axis = v->n % 2;
		float corner;

		if (!tfr_number(word, size, &value))
			return bad_word(l, word, size, "not a number");
		if (v->n >= bounded)
			continue;
		if (!is_fraction(value))
			return bad_word(l, word, size, "not a fraction of the image's size");
		if (v->n < 4)
			v->box[v->n] = value;
		corner = (float)(value < 0 ? 0 : value > 1 ? 1 : value);
		TFR_NEED_MEMORY(tfr_buf_append(l->corners, &corner, sizeof(corner)), l->err,
			"reading labels");
		v->low[axis] = v->n < 2 || value < v->low[axis] ? value : v->low[axis];
		v->high[axis] = v->n < 2 || value > v->high[axis] ? value : v->high[axis];
	}
	return TFR_OK;
}

static double clip(double v, bool *far)
{
	*far = *far || v < -rounding || v > 1 + rounding;
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

static enum tfr_status keep(struct tfr_buf *boxes, const struct numbers *v, uint32_t class,
	uint32_t corners, struct tfr_yolo_tally *t, struct tfr_error *err)
{
	bool far = false;
	struct tfr_yolo_box box = {
		.xmin = (float)clip(v->low[0], &far),
		.ymin = (float)clip(v->low[1], &far),
		.xmax = (float)clip(v->high[0], &far),
		.ymax = (float)clip(v->high[1], &far),
		.class = class,
		.corners = corners,
	};

	if (!(box.xmin < box.xmax && box.ymin < box.ymax)) {
		t->empty++;
		return TFR_END;
	}
	t->clipped += far;
	t->boxes++;
	t->polygons += corners > 0;
	return tfr_buf_append(boxes, &box, sizeof(box)) ? TFR_OK
							: tfr_fail_nomem(err, "reading labels");
}

/* Checks how many numbers are after the class. */
static enum tfr_status check_count(const struct line *l, size_t n, size_t keypoints)
{
	if (n == 4 || (keypoints ? n == 4 + keypoints : n >= 6 && n % 2 == 0))
		return TFR_OK;
	if (!keypoints)
		return tfr_fail(l->err, TFR_EDATA,
			"line %lu of its labels has %zu numbers after the class, neither 4 of a "
			"box nor pairs of a polygon",
			l->number, n);
	return tfr_fail(l->err, TFR_EDATA,
		"line %lu of its labels has %zu numbers after the class, neither 4 nor 4 and %zu "
		"of keypoints",
		l->number, n, keypoints);
}

static enum tfr_status read_line(
	struct line *l, struct tfr_buf *boxes, size_t keypoints, struct tfr_yolo_tally *t)
{
	size_t before = l->corners->size;
	enum tfr_status status;
	struct numbers v;
	uint32_t class = 0;
	bool polygon;

	TFR_TRY(read_class(l, &class));
	TFR_TRY(read_numbers(l, keypoints ? 4 : SIZE_MAX, &v));
	TFR_TRY(check_count(l, v.n, keypoints));
	polygon = v.n != 4 && !keypoints;
	for (int axis = 0; axis < 2 && !polygon; axis++) {
		v.low[axis] = v.box[axis] - v.box[2 + axis] / 2;
		v.high[axis] = v.box[axis] + v.box[2 + axis] / 2;
	}
	status = keep(boxes, &v, class, polygon ? (uint32_t)(v.n / 2) : 0, t, l->err);
	if (!polygon || status)
		l->corners->size = before;
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_yolo_parse(struct tfr_buf *boxes, struct tfr_buf *corners, const uint8_t *text,
	size_t size, size_t keypoints, struct tfr_yolo_tally *tally, struct tfr_error *err)
{
	const char *at = (const char *)text, *end = at + size;
	struct tfr_yolo_tally t = *tally;
	struct line l = { .err = err };
	size_t before = boxes->size, corners_before = corners->size;
	enum tfr_status status = TFR_OK;

	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* a byte order mark */
		at += 3;
	for (; !status && at < end; at = l.end + 1) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *word;

		l = (struct line){ at, feed ? feed : end, l.number + 1, corners, err };
		if (!next_word(&l, &word, &size))
			continue;
		l.at = word;
		status = read_line(&l, boxes, keypoints, &t);
	}
	if (!status)
		*tally = t;
	else
		boxes->size = before, corners->size = corners_before;
	return status;
}

bool tfr_yolo_looks(const char *text, size_t size)
{
	struct tfr_error ignored;
	struct line l = { .at = text, .end = text + size, .err = &ignored };
	const char *word;
	uint32_t class;
	double value;

	while (l.at < l.end && (is_blank(*l.at) || *l.at == '\n'))
		l.at++;
	if (l.at == l.end)
		return false;
	l.end = memchr(l.at, '\n', (size_t)(l.end - l.at)) ?: l.end;
	if (read_class(&l, &class))
		return false;
	for (int i = 0; i < 4; i++)
		if (!next_word(&l, &word, &size) || !tfr_number(word, size, &value) ||
			!is_fraction(value))
			return false;
	return true;
}
