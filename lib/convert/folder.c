/* convert/folder.c - a folder of pictures: every file below it an item, its sub-folders the
 * classes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/picture.h"
#include "convert/scan.h"

struct folder {
	struct tfr_input in;
	struct tfr_scan scan;
	char *prefix;
	struct tfr_class *classes;
};

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)opts;
	return offer->directory;
}

/* --- one item --- */

static void skip_for_fault(struct tfr_item *item, int fault)
{
	switch (fault) {
	case TFR_SCAN_LOOP:
		tfr_item_skip(item, TFR_EDATA, "a link to a folder that it lies in");
		break;
	case TFR_SCAN_SPECIAL:
		tfr_item_skip(item, TFR_EDATA, "not a regular file");
		break;
	case TFR_SCAN_DEEP:
		tfr_item_skip(item, TFR_EDATA, "folders nested too deep");
		break;
	default:
		tfr_item_skip(item, TFR_ESYS, "cannot open: %s", strerror(fault));
	}
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct folder *f = (struct folder *)in;
	const struct tfr_scan_item *found = &f->scan.items[item->number];

	(void)room;
	if (!tfr_scan_path(&f->scan, found, &item->name))
		return tfr_fail_nomem(err, "reading pictures");
	if (in->n_classes)
		item->class = f->scan.dirs[found->dir].class;
	if (found->fault)
		skip_for_fault(item, found->fault);
	return TFR_OK;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct folder *f = (struct folder *)in;
	enum tfr_status status = tfr_item_read(
		item, f->scan.root, (const char *)item->name.data, tfr_picture_look, room, err);

	if (!status && !item->skipped)
		status = tfr_picture_add(in, item, bench, err);
	if (!status && !item->skipped && in->n_classes && item->class == TFR_NO_CLASS)
		tfr_item_skip(
			item, TFR_EDATA, "a picture in no class folder, where others are in one");
	return status;
}

static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure)
{
	struct folder *f = (struct folder *)in;
	struct stat st;

	*measure = (struct tfr_measure){ 0 };
	if (item->skipped || fstatat(f->scan.root, (const char *)item->name.data, &st, 0))
		return;
	measure->bytes = (uint64_t)st.st_size;
	measure->mtime = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

/* --- the folder --- */

/* Whether an item is a picture: one that lies in a folder makes folders classes. */
static enum tfr_status is_picture(struct folder *f, struct tfr_item *item,
	const struct tfr_scan_item *found, bool *yes, struct tfr_error *err)
{
	static const struct tfr_room nobody;
	struct tfr_image_info info;
	enum tfr_status status;

	item->skipped = false;
	if (!tfr_scan_path(&f->scan, found, &item->name))
		return tfr_fail_nomem(err, "listing a folder");
	status = tfr_item_read(
		item, f->scan.root, (const char *)item->name.data, tfr_picture_look, &nobody, err);
	if (!status && !item->skipped)
		tfr_picture_probe(item, &info);
	*yes = !status && !item->skipped;
	tfr_item_trim(item);
	return status;
}

/* Whether records get classes: when there is a picture below the top folders.  Only where files lie
 * at the top as well is it worth a look inside. */
static enum tfr_status look_for_classes(struct folder *f, bool *classes, struct tfr_error *err)
{
	const struct tfr_scan *scan = &f->scan;
	struct tfr_item item = { 0 };
	enum tfr_status status = TFR_OK;
	bool at_top = false;

	for (size_t i = 0; i < scan->n_items && !at_top; i++)
		at_top = !scan->items[i].dir && !scan->items[i].fault;
	*classes = !at_top && scan->n_classes > 0;
	for (size_t i = 0; at_top && !status && !*classes && i < scan->n_items; i++)
		if (scan->items[i].dir && !scan->items[i].fault)
			status = is_picture(f, &item, &scan->items[i], classes, err);
	tfr_item_clear(&item);
	return status;
}

static enum tfr_status name_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_scan *scan = &f->scan;
	bool classes;
	enum tfr_status status = look_for_classes(f, &classes, err);

	if (status || !classes)
		return status;
	f->classes = calloc(scan->n_classes, sizeof(*f->classes));
	if (!f->classes)
		return tfr_fail_nomem(err, "listing a folder");
	for (size_t k = 0; k < scan->n_classes; k++)
		f->classes[k] = (struct tfr_class){
			.label = f->in.opts->label_base + (int64_t)k,
			.text = tfr_scan_name(scan, scan->dirs[scan->classes[k]].name),
		};
	f->in.classes = f->classes;
	f->in.n_classes = scan->n_classes;
	return TFR_OK;
}

static void close_folder(struct tfr_input *in)
{
	struct folder *f = (struct folder *)in;

	tfr_scan_clear(&f->scan);
	free(f->classes);
	free(f->prefix);
	free(f);
}

static enum tfr_status open_folder(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct folder *f = calloc(1, sizeof(*f));
	enum tfr_status status;

	if (!f)
		return tfr_fail_nomem(err, "listing a folder");
	*in = &f->in;
	f->in.ops = &tfr_input_folder;
	f->in.opts = opts;
	f->scan.root = -1;
	if (asprintf(&f->prefix, "%s/", opts->inputs[0]) < 0) {
		f->prefix = NULL;
		return tfr_fail_nomem(err, "listing a folder");
	}
	f->in.prefix = f->prefix;
	status = tfr_scan_folder(&f->scan, opts->inputs[0], err);
	if (status)
		return status;
	f->in.items = f->scan.n_items;
	return name_classes(f, err);
}

const struct tfr_input_ops tfr_input_folder = {
	.name = "folder",
	.what = "a folder of pictures",
	.nothing = "no pictures in",
	.refused = "not a picture to use",
	.reworks = true,
	.recognises = recognises,
	.open = open_folder,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_folder,
};
