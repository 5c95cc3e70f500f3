/* convert/coco/coco_read.c - reads a COCO file in blocks.
 *
 * Each block begins with the unfinished end of the previous one.  Many threads parse the
 * elements that end in their blocks, and the results are joined in order.  Only texts that are
 * kept grow with the file: the memory of blocks is reused. */
#include "convert/coco/coco_read.h"

#include <assert.h>
#include <string.h>

#include "io/source.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* --- joining --- */

/* Joins annotations with images and categories: ids are sorted once and looked up for every
 * annotation.
 *
 * A counting sort groups the annotations by image, so that they keep the order of the file. */

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

/* Sorts the ids of a list of elements.  Returns the position of the first id that is the same as
 * the one before; 0: there is none. */
static size_t sort_ids(struct id *ids, const void *list, size_t n, size_t element_size)
{
	for (size_t i = 0; i < n; i++) {
		memcpy(&ids[i].id, (const char *)list + i * element_size, sizeof(ids[i].id));
		ids[i].place = (uint32_t)i;
	}
	if (n)
		qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 1; i < n; i++)
		if (ids[i].id == ids[i - 1].id)
			return i;
	return 0;
}

static enum tfr_status count_same_ids(struct tfr_coco *c, struct tfr_error *err)
{
	size_t n = c->n_annotations;
	TFR_AUTO_FREE struct id *ids = malloc((n + 1) * sizeof(*ids));

	TFR_NEED_MEMORY(ids, err, "reading annotations");
	for (size_t k = sort_ids(ids, c->annotations, n, sizeof(*c->annotations)); k && k < n; k++)
		c->same_ids += ids[k].id == ids[k - 1].id && ids[k].id != INT64_MIN;
	return TFR_OK;
}

/* Whether a box has an area and is inside its image, with the sums of the scripts of
 * tensorflow/models (official/vision/data/create_coco_tf_record.py), rounded as Python rounds. */
static bool usable(const double box[4], const struct tfr_coco_image *image)
{
	return box[2] > 0 && box[3] > 0 && box[0] >= 0 && box[1] >= 0 &&
	       box[0] + box[2] <= image->width && box[1] + box[3] <= image->height;
}

