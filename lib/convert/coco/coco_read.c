/* convert/coco/coco_read.c - reads a COCO file in blocks into the table.
 *
 * Each block begins with the unfinished end of the previous one.  Many threads parse the
 * elements that end in their blocks, and the results are added in order.  Annotations stay in
 * their blocks until all images are known by their ids: then they find theirs, and go into the
 * table block by block. */
#include "convert/coco/coco_read.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "thread/lanes.h"
#include "thread/threads.h"

enum {
	BLOCK = 1 << 20,
	LARGEST = 1 << 30, /* bytes of one element */
	BLOCKS = 4,	   /* blocks in progress, per thread */
};

static const char reading_it[] = "reading annotations";

struct reading {
	struct tfr_coco *coco;
	const char *path;
	enum tfr_coco_what what;
	struct tfr_source *source;
	bool ended;
	struct tfr_coco_scan scan;
	struct tfr_buf open; /* the unfinished end of the last block */
	bool first;	     /* the first file of the part: its images are those of the table */
	struct tfr_coco_image *images;
	struct tfr_coco_category *categories;
	struct tfr_buf *blocks; /* struct tfr_coco_annotation, in the order of the file */
	size_t n_images, n_categories, n_blocks, n_annotations;
	size_t images_cap, categories_cap, blocks_cap;
};

struct block {
	struct tfr_buf text, elements;
	struct tfr_buf annotations; /* struct tfr_coco_annotation */
	struct tfr_buf others;	    /* struct tfr_coco_parsed: images and categories */
	uint64_t offset;
	struct tfr_coco_parser parser;
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
	size_t dropped;

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
	dropped = tfr_coco_scan_drop(&r->scan);
	assert(dropped <= b->text.size);
	r->open.size = 0;
	TFR_NEED_MEMORY(tfr_buf_append(&r->open, b->text.data + dropped, b->text.size - dropped),
		err, reading_it);
	return TFR_OK;
}

static enum tfr_status parse(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	struct tfr_coco_parser *p = &b->parser;
	const struct tfr_coco_element *e = (const void *)b->elements.data;
	const struct tfr_coco_element *end = e + b->elements.size / sizeof(*e);

	(void)lanes, (void)worker, (void)i;
	b->annotations.size = b->others.size = p->texts.size = p->points.size = p->shapes.size = 0;
	p->path = r->path;
	p->what = r->what;
	p->keeps_names = r->first;
	p->keeps_shapes = r->what == TFR_COCO_OBJECTS && r->coco->t->opts->input.draw_masks;
	/* Those of a block are kept: they must have no room that they do not need. */
	TFR_NEED_MEMORY(tfr_buf_reserve(&b->annotations,
				(size_t)(end - e) * sizeof(struct tfr_coco_annotation)),
		err, reading_it);
	for (; e < end; e++) {
		bool annotation = e->list == TFR_COCO_ANNOTATIONS;

		TFR_TRY(tfr_coco_parse(p, b->text.data, e, b->offset, err));
		if (annotation ? !tfr_buf_append(
					 &b->annotations, &p->annotation, sizeof(p->annotation))
			       : !tfr_buf_append(&b->others, &p->element, sizeof(p->element)))
			return tfr_fail_nomem(err, reading_it);
	}
	return TFR_OK;
}

/* --- adding blocks --- */

static enum tfr_status add_image(
	struct reading *r, const struct tfr_coco_parsed *e, uint32_t texts, struct tfr_error *err)
{
	struct tfr_table *t = r->coco->t;
	struct tfr_image_row row = e->image;

	if (TFR_ARRAY_RESERVE(r->images, r->images_cap, r->n_images + 1))
		return tfr_fail_nomem(err, reading_it);
	r->images[r->n_images] = (struct tfr_coco_image){ e->key, (uint32_t)r->n_images };
	r->n_images++;
	if (!r->first)
		return TFR_OK;
	row.name += texts;
	row.source += texts;
	return tfr_table_add_image(t, &row, err);
}

static enum tfr_status add_category(
	struct reading *r, const struct tfr_coco_parsed *e, uint32_t texts, struct tfr_error *err)
{
	struct tfr_coco_category *c;

	if (TFR_ARRAY_RESERVE(r->categories, r->categories_cap, r->n_categories + 1))
		return tfr_fail_nomem(err, reading_it);
	c = &r->categories[r->n_categories++];
	*c = e->category;
	c->key = e->key;
	c->name += texts;
	c->points += texts;
	return TFR_OK;
}

