/* convert/folder/folder.c - a folder of files of one kind, images or WAV files.
 *
 * Every file below it is an item; its sub-folders are the classes, or the splits that contain
 * them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "convert/audio_features.h"
#include "convert/folder/class_lists.h"
#include "convert/folder/splits.h"
#include "convert/image_features.h"

/* The functions for the files of a folder, called for one file at a time, by any thread. */
struct folder_kind {
	const char *one; /* "an image" */
	/* skips a file that does not begin like this kind, for tfr_item_read() */
	void (*look)(struct tfr_item *item);
	void (*judge)(struct tfr_item *item); /* skips a complete file that is broken */
	/* Makes the features of item->file, including those of the class. */
	enum tfr_status (*add)(struct tfr_input *in, struct tfr_item *item,
		struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
};

struct folder {
	struct tfr_input in;
	const struct folder_kind *kind;
	struct tfr_scan *scan;
	char *prefix;
	struct tfr_splits splits;
	struct tfr_class_folders folders;
	struct tfr_label_map map;
	uint32_t *in_map; /* for each name of `folders`, its class in the map; NULL: the same */
	/* For opts->classes.list: the class of each item, in place of folders. */
	uint32_t *class_of_item;
	struct tfr_class_names names;
	struct tfr_names list;
	struct tfr_names synsets;
};

/* --- one item --- */

static uint32_t class_of(const struct folder *f, uint32_t dir)
{
	uint32_t class = f->folders.class_of ? f->folders.class_of[dir] : TFR_NO_CLASS;

	return class < TFR_CLASSLESS && f->in_map ? f->in_map[class] : class;
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct folder *f = (struct folder *)in;
	const struct tfr_scan_item *found = &f->scan->items[item->number];

	(void)room;
	tfr_scan_announce(f->scan, in->order, in->order ? in->place : item->number, in->ahead);
	TFR_NEED_MEMORY(tfr_scan_path(f->scan, found, &item->name), err, "reading files");
	if (f->class_of_item)
		item->class = f->class_of_item[item->number];
	else if (class_of(f, found->dir) != TFR_CLASSLESS)
		item->class = class_of(f, found->dir);
	tfr_splits_place(&f->splits, found->dir, item);
	if (found->fault)
		tfr_item_skip_fault(item, found->fault);
	return TFR_OK;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct folder *f = (struct folder *)in;

	TFR_TRY(tfr_item_read(
		item, f->scan->root, (const char *)item->name.data, f->kind->look, room, err));
	if (!item->skipped)
		TFR_TRY(f->kind->add(in, item, bench, room, err));
	if (!item->skipped && in->n_classes && item->class == TFR_NO_CLASS &&
		class_of(f, f->scan->items[item->number].dir) != TFR_CLASSLESS)
		tfr_item_skip(item, TFR_EDATA, "%s outside of the class folders", f->kind->one);
	return TFR_OK;
}

static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure)
{
	*measure = (struct tfr_measure){ 0 };
	if (!item->skipped)
		tfr_measure_add(
			((struct folder *)in)->scan->root, (const char *)item->name.data, measure);
}

/* --- the folder --- */

static void warn_of_the_missing(const struct folder *f, const uint8_t *met, size_t missing)
{
	size_t first = 0;

	while (met[first])
		first++;
	tfr_warn(f->in.opts, "%zu of %zu names in '%s' have no folder, the first is '%s'", missing,
		f->map.n, f->in.opts->classes.labels, f->map.classes[first].text);
}

/* The classes are those of the map, which must contain every class folder. */
static enum tfr_status map_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;
	const struct tfr_names *names = &f->folders.names.sorted;
	size_t missing = f->map.n;
	TFR_AUTO_FREE uint8_t *met = calloc(f->map.n, 1);

	f->in_map = calloc(names->n, sizeof(*f->in_map));
	if (!f->in_map || !met)
		return tfr_fail_nomem(err, "listing a folder");
	for (size_t k = 0; k < names->n; k++) {
		uint32_t class = f->in_map[k] = tfr_label_map_find(&f->map, names->list[k]);

		if (class == TFR_NO_CLASS)
			return tfr_fail_hint(err, TFR_EDATA,
				"Add it there, or leave it out with --exclude.",
				"the class folder '%s' is not in '%s'", names->list[k],
				o->classes.labels);
		met[class] = 1;
		missing--;
	}
	if (missing)
		warn_of_the_missing(f, met, missing);
	f->in.classes = f->map.classes;
	f->in.n_classes = f->map.n;
	return TFR_OK;
}

/* Whether a file of labels lists a folder with the name of a split: it is then a class. */
static bool is_labelled(const struct folder *f, const char *name)
{
	return f->in.opts->classes.labels && tfr_label_map_find(&f->map, name) != TFR_NO_CLASS;
}

static enum tfr_status find_splits(struct folder *f, struct tfr_usable *u, struct tfr_error *err)
{
	bool classes = true;

