/* convert/voc/voc_boxes.c - the boxes of an image as features, in the order of the file.
 *
 * The computations are those of create_pascal_tf_record.py, so that the values are equal. */
#include "base/error.h"
#include "convert/voc/voc.h"

/* The next usable object from *at on; NULL: there is none. */
static const struct tfr_voc_object *usable(const struct voc_making *m, size_t *at)
{
	const struct tfr_voc_object *objects = tfr_voc_objects(&m->voc);

	while (*at < tfr_voc_count(&m->voc))
		if (tfr_voc_usable(&objects[(*at)++], m->size.width, m->size.height))
			return &objects[*at - 1];
	return NULL;
}

/* The class of a name; NULL: it has no label, and the item is skipped. */
static const struct tfr_class *class_of(const struct voc_making *m, const char *name)
{
	const char *labels = m->v->in.opts->labels;
	const struct tfr_class *class = tfr_object_classes_find(&m->v->classes, name);

	if (!class && labels)
		tfr_item_skip(m->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'", name,
			labels);
	else if (!class)
		tfr_item_skip(m->item, TFR_EDATA, "its annotation has changed");
	return class;
}

enum tfr_status tfr_voc_add_boxes(
	struct voc_making *m, struct tfr_boxes *b, struct tfr_error *err)
{
	struct tfr_builder *builder = m->item->builder;
	const struct tfr_voc_object *o;
	enum tfr_status status = tfr_builder_text(
		builder, "image/source_id", tfr_voc_text(&m->voc, m->voc.filename), err);
	bool good = true;
	size_t at = 0;

	tfr_boxes_reset(b);
	while (good && (o = usable(m, &at))) {
		const struct tfr_class *class = class_of(m, tfr_voc_text(&m->voc, o->name));

		if (!class)
			return status;
		good = tfr_boxes_add(b, o->box, m->size.width, m->size.height) &&
		       tfr_boxes_add_class(b, class->label, class->text) &&
		       tfr_boxes_add_int(&b->ints[0], o->difficult) &&
		       tfr_boxes_add_int(&b->ints[1], o->truncated) &&
		       tfr_boxes_add_text(&b->names, tfr_voc_text(&m->voc, o->pose));
	}
	if (!good)
		return tfr_fail_nomem(err, "reading annotations");
	if (status || !b->labels.size)
		return status;
	status = tfr_boxes_put(b, builder, err);
	if (!status)
		status = tfr_put_ints(builder, "image/object/difficult", &b->ints[0], err);
	if (!status)
		status = tfr_put_ints(builder, "image/object/truncated", &b->ints[1], err);
	return status ? status : tfr_put_texts(builder, "image/object/view", &b->names, err);
}
