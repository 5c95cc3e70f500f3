/* convert/annotations/table.c - annotations of all kinds in one form.
 *
 * Classes are found by a hash of their name or label, and numbered when all are known: a split that
 * lacks a class numbers the others as if it had it. */
#include "convert/annotations/kinds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/error.h"

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "reading annotations");
}

/* Offsets and numbers have 32 bits. */
static enum tfr_status check_count(size_t n, const char *what, struct tfr_error *err)
{
	return n < UINT32_MAX ? TFR_OK
			      : tfr_fail(err, TFR_EUSAGE, "more than %u %s", UINT32_MAX, what);
}

#define ADD(t, list, n, cap, what, element, err)                                                   \
	do {                                                                                       \
		TFR_TRY(check_count((t)->n, what, err));                                           \
		if (TFR_ARRAY_RESERVE((t)->list, (t)->cap, (t)->n + 1))                            \
			return no_memory(err);                                                     \
		(t)->list[(t)->n] = (element);                                                     \
	} while (0)

enum tfr_status tfr_table_text(
	struct tfr_table *t, const char *text, size_t size, uint32_t *offset, struct tfr_error *err)
{
	TFR_TRY(check_count(t->texts.size + size, "bytes of names", err));
	if (!t->texts.size && !tfr_buf_append(&t->texts, "", 1)) /* offset 0 is none */
		return no_memory(err);
	*offset = (uint32_t)t->texts.size;
	return tfr_buf_append(&t->texts, text, size) && tfr_buf_append(&t->texts, "", 1)
		       ? TFR_OK
		       : no_memory(err);
}

enum tfr_status tfr_table_add_image(
	struct tfr_table *t, const struct tfr_image_row *row, struct tfr_error *err)
{
	struct tfr_image_row *added;

	ADD(t, images, n_images, images_cap, "images", *row, err);
	added = &t->images[t->n_images++];
	added->first = (uint32_t)t->n_boxes;
	added->tag = (uint32_t)t->n_tags;
	if (!added->name || added->fault || tfr_path_is_below(tfr_table_string(t, added->name)))
		return TFR_OK;
	return tfr_table_fault(
		t, added, TFR_EDATA, "a name that leads out of the folder of images", err);
}

enum tfr_status tfr_table_fault(struct tfr_table *t, struct tfr_image_row *row,
	enum tfr_status status, const char *reason, struct tfr_error *err)
{
	row->status = (uint16_t)status;
	return tfr_table_text(t, reason, strlen(reason), &row->fault, err);
}

static enum tfr_status set_sides(
	struct tfr_table *t, size_t k, const double side[4], struct tfr_error *err)
{
	const struct tfr_image_row *row = &t->images[t->boxes[k].image];
	const bool sized = t->fractions || row->width || row->height;

	for (int i = 0; sized && i < 4; i++)
		t->boxes[k].side[i] =
			(float)(t->fractions ? side[i]
					     : side[i] / (i % 2 ? row->height : row->width));
	if (sized)
		return TFR_OK;
	if (TFR_ARRAY_RESERVE(t->pixels, t->pixels_cap, t->boxes_cap))
		return no_memory(err);
	memcpy(t->pixels[k], side, sizeof(t->pixels[k]));
	return TFR_OK;
}

enum tfr_status tfr_table_add_box(struct tfr_table *t, const struct tfr_box *box,
	const double side[4], const struct tfr_box_more *more, struct tfr_error *err)
{
	const size_t before = t->more_cap;

	ADD(t, boxes, n_boxes, boxes_cap, "boxes", *box, err);
	if (more)
		ADD(t, more, n_boxes, more_cap, "boxes", *more, err);
	if (more && !before) /* those before it have none */
		memset(t->more, 0, t->n_boxes * sizeof(*t->more));
	t->scattered |= box->image != t->n_images - 1;
	return set_sides(t, t->n_boxes++, side, err);
}

enum tfr_status tfr_table_add_keypoint(
	struct tfr_table *t, const struct tfr_keypoint *point, struct tfr_error *err)
{
	ADD(t, keypoints, n_keypoints, keypoints_cap, "keypoints", *point, err);
	t->n_keypoints++;
	return TFR_OK;
}

enum tfr_status tfr_table_add_corner(struct tfr_table *t, double x, double y, struct tfr_error *err)
{
	const struct tfr_corner corner = { (float)x, (float)y };

	ADD(t, corners, n_corners, corners_cap, "corners", corner, err);
	t->n_corners++;
	return TFR_OK;
}

enum tfr_status tfr_table_add_caption(
	struct tfr_table *t, uint32_t image, uint32_t text, struct tfr_error *err)
{
	const struct tfr_caption caption = { image, text };

	ADD(t, captions, n_captions, captions_cap, "captions", caption, err);
	t->n_captions++;
	return TFR_OK;
}

enum tfr_status tfr_table_add_tag(struct tfr_table *t, uint32_t class, struct tfr_error *err)
{
	ADD(t, tags, n_tags, tags_cap, "classes of images", class, err);
	t->n_tags++;
	return TFR_OK;
}

/* --- classes --- */

static enum tfr_status add_class(struct tfr_table *t, struct tfr_table_class class, uint64_t hash,
	const char *name, size_t size, uint32_t *number, struct tfr_error *err)
{
	if (name)
		TFR_TRY(tfr_table_text(t, name, size, &class.name, err));
	ADD(t, classes, n_classes, classes_cap, "classes", class, err);
	if (tfr_hash_add(&t->by_class, hash, (uint32_t)t->n_classes))
		return no_memory(err);
	*number = (uint32_t)t->n_classes++;
	return TFR_OK;
}

