/* convert/folder/splits.c - finds splits by their names, or by the names in the outputs, and the
 * class folders in them.
 *
 * A name is divided into words, so that "training_set", "Split-eval" and "val2017" are
 * recognised without being listed.  A single such folder among others can be a class: they are
 * splits only if all have such names.
 *
 * Only folders with usable files count.  Files of a folder are opened until one begins like a
 * usable file, those with a matching extension first: in a folder of images, that is the first one.
 */
#include "convert/folder/splits.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "convert/input.h"

/* --- names --- */

/* The meaning of a word in a folder's name. */
enum meaning {
	OTHER,
	BESIDE,	   /* of a split, as "set" is */
	COMPANION, /* where splits are */
	SPLIT,
	MEANINGS
};

static const char *const words[MEANINGS][17] = {
	[BESIDE] = { "split", "set", "data", "dataset", "image", "images", "img", "imgs", "seg",
		"clean", "other" },
	[COMPANION] = { "pred", "unlabeled", "unlabelled", "extra" },
	[SPLIT] = { "train", "training", "val", "valid", "validate", "validation", "dev", "test",
		"testing", "trainval", "eval", "evaluation", "trainset", "valset", "devset",
		"testset" },
};

static enum meaning meaning_of(const char *word, size_t n)
{
	for (enum meaning m = BESIDE; m < MEANINGS; m++)
		for (const char *const *known = words[m]; *known; known++)
			if (!strncasecmp(*known, word, n) && !(*known)[n])
				return m;
	return OTHER;
}

/* The length of the word that `at` begins with: letters, up to a capital after a small one. */
static size_t word_size(const char *at)
{
	size_t n = 0;

	while (isalpha((unsigned char)at[n]) &&
		!(n && isupper((unsigned char)at[n]) && islower((unsigned char)at[n - 1])))
		n++;
	return n;
}

/* Digits and punctuation between words mean nothing. */
static enum meaning name_means(const char *name)
{
	enum meaning found = OTHER, m;
	size_t n;

	for (const char *at = name; *at; at += n) {
		n = word_size(at);
		if (!n && !isascii(*at))
			return OTHER;
		if (!n) {
			n = 1;
			continue;
		}
		m = meaning_of(at, n);
		if (m == OTHER)
			return OTHER;
		found = m > found ? m : found;
	}
	return found;
}

bool tfr_split_is_name(const char *name)
{
	return name_means(name) == SPLIT;
}

bool tfr_split_is_wrapping(const char *name)
{
	return name_means(name) != OTHER;
}

bool tfr_splits_are_asked(const struct tfr_convert_opts *opts)
{
	for (size_t t = 0; t < opts->output.target_count; t++)
		if (opts->output.targets[t].folder)
			return true;
	return false;
}

/* --- usable files --- */

enum { HEAD = 4096, UNNAMED_MOST = 1000 };

/* How much to examine. */
enum reach {
	DIRECTLY, /* files in the folder itself */
	BELOW,	  /* files at any depth */
	/* Likewise, and every file is opened if needed, and judged like a record; otherwise the
	 * first bytes decide, and only a bounded number of files without an image's or WAV
	 * file's extension is opened. */
	ALL,
};

struct looking {
	struct tfr_usable *u;
	struct tfr_buf path;
	struct tfr_item item;
};

/* Whether a file begins like a usable one.  A file that cannot be read is judged by its name. */
static bool look_at(struct looking *l, const struct tfr_scan_item *found)
{
	const struct tfr_scan *scan = l->u->scan;
	struct tfr_error why = { 0 };
	enum tfr_status status;
	bool named;

	l->item.skipped = false;
	if (!tfr_scan_path(scan, found, &l->path) || !tfr_buf_reserve(&l->item.file, HEAD)) {
		tfr_fail_nomem(&l->u->why, "listing a folder");
		return false;
	}
	status = tfr_root_head(scan->root, (const char *)l->path.data, l->item.file.data, HEAD,
		&l->item.file.size, &why);
	if (status && status != TFR_ENOMEM && !tfr_errno_of_process(why.sys_errno)) {
		named = tfr_is_media(tfr_scan_name(scan, found->name));
		if (named || status == TFR_END)
			return named;
	}
	if (tfr_error_pass(&why, &l->u->why))
		return false;
	l->u->look(&l->item);
	return !l->item.skipped;
}

