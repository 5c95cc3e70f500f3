/* Boxes as features: the quotients of Python, the features that are left out, and which boxes of
 * VOC and YOLO are kept. */
#include <criterion/criterion.h>
#include <string.h>

#include "convert/box_features.h"
#include "convert/voc/voc_xml.h"
#include "convert/yolo/yolo_labels.h"

/* The features that are in the builder. */
static struct tfr_example *put(const struct tfr_boxes *b)
{
	struct tfr_builder *builder = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	static uint8_t copy[4096];
	const uint8_t *record;
	size_t size;

	cr_assert_eq(tfr_boxes_put(b, builder, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_flatten(builder, &record, &size, NULL), TFR_OK);
	cr_assert_leq(size, sizeof(copy));
	memcpy(copy, record, size);
	cr_assert_eq(tfr_example_parse(ex, copy, size, NULL), TFR_OK);
	tfr_builder_free(builder);
	return ex;
}

static void expect_float(const struct tfr_example *ex, const char *key, uint64_t i, float wanted)
{
	float value;

	cr_assert(tfr_feature_float(tfr_example_get(ex, key), i, &value), "%s", key);
	cr_assert_eq(value, wanted, "%s: %.9g", key, (double)value);
}

Test(boxes, corners_are_divided_as_in_python)
{
	struct tfr_boxes b = { 0 };
	struct tfr_example *ex;
	struct tfr_bytes text;
	int64_t label;

	/* numpy.float32(7 / 3), and so on: the quotient of doubles is rounded once */
	cr_assert(tfr_boxes_add(&b, (const double[]){ 1, 2, 7, 9 }, 3, 11));
	cr_assert(tfr_boxes_add_class(&b, 5, "cat"));
	cr_assert(tfr_boxes_add(&b, (const double[]){ 0.1, 0.2, 0.3, 0.7 }, 1, 1));
	cr_assert(tfr_boxes_add_class(&b, -1, ""));
	ex = put(&b);
	cr_assert_eq(tfr_example_count(ex), 6);
	expect_float(ex, "image/object/bbox/xmin", 0, 0.33333334f);
	expect_float(ex, "image/object/bbox/ymin", 0, 0.18181819f);
	expect_float(ex, "image/object/bbox/xmax", 0, 2.33333325f);
	expect_float(ex, "image/object/bbox/ymax", 0, 0.81818181f);
	expect_float(ex, "image/object/bbox/xmin", 1, 0.1f);
	expect_float(ex, "image/object/bbox/ymax", 1, 0.7f);
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "image/object/class/label"), 1, &label));
	cr_assert_eq(label, -1);
	cr_assert(tfr_feature_bytes(tfr_example_get(ex, "image/object/class/text"), 0, &text));
	cr_assert(text.size == 3 && !memcmp(text.data, "cat", 3));
	tfr_example_free(ex);
	tfr_boxes_clear(&b);
}

Test(boxes, lists_without_values_are_no_features)
{
	struct tfr_boxes b = { 0 };
	struct tfr_example *ex = put(&b);

	cr_assert_eq(tfr_example_count(ex), 0);
	tfr_example_free(ex);
	cr_assert(tfr_boxes_add(&b, (const double[]){ 0, 0, 1, 1 }, 2, 2));
	ex = put(&b);
	cr_assert_eq(tfr_example_count(ex), 4);
	cr_assert_null(tfr_example_get(ex, "image/object/class/label"));
	tfr_example_free(ex);
	/* numbers of classes without names */
	cr_assert(tfr_boxes_add_int(&b.labels, 3));
	ex = put(&b);
	cr_assert_eq(tfr_example_count(ex), 5);
	cr_assert_null(tfr_example_get(ex, "image/object/class/text"));
	tfr_example_free(ex);
	/* the next image has none of these */
	tfr_boxes_reset(&b);
	ex = put(&b);
	cr_assert_eq(tfr_example_count(ex), 0);
	tfr_example_free(ex);
	tfr_boxes_clear(&b);
}

