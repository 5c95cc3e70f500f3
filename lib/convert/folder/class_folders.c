/* convert/folder/class_folders.c - finds the class folders of each split, which can be in one
 * more folder, such as "train/images" or "test_set/test_set", if all splits have it. */
#include "convert/folder/class_folders.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

/* The folder of a split, or the base, whose folders are classes. */
struct root {
	uint32_t dir;
	uint32_t
		/* the folder that contains all usable files and is not a class; 0: there is none */
		only;
	bool empty; /* no folder in it contains all of them */
};

struct finding {
	struct tfr_class_folders *c;
	const struct tfr_usable *u;
	struct root *roots;
	size_t n;
};

static const char *name_of(const struct finding *f, uint32_t dir)
{
	return tfr_scan_name(f->u->scan, f->u->scan->dirs[dir].name);
}

static enum tfr_status look_into(struct finding *f, struct root *r, struct tfr_error *err)
{
	TFR_AUTO_BUF list = { 0 };
	bool at_top;

	TFR_TRY(tfr_usable_in(f->u, r->dir, TFR_USABLE_DIRECTLY, &at_top, err));
	TFR_TRY(tfr_usable_children(f->u, r->dir, TFR_USABLE_BELOW, &list, err));
	r->empty = !list.size;
	r->only = 0;
	if (!at_top && list.size == sizeof(uint32_t))
		r->only = *(const uint32_t *)(const void *)list.data;
	if (r->only && !tfr_split_is_wrapping(name_of(f, r->only))) {
		TFR_TRY(tfr_usable_in(f->u, r->only, TFR_USABLE_DIRECTLY, &at_top, err));
		r->only = at_top ? 0 : r->only;
	}
	return TFR_OK;
}

/* Whether all splits with folders have one that is not a class: with the same name in all of
 * them, or with the name of a split. */
static bool have_one_more(const struct finding *f)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const char *name = f->roots[i].only ? name_of(f, f->roots[i].only) : NULL;

		if (f->roots[i].empty)
			continue;
		if (!name)
			return false;
		if (!tfr_split_is_name(name) && first && strcmp(name, first))
			return false;
		if (!tfr_split_is_name(name))
			first = name;
		n++;
	}
	return n > 1;
}

static enum tfr_status find_roots(struct finding *f, struct tfr_error *err)
{
	for (;;) {
		for (size_t i = 0; i < f->n; i++)
			TFR_TRY(look_into(f, &f->roots[i], err));
		if (!have_one_more(f))
			return TFR_OK;
		for (size_t i = 0; i < f->n; i++)
			if (f->roots[i].only)
				f->roots[i].dir = f->roots[i].only;
	}
}

static void mark(struct finding *f, uint32_t dir, uint32_t class)
{
	for (uint32_t d = dir; d < f->u->scan->dirs[dir].end; d++)
		f->c->class_of[d] = class;
}

/* The class folders of all roots, one root after the other; *counts: their number for each. */
static enum tfr_status list_classes(
	struct finding *f, struct tfr_buf *all, size_t *counts, struct tfr_error *err)
{
	TFR_AUTO_BUF list = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		const uint32_t *dirs;

		TFR_TRY(tfr_usable_children(f->u, f->roots[i].dir, TFR_USABLE_ALL, &list, err));
		dirs = (const uint32_t *)(const void *)list.data;
		counts[i] = list.size / sizeof(*dirs);
		for (size_t k = 0; k < counts[i]; k++) {
			const char *name = name_of(f, dirs[k]);

			TFR_NEED_MEMORY(tfr_class_names_add(&f->c->names, name, strlen(name)), err,
				"listing a folder");
		}
		TFR_NEED_MEMORY(tfr_buf_append(all, list.data, list.size), err, "listing a folder");
	}
	return TFR_OK;
}

static enum tfr_status number_folders(
	struct finding *f, const struct tfr_splits *s, struct tfr_error *err)
{
	TFR_AUTO_BUF all = { 0 };
	TFR_AUTO_FREE size_t *counts = calloc(f->n, sizeof(*counts));
	const uint32_t *dirs;

