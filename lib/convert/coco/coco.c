/* convert/coco/coco.c - COCO's annotations with a folder of images.
 *
 *   train/_annotations.coco.json            Roboflow, beside the images, in each split
 *   annotations/instances_NAME.json NAME/   COCO, CVAT; the images may be in images/NAME
 *   NAME.json NAME/                         labelme2coco and scripts like it
 *   labels.json images/                     MediaPipe; in each split
 *
 * In place of instances_NAME.json there can be person_keypoints_NAME, stuff_NAME or captions_NAME.
 * Except for Roboflow's, a name alone is not enough: the file must begin like an object with COCO's
 * members.  Each image in the file is an item, in its order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/coco/coco_read.h"
#include "convert/coco/coco_shape.h"
#include "convert/folder/mask.h"
#include "convert/image_features.h"

enum { HEAD = 64 << 10 };

/* tfr_part.form: what the file of a part has. */
enum { OBJECTS, CAPTIONS };

/* --- layouts --- */

/* Whether a file begins like an object with images, annotations or categories. */
static bool is_coco(const struct tfr_scan *s, uint32_t file, struct tfr_error *err)
{
	static const char *const members[] = { "\"images\"", "\"annotations\"", "\"categories\"" };
	TFR_AUTO_FREE char *head = malloc(HEAD);
	size_t n = 0, at = 0;

	if (head)
		n = tfr_scan_head(s, file, head, HEAD, err);
	else
		tfr_fail_nomem(err, "looking for annotations");
	while (at < n && head[at] && strchr(" \t\r\n", head[at]))
		at++;
	if (at == n || head[at] != '{')
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (memmem(head, n, members[i], strlen(members[i])))
			return true;
	return false;
}

static void find_beside(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t file = tfr_scan_file(p->scan, dir, "_annotations.coco.json");

	if (file != TFR_NO_FILE)
		tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
}

static void find_mediapipe(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t file = tfr_scan_file(p->scan, dir, "labels.json");
	uint32_t images = tfr_scan_child(p->scan, dir, "images");

	if (file != TFR_NO_FILE && images != TFR_NO_FOLDER && is_coco(p->scan, file, p->err))
		tfr_parts_add(p, split, tfr_place_in(p, images), tfr_place_in(p, dir), file);
}

/* The folder of the images for `name`. */
static uint32_t images_of(const struct tfr_scan *s, uint32_t dir, const char *name)
{
	uint32_t images = tfr_scan_child(s, dir, "images"), found = tfr_scan_child(s, dir, name);

	if (found == TFR_NO_FOLDER && images != TFR_NO_FOLDER)
		found = tfr_scan_child_exactly(s, images, name);
	return found == TFR_NO_FOLDER && !strcmp(name, "default") ? images : found;
}

/* Finds the files NAME.json, or of that name after `begins`, in `from` that have images in NAME. */
static void find_named(
	struct tfr_parts *p, uint32_t dir, uint32_t from, const char *begins, int form)
{
	uint32_t at = 0, file;

	for (int i = 0; i < TFR_EXAMINED; i++) {
		const char *name, *split;
		char shortened[256];
		uint32_t images;

		file = tfr_scan_next(p->scan, from, TFR_FILE_TABLE, &at);
		if (file == TFR_NO_FILE)
			break;
		name = tfr_scan_name(p->scan, p->scan->items[file].name);
		if (strncmp(name, begins, strlen(begins)) || !tfr_has_extension(name, "json"))
			continue;
		name += strlen(begins);
		snprintf(shortened, sizeof(shortened), "%.*s",
			(int)(strlen(name) - strlen(".json")), name);
		images = images_of(p->scan, dir, shortened);
		if (images == TFR_NO_FOLDER || !is_coco(p->scan, file, p->err))
			continue;
		split = tfr_parts_keep(p, shortened);
		if (!split)
			return;
		tfr_parts_add(p, split, tfr_place_in(p, images), tfr_place_in(p, from), file);
		if (p->n)
			p->list[p->n - 1].form = form;
	}
}

static int by_split(const void *a, const void *b)
{
	return strcmp(((const struct tfr_part *)a)->split, ((const struct tfr_part *)b)->split);
}

static void find(struct tfr_parts *p, uint32_t base)
{
	static const struct {
		const char *begins;
		int form;
	} names[] = { { "instances_", OBJECTS }, { "", OBJECTS }, { "person_keypoints_", OBJECTS },
		{ "stuff_", OBJECTS }, { "captions_", CAPTIONS } };
	const uint32_t from[] = { tfr_scan_child(p->scan, base, "annotations"), base };

	tfr_parts_find(p, base, find_beside);
	if (!p->n)
		tfr_parts_find(p, base, find_mediapipe);
	if (p->n)
		return;
	for (size_t k = 0; k < 2 && !p->n; k++)
		for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !p->n; i++)
			if (from[k] != TFR_NO_FOLDER)
				find_named(p, base, from[k], names[i].begins, names[i].form);
	if (p->n) {
		tfr_parts_leave(p, base);
		qsort(p->list, p->n, sizeof(*p->list), by_split);
	}
}