/* Whether a file with a usable beginning is usable completely.  One that cannot be opened still
 * has its mark in the digest of the input: the next run may be able to open it. */
static bool judge(struct looking *l)
{
	const char *path = (const char *)l->path.data;
	struct tfr_usable *u = l->u;
	struct tfr_measure m = { 0 };

	l->item.mark = 0;
	if (tfr_item_read(&l->item, u->scan->root, path, u->look, &(struct tfr_room){ 0 }, &u->why))
		return false;
	if (!l->item.mark)
		tfr_measure_add(u->scan->root, path, &m);
	if (m.fault) {
		tfr_fail_errno(&u->why, m.fault, path, "cannot access");
		return false;
	}
	if (!l->item.skipped)
		u->judge(&l->item);
	tfr_item_trim(&l->item);
	return !l->item.skipped || l->item.why == TFR_ESYS;
}

static bool look_into(struct looking *l, uint32_t dir, enum reach reach, bool named)
{
	const struct tfr_usable *u = l->u;
	const struct tfr_scan_dir *d = &u->scan->dirs[dir];
	size_t left = named || reach == ALL ? SIZE_MAX : UNNAMED_MOST;
	bool yes = false;

	for (uint32_t i = d->first; !yes && !u->why.status && left && i < d->last; i++) {
		const struct tfr_scan_item *found = &u->scan->items[i];

		if (found->fault || (reach == DIRECTLY && found->dir != dir) ||
			tfr_is_media(tfr_scan_name(u->scan, found->name)) != named)
			continue;
		yes = look_at(l, found) && (reach != ALL || !u->judge || judge(l));
		left--;
	}
	return yes;
}

/* Whether a folder contains a usable file.  One with files that are not included counts as one:
 * leaving files out moves no label. */
static bool usable_in(struct tfr_usable *u, uint32_t dir, enum reach reach)
{
	const bool below = reach != DIRECTLY;
	const uint32_t end = below ? u->scan->dirs[dir].end : dir + 1;
	struct looking l = { .u = u };
	bool yes = false;

	for (uint32_t d = dir; !yes && d < end; d++)
		yes = (u->known && u->known[d]) || (below && u->scan->dirs[d].left_out);
	if (!yes && !u->known)
		yes = look_into(&l, dir, reach, true) || look_into(&l, dir, reach, false);
	tfr_buf_clear(&l.path);
	tfr_item_clear(&l.item);
	return yes && !u->why.status;
}

/* The first folder directly in `dir` that contains a usable file; after `last`, unless that is 0.
 * 0: there is none. */
static uint32_t usable_child(struct tfr_usable *u, uint32_t dir, uint32_t last, enum reach reach)
{
	const struct tfr_scan_dir *dirs = u->scan->dirs;
	uint32_t d = last ? dirs[last].end : dir + 1;

	while (d < dirs[dir].end && !usable_in(u, d, reach))
		d = dirs[d].end;
	return d < dirs[dir].end ? d : 0;
}

/* The only one, with files at any depth; 0: there is none, or several. */
static uint32_t usable_only_child(struct tfr_usable *u, uint32_t dir)
{
	uint32_t first = usable_child(u, dir, 0, BELOW);

	return first && !usable_child(u, dir, first, BELOW) ? first : 0;
}

/* --- the base --- */

static const char *name_of(const struct tfr_scan *scan, uint32_t dir)
{
	return tfr_scan_name(scan, scan->dirs[dir].name);
}

/* The number of folders in `dir` with usable files if all have names of splits, and at least one
 * without the help of the others; otherwise 0. */
