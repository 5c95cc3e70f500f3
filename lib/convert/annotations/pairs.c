/* convert/annotations/pairs.c - a folder of images and a folder of masks: each pair becomes a
 * record, with DeepLab's features (tensorflow/models, research/deeplab/datasets/build_data.py).
 *
 * Every file of either folder is an item, even without a partner, so that warnings name it.  The
 * images come first, in their order: an additional mask moves no record to another shard.
 *
 * The names without their extensions, the stems, of both folders are sorted in one list, so that
 * equal ones are adjacent.  A stem that occurs once in each folder is decided by names alone.  Only
 * if several files share a stem are their first bytes read, so that "a.jpg" beside "a.txt" stays a
 * pair. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "convert/annotations/kinds.h"
#include "convert/folder/mask.h"

enum { NO_PARTNER = UINT32_MAX };

/* The result for a file of either folder; each number is an item of that folder's scan. */
struct stem_pair {
	uint32_t image, mask; /* NO_PARTNER: none, or an ambiguous one */
	const char *why;      /* why it is not a pair; NULL: it is */
};

/* --- one pair --- */

/* Reads the mask of an item, and its path. */
static enum tfr_status read_mask(const struct tfr_scan *masks, uint32_t mask, struct tfr_item *item,
	struct tfr_buf *path, const struct tfr_room *room, struct tfr_error *err)
{
	TFR_NEED_MEMORY(tfr_scan_path(masks, &masks->items[mask], path), err, "reading masks");
	if (masks->items[mask].fault)
		tfr_item_skip_fault(item, masks->items[mask].fault);
	else
		TFR_TRY(tfr_item_read_other(
			item, &item->more, masks->root, (const char *)path->data, room, err));
	if (item->skipped)
		tfr_item_blame(item, "its mask", (const char *)path->data);
	return TFR_OK;
}

/* Converts the mask to plain gray, and checks that it has the image's size. */
static void prepare_mask(
	struct tfr_item *item, const char *path, bool verify, struct tfr_workbench *bench)
{
	const struct tfr_image_info *image = &item->came;
	struct tfr_image_info mask;
	struct tfr_error why;
	enum tfr_status status = tfr_mask_plain(&item->more, bench, verify, &mask, &why);

	if (status) {
		tfr_item_skip(item, status == TFR_ENOMEM ? TFR_ENOMEM : TFR_EDATA,
			"its mask '%s': %s", path, why.message);
	} else if (mask.width != image->width || mask.height != image->height) {
		tfr_item_skip(item, TFR_EDATA, "%u x %u, but its mask '%s' is %u x %u",
			image->width, image->height, path, mask.width, mask.height);
		item->finding = TFR_FOUND_SIZE;
	}
}

static enum tfr_status add_mask(const struct tfr_table *t, struct tfr_open_part *part,
	uint32_t image, struct tfr_item *item, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_buf *path = &bench->scratch;
	struct tfr_bytes encoded;

	TFR_TRY(read_mask(
		part->at->annotations.scan, t->images[image].mask, item, path, room, err));
	if (!item->skipped)
		prepare_mask(item, (const char *)path->data, part->opts->images.verify, bench);
	if (item->skipped)
		return TFR_OK;
	encoded = (struct tfr_bytes){ item->more.data, item->more.size };
	TFR_TRY(tfr_builder_bytes_ref(
		item->builder, "image/segmentation/class/encoded", &encoded, 1, err));
	return tfr_builder_text(item->builder, "image/segmentation/class/format", "png", err);
}

static void measure(const struct tfr_table *t, const struct tfr_open_part *part, uint32_t image,
	struct tfr_measure *m)
{
	const struct tfr_scan *masks = part->at->annotations.scan;
	TFR_AUTO_BUF path = { 0 };

	if (tfr_scan_path(masks, &masks->items[t->images[image].mask], &path))
		tfr_measure_add(masks->root, (const char *)path.data, m);
	else
		m->fault = ENOMEM;
}

/* --- pairing --- */

enum { HEAD = 64, IMAGES = 0, MASKS = 1, SIDES = 2 };

struct stem {
	size_t text; /* offset in the texts */
	uint32_t item;
	uint8_t side;
};

