/* convert/folder/object_classes.c - one numbering for all splits of a data set: a split that lacks
 * a class numbers the others as if it had it. */
#include "convert/folder/object_classes.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

enum tfr_status tfr_object_classes_number(
	struct tfr_object_classes *c, struct tfr_input *in, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = in->opts;
	enum tfr_status status;

	if (!o->classes.labels)
		return tfr_class_names_number(&c->names, in)
			       ? TFR_OK
			       : tfr_fail_nomem(err, "reading annotations");
	status = c->map.n ? TFR_OK
			  : tfr_label_map_read(&c->map, o->classes.labels, o->classes.base, err);
	in->classes = c->map.classes;
	in->n_classes = c->map.n;
	return status;
}

enum tfr_status tfr_object_classes_unite(
	struct tfr_object_classes *first, struct tfr_object_classes *other, struct tfr_error *err)
{
	assert(first != other && !first->numbers);
	for (size_t i = 0; i < other->names.sorted.n; i++) {
		const char *name = other->names.sorted.list[i];

		TFR_NEED_MEMORY(tfr_class_names_add(&first->names, name, strlen(name)), err,
			"reading annotations");
	}
	other->numbers = first;
	return TFR_OK;
}

const struct tfr_class *tfr_object_classes_find(
	const struct tfr_object_classes *c, const char *name)
{
	const struct tfr_class_names *names = c->numbers ? &c->numbers->names : &c->names;
	uint32_t class = c->map.n ? tfr_label_map_find(&c->map, name)
				  : tfr_class_names_find(names, name, strlen(name));

	if (class == TFR_NO_CLASS)
		return NULL;
	return c->map.n ? &c->map.classes[class] : &names->classes[class];
}

void tfr_object_classes_clear(struct tfr_object_classes *c)
{
	tfr_class_names_clear(&c->names);
	tfr_label_map_clear(&c->map);
}