static size_t count_splits(struct tfr_usable *u, uint32_t dir)
{
	size_t n = 0, splits = 0;

	for (uint32_t d = 0; (d = usable_child(u, dir, d, BELOW)); n++) {
		enum meaning m = name_means(name_of(u->scan, d));

		if (m < COMPANION)
			return 0;
		splits += m == SPLIT;
	}
	return splits ? n : 0;
}

/* Whether to search in the only folder of s->base with usable files: if its name is not one of a
 * class, if the files are in its sub-folders, or if all its folders are splits.  Files beside
 * it, such as an image for a README, prevent that, unless it has the name of a split and
 * contains only folders: no class has such a name. */
static bool descend(struct tfr_splits *s, struct tfr_usable *u)
{
	const uint32_t only = usable_only_child(u, s->base);
	const char *name = name_of(s->scan, only);
	bool yes;

	if (!only)
		return false;
	if (usable_in(u, s->base, DIRECTLY))
		yes = tfr_split_is_name(name) && !usable_in(u, only, DIRECTLY);
	else
		yes = tfr_split_is_wrapping(name) || !usable_in(u, only, DIRECTLY) ||
		      count_splits(u, only);
	if (yes)
		s->base = only;
	return yes && !u->why.status;
}

/* --- the splits --- */

static enum tfr_status add(
	struct tfr_splits *s, uint32_t dir, uint32_t target, struct tfr_error *err)
{
	TFR_AUTO_BUF path = { 0 };
	char *copy = NULL;

	if (!TFR_ARRAY_ONE_MORE(s->list, s->n) && tfr_scan_dir_path(s->scan, dir, &path))
		copy = strdup((const char *)path.data);
	TFR_NEED_MEMORY(copy, err, "listing a folder");
	s->list[s->n++] = (struct tfr_split){ name_of(s->scan, dir), copy, dir, target };
	return TFR_OK;
}

/* --- those that opts->output.targets name --- */

/* The folder of the path "a/b/" below `from`; 0: there is none. */
static uint32_t folder_at(const struct tfr_scan *scan, uint32_t from, const char *path)
{
	uint32_t at = from;
	size_t n;

	for (; *path; path += n + (path[n] == '/')) {
		const uint32_t end = scan->dirs[at].end;

		n = strcspn(path, "/");
		if (!n || (n == 1 && *path == '.'))
			continue;
		for (at++; at < end; at = scan->dirs[at].end)
			if (!strncmp(name_of(scan, at), path, n) && !name_of(scan, at)[n])
				break;
		if (at >= end)
			return 0;
	}
	return at == from ? 0 : at;
}

/* Searches below the base, then below each of its parents up to the input. */
static uint32_t find_folder(const struct tfr_splits *s, const char *path)
{
	uint32_t from = s->base, found = folder_at(s->scan, from, path);

	while (!found && from) {
		from = s->scan->dirs[from].parent;
		found = folder_at(s->scan, from, path);
	}
	return found;
}

void tfr_list_name(char *text, size_t size, const char *name, const char *end)
{
	size_t at = strlen(text);

	snprintf(text + at, size - at, "%s'%s%s'", at ? ", " : "", name, end);
}

static enum tfr_status not_there(const struct tfr_splits *s, const char *folder,
	const struct tfr_convert_opts *o, struct tfr_error *err)
{
	char text[300] = "";

	for (uint32_t d = s->base + 1; d < s->scan->dirs[s->base].end; d = s->scan->dirs[d].end)
		tfr_list_name(text, sizeof(text), name_of(s->scan, d), "/");
	tfr_fail(err, TFR_EUSAGE, "no folder '%s' in '%s'", folder, o->input.paths[0]);
	if (*text && strlen(text) < sizeof(text) - 1)
		tfr_error_hint(err, "Its folders are %s.", text);
	return TFR_EUSAGE;
}

