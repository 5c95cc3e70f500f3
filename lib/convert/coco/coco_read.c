/* convert/coco/coco_read.c - reads a COCO file in blocks into the table.
 *
 * Each block begins with the unfinished end of the previous one.  Many threads parse the
 * elements that end in their blocks, and the results are added in order.  Images are known by
 * their ids when all are read: then annotations find theirs. */
#include "convert/coco/coco_read.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "thread/lanes.h"
#include "thread/threads.h"

enum {
	BLOCK = 1 << 20,
	LARGEST = 1 << 30, /* bytes of one element */
	BLOCKS = 4,	   /* blocks in progress, per thread */
};

static const char reading_it[] = "reading annotations";

/* An annotation whose image and category are not known yet. */
struct pending {
	int64_t id, image, category;
	double side[4];
	uint64_t at;
	uint64_t first; /* segments */
	uint32_t n;	/* of them, or of keypoints */
	uint32_t text;	/* caption, or name of the image of segments */
	bool boxless;
};

struct reading {
	struct tfr_coco *coco;
	const char *path;
	enum tfr_coco_what what;
	struct tfr_source *source;
	bool ended;
	struct tfr_coco_scan scan;
	struct tfr_buf open; /* the unfinished end of the last block */
	bool first;	     /* the first file of the part: its images are those of the table */
	struct tfr_coco_id *ids; /* of its images; places: for the message about equal ones */
	uint64_t *at;		 /* of each image in the file */
	struct pending *list;
	struct tfr_coco_category *categories;
	size_t n_images, ids_cap, at_cap, n, cap, n_categories, categories_cap, boxes;
};

struct block {
	struct tfr_buf text, elements;
	uint64_t offset;
	struct tfr_coco_parser parser;
	struct tfr_coco_parsed parsed;
};

/* --- blocks --- */

static enum tfr_status read_more(struct reading *r, struct tfr_buf *text, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got;

	if (text->size > LARGEST)
		return tfr_fail_path(err, TFR_EDATA, r->path,
			"an element of over 1 GiB at byte %llu of",
			(unsigned long long)(r->scan.offset + r->scan.from));
	TFR_NEED_MEMORY(tfr_buf_reserve(text, BLOCK), err, reading_it);
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
	TFR_NEED_MEMORY(tfr_buf_append(&b->text, r->open.data, r->open.size), err, reading_it);
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
		reading_it);
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
	b->parser.what = r->what;
	b->parser.shapes = r->what == TFR_COCO_OBJECTS && r->coco->t->opts->input.draw_masks;
	for (size_t k = 0; k < b->elements.size / sizeof(*e); k++)
		TFR_TRY(tfr_coco_parse(
			&b->parser, b->text.data, &e[k], b->offset, &b->parsed, err));
	return TFR_OK;
}

/* --- adding blocks --- */

/* The text at an offset in the names of a block, in the table. */
static enum tfr_status keep_text(struct reading *r, const struct tfr_coco_parsed *p,
	uint64_t offset, uint32_t *text, struct tfr_error *err)
{
	const char *from = (const char *)p->names.data + offset;

	return tfr_table_text(r->coco->t, from, strlen(from), text, err);
}

static enum tfr_status add_image(struct reading *r, const struct tfr_coco_parsed *p,
	const struct tfr_coco_image *image, struct tfr_error *err)
{
	const char *name = (const char *)p->names.data + image->name;
	struct tfr_image_row row = { .file = TFR_NO_FILE,
		.mask = TFR_NO_FILE,
		.width = image->width,
		.height = image->height };
	char id[32];

	if (TFR_ARRAY_RESERVE(r->ids, r->ids_cap, r->n_images + 1) ||
		TFR_ARRAY_RESERVE(r->at, r->at_cap, r->n_images + 1))
		return tfr_fail_nomem(err, reading_it);
	r->ids[r->n_images] = (struct tfr_coco_id){ image->id, (uint32_t)r->n_images };
	r->at[r->n_images++] = image->at;
	if (!r->first)
		return TFR_OK;
	TFR_TRY(keep_text(r, p, image->name, &row.name, err));
	snprintf(id, sizeof(id), "%lld", (long long)image->id);
	TFR_TRY(tfr_table_text(r->coco->t, id, strlen(id), &row.source, err));
	if (!tfr_path_is_below(name))
		TFR_TRY(tfr_table_fault(r->coco->t, &row, TFR_EDATA,
			"a name that leads out of the folder of images", err));
	return tfr_table_add_image(r->coco->t, &row, err);
}

