/* convert/folder/pairs.c - a folder of images and a folder of masks: each pair becomes a record,
 * with DeepLab's features (tensorflow/models, research/deeplab/datasets/build_data.py).
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
#include "convert/folder/mask.h"
#include "convert/folder/scan.h"
#include "convert/image_features.h"

enum { NO_PARTNER = UINT32_MAX };

/* The result for a file of either folder; each number is an item of that folder's scan. */
struct stem_pair {
	uint32_t image, mask; /* NO_PARTNER: none, or an ambiguous one */
	const char *why;      /* why it is not a pair; NULL: it is */
};

struct stem_pairs {
	/* One row per image, in their order; then the masks without one. */
	struct stem_pair *list;
	size_t n;
};

struct pairs {
	struct tfr_input in;
	struct tfr_scan images, masks;
	struct stem_pairs pairs;
	char *prefixes[2]; /* of images, of masks */
};

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)offer;
	return opts->input.masks != NULL;
}

/* --- one item --- */

/* The scan item of file `i` of one side. */
struct side {
	const struct pairs *p;
	const struct tfr_scan *scan;
	const uint32_t *order;
};

static bool path_of(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct side *s = ctx;
	const struct stem_pair *pair = &s->p->pairs.list[s->order ? s->order[i] : i];
	uint32_t item = s->scan == &s->p->masks ? pair->mask : pair->image;

	if (item == NO_PARTNER || pair->why || s->scan->items[item].fault)
		return false;
	*size = s->scan->sizes[item];
	return tfr_scan_path(s->scan, &s->scan->items[item], path);
}

static void announce(struct pairs *p, uint64_t at)
{
	struct side images = { p, &p->images, p->in.order }, masks = { p, &p->masks, p->in.order };

	tfr_fetch_ahead_of(&p->images.ahead, p->images.root, at, p->in.ahead, path_of, &images);
	tfr_fetch_ahead_of(&p->masks.ahead, p->masks.root, at, p->in.ahead, path_of, &masks);
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct pairs *p = (struct pairs *)in;
	const struct stem_pair *pair = &p->pairs.list[item->number];
	bool mask_only = pair->image == NO_PARTNER;
	const struct tfr_scan *scan = mask_only ? &p->masks : &p->images;
	const struct tfr_scan_item *found = &scan->items[mask_only ? pair->mask : pair->image];

	(void)room;
	announce(p, p->in.order ? p->in.place : item->number);
	TFR_NEED_MEMORY(tfr_scan_path(scan, found, &item->name), err, "reading images");
	item->prefix = p->prefixes[mask_only];
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	else if (pair->why)
		tfr_item_skip(item, TFR_EDATA, "%s", pair->why);
	return TFR_OK;
}

/* Reads the mask of an item whose image has been read, and its path. */
static enum tfr_status read_mask(struct pairs *p, struct tfr_item *item, struct tfr_buf *path,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_scan_item *found = &p->masks.items[p->pairs.list[item->number].mask];

	TFR_NEED_MEMORY(tfr_scan_path(&p->masks, found, path), err, "reading masks");
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	else
		TFR_TRY(tfr_item_read_other(
			item, &item->more, p->masks.root, (const char *)path->data, room, err));
	if (item->skipped)
		tfr_item_blame(item, "its mask", (const char *)path->data);
	return TFR_OK;
}

