/* convert/box_features.c - one list per feature, filled box by box: the builder copies the lists, so
 * that a thread needs them only while it makes one record. */
#include "convert/box_features.h"

#include <assert.h>
#include <string.h>

void tfr_boxes_reset(struct tfr_boxes *b)
{
	for (int side = 0; side < 4; side++)
		b->sides[side].size = 0;
	for (int k = 0; k < 2; k++)
		b->floats[k].size = b->ints[k].size = 0;
	b->labels.size = b->texts.size = b->names.size = 0;
}

bool tfr_boxes_add_int(struct tfr_buf *ints, int64_t value)
{
	return tfr_buf_append(ints, &value, sizeof(value));
}

bool tfr_boxes_add_float(struct tfr_buf *floats, double value)
{
	float rounded = (float)value;

	return tfr_buf_append(floats, &rounded, sizeof(rounded));
}

bool tfr_boxes_add_text(struct tfr_buf *texts, const char *text)
{
	struct tfr_bytes bytes = { (const uint8_t *)text, strlen(text) };

	return tfr_buf_append(texts, &bytes, sizeof(bytes));
}

bool tfr_boxes_add(struct tfr_boxes *b, const double corners[4], double width, double height)
{
	bool good = true;

	assert(width > 0 && height > 0);
	for (int side = 0; good && side < 4; side++)
		good = tfr_boxes_add_float(
			&b->sides[side], corners[side] / (side % 2 ? height : width));
	return good;
}

bool tfr_boxes_add_class(struct tfr_boxes *b, int64_t label, const char *text)
{
	return tfr_boxes_add_int(&b->labels, label) && tfr_boxes_add_text(&b->texts, text);
}

enum tfr_status tfr_put_ints(struct tfr_builder *builder, const char *key,
	const struct tfr_buf *ints, struct tfr_error *err)
{
	return tfr_builder_int64s(builder, key, (const int64_t *)(const void *)ints->data,
		ints->size / sizeof(int64_t), err);
}

enum tfr_status tfr_put_floats(struct tfr_builder *builder, const char *key,
	const struct tfr_buf *floats, struct tfr_error *err)
{
	return tfr_builder_floats(builder, key, (const float *)(const void *)floats->data,
		floats->size / sizeof(float), err);
}

enum tfr_status tfr_put_texts(struct tfr_builder *builder, const char *key,
	const struct tfr_buf *texts, struct tfr_error *err)
{
	return tfr_builder_bytes(builder, key, (const struct tfr_bytes *)(const void *)texts->data,
		texts->size / sizeof(struct tfr_bytes), err);
}

enum tfr_status tfr_boxes_put(
	const struct tfr_boxes *b, struct tfr_builder *builder, struct tfr_error *err)
{
	static const char *const keys[] = { "image/object/bbox/xmin", "image/object/bbox/ymin",
		"image/object/bbox/xmax", "image/object/bbox/ymax" };

	for (int side = 0; side < 4 && b->sides[side].size; side++)
		TFR_TRY(tfr_put_floats(builder, keys[side], &b->sides[side], err));
	if (b->labels.size)
		TFR_TRY(tfr_put_ints(builder, "image/object/class/label", &b->labels, err));
	if (b->texts.size)
		TFR_TRY(tfr_put_texts(builder, "image/object/class/text", &b->texts, err));
	return TFR_OK;
}

void tfr_boxes_clear(struct tfr_boxes *b)
{
	for (int side = 0; side < 4; side++)
		tfr_buf_clear(&b->sides[side]);
	for (int k = 0; k < 2; k++) {
		tfr_buf_clear(&b->floats[k]);
		tfr_buf_clear(&b->ints[k]);
	}
	tfr_buf_clear(&b->labels);
	tfr_buf_clear(&b->texts);
	tfr_buf_clear(&b->names);
}