static enum tfr_status add_target(struct tfr_splits *s, struct tfr_usable *u,
	const struct tfr_convert_opts *o, uint32_t t, struct tfr_error *err)
{
	const char *folder = o->output.targets[t].folder;
	uint32_t dir = find_folder(s, folder);
	TFR_AUTO_FREE char *path = NULL;
	bool yes;

	if (!dir)
		return not_there(s, folder, o, err);
	for (size_t i = 0; i < s->n; i++) {
		if (dir == s->list[i].dir)
			return tfr_fail(err, TFR_EUSAGE, "the folder '%s' is named twice", folder);
		if (tfr_scan_is_in(s->scan, dir, s->list[i].dir) ||
			tfr_scan_is_in(s->scan, s->list[i].dir, dir))
			return tfr_fail(err, TFR_EUSAGE, "the folders '%s' and '%s/' overlap",
				folder, s->list[i].path);
	}
	yes = usable_in(u, dir, ALL);
	TFR_TRY(tfr_error_pass(&u->why, err));
	TFR_TRY(add(s, dir, t, err));
	if (yes)
		return TFR_OK;
	path = tfr_asprintf("%s/%s", o->input.paths[0], s->list[s->n - 1].path);
	TFR_NEED_MEMORY(path, err, "listing a folder");
	return tfr_fail_path(err, TFR_EDATA, path, "%s", u->nothing);
}

/* The folders beside the named ones that are splits: by their names, or like the named ones. */
static enum tfr_status add_siblings(
	struct tfr_splits *s, struct tfr_usable *u, struct tfr_error *err)
{
	const size_t named = s->n;

	for (size_t i = 0; i < named; i++) {
		const uint32_t parent = s->scan->dirs[s->list[i].dir].parent;
		const bool usual = tfr_split_is_name(s->list[i].name);

		for (uint32_t d = 0; (d = usable_child(u, parent, d, BELOW));) {
			bool in = usual && name_means(name_of(s->scan, d)) < COMPANION;

			for (size_t j = 0; !in && j < s->n; j++)
				in = tfr_scan_is_in(s->scan, s->list[j].dir, d);
			if (!in)
				TFR_TRY(add(s, d, TFR_NO_TARGET, err));
		}
	}
	return TFR_OK;
}

static int by_dir(const void *a, const void *b)
{
	uint32_t x = ((const struct tfr_split *)a)->dir, y = ((const struct tfr_split *)b)->dir;

	return (x > y) - (x < y);
}

enum tfr_status tfr_splits_find(struct tfr_splits *s, struct tfr_usable *u,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	*s = (struct tfr_splits){ .scan = u->scan, .named = tfr_splits_are_asked(opts) };
	while (descend(s, u))
		;
	TFR_TRY(tfr_error_pass(&u->why, err));
	for (size_t t = 0; s->named && t < opts->output.target_count; t++)
		TFR_TRY(add_target(s, u, opts, (uint32_t)t, err));
	if (s->named) {
		TFR_TRY(add_siblings(s, u, err));
		qsort(s->list, s->n, sizeof(*s->list), by_dir);
	} else if (count_splits(u, s->base) > 1) {
		for (uint32_t d = 0; (d = usable_child(u, s->base, d, BELOW));)
			TFR_TRY(add(s, d, TFR_NO_TARGET, err));
	}
	return tfr_error_pass(&u->why, err);
}

enum tfr_status tfr_splits_refuse_found(const struct tfr_convert_opts *opts, const char *what,
	const struct tfr_found_split *found, size_t n, struct tfr_error *err)
{
	char text[200] = "";

	for (size_t i = 0; i < n; i++) {
		if (opts->run.found_split)
			opts->run.found_split(opts->run.ctx, &found[i]);
		tfr_list_name(text, sizeof(text), found[i].folder, "");
	}
	tfr_fail(err, TFR_EUSAGE, "'%s' contains %s: %s", opts->input.paths[0], what, text);
	tfr_error_hint(err,
		"Write one set for each split, such as -o %s.tfrecord=%s/; all sets get the same "
		"labels.",
		found[0].folder, found[0].folder);
	return TFR_EUSAGE;
}