static enum tfr_status add_category(struct reading *r, const struct tfr_coco_parsed *p,
	const struct tfr_coco_category *category, struct tfr_error *err)
{
	struct tfr_coco_category c = *category;
	const char *points = (const char *)p->names.data + c.points;
	uint32_t text;

	TFR_TRY(keep_text(r, p, c.name, &text, err));
	c.name = text;
	c.points = r->coco->t->texts.size;
	for (uint32_t i = 0; i < c.n_points; i++, points += strlen(points) + 1)
		TFR_TRY(tfr_table_text(r->coco->t, points, strlen(points), &text, err));
	if (TFR_ARRAY_RESERVE(r->categories, r->categories_cap, r->n_categories + 1))
		return tfr_fail_nomem(err, reading_it);
	r->categories[r->n_categories++] = c;
	return TFR_OK;
}

/* Adds the box of an annotation to the table; its image and class follow. */
static enum tfr_status add_box(struct reading *r, const struct tfr_coco_parsed *p,
	const struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct tfr_table *t = r->coco->t;
	const struct tfr_box box = { .image = UINT32_MAX, .crowd = a->crowd };
	const struct tfr_box_more more = { .area = a->area,
		.shape = a->shape_size ? a->shape.text : NULL,
		.shape_size = a->shape_size,
		.at = a->at,
		.first = (uint32_t)t->n_keypoints,
		.n = a->n,
		.labelled = a->labelled };
	const struct tfr_coco_point *points = (const void *)p->points.data;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct tfr_coco_point *q = &points[a->first + i];

		TFR_TRY(tfr_table_add_keypoint(
			t, &(struct tfr_keypoint){ q->x, q->y, q->visibility }, err));
	}
	return tfr_table_add_box(t, &box, NULL, &more, err);
}

static enum tfr_status add_annotation(struct reading *r, const struct tfr_coco_parsed *p,
	const struct tfr_coco_annotation *a, struct tfr_error *err)
{
	struct pending one = { .id = a->id,
		.image = a->image,
		.category = a->category,
		.side = { a->box[0], a->box[1], a->box[0] + a->box[2], a->box[1] + a->box[3] },
		.at = a->at,
		.first = r->coco->segments.size / sizeof(struct tfr_coco_segment) + a->first,
		.n = a->n,
		.boxless = a->boxless };

	if (r->what == TFR_COCO_OBJECTS)
		TFR_TRY(add_box(r, p, a, err));
	else
		TFR_TRY(keep_text(r, p, a->text, &one.text, err));
	if (TFR_ARRAY_RESERVE(r->list, r->cap, r->n + 1))
		return tfr_fail_nomem(err, reading_it);
	r->list[r->n++] = one;
	return TFR_OK;
}

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

static enum tfr_status add_block(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	const struct tfr_coco_parsed *p = &b->parsed;
	const struct tfr_coco_image *images = (const void *)p->images.data;
	const struct tfr_coco_category *categories = (const void *)p->categories.data;
	const struct tfr_coco_annotation *annotations = (const void *)p->annotations.data;

	(void)i;
	TFR_NEED_MEMORY(keep_shapes(r, b), err, reading_it);
	for (size_t k = 0; k < p->images.size / sizeof(*images); k++)
		TFR_TRY(add_image(r, p, &images[k], err));
	for (size_t k = 0; k < p->categories.size / sizeof(*categories); k++)
		TFR_TRY(add_category(r, p, &categories[k], err));
	for (size_t k = 0; k < p->annotations.size / sizeof(*annotations); k++)
		TFR_TRY(add_annotation(r, p, &annotations[k], err));
	return tfr_buf_append(&r->coco->segments, p->segments.data, p->segments.size)
		       ? TFR_OK
		       : tfr_fail_nomem(err, reading_it);
}