/* Takes the keypoints or the segments of a block. */
static enum tfr_status add_points(
	struct reading *r, const struct tfr_buf *points, struct tfr_error *err)
{
	const struct tfr_keypoint *p = (const void *)points->data;

	if (r->what != TFR_COCO_OBJECTS)
		return tfr_buf_append(&r->coco->segments, points->data, points->size)
			       ? TFR_OK
			       : tfr_fail_nomem(err, reading_it);
	for (size_t i = 0; i < points->size / sizeof(*p); i++)
		TFR_TRY(tfr_table_add_keypoint(r->coco->t, &p[i], err));
	return TFR_OK;
}

/* Takes a block's shapes, in memory of exactly their size.  NULL: out of memory. */
static const uint8_t *keep_shapes(struct tfr_coco *c, struct tfr_buf *shapes)
{
	uint8_t *fitting = realloc(shapes->data, shapes->size);

	shapes->data = fitting ? fitting : shapes->data;
	if (!tfr_buf_append(&c->shapes, &shapes->data, sizeof(shapes->data)))
		return NULL;
	fitting = shapes->data;
	*shapes = (struct tfr_buf){ 0 };
	return fitting;
}

/* Takes the annotations of a block. */
static enum tfr_status add_annotations(struct reading *r, struct tfr_buf *list, uint32_t texts,
	uint32_t points, const uint8_t *shapes, struct tfr_error *err)
{
	struct tfr_coco_annotation *a = (void *)list->data, *end = a + list->size / sizeof(*a);

	if (a == end)
		return TFR_OK;
	if (TFR_ARRAY_RESERVE(r->blocks, r->blocks_cap, r->n_blocks + 1))
		return tfr_fail_nomem(err, reading_it);
	r->n_annotations += (size_t)(end - a);
	for (; a < end; a++) {
		if (a->more.shape_size)
			a->more.shape = shapes + a->offset;
		a->more.first += points;
		a->offset += texts;
	}
	r->blocks[r->n_blocks++] = *list;
	*list = (struct tfr_buf){ 0 };
	return TFR_OK;
}

static enum tfr_status add_block(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	struct tfr_coco_parser *p = &b->parser;
	const struct tfr_coco_parsed *e = (const void *)b->others.data;
	const struct tfr_coco_parsed *end = e + b->others.size / sizeof(*e);
	const uint32_t points = r->what == TFR_COCO_OBJECTS
					? (uint32_t)r->coco->t->n_keypoints
					: r->coco->segments.size / sizeof(struct tfr_coco_segment);
	const uint8_t *shapes = NULL;
	uint32_t texts = 0;

	(void)i;
	if (p->texts.size) /* the table adds the last NUL */
		TFR_TRY(tfr_table_text(
			r->coco->t, (const char *)p->texts.data, p->texts.size - 1, &texts, err));
	TFR_TRY(add_points(r, &p->points, err));
	if (p->shapes.size)
		TFR_NEED_MEMORY(shapes = keep_shapes(r->coco, &p->shapes), err, reading_it);
	for (; e < end; e++)
		TFR_TRY(e->list == TFR_COCO_IMAGES ? add_image(r, e, texts, err)
						   : add_category(r, e, texts, err));
	return add_annotations(r, &b->annotations, texts, points, shapes, err);
}

static void clear_block(void *slot)
{
	struct block *b = slot;

	tfr_buf_clear(&b->text);
	tfr_buf_clear(&b->elements);
	tfr_buf_clear(&b->annotations);
	tfr_buf_clear(&b->others);
	tfr_coco_parser_clear(&b->parser);
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

	return (x->id > y->id) - (x->id < y->id);
}

