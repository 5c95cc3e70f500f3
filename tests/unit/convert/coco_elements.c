/* Elements of COCO files: their values, and what is refused. */
#include <math.h>

#include "support/temp.h"

#include "base/rng.h"
#include "convert/coco/coco_read.h"

static enum tfr_status parse(struct tfr_coco_parser *p, const char *text, enum tfr_coco_list list,
	enum tfr_coco_what what, struct tfr_error *err)
{
	struct tfr_coco_element e = { .from = 0, .to = (uint32_t)strlen(text), .list = list };

	p->path = "f.json";
	p->what = what;
	p->keeps_names = p->keeps_shapes = true;
	return tfr_coco_parse(p, (const uint8_t *)text, &e, 100, err);
}

Test(coco_elements, an_annotation)
{
	static const char *const texts[] = {
		"{\"id\": 7, \"image_id\": 3, \"category_id\": 5, \"bbox\": [1, 2.5, 3e0, \"4.50\"], "
		"\"area\": 9.25, \"iscrowd\": 1, \"segmentation\": [[1, 2, 3, 4, 5, 6]]}",
		/* other members, of any form, change nothing */
		"{\"more\": {\"a\": [1]}, \"segmentation\": [[1, 2, 3, 4, 5, 6]], \"area\": 9.25, "
		"\"iscrowd\": true, \"bbox\": [1.0, 2.5, 3, \"4.5\"], \"category_id\": 5.0, "
		"\"image_id\": 3, \"id\": 7}",
		/* indented, with escapes in a name that is not used */
		"{\n\t\"id\":7,\r\n\t\"image_id\":3, \"category_id\":5, \"n\\u00e4me\": 1,\n"
		"\"bbox\":[1,2.5,3,4.5], \"area\":925e-2, \"iscrowd\":1,\n"
		"\"segmentation\": [[1, 2, 3, 4, 5, 6]]\n}",
		/* of equal names the last one counts */
		"{\"id\": 6, \"id\": 7, \"image_id\": 3, \"category_id\": 5, \"area\": 9.25, "
		"\"bbox\": [1, 2.5, 3, 4.5], \"iscrowd\": 1, \"segmentation\": [[1, 2, 3, 4, 5, 6]]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct tfr_coco_parser p = { 0 };
		struct tfr_error err = { 0 };
		const struct tfr_coco_annotation *a;

		cr_assert_eq(parse(&p, texts[i], TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS, &err),
			TFR_OK, "%zu: %s", i, err.message);
		a = &p.annotation;
		cr_assert(a->id == 7 && a->image == 3 && a->category == 5, "%zu", i);
		cr_assert(
			a->side[0] == 1 && a->side[1] == 2.5 && a->side[2] == 4 && a->side[3] == 7);
		cr_assert(a->more.area == 9.25 && a->crowd && !a->boxless && a->more.at == 100);
		cr_assert(a->more.shape_size >= 20 &&
			  !memcmp(p.shapes.data, "[[1, 2, 3, 4, 5, 6]]", 20));
		tfr_coco_parser_clear(&p);
	}
}

Test(coco_elements, members_that_may_be_absent)
{
	struct tfr_coco_parser p = { 0 };
	struct tfr_error err = { 0 };
	const struct tfr_coco_annotation *a;

	cr_assert_eq(parse(&p, "{\"image_id\": 1, \"category_id\": 2, \"bbox\": [0, 0, 2, 3]}",
			     TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS, &err),
		TFR_OK, "%s", err.message);
	a = &p.annotation;
	cr_assert(a->id == INT64_MIN && a->more.area == 6 && !a->crowd && !a->more.shape_size &&
		  !a->more.n);
	tfr_coco_parser_clear(&p);
	for (int i = 0; i < 3; i++) {
		static const char *const boxes[] = { "null", "[]", "[ ]" };
		char text[200];

		snprintf(text, sizeof(text),
			"{\"image_id\": 1, \"category_id\": 2, \"area\": null, \"bbox\": %s, "
			"\"segmentation\": %s}",
			boxes[i], boxes[i]);
		cr_assert_eq(parse(&p, text, TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS, &err), TFR_OK);
		a = &p.annotation;
		cr_assert(a->boxless && !a->more.shape_size && a->more.area == 0, "%s", text);
		tfr_coco_parser_clear(&p);
	}
}

