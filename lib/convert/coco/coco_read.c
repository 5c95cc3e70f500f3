/* convert/coco/coco_read.c - reads a COCO file in blocks.
 *
 * Each block begins with the unfinished end of the previous one.  Many threads parse the
 * elements that end in their blocks, and the results are joined in order.  Only texts that are
 * kept grow with the file: the memory of blocks is reused. */
#include "convert/coco/coco_read.h"

#include <assert.h>
#include <string.h>

#include "convert/coco/coco_join.h"
#include "io/source.h"
#include "thread/lanes.h"
#include "thread/threads.h"

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
	enum tfr_status late;
};

struct block {
	struct tfr_buf text, elements;
	uint64_t offset;
	struct tfr_coco_parser parser;
	struct tfr_coco_parsed parsed;
};

/* --- reading --- */

static enum tfr_status read_more(struct reading *r, struct tfr_buf *text, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got;

	if (text->size > LARGEST)
		return tfr_fail_path(err, TFR_EDATA, r->path,
			"an element of over 1 GiB at byte %llu of",
			(unsigned long long)(r->scan.offset + r->scan.from));
	if (!tfr_buf_reserve(text, BLOCK))
		return tfr_fail_nomem(err, "reading annotations");
	status = tfr_source_read(r->source, text->data + text->size, BLOCK, &got, err);
	text->size += got;
	r->ended = got < BLOCK;
	return status;
}

/* Reads until an element ends. */
static enum tfr_status pull(void *ctx, struct tfr_lanes_run *run, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	enum tfr_status status = TFR_OK;
	size_t needed;

	(void)run, (void)worker, (void)i, (void)lane;
	if (r->ended)
		return TFR_END;
	b->text.size = b->elements.size = 0;
	b->offset = r->scan.offset;
	if (!tfr_buf_append(&b->text, r->open.data, r->open.size))
		return tfr_fail_nomem(err, "reading annotations");
	do {
		status = read_more(r, &b->text, err);
		if (!status)
			status = tfr_coco_scan(
				&r->scan, b->text.data, b->text.size, &b->elements, err);
	} while (!status && !r->ended && !b->elements.size);
	if (!status && r->ended)
		status = tfr_coco_scan_end(&r->scan, err);
	if (status)
		return status;
	needed = tfr_coco_scan_needed(&r->scan);
	assert(needed <= b->text.size);
	r->open.size = 0;
	if (!tfr_buf_append(&r->open, b->text.data + needed, b->text.size - needed))
		return tfr_fail_nomem(err, "reading annotations");
	tfr_coco_scan_drop(&r->scan, needed);
	return TFR_OK;
}

static enum tfr_status parse(void *ctx, struct tfr_lanes_run *run, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct reading *r = ctx;
	struct block *b = slot;
	const struct tfr_coco_element *e =
		(const struct tfr_coco_element *)(const void *)b->elements.data;
	enum tfr_status status = TFR_OK;

	(void)run, (void)worker, (void)i;
	b->parsed.images.size = b->parsed.annotations.size = b->parsed.categories.size = 0;
	b->parsed.names.size = b->parsed.shapes.size = 0;
	b->parsed.points.size = b->parsed.segments.size = 0;
	b->parser.path = r->path;
	b->parser.what = r->opts->what;
	b->parser.shapes = r->opts->shapes;
	for (size_t k = 0; !status && k < b->elements.size / sizeof(*e); k++)
		status =
			tfr_coco_parse(&b->parser, b->text.data, &e[k], b->offset, &b->parsed, err);
	return status;
}

/* --- joining --- */

/* The block's shapes stay in memory of exactly their size. */
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

static bool append(struct tfr_buf *all, const struct tfr_buf *part)
{
	return tfr_buf_append(all, part->data, part->size);
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
	if (!keep_shapes(r, b) || !append(&all->names, &part->names) ||
		!append(&all->images, &part->images) ||
		!append(&all->annotations, &part->annotations) ||
		!append(&all->categories, &part->categories) ||
		!append(&all->points, &part->points) || !append(&all->segments, &part->segments))
		return tfr_fail_nomem(err, "reading annotations");
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
	return status ? status : tfr_coco_join(c, path, opts->what, err);
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
	*c = (struct tfr_coco){ 0 };
}