Test(boxes, voc_keeps_boxes_inside_the_image)
{
	static const struct {
		double box[4];
		bool usable;
	} rows[] = {
		{ { 0, 0, 10, 20 }, true },
		{ { 9.5, 19.5, 10, 20 }, true },
		{ { -0.5, 0, 10, 20 }, true },
		{ { 0, -1, 10, 20 }, true },
		{ { 0, 0, 11, 20 }, true },
		{ { 0, 0, 10, 20.001 }, true },
		{ { -1.001, 0, 10, 20 }, false },
		{ { 0, 0, 10, 21.001 }, false },
		{ { 10, 0, 10.5, 20 }, false },
		{ { 5, 0, 5, 20 }, false },
		{ { 0, 7, 10, 7 }, false },
		{ { 6, 0, 5, 20 }, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tfr_voc_object o = { 0 };

		memcpy(o.box, rows[i].box, sizeof(o.box));
		cr_assert_eq(tfr_voc_usable(&o, 10, 20), rows[i].usable, "row %zu", i);
		for (int k = 0; rows[i].usable && k < 4; k++)
			cr_assert(o.box[k] >= 0 && o.box[k] <= (k % 2 ? 20 : 10), "row %zu", i);
	}
}

/* Ultralytics refuses numbers outside of 0 to 1, with 1 % of tolerance. */
Test(boxes, yolo_lines_at_the_edge)
{
	static const struct {
		const char *line;
		unsigned boxes, empty, clipped;
		const char *message;
	} rows[] = {
		{ "0 0.5 0.5 1 1", 1, 0, 0, NULL },
		{ "0 0.5 0.5 1.0005 1", 1, 0, 0, NULL }, /* a rounding error */
		{ "0 0.5 0.5 1.009 1", 1, 0, 1, NULL },
		{ "0 1 1 .5 .5", 1, 0, 1, NULL },
		{ "0 -0.005 0.5 0.02 1", 1, 0, 1, NULL },
		{ "0 0.5 0.5 0 1", 0, 1, 0, NULL },
		{ "0 -0.009 0.5 0.001 1", 0, 1, 0, NULL },
		{ "0 0.1 0.1 0.1 0.1 0.1 0.1", 0, 1, 0, NULL }, /* a polygon of one point */
		{ "", 0, 0, 0, NULL },
		{ "0 0.5 0.5 1.02 1", 0, 0, 0,
			"line 1 of its labels has '1.02', which is not a fraction of the image's size" },
		{ "0 -0.02 0.5 1 1", 0, 0, 0,
			"line 1 of its labels has '-0.02', which is not a fraction of the image's size" },
		{ "\n0.5 0.5 0.5 1 1", 0, 0, 0,
			"line 2 of its labels has '0.5', which is not the number of a class" },
		{ "-1 0.5 0.5 1 1", 0, 0, 0,
			"line 1 of its labels has '-1', which is not the number of a class" },
		{ "0 0.5 0.5 1", 0, 0, 0,
			"line 1 of its labels has 3 numbers after the class, neither 4 of a box nor pairs "
			"of a polygon" },
		{ "0 0.5 0.5 1 1 0.9", 0, 0, 0,
			"line 1 of its labels has 5 numbers after the class, neither 4 of a box nor pairs "
			"of a polygon" },
		{ "0 0.5 0.5 1 x", 0, 0, 0, "line 1 of its labels has 'x', which is not a number" },
		{ "0 0.5 0.5 1 nan", 0, 0, 0, "line 1 of its labels has 'nan', which is not a number" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		TFR_AUTO_BUF boxes = { 0 };
		struct tfr_yolo_tally t = { 0 };
		struct tfr_error err = { 0 };
		enum tfr_status status = tfr_yolo_parse(&boxes, (const uint8_t *)rows[i].line,
			strlen(rows[i].line), 0, &t, &err);

		cr_assert_eq(status, rows[i].message ? TFR_EDATA : TFR_OK, "'%s'", rows[i].line);
		if (rows[i].message)
			cr_assert_str_eq(err.message, rows[i].message, "%s", err.message);
		cr_assert(t.boxes == rows[i].boxes && t.empty == rows[i].empty &&
				  t.clipped == rows[i].clipped,
			"'%s': %u boxes, %u empty, %u clipped", rows[i].line, (unsigned)t.boxes,
			(unsigned)t.empty, (unsigned)t.clipped);
	}
}
