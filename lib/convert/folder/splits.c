/* convert/folder/splits.c - finds splits by their names, or by the names in the outputs.
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

struct looking {
	const struct tfr_usable *u;
	struct tfr_buf path;
	struct tfr_item item;
};

/* Whether a file begins like a usable one.  A file that cannot be read is judged by its name. */
static enum tfr_status look_at(
	struct looking *l, const struct tfr_scan_item *found, bool *yes, struct tfr_error *err)
{
	const struct tfr_scan *scan = l->u->scan;
	struct tfr_error why = { 0 };
	enum tfr_status status;

	*yes = l->item.skipped = false;
	if (!tfr_scan_path(scan, found, &l->path) || !tfr_buf_reserve(&l->item.file, HEAD))
		return tfr_fail_nomem(err, "listing a folder");
	status = tfr_root_head(scan->root, (const char *)l->path.data, l->item.file.data, HEAD,
		&l->item.file.size, &why);
	if (status && !tfr_errno_of_process(why.sys_errno)) {
		*yes = tfr_is_media(tfr_scan_name(scan, found->name));
		if (*yes || status == TFR_END)
			return TFR_OK;
	}
	TFR_TRY(tfr_error_pass(&why, err));
	l->u->look(&l->item);
	*yes = !l->item.skipped;
	return TFR_OK;
}

/* Whether a file with a usable beginning is usable completely.  One that cannot be opened still
 * has its mark in the digest of the input: the next run may be able to open it. */
static enum tfr_status judge(struct looking *l, bool *yes, struct tfr_error *err)
{
	const char *path = (const char *)l->path.data;
	struct tfr_measure m = { 0 };

	l->item.mark = 0;
	TFR_TRY(tfr_item_read(
		&l->item, l->u->scan->root, path, l->u->look, &(struct tfr_room){ 0 }, err));
	if (!l->item.mark)
		tfr_measure_add(l->u->scan->root, path, &m);
	if (m.fault)
		return tfr_fail_errno(err, m.fault, path, "cannot access");
	if (!l->item.skipped)
		l->u->judge(&l->item);
	*yes = !l->item.skipped || l->item.why == TFR_ESYS;
	tfr_item_trim(&l->item);
	return TFR_OK;
}

static enum tfr_status look_into(struct looking *l, uint32_t dir, enum tfr_usable_reach reach,
	bool named, bool *yes, struct tfr_error *err)
{
	const struct tfr_scan *scan = l->u->scan;
	const struct tfr_scan_dir *d = &scan->dirs[dir];
	size_t left = named || reach == TFR_USABLE_ALL ? SIZE_MAX : UNNAMED_MOST;

	for (uint32_t i = d->first; !*yes && left && i < d->last; i++) {
		const struct tfr_scan_item *found = &scan->items[i];

		if (found->fault || (reach == TFR_USABLE_DIRECTLY && found->dir != dir) ||
			tfr_is_media(tfr_scan_name(scan, found->name)) != named)
			continue;
		TFR_TRY(look_at(l, found, yes, err));
		if (*yes && reach == TFR_USABLE_ALL && l->u->judge)
			TFR_TRY(judge(l, yes, err));
		left--;
	}
	return TFR_OK;
}

enum tfr_status tfr_usable_in(const struct tfr_usable *u, uint32_t dir, enum tfr_usable_reach reach,
	bool *yes, struct tfr_error *err)
{
	uint32_t end = reach == TFR_USABLE_DIRECTLY ? dir + 1 : u->scan->dirs[dir].end;
	struct looking l = { .u = u };
	enum tfr_status status = TFR_OK;

	*yes = false;
	for (uint32_t d = dir; !*yes && d < end; d++)
		*yes = (u->known && u->known[d]) ||
		       (reach != TFR_USABLE_DIRECTLY && u->scan->dirs[d].left_out);
	if (*yes || u->known)
		return TFR_OK;
	status = look_into(&l, dir, reach, true, yes, err);
	if (!status && !*yes)
		status = look_into(&l, dir, reach, false, yes, err);
	tfr_buf_clear(&l.path);
	tfr_item_clear(&l.item);
	return status;
}

