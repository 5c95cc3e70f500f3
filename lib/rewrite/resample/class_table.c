/* rewrite/resample/class_table.c - a hash table of classes: open addressing, the classes themselves
 * in the order they came, their texts in one buffer.
 *
 * The slots hold numbers of classes only, so that sorting the classes means filling the slots anew
 * and nothing else. */
#include "rewrite/resample/class_table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"

enum { FIRST_SLOTS = 64, FIRST_ITEMS = 32 };

bool tfr_class_of(const struct tfr_feature *f, struct tfr_counted_class *class)
{
	*class = (struct tfr_counted_class){ .kind = f->kind };
	return tfr_feature_int64(f, 0, &class->number) || tfr_feature_bytes(f, 0, &class->text);
}

void tfr_classes_clear(struct tfr_classes *c)
{
	free(c->items);
	free(c->slots);
	tfr_buf_clear(&c->text);
	*c = (struct tfr_classes){ 0 };
}

void tfr_classes_reset(struct tfr_classes *c)
{
	if (c->slots)
		memset(c->slots, 0, c->n_slots * sizeof(*c->slots));
	c->n = 0;
	c->text.size = 0;
}

static struct tfr_counted_class class_of(
	const struct tfr_classes *c, const struct tfr_classes_item *item)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_INT64, .number = item->number };

	if (item->is_text) {
		class = (struct tfr_counted_class){ .kind = TFR_KIND_BYTES,
			.text.size = item->size };
		class.text.data = item->size ? c->text.data + item->at : (const uint8_t *)"";
	}
	return class;
}

struct tfr_counted_class tfr_classes_at(const struct tfr_classes *c, size_t i)
{
	return class_of(c, &c->items[i]);
}

int tfr_class_compare(const struct tfr_counted_class *a, const struct tfr_counted_class *b)
{
	size_t least;
	int order;

	if (a->kind != b->kind)
		return a->kind == TFR_KIND_INT64 ? -1 : 1;
	if (a->kind == TFR_KIND_INT64)
		return a->number < b->number ? -1 : a->number > b->number;
	least = a->text.size < b->text.size ? a->text.size : b->text.size;
	order = least ? memcmp(a->text.data, b->text.data, least) : 0;
	return order ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static uint64_t hash_of(const struct tfr_counted_class *class)
{
	uint64_t h = (uint64_t) class->number;

	if (class->kind == TFR_KIND_BYTES)
		return XXH3_64bits(class->text.data, class->text.size);
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* The slot that holds the class, or the empty one where it would go. */
static size_t slot_of(const struct tfr_classes *c, const struct tfr_counted_class *class)
{
	size_t mask = c->n_slots - 1, at = (size_t)hash_of(class) & mask;

	for (; c->slots[at]; at = (at + 1) & mask) {
		struct tfr_counted_class there = tfr_classes_at(c, c->slots[at] - 1);

		if (!tfr_class_compare(&there, class))
			break;
	}
	return at;
}

uint32_t tfr_classes_find(const struct tfr_classes *c, const struct tfr_counted_class *class)
{
	return c->n ? c->slots[slot_of(c, class)] - 1 : TFR_CLASS_NONE;
}

static void fill_slots(struct tfr_classes *c)
{
	memset(c->slots, 0, c->n_slots * sizeof(*c->slots));
	for (size_t i = 0; i < c->n; i++) {
		struct tfr_counted_class class = tfr_classes_at(c, i);

		c->slots[slot_of(c, &class)] = (uint32_t)i + 1;
	}
}

/* Room for one more class; half of the slots stay empty. */
static bool grow(struct tfr_classes *c)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap + c->cap / 2 : FIRST_ITEMS;
		void *items = reallocarray(c->items, cap, sizeof(*c->items));

		if (!items)
			return false;
		c->items = items;
		c->cap = cap;
	}
	if (2 * (c->n + 1) > c->n_slots) {
		size_t n_slots = c->n_slots ? 2 * c->n_slots : FIRST_SLOTS;
		void *slots = reallocarray(c->slots, n_slots, sizeof(*c->slots));

		if (!slots)
			return false;
		c->slots = slots;
		c->n_slots = n_slots;
		fill_slots(c);
	}
	return true;
}

static enum tfr_status check_bounds(
	const struct tfr_classes *c, const struct tfr_counted_class *class, struct tfr_error *err)
{
	static const struct tfr_classes_bounds none = { .text_bytes = UINT32_MAX };
	const struct tfr_classes_bounds *bounds = c->bounds ? c->bounds : &none;
	enum tfr_status status = TFR_OK;

	if (c->n == TFR_CLASSES_MAX)
		status = tfr_fail(err, TFR_EUSAGE, "more than %d classes", TFR_CLASSES_MAX);
	else if (class->text.size > bounds->text_bytes - c->text.size)
		status = tfr_fail(err, TFR_EUSAGE, "the names of the classes are more than %u MiB",
			bounds->text_bytes >> 20);
	if (status && bounds->hint)
		tfr_error_hint(err, "%s", bounds->hint);
	return status;
}

enum tfr_status tfr_classes_add(struct tfr_classes *c, const struct tfr_counted_class *class,
	uint64_t records, uint32_t *index, struct tfr_error *err)
{
	uint32_t i = tfr_classes_find(c, class);
	enum tfr_status status;

	if (i == TFR_CLASS_NONE) {
		struct tfr_classes_item item = { .number = class->number };

		status = check_bounds(c, class, err);
		if (status)
			return status;
		if (!grow(c))
			return tfr_fail_nomem(err, "counting the classes");
		if (class->kind == TFR_KIND_BYTES) {
			item.is_text = true;
			item.at = (uint32_t)c->text.size;
			item.size = (uint32_t) class->text.size;
			if (!tfr_buf_append(&c->text, class->text.data, class->text.size))
				return tfr_fail_nomem(err, "counting the classes");
		}
		i = (uint32_t)c->n;
		c->slots[slot_of(c, class)] = i + 1;
		c->items[c->n++] = item;
	}
	c->items[i].records += records;
	if (index)
		*index = i;
	return TFR_OK;
}

enum tfr_status tfr_classes_merge(
	struct tfr_classes *into, const struct tfr_classes *from, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < from->n; i++) {
		struct tfr_counted_class class = tfr_classes_at(from, i);

		status = tfr_classes_add(into, &class, from->items[i].records, NULL, err);
	}
	return status;
}

bool tfr_classes_full(const struct tfr_classes *c, const struct tfr_counted_class *class)
{
	return c->n >= TFR_CLASSES_SMALL ||
	       (c->n && c->text.size + class->text.size > TFR_CLASSES_SMALL_TEXT);
}

static int compare_items(const void *a, const void *b, void *classes)
{
	struct tfr_counted_class x = class_of(classes, a), y = class_of(classes, b);

	return tfr_class_compare(&x, &y);
}

void tfr_classes_sort(struct tfr_classes *c)
{
	if (!c->n)
		return;
	qsort_r(c->items, c->n, sizeof(*c->items), compare_items, c);
	fill_slots(c);
}
