/* convert/voc/voc_boxes.c - the boxes of an image as features, in the order of the file.
 *
 * The computations are those of create_pascal_tf_record.py, so that the values are equal. */
#include <string.h>

#include "base/error.h"
#include "convert/voc/voc.h"

/* The next usable object from *at on; NULL: there is none. */
static const struct tfr_voc_object *usable(const struct voc_making *m, size_t *at)
{
	const struct tfr_voc_object *objects = tfr_voc_objects(&m->o->voc);

	while (*at < tfr_voc_count(&m->o->voc))
		if (tfr_voc_usable(&objects[(*at)++], m->size.width, m->size.height))
			return &objects[*at - 1];
	return NULL;
}

/* Quotients as in Python: doubles, then rounded to floats. */
static enum tfr_status add_side(
	struct voc_making *m, const char *key, int side, struct tfr_error *err)
{
	double size = side % 2 ? m->size.height : m->size.width;
	const struct tfr_voc_object *o;
	size_t at = 0;

	m->o->floats.size = 0;
	while ((o = usable(m, &at))) {
		float f = (float)(o->box[side] / size);

		if (!tfr_buf_append(&m->o->floats, &f, sizeof(f)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	return tfr_builder_floats(m->item->builder, key, (const float *)(void *)m->o->floats.data,
		m->o->floats.size / sizeof(float), err);
}

static enum tfr_status add_ints(struct voc_making *m, const char *key,
	int64_t (*value)(const struct voc_making *m, const struct tfr_voc_object *o),
	struct tfr_error *err)
{
	const struct tfr_voc_object *o;
	size_t at = 0;

	m->o->ints.size = 0;
	while ((o = usable(m, &at))) {
		int64_t v = value(m, o);

		if (!tfr_buf_append(&m->o->ints, &v, sizeof(v)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	return tfr_builder_int64s(m->item->builder, key, (const int64_t *)(void *)m->o->ints.data,
		m->o->ints.size / sizeof(int64_t), err);
}

static enum tfr_status add_texts(
	struct voc_making *m, const char *key, bool pose, struct tfr_error *err)
{
	const struct tfr_voc_object *o;
	size_t at = 0;

	m->o->texts.size = 0;
	while ((o = usable(m, &at))) {
		const char *text = tfr_voc_text(&m->o->voc, pose ? o->pose : o->name);
		struct tfr_bytes v = { (const uint8_t *)text, strlen(text) };

		if (!tfr_buf_append(&m->o->texts, &v, sizeof(v)))
			return tfr_fail_nomem(err, "reading annotations");
	}
	return tfr_builder_bytes(m->item->builder, key,
		(const struct tfr_bytes *)(void *)m->o->texts.data,
		m->o->texts.size / sizeof(struct tfr_bytes), err);
}

static uint32_t class_of(const struct voc *v, const char *name)
{
	return v->in.opts->labels ? tfr_label_map_find(&v->map, name)
				  : tfr_class_names_find(&v->numbers->classes, name, strlen(name));
}

static int64_t label(const struct voc_making *m, const struct tfr_voc_object *o)
{
	return m->v->numbers->in.classes[class_of(m->v, tfr_voc_text(&m->o->voc, o->name))].label;
}

static int64_t difficult(const struct voc_making *m, const struct tfr_voc_object *o)
{
	(void)m;
	return o->difficult;
}

static int64_t truncated(const struct voc_making *m, const struct tfr_voc_object *o)
{
	(void)m;
	return o->truncated;
}

/* Whether all classes have labels; otherwise the item is skipped. */
static bool has_labels(const struct voc_making *m)
{
	const struct tfr_voc_object *o;
	size_t at = 0;

	while ((o = usable(m, &at))) {
		const char *name = tfr_voc_text(&m->o->voc, o->name);

		if (class_of(m->v, name) != TFR_NO_CLASS)
			continue;
		if (m->v->in.opts->labels)
			tfr_item_skip(m->item, TFR_EDATA, "the class '%.60s' is not in '%.100s'",
				name, m->v->in.opts->labels);
		else
			tfr_item_skip(m->item, TFR_EDATA, "its annotation has changed");
		return false;
	}
	return true;
}

enum tfr_status tfr_voc_add_boxes(struct voc_making *m, struct tfr_error *err)
{
	static const char *const sides[] = { "image/object/bbox/xmin", "image/object/bbox/ymin",
		"image/object/bbox/xmax", "image/object/bbox/ymax" };
	enum tfr_status status = tfr_builder_text(m->item->builder, "image/source_id",
		tfr_voc_text(&m->o->voc, m->o->voc.filename), err);
	size_t at = 0;

	if (status || !usable(m, &at) || !has_labels(m))
		return status;
	for (int i = 0; !status && i < 4; i++)
		status = add_side(m, sides[i], i, err);
	if (!status)
		status = add_ints(m, "image/object/class/label", label, err);
	if (!status)
		status = add_texts(m, "image/object/class/text", false, err);
	if (!status)
		status = add_ints(m, "image/object/difficult", difficult, err);
	if (!status)
		status = add_ints(m, "image/object/truncated", truncated, err);
	return status ? status : add_texts(m, "image/object/view", true, err);
}