static void clear_block(void *slot)
{
	struct block *b = slot;

	tfr_buf_clear(&b->text);
	tfr_buf_clear(&b->elements);
	tfr_coco_parser_clear(&b->parser);
	tfr_coco_parsed_clear(&b->parsed);
}

static enum tfr_status read_blocks(struct reading *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(r->coco->t->opts->run.threads),
		.count = UINT64_MAX,
		.slot_size = sizeof(struct block),
		.pull = pull,
		.work = parse,
		.deliver = add_block,
		.clear_slot = clear_block,
	};

	lanes.window = (uint64_t)BLOCKS * lanes.threads;
	return tfr_lanes_run(&lanes, r, err);
}

/* --- joining by ids --- */

static int by_id(const void *a, const void *b)
{
	const struct tfr_coco_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Returns the place of `id`; UINT32_MAX: there is none. */
static uint32_t find_id(const struct tfr_coco_id *ids, size_t n, int64_t id)
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

/* Sorts ids.  Returns the place of the first one that is the same as the one before; 0: none. */
static size_t sort_ids(struct tfr_coco_id *ids, size_t n)
{
	if (n)
		qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 1; i < n; i++)
		if (ids[i].id == ids[i - 1].id)
			return i;
	return 0;
}

static enum tfr_status twice(const struct reading *r, const char *what, int64_t id, uint64_t first,
	uint64_t second, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, r->path,
		"two %s with the id %lld, at bytes %llu and %llu of", what, (long long)id,
		(unsigned long long)first, (unsigned long long)second);
}

static enum tfr_status sort_images(struct reading *r, struct tfr_error *err)
{
	size_t i = sort_ids(r->ids, r->n_images);

	if (i)
		return twice(r, "images", r->ids[i].id, r->at[r->ids[i - 1].place],
			r->at[r->ids[i].place], err);
	if (r->first) {
		r->coco->ids = r->ids;
		r->coco->n_images = r->n_images;
	}
	return TFR_OK;
}

/* Categories are classes of the table; all parts must use the same numbers for them. */
static enum tfr_status add_class(struct reading *r, const struct tfr_coco_category *c,
	uint32_t *class, struct tfr_error *err)
{
	struct tfr_table *t = r->coco->t;
	const char *name = tfr_table_string(t, (uint32_t)c->name);
	const size_t before = t->n_classes;
	struct tfr_table_class *found;

	/* The name is copied, because the texts grow. */
	TFR_AUTO_FREE char *copy = strdup(name);

	TFR_NEED_MEMORY(copy, err, reading_it);
	TFR_TRY(tfr_table_label(t, c->id, copy, strlen(copy), class, err));
	found = &t->classes[*class];
	if (t->n_classes > before || !found->n_points) {
		found->points = (uint32_t)c->points;
		found->n_points = c->n_points;
	}
	t->has_keypoints |= c->n_points > 0;
	if (strcmp(tfr_table_string(t, found->name), copy))
		return tfr_fail(err, TFR_EDATA,
			"the category %lld is '%.60s' in '%s' and '%.60s' in '%s'",
			(long long)c->id, tfr_table_string(t, found->name),
			r->coco->part->first_part->prefix, copy, r->coco->part->prefix);
	return TFR_OK;
}

/* Sets the classes of the categories, sorted by their ids. */
static enum tfr_status sort_categories(
	struct reading *r, struct tfr_coco_id *ids, struct tfr_error *err)
{
	size_t i;

	for (i = 0; i < r->n_categories; i++)
		ids[i] = (struct tfr_coco_id){ r->categories[i].id, (uint32_t)i };
	i = sort_ids(ids, r->n_categories);
	if (i)
		return twice(r, "categories", ids[i].id, r->categories[ids[i - 1].place].at,
			r->categories[ids[i].place].at, err);
	for (i = 0; i < r->n_categories && r->what == TFR_COCO_OBJECTS; i++)
		TFR_TRY(add_class(r, &r->categories[ids[i].place], &ids[i].place, err));
	return TFR_OK;
}

/* An image with such an annotation cannot become a record: without it, it would be annotated
 * otherwise. */
