/* convert/coco/coco_join.c - joins annotations with images and categories: ids are sorted once
 * and looked up for every annotation.
 *
 * A counting sort groups the annotations by image, so that they keep the order of the file. */
#include "convert/coco/coco_join.h"

#include <assert.h>
#include <string.h>

struct id {
	int64_t id;
	uint32_t place;
};

static int by_id(const void *a, const void *b)
{
	const struct id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns the position of `id`; UINT32_MAX: there is none. */
static uint32_t find(const struct id *ids, size_t n, int64_t id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && ids[low].id == id ? ids[low].place : UINT32_MAX;
}

static enum tfr_status twice(const char *path, const char *what, int64_t id, uint64_t first,
	uint64_t second, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, path,
		"two %s with the id %lld, at bytes %llu and %llu of", what, (long long)id,
		(unsigned long long)first, (unsigned long long)second);
}

static enum tfr_status sort_images(
	const struct tfr_coco *c, struct id *ids, const char *path, struct tfr_error *err)
{
	for (size_t i = 0; i < c->n_images; i++)
		ids[i] = (struct id){ c->images[i].id, (uint32_t)i };
	qsort(ids, c->n_images, sizeof(*ids), by_id);
	for (size_t i = 1; i < c->n_images; i++)
		if (ids[i].id == ids[i - 1].id)
			return twice(path, "images", ids[i].id, c->images[ids[i - 1].place].at,
				c->images[ids[i].place].at, err);
	return TFR_OK;
}

static enum tfr_status sort_categories(
	const struct tfr_coco *c, struct id *ids, const char *path, struct tfr_error *err)
{
	for (size_t i = 0; i < c->n_categories; i++)
		ids[i] = (struct id){ c->categories[i].id, (uint32_t)i };
	qsort(ids, c->n_categories, sizeof(*ids), by_id);
	for (size_t i = 1; i < c->n_categories; i++)
		if (ids[i].id == ids[i - 1].id)
			return twice(path, "categories", ids[i].id,
				c->categories[ids[i - 1].place].at, c->categories[ids[i].place].at,
				err);
	return TFR_OK;
}

static enum tfr_status count_same_ids(struct tfr_coco *c, struct tfr_error *err)
{
	TFR_AUTO_FREE int64_t *ids = malloc((c->n_annotations + 1) * sizeof(*ids));
	size_t n = 0;

	if (!ids)
		return tfr_fail_nomem(err, "reading annotations");
	for (size_t k = 0; k < c->n_annotations; k++)
		if (c->annotations[k].id != INT64_MIN)
			ids[n++] = c->annotations[k].id;
	qsort(ids, n, sizeof(*ids), by_number);
	for (size_t k = 1; k < n; k++)
		c->same_ids += ids[k] == ids[k - 1];
	return TFR_OK;
}

/* Whether a box has an area and is inside its image, with the sums of the scripts of
 * tensorflow/models (official/vision/data/create_coco_tf_record.py), rounded as Python rounds. */
static bool usable(const double box[4], const struct tfr_coco_image *image)
{
	return box[2] > 0 && box[3] > 0 && box[0] >= 0 && box[1] >= 0 &&
	       box[0] + box[2] <= image->width && box[1] + box[3] <= image->height;
}

/* The category of an object, to which its keypoints belong. */
static enum tfr_status place_object(struct tfr_coco *c, const struct tfr_coco_annotation *a,
	uint32_t category, const char *path, struct tfr_error *err)
{
	if (category == UINT32_MAX)
		return tfr_fail_path(err, TFR_EDATA, path,
			"an annotation of category %lld, which is not in 'categories', at "
			"byte %llu of",
			(long long)a->category, (unsigned long long)a->at);
	if (a->n && a->n != c->categories[category].n_points)
		return tfr_fail_path(err, TFR_EDATA, path,
			"an annotation with %u keypoints, of which its category names %u, at byte "
			"%llu of",
			a->n, c->categories[category].n_points, (unsigned long long)a->at);
	return TFR_OK;
}

/* Finds each annotation's image, or UINT32_MAX if it is left out, and its category. */
static enum tfr_status place_all(struct tfr_coco *c, uint32_t *image_of, const struct id *images,
	const struct id *categories, enum tfr_coco_what what, const char *path,
	struct tfr_error *err)
{
	bool objects = what == TFR_COCO_OBJECTS;

	for (size_t k = 0; k < c->n_annotations; k++) {
		const struct tfr_coco_annotation *a = &c->annotations[k];
		uint32_t image = find(images, c->n_images, a->image);
		uint32_t category = find(categories, c->n_categories, a->category);
		enum tfr_status status = objects ? place_object(c, a, category, path, err) : TFR_OK;

		if (status)
			return status;
		if (image == UINT32_MAX && !c->strays++)
			c->first_stray = k;
		if (objects && image != UINT32_MAX &&
			(a->boxless || !usable(a->box, &c->images[image]))) {
			c->boxless += a->boxless;
			c->unusable += !a->boxless;
			image = UINT32_MAX;
		}
		image_of[k] = image;
		c->category_of[k] = category;
	}
	return TFR_OK;
}