	TFR_NEED_MEMORY(counts, err, "listing a folder");
	TFR_TRY(list_classes(f, &all, counts, err));
	if (!f->c->names.sorted.n)
		return TFR_OK;
	f->c->class_of = malloc(f->u->scan->n_dirs * sizeof(*f->c->class_of));
	TFR_NEED_MEMORY(f->c->class_of, err, "listing a folder");
	mark(f, 0, TFR_NO_CLASS);
	dirs = (const uint32_t *)(const void *)all.data;
	for (size_t i = 0; i < f->n; i++) {
		if (!counts[i]) {
			mark(f, s->n ? s->list[i].dir : s->base, TFR_CLASSLESS);
			f->c->classless = s->n ? s->list[i].path : NULL;
		}
		for (size_t k = 0; k < counts[i]; k++, dirs++) {
			const char *name = name_of(f, *dirs);

			mark(f, *dirs, tfr_class_names_find(&f->c->names, name, strlen(name)));
		}
	}
	return TFR_OK;
}

enum tfr_status tfr_class_folders_find(struct tfr_class_folders *c, const struct tfr_splits *s,
	const struct tfr_usable *u, struct tfr_error *err)
{
	size_t n = s->n ? s->n : 1;
	TFR_AUTO_FREE struct root *roots = calloc(n, sizeof(*roots));
	struct finding f = { c, u, roots, n };

	TFR_NEED_MEMORY(roots, err, "listing a folder");
	for (size_t i = 0; i < n; i++)
		roots[i].dir = s->n ? s->list[i].dir : s->base;
	if (s->n)
		TFR_TRY(find_roots(&f, err));
	return number_folders(&f, s, err);
}

/* --- masks --- */

enum { MOST_BESIDE_MASKS = 4 /* folders; among more, "label" can be a class */ };

/* Puts the path of the first class with one of the names into `path`, which stays empty if there is
 * none.  False: out of memory. */
static bool find_one_of(const struct tfr_class_folders *c, const struct tfr_scan *scan,
	const char *const *wanted, struct tfr_buf *path)
{
	const struct tfr_names *names = &c->names.sorted;

	for (; *wanted; wanted++)
		for (uint32_t d = 0; d < scan->n_dirs; d++)
			if (c->class_of[d] < names->n &&
				!strcasecmp(names->list[c->class_of[d]], *wanted))
				return tfr_scan_dir_path(scan, d, path);
	return true;
}

enum tfr_status tfr_class_folders_check(const struct tfr_class_folders *c,
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const char *const images[] = { "images", "image", "imgs", "img", "JPEGImages",
		"leftImg8bit", "inputs", "input", "photos", "rgb", NULL };
	static const char *const masks[] = { "masks", "mask", "SegmentationClass", "labels",
		"label", "SegmentationClassRaw", "SegmentationClassPNG", "SegmentationObject",
		"annotations", "annotation", "segmentations", "segmentation", "segmaps", "seg",
		"gtFine", "gt", "groundtruth", "ground_truth", "targets", "target", "trimaps",
		"mattes", NULL };
	TFR_AUTO_BUF of_images = { 0 }, of_masks = { 0 };

	if (opts->classes.labels || !c->class_of || c->names.sorted.n > MOST_BESIDE_MASKS)
		return TFR_OK;
	if (!find_one_of(c, scan, images, &of_images) || !find_one_of(c, scan, masks, &of_masks))
		return tfr_fail_nomem(err, "listing a folder");
	if (!of_images.size || !of_masks.size)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "'%s' contains images and their masks, not classes: '%s', '%s'",
		opts->input.paths[0], (const char *)of_images.data, (const char *)of_masks.data);
	if (scan->root)
		tfr_error_hint(err,
			"Pair them with 'tfr shard %s/%s --mask %s/%s'.  '--exclude' leaves one "
			"out, and '--labels' names both as classes.",
			opts->input.paths[0], (const char *)of_images.data, opts->input.paths[0],
			(const char *)of_masks.data);
	else
		tfr_error_hint(err, "Unpack the archive, and pair them with '--mask'.");
	return TFR_EUSAGE;
}

void tfr_class_folders_clear(struct tfr_class_folders *c)
{
	tfr_class_names_clear(&c->names);
	free(c->class_of);
	*c = (struct tfr_class_folders){ 0 };
}
