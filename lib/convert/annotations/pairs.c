/* convert/annotations/pairs.c - a folder of images and a folder of masks: each pair becomes a
 * record, with DeepLab's features (tensorflow/models, research/deeplab/datasets/build_data.py).
 *
 * Every file of either folder is an item, even without a partner, so that warnings name it.  The
 * images come first, in their order: an additional mask moves no record to another shard.
 *
 * The names without their extensions, the stems, of both folders are sorted in one list of
 * pointers, so that equal ones are adjacent, while the files keep their order.  A stem that occurs
 * once in each folder is decided by names alone.  Only if several files share a stem are their
 * first bytes read, so that "a.jpg" beside "a.txt" stays a pair. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "convert/annotations/kinds.h"
#include "convert/folder/mask.h"

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

/* A file of either folder. */
struct stem {
	size_t text;	 /* offset in the texts */
	const char *why; /* why it is not a pair; NULL: it is */
	uint32_t item;	 /* in the scan of its folder */
	uint32_t mask;	 /* of an image: its partner, or TFR_NO_FILE; of a mask: its item */
	uint8_t side;
};

struct match {
	const struct tfr_scan *scans[SIDES];
	struct tfr_buf texts, path;
	struct stem *all; /* the images, then the masks */
	size_t n;
	struct stem **sorted;
};

static int by_text(const void *a, const void *b, void *texts)
{
	const struct stem *x = *(struct stem *const *)a, *y = *(struct stem *const *)b;
	int order = strcmp((const char *)texts + x->text, (const char *)texts + y->text);

	return order ? order : (x > y) - (x < y);
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

	for (uint32_t i = 0; i < scan->n_items; i++) {
		const char *path;

		m->all[m->n] = (struct stem){ .text = m->texts.size,
			.item = i,
			.mask = side == MASKS ? i : TFR_NO_FILE,
			.side = side };
		m->sorted[m->n] = &m->all[m->n];
		m->n++;
		TFR_NEED_MEMORY(
			tfr_scan_path(scan, &scan->items[i], &m->path), err, "pairing files");
		path = (const char *)m->path.data;
		if (!tfr_buf_append(&m->texts, path, stem_size(path)) ||
			!tfr_buf_append(&m->texts, "", 1))
			return tfr_fail_nomem(err, "pairing files");
	}
	return TFR_OK;
}

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

/* Pairs the files of one stem: of several in a folder only those count that begin like images. */
static enum tfr_status decide(struct match *m, struct stem **list, size_t n, struct tfr_error *err)
{
	size_t count[SIDES] = { 0 }, left[SIDES] = { 0 };
	struct stem *last[SIDES] = { NULL };
	const char *why;

	for (size_t i = 0; i < n; i++)
		count[list[i]->side]++;
	for (size_t i = 0; i < n; i++) {
		const uint8_t side = list[i]->side;
		bool image = true;

		if (count[side] > 1)
			TFR_TRY(begins_as_image(m, list[i], &image, err));
		if (image)
			last[side] = list[i];
		else
			list[i]->why = "not an image";
		left[side] += image;
	}
	if (left[IMAGES] == 1 && left[MASKS] == 1) {
		last[IMAGES]->mask = last[MASKS]->item;
		return TFR_OK;
	}
	why = left[IMAGES] > 1	? "several images have its name"
	      : left[MASKS] > 1 ? "several masks have its name"
	      : left[IMAGES]	? "no mask has its name"
				: "no image has its name";
	for (size_t i = 0; i < n; i++)
		list[i]->why = list[i]->why ?: why;
	return TFR_OK;
}

static enum tfr_status match_all(struct match *m, struct tfr_error *err)
{
	const char *texts = (const char *)m->texts.data;

	for (size_t first = 0, end; first < m->n; first = end) {
		const char *text = texts + m->sorted[first]->text;

		for (end = first; end < m->n && !strcmp(texts + m->sorted[end]->text, text);)
			end++;
		TFR_TRY(decide(m, m->sorted + first, end - first, err));
	}
	return TFR_OK;
}

/* Adds a row per image, then one per mask without an image. */
static enum tfr_status add_rows(struct match *m, struct tfr_table *t, struct tfr_error *err)
{
	for (const struct stem *s = m->all; s < m->all + m->n; s++) {
		struct tfr_image_row row = {
			.file = s->item, .mask = s->mask, .aside = s->side == MASKS
		};

		if (row.aside && !s->why)
			continue;
		if (s->why && !m->scans[s->side]->items[s->item].fault)
			TFR_TRY(tfr_table_fault(t, &row, TFR_EDATA, s->why, err));
		TFR_TRY(tfr_table_add_image(t, &row, err));
	}
	return TFR_OK;
}

/* Pairs files whose paths below their folders are equal except for the extension.  If a folder
 * has several with one stem and exactly one of them begins like an image, that one is used (a
 * label file can be beside it); otherwise none with that stem is paired. */
static enum tfr_status read_pairs(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	struct match m = { .scans = { part->at->images.scan, part->at->annotations.scan } };
	enum tfr_status status = TFR_OK;
	struct tfr_root *root;
	size_t n;

	if (part->at->path) { /* it is no folder, and opening it tells why */
		status = tfr_root_open(&root, part->at->path, err);
		tfr_root_close(root);
		return status ?: TFR_EUSAGE;
	}
	n = m.scans[IMAGES]->n_items + m.scans[MASKS]->n_items;
	m.all = calloc(n + 1, sizeof(*m.all));
	m.sorted = calloc(n + 1, sizeof(*m.sorted));
	if (!m.all || !m.sorted)
		status = tfr_fail_nomem(err, "pairing files");
	for (uint8_t side = 0; !status && side < SIDES; side++)
		status = add_side(&m, side, err);
	if (!status)
		qsort_r(m.sorted, n, sizeof(*m.sorted), by_text, m.texts.data);
	if (!status)
		status = match_all(&m, err);
	if (!status)
		status = add_rows(&m, t, err);
	free(m.all);
	free(m.sorted);
	tfr_buf_clear(&m.texts);
	tfr_buf_clear(&m.path);
	return status;
}

static enum tfr_status check(const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	if (!opts->input.masks)
		return tfr_fail(err, TFR_EUSAGE, "pairs need --mask, the folder of masks");
	return TFR_OK;
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