static enum tfr_status refuse_image(struct reading *r, uint32_t image, const struct pending *p,
	const struct tfr_table_class *class, struct tfr_error *err)
{
	struct tfr_image_row *row = &r->coco->t->images[image];
	char reason[200];

	if (row->fault)
		return TFR_OK;
	if (!class)
		snprintf(reason, sizeof(reason),
			"an annotation of category %lld, which is not in 'categories', at byte "
			"%llu",
			(long long)p->category, (unsigned long long)p->at);
	else
		snprintf(reason, sizeof(reason),
			"an annotation with %u keypoints, of which its category names %u, at byte "
			"%llu",
			p->n, class->n_points, (unsigned long long)p->at);
	return tfr_table_fault(r->coco->t, row, TFR_EDATA, reason, err);
}

struct tally {
	size_t strays, boxless, unusable, same_ids, shapeless;
	const struct pending *first_stray;
};

/* Gives box `k` of the file its image and class. */
static enum tfr_status place_box(struct reading *r, size_t k, uint32_t image,
	const struct tfr_coco_id *categories, struct tally *y, struct tfr_error *err)
{
	struct tfr_table *t = r->coco->t;
	struct pending *p = &r->list[k];
	const struct tfr_image_row *row = &t->images[image];
	uint32_t class = find_id(categories, r->n_categories, p->category);
	const struct tfr_table_class *c = class == UINT32_MAX ? NULL : &t->classes[class];

	if (!c || (p->n && p->n != c->n_points))
		TFR_TRY(refuse_image(r, image, p, c, err));
	y->boxless += p->boxless;
	if (p->boxless)
		return TFR_OK;
	if ((row->width || row->height) &&
		!tfr_box_is_usable(t, p->side, row->width, row->height)) {
		y->unusable++;
		return TFR_OK;
	}
	t->boxes[r->boxes + k].class = c ? class : 0;
	y->shapeless += !t->more[r->boxes + k].shape_size;
	return tfr_table_place_box(t, r->boxes + k, image, p->side, err);
}

/* An image has only one image of segments. */
static enum tfr_status place_panoptic(
	struct reading *r, const struct pending *p, uint32_t image, struct tfr_error *err)
{
	struct tfr_coco_panoptic *to = &r->coco->panoptic[image - r->coco->part->first];

	*to = (struct tfr_coco_panoptic){ p->text, p->first, p->n };
	(void)err;
	return TFR_OK;
}

static enum tfr_status place_annotations(struct reading *r, const struct tfr_coco_id *categories,
	struct tally *y, struct tfr_error *err)
{
	const uint32_t first = r->coco->part->first;

	for (size_t k = 0; k < r->n; k++) {
		const struct pending *p = &r->list[k];
		bool listed = find_id(r->ids, r->n_images, p->image) != UINT32_MAX;
		uint32_t image = find_id(r->coco->ids, r->coco->n_images, p->image);

		if (!listed && !y->strays++)
			y->first_stray = p;
		if (!listed || image == UINT32_MAX)
			continue;
		if (r->what == TFR_COCO_OBJECTS)
			TFR_TRY(place_box(r, k, first + image, categories, y, err));
		else if (r->what == TFR_COCO_CAPTIONS)
			TFR_TRY(tfr_table_add_caption(r->coco->t, first + image, p->text, err));
		else
			TFR_TRY(place_panoptic(r, p, first + image, err));
	}
	return TFR_OK;
}

static enum tfr_status count_same_ids(const struct reading *r, size_t *same, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_coco_id *ids = malloc((r->n + 1) * sizeof(*ids));

	TFR_NEED_MEMORY(ids, err, reading_it);
	for (size_t k = 0; k < r->n; k++)
		ids[k] = (struct tfr_coco_id){ r->list[k].id, (uint32_t)k };
	for (size_t k = sort_ids(ids, r->n); k && k < r->n; k++)
		*same += ids[k].id == ids[k - 1].id && ids[k].id != INT64_MIN;
	return TFR_OK;
}

