/* Boxes as features: the quotients of Python, the features that are left out, and which boxes of
 * VOC and YOLO are kept. */
#include <criterion/criterion.h>
#include <string.h>

#include "convert/annotations/kinds.h"
#include "convert/yolo/yolo.h"

static const struct tfr_convert_opts no_opts;

/* The features of image 0, which has 3 x 11 pixels. */
static struct tfr_example *put(struct tfr_table *t)
{
	struct tfr_item item = { 0 };
	struct tfr_workbench bench = { 0 };
	struct tfr_example *ex = tfr_example_new();
	static uint8_t copy[4096];
	const uint8_t *record;
	size_t size;

	cr_assert_eq(tfr_item_start(&item, 0, NULL), TFR_OK);
	item.came = (struct tfr_image_info){ .width = 3, .height = 11 };
	cr_assert_eq(tfr_table_finish(t, NULL), TFR_OK);
	cr_assert_eq(
		tfr_annotations_add(t, 0, &item, &bench, &(struct tfr_room){ 0 }, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_flatten(item.builder, &record, &size, NULL), TFR_OK);
	cr_assert_leq(size, sizeof(copy));
	memcpy(copy, record, size);
	cr_assert_eq(tfr_example_parse(ex, copy, size, NULL), TFR_OK);
	tfr_workbench_clear(&bench);
	tfr_item_clear(&item);
	return ex;
}

static struct tfr_table begin(void)
{
	struct tfr_table t = { .opts = &no_opts };
	const struct tfr_image_row row = { .width = 3, .height = 11 };

	cr_assert_eq(tfr_table_add_image(&t, &row, NULL), TFR_OK);
	return t;
}

static void add(
	struct tfr_table *t, double xmin, double ymin, double xmax, double ymax, uint32_t class)
{
	const struct tfr_box box = { .class = class };
	const double side[4] = { xmin, ymin, xmax, ymax };

	cr_assert_eq(tfr_table_add_box(t, &box, side, NULL, NULL), TFR_OK);
}

static void expect_float(const struct tfr_example *ex, const char *key, uint64_t i, float wanted)
{
	float value;

	cr_assert(tfr_feature_float(tfr_example_get(ex, key), i, &value), "%s", key);
	cr_assert_eq(value, wanted, "%s: %.9g", key, (double)value);
}

Test(boxes, corners_are_divided_as_in_python)
{
	struct tfr_table t = begin();
	struct tfr_example *ex;
	struct tfr_bytes text;
	uint32_t cat, none;
	int64_t label;

	cr_assert_eq(tfr_table_label(&t, 5, "cat", 3, &cat, NULL), TFR_OK);
	cr_assert_eq(tfr_table_label(&t, -1, "", 0, &none, NULL), TFR_OK);
	/* numpy.float32(7 / 3), and so on: the quotient of doubles is rounded once */
	add(&t, 1, 2, 7, 9, cat);
	add(&t, 0.1, 0.2, 0.3, 0.7, none);
	ex = put(&t);
	cr_assert_eq(tfr_example_count(ex), 6);
	expect_float(ex, "image/object/bbox/xmin", 0, 0.33333334f);
	expect_float(ex, "image/object/bbox/ymin", 0, 0.18181819f);
	expect_float(ex, "image/object/bbox/xmax", 0, 2.33333325f);
	expect_float(ex, "image/object/bbox/ymax", 0, 0.81818181f);
	expect_float(ex, "image/object/bbox/xmin", 1, (float)(0.1 / 3));
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "image/object/class/label"), 1, &label));
	cr_assert_eq(label, -1);
	cr_assert(tfr_feature_bytes(tfr_example_get(ex, "image/object/class/text"), 0, &text));
	cr_assert(text.size == 3 && !memcmp(text.data, "cat", 3));
	tfr_example_free(ex);
	tfr_table_clear(&t);
}

