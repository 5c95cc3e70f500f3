/* convert/folder/class_folders.c - finds the class folders of each split, which can be in one
 * more folder, such as "train/images" or "test_set/test_set", if all splits have it.  The names of
 * their classes are a sorted array. */
#include "convert/folder/class_folders.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

/* --- names --- */

/* The position of a name, or the position at which to insert it.  There are thousands of classes at
 * most. */
static size_t place_of(const struct tfr_names *names, const char *name, bool *found)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(names->list[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*found = low < names->n && !strcmp(names->list[low], name);
	return low;
}

bool tfr_class_names_add(struct tfr_class_names *c, const char *name)
{
	bool found;
	size_t at = place_of(&c->sorted, name, &found);

	return found || tfr_names_insert(&c->sorted, at, name, strlen(name));
}

uint32_t tfr_class_names_find(const struct tfr_class_names *c, const char *name)
{
	bool found;
	size_t at = place_of(&c->sorted, name, &found);

	return found ? (uint32_t)at : TFR_NO_CLASS;
}

bool tfr_class_names_number(struct tfr_class_names *c, struct tfr_input *in)
{
	free(c->classes);
	c->classes = calloc(c->sorted.n + 1, sizeof(*c->classes));
	if (!c->classes)
		return false;
	for (size_t k = 0; k < c->sorted.n; k++)
		c->classes[k] = (struct tfr_class){ .label = in->opts->classes.base + (int64_t)k,
			.text = c->sorted.list[k] };
	in->classes = c->classes;
	in->n_classes = c->sorted.n;
	return true;
}

void tfr_class_names_clear(struct tfr_class_names *c)
{
	tfr_names_clear(&c->sorted);
	free(c->classes);
	*c = (struct tfr_class_names){ 0 };
}

/* --- folders --- */

/* The folder of a split, or the base, whose folders are classes. */
struct root {
	uint32_t dir;
	/* the folder that contains all usable files and is not a class; 0: there is none */
	uint32_t only;
};

static const char *name_of(const struct tfr_scan *scan, uint32_t dir)
{
	return tfr_scan_name(scan, scan->dirs[dir].name);
}

static uint32_t find_only(struct tfr_usable *u, uint32_t dir)
{
	uint32_t only = tfr_usable_only_child(u, dir);

	if (!only || tfr_usable_in(u, dir, TFR_USABLE_DIRECTLY))
		return 0;
	return tfr_split_is_wrapping(name_of(u->scan, only)) ||
			       !tfr_usable_in(u, only, TFR_USABLE_DIRECTLY)
		       ? only
		       : 0;
}

/* Whether all splits with folders have one that is not a class: with the same name in all of
 * them, or with the name of a split. */
static bool have_one_more(struct tfr_usable *u, struct root *roots, size_t n)
{
	const char *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name;

		roots[i].only = find_only(u, roots[i].dir);
		name = name_of(u->scan, roots[i].only);
		if (!roots[i].only && tfr_usable_child(u, roots[i].dir, 0, TFR_USABLE_BELOW))
			return false;
		if (!roots[i].only)
			continue;
		more++;
		if (tfr_split_is_name(name))
			continue;
		if (first && strcmp(name, first))
			return false;
		first = name;
	}
	return more > 1 && !u->why.status;
}

static void mark(
	struct tfr_class_folders *c, const struct tfr_scan *scan, uint32_t dir, uint32_t class)
{
	for (uint32_t d = dir; d < scan->dirs[dir].end; d++)
		c->class_of[d] = class;
}

/* Marks the class folders of a root as those of any class, and collects their names; *any: there
 * are some. */
static enum tfr_status list_classes(struct tfr_class_folders *c, struct tfr_usable *u,
	uint32_t root, bool *any, struct tfr_error *err)
{
	*any = false;
	for (uint32_t d = 0; (d = tfr_usable_child(u, root, d, TFR_USABLE_ALL)); *any = true) {
		TFR_NEED_MEMORY(tfr_class_names_add(&c->names, name_of(u->scan, d)), err,
			"listing a folder");
		c->class_of[d] = 0;
	}
	return tfr_error_pass(&u->why, err);
}

/* Gives the folders that list_classes() marked, and those in them, their class. */
static void number_folders(struct tfr_class_folders *c, const struct tfr_scan *scan)
{
	for (uint32_t d = 0, next; d < scan->n_dirs; d = next) {
		next = c->class_of[d] ? d + 1 : scan->dirs[d].end;
		if (!c->class_of[d])
			mark(c, scan, d, tfr_class_names_find(&c->names, name_of(scan, d)));
	}
}

enum tfr_status tfr_class_folders_find(struct tfr_class_folders *c, const struct tfr_splits *s,
	struct tfr_usable *u, struct tfr_error *err)
{
	const size_t n = s->n ? s->n : 1;
	TFR_AUTO_FREE struct root *roots = calloc(n, sizeof(*roots));
	bool any;

	c->class_of = malloc(u->scan->n_dirs * sizeof(*c->class_of));
	if (!roots || !c->class_of)
		return tfr_fail_nomem(err, "listing a folder");
	for (size_t i = 0; i < n; i++)
		roots[i].dir = s->n ? s->list[i].dir : s->base;
	while (s->n && have_one_more(u, roots, n))
		for (size_t i = 0; i < n; i++)
			roots[i].dir = roots[i].only ? roots[i].only : roots[i].dir;
	mark(c, u->scan, 0, TFR_NO_CLASS);
	for (size_t i = 0; i < n; i++) {
		TFR_TRY(list_classes(c, u, roots[i].dir, &any, err));
		if (any)
			continue;
		mark(c, u->scan, s->n ? s->list[i].dir : s->base, TFR_CLASSLESS);
		c->classless = s->n ? s->list[i].path : NULL;
	}
	if (c->names.sorted.n) {
		number_folders(c, u->scan);
	} else {
		free(TFR_STEAL(c->class_of));
		c->classless = NULL;
	}
	return TFR_OK;
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
