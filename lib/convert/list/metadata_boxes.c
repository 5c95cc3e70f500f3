/* convert/list/metadata_boxes.c - "objects": {"bbox": [[x, y, width, height], ...], "categories": [...]}
 * in pixels, as COCO has them: the features are those of COCO's boxes. */
#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "base/error.h"
#include "base/json_read.h"
#include "convert/list/metadata.h"

enum { OBJECTS_MOST = 100000 };

static struct json_object *member(struct json_object *o, const char *const *names, size_t n)
{
	struct json_object *value = NULL;

	for (size_t i = 0; i < n && !value; i++)
		json_object_object_get_ex(o, names[i], &value);
	return value;
}

static enum tfr_status find_objects(struct tfr_objects *o, struct tfr_error *err)
{
	static const char *const boxes[] = { "bbox", "bboxes" };
	static const char *const classes[] = { "categories", "category", "labels", "label" };
	struct json_object *objects;

	if (!json_object_object_get_ex(o->row, "objects", &objects) ||
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

enum tfr_status tfr_metadata_objects(
	struct tfr_objects *o, const char *row, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	*o = (struct tfr_objects){ 0 };
	status = tfr_json_read(&o->row, row, size, &(struct tfr_json_limits){ .depth = 32 }, err);
	if (!status)
		status = find_objects(o, err);
	if (status)
		tfr_objects_clear(o);
	return status;
}

void tfr_objects_clear(struct tfr_objects *o)
{
	json_object_put(o->row);
	*o = (struct tfr_objects){ 0 };
}

/* --- one row --- */

struct making {
	struct metadata *m;
	struct tfr_item *item;
	struct tfr_objects o;
	struct tfr_boxes *boxes;
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

static enum tfr_status add_class(struct making *k, size_t i, struct tfr_error *err)
{
	struct json_object *v = json_object_array_get_idx(k->o.classes, i);
	int64_t label = 0;

	if (k->m->texts && json_object_is_type(v, json_type_string)) {
		const struct tfr_class *class = tfr_object_classes_find(
			&k->m->classes, json_object_get_string(v));

		if (!class) {
			tfr_item_skip(k->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'",
				json_object_get_string(v),
				k->m->in.opts->labels ?: "the classes that were found");
			return TFR_OK;
		}
		label = class->label;
		if (!tfr_boxes_add_text(&k->boxes->texts, class->text))
			return tfr_fail_nomem(err, "reading metadata");
	} else if (!k->m->texts && json_object_is_type(v, json_type_int)) {
		label = json_object_get_int64(v) + k->m->in.opts->label_base;
	} else {
		tfr_item_skip(k->item, TFR_EDATA,
			"'objects' with categories that are neither all numbers nor all texts");
	}
	return tfr_boxes_add_int(&k->boxes->labels, label)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading metadata");
}

static enum tfr_status add_object(struct making *k, size_t i, struct tfr_error *err)
{
	const struct tfr_image_info *image = &k->item->came;
	double b[4];

	if (!get_box(json_object_array_get_idx(k->o.boxes, i), b)) {
		tfr_item_skip(k->item, TFR_EDATA, "'objects' with a box that is not four numbers");
		return TFR_OK;
	}
	if (!(b[0] >= 0 && b[1] >= 0 && b[2] > 0 && b[3] > 0 && b[0] + b[2] <= image->width &&
		    b[1] + b[3] <= image->height)) {
		__atomic_fetch_add(&k->m->unusable, 1, __ATOMIC_RELAXED);
		return TFR_OK;
	}
	b[2] += b[0];
	b[3] += b[1];
	if (!tfr_boxes_add(k->boxes, b, image->width, image->height))
		return tfr_fail_nomem(err, "reading metadata");
	return k->o.classes ? add_class(k, i, err) : TFR_OK;
}

enum tfr_status tfr_metadata_add_boxes(struct metadata *m, struct tfr_item *item,
	struct tfr_boxes *boxes, struct tfr_error *err)
{
	const struct tfr_list_item *own = item->own;
	struct making k = { .m = m, .item = item, .boxes = boxes };
	struct tfr_error why;
	enum tfr_status status = TFR_OK;

	status = tfr_metadata_objects(&k.o, (const char *)own->text.data, own->text.size, &why);
	if (status == TFR_EDATA)
		tfr_item_skip_error(item, &why);
	else if (status && err)
		*err = why;
	if (status)
		return status == TFR_EDATA ? TFR_OK : status;
	tfr_boxes_reset(boxes);
	for (size_t i = 0; !status && !item->skipped && i < k.o.n; i++)
		status = add_object(&k, i, err);
	if (!status && !item->skipped)
		status = tfr_boxes_put(boxes, item->builder, err);
	tfr_objects_clear(&k.o);
	return status;
}
