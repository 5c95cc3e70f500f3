/* Annotations of VOC: what is in them, cut anywhere, and what other elements must not change. */
#include <string.h>

#include "support/temp.h"

#include "convert/voc/voc_xml.h"

static enum tfr_status parse(struct tfr_voc *v, const char *text, struct tfr_error *err)
{
	return tfr_voc_parse(v, (const uint8_t *)text, strlen(text), err);
}

static const char whole[] =
	"<annotation><folder>VOC2012</folder><filename> a.jpg\n</filename>"
	"<source><name>no</name></source><size><width>500</width><height>375</height></size>"
	"<object><name>cat</name><pose>Left</pose><truncated>1</truncated><difficult>0</difficult>"
	"<bndbox><xmin>1</xmin><ymin>2.5</ymin><xmax>3</xmax><ymax>4e0</ymax></bndbox>"
	"<part><name>head</name><bndbox><xmin>9</xmin><ymin>9</ymin><xmax>9</xmax><ymax>9</ymax>"
	"</bndbox></part></object><object><bndbox><ymax>8</ymax><xmax>7</xmax><ymin>6</ymin>"
	"<xmin>5</xmin></bndbox><name>d&#xf6;g</name></object></annotation>";

Test(voc, what_is_said_and_nothing_else)
{
	struct tfr_voc v = { 0 };
	struct tfr_error err = { 0 };
	const struct tfr_voc_object *o;

	for (int again = 0; again < 2; again++) {
		cr_assert_eq(parse(&v, whole, &err), TFR_OK, "%s", err.message);
		cr_assert_str_eq(tfr_voc_text(&v, v.filename), "a.jpg");
		cr_assert(v.width == 500 && v.height == 375 && v.n_objects == 2);
		o = v.objects;
		cr_assert_str_eq(tfr_voc_text(&v, o[0].name), "cat");
		cr_assert_str_eq(tfr_voc_text(&v, o[0].pose), "Left");
		cr_assert(o[0].truncated && !o[0].difficult);
		cr_assert(o[0].box[0] == 1 && o[0].box[1] == 2.5 && o[0].box[2] == 3 &&
			  o[0].box[3] == 4);
		cr_assert_str_eq(tfr_voc_text(&v, o[1].name), "d\xc3\xb6g");
		cr_assert_str_eq(tfr_voc_text(&v, o[1].pose), "Unspecified");
		cr_assert(o[1].box[0] == 5 && o[1].box[3] == 8 && !o[1].truncated);
	}
	tfr_voc_clear(&v);
}

Test(voc, every_cut_is_refused)
{
	struct tfr_voc v = { 0 };
	struct tfr_error err = { 0 };

	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		char *cut = malloc(n + 1);

		memcpy(cut, whole, n);
		cr_assert_eq(tfr_voc_parse(&v, (uint8_t *)cut, n, &err), TFR_EDATA, "%zu", n);
		cr_assert(err.message[0]);
		free(cut);
	}
	tfr_voc_clear(&v);
}

Test(voc, what_is_wrong_is_told_with_its_line)
{
	static const char *const rows[][2] = {
		{ "<a/>", "no <annotation>, in line 1 of its annotation" },
		{ "<annotation/>", "its annotation names no image" },
		{ "<annotation>\n<!DOCTYPE x><filename>a</filename></annotation>",
			"not XML (not well-formed (invalid token)), in line 2 of its annotation" },
		{ "<!DOCTYPE annotation SYSTEM \"file:///etc/passwd\"><annotation/>",
			"a DOCTYPE, which annotations cannot have, in line 1 of its annotation" },
		{ "<annotation>\n\n<object></object></annotation>",
			"an object without a name, in line 3 of its annotation" },
		{ "<annotation><object><name>a</name><bndbox><xmin>0x5</xmin></bndbox></object>"
		  "</annotation>",
			"a box that is not of numbers, in line 1 of its annotation" },
		{ "<annotation><object><name>a</name><truncated>2</truncated></object></"
		  "annotation>",
			"'truncated' that is neither 0 nor 1, in line 1 of its annotation" },
		{ "<annotation><size><width>1.5</width></size></annotation>",
			"an impossible size, in line 1 of its annotation" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tfr_voc v = { 0 };
		struct tfr_error err = { 0 };

		cr_assert_eq(parse(&v, rows[i][0], &err), TFR_EDATA, "%s", rows[i][0]);
		cr_expect_str_eq(err.message, rows[i][1]);
		tfr_voc_clear(&v);
	}
}