/* Converts the mask to plain gray, and checks that it has the image's size. */
static void prepare_mask(struct tfr_item *item, const char *path, bool verify,
	const struct tfr_image_info *image, struct tfr_workbench *bench)
{
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

static enum tfr_status add_mask(struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_bytes encoded = { item->more.data, item->more.size };

	TFR_TRY(tfr_builder_bytes_ref(
		item->builder, "image/segmentation/class/encoded", &encoded, 1, err));
	return tfr_builder_text(item->builder, "image/segmentation/class/format", "png", err);
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct pairs *p = (struct pairs *)in;
	struct tfr_buf *path = &bench->scratch; /* of the mask */
	struct tfr_image_info info;

	TFR_TRY(tfr_image_read(item, p->images.root, room, &info, err));
	if (!item->skipped)
		TFR_TRY(read_mask(p, item, path, room, err));
	if (!item->skipped)
		prepare_mask(item, (const char *)path->data, in->opts->images.verify, &info, bench);
	if (!item->skipped)
		TFR_TRY(tfr_image_add(in, item, bench, err));
	return item->skipped ? TFR_OK : add_mask(item, err);
}

static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure)
{
	struct pairs *p = (struct pairs *)in;
	TFR_AUTO_BUF mask = { 0 };

	*measure = (struct tfr_measure){ 0 };
	if (item->skipped)
		return;
	tfr_measure_add(p->images.root, (const char *)item->name.data, measure);
	if (tfr_scan_path(&p->masks, &p->masks.items[p->pairs.list[item->number].mask], &mask))
		tfr_measure_add(p->masks.root, (const char *)mask.data, measure);
	else
		measure->fault = ENOMEM;
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

/* One list with a row per image, then the masks without an image. */
static enum tfr_status join(struct match *m, struct stem_pairs *pairs, struct tfr_error *err)
{
	size_t n = m->scans[IMAGES]->n_items, left = m->left.size / sizeof(struct stem_pair);
	struct stem_pair *list;

	if (n + left > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u images and masks", UINT32_MAX);
	list = realloc(m->pairs, (n + left + 1) * sizeof(*list));
	TFR_NEED_MEMORY(list, err, "pairing files");
	m->pairs = NULL;
	if (left) {
		qsort(m->left.data, left, sizeof(*list), by_mask);
		memcpy(list + n, m->left.data, m->left.size);
	}
	*pairs = (struct stem_pairs){ list, n + left };
	return TFR_OK;
}

/* Pairs files whose paths below their folders are equal except for the extension.  If a folder
 * has several with one stem and exactly one of them begins like an image, that one is used (a
 * label file can be beside it); otherwise none with that stem is paired. */
static enum tfr_status match_stems(struct stem_pairs *pairs, const struct tfr_scan *images,
	const struct tfr_scan *masks, struct tfr_error *err)
{
	struct match m = { .scans = { images, masks } };
	enum tfr_status status = TFR_OK;

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
		status = join(&m, pairs, err);
	free(m.pairs);
	tfr_buf_clear(&m.texts);
	free(m.all);
	tfr_buf_clear(&m.path);
	tfr_buf_clear(&m.left);
	return status;
}

/* --- the folders --- */

static void close_pairs(struct tfr_input *in)
{
	struct pairs *p = (struct pairs *)in;

	tfr_scan_clear(&p->images);
	tfr_scan_clear(&p->masks);
	free(p->pairs.list);
	free(p->prefixes[0]);
	free(p->prefixes[1]);
	free(p);
}

static enum tfr_status open_pairs(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct pairs *p;

	if (!opts->input.masks)
		return tfr_fail(err, TFR_EUSAGE, "pairs need --mask, the folder of masks");
	if (opts->classes.base)
		return tfr_fail(err, TFR_EUSAGE,
			"--label-base does not apply to pairs, which have no classes");
	p = calloc(1, sizeof(*p));
	TFR_NEED_MEMORY(p, err, "listing a folder");
	*in = &p->in;
	p->in.ops = &tfr_input_pairs;
	p->in.opts = opts;
	p->in.by_path = true;
	p->images.root = p->masks.root = NULL;
	p->prefixes[0] = tfr_asprintf("%s/", opts->input.paths[0]);
	p->prefixes[1] = tfr_asprintf("%s/", opts->input.masks);
	if (!p->prefixes[0] || !p->prefixes[1])
		return tfr_fail_nomem(err, "listing a folder");
	p->in.prefix = p->prefixes[0];
	TFR_TRY(tfr_scan_folder(&p->images, opts->input.paths[0], NULL, err));
	TFR_TRY(tfr_scan_folder(&p->masks, opts->input.masks, NULL, err));
	TFR_TRY(match_stems(&p->pairs, &p->images, &p->masks, err));
	p->in.scan = &p->images;
	p->in.items = p->pairs.n;
	return TFR_OK;
}

const struct tfr_input_ops tfr_input_pairs = {
	.name = "pairs",
	.what = "pairs of images and masks",
	.nothing = "no pairs of an image and a mask in",
	.refused = "not a usable pair",
	.images = true,
	.strays = true,
	.tree = "",
	.recognises = recognises,
	.open = open_pairs,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_pairs,
};