/* --- panoptic --- */

struct painting {
	const struct tfr_coco *c;
	const struct tfr_coco_segment *segments;
	uint32_t n;
	struct tfr_item *item;
	const char *name; /* of the image of segments */
};

static void skip(const struct painting *p, const char *reason)
{
	tfr_item_skip(p->item, TFR_EDATA, "its segments '%s': %s", p->name, reason);
}

/* Sets the values for the pixels of a segment, which is found by its id, R + 256 G + 65536 B
 * (https://cocodataset.org/#format-data).  Of equal ids the last one counts, because the script
 * paints one over the other.  False: a number is above 255, and the item is skipped. */
static bool numbers_of(
	const struct painting *p, int64_t id, uint8_t *of_category, uint8_t *of_thing)
{
	const struct tfr_coco_category *k;
	uint32_t n = p->n;
	int64_t category;
	char reason[128];

	*of_category = *of_thing = 0;
	while (n && p->segments[n - 1].id != id)
		n--;
	if (!n)
		return true;
	category = p->segments[n - 1].category;
	k = tfr_coco_find(p->c->categories, p->c->n_categories, sizeof(*k), category);
	if (k && category >= 0 && category <= 255 && (!k->thing || n <= 255)) {
		*of_category = (uint8_t)category;
		*of_thing = k->thing ? (uint8_t)n : 0;
		return true;
	}
	if (k && category >= 0 && category <= 255)
		snprintf(
			reason, sizeof(reason), "more than 255 segments, which 8 bits cannot hold");
	else
		snprintf(reason, sizeof(reason),
			k ? "the category %lld, which 8 bits cannot hold"
			  : "a segment of category %lld, which is not listed",
			(long long)category);
	skip(p, reason);
	return false;
}

/* Paints both masks; adjacent pixels mostly have the same segment. */
static void paint(
	const struct painting *p, const struct tfr_image *ids, uint8_t *categories, uint8_t *things)
{
	uint8_t category = 0, thing = 0;
	int64_t last = -1;

	for (uint32_t y = 0; y < ids->height; y++) {
		const uint8_t *row = ids->data + (size_t)y * ids->stride;

		for (uint32_t x = 0; x < ids->width; x++, row += 3) {
			int64_t id = row[0] | row[1] << 8 | row[2] << 16;

			if (id != last) {
				if (!numbers_of(p, id, &category, &thing))
					return;
				last = id;
			}
			*categories++ = category;
			*things++ = thing;
		}
	}
}

/* Decodes the image of segments, in the decoder's memory. */
static enum tfr_status decode(const struct painting *p, const struct tfr_buf *file, uint32_t width,
	uint32_t height, struct tfr_workbench *bench, struct tfr_image *ids, struct tfr_error *err)
{
	struct tfr_decoder *decoder = tfr_workbench_decoder(bench);
	struct tfr_image_info info;
	struct tfr_error why = { 0 };

	TFR_NEED_MEMORY(decoder, err, "decoding masks");
	if (tfr_image_probe(file->data, file->size, &info, &why))
		skip(p, why.message);
	else if (info.format != TFR_IMAGE_PNG || info.components != 3 || info.bit_depth != 8)
		skip(p, "not a PNG of 3 channels of 8 bits");
	else if (info.width != width || info.height != height)
		skip(p, "not of the size of its image");
	else if (tfr_decode(decoder, file->data, file->size, NULL, 3, ids, &why))
		skip(p, why.message);
	return why.status == TFR_ENOMEM ? tfr_fail_nomem(err, "decoding masks") : TFR_OK;
}

/* Adds two masks by tfr_mask_add(), those of image/panoptic/{category_mask, instance_mask}
 * (tensorflow/models, official/vision/data/create_coco_tf_record.py).  They have each pixel's
 * category, and the position of its segment in the list, from 1, if the category is of things;
 * otherwise 0.  A fault skips the item. */