/* Finds each annotation's image, or UINT32_MAX if it is left out, and its category. */
static void place_all(struct tfr_coco *c, uint32_t *image_of, const struct id *images,
	const struct id *categories, enum tfr_coco_what what)
{
	bool objects = what == TFR_COCO_OBJECTS;

	for (size_t k = 0; k < c->n_annotations; k++) {
		const struct tfr_coco_annotation *a = &c->annotations[k];
		uint32_t image = find(images, c->n_images, a->image);
		uint32_t category = find(categories, c->n_categories, a->category);

		if (objects && image != UINT32_MAX && !c->bad[image] &&
			(category == UINT32_MAX ||
				(a->n && a->n != c->categories[category].n_points)))
			c->bad[image] = (uint32_t)k + 1;
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

/* Joins the contents of c->parsed.  TFR_EDATA: two images or two categories have the same id, or
 * an image has a second image of segments. */
static enum tfr_status join_elements(
	struct tfr_coco *c, const char *path, enum tfr_coco_what what, struct tfr_error *err)
{
	TFR_AUTO_FREE struct id *images = NULL, *categories = NULL;
	TFR_AUTO_FREE uint32_t *image_of = NULL;
	uint64_t kept;
	size_t i;

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
	c->bad = calloc(c->n_images + 1, sizeof(*c->bad));
	if (!c->bad || !images || !categories || !image_of || !c->first || !c->order ||
		!c->category_of)
		return tfr_fail_nomem(err, "reading annotations");
	i = sort_ids(images, c->images, c->n_images, sizeof(*c->images));
	if (i)
		return twice(path, "images", images[i].id, c->images[images[i - 1].place].at,
			c->images[images[i].place].at, err);
	i = sort_ids(categories, c->categories, c->n_categories, sizeof(*c->categories));
	if (i)
		return twice(path, "categories", categories[i].id,
			c->categories[categories[i - 1].place].at,
			c->categories[categories[i].place].at, err);
	place_all(c, image_of, images, categories, what);
	TFR_TRY(count_same_ids(c, err));
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
	sort_ids(ids, other->images, other->n_images, sizeof(*other->images));
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

/* --- reading --- */

enum {
	BLOCK = 1 << 20,
	LARGEST = 1 << 30, /* bytes of one element */
	BLOCKS = 4,	   /* blocks in progress, per thread */
};

struct reading {
	struct tfr_coco *coco;
	const char *path;
	const struct tfr_coco_opts *opts;
	struct tfr_source *source;
	bool ended;
	struct tfr_coco_scan scan;
	struct tfr_buf open; /* the unfinished end of the last block */
};

struct block {
	struct tfr_buf text, elements;
	uint64_t offset;
	struct tfr_coco_parser parser;
	struct tfr_coco_parsed parsed;
};

static enum tfr_status read_more(struct reading *r, struct tfr_buf *text, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got;

	if (text->size > LARGEST)
		return tfr_fail_path(err, TFR_EDATA, r->path,
			"an element of over 1 GiB at byte %llu of",
			(unsigned long long)(r->scan.offset + r->scan.from));
	TFR_NEED_MEMORY(tfr_buf_reserve(text, BLOCK), err, "reading annotations");
	status = tfr_source_read(r->source, text->data + text->size, BLOCK, &got, err);
	text->size += got;
	r->ended = got < BLOCK;
	return status;
}

/* Reads until an element ends. */
static enum tfr_status pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	size_t needed;

	(void)lanes, (void)worker, (void)i, (void)lane;
	if (r->ended)
		return TFR_END;
	b->text.size = b->elements.size = 0;
	b->offset = r->scan.offset;
	TFR_NEED_MEMORY(
		tfr_buf_append(&b->text, r->open.data, r->open.size), err, "reading annotations");
	do {
		TFR_TRY(read_more(r, &b->text, err));
		TFR_TRY(tfr_coco_scan(&r->scan, b->text.data, b->text.size, &b->elements, err));
	} while (!r->ended && !b->elements.size);
	if (r->ended)
		TFR_TRY(tfr_coco_scan_end(&r->scan, err));
	needed = tfr_coco_scan_needed(&r->scan);
	assert(needed <= b->text.size);
	r->open.size = 0;
	TFR_NEED_MEMORY(tfr_buf_append(&r->open, b->text.data + needed, b->text.size - needed), err,
		"reading annotations");
	tfr_coco_scan_drop(&r->scan, needed);
	return TFR_OK;
}

static enum tfr_status parse(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	const struct tfr_coco_element *e =
		(const struct tfr_coco_element *)(const void *)b->elements.data;

	(void)lanes, (void)worker, (void)i;
	for (size_t k = 0; k < TFR_COCO_BUFFERS; k++)
		b->parsed.all[k].size = 0;
	b->parser.path = r->path;
	b->parser.what = r->opts->what;
	b->parser.shapes = r->opts->shapes;
	for (size_t k = 0; k < b->elements.size / sizeof(*e); k++)
		TFR_TRY(tfr_coco_parse(
			&b->parser, b->text.data, &e[k], b->offset, &b->parsed, err));
	return TFR_OK;
}

/* --- joining blocks --- */

/* Takes the block's shapes, which stay in memory of exactly their size. */
static bool keep_shapes(struct reading *r, struct block *b)
{
	struct tfr_buf *shapes = &b->parsed.shapes;
	void *fitting;

	if (!shapes->size)
		return true;
	fitting = realloc(shapes->data, shapes->size);
	if (fitting)
		shapes->data = fitting;
	tfr_coco_shapes_place(&b->parsed);
	if (!tfr_buf_append(&r->coco->shapes, &shapes->data, sizeof(shapes->data)))
		return false;
	*shapes = (struct tfr_buf){ 0 };
	return true;
}

/* Converts offsets in the block to offsets in the total. */
static void move_annotations(struct tfr_coco_parsed *part, const struct tfr_coco_parsed *all)
{
	struct tfr_coco_annotation *a =
		(struct tfr_coco_annotation *)(void *)part->annotations.data;

	for (size_t k = 0; k < part->annotations.size / sizeof(*a); k++) {
		a[k].text += all->names.size;
		a[k].first += all->points.size / sizeof(struct tfr_coco_point) +
			      all->segments.size / sizeof(struct tfr_coco_segment);
	}
}

static enum tfr_status join(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	struct tfr_coco_parsed *all = &r->coco->parsed, *part = &b->parsed;
	struct tfr_coco_image *images = (struct tfr_coco_image *)(void *)part->images.data;
	struct tfr_coco_category *categories =
		(struct tfr_coco_category *)(void *)part->categories.data;

	(void)i;
	for (size_t k = 0; k < part->images.size / sizeof(*images); k++)
		images[k].name += all->names.size;
	for (size_t k = 0; k < part->categories.size / sizeof(*categories); k++) {
		categories[k].name += all->names.size;
		categories[k].points += all->names.size;
	}
	move_annotations(part, all);
	TFR_NEED_MEMORY(keep_shapes(r, b), err, "reading annotations");
	for (size_t k = 0; k < TFR_COCO_BUFFERS; k++)
		TFR_NEED_MEMORY(tfr_buf_append(&all->all[k], part->all[k].data, part->all[k].size),
			err, "reading annotations");
	return TFR_OK;
}

static void clear_block(void *slot)
{
	struct block *b = slot;

	tfr_buf_clear(&b->text);
	tfr_buf_clear(&b->elements);
	tfr_coco_parser_clear(&b->parser);
	tfr_coco_parsed_clear(&b->parsed);
}

static enum tfr_status read_all(struct reading *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(r->opts->threads),
		.count = UINT64_MAX,
		.slot_size = sizeof(struct block),
		.pull = pull,
		.work = parse,
		.deliver = join,
		.clear_slot = clear_block,
	};

	lanes.window = (uint64_t)BLOCKS * lanes.threads;
	return tfr_lanes_run(&lanes, r, err);
}

enum tfr_status tfr_coco_read(struct tfr_coco *c, const char *path,
	const struct tfr_coco_opts *opts, struct tfr_error *err)
{
	struct reading r = { .coco = c,
		.path = path,
		.opts = opts,
		.scan = { .path = path, .no_categories = opts->what == TFR_COCO_CAPTIONS } };
	enum tfr_status status = tfr_source_open(&r.source, path, err);

	*c = (struct tfr_coco){ 0 };
	if (!status)
		status = read_all(&r, err);
	tfr_source_close(r.source);
	tfr_buf_clear(&r.open);
	return status ? status : join_elements(c, path, opts->what, err);
}

void tfr_coco_clear(struct tfr_coco *c)
{
	uint8_t **shapes = (uint8_t **)(void *)c->shapes.data;

	for (size_t i = 0; i < c->shapes.size / sizeof(*shapes); i++)
		free(shapes[i]);
	tfr_buf_clear(&c->shapes);
	tfr_coco_parsed_clear(&c->parsed);
	free(c->first);
	free(c->order);
	free(c->category_of);
	free(c->bad);
	*c = (struct tfr_coco){ 0 };
}
