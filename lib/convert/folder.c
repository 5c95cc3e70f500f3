/* convert/folder.c - a folder of files of one kind, such as pictures: every file below it an item,
 * its sub-folders the classes. */
#include "convert/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/label_map.h"
#include "convert/picture.h"
#include "convert/scan.h"
#include "convert/synsets.h"

struct folder {
	struct tfr_input in;
	const struct tfr_folder_kind *kind;
	struct tfr_scan scan;
	char *prefix;
	struct tfr_class *classes;
	struct tfr_label_map map;
	uint32_t *class_of; /* of each class folder, its class in the map; NULL: they are alike */
	/* Of opts->class_list: the class of each item, in place of folders. */
	uint32_t *class_of_item;
	struct tfr_class_names names;
	struct tfr_class_list list;
	struct tfr_synsets synsets;
};

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)opts;
	return offer->directory;
}

/* --- one item --- */

static uint32_t class_of(const struct folder *f, uint32_t top)
{
	if (top == TFR_SCAN_NO_CLASS)
		return TFR_NO_CLASS;
	return f->class_of ? f->class_of[top] : top;
}

enum tfr_status tfr_folder_next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct folder *f = (struct folder *)in;
	const struct tfr_scan_item *found = &f->scan.items[item->number];

	(void)room;
	if (!tfr_scan_path(&f->scan, found, &item->name))
		return tfr_fail_nomem(err, "reading files");
	if (f->class_of_item)
		item->class = f->class_of_item[item->number];
	else if (in->n_classes)
		item->class = class_of(f, f->scan.dirs[found->dir].class);
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	return TFR_OK;
}

enum tfr_status tfr_folder_load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct folder *f = (struct folder *)in;
	enum tfr_status status = tfr_item_read(
		item, f->scan.root, (const char *)item->name.data, f->kind->look, room, err);

	if (!status && !item->skipped)
		status = f->kind->add(in, item, bench, room, err);
	if (!status && !item->skipped && in->n_classes && item->class == TFR_NO_CLASS)
		tfr_item_skip(item, TFR_EDATA, "%s in no class folder, where others are in one",
			f->kind->one);
	return status;
}

void tfr_folder_measure(
	struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure)
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

/* Whether an item is of the kind: one that lies in a folder makes folders classes. */
static enum tfr_status is_of_use(struct folder *f, struct tfr_item *item,
	const struct tfr_scan_item *found, bool *yes, struct tfr_error *err)
{
	static const struct tfr_room nobody;
	enum tfr_status status;

	item->skipped = false;
	if (!tfr_scan_path(&f->scan, found, &item->name))
		return tfr_fail_nomem(err, "listing a folder");
	status = tfr_item_read(
		item, f->scan.root, (const char *)item->name.data, f->kind->look, &nobody, err);
	if (!status && !item->skipped)
		f->kind->judge(item);
	*yes = !status && !item->skipped;
	tfr_item_trim(item);
	return status;
}

/* Whether records get classes: when there is a file of the kind below the top folders.  Only where
 * files lie at the top as well is it worth a look inside. */
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
			status = is_of_use(f, &item, &scan->items[i], classes, err);
	tfr_item_clear(&item);
	return status;
}

static const char *folder_of(const struct folder *f, size_t class)
{
	return tfr_scan_name(&f->scan, f->scan.dirs[f->scan.classes[class]].name);
}

static void warn_of_the_missing(const struct folder *f, const uint8_t *met, size_t missing)
{
	const struct tfr_convert_opts *o = f->in.opts;
	size_t first = 0;
	char text[512];

	while (met[first])
		first++;
	snprintf(text, sizeof(text), "%zu of %zu names in '%s' have no folder, the first is '%s'",
		missing, f->map.n, o->labels, f->map.classes[first].text);
	if (o->warn)
		o->warn(o->ctx, text);
}

/* The classes are those of the map, which every class folder must be in. */
static enum tfr_status map_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;
	size_t n = f->scan.n_classes, missing;
	TFR_AUTO_FREE uint8_t *met = NULL;
	enum tfr_status status = tfr_label_map_read(&f->map, o->labels, o->label_base, err);

	if (status)
		return status;
	f->class_of = calloc(n, sizeof(*f->class_of));
	met = calloc(f->map.n, 1);
	if (!f->class_of || !met)
		return tfr_fail_nomem(err, "listing a folder");
	missing = f->map.n;
	for (size_t k = 0; k < n; k++) {
		uint32_t class = f->class_of[k] = tfr_label_map_find(&f->map, folder_of(f, k));

		if (class == TFR_NO_CLASS) {
			tfr_fail(err, TFR_EDATA, "the class folder '%s' is not in '%s'",
				folder_of(f, k), o->labels);
			tfr_error_hint(err, "Add it there, or leave it out with --exclude.");
			return TFR_EDATA;
		}
		met[class] = 1;
		missing--;
	}
	if (missing)
		warn_of_the_missing(f, met, missing);
	f->in.classes = f->map.classes;
	f->in.n_classes = f->map.n;
	return TFR_OK;
}

static enum tfr_status name_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_scan *scan = &f->scan;
	bool classes;
	enum tfr_status status = look_for_classes(f, &classes, err);

	if (!status && !classes && f->in.opts->labels)
		return tfr_fail_path(err, TFR_EDATA, f->in.opts->inputs[0],
			"no class folders that could have labels in");
	if (status || !classes)
		return status;
	if (f->in.opts->labels)
		return map_classes(f, err);
	f->classes = calloc(scan->n_classes, sizeof(*f->classes));
	if (!f->classes)
		return tfr_fail_nomem(err, "listing a folder");
	for (size_t k = 0; k < scan->n_classes; k++)
		f->classes[k] = (struct tfr_class){
			.label = f->in.opts->label_base + (int64_t)k,
			.text = folder_of(f, k),
		};
	f->in.classes = f->classes;
	f->in.n_classes = scan->n_classes;
	return TFR_OK;
}