	TFR_TRY(tfr_splits_find(&f->splits, u, f->in.opts, err));
	if (!f->splits.n || f->splits.named)
		return TFR_OK;
	for (size_t i = 0; classes && i < f->splits.n; i++)
		classes = is_labelled(f, f->splits.list[i].name);
	if (!classes)
		return tfr_splits_refuse(&f->splits, u, f->in.opts, err);
	tfr_splits_forget(&f->splits);
	return TFR_OK;
}

/* A class with the name of a split can be a split beside which other folders were put. */
static void warn_of_split(const struct folder *f)
{
	const struct tfr_names *names = &f->folders.names.sorted;

	for (size_t k = 0; !f->splits.n && names->n > 1 && k < names->n; k++) {
		const char *name = names->list[k];

		if (tfr_split_is_name(name) && !is_labelled(f, name))
			tfr_warn(f->in.opts,
				"'%.1000s' is a class, like '%.1000s'; --exclude '%.1000s' "
				"leaves it out",
				name, names->list[k == 0], name);
	}
}

static enum tfr_status name_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;
	struct tfr_usable u = { .scan = f->scan,
		.look = f->kind->look,
		.judge = f->kind->judge,
		.nothing = f->in.ops->nothing };

	f->splits.scan = f->scan;
	if (o->classes.none)
		return TFR_OK;
	if (o->classes.labels)
		TFR_TRY(tfr_label_map_read(&f->map, o->classes.labels, o->classes.base, err));
	TFR_TRY(find_splits(f, &u, err));
	TFR_TRY(tfr_class_folders_find(&f->folders, &f->splits, &u, err));
	TFR_TRY(tfr_class_folders_check(&f->folders, f->scan, o, err));
	warn_of_split(f);
	tfr_splits_keep(&f->splits, f->scan);
	f->in.items = f->scan->n_items;
	if (f->folders.classless && o->output.tfds)
		return tfr_fail(err, TFR_EUSAGE,
			"every image of a TFDS data set needs a label, and '%s' has no class "
			"folders",
			f->folders.classless);
	if (!f->folders.class_of && o->classes.labels)
		return tfr_fail_path(err, TFR_EDATA, o->input.paths[0],
			"--labels needs class folders, and there are none in");
	if (!f->folders.class_of)
		return TFR_OK;
	if (o->classes.labels)
		return map_classes(f, err);
	return tfr_class_names_number(&f->folders.names, &f->in)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "listing a folder");
}

/* --- ImageNet's lists --- */

static enum tfr_status check_list(const struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;

	for (size_t i = 0; i < f->scan->n_items; i++)
		if (f->scan->items[i].dir)
			return tfr_fail(err, TFR_EDATA,
				"--class-list needs a folder without sub-folders, and '%s' has "
				"some",
				o->input.paths[0]);
	if (f->list.n == f->scan->n_items)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "'%s' has %zu lines, and '%s' has %zu files",
		o->classes.list, f->list.n, o->input.paths[0], f->scan->n_items);
}

/* The classes are those of the list, or of the map, which must contain all of these. */
static enum tfr_status list_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;

	TFR_TRY(tfr_class_list_read(&f->list, o->classes.list, err));
	TFR_TRY(check_list(f, err));
	if (o->classes.labels)
		TFR_TRY(tfr_label_map_read(&f->map, o->classes.labels, o->classes.base, err));
	f->class_of_item = malloc((f->list.n + 1) * sizeof(*f->class_of_item));
	TFR_NEED_MEMORY(f->class_of_item, err, "listing a folder");
	f->in.classes = f->map.classes;
	f->in.n_classes = f->map.n;
	for (size_t i = 0; i < f->list.n && !o->classes.labels; i++)
		TFR_NEED_MEMORY(
			tfr_class_names_add(&f->names, f->list.list[i]), err, "listing a folder");
	if (!o->classes.labels)
		TFR_NEED_MEMORY(tfr_class_names_number(&f->names, &f->in), err, "listing a folder");
	for (size_t i = 0; i < f->list.n; i++) {
		const char *class = f->list.list[i];

		f->class_of_item[i] = o->classes.labels ? tfr_label_map_find(&f->map, class)
							: tfr_class_names_find(&f->names, class);
		if (f->class_of_item[i] == TFR_NO_CLASS)
			return tfr_fail(err, TFR_EDATA, "the class '%s' is not in '%s'", class,
				o->classes.labels);
	}
	return TFR_OK;
}

/* Sets the texts of the classes. */
static enum tfr_status call_classes(struct folder *f, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = f->in.opts;
	struct tfr_class *classes = o->classes.labels ? f->map.classes
				    : o->classes.list ? f->names.classes
						      : f->folders.names.classes;

	TFR_TRY(tfr_synsets_read(&f->synsets, o->classes.synsets, err));
	if (!f->in.n_classes)
		return tfr_fail_path(err, TFR_EDATA, o->input.paths[0],
			"--synsets needs classes, and there are none in");
	for (size_t k = 0; k < f->in.n_classes; k++) {
		classes[k].human = tfr_synsets_find(&f->synsets, classes[k].text);
		if (!classes[k].human)
			return tfr_fail(err, TFR_EDATA, "the class '%s' is not in '%s'",
				classes[k].text, o->classes.synsets);
	}
	return TFR_OK;
}