enum tfr_status tfr_splits_refuse(const struct tfr_splits *s, struct tfr_usable *u,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_found_split *found = calloc(s->n, sizeof(*found));

	TFR_NEED_MEMORY(found, err, "listing a folder");
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t dir = s->list[i].dir;

		found[i] = (struct tfr_found_split){ s->list[i].name,
			s->scan->dirs[dir].last - s->scan->dirs[dir].first,
			usable_child(u, dir, 0, BELOW) != 0 };
	}
	TFR_TRY(tfr_error_pass(&u->why, err));
	return tfr_splits_refuse_found(opts, "splits, not classes", found, s->n, err);
}

/* The split that is or contains a folder of the scan; NULL: none. */
static const struct tfr_split *split_of(const struct tfr_splits *s, uint32_t dir)
{
	for (size_t i = 0; i < s->n; i++)
		if (tfr_scan_is_in(s->scan, dir, s->list[i].dir))
			return &s->list[i];
	return NULL;
}

bool tfr_splits_take(const struct tfr_splits *s, uint32_t dir)
{
	const struct tfr_split *split = split_of(s, dir);

	return s->n ? split && split->target != TFR_NO_TARGET
		    : tfr_scan_is_in(s->scan, dir, s->base);
}

void tfr_splits_keep(const struct tfr_splits *s, struct tfr_scan *scan)
{
	size_t kept = 0, all = 0;

	for (size_t i = 0; i < scan->n_items; i++) {
		const struct tfr_scan_item item = scan->items[i];

		if (!tfr_splits_take(s, item.dir)) {
			if (!split_of(s, item.dir))
				scan->items[all++] = item;
			continue;
		}
		scan->items[all++] = scan->items[kept];
		scan->items[kept] = item;
		if (scan->sizes)
			scan->sizes[kept] = scan->sizes[i];
		kept++;
	}
	scan->n_outside = all - kept;
	scan->n_items = kept;
}

void tfr_splits_place(const struct tfr_splits *s, uint32_t dir, struct tfr_item *item)
{
	const struct tfr_split *split = split_of(s, dir);

	item->placed = split && split->target != TFR_NO_TARGET;
	if (item->placed)
		item->target = split->target;
}

void tfr_splits_forget(struct tfr_splits *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].path);
	free(s->list);
	s->list = NULL;
	s->n = 0;
}

void tfr_splits_clear(struct tfr_splits *s)
{
	tfr_splits_forget(s);
	*s = (struct tfr_splits){ 0 };
}

/* --- names of classes --- */

/* The position of a name, or the position at which to insert it.  There are thousands of classes at
 * most. */
static size_t position_of(const struct tfr_names *names, const char *name, bool *found)
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
	size_t at = position_of(&c->sorted, name, &found);

	return found || tfr_names_insert(&c->sorted, at, name, strlen(name));
}

uint32_t tfr_class_names_find(const struct tfr_class_names *c, const char *name)
{
	bool found;
	size_t at = position_of(&c->sorted, name, &found);

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

/* --- class folders --- */

/* The folder of a split, or the base, whose folders are classes. */
struct root {
	uint32_t dir;
	/* the folder that contains all usable files and is not a class; 0: there is none */
	uint32_t only;
};

static uint32_t find_only(struct tfr_usable *u, uint32_t dir)
{
	uint32_t only = usable_only_child(u, dir);

	if (!only || usable_in(u, dir, DIRECTLY))
		return 0;
	return tfr_split_is_wrapping(name_of(u->scan, only)) || !usable_in(u, only, DIRECTLY) ? only
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
		if (!roots[i].only && usable_child(u, roots[i].dir, 0, BELOW))
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
	for (uint32_t d = 0; (d = usable_child(u, root, d, ALL)); *any = true) {
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