struct match {
	const struct tfr_scan *scans[SIDES];
	struct tfr_buf texts, path;
	struct stem *all;
	size_t n, cap;
	struct stem_pair *pairs; /* of images, by item */
	struct tfr_buf left;	 /* of masks */
};

/* --- the list --- */

static int by_text(const void *a, const void *b, void *texts)
{
	const struct stem *x = a, *y = b;
	int order = strcmp((const char *)texts + x->text, (const char *)texts + y->text);

	if (order)
		return order;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* The length of a path without its NUL and its extension.  A name cannot begin with a dot. */
static size_t stem_size(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	return dot ? (size_t)(dot - path) : strlen(path);
}

static enum tfr_status add_side(struct match *m, uint8_t side, struct tfr_error *err)
{
	const struct tfr_scan *scan = m->scans[side];

	for (size_t i = 0; i < scan->n_items; i++) {
		struct stem stem = { .text = m->texts.size, .item = (uint32_t)i, .side = side };
		const char *path;

		TFR_NEED_MEMORY(
			tfr_scan_path(scan, &scan->items[i], &m->path), err, "pairing files");
		path = (const char *)m->path.data;
		if (!tfr_buf_append(&m->texts, path, stem_size(path)) ||
			!tfr_buf_append(&m->texts, "", 1) ||
			TFR_ARRAY_RESERVE(m->all, m->cap, m->n + 1))
			return tfr_fail_nomem(err, "pairing files");
		m->all[m->n++] = stem;
	}
	return TFR_OK;
}

/* --- one stem --- */

static enum tfr_status begins_as_image(
	struct match *m, const struct stem *stem, bool *yes, struct tfr_error *err)
{
	const struct tfr_scan *scan = m->scans[stem->side];
	uint8_t head[HEAD];
	enum tfr_status status;
	size_t n;

	*yes = false;
	if (scan->items[stem->item].fault)
		return TFR_OK;
	TFR_NEED_MEMORY(
		tfr_scan_path(scan, &scan->items[stem->item], &m->path), err, "pairing files");
	status = tfr_root_head(scan->root, (const char *)m->path.data, head, sizeof(head), &n, err);
	*yes = n && tfr_image_sniff(head, n) != TFR_IMAGE_UNKNOWN;
	return status == TFR_END ? TFR_OK : status;
}

static bool append(struct match *m, struct stem_pair pair)
{
	assert(pair.image != NO_PARTNER || pair.mask != NO_PARTNER);
	if (pair.image != NO_PARTNER) {
		m->pairs[pair.image] = pair;
		return true;
	}
	return tfr_buf_append(&m->left, &pair, sizeof(pair));
}

/* Gives several files the same reason. */
static enum tfr_status refuse(
	struct match *m, const struct stem *stems, size_t n, const char *why, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		bool image = stems[i].side == IMAGES;
		struct stem_pair pair = {
			.image = image ? stems[i].item : NO_PARTNER,
			.mask = image ? NO_PARTNER : stems[i].item,
			.why = why,
		};

		TFR_NEED_MEMORY(append(m, pair), err, "pairing files");
	}
	return TFR_OK;
}

/* Moves those of several files of one folder that begin like images to the front, and returns
 * their number; the others are done. */
static enum tfr_status choose(
	struct match *m, struct stem *stems, size_t n, size_t *left, struct tfr_error *err)
{
	*left = n > 1 ? 0 : n;
	for (size_t i = 0; n > 1 && i < n; i++) {
		struct stem stem = stems[i];
		bool yes;

		TFR_TRY(begins_as_image(m, &stem, &yes, err));
		if (yes)
			stems[(*left)++] = stem;
		else
			TFR_TRY(refuse(m, &stem, 1, "not an image", err));
	}
	return TFR_OK;
}

static enum tfr_status decide(
	struct match *m, struct stem *stems, size_t n_images, size_t n_masks, struct tfr_error *err)
{
	struct stem *masks = stems + n_images;
	const char *why;
	size_t p, k;

	TFR_TRY(choose(m, stems, n_images, &p, err));
	TFR_TRY(choose(m, masks, n_masks, &k, err));
	if (p == 1 && k == 1) {
		m->pairs[stems->item] =
			(struct stem_pair){ .image = stems->item, .mask = masks->item };
		return TFR_OK;
	}
	why = p > 1   ? "several images have its name"
	      : k > 1 ? "several masks have its name"
	      : p     ? "no mask has its name"
		      : "no image has its name";
	TFR_TRY(refuse(m, stems, p, why, err));
	return refuse(m, masks, k, why, err);
}