/* Converts image_of to first and order. */
static void group(struct tfr_coco *c, const uint32_t *image_of)
{
	for (size_t k = 0; k < c->n_annotations; k++)
		if (image_of[k] != UINT32_MAX)
			c->first[image_of[k] + 1]++;
	for (size_t i = 0; i < c->n_images; i++)
		c->first[i + 1] += c->first[i];
	/* Filled from the end: first[i + 1] decreases to the beginning of image i. */
	for (size_t k = c->n_annotations; k-- > 0;)
		if (image_of[k] != UINT32_MAX)
			c->order[--c->first[image_of[k] + 1]] = (uint32_t)k;
	for (size_t i = 0; i < c->n_images; i++)
		c->first[i] = c->first[i + 1];
}

static void view(struct tfr_coco *c)
{
	const struct tfr_coco_parsed *p = &c->parsed;

	c->images = (const void *)p->images.data;
	c->annotations = (const void *)p->annotations.data;
	c->categories = (const void *)p->categories.data;
	c->n_images = p->images.size / sizeof(*c->images);
	c->n_annotations = p->annotations.size / sizeof(*c->annotations);
	c->n_categories = p->categories.size / sizeof(*c->categories);
	c->names = (const char *)p->names.data;
	c->points = (const void *)p->points.data;
	c->segments = (const void *)p->segments.data;
	for (size_t i = 0; i < c->n_categories; i++)
		c->keypoints = c->keypoints || c->categories[i].n_points;
}

/* An image has only one image of segments. */
static enum tfr_status check_single(
	const struct tfr_coco *c, const char *path, struct tfr_error *err)
{
	for (size_t i = 0; i < c->n_images; i++)
		if (c->first[i + 1] - c->first[i] > 1)
			return tfr_fail_path(err, TFR_EDATA, path,
				"two annotations of image %lld, at bytes %llu and %llu of",
				(long long)c->images[i].id,
				(unsigned long long)c->annotations[c->order[c->first[i]]].at,
				(unsigned long long)c->annotations[c->order[c->first[i] + 1]].at);
	return TFR_OK;
}

enum tfr_status tfr_coco_join(
	struct tfr_coco *c, const char *path, enum tfr_coco_what what, struct tfr_error *err)
{
	TFR_AUTO_FREE struct id *images = NULL, *categories = NULL;
	TFR_AUTO_FREE uint32_t *image_of = NULL;
	enum tfr_status status;
	uint64_t kept = 0;

	view(c);
	if (c->n_images >= UINT32_MAX || c->n_annotations >= UINT32_MAX ||
		c->n_categories >= UINT32_MAX)
		return tfr_fail_path(err, TFR_EUSAGE, path, "more than %u elements in", UINT32_MAX);
	images = malloc((c->n_images + 1) * sizeof(*images));
	categories = malloc((c->n_categories + 1) * sizeof(*categories));
	image_of = malloc((c->n_annotations + 1) * sizeof(*image_of));
	c->first = calloc(c->n_images + 2, sizeof(*c->first));
	c->order = malloc((c->n_annotations + 1) * sizeof(*c->order));
	c->category_of = malloc((c->n_annotations + 1) * sizeof(*c->category_of));
	if (!images || !categories || !image_of || !c->first || !c->order || !c->category_of)
		return tfr_fail_nomem(err, "reading annotations");
	status = sort_images(c, images, path, err);
	if (!status)
		status = sort_categories(c, categories, path, err);
	if (!status)
		status = place_all(c, image_of, images, categories, what, path, err);
	if (!status)
		status = count_same_ids(c, err);
	if (status)
		return status;
	assert(c->strays + c->boxless + c->unusable <= c->n_annotations);
	kept = c->n_annotations - c->strays - c->boxless - c->unusable;
	group(c, image_of);
	c->first[c->n_images] = kept;
	return what == TFR_COCO_PANOPTIC ? check_single(c, path, err) : TFR_OK;
}

enum tfr_status tfr_coco_match(const struct tfr_coco *c, const struct tfr_coco *other,
	uint32_t **places, struct tfr_error *err)
{
	TFR_AUTO_FREE struct id *ids = malloc((other->n_images + 1) * sizeof(*ids));

	*places = malloc((c->n_images + 1) * sizeof(**places));
	if (!ids || !*places)
		return tfr_fail_nomem(err, "reading annotations");
	for (size_t i = 0; i < other->n_images; i++)
		ids[i] = (struct id){ other->images[i].id, (uint32_t)i };
	qsort(ids, other->n_images, sizeof(*ids), by_id);
	for (size_t i = 0; i < c->n_images; i++)
		(*places)[i] = find(ids, other->n_images, c->images[i].id);
	return TFR_OK;
}

const struct tfr_coco_category *tfr_coco_category_of(const struct tfr_coco *c, int64_t id)
{
	for (size_t i = 0; i < c->n_categories; i++)
		if (c->categories[i].id == id)
			return &c->categories[i];
	return NULL;
}
