/* rewrite/class_table.c - classes in an array, with a hash index and one buffer for their texts.
 *
 * The index holds positions in the array, so it is rebuilt after a sort. */
#include "rewrite/class_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/error.h"

bool tfr_class_of(const struct tfr_feature *f, struct tfr_counted_class *class)
{
	*class = (struct tfr_counted_class){ .kind = f->kind };
	return tfr_feature_int64(f, 0, &class->number) || tfr_feature_bytes(f, 0, &class->text);
}

void tfr_classes_clear(struct tfr_classes *c)
{
	free(c->items);
	tfr_hash_clear(&c->index);
	tfr_buf_clear(&c->text);
	*c = (struct tfr_classes){ 0 };
}

void tfr_classes_reset(struct tfr_classes *c)
{
	tfr_hash_empty(&c->index);
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
	assert(i < c->cap);
	return class_of(c, &c->items[i]);
}

int tfr_class_compare(const struct tfr_counted_class *a, const struct tfr_counted_class *b)
{
	if (a->kind != b->kind)
		return a->kind == TFR_KIND_INT64 ? -1 : 1;
	if (a->kind == TFR_KIND_INT64)
		return a->number < b->number ? -1 : a->number > b->number;
	return tfr_compare_bytes(a->text.data, a->text.size, b->text.data, b->text.size);
}

static uint64_t hash_of(const struct tfr_counted_class *class)
{
	uint64_t h = (uint64_t) class->number;

	if (class->kind == TFR_KIND_BYTES)
		return XXH3_64bits(class->text.data, class->text.size);
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

uint32_t tfr_classes_find(const struct tfr_classes *c, const struct tfr_counted_class *class)
{
	struct tfr_hash_probe p = tfr_hash_probe(hash_of(class));
	uint32_t i;

	while (tfr_hash_next(&c->index, &p, &i)) {
		struct tfr_counted_class there = tfr_classes_at(c, i);

		assert(i < c->n);
		if (!tfr_class_compare(&there, class))
			return i;
	}
	return TFR_CLASS_NONE;
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

	if (i == TFR_CLASS_NONE) {
		struct tfr_classes_item item = { .number = class->number };

		TFR_TRY(check_bounds(c, class, err));
		i = (uint32_t)c->n;
		TFR_NEED_MEMORY(!TFR_ARRAY_RESERVE(c->items, c->cap, c->n + 1), err,
			"counting the classes");
		if (class->kind == TFR_KIND_BYTES) {
			item.is_text = true;
			item.at = (uint32_t)c->text.size;
			item.size = (uint32_t) class->text.size;
			TFR_NEED_MEMORY(
				tfr_buf_append(&c->text, class->text.data, class->text.size), err,
				"counting the classes");
		}
		if (tfr_hash_add(&c->index, hash_of(class), i))
			return tfr_fail_nomem(err, "counting the classes");
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
	for (size_t i = 0; i < from->n; i++) {
		struct tfr_counted_class class = tfr_classes_at(from, i);

		TFR_TRY(tfr_classes_add(into, &class, from->items[i].records, NULL, err));
	}
	return TFR_OK;
}

bool tfr_classes_full(const struct tfr_classes *c, const struct tfr_counted_class *class)
{
	return c->n >= TFR_CLASSES_SMALL ||
	       (c->n && c->text.size + class->text.size > TFR_CLASSES_SMALL_TEXT);
}

enum tfr_status tfr_classes_flush(struct tfr_classes *into, pthread_mutex_t *lock,
	struct tfr_classes *small, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(lock);
	status = tfr_classes_merge(into, small, err);
	pthread_mutex_unlock(lock);
	tfr_classes_reset(small);
	return status;
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
	tfr_hash_empty(&c->index);
	for (size_t i = 0; i < c->n; i++) {
		struct tfr_counted_class class = tfr_classes_at(c, i);
		enum tfr_status status = tfr_hash_add(&c->index, hash_of(&class), (uint32_t)i);

		assert(!status); /* there is room for as many as before */
		(void)status;
	}
}

static int compare_numbers(const void *a, const void *b, void *classes)
{
	struct tfr_counted_class x = tfr_classes_at(classes, *(const uint32_t *)a);
	struct tfr_counted_class y = tfr_classes_at(classes, *(const uint32_t *)b);

	return tfr_class_compare(&x, &y);
}

void tfr_classes_order(const struct tfr_classes *c, uint32_t *order)
{
	for (size_t i = 0; i < c->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, c->n, sizeof(*order), compare_numbers, (void *)(uintptr_t)c);
}