/* Python's json makes the integer 0 of it, and -0.0 of the other. */
Test(coco_elements, the_integer_zero_has_no_sign)
{
	struct tfr_coco_parser p = { 0 };
	struct tfr_error err = { 0 };

	cr_assert_eq(parse(&p, "{\"image_id\": 1, \"category_id\": 2, \"bbox\": [-0, -0.0, 1, 1]}",
			     TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS, &err),
		TFR_OK);
	cr_assert_not(signbit(p.annotation.side[0]));
	cr_assert(signbit(p.annotation.side[1]));
	tfr_coco_parser_clear(&p);
}

Test(coco_elements, keypoints_and_their_names)
{
	struct tfr_coco_parser p = { 0 };
	struct tfr_error err = { 0 };
	const struct tfr_coco_category *c;
	const struct tfr_keypoint *points;
	const char *names;

	cr_assert_eq(parse(&p,
			     "{\"id\": 1, \"name\": \"person\", \"keypoints\": [\"nose\", "
			     "\"left \\u0065ye\"]}",
			     TFR_COCO_CATEGORIES, TFR_COCO_OBJECTS, &err),
		TFR_OK, "%s", err.message);
	cr_assert_eq(parse(&p,
			     "{\"image_id\": 1, \"category_id\": 1, \"bbox\": [0, 0, 1, 1], "
			     "\"keypoints\": [1.5, 2, 2, 3, 4.25, 0]}",
			     TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS, &err),
		TFR_OK, "%s", err.message);
	c = &p.element.category;
	names = (const char *)p.texts.data;
	cr_assert_eq(c->n_points, 2);
	cr_assert_str_eq(names + c->name, "person");
	cr_assert_str_eq(names + c->points, "nose");
	cr_assert_str_eq(names + c->points + strlen("nose") + 1, "left eye");
	points = (const struct tfr_keypoint *)(const void *)p.points.data;
	cr_assert(p.annotation.more.n == 2 && p.annotation.more.labelled == 1);
	cr_assert(points[0].x == 1.5 && points[0].y == 2 && points[0].visibility == 2);
	cr_assert(points[1].x == 3 && points[1].y == 4.25 && points[1].visibility == 0);
	tfr_coco_parser_clear(&p);
}

Test(coco_elements, segments_of_panoptic)
{
	struct tfr_coco_parser p = { 0 };
	struct tfr_error err = { 0 };
	const struct tfr_coco_segment *s;

	cr_assert_eq(parse(&p,
			     "{\"image_id\": 4, \"file_name\": \"4.png\", \"segments_info\": [{\"id\": "
			     "8, \"category_id\": 9, \"area\": 1}, {\"category_id\": 1, \"id\": 2}]}",
			     TFR_COCO_ANNOTATIONS, TFR_COCO_PANOPTIC, &err),
		TFR_OK, "%s", err.message);
	s = (const struct tfr_coco_segment *)(const void *)p.points.data;
	cr_assert_eq(p.annotation.more.n, 2);
	cr_assert(s[0].id == 8 && s[0].category == 9 && s[1].id == 2 && s[1].category == 1);
	cr_assert_str_eq((const char *)p.texts.data + p.annotation.offset, "4.png");
	tfr_coco_parser_clear(&p);
}

#define OBJECT(members) "{\"image_id\": 1, \"category_id\": 2, \"bbox\": [0, 0, 1, 1], " members "}"