Test(boxes, lists_without_values_are_no_features)
{
	struct tfr_table t = begin();
	struct tfr_example *ex = put(&t);
	uint32_t three;

	cr_assert_eq(tfr_example_count(ex), 0);
	tfr_example_free(ex);
	tfr_table_clear(&t);
	t = begin();
	add(&t, 0, 0, 1, 1, TFR_NO_BOX_CLASS);
	ex = put(&t);
	cr_assert_eq(tfr_example_count(ex), 4);
	cr_assert_null(tfr_example_get(ex, "image/object/class/label"));
	tfr_example_free(ex);
	tfr_table_clear(&t);
	/* numbers of classes without names */
	t = begin();
	cr_assert_eq(tfr_table_label(&t, 3, NULL, 0, &three, NULL), TFR_OK);
	add(&t, 0, 0, 1, 1, three);
	ex = put(&t);
	cr_assert_eq(tfr_example_count(ex), 5);
	cr_assert_null(tfr_example_get(ex, "image/object/class/text"));
	tfr_example_free(ex);
	tfr_table_clear(&t);
}

/* Boxes can come in any order of their images. */
Test(boxes, scattered_boxes_are_grouped)
{
	struct tfr_table t = begin();
	const struct tfr_image_row row = { .width = 3, .height = 11 };

	for (int i = 0; i < 99; i++)
		cr_assert_eq(tfr_table_add_image(&t, &row, NULL), TFR_OK);
	for (uint32_t k = 0; k < 5000; k++) {
		const struct tfr_box box = { .image = k * 31 % 100, .class = TFR_NO_BOX_CLASS };
		const double side[4] = { k, 0, 0, 0 };

		cr_assert_eq(tfr_table_add_box(&t, &box, side, NULL, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_table_finish(&t, NULL), TFR_OK);
	for (uint32_t i = 0, all = 0; i < 100; i++) {
		double before = -1;

		cr_assert_eq(t.images[i].first, all);
		for (; all < tfr_table_boxes_end(&t, i); all++) {
			const struct tfr_box *box = &t.boxes[tfr_table_box(&t, all)];

			cr_assert(box->image == i && box->side[0] > before);
			before = box->side[0];
		}
	}
	cr_assert_eq(t.n_boxes, 5000);
	tfr_table_clear(&t);
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
		const struct tfr_table voc = { .clips = true }, coco = { 0 };
		double side[4], other[4];
		const double *b = rows[i].box;
		bool inside = b[0] >= 0 && b[1] >= 0 && b[2] <= 10 && b[3] <= 20;

		memcpy(side, rows[i].box, sizeof(side));
		memcpy(other, rows[i].box, sizeof(other));
		cr_assert_eq(tfr_box_is_usable(&voc, side, 10, 20), rows[i].usable, "row %zu", i);
		for (int k = 0; rows[i].usable && k < 4; k++)
			cr_assert(side[k] >= 0 && side[k] <= (k % 2 ? 20 : 10), "row %zu", i);
		cr_assert_eq(tfr_box_is_usable(&coco, other, 10, 20), rows[i].usable && inside);
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
		TFR_AUTO_BUF boxes = { 0 }, corners = { 0 };
		struct tfr_yolo_tally t = { 0 };
		struct tfr_error err = { 0 };
		enum tfr_status status = tfr_yolo_parse(&boxes, &corners,
			(const uint8_t *)rows[i].line, strlen(rows[i].line), 0, &t, &err);

		cr_assert_eq(status, rows[i].message ? TFR_EDATA : TFR_OK, "'%s'", rows[i].line);
		if (rows[i].message)
			cr_assert_str_eq(err.message, rows[i].message, "%s", err.message);
		cr_assert(t.boxes == rows[i].boxes && t.empty == rows[i].empty &&
				  t.clipped == rows[i].clipped,
			"'%s': %u boxes, %u empty, %u clipped", rows[i].line, (unsigned)t.boxes,
			(unsigned)t.empty, (unsigned)t.clipped);
	}
}