/* --- ImageNet's lists --- */

static enum tfr_status check_list(const struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;

	for (size_t i = 0; i < f->scan.n_items; i++)
		if (f->scan.items[i].dir)
			return tfr_fail(err, TFR_EDATA,
				"'%s' has files in folders, which a list of classes is not for",
				o->inputs[0]);
	if (f->list.n == f->scan.n_items)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "'%s' has %zu lines, and '%s' has %zu files", o->class_list,
		f->list.n, o->inputs[0], f->scan.n_items);
}

/* The classes are those of the list, or of the map, which must have all of these. */
static enum tfr_status list_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;
	enum tfr_status status = tfr_class_list_read(&f->list, o->class_list, err);

	if (!status)
		status = check_list(f, err);
	if (!status && o->labels)
		status = tfr_label_map_read(&f->map, o->labels, o->label_base, err);
	if (status)
		return status;
	f->class_of_item = malloc((f->list.n + 1) * sizeof(*f->class_of_item));
	for (size_t i = 0; i < f->list.n; i++) {
		const char *class = tfr_class_list_at(&f->list, i);

		if (!f->class_of_item || !tfr_class_names_add(&f->names, class, strlen(class)))
			return tfr_fail_nomem(err, "listing a folder");
	}
	if (!tfr_class_names_number(&f->names, &f->in))
		return tfr_fail_nomem(err, "listing a folder");
	f->in.classes = o->labels ? f->map.classes : f->names.classes;
	f->in.n_classes = o->labels ? f->map.n : f->in.n_classes;
	for (size_t i = 0; i < f->list.n; i++) {
		const char *class = tfr_class_list_at(&f->list, i);

		f->class_of_item[i] =
			o->labels ? tfr_label_map_find(&f->map, class)
				  : tfr_class_names_find(&f->names, class, strlen(class));
		if (f->class_of_item[i] == TFR_NO_CLASS)
			return tfr_fail(
				err, TFR_EDATA, "the class '%s' is not in '%s'", class, o->labels);
	}
	return TFR_OK;
}

/* What people call the classes. */
static enum tfr_status call_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;
	struct tfr_class *classes = o->labels	    ? f->map.classes
				    : o->class_list ? f->names.classes
						    : f->classes;
	enum tfr_status status = tfr_synsets_read(&f->synsets, o->synsets, err);

	if (status)
		return status;
	if (!f->in.n_classes)
		return tfr_fail_path(
			err, TFR_EDATA, o->inputs[0], "no classes that could be synsets in");
	for (size_t k = 0; k < f->in.n_classes; k++) {
		classes[k].human = tfr_synsets_find(&f->synsets, classes[k].text);
		if (!classes[k].human)
			return tfr_fail(err, TFR_EDATA, "the class '%s' is not in '%s'",
				classes[k].text, o->synsets);
	}
	return TFR_OK;
}

void tfr_folder_close(struct tfr_input *in)
{
	struct folder *f = (struct folder *)in;

	free(f->class_of_item);
	tfr_class_names_clear(&f->names);
	tfr_class_list_clear(&f->list);
	tfr_synsets_clear(&f->synsets);

	tfr_scan_clear(&f->scan);
	tfr_label_map_clear(&f->map);
	free(f->class_of);
	free(f->classes);
	free(f->prefix);
	free(f);
}

enum tfr_status tfr_folder_open(struct tfr_input **in, const struct tfr_input_ops *ops,
	const struct tfr_folder_kind *kind, const struct tfr_convert_opts *opts,
	struct tfr_error *err)
{
	struct tfr_scan_globs globs = { opts->include, opts->exclude, opts->include_count,
		opts->exclude_count };
	struct folder *f = calloc(1, sizeof(*f));
	enum tfr_status status;

	if (!f)
		return tfr_fail_nomem(err, "listing a folder");
	*in = &f->in;
	f->in.ops = ops;
	f->kind = kind;
	f->in.opts = opts;
	f->scan.root = -1;
	if (asprintf(&f->prefix, "%s/", opts->inputs[0]) < 0) {
		f->prefix = NULL;
		return tfr_fail_nomem(err, "listing a folder");
	}
	f->in.prefix = f->prefix;
	status = tfr_scan_folder(&f->scan, opts->inputs[0], &globs, err);
	if (status)
		return status;
	f->in.items = f->scan.n_items;
	status = opts->class_list ? list_classes(f, err) : name_classes(f, err);
	return status || !opts->synsets ? status : call_classes(f, err);
}

/* --- of pictures --- */

static void judge_picture(struct tfr_item *item)
{
	struct tfr_image_info info;

	tfr_picture_probe(item, &info);
}

static enum tfr_status add_picture(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	(void)room;
	return tfr_picture_add(in, item, bench, err);
}

static enum tfr_status open_pictures(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_folder_kind pictures = {
		.one = "a picture",
		.look = tfr_picture_look,
		.judge = judge_picture,
		.add = add_picture,
	};

	return tfr_folder_open(in, &tfr_input_folder, &pictures, opts, err);
}

const struct tfr_input_ops tfr_input_folder = {
	.name = "folder",
	.what = "a folder of pictures",
	.nothing = "no pictures in",
	.refused = "not a picture to use",
	.pictures = true,
	.reworks = true,
	.chooses = true,
	.recognises = recognises,
	.open = open_pictures,
	.next = tfr_folder_next,
	.load = tfr_folder_load,
	.measure = tfr_folder_measure,
	.close = tfr_folder_close,
};
