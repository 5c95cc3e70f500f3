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
	if (status && !tfr_errno_of_process(why.sys_errno)) {
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

static bool look_into(struct looking *l, uint32_t dir, enum tfr_usable_reach reach, bool named)
{
	const struct tfr_usable *u = l->u;
	const struct tfr_scan_dir *d = &u->scan->dirs[dir];
	size_t left = named || reach == TFR_USABLE_ALL ? SIZE_MAX : UNNAMED_MOST;
	bool yes = false;

	for (uint32_t i = d->first; !yes && !u->why.status && left && i < d->last; i++) {
		const struct tfr_scan_item *found = &u->scan->items[i];

		if (found->fault || (reach == TFR_USABLE_DIRECTLY && found->dir != dir) ||
			tfr_is_media(tfr_scan_name(u->scan, found->name)) != named)
			continue;
		yes = look_at(l, found) && (reach != TFR_USABLE_ALL || !u->judge || judge(l));
		left--;
	}
	return yes;
}

bool tfr_usable_in(struct tfr_usable *u, uint32_t dir, enum tfr_usable_reach reach)
{
	const bool below = reach != TFR_USABLE_DIRECTLY;
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

uint32_t tfr_usable_child(
	struct tfr_usable *u, uint32_t dir, uint32_t last, enum tfr_usable_reach reach)
{
	const struct tfr_scan_dir *dirs = u->scan->dirs;
	uint32_t d = last ? dirs[last].end : dir + 1;

	while (d < dirs[dir].end && !tfr_usable_in(u, d, reach))
		d = dirs[d].end;
	return d < dirs[dir].end ? d : 0;
}

uint32_t tfr_usable_only_child(struct tfr_usable *u, uint32_t dir)
{
	uint32_t first = tfr_usable_child(u, dir, 0, TFR_USABLE_BELOW);

	return first && !tfr_usable_child(u, dir, first, TFR_USABLE_BELOW) ? first : 0;
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

	for (uint32_t d = 0; (d = tfr_usable_child(u, dir, d, TFR_USABLE_BELOW)); n++) {
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
	const uint32_t only = tfr_usable_only_child(u, s->base);
	const char *name = name_of(s->scan, only);
	bool yes;

	if (!only)
		return false;
	if (tfr_usable_in(u, s->base, TFR_USABLE_DIRECTLY))
		yes = tfr_split_is_name(name) && !tfr_usable_in(u, only, TFR_USABLE_DIRECTLY);
	else
		yes = tfr_split_is_wrapping(name) || !tfr_usable_in(u, only, TFR_USABLE_DIRECTLY) ||
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
	yes = tfr_usable_in(u, dir, TFR_USABLE_ALL);
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

		for (uint32_t d = 0; (d = tfr_usable_child(u, parent, d, TFR_USABLE_BELOW));) {
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
		for (uint32_t d = 0; (d = tfr_usable_child(u, s->base, d, TFR_USABLE_BELOW));)
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
			tfr_usable_child(u, dir, 0, TFR_USABLE_BELOW) != 0 };
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