static int by_id_and_place(const void *a, const void *b)
{
	const struct tfr_coco_id *x = a, *y = b;
	int order = by_id(a, b);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Sorts images or categories, which begin with their ids.  TFR_EDATA: two have the same. */
static enum tfr_status sort_by_id(const struct reading *r, void *list, size_t n, size_t size,
	const char *what, struct tfr_error *err)
{
	if (n)
		qsort(list, n, size, by_id_and_place);
	for (size_t i = 1; i < n; i++) {
		const struct tfr_coco_id *b = (const void *)((const char *)list + i * size);
		const struct tfr_coco_id *a = (const void *)((const char *)b - size);

		if (a->id == b->id)
			return tfr_fail_path(err, TFR_EDATA, r->path,
				"two %s with the id %lld, at bytes %llu and %llu of", what,
				(long long)a->id, (unsigned long long)a->at,
				(unsigned long long)b->at);
	}
	return TFR_OK;
}

const void *tfr_coco_find(const void *list, size_t n, size_t size, int64_t id)
{
	const struct tfr_coco_id key = { .id = id };

	return n ? bsearch(&key, list, n, size, by_id) : NULL;
}

/* Categories are classes of the table; all parts must use the same numbers for them. */
static enum tfr_status add_class(
	struct reading *r, struct tfr_coco_category *c, struct tfr_error *err)
{
	struct tfr_table *t = r->coco->t;
	const size_t before = t->n_classes;
	struct tfr_table_class *found;

	TFR_TRY(tfr_table_label(t, c->key.id, NULL, 0, &c->class, err));
	found = &t->classes[c->class];
	if (t->n_classes > before)
		found->name = c->name;
	if (!found->n_points) {
		found->points = c->points;
		found->n_points = c->n_points;
	}
	t->has_keypoints |= c->n_points > 0;
	if (strcmp(tfr_table_string(t, found->name), tfr_table_string(t, c->name)))
		return tfr_fail(err, TFR_EDATA,
			"the category %lld is '%.60s' in '%s' and '%.60s' in '%s'",
			(long long)c->key.id, tfr_table_string(t, found->name),
			r->coco->part->first_part->prefix, tfr_table_string(t, c->name),
			r->coco->part->prefix);
	return TFR_OK;
}

/* An image with such an annotation cannot become a record: without it, it would be annotated
 * otherwise. */
static enum tfr_status refuse_image(struct reading *r, uint32_t image,
	const struct tfr_coco_annotation *a, const struct tfr_table_class *class,
	struct tfr_error *err)
{
	struct tfr_image_row *row = &r->coco->t->images[image];
	char reason[200];

	if (row->fault)
		return TFR_OK;
	if (!class)
		snprintf(reason, sizeof(reason),
			"an annotation of category %lld, which is not in 'categories', at byte "
			"%llu",
			(long long)a->category, (unsigned long long)a->more.at);
	else
		snprintf(reason, sizeof(reason),
			"an annotation with %u keypoints, of which its category names %u, at byte "
			"%llu",
			a->more.n, class->n_points, (unsigned long long)a->more.at);
	return tfr_table_fault(r->coco->t, row, TFR_EDATA, reason, err);
}

struct tally {
	size_t strays, boxless, unusable, same_ids, shapeless;
	struct tfr_coco_id first_stray; /* its image */
};

static enum tfr_status add_box(struct reading *r, struct tfr_coco_annotation *a, uint32_t image,
	struct tally *y, struct tfr_error *err)
{
	struct tfr_table *t = r->coco->t;
	const struct tfr_image_row *row = &t->images[image];
	const struct tfr_coco_category *c =
		tfr_coco_find(r->categories, r->n_categories, sizeof(*c), a->category);
	const struct tfr_table_class *class = c ? &t->classes[c->class] : NULL;
	const struct tfr_box box = { .image = image, .class = c ? c->class : 0, .crowd = a->crowd };

	if (!c || (a->more.n && a->more.n != class->n_points))
		TFR_TRY(refuse_image(r, image, a, class, err));
	y->boxless += a->boxless;
	if (a->boxless)
		return TFR_OK;
	if ((row->width || row->height) &&
		!tfr_box_is_usable(t, a->side, row->width, row->height)) {
		y->unusable++;
		return TFR_OK;
	}
	y->shapeless += !a->more.shape_size;
	return tfr_table_add_box(t, &box, a->side, &a->more, err);
}

/* An image has only one image of segments. */
static enum tfr_status add_panoptic(struct reading *r, const struct tfr_coco_annotation *a,
	uint32_t place, struct tfr_error *err)
{
	struct tfr_coco_panoptic *to = &r->coco->panoptic[place];

	if (to->name)
		return tfr_fail_path(err, TFR_EDATA, r->path,
			"two annotations of image %lld, at bytes %llu and %llu of",
			(long long)a->image, (unsigned long long)to->at,
			(unsigned long long)a->more.at);
	*to = (struct tfr_coco_panoptic){ a->offset, a->more.first, a->more.n, a->more.at };
	return TFR_OK;
}

static enum tfr_status add_annotation(
	struct reading *r, struct tfr_coco_annotation *a, struct tally *y, struct tfr_error *err)
{
	const struct tfr_coco *c = r->coco;
	const struct tfr_coco_image *image =
		tfr_coco_find(r->images, r->n_images, sizeof(*image), a->image);
	uint32_t number;

	if (!image && !y->strays++)
		y->first_stray = (struct tfr_coco_id){ a->image, a->more.at };
	if (image && !r->first)
		image = tfr_coco_find(c->images, c->n_images, sizeof(*image), a->image);
	if (!image)
		return TFR_OK;
	number = c->part->first + image->place;
	if (r->what == TFR_COCO_OBJECTS)
		return add_box(r, a, number, y, err);
	if (r->what == TFR_COCO_CAPTIONS)
		return tfr_table_add_caption(c->t, number, a->offset, err);
	return add_panoptic(r, a, image->place, err);
}

/* Counts annotations with the id of another one. */
static enum tfr_status count_same_ids(const struct reading *r, size_t *same, struct tfr_error *err)
{
	TFR_AUTO_FREE uint64_t *ids = malloc((r->n_annotations + 1) * sizeof(*ids));
	size_t n = 0;

	TFR_NEED_MEMORY(ids, err, reading_it);
	for (size_t b = 0; b < r->n_blocks; b++) {
		const struct tfr_coco_annotation *a = (const void *)r->blocks[b].data;

		for (size_t k = 0; k < r->blocks[b].size / sizeof(*a); k++)
			if (a[k].id != INT64_MIN)
				ids[n++] = (uint64_t)a[k].id;
	}
	tfr_sort_u64(ids, n);
	for (size_t k = 1; k < n; k++)
		*same += ids[k] == ids[k - 1];
	return TFR_OK;
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
			y->strays, y->strays == 1 ? "" : "s", r->path, (long long)y->first_stray.id,
			(unsigned long long)y->first_stray.at);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].n)
			tfr_warn(o, "%zu annotation%s of '%s' %s", rows[i].n,
				rows[i].n == 1 ? "" : "s", r->path, rows[i].what);
}

