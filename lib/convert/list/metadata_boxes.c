/* convert/list/metadata_boxes.c - "objects": {"bbox": [[x, y, width, height], ...], "categories": [...]}
 * in pixels, as COCO has them: the features are those of COCO's boxes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "convert/list/metadata.h"

enum { OBJECTS_MOST = 100000 };

static struct json_object *member(struct json_object *o, const char *const *names, size_t n)
{
	struct json_object *value = NULL;

	for (size_t i = 0; i < n && !value; i++)
		json_object_object_get_ex(o, names[i], &value);
	return value;
}

enum tfr_status tfr_metadata_objects(
	struct tfr_objects *o, struct json_object *row, struct tfr_error *err)
{
	static const char *const boxes[] = { "bbox", "bboxes" };
	static const char *const classes[] = { "categories", "category", "labels", "label" };
	struct json_object *objects;

	*o = (struct tfr_objects){ 0 };
	if (!json_object_object_get_ex(row, "objects", &objects) ||
		!json_object_is_type(objects, json_type_object))
		return TFR_OK;
	o->boxes = member(objects, boxes, sizeof(boxes) / sizeof(*boxes));
	o->classes = member(objects, classes, sizeof(classes) / sizeof(*classes));
	if (!o->boxes)
		return TFR_OK;
	if (!json_object_is_type(o->boxes, json_type_array))
		return tfr_fail(err, TFR_EDATA, "'objects' whose 'bbox' is not a list");
	o->n = json_object_array_length(o->boxes);
	if (o->n > OBJECTS_MOST)
		return tfr_fail(err, TFR_EDATA, "more than %d objects", OBJECTS_MOST);
	if (o->classes && (!json_object_is_type(o->classes, json_type_array) ||
				  json_object_array_length(o->classes) != o->n))
		return tfr_fail(
			err, TFR_EDATA, "%zu boxes in 'objects' and not as many categories", o->n);
	return TFR_OK;
}

/* --- one row --- */

struct making {
	struct metadata *m;
	struct tfr_item *item;
	struct tfr_objects o;
	struct tfr_buf sides[4]; /* xmin, ymin, xmax, ymax */
	struct tfr_buf labels, texts;
};

static bool get_box(struct json_object *v, double box[4])
{
	bool good = json_object_is_type(v, json_type_array) && json_object_array_length(v) == 4;

	for (size_t i = 0; good && i < 4; i++) {
		struct json_object *n = json_object_array_get_idx(v, i);

		good = json_object_is_type(n, json_type_int) ||
		       json_object_is_type(n, json_type_double);
		box[i] = good ? json_object_get_double(n) : 0;
		good = good && isfinite(box[i]);
	}
	return good;
}

static const struct tfr_class *class_of(const struct metadata *m, const char *name)
{
	const struct metadata *numbers = m->numbers;
	uint32_t class = m->in.opts->labels
				 ? tfr_label_map_find(&m->map, name)
				 : tfr_class_names_find(&numbers->classes, name, strlen(name));

	if (class == TFR_NO_CLASS)
		return NULL;
	return m->in.opts->labels ? &m->map.classes[class] : &numbers->in.classes[class];
}

static enum tfr_status add_class(struct making *k, size_t i, struct tfr_error *err)
{
	struct json_object *v = json_object_array_get_idx(k->o.classes, i);
	int64_t label = 0;

	if (k->m->texts && json_object_is_type(v, json_type_string)) {
		const struct tfr_class *class = class_of(k->m, json_object_get_string(v));
		struct tfr_bytes text;

		if (!class) {
			tfr_item_skip(k->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'",
				json_object_get_string(v),
				k->m->in.opts->labels ?: "the classes that were found");
			return TFR_OK;
		}
		label = class->label;
		text = (struct tfr_bytes){ (const uint8_t *)class->text, strlen(class->text) };
		if (!tfr_buf_append(&k->texts, &text, sizeof(text)))
			return tfr_fail_nomem(err, "reading metadata");
	} else if (!k->m->texts && json_object_is_type(v, json_type_int)) {
		label = json_object_get_int64(v) + k->m->in.opts->label_base;
	} else {
		tfr_item_skip(k->item, TFR_EDATA,
			"'objects' with categories that are neither all numbers nor all texts");
	}
	return tfr_buf_append(&k->labels, &label, sizeof(label))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading metadata");
}

static enum tfr_status add_object(struct making *k, size_t i, struct tfr_error *err)
{
	const struct tfr_image_info *image = &k->item->came;
	double b[4];
	float sides[4];

	if (!get_box(json_object_array_get_idx(k->o.boxes, i), b)) {
		tfr_item_skip(k->item, TFR_EDATA, "'objects' with a box that is not four numbers");
		return TFR_OK;
	}
	if (!(b[0] >= 0 && b[1] >= 0 && b[2] > 0 && b[3] > 0 && b[0] + b[2] <= image->width &&
		    b[1] + b[3] <= image->height)) {
		__atomic_fetch_add(&k->m->unusable, 1, __ATOMIC_RELAXED);
		return TFR_OK;
	}
	sides[0] = (float)(b[0] / image->width);
	sides[1] = (float)(b[1] / image->height);
	sides[2] = (float)((b[0] + b[2]) / image->width);
	sides[3] = (float)((b[1] + b[3]) / image->height);
	for (int side = 0; side < 4; side++)
		if (!tfr_buf_append(&k->sides[side], &sides[side], sizeof(float)))
			return tfr_fail_nomem(err, "reading metadata");
	return k->o.classes ? add_class(k, i, err) : TFR_OK;
}

static enum tfr_status put(struct making *k, struct tfr_error *err)
{
	static const char *const keys[] = { "image/object/bbox/xmin", "image/object/bbox/ymin",
		"image/object/bbox/xmax", "image/object/bbox/ymax" };
	struct tfr_builder *b = k->item->builder;
	size_t n = k->sides[0].size / sizeof(float);
	enum tfr_status status = TFR_OK;

	for (int side = 0; !status && n && side < 4; side++)
		status = tfr_builder_floats(
			b, keys[side], (const float *)(void *)k->sides[side].data, n, err);
	if (!status && k->labels.size)
		status = tfr_builder_int64s(b, "image/object/class/label",
			(const int64_t *)(void *)k->labels.data, k->labels.size / sizeof(int64_t),
			err);
	if (!status && k->texts.size)
		status = tfr_builder_bytes(b, "image/object/class/text",
			(const struct tfr_bytes *)(void *)k->texts.data,
			k->texts.size / sizeof(struct tfr_bytes), err);
	return status;
}

enum tfr_status tfr_metadata_add_boxes(
	struct metadata *m, struct tfr_item *item, struct tfr_error *err)
{
	const struct tfr_list_item *own = item->own;
	struct making k = { .m = m, .item = item };
	struct tfr_error why;
	enum tfr_status status = TFR_OK;

	if (tfr_metadata_objects(&k.o, own->json.row, &why)) {
		tfr_item_skip_error(item, &why);
		return TFR_OK;
	}
	for (size_t i = 0; !status && !item->skipped && i < k.o.n; i++)
		status = add_object(&k, i, err);
	if (!status && !item->skipped)
		status = put(&k, err);
	for (int side = 0; side < 4; side++)
		tfr_buf_clear(&k.sides[side]);
	tfr_buf_clear(&k.labels);
	tfr_buf_clear(&k.texts);
	return status;
}
