/* convert/folder/pairs.c - a folder of images and a folder of masks: each pair becomes a record,
 * with DeepLab's features (tensorflow/models, research/deeplab/datasets/build_data.py).
 *
 * Every file of either folder is an item, even without a partner, so that warnings name it.  The
 * images come first, in their order: an additional mask moves no record to another shard. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/folder/mask.h"
#include "convert/folder/stem_match.h"
#include "convert/image_features.h"

enum { KEEP = 1 << 20 }; /* a mask's buffer up to this size is kept for the next */

struct pairs {
	struct tfr_input in;
	struct tfr_scan images, masks;
	struct tfr_pairs pairs;
	char *prefixes[2]; /* of images, of masks */
};

/* The data of an item besides its image. */
struct second {
	struct tfr_buf file, name;
};

static void free_second(void *p)
{
	struct second *s = p;

	tfr_buf_clear(&s->file);
	tfr_buf_clear(&s->name);
	free(s);
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)offer;
	return opts->masks != NULL;
}

/* --- one item --- */

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct pairs *p = (struct pairs *)in;
	const struct tfr_stem_pair *pair = &p->pairs.list[item->number];
	bool mask_only = pair->image == TFR_NO_PARTNER;
	const struct tfr_scan *scan = mask_only ? &p->masks : &p->images;
	const struct tfr_scan_item *found = &scan->items[mask_only ? pair->mask : pair->image];

	(void)room;
	if (!tfr_scan_path(scan, found, &item->name))
		return tfr_fail_nomem(err, "reading images");
	item->prefix = p->prefixes[mask_only];
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	else if (pair->why)
		tfr_item_skip(item, TFR_EDATA, "%s", pair->why);
	return TFR_OK;
}

static struct second *second_of(struct tfr_item *item)
{
	struct second *s = item->own;

	if (!s) {
		s = calloc(1, sizeof(*s));
		item->own = s;
		item->free_own = free_second;
	} else if (s->file.cap > KEEP) {
		tfr_buf_clear(&s->file);
	}
	return s;
}

static void swap(struct tfr_buf *a, struct tfr_buf *b)
{
	struct tfr_buf c = *a;

	*a = *b;
	*b = c;
}

static void skip_for_mask(
	struct tfr_item *item, const struct second *s, enum tfr_status why, const char *reason)
{
	tfr_item_skip(item, why, "its mask '%s': %s", (const char *)s->name.data, reason);
}

/* Reads the mask of an item whose image has been read. */
static enum tfr_status read_mask(struct pairs *p, struct tfr_item *item, struct second *s,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_scan_item *found = &p->masks.items[p->pairs.list[item->number].mask];
	char reason[sizeof(item->reason)];
	size_t size = item->size;
	enum tfr_status status = TFR_OK;

	if (!tfr_scan_path(&p->masks, found, &s->name))
		return tfr_fail_nomem(err, "reading masks");
	swap(&item->file, &s->file);
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	else
		status = tfr_item_read(
			item, p->masks.root, (const char *)s->name.data, NULL, room, err);
	swap(&item->file, &s->file);
	item->size = found->fault ? size : size + item->size;
	if (!status && item->skipped) {
		memcpy(reason, item->reason, sizeof(reason));
		skip_for_mask(item, s, item->why, reason);
	}
	return status;
}

/* Converts the mask to plain gray, and checks that it has the image's size. */
static void prepare_mask(struct tfr_input *in, struct tfr_item *item, struct second *s,
	const struct tfr_image_info *image, struct tfr_workbench *bench)
{
	struct tfr_image_info mask;
	struct tfr_error why;
	enum tfr_status status = tfr_mask_plain(&s->file, bench, in->opts->verify, &mask, &why);

	if (status)
		skip_for_mask(item, s, status == TFR_ENOMEM ? TFR_ENOMEM : TFR_EDATA, why.message);
	else if (mask.width != image->width || mask.height != image->height) {
		tfr_item_skip(item, TFR_EDATA, "%u x %u, but its mask '%s' is %u x %u",
			image->width, image->height, (const char *)s->name.data, mask.width,
			mask.height);
		item->finding = TFR_FOUND_SIZE;
	}
}

static enum tfr_status add_mask(
	struct tfr_item *item, const struct second *s, struct tfr_error *err)
{
	struct tfr_bytes encoded = { s->file.data, s->file.size };
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
	struct second *s = second_of(item);
	struct tfr_image_info info;
	enum tfr_status status;

	if (!s)
		return tfr_fail_nomem(err, "reading masks");
	status = tfr_item_read(
		item, p->images.root, (const char *)item->name.data, tfr_image_look, room, err);
	if (!status && !item->skipped)
		tfr_item_probe_image(item, &info);
	if (!status && !item->skipped)
		status = read_mask(p, item, s, room, err);
	if (!status && !item->skipped)
		prepare_mask(in, item, s, &info, bench);
	if (!status && !item->skipped)
		status = tfr_image_add(in, item, bench, err);
	return status || item->skipped ? status : add_mask(item, s, err);
}

static void add_size(struct tfr_measure *measure, const struct tfr_scan *scan, const char *name)
{
	struct stat st;
	int64_t mtime;

	if (fstatat(scan->root, name, &st, 0))
		return;
	mtime = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	measure->bytes += (uint64_t)st.st_size;
	measure->mtime = mtime > measure->mtime ? mtime : measure->mtime;
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
	add_size(measure, &p->images, (const char *)item->name.data);
	add_size(measure, &p->masks, (const char *)mask.data);
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

static bool set_prefix(char **prefix, const char *folder)
{
	*prefix = tfr_asprintf("%s/", folder);
	return *prefix != NULL;
}

static enum tfr_status open_pairs(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct pairs *p;
	enum tfr_status status;

	if (!opts->masks)
		return tfr_fail(err, TFR_EUSAGE, "pairs need --mask, the folder of masks");
	if (opts->label_base)
		return tfr_fail(err, TFR_EUSAGE, "--label-base does not apply to pairs, which have no classes");
	p = calloc(1, sizeof(*p));
	if (!p)
		return tfr_fail_nomem(err, "listing a folder");
	*in = &p->in;
	p->in.ops = &tfr_input_pairs;
	p->in.opts = opts;
	p->in.by_path = true;
	p->images.root = p->masks.root = -1;
	if (!set_prefix(&p->prefixes[0], opts->inputs[0]) ||
		!set_prefix(&p->prefixes[1], opts->masks))
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