static enum tfr_status match_all(struct match *m, struct tfr_error *err)
{
	const char *texts = (const char *)m->texts.data;
	size_t first = 0;

	while (first < m->n) {
		const char *text = texts + m->all[first].text;
		size_t count[SIDES] = { 0 }, end = first;

		for (; end < m->n && !strcmp(texts + m->all[end].text, text); end++)
			count[m->all[end].side]++;
		TFR_TRY(decide(m, m->all + first, count[IMAGES], count[MASKS], err));
		first = end;
	}
	return TFR_OK;
}

/* --- all --- */

static int by_mask(const void *a, const void *b)
{
	const struct stem_pair *x = a, *y = b;

	return x->mask < y->mask ? -1 : x->mask > y->mask;
}

static enum tfr_status add_row(struct tfr_table *t, const struct tfr_scan *scan, uint32_t file,
	const struct stem_pair *pair, bool aside, struct tfr_error *err)
{
	struct tfr_image_row row = { .file = file, .mask = pair->mask, .aside = aside };

	if (pair->why && !scan->items[file].fault)
		TFR_TRY(tfr_table_fault(t, &row, TFR_EDATA, pair->why, err));
	return tfr_table_add_image(t, &row, err);
}

/* Adds a row per image, then one per mask without an image. */
static enum tfr_status add_rows(struct match *m, struct tfr_table *t, struct tfr_error *err)
{
	size_t left = m->left.size / sizeof(struct stem_pair);
	struct stem_pair *list = (struct stem_pair *)(void *)m->left.data;

	for (uint32_t i = 0; i < m->scans[IMAGES]->n_items; i++)
		TFR_TRY(add_row(t, m->scans[IMAGES], i, &m->pairs[i], false, err));
	if (left)
		qsort(list, left, sizeof(*list), by_mask);
	for (size_t i = 0; i < left; i++)
		TFR_TRY(add_row(t, m->scans[MASKS], list[i].mask, &list[i], true, err));
	return TFR_OK;
}

/* Pairs files whose paths below their folders are equal except for the extension.  If a folder
 * has several with one stem and exactly one of them begins like an image, that one is used (a
 * label file can be beside it); otherwise none with that stem is paired. */
static enum tfr_status read_pairs(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	const struct tfr_scan *images = part->at->images.scan;
	struct match m = { .scans = { images, part->at->annotations.scan } };
	enum tfr_status status = TFR_OK;
	struct tfr_root *root;

	if (part->at->path) { /* it is no folder, and opening it tells why */
		status = tfr_root_open(&root, part->at->path, err);
		tfr_root_close(root);
		return status ?: TFR_EUSAGE;
	}
	m.pairs = calloc(images->n_items + 1, sizeof(*m.pairs));
	if (!m.pairs)
		status = tfr_fail_nomem(err, "pairing files");
	for (uint8_t side = 0; !status && side < SIDES; side++)
		status = add_side(&m, side, err);
	if (!status && m.n)
		qsort_r(m.all, m.n, sizeof(*m.all), by_text, m.texts.data);
	if (!status)
		status = match_all(&m, err);
	if (!status)
		status = add_rows(&m, t, err);
	free(m.pairs);
	tfr_buf_clear(&m.texts);
	free(m.all);
	tfr_buf_clear(&m.path);
	tfr_buf_clear(&m.left);
	return status;
}

static enum tfr_status check(const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	if (!opts->input.masks)
		return tfr_fail(err, TFR_EUSAGE, "pairs need --mask, the folder of masks");
	return opts->classes.base ? tfr_fail(err, TFR_EUSAGE,
					    "--label-base does not apply to pairs, which have no "
					    "classes")
				  : TFR_OK;
}

const struct tfr_set_kind tfr_set_pairs = {
	.ops = {
		.name = "pairs",
		.what = "pairs of images and masks",
		.nothing = "no pairs of an image and a mask in",
		.refused = "not a usable pair",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_STRAYS | TFR_INPUT_MASKS,
		.tree = "",
	},
	.by_path = true,
	.check = check,
	.read = read_pairs,
	.add = add_mask,
	.measure = measure,
};