/* Two annotations of one image in a panoptic file. */
static enum tfr_status check_single(const struct reading *r, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_coco_id *ids = malloc((r->n + 1) * sizeof(*ids));
	size_t i;

	TFR_NEED_MEMORY(ids, err, reading_it);
	for (size_t k = 0; k < r->n; k++)
		ids[k] = (struct tfr_coco_id){ r->list[k].image, (uint32_t)k };
	i = sort_ids(ids, r->n);
	if (!i)
		return TFR_OK;
	return tfr_fail_path(err, TFR_EDATA, r->path,
		"two annotations of image %lld, at bytes %llu and %llu of", (long long)ids[i].id,
		(unsigned long long)r->list[ids[i - 1].place].at,
		(unsigned long long)r->list[ids[i].place].at);
}

static void warn_of(const struct reading *r, const struct tally *y)
{
	const struct tfr_convert_opts *o = r->coco->t->opts;
	const struct {
		size_t n;
		const char *what;
	} rows[] = {
		{ y->boxless, "left out: without a 'bbox'" },
		{ y->unusable, "left out: a box without an area or past the edge of its image" },
		{ y->same_ids, "kept, with the id of another one" },
		{ o->input.draw_masks && r->what == TFR_COCO_OBJECTS ? y->shapeless : 0,
			"without a 'segmentation': an empty mask each" },
	};

	if (y->strays)
		tfr_warn(o,
			"%zu annotation%s of '%s' left out: of an image that is not listed (the "
			"first of image %lld, at byte %llu)",
			y->strays, y->strays == 1 ? "" : "s", r->path,
			(long long)y->first_stray->image, (unsigned long long)y->first_stray->at);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].n)
			tfr_warn(o, "%zu annotation%s of '%s' %s", rows[i].n,
				rows[i].n == 1 ? "" : "s", r->path, rows[i].what);
}

static enum tfr_status join_elements(struct reading *r, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_coco_id *categories =
		calloc(r->n_categories + 1, sizeof(*categories));
	struct tally y = { 0 };

	TFR_NEED_MEMORY(categories, err, reading_it);
	TFR_TRY(sort_images(r, err));
	TFR_TRY(sort_categories(r, categories, err));
	if (r->what == TFR_COCO_PANOPTIC) {
		r->coco->panoptic = calloc(r->coco->n_images + 1, sizeof(*r->coco->panoptic));
		TFR_NEED_MEMORY(r->coco->panoptic, err, reading_it);
		TFR_TRY(check_single(r, err));
		r->coco->n_categories = r->n_categories;
		r->coco->categories = TFR_STEAL(r->categories);
	}
	TFR_TRY(place_annotations(r, categories, &y, err));
	TFR_TRY(count_same_ids(r, &y.same_ids, err));
	r->coco->t->areas |= r->what == TFR_COCO_OBJECTS;
	r->coco->t->scattered |= r->what == TFR_COCO_OBJECTS;
	warn_of(r, &y);
	return TFR_OK;
}

enum tfr_status tfr_coco_read(struct tfr_coco *c, struct tfr_source *source, const char *path,
	enum tfr_coco_what what, struct tfr_error *err)
{
	struct reading r = { .coco = c,
		.path = path,
		.what = what,
		.source = source,
		.first = !c->begun,
		.boxes = c->t->n_boxes,
		.scan = { .path = path, .no_categories = what == TFR_COCO_CAPTIONS } };
	enum tfr_status status = read_blocks(&r, err);

	c->begun = true;

	if (!status)
		status = join_elements(&r, err);
	tfr_source_close(source);
	tfr_buf_clear(&r.open);
	if (c->ids != r.ids)
		free(r.ids);
	free(r.at);
	free(r.list);
	free(r.categories);
	return status;
}

void tfr_coco_clear(struct tfr_coco *c)
{
	uint8_t **shapes = (uint8_t **)(void *)c->shapes.data;

	for (size_t i = 0; i < c->shapes.size / sizeof(*shapes); i++)
		free(shapes[i]);
	tfr_buf_clear(&c->shapes);
	tfr_buf_clear(&c->segments);
	free(c->ids);
	free(c->panoptic);
	free(c->categories);
	tfr_root_close(c->folder);
}
