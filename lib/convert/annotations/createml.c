/* convert/annotations/createml.c - Apple's Create ML: a JSON file beside images, an array of
 *
 *   {"image": "a.jpg", "annotations": [{"label": "cat",
 *       "coordinates": {"x": 60, "y": 80, "width": 40, "height": 20}}]}
 *
 * where x and y are the centre of a box, in pixels
 * (https://developer.apple.com/documentation/createml/building-an-object-detector-data-source). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "convert/annotations/kinds.h"
#include "convert/json_tape.h"

enum { HEAD = 4096 };

/* Whether a file begins like such an array. */
static bool is_createml(struct tfr_parts *p, uint32_t file)
{
	char head[HEAD + 1];
	size_t n = tfr_scan_head(p->scan, file, head, HEAD, p->err);

	head[n] = '\0';
	return head[strspn(head, " \t\r\n")] == '[' && strstr(head, "\"image") &&
	       strstr(head, "\"annotation") && strstr(head, "\"coordinates\"");
}

static void find_in(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t file = tfr_scan_file(p->scan, dir, "_annotations.createml.json"), at = 0;

	for (int i = 0; file == TFR_NO_FILE && i < TFR_EXAMINED; i++) {
		uint32_t other = tfr_scan_next(p->scan, dir, TFR_FILE_TABLE, &at);

		if (other == TFR_NO_FILE)
			break;
		file = is_createml(p, other) ? other : TFR_NO_FILE;
	}
	if (file != TFR_NO_FILE)
		tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
}

static void find(struct tfr_parts *p, uint32_t base)
{
	tfr_parts_find(p, base, find_in);
}

static enum tfr_status malformed(
	const struct tfr_open_part *part, uint32_t image, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, part->aside, "image %u has %s in", image + 1, what);
}

static const struct tfr_token *member(
	const struct tfr_token *t, const char *name, const char *other, enum tfr_token_type type)
{
	const struct tfr_token *found = tfr_token_member(t, name);

	found = found || !other ? found : tfr_token_member(t, other);
	return found && found->type == type ? found : NULL;
}

static enum tfr_status add_box(struct tfr_table *t, const struct tfr_open_part *part,
	uint32_t number, const struct tfr_token *a, struct tfr_error *err)
{
	static const char *const names[] = { "x", "y", "width", "height" };
	const struct tfr_token *label = member(a, "label", NULL, TFR_TOKEN_TEXT);
	const struct tfr_token *place = member(a, "coordinates", NULL, TFR_TOKEN_OBJECT);
	struct tfr_box box = { .image = (uint32_t)t->n_images - 1 };
	double v[4], side[4];
	uint32_t class;

	if (!label || !tfr_token_is_name(label) || !place)
		return malformed(
			part, number, "an annotation without a label and coordinates", err);
	for (int i = 0; i < 4; i++) {
		const struct tfr_token *value = tfr_token_member(place, names[i]);

		if (!value || !tfr_token_double(value, &v[i]) || !isfinite(v[i]))
			return malformed(
				part, number, "coordinates that are not four numbers", err);
	}
	for (int axis = 0; axis < 2; axis++) {
		side[axis] = v[axis] - v[2 + axis] / 2;
		side[2 + axis] = v[axis] + v[2 + axis] / 2;
	}
	TFR_TRY(tfr_table_class(t, label->text, label->size, &class, err));
	box.class = class;
	return tfr_table_add_box(t, &box, side, NULL, err);
}

static enum tfr_status add_image(struct tfr_table *t, const struct tfr_open_part *part,
	uint32_t number, const struct tfr_token *image, struct tfr_error *err)
{
	const struct tfr_token *name = member(image, "image", "imagefilename", TFR_TOKEN_TEXT);
	const struct tfr_token *list = member(image, "annotations", "annotation", TFR_TOKEN_ARRAY);
	struct tfr_image_row row = { .file = TFR_NO_FILE, .mask = TFR_NO_FILE };
	const struct tfr_token *a;

	if (!name || !tfr_token_is_name(name) || !list)
		return malformed(part, number, "no name or no list of annotations", err);
	TFR_TRY(tfr_table_text(t, name->text, name->size, &row.name, err));
	TFR_TRY(tfr_table_add_image(t, &row, err));
	a = list + 1;
	for (uint32_t i = 0; i < list->n; i++, a = tfr_token_next(a))
		TFR_TRY(add_box(t, part, number, a, err));
	return TFR_OK;
}

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	struct tfr_tape tape = { 0 };
	struct tfr_error why = { 0 };
	enum tfr_status status = TFR_OK;
	size_t at = 0;

	t->by_name = t->clips = t->named_source = true;
	TFR_TRY(tfr_part_read_file(part, &text, err));
	for (uint32_t i = 0; !status; i++) {
		status = tfr_tape_element(&tape, (const char *)text.data, text.size, &at, &why);
		if (!status)
			status = add_image(t, part, i, tfr_tape_root(&tape), err);
	}
	if (why.status == TFR_EDATA)
		tfr_fail_path(err, TFR_EDATA, part->aside, "%s in", why.message);
	else
		tfr_error_pass(&why, err);
	tfr_tape_clear(&tape);
	return status == TFR_END ? TFR_OK : status;
}

const struct tfr_set_kind tfr_set_createml = {
	.ops = {
		.name = "createml",
		.what = "images with Create ML annotations",
		.nothing = "no image that the annotations name in",
		.refused = "not a usable image",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_LABELS | TFR_INPUT_NUMBERS |
			 TFR_INPUT_SPLITS | TFR_INPUT_BOXES,
		.tree = "",
	},
	.none = "no Create ML annotations in",
	.unmatched = "the annotations do not list them",
	.all_parts = true,
	.find = find,
	.read = read_part,
};