enum tfr_status tfr_table_class(
	struct tfr_table *t, const char *name, size_t size, uint32_t *class, struct tfr_error *err)
{
	const uint64_t hash = XXH3_64bits(name, size);
	struct tfr_hash_probe p = tfr_hash_probe(hash);

	while (tfr_hash_next(&t->by_class, &p, class)) {
		const struct tfr_table_class *c = &t->classes[*class];
		const char *text = tfr_table_string(t, c->name);

		if (!c->numbered && !strncmp(text, name, size) && !text[size])
			return TFR_OK;
	}
	return add_class(t, (struct tfr_table_class){ 0 }, hash, name, size, class, err);
}

enum tfr_status tfr_table_label(struct tfr_table *t, int64_t label, const char *name, size_t size,
	uint32_t *class, struct tfr_error *err)
{
	const uint64_t hash = XXH3_64bits(&label, sizeof(label));
	struct tfr_hash_probe p = tfr_hash_probe(hash);

	while (tfr_hash_next(&t->by_class, &p, class))
		if (t->classes[*class].numbered && t->classes[*class].label == label)
			return TFR_OK;
	return add_class(t, (struct tfr_table_class){ .label = label, .numbered = true }, hash,
		name, size, class, err);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct tfr_class *)a)->text, ((const struct tfr_class *)b)->text);
}

/* Numbers the names: by the file of labels, or by their order. */
static enum tfr_status number_classes(struct tfr_table *t, struct tfr_error *err)
{
	const struct tfr_convert_classes *o = &t->opts->classes;
	size_t n = 0, named = 0;

	if (o->labels && t->by_name)
		TFR_TRY(tfr_label_map_read(&t->map, o->labels, o->base, err));
	t->sorted = calloc(t->n_classes + 1, sizeof(*t->sorted));
	TFR_NEED_MEMORY(t->sorted, err, "reading annotations");
	for (size_t i = 0; i < t->n_classes; i++) {
		struct tfr_table_class *c = &t->classes[i];
		const char *text = tfr_table_string(t, c->name);
		uint32_t found = TFR_NO_CLASS;

		if (!c->numbered && t->map.n &&
			(found = tfr_label_map_find(&t->map, text)) != TFR_NO_CLASS) {
			c->label = t->map.classes[found].label;
			c->numbered = true;
		}
		if (c->name)
			t->sorted[n++] = (struct tfr_class){ c->label, text, NULL };
		named += !c->numbered;
	}
	t->n_sorted = n;
	if (!named || t->map.n || !t->by_name) {
		qsort(t->sorted, n, sizeof(*t->sorted), tfr_class_by_label);
		return TFR_OK;
	}
	assert(named == n);
	qsort(t->sorted, n, sizeof(*t->sorted), by_text);
	for (size_t k = 0; k < n; k++)
		t->sorted[k].label = o->base + (int64_t)k;
	for (size_t i = 0; i < t->n_classes; i++) {
		const struct tfr_class key = { .text = tfr_table_string(t, t->classes[i].name) };
		const struct tfr_class *found = bsearch(&key, t->sorted, n, sizeof(key), by_text);

		t->classes[i].label = found->label;
		t->classes[i].numbered = true;
	}
	return TFR_OK;
}

/* --- boxes --- */

/* Tools that count from 0 or from 1, or round, are one pixel apart. */
bool tfr_box_is_usable(const struct tfr_table *t, double s[4], uint32_t width, uint32_t height)
{
	for (int i = 0; t->clips && i < 4; i++) {
		double most = i % 2 ? height : width;

		if (s[i] < 0 && s[i] >= -1)
			s[i] = 0;
		else if (s[i] > most && s[i] <= most + 1)
			s[i] = most;
	}
	return s[0] >= 0 && s[1] >= 0 && s[0] < s[2] && s[1] < s[3] && s[2] <= width &&
	       s[3] <= height;
}

/* A counting sort of the boxes by image, which keeps the order of those of an image. */
static enum tfr_status group_boxes(struct tfr_table *t, struct tfr_error *err)
{
	uint32_t *counts = calloc(t->n_images + 1, sizeof(*counts)), at = 0;

	t->order = malloc((t->n_boxes + 1) * sizeof(*t->order));
	if (!counts || !t->order) {
		free(counts);
		return no_memory(err);
	}
	for (size_t k = 0; k < t->n_boxes; k++)
		counts[t->boxes[k].image]++;
	for (size_t i = 0; i < t->n_images; i++) {
		t->images[i].first = at;
		at += counts[i];
		counts[i] = t->images[i].first;
	}
	for (size_t k = 0; k < t->n_boxes; k++)
		t->order[counts[t->boxes[k].image]++] = (uint32_t)k;
	free(counts);
	return TFR_OK;
}

static int by_image(const void *a, const void *b)
{
	const struct tfr_caption *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

enum tfr_status tfr_table_finish(struct tfr_table *t, struct tfr_error *err)
{
	if (t->n_captions)
		qsort(t->captions, t->n_captions, sizeof(*t->captions), by_image);
	if (t->scattered)
		TFR_TRY(group_boxes(t, err));
	return number_classes(t, err);
}

void tfr_table_clear(struct tfr_table *t)
{
	tfr_buf_clear(&t->texts);
	free(t->images);
	free(t->boxes);
	free(t->pixels);
	free(t->more);
	free(t->keypoints);
	free(t->corners);
	free(t->captions);
	free(t->tags);
	free(t->order);
	free(t->classes);
	tfr_hash_clear(&t->by_class);
	tfr_label_map_clear(&t->map);
	free(t->sorted);
	*t = (struct tfr_table){ .opts = t->opts };
}