enum tfr_status tfr_usable_children(const struct tfr_usable *u, uint32_t dir,
	enum tfr_usable_reach reach, struct tfr_buf *list, struct tfr_error *err)
{
	const struct tfr_scan_dir *dirs = u->scan->dirs;
	bool yes;

	list->size = 0;
	for (uint32_t d = dir + 1; d < dirs[dir].end; d = dirs[d].end) {
		TFR_TRY(tfr_usable_in(u, d, reach, &yes, err));
		if (yes && !tfr_buf_append(list, &d, sizeof(d)))
			return tfr_fail_nomem(err, "listing a folder");
	}
	return TFR_OK;
}

/* --- the base --- */

static const char *name_of(const struct tfr_scan *scan, uint32_t dir)
{
	return tfr_scan_name(scan, scan->dirs[dir].name);
}

static const uint32_t *folders_in(const struct tfr_buf *list, size_t *n)
{
	*n = list->size / sizeof(uint32_t);
	return (const uint32_t *)(const void *)list->data;
}

/* The folders of `dir` with usable files; *yes: all have names of splits, and at least one
 * without the help of the others. */
static enum tfr_status are_splits(const struct tfr_splits *s, const struct tfr_usable *u,
	uint32_t dir, struct tfr_buf *list, bool *yes, struct tfr_error *err)
{
	size_t n, splits = 0;
	const uint32_t *folders;

	list->size = 0;
	*yes = false;
	TFR_TRY(tfr_usable_children(u, dir, TFR_USABLE_BELOW, list, err));
	folders = folders_in(list, &n);
	for (size_t i = 0; i < n; i++) {
		enum meaning m = name_means(name_of(s->scan, folders[i]));

		if (m < COMPANION)
			return TFR_OK;
		splits += m == SPLIT;
	}
	*yes = splits > 0;
	return TFR_OK;
}

/* Whether to search in the only folder of s->base with usable files: if its name is not one of a
 * class, if the files are in its sub-folders, or if all its folders are splits.  Files beside
 * it, such as an image for a README, prevent that, unless it has the name of a split and
 * contains only folders: no class has such a name. */
static enum tfr_status descend(struct tfr_splits *s, const struct tfr_usable *u,
	struct tfr_buf *list, bool *yes, struct tfr_error *err)
{
	bool at_top = true, below = true;
	size_t n = 0;
	const uint32_t *folders;
	uint32_t only;

	*yes = false;
	TFR_TRY(tfr_usable_in(u, s->base, TFR_USABLE_DIRECTLY, &at_top, err));
	TFR_TRY(tfr_usable_children(u, s->base, TFR_USABLE_BELOW, list, err));
	folders = folders_in(list, &n);
	if (n != 1)
		return TFR_OK;
	only = *folders;
	if (at_top && !tfr_split_is_name(name_of(s->scan, only)))
		return TFR_OK;
	*yes = !at_top && tfr_split_is_wrapping(name_of(s->scan, only));
	if (!*yes) {
		TFR_TRY(tfr_usable_in(u, only, TFR_USABLE_DIRECTLY, &below, err));
		*yes = !below;
	}
	if (!*yes && !at_top)
		TFR_TRY(are_splits(s, u, only, list, yes, err));
	if (*yes)
		s->base = only;
	return TFR_OK;
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

/* If the folders of the base have names of splits, and there are several. */
static enum tfr_status find_by_name(
	struct tfr_splits *s, const struct tfr_usable *u, struct tfr_error *err)
{
	TFR_AUTO_BUF list = { 0 };
	size_t n;
	const uint32_t *folders;
	bool yes;