static enum tfr_status add_panoptic(const struct tfr_table *t, struct tfr_open_part *part,
	uint32_t image, struct tfr_item *item, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_coco *c = part->own;
	const struct tfr_coco_panoptic *of = c->panoptic ? &c->panoptic[image - part->first] : NULL;
	const uint32_t width = item->came.width, height = item->came.height;
	size_t pixels = (size_t)width * height, before = item->more.size;
	struct tfr_buf *file = &bench->encoded;
	struct tfr_image ids = { 0 };
	struct painting p = { .c = c, .item = item };

	if (!of || !of->name)
		return TFR_OK;
	p.segments = (const struct tfr_coco_segment *)(const void *)c->segments.data + of->first;
	p.n = of->n;
	p.name = tfr_table_string(t, of->name);
	if (!tfr_path_is_below(p.name)) {
		skip(&p, "a name that leads out of the folder");
		return TFR_OK;
	}
	TFR_TRY(tfr_item_read_other(item, file, c->folder, p.name, room, err));
	if (item->skipped)
		tfr_item_blame(item, "its segments", p.name);
	else
		TFR_TRY(decode(&p, file, width, height, bench, &ids, err));
	if (item->skipped)
		return TFR_OK;
	bench->pixels.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&bench->pixels, 2 * pixels), err, "drawing masks");
	paint(&p, &ids, bench->pixels.data, bench->pixels.data + pixels);
	for (size_t k = 0; k < 2 && !item->skipped; k++) {
		struct tfr_image mask = { bench->pixels.data + k * pixels, width, width, height,
			1 };

		TFR_TRY(tfr_mask_add(item, &mask, bench, err));
	}
	tfr_room_reserve(room, item->more.size - before);
	return TFR_OK;
}

/* The image of segments counts in the mark alone: the record has masks in its place. */
static void measure(const struct tfr_table *t, const struct tfr_open_part *part, uint32_t image,
	struct tfr_measure *m)
{
	const struct tfr_coco *c = part->own;
	const struct tfr_coco_panoptic *of = c->panoptic ? &c->panoptic[image - part->first] : NULL;
	const uint64_t bytes = m->bytes;

	if (of && of->name)
		tfr_measure_add(c->folder, tfr_table_string(t, of->name), m);
	m->bytes = bytes;
}

/* --- the files --- */

/* The folder with the images of segments: "panoptic_val2017" beside "panoptic_val2017.json", as
 * in COCO. */
static enum tfr_status open_segments(struct tfr_coco *c, struct tfr_error *err)
{
	const struct tfr_convert_input *o = &c->t->opts->input;
	size_t n = strlen(o->panoptic);
	TFR_AUTO_FREE char *path = NULL;
	enum tfr_status status;

	if (o->segments)
		path = strdup(o->segments);
	else
		path = strndup(
			o->panoptic, n > 5 && !strcmp(o->panoptic + n - 5, ".json") ? n - 5 : n);
	TFR_NEED_MEMORY(path, err, "reading annotations");
	status = tfr_root_open(&c->folder, path, err);
	if (status && !o->segments)
		tfr_error_hint(err, "Name the folder with --panoptic-masks.");
	return status;
}

/* Reads a file that an option names. */
static enum tfr_status read_named(
	struct tfr_coco *c, const char *path, enum tfr_coco_what what, struct tfr_error *err)
{
	struct tfr_source *source;

	if (!path)
		return TFR_OK;
	TFR_TRY(tfr_source_open(&source, path, err));
	return tfr_coco_read(c, source, path, what, err);
}

/* Reads the file of a part; a member of an archive is in memory meanwhile. */
static enum tfr_status read_found(struct tfr_coco *c, struct tfr_error *err)
{
	const struct tfr_part *at = c->part->at;
	const enum tfr_coco_what what = at->form == CAPTIONS ? TFR_COCO_CAPTIONS : TFR_COCO_OBJECTS;
	TFR_AUTO_BUF text = { 0 };
	struct tfr_source *source;

	if (!at->annotations.scan->places)
		return read_named(c, c->part->aside, what, err);
	TFR_TRY(tfr_part_read_file(c->part, &text, err));
	TFR_TRY(tfr_source_open_memory(&source, text.data, text.size, c->part->aside, err));
	return tfr_coco_read(c, source, c->part->aside, what, err);
}

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	const struct tfr_convert_input *o = &t->opts->input;
	struct tfr_coco *c = part->own = calloc(1, sizeof(*c));

	TFR_NEED_MEMORY(c, err, "reading annotations");
	c->t = t;
	c->part = part;
	if (part->at->file != TFR_NO_FILE)
		return read_found(c, err);
	TFR_TRY(read_named(c, o->annotations, TFR_COCO_OBJECTS, err));
	TFR_TRY(read_named(c, o->captions, TFR_COCO_CAPTIONS, err));
	TFR_TRY(read_named(c, o->panoptic, TFR_COCO_PANOPTIC, err));
	return o->panoptic ? open_segments(c, err) : TFR_OK;
}

static void close_part(struct tfr_open_part *part)
{
	if (part->own)
		tfr_coco_clear(part->own);
	free(part->own);
}

const struct tfr_set_kind tfr_set_coco = {
	.ops = {
		.name = "coco",
		.what = "images with COCO annotations",
		.nothing = "no image that the annotations name in",
		.refused = "not a usable image",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_SPLITS | TFR_INPUT_SHAPES |
			 TFR_INPUT_ANNOTATIONS,
		.tree = "",
	},
	.none = "no COCO annotations in",
	.sizes = "in the annotations",
	.unmatched = "the annotations do not list them",
	.find = find,
	.read = read_part,
	.add = add_panoptic,
	.measure = measure,
	.close = close_part,
};