Test(coco_elements, malformed_elements_are_named)
{
	static const struct {
		const char *text;
		enum tfr_coco_list list;
		enum tfr_coco_what what;
		const char *message;
	} rows[] = {
		{ "{}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image whose 'id' is not a whole number" },
		{ "{\"id\": 1.5}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image whose 'id' is not a whole number" },
		{ "{\"id\": 9223372036854775807}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image whose 'id' is not a whole number" },
		{ "{\"id\": 99999999999999999999}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image whose 'id' is not a whole number" },
		{ "{\"id\": 1, \"width\": \"3\"}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image whose 'width' is not a whole number" },
		{ "{\"id\": 1, \"width\": 3, \"height\": [4]}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image whose 'height' is not a whole number" },
		{ "{\"id\": 1, \"width\": 3, \"height\": 0}", TFR_COCO_IMAGES, TFR_COCO_OBJECTS,
			"an image of an impossible size" },
		{ "{\"id\": 1, \"width\": 3, \"height\": 2147483648}", TFR_COCO_IMAGES,
			TFR_COCO_OBJECTS, "an image of an impossible size" },
		{ "{\"id\": 1, \"width\": 3, \"height\": 3, \"file_name\": 5}", TFR_COCO_IMAGES,
			TFR_COCO_OBJECTS, "an image whose 'file_name' is not a text" },
		{ "{\"id\": 1, \"width\": 3, \"height\": 3, \"file_name\": \"a\\u0000b\"}",
			TFR_COCO_IMAGES, TFR_COCO_OBJECTS, "an image whose 'file_name' is not a text" },
		{ "{\"id\": 1, \"width\": 3, \"height\": 3, \"file_name\": [\"a\"]}", TFR_COCO_IMAGES,
			TFR_COCO_OBJECTS, "an image whose 'file_name' is not a text" },
		{ "{\"id\": 1}", TFR_COCO_CATEGORIES, TFR_COCO_OBJECTS,
			"a category whose 'name' is not a text" },
		{ "{\"id\": 1, \"name\": \"a\", \"keypoints\": [\"b\", 3]}", TFR_COCO_CATEGORIES,
			TFR_COCO_OBJECTS, "a category whose 'keypoints' are not names" },
		{ "{\"id\": 1, \"name\": \"a\", \"keypoints\": \"b\"}", TFR_COCO_CATEGORIES,
			TFR_COCO_OBJECTS, "a category whose 'keypoints' are not names" },
		{ "{\"id\": 1, \"name\": \"a\"}", TFR_COCO_CATEGORIES, TFR_COCO_PANOPTIC,
			"a category whose 'isthing' is neither 0 nor 1" },
		{ "{\"id\": 1, \"name\": \"a\", \"isthing\": 2}", TFR_COCO_CATEGORIES,
			TFR_COCO_PANOPTIC, "a category whose 'isthing' is neither 0 nor 1" },
		{ "{\"category_id\": 2}", TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'image_id' is not a whole number" },
		{ "{\"image_id\": 2}", TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'category_id' is not a whole number" },
		{ OBJECT("\"id\": null"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'id' is not a whole number" },
		{ OBJECT("\"bbox\": [1, 2, 3]"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'bbox' is not four numbers" },
		{ OBJECT("\"bbox\": [1, 2, 3, true]"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'bbox' is not four numbers" },
		{ OBJECT("\"bbox\": [1, 2, 3, \"x\"]"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'bbox' is not four numbers" },
		{ OBJECT("\"bbox\": 5"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'bbox' is not four numbers" },
		{ OBJECT("\"area\": \"5\""), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'area' is not a number" },
		{ OBJECT("\"area\": 1e999"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'area' is not a number" },
		{ OBJECT("\"iscrowd\": 2"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'iscrowd' is neither 0 nor 1" },
		{ OBJECT("\"iscrowd\": null"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'iscrowd' is neither 0 nor 1" },
		{ OBJECT("\"keypoints\": [1, 2]"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'keypoints' are not three numbers each" },
		{ OBJECT("\"keypoints\": [1, 2, 2.5]"), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'keypoints' are not three numbers each" },
		{ OBJECT("\"keypoints\": \"none\""), TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'keypoints' are not three numbers each" },
		{ OBJECT("\"keypoints\": [1, 2, 2], \"num_keypoints\": \"1\""),
			TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS,
			"an annotation whose 'num_keypoints' is not a whole number" },
		{ "{\"image_id\": 1, \"caption\": null}", TFR_COCO_ANNOTATIONS, TFR_COCO_CAPTIONS,
			"an annotation whose 'caption' is not a text" },
		{ "{\"image_id\": 1, \"file_name\": \"a\"}", TFR_COCO_ANNOTATIONS,
			TFR_COCO_PANOPTIC, "an annotation without a list 'segments_info'" },
		{ "{\"image_id\": 1, \"file_name\": \"a\", \"segments_info\": [5]}",
			TFR_COCO_ANNOTATIONS, TFR_COCO_PANOPTIC,
			"an annotation with a segment without 'id' and 'category_id'" },
		{ "{\"image_id\": 1, \"file_name\": \"a\", \"segments_info\": [{\"id\": 5}]}",
			TFR_COCO_ANNOTATIONS, TFR_COCO_PANOPTIC,
			"an annotation with a segment without 'id' and 'category_id'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char deep[1000], wanted[300];

		snprintf(wanted, sizeof(wanted), "%s at byte 100 of 'f.json'", rows[i].message);
		/* as it is, and with an object inside */
		snprintf(deep, sizeof(deep), "{\"zz\": {\"a\": {}}%s%s",
			rows[i].text[1] == '}' ? "" : ", ", rows[i].text + 1);
		for (int again = 0; again < 2; again++) {
			struct tfr_coco_parser p = { 0 };
			struct tfr_error err = { 0 };
			const char *text = again ? deep : rows[i].text;

			cr_assert_eq(parse(&p, text, rows[i].list, rows[i].what, &err), TFR_EDATA,
				"%s", text);
			cr_assert_str_eq(err.message, wanted, "%s: %s", text, err.message);
			tfr_coco_parser_clear(&p);
		}
	}
}

Test(coco_elements, text_that_is_not_json)
{
	static const char *const texts[] = { "{\"id\": 01}", "{\"id\": }", "{\"id\" 1}", "{id: 1}",
		"{\"id\": 1,}", "{\"id\": NaN}", "{\"id\": +1}", "{'id': 1}", "{\"id\": \"\xff\"}",
		"{\"id\": \"a\nb\\q\"}" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct tfr_coco_parser p = { 0 };
		struct tfr_error err = { 0 };

		cr_assert_eq(parse(&p, texts[i], TFR_COCO_IMAGES, TFR_COCO_OBJECTS, &err),
			TFR_EDATA, "%s", texts[i]);
		cr_assert(strstr(err.message, "an image "), "%s: %s", texts[i], err.message);
		tfr_coco_parser_clear(&p);
	}
}

/* Writes a number in one of its forms, and returns its value. */
static double put_number(char **out, struct tfr_rng *r)
{
	static const char *const forms[] = { "%.0f", "%.2f", "%.17g", "%.3e", "%.25f", "%.1f" };
	double v = tfr_rng_u32(r) / 4294967296. * 2000 - (tfr_rng_u32(r) % 4 ? 0 : 1000);
	char *from = *out;

	*out += sprintf(*out, forms[tfr_rng_u32(r) % 6], v);
	return strtod(from, NULL);
}

Test(coco_elements, numbers_are_those_of_strtod)
{
	struct tfr_rng r;

	tfr_rng_init(&r, 11, 0);
	for (int n = 0; n < 20000; n++) {
		struct tfr_coco_parser p = { 0 };
		const struct tfr_coco_annotation *a;
		const struct tfr_keypoint *points;
		char text[2000], *out = text;
		struct tfr_error err = { 0 };
		double numbers[9];

		out += sprintf(out, "{\"image_id\":%s%u, \"category_id\": 1, \"bbox\": [",
			tfr_rng_u32(&r) % 2 ? " " : "\n\t", (unsigned)n);
		for (int i = 0; i < 4; i++) {
			numbers[i] = put_number(&out, &r);
			out += sprintf(out, i < 3 ? ", " : "], \"keypoints\": [");
		}
		for (int i = 0; i < 2; i++) {
			numbers[4 + 2 * i] = put_number(&out, &r);
			out += sprintf(out, ",");
			numbers[5 + 2 * i] = put_number(&out, &r);
			out += sprintf(out, i ? ",2], \"area\": " : ",0,");
		}
		numbers[8] = put_number(&out, &r);
		sprintf(out, "}");
		cr_assert_eq(parse(&p, text, TFR_COCO_ANNOTATIONS, TFR_COCO_OBJECTS, &err), TFR_OK,
			"%s: %s", text, err.message);
		a = &p.annotation;
		points = (const struct tfr_keypoint *)(const void *)p.points.data;
		cr_assert(a->image == n && a->more.n == 2 && a->more.labelled == 1, "%s", text);
		for (int i = 0; i < 4; i++)
			cr_assert_eq(a->side[i], i < 2 ? numbers[i] : numbers[i - 2] + numbers[i],
				"%s", text);
		cr_assert(points[0].x == numbers[4] && points[0].y == numbers[5] &&
				  points[1].x == numbers[6] && points[1].y == numbers[7],
			"%s", text);
		cr_assert_eq(a->more.area, numbers[8], "%s", text);
		tfr_coco_parser_clear(&p);
	}
}