static enum tfr_status join_elements(struct reading *r, struct tfr_error *err)
{
	struct tfr_coco *c = r->coco;
	const bool objects = r->what == TFR_COCO_OBJECTS;
	struct tally y = { 0 };

	TFR_TRY(sort_by_id(r, r->images, r->n_images, sizeof(*r->images), "images", err));
	TFR_TRY(sort_by_id(
		r, r->categories, r->n_categories, sizeof(*r->categories), "categories", err));
	for (size_t i = 0; i < r->n_categories && objects; i++)
		TFR_TRY(add_class(r, &r->categories[i], err));
	TFR_TRY(count_same_ids(r, &y.same_ids, err));
	if (r->first) {
		c->n_images = r->n_images;
		c->images = r->images;
	}
	if (r->what == TFR_COCO_PANOPTIC) {
		c->panoptic = calloc(c->n_images + 1, sizeof(*c->panoptic));
		TFR_NEED_MEMORY(c->panoptic, err, reading_it);
		c->n_categories = r->n_categories;
		c->categories = TFR_STEAL(r->categories);
	}
	for (size_t b = 0; b < r->n_blocks; b++) {
		struct tfr_coco_annotation *a = (void *)r->blocks[b].data;

		for (size_t k = 0; k < r->blocks[b].size / sizeof(*a); k++)
			TFR_TRY(add_annotation(r, &a[k], &y, err));
		tfr_buf_clear(&r->blocks[b]);
	}
	c->t->areas |= objects;
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
		.scan = { .path = path, .no_categories = what == TFR_COCO_CAPTIONS } };
	enum tfr_status status = read_blocks(&r, err);

	c->begun = true;
	if (!status)
		status = join_elements(&r, err);
	tfr_source_close(source);
	tfr_buf_clear(&r.open);
	if (c->images != r.images)
		free(r.images);
	free(r.categories);
	for (size_t i = 0; i < r.n_blocks; i++)
		tfr_buf_clear(&r.blocks[i]);
	free(r.blocks);
	return status;
}

void tfr_coco_clear(struct tfr_coco *c)
{
	uint8_t **shapes = (uint8_t **)(void *)c->shapes.data;

	for (size_t i = 0; i < c->shapes.size / sizeof(*shapes); i++)
		free(shapes[i]);
	tfr_buf_clear(&c->shapes);
	tfr_buf_clear(&c->segments);
	free(c->images);
	free(c->panoptic);
	free(c->categories);
	tfr_root_close(c->folder);
}