static void close_folder(struct tfr_input *in)
{
	struct folder *f = (struct folder *)in;

	free(f->class_of_item);
	tfr_class_names_clear(&f->names);
	tfr_names_clear(&f->list);
	tfr_names_clear(&f->synsets);
	tfr_label_map_clear(&f->map);
	tfr_splits_clear(&f->splits);
	tfr_class_folders_clear(&f->folders);
	free(f->in_map);
	free(f->prefix);
	free(f);
}

static enum tfr_status open_folder(struct tfr_input **in, const struct tfr_input_ops *ops,
	const struct folder_kind *kind, const struct tfr_convert_opts *opts, struct tfr_scan *scan,
	struct tfr_error *err)
{
	struct folder *f = calloc(1, sizeof(*f));

	TFR_NEED_MEMORY(f, err, "listing a folder");
	*in = &f->in;
	f->in = (struct tfr_input){ .ops = ops, .opts = opts, .by_path = true };
	f->kind = kind;
	f->scan = scan;
	f->prefix = tfr_path_join(opts->input.paths[0], "");
	TFR_NEED_MEMORY(f->prefix, err, "listing a folder");
	f->in.prefix = f->prefix;
	if (opts->input.include_count)
		TFR_TRY(tfr_scan_leave_out(scan, err));
	f->in.items = scan->n_items;
	TFR_TRY(opts->classes.list ? list_classes(f, err) : name_classes(f, err));
	return opts->classes.synsets ? call_classes(f, err) : TFR_OK;
}

/* --- of images --- */

static bool recognises_images(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)opts;
	return offer->directory;
}

static void judge_image(struct tfr_item *item)
{
	struct tfr_image_info info;

	tfr_item_probe_image(item, &info);
}

static enum tfr_status add_image(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	(void)room;
	return tfr_image_add(in, item, bench, err);
}

static enum tfr_status open_images(struct tfr_input **in, const struct tfr_convert_opts *opts,
	struct tfr_scan *scan, struct tfr_error *err)
{
	static const struct folder_kind images = {
		.one = "an image",
		.look = tfr_image_look,
		.judge = judge_image,
		.add = add_image,
	};

	return open_folder(in, &tfr_input_folder, &images, opts, scan, err);
}

const struct tfr_input_ops tfr_input_folder = {
	.name = "folder",
	.what = "a folder of images",
	.nothing = "no images in",
	.refused = "not a usable image",
	.flags = TFR_INPUT_IMAGES | TFR_INPUT_REWORKS | TFR_INPUT_CHOOSES | TFR_INPUT_LABELS |
		 TFR_INPUT_NUMBERS | TFR_INPUT_SPLITS | TFR_INPUT_STRAYS | TFR_INPUT_PLAIN |
		 TFR_INPUT_CLASSLESS,
	.tree = "",
	.recognises = recognises_images,
	.open_tree = open_images,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_folder,
};

/* --- of WAV files --- */

/* The first image or WAV file decides the kind of the folder.  The number of files examined is
 * bounded, because a folder of a million notes has neither. */
enum { FILES = 100, HEAD = 16 };

static bool recognises_audio(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	uint8_t head[HEAD];
	bool audio = false, image = false;

	(void)opts;
	for (size_t i = 0; offer->scan && !audio && !image && i < offer->scan->n_items && i < FILES;
		i++) {
		size_t n = offer->scan->items[i].fault ? 0
						       : tfr_scan_head(offer->scan, (uint32_t)i,
								 head, sizeof(head), offer->err);

		audio = n && tfr_audio_sniff(head, n);
		image = n && tfr_image_is_decoded(tfr_image_sniff(head, n));
	}
	return audio;
}

static enum tfr_status open_audio(struct tfr_input **in, const struct tfr_convert_opts *opts,
	struct tfr_scan *scan, struct tfr_error *err)
{
	static const struct folder_kind audio = {
		.one = "an audio file",
		.look = tfr_audio_item_look,
		.judge = tfr_audio_item_judge,
		.add = tfr_audio_item_add,
	};

	return open_folder(in, &tfr_input_audio, &audio, opts, scan, err);
}

const struct tfr_input_ops tfr_input_audio = {
	.name = "audio",
	.what = "a folder of audio files",
	.nothing = "no WAV files in",
	.refused = "not a usable WAV file",
	.flags = TFR_INPUT_AUDIO | TFR_INPUT_CHOOSES | TFR_INPUT_LABELS | TFR_INPUT_NUMBERS |
		 TFR_INPUT_SPLITS | TFR_INPUT_STRAYS | TFR_INPUT_CLASSLESS,
	.tree = "",
	.recognises = recognises_audio,
	.open_tree = open_audio,
	.next = next,
	.load = load,
	.measure = measure,
	.close = close_folder,
};