	TFR_TRY(are_splits(s, u, s->base, &list, &yes, err));
	folders = folders_in(&list, &n);
	for (size_t i = 0; yes && n > 1 && i < n; i++)
		TFR_TRY(add(s, folders[i], TFR_NO_TARGET, err));
	return TFR_OK;
}

/* --- those that opts->output.targets name --- */

/* The folder of the path "a/b/" below `from`; 0: there is none. */
static uint32_t folder_at(const struct tfr_scan *scan, uint32_t from, const char *path)
{
	uint32_t at = from, d;

	for (;;) {
		size_t n = strcspn(path, "/");

		if (n && !(n == 1 && *path == '.')) {
			for (d = at + 1; d < scan->dirs[at].end; d = scan->dirs[d].end)
				if (!strncmp(name_of(scan, d), path, n) && !name_of(scan, d)[n])
					break;
			if (d >= scan->dirs[at].end)
				return 0;
			at = d;
		}
		if (!path[n])
			return at == from ? 0 : at;
		path += n + 1;
	}
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

static enum tfr_status add_target(struct tfr_splits *s, const struct tfr_usable *u,
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
	TFR_TRY(tfr_usable_in(u, dir, TFR_USABLE_ALL, &yes, err));
	TFR_TRY(add(s, dir, t, err));
	if (yes)
		return TFR_OK;
	path = tfr_asprintf("%s/%s", o->input.paths[0], s->list[s->n - 1].path);
	TFR_NEED_MEMORY(path, err, "listing a folder");
	return tfr_fail_path(err, TFR_EDATA, path, "%s", u->nothing);
}

/* The folders beside the named ones that are splits: by their names, or like the named ones. */
static enum tfr_status add_siblings(
	struct tfr_splits *s, const struct tfr_usable *u, struct tfr_error *err)
{
	const struct tfr_scan_dir *dirs = s->scan->dirs;
	size_t named = s->n;
	TFR_AUTO_BUF list = { 0 };

	for (size_t i = 0; i < named; i++) {
		bool usual = tfr_split_is_name(s->list[i].name);
		const uint32_t *folders;
		size_t n;

		TFR_TRY(tfr_usable_children(
			u, dirs[s->list[i].dir].parent, TFR_USABLE_BELOW, &list, err));
		folders = folders_in(&list, &n);
		for (size_t k = 0; k < n; k++) {
			bool in = usual && name_means(name_of(s->scan, folders[k])) < COMPANION;

			for (size_t j = 0; !in && j < s->n; j++)
				in = tfr_scan_is_in(s->scan, s->list[j].dir, folders[k]);
			if (!in)
				TFR_TRY(add(s, folders[k], TFR_NO_TARGET, err));
		}
	}
	return TFR_OK;
}

static int by_dir(const void *a, const void *b)
{
	uint32_t x = ((const struct tfr_split *)a)->dir, y = ((const struct tfr_split *)b)->dir;

	return (x > y) - (x < y);
}

static enum tfr_status find_named(struct tfr_splits *s, const struct tfr_usable *u,
	const struct tfr_convert_opts *o, struct tfr_error *err)
{
	s->named = true;
	for (size_t t = 0; t < o->output.target_count; t++)
		TFR_TRY(add_target(s, u, o, (uint32_t)t, err));
	TFR_TRY(add_siblings(s, u, err));
	qsort(s->list, s->n, sizeof(*s->list), by_dir);
	return TFR_OK;
}

enum tfr_status tfr_splits_find(struct tfr_splits *s, const struct tfr_usable *u,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_BUF list = { 0 };
	bool on = true;

	*s = (struct tfr_splits){ .scan = u->scan };
	while (on)
		TFR_TRY(descend(s, u, &list, &on, err));
	return tfr_splits_are_asked(opts) ? find_named(s, u, opts, err) : find_by_name(s, u, err);
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

enum tfr_status tfr_splits_refuse(const struct tfr_splits *s, const struct tfr_usable *u,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_found_split *found = calloc(s->n, sizeof(*found));
	TFR_AUTO_BUF list = { 0 };

	TFR_NEED_MEMORY(found, err, "listing a folder");
	for (size_t i = 0; i < s->n; i++) {
		const struct tfr_scan_dir *d = &s->scan->dirs[s->list[i].dir];

		TFR_TRY(tfr_usable_children(u, s->list[i].dir, TFR_USABLE_BELOW, &list, err));
		found[i] = (struct tfr_found_split){ s->list[i].name, d->last - d->first,
			list.size > 0 };
	}
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
