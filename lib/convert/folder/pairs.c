/* convert/folder/pairs.c - a folder of images and a folder of masks: each pair becomes a record,
 * with DeepLab's features (tensorflow/models, research/deeplab/datasets/build_data.py).
 *
 * Every file of either folder is an item, even without a partner, so that warnings name it.  The
 * images come first, in their order: an additional mask moves no record to another shard. */
#include <string.h>

#include <stdlib.h>

#include "convert/folder/mask.h"
#include "convert/folder/stem_match.h"
#include "convert/image_features.h"

struct pairs {
	struct tfr_input in;
	struct tfr_scan images, masks;
	struct tfr_pairs pairs;
	char *prefixes[2]; /* of images, of masks */
};

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)offer;
	return opts->masks != NULL;
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
	const struct tfr_stem_pair *pair = &s->p->pairs.list[s->order ? s->order[i] : i];
	uint32_t item = s->scan == &s->p->masks ? pair->mask : pair->image;

	if (item == TFR_NO_PARTNER || pair->why || s->scan->items[item].fault)
		return false;
	memcpy(size, s->scan->sizes_.data + item * sizeof(*size), sizeof(*size));
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
	const struct tfr_stem_pair *pair = &p->pairs.list[item->number];
	bool mask_only = pair->image == TFR_NO_PARTNER;
	const struct tfr_scan *scan = mask_only ? &p->masks : &p->images;
	const struct tfr_scan_item *found = &scan->items[mask_only ? pair->mask : pair->image];

	(void)room;
	announce(p, p->in.order ? p->in.place : item->number);
	if (!tfr_scan_path(scan, found, &item->name))
		return tfr_fail_nomem(err, "reading images");
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
	enum tfr_status status = TFR_OK;

	if (!tfr_scan_path(&p->masks, found, path))
		return tfr_fail_nomem(err, "reading masks");
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	else
		status = tfr_item_read_other(
			item, &item->more, p->masks.root, (const char *)path->data, room, err);
	if (!status && item->skipped)
		tfr_item_blame(item, "its mask", (const char *)path->data);
	return status;
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
	enum tfr_status status = tfr_builder_bytes_ref(
		item->builder, "image/segmentation/class/encoded", &encoded, 1, err);

	return status ? status
		      : tfr_builder_text(
				item->builder, "image/segmentation/class/format", "png", err);
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct pairs *p = (struct pairs *)in;
	struct tfr_buf *path = &bench->scratch; /* of the mask */
	struct tfr_image_info info;
	enum tfr_status status = tfr_image_read(item, p->images.root, room, &info, err);

	if (!status && !item->skipped)
		status = read_mask(p, item, path, room, err);
	if (!status && !item->skipped)
		prepare_mask(item, (const char *)path->data, in->opts->verify, &info, bench);
	if (!status && !item->skipped)
		status = tfr_image_add(in, item, bench, err);
	return status || item->skipped ? status : add_mask(item, err);
}

/* The later time of both files. */
static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure)
{
	struct pairs *p = (struct pairs *)in;
	TFR_AUTO_BUF mask = { 0 };

	*measure = (struct tfr_measure){ 0 };
	if (item->skipped ||
		!tfr_scan_path(&p->masks, &p->masks.items[p->pairs.list[item->number].mask], &mask))
		return;
	tfr_measure_add(p->images.root, (const char *)item->name.data, measure);
	tfr_measure_add(p->masks.root, (const char *)mask.data, measure);
}

/* --- the folders --- */

static void close_pairs(struct tfr_input *in)
{
	struct pairs *p = (struct pairs *)in;

	tfr_scan_clear(&p->images);
	tfr_scan_clear(&p->masks);
	tfr_pairs_clear(&p->pairs);
	free(p->prefixes[0]);
	free(p->prefixes[1]);
	free(p);
}

static enum tfr_status open_pairs(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct pairs *p;
	enum tfr_status status;

	if (!opts->masks)
		return tfr_fail(err, TFR_EUSAGE, "pairs need --mask, the folder of masks");
	if (opts->label_base)
		return tfr_fail(err, TFR_EUSAGE,
			"--label-base does not apply to pairs, which have no classes");
	p = calloc(1, sizeof(*p));
	if (!p)
		return tfr_fail_nomem(err, "listing a folder");
	*in = &p->in;
	p->in.ops = &tfr_input_pairs;
	p->in.opts = opts;
	p->in.by_path = true;
	p->images.root = p->masks.root = NULL;
	p->prefixes[0] = tfr_asprintf("%s/", opts->inputs[0]);
	p->prefixes[1] = tfr_asprintf("%s/", opts->masks);
	if (!p->prefixes[0] || !p->prefixes[1])
		return tfr_fail_nomem(err, "listing a folder");
	p->in.prefix = p->prefixes[0];
	status = tfr_scan_folder(&p->images, opts->inputs[0], NULL, err);
	if (!status)
		status = tfr_scan_folder(&p->masks, opts->masks, NULL, err);
	if (!status)
		status = tfr_pairs_match(&p->pairs, &p->images, &p->masks, err);
	p->in.items = p->pairs.n;
	return status;
}

const struct tfr_input_ops tfr_input_pairs = {
	.name = "pairs",
	.what = "pairs of images and masks",
	.nothing = "no pairs of an image and a mask in",
	.refused = "not a usable pair",
	.images = true,
	.strays = true,
	.recognises = recognises,
	.open = open_pairs,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_pairs,
};
