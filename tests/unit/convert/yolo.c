/* Labels of YOLO: boxes and polygons as Ultralytics takes them, cut anywhere; data.yaml. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/temp.h"

#include "base/rng.h"
#include "convert/number_text.h"
#include "convert/yolo/yolo.h"

static enum tfr_status parse(struct tfr_buf *boxes, const char *text, size_t keypoints,
	struct tfr_yolo_tally *t, struct tfr_error *err)
{
	TFR_AUTO_BUF corners = { 0 };
	enum tfr_status status = tfr_yolo_parse(
		boxes, &corners, (const uint8_t *)text, strlen(text), keypoints, t, err);

	cr_assert(corners.size % (2 * sizeof(float)) == 0);
	return status;
}

static const struct tfr_yolo_box *box(const struct tfr_buf *boxes, size_t i)
{
	return (const struct tfr_yolo_box *)(const void *)boxes->data + i;
}

Test(yolo, boxes_polygons_and_keypoints)
{
	TFR_AUTO_BUF boxes = { 0 };
	struct tfr_yolo_tally t = { 0 };
	struct tfr_error err = { 0 };

	cr_assert_eq(parse(&boxes,
			     "\xef\xbb\xbf"
			     "3 0.5 0.25 0.2 0.1\r\n\n \t\r\n"
			     "79\t0.9 0.2 0.3 0.8 0.1 0.5  \n1 0.5 0.5 0 1\n0 .99 .5 .5 1",
			     0, &t, &err),
		TFR_OK, "%s", err.message);
	cr_assert(t.boxes == 3 && t.polygons == 1 && t.empty == 1 && t.clipped == 1);
	cr_assert_eq(boxes.size, 3 * sizeof(struct tfr_yolo_box));
	cr_assert(box(&boxes, 0)->class == 3 && box(&boxes, 0)->xmin == (float)(0.5 - 0.2 / 2) &&
		  box(&boxes, 0)->ymax == (float)(0.25 + 0.1 / 2));
	cr_assert(box(&boxes, 1)->class == 79 && box(&boxes, 1)->xmin == 0.1f &&
		  box(&boxes, 1)->ymin == 0.2f && box(&boxes, 1)->xmax == 0.9f &&
		  box(&boxes, 1)->ymax == 0.8f);
	cr_assert(box(&boxes, 2)->xmax == 1 && box(&boxes, 2)->ymin == 0);
	cr_assert_eq(parse(&boxes, "0 .5 .5 .1 .1 .2 .2 2 700 -3 0", 6, &t, &err), TFR_OK);
	cr_assert_eq(boxes.size, 4 * sizeof(struct tfr_yolo_box));
	cr_assert_eq(parse(&boxes, "0 .5 .5 .1 .1\n0 .5 .5 .1 .1 .2", 6, &t, &err), TFR_EDATA);
	cr_assert_eq(boxes.size, 4 * sizeof(struct tfr_yolo_box));
	cr_assert(strstr(err.message, "line 2"), "%s", err.message);
}

Test(yolo, labels_cut_anywhere_are_taken_or_refused)
{
	static const char text[] = "3 0.5 0.25 0.2 0.1\n7 0.9 0.2 0.3 0.8 0.1 0.5\n";

	for (size_t n = 0; n < sizeof(text); n++) {
		char *exact = malloc(n + 1); /* so that a sanitizer sees what is read past it */
		struct tfr_buf boxes = { 0 }, corners = { 0 };
		struct tfr_yolo_tally t = { 0 };
		struct tfr_error err = { 0 };
		enum tfr_status status;

		cr_assert_not_null(exact);
		memcpy(exact, text, n);
		status = tfr_yolo_parse(&boxes, &corners, (const uint8_t *)exact, n, 0, &t, &err);
		cr_assert(status == TFR_OK || status == TFR_EDATA);
		cr_assert(!status || err.message[0]);
		tfr_buf_clear(&boxes);
		tfr_buf_clear(&corners);
		free(exact);
	}
}

Test(yolo, numbers_are_those_of_strtod)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 1, 0);
	for (int i = 0; i < 200000; i++) {
		char text[64];
		double value, wanted;
		int n = snprintf(text, sizeof(text), "%.*f", (int)tfr_rng_below(&rng, 20),
			(double)tfr_rng_below(&rng, 1 << 30) / (1 << 28));

		if (i % 3 == 0)
			n = snprintf(text, sizeof(text), "%.*e", (int)tfr_rng_below(&rng, 20),
				ldexp((double)tfr_rng_below(&rng, 1 << 30),
					(int)tfr_rng_below(&rng, 200) - 100));
		wanted = strtod(text, NULL);
		cr_assert(tfr_number(text, (size_t)n, &value), "%s", text);
		cr_assert_eq(value, wanted, "%s", text);
	}
}

Test(yolo, texts_that_are_no_numbers)
{
	static const char *const texts[] = { "", "-", "+", ".", "e5", "1e", "1e+", "0x1", "nan",
		"inf", "1 ", " 1", "1,5", "1e999", "--1", "1.2.3" };
	double value;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_assert_not(tfr_number(texts[i], strlen(texts[i]), &value), "%s", texts[i]);
	cr_assert(tfr_number("-0.5", 4, &value) && value == -0.5);
	cr_assert(tfr_number("+5.", 3, &value) && value == 5);
}

static enum tfr_status yaml(struct tfr_yolo_yaml *y, const char *text, struct tfr_error *err)
{
	return tfr_yolo_yaml_parse(y, (const uint8_t *)text, strlen(text), "data.yaml", err);
}

Test(yolo, a_description_names_classes_and_splits)
{
	static const char text[] = "path: ../datasets/x\ntrain: [images/a, images/b]\nval: ~\n"
				   "names: {2: c, 0: 'a b', 1: \"\\u00e9\"}\nkpt_shape: [17, 3]\n"
				   "more: [[{a: [b]}], {names: [x]}]\n";
	struct tfr_yolo_yaml y;
	struct tfr_error err = { 0 };
	enum tfr_status status = yaml(&y, text, &err);

	if (status == TFR_EUNAVAILABLE)
		cr_skip_test("%s", err.message);
	cr_assert_eq(status, TFR_OK, "%s", err.message);
	cr_assert_eq(y.n_names, 3);
	cr_assert_str_eq(tfr_yolo_text(&y, y.names[0].text), "a b");
	cr_assert_str_eq(tfr_yolo_text(&y, y.names[1].text), "\xc3\xa9");
	cr_assert_eq(y.names[2].number, 2);
	cr_assert_eq(y.n_places, 2);
	cr_assert_str_eq(tfr_yolo_text(&y, y.places[1].text), "images/b");
	cr_assert_str_eq(tfr_yolo_text(&y, y.root), "../datasets/x");
	cr_assert_eq(y.keypoints, 51);
	tfr_yolo_yaml_clear(&y);
}

Test(yolo, a_small_description_cannot_become_large)
{
	static const char bomb[] = "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nnames: *b\n";
	struct tfr_yolo_yaml y;
	struct tfr_error err = { 0 };
	char deep[4096];

	if (yaml(&y, bomb, &err) == TFR_EUNAVAILABLE)
		cr_skip_test("%s", err.message);
	cr_assert_eq(err.status, TFR_EDATA);
	tfr_yolo_yaml_clear(&y);
	memset(deep, '[', sizeof(deep) - 1);
	memcpy(deep, "names: ", 7);
	deep[sizeof(deep) - 1] = '\0';
	cr_assert_eq(yaml(&y, deep, &err), TFR_EDATA);
	tfr_yolo_yaml_clear(&y);
}
