/* convert/folder/scan.c - walks through a folder, depth first, with each folder's names sorted
 * bytewise: this is the order of paths compared component by component.
 *
 * A file costs no system call if readdir() returns its type.  Links are followed with stat(); a
 * folder that contains the link to it is a loop. */
#include "convert/folder/scan.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "convert/folder/globs.h"
#include "io/object.h"

enum {
	MAX_DEPTH = 200, /* each level has an open descriptor during the walk */
};

struct level {
	const struct level *up;
	dev_t dev;
	ino_t ino;
	uint32_t dir;
	unsigned depth;
	bool included; /* all of it: a pattern matches this folder, or one that contains it */
};

struct entry {
	size_t name; /* offset in the listing's names */
	unsigned char type;
};

/* The names of one folder. */
struct listing {
	struct tfr_buf names;
	struct entry *entries;
	size_t n, cap;
};

static int by_name(const void *a, const void *b, void *names)
{
	return strcmp((const char *)names + ((const struct entry *)a)->name,
		(const char *)names + ((const struct entry *)b)->name);
}

/* An errno, 0 for success. */
static int list(DIR *d, struct listing *l)
{
	const struct dirent *e;

	for (errno = 0; (e = readdir(d)); errno = 0) {
		struct entry entry = { l->names.size, e->d_type };

		if (e->d_name[0] == '.')
			continue;
		if (!tfr_buf_append(&l->names, e->d_name, strlen(e->d_name) + 1) ||
			TFR_ARRAY_RESERVE(l->entries, l->cap, l->n + 1))
			return ENOMEM;
		l->entries[l->n++] = entry;
	}
	if (errno)
		return errno;
	if (l->n)
		qsort_r(l->entries, l->n, sizeof(*l->entries), by_name, l->names.data);
	return 0;
}

/* Neighbours mostly have the same extension. */
static uint8_t kind_of(const struct tfr_scan *s, const char *name)
{
	const struct tfr_scan_item *last = s->n_items ? &s->items[s->n_items - 1] : NULL;
	const char *dot = strrchr(name, '.');
	const char *before = last ? strrchr(tfr_scan_name(s, last->name), '.') : NULL;

	if (dot && before && dot > name && before > tfr_scan_name(s, last->name) &&
		!strcmp(dot, before))
		return last->kind;
	return (uint8_t)tfr_file_kind(name);
}

static enum tfr_status add_item(struct tfr_scan *s, uint32_t dir, const char *name, int fault,
	bool wanted, struct tfr_error *err)
{
	struct tfr_scan_item item = { .name = s->names.size,
		.dir = dir,
		.fault = (int16_t)fault,
		.kind = kind_of(s, name),
		.left_out = !wanted };

	if (s->n_items == UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u files in one folder", UINT32_MAX);
	if (!tfr_buf_append(&s->names, name, strlen(name) + 1) ||
		TFR_ARRAY_RESERVE(s->items, s->items_cap, s->n_items + 1))
		return tfr_fail_nomem(err, "listing a folder");
	s->items[s->n_items++] = item;
	return TFR_OK;
}

/* A folder inside `up`, before its walk. */
static enum tfr_status add_dir(struct tfr_scan *s, const struct level *up, const char *name,
	uint32_t *index, struct tfr_error *err)
{
	uint32_t n = (uint32_t)s->n_dirs, items = (uint32_t)s->n_items;
	struct tfr_scan_dir dir = { up ? up->dir : 0, n + 1, items, items, s->names.size, false };

	if (s->n_dirs == UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u folders in one", UINT32_MAX);
	if (!tfr_buf_append(&s->names, name, strlen(name) + 1) ||
		TFR_ARRAY_RESERVE(s->dirs, s->dirs_cap, s->n_dirs + 1))
		return tfr_fail_nomem(err, "listing a folder");
	s->dirs[s->n_dirs++] = dir;
	*index = n;
	return TFR_OK;
}

static bool append_path(
	const struct tfr_scan *s, uint32_t dir, uint32_t below, struct tfr_buf *path);

/* Called after everything in the folder has been walked. */
static void close_dir(struct tfr_scan *s, uint32_t dir)
{
	s->dirs[dir].end = (uint32_t)s->n_dirs;
	s->dirs[dir].last = (uint32_t)s->n_items;
}

/* A folder without a part of its contents would be another input. */
static enum tfr_status fail_path(struct tfr_scan *s, const struct level *above, const char *name,
	int sys_errno, const char *what, struct tfr_error *err)
{
	TFR_AUTO_BUF path = { 0 };

	if (!append_path(s, above->dir, 0, &path) || !tfr_buf_append(&path, name, strlen(name) + 1))
		return tfr_fail_nomem(err, "listing a folder");
	return tfr_fail_errno(err, sys_errno, (const char *)path.data, "%s", what);
}

/* The type of an entry, following links: DT_DIR, DT_REG, or another one with *fault set: links
 * that lead nowhere are items that cannot be read. */
static unsigned char resolve(int fd, const char *name, unsigned char type, int *fault)
{
	struct stat st;

	if (type == DT_LNK || type == DT_UNKNOWN) {
		if (fstatat(fd, name, &st, 0)) {
			*fault = errno;
			return DT_REG;
		}
		type = S_ISREG(st.st_mode) ? DT_REG : S_ISDIR(st.st_mode) ? DT_DIR : DT_FIFO;
	}
	if (type != DT_REG && type != DT_DIR)
		*fault = TFR_SCAN_SPECIAL;
	return type;
}

static bool is_loop(const struct level *l)
{
	for (const struct level *up = l->up; up; up = up->up)
		if (up->dev == l->dev && up->ino == l->ino)
			return true;
	return false;
}

/* --- which are wanted --- */

static bool any_matches(const char *const *patterns, size_t n, const char *path, bool folder)
{
	for (size_t i = 0; i < n; i++)
		if (tfr_glob_matches(patterns[i], path, folder))
			return true;
	return false;
}

/* Whether a file or a folder is not excluded; *included says whether all of it is included. */
static bool is_wanted(
	struct tfr_scan *s, uint32_t dir, const char *name, bool folder, bool *included)
{
	const struct tfr_scan_globs *g = s->globs;
	const char *path = (const char *)s->at.data;

	if (any_matches(g->exclude, g->n_exclude, path, folder))
		return false;
	*included = *included || any_matches(g->include, g->n_include, path, folder);
	if (!folder && !*included && tfr_is_media(name))
		s->dirs[dir].left_out = true;
	return true;
}

static enum tfr_status walk(struct tfr_scan *s, DIR *d, const struct level *here,
	struct listing *names, struct tfr_error *err);

/* Opens a folder and walks it.  A loop is an item with the folder's name.  `up` NULL: the folder
 * `name` is that of the scan. */
static enum tfr_status enter(struct tfr_scan *s, int parent, const char *name,
	const struct level *up, bool included, struct tfr_error *err)
{
	struct level here = { .up = up, .depth = up ? up->depth + 1 : 0, .included = included };
	struct listing names = { .n = 0 };
	struct stat st;
	enum tfr_status status;
	int fault = 0, fd = TEMP_FAILURE_RETRY(openat(parent, up ? name : ".",
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d || fstat(fd, &st))
		fault = errno;
	if (fd >= 0 && !d)
		close(fd);
	if (!fault) {
		here.dev = st.st_dev;
		here.ino = st.st_ino;
		fault = is_loop(&here) ? TFR_SCAN_LOOP : here.depth > MAX_DEPTH ? TFR_SCAN_DEEP : 0;
	}
	if (!fault)
		fault = list(d, &names);
	if (fault > 0 && up)
		status = fail_path(s, up, name, fault, "cannot list folder", err);
	else if (fault > 0)
		status = tfr_fail_errno(
			err, fault, name, d ? "cannot list folder" : "cannot open folder");
	else if (fault)
		status = add_item(s, up->dir, name, fault, included, err);
	else
		status = add_dir(s, up, up ? name : "", &here.dir, err);
	if (!status && !fault)
		status = walk(s, d, &here, &names, err);
	if (!status && !fault)
		close_dir(s, here.dir);
	tfr_buf_clear(&names.names);
	free(names.entries);
	if (d)
		closedir(d);
	return status;
}

/* One name in a folder. */
static enum tfr_status visit(struct tfr_scan *s, int parent, const char *name, unsigned char type,
	const struct level *here, struct tfr_error *err)
{
	bool included = here->included;
	int fault = 0;

	type = resolve(parent, name, type, &fault);
	if (s->globs && !is_wanted(s, here->dir, name, type == DT_DIR, &included))
		return TFR_OK;
	if (fault > 0 && fault != ENOENT && fault != ENOTDIR && fault != ELOOP &&
		fault != ENAMETOOLONG)
		return fail_path(s, here, name, fault, "cannot follow link", err);
	if (type == DT_DIR)
		return enter(s, parent, name, here, included, err);
	return add_item(s, here->dir, name, fault, included, err);
}

/* Sets s->path to that of a name below the first `above` bytes; nothing without patterns. */
static enum tfr_status set_path(
	struct tfr_scan *s, size_t above, const char *name, struct tfr_error *err)
{
	if (!s->globs)
		return TFR_OK;
	/* "above/" and the name with its NUL, which the next slash replaces. */
	if (above)
		s->at.data[above - 1] = '/';
	s->at.size = above;
	return tfr_buf_append(&s->at, name, strlen(name) + 1)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "listing a folder");
}

static enum tfr_status walk(struct tfr_scan *s, DIR *d, const struct level *here,
	struct listing *names, struct tfr_error *err)
{
	size_t above = s->at.size;

	for (size_t i = 0; i < names->n; i++) {
		const char *name = (const char *)names->names.data + names->entries[i].name;

		TFR_TRY(set_path(s, above, name, err));
		TFR_TRY(visit(s, dirfd(d), name, names->entries[i].type, here, err));
	}
	return TFR_OK;
}

static enum tfr_status index_folders(struct tfr_scan *s, struct tfr_error *err);

/* --- a prefix of a bucket, an archive --- */

/* One object or member; sorted, they are in the order of the walk. */
struct object {
	size_t name; /* offset in the names: "cat/1.jpg" */
	uint64_t size, place;
};

struct objects {
	struct tfr_buf names;
	struct object *list;
	size_t n, cap;
};

static enum tfr_status take_object(
	struct objects *o, const char *name, uint64_t size, uint64_t place, struct tfr_error *err)
{
	const struct object one = { o->names.size, size, place };

	if (!tfr_buf_append(&o->names, name, strlen(name) + 1) ||
		TFR_ARRAY_RESERVE(o->list, o->cap, o->n + 1))
		return tfr_fail_nomem(err, "listing a folder");
	o->list[o->n++] = one;
	return TFR_OK;
}

static enum tfr_status take_listed(
	void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	return take_object(ctx, entry->name, (uint64_t)entry->st->st_size, 0, err);
}

static void clear_objects(struct objects *o)
{
	tfr_buf_clear(&o->names);
	free(o->list);
}

/* By components: a '/' comes before every other byte. */
static int by_components(const void *a, const void *b, void *names)
{
	const struct object *one = a, *other = b;
	const char *x = (const char *)names + one->name, *y = (const char *)names + other->name;

	while (*x && *x == *y)
		x++, y++;
	if (!*x && !*y)
		return (one->place > other->place) - (one->place < other->place);
	if (!*x || !*y)
		return *x ? 1 : -1;
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
}

/* Adds an item with the size and the place of its object. */
static enum tfr_status add_object(struct tfr_scan *s, uint32_t dir, const char *name, int fault,
	bool wanted, const struct object *o, struct tfr_error *err)
{
	TFR_TRY(add_item(s, dir, name, fault, wanted, err));
	if (TFR_ARRAY_RESERVE(s->sizes, s->sizes_cap, s->n_items))
		return tfr_fail_nomem(err, "listing a folder");
	s->sizes[s->n_items - 1] = o->size;
	if (tfr_root_is_remote(s->root))
		return TFR_OK;
	if (TFR_ARRAY_RESERVE(s->places, s->places_cap, s->n_items))
		return tfr_fail_nomem(err, "listing a folder");
	s->places[s->n_items - 1] = o->place;
	return TFR_OK;
}

/* Walks the objects from `from` to before `to`, whose names agree in the first `skip` bytes. */
static enum tfr_status walk_objects(struct tfr_scan *s, const struct objects *o, size_t from,
	size_t to, size_t skip, const struct level *here, struct tfr_error *err)
{
	const struct object *list = o->list;
	size_t above = s->at.size;

	for (size_t end; from < to; from = end) {
		const char *name = (const char *)o->names.data + list[from].name + skip;
		size_t n = strcspn(name, "/");
		TFR_AUTO_FREE char *part = strndup(name, n);
		struct level below = {
			.up = here, .depth = here->depth + 1, .included = here->included
		};
		bool folder = name[n] == '/';

		end = from + 1;
		while (end < to &&
			!strncmp((const char *)o->names.data + list[end].name + skip, name, n + 1))
			end++;
		TFR_NEED_MEMORY(part, err, "listing a folder");
		TFR_TRY(set_path(s, above, part, err));
		if (!n || *part == '.' ||
			(s->globs && !is_wanted(s, here->dir, part, folder, &below.included)))
			continue;
		if (!folder || below.depth > MAX_DEPTH) {
			TFR_TRY(add_object(s, here->dir, part, folder ? TFR_SCAN_DEEP : 0,
				below.included, &list[end - 1], err));
		} else {
			TFR_TRY(add_dir(s, here, part, &below.dir, err));
			TFR_TRY(walk_objects(s, o, from, end, skip + n + 1, &below, err));
			close_dir(s, below.dir);
		}
	}
	return TFR_OK;
}

static enum tfr_status add_objects(
	struct tfr_scan *s, struct objects *all, bool included, struct tfr_error *err)
{
	struct level root = { .included = included };

	if (all->n)
		qsort_r(all->list, all->n, sizeof(*all->list), by_components, all->names.data);
	TFR_TRY(add_dir(s, NULL, "", &root.dir, err));
	TFR_TRY(walk_objects(s, all, 0, all->n, 0, &root, err));
	close_dir(s, root.dir);
	return TFR_OK;
}

/* One listing of everything below the prefix. */
static enum tfr_status scan_prefix(
	struct tfr_scan *s, const char *folder, bool included, struct tfr_error *err)
{
	const struct tfr_object_module *remote;
	struct objects all = { .n = 0 };
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(s->root, "", &failed);
	enum tfr_status status = failed ? tfr_fail_nomem(err, "listing a folder")
					: tfr_objects(&remote, folder, err);

	if (!status)
		status = remote->list(url, true, take_listed, &all, err);
	if (!status)
		status = add_objects(s, &all, included, err);
	clear_objects(&all);
	return status;
}

/* Finds a member for the root of the scan. */
static bool find_member(const void *ctx, const char *name, uint64_t *place, uint64_t *size)
{
	const struct tfr_scan *s = ctx;
	uint32_t item = tfr_scan_file(s, 0, name);

	if (item == TFR_NO_FILE)
		return false;
	*place = s->places[item];
	*size = s->sizes[item];
	return true;
}

enum tfr_status tfr_scan_members(struct tfr_scan *s, const char *path,
	const struct tfr_source *source, const struct tfr_scan_member *list, size_t n,
	struct tfr_error *err)
{
	struct objects all = { .n = 0 };
	enum tfr_status status = TFR_OK;

	*s = (struct tfr_scan){ .path = strdup(path) };
	/* Not NULL, even without a member. */
	if (TFR_ARRAY_RESERVE(s->places, s->places_cap, 1))
		status = tfr_fail_nomem(err, "listing an archive");
	for (size_t i = 0; !status && i < n; i++)
		status = take_object(&all, list[i].name, list[i].size, list[i].place, err);
	if (!status)
		status = s->path ? tfr_root_of_parts(&s->root, source, find_member, s, err)
				 : tfr_fail_nomem(err, "listing an archive");
	if (!status)
		status = add_objects(s, &all, true, err);
	if (!status)
		status = index_folders(s, err);
	clear_objects(&all);
	if (status)
		tfr_scan_clear(s);
	return status;
}

/* --- a folder --- */

enum tfr_status tfr_scan_folder(struct tfr_scan *s, const char *folder,
	const struct tfr_scan_globs *globs, struct tfr_error *err)
{
	enum tfr_status status;
	bool included;

	*s = (struct tfr_scan){ .path = strdup(folder) };
	if (globs && (globs->n_include || globs->n_exclude))
		s->globs = globs;
	included = !globs || !globs->n_include;
	status = s->path ? tfr_root_open(&s->root, folder, err)
			 : tfr_fail_nomem(err, "listing a folder");
	if (!status)
		status = tfr_root_is_remote(s->root)
				 ? scan_prefix(s, folder, included, err)
				 : enter(s, tfr_root_fd(s->root), folder, NULL, included, err);
	if (!status)
		status = index_folders(s, err);
	tfr_buf_clear(&s->at);
	s->globs = NULL;
	if (status)
		tfr_scan_clear(s);
	return status;
}

void tfr_scan_clear(struct tfr_scan *s)
{
	tfr_root_close(s->root);
	free(s->path);
	tfr_buf_clear(&s->names);
	free(s->dirs);
	free(s->items);
	free(s->sizes);
	free(s->places);
	tfr_hash_clear(&s->children);
	if (s->owner)
		s->close_owner(s->owner);
	*s = (struct tfr_scan){ 0 };
}

enum tfr_status tfr_scan_leave_out(struct tfr_scan *s, struct tfr_error *err)
{
	TFR_AUTO_FREE uint32_t *kept = malloc((s->n_items + 1) * sizeof(*kept));
	uint32_t n = 0;

	TFR_NEED_MEMORY(kept, err, "listing a folder");
	for (size_t i = 0; i < s->n_items; i++) {
		kept[i] = n;
		if (s->items[i].left_out)
			continue;
		s->items[n] = s->items[i];
		if (s->sizes)
			s->sizes[n] = s->sizes[i];
		n++;
	}
	kept[s->n_items] = n;
	for (size_t d = 0; d < s->n_dirs; d++) {
		s->dirs[d].first = kept[s->dirs[d].first];
		s->dirs[d].last = kept[s->dirs[d].last];
	}
	s->n_items = n;
	return TFR_OK;
}

/* --- looking around --- */

static uint64_t child_hash(uint32_t dir, const char *name, size_t size)
{
	return XXH3_64bits_withSeed(name, size, dir);
}

/* A set can have thousands of folders, and a path is looked up for each of its images. */
static enum tfr_status index_folders(struct tfr_scan *s, struct tfr_error *err)
{
	for (uint32_t d = 1; d < s->n_dirs; d++) {
		const char *name = tfr_scan_name(s, s->dirs[d].name);

		if (tfr_hash_add(
			    &s->children, child_hash(s->dirs[d].parent, name, strlen(name)), d))
			return tfr_fail_nomem(err, "listing a folder");
	}
	return TFR_OK;
}

static uint32_t find_child(const struct tfr_scan *s, uint32_t dir, const char *name, size_t size)
{
	struct tfr_hash_probe p = tfr_hash_probe(child_hash(dir, name, size));
	uint32_t d;

	while (tfr_hash_next(&s->children, &p, &d)) {
		const char *found = tfr_scan_name(s, s->dirs[d].name);

		if (s->dirs[d].parent == dir && !strncmp(found, name, size) && !found[size])
			return d;
	}
	return TFR_NO_FOLDER;
}

uint32_t tfr_scan_child(const struct tfr_scan *s, uint32_t dir, const char *name)
{
	for (uint32_t d = dir + 1; d < s->dirs[dir].end; d = s->dirs[d].end)
		if (!strcasecmp(tfr_scan_name(s, s->dirs[d].name), name))
			return d;
	return TFR_NO_FOLDER;
}

uint32_t tfr_scan_child_exactly(const struct tfr_scan *s, uint32_t dir, const char *name)
{
	return find_child(s, dir, name, strlen(name));
}

/* Follows the folders of a path; `path` is then at what follows the last slash. */
static uint32_t follow(const struct tfr_scan *s, uint32_t dir, const char **path, bool all)
{
	while (**path && dir != TFR_NO_FOLDER) {
		size_t n = strcspn(*path, "/");

		if (!(*path)[n] && !all)
			break;
		if (n == 2 && !memcmp(*path, "..", 2))
			dir = dir ? s->dirs[dir].parent : TFR_NO_FOLDER;
		else if (n && !(n == 1 && **path == '.'))
			dir = find_child(s, dir, *path, n);
		*path += n + ((*path)[n] == '/');
	}
	return dir;
}

uint32_t tfr_scan_folder_at(const struct tfr_scan *s, uint32_t dir, const char *path)
{
	return follow(s, dir, &path, true);
}

/* The file `name` among items from `low` to before `high`, which are sorted.  Of several the last
 * one is found. */
static uint32_t search_items(
	const struct tfr_scan *s, uint32_t low, uint32_t high, const char *name)
{
	const uint32_t first = low;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(tfr_scan_name(s, s->items[middle].name), name) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > first && !strcmp(tfr_scan_name(s, s->items[low - 1].name), name) ? low - 1
										      : TFR_NO_FILE;
}

uint32_t tfr_scan_file(const struct tfr_scan *s, uint32_t dir, const char *path)
{
	uint32_t from, found = TFR_NO_FILE;

	dir = follow(s, dir, &path, false);
	if (dir == TFR_NO_FOLDER || !*path)
		return TFR_NO_FILE;
	from = s->dirs[dir].first;
	/* The files between two folders are sorted, and so are these groups. */
	for (uint32_t d = dir + 1; d < s->dirs[dir].end && found == TFR_NO_FILE;
		d = s->dirs[d].end) {
		found = search_items(s, from, s->dirs[d].first, path);
		from = s->dirs[d].last;
	}
	if (found == TFR_NO_FILE)
		found = search_items(s, from, s->dirs[dir].last, path);
	return found != TFR_NO_FILE && s->items[found].fault ? TFR_NO_FILE : found;
}

uint32_t tfr_scan_next(
	const struct tfr_scan *s, uint32_t dir, enum tfr_file_kind kind, uint32_t *at)
{
	const struct tfr_scan_dir *d = &s->dirs[dir];

	*at = *at > d->first ? *at : d->first;
	while (*at < d->last) {
		const struct tfr_scan_item *item = &s->items[*at];
		uint32_t below = item->dir;

		if (below == dir) {
			(*at)++;
			if (item->kind == kind && !item->fault)
				return *at - 1;
			continue;
		}
		while (s->dirs[below].parent != dir)
			below = s->dirs[below].parent;
		*at = s->dirs[below].last;
	}
	return TFR_NO_FILE;
}

size_t tfr_scan_count(const struct tfr_scan *s, uint32_t dir, enum tfr_file_kind kind)
{
	size_t n = 0;

	for (uint32_t i = s->dirs[dir].first; i < s->dirs[dir].last; i++)
		n += s->items[i].kind == kind;
	return n;
}

static bool append_path(
	const struct tfr_scan *s, uint32_t dir, uint32_t below, struct tfr_buf *path)
{
	const char *name = tfr_scan_name(s, s->dirs[dir].name);

	return dir == below ||
	       (append_path(s, s->dirs[dir].parent, below, path) &&
		       tfr_buf_append(path, name, strlen(name)) && tfr_buf_append(path, "/", 1));
}

bool tfr_scan_path_below(
	const struct tfr_scan *s, uint32_t item, uint32_t dir, struct tfr_buf *path)
{
	const char *name = tfr_scan_name(s, s->items[item].name);

	path->size = 0;
	return append_path(s, s->items[item].dir, dir, path) &&
	       tfr_buf_append(path, name, strlen(name) + 1);
}

bool tfr_scan_path_in(
	const struct tfr_scan *s, uint32_t dir, const char *below, struct tfr_buf *path)
{
	path->size = 0;
	return append_path(s, dir, 0, path) && tfr_buf_append(path, below, strlen(below) + 1);
}

char *tfr_scan_folder_path(const struct tfr_scan *s, uint32_t dir)
{
	TFR_AUTO_BUF path = { 0 };

	if (!dir)
		return strdup(s->path);
	return tfr_scan_dir_path(s, dir, &path) ? tfr_path_join(s->path, (const char *)path.data)
						: NULL;
}

char *tfr_scan_file_path(const struct tfr_scan *s, uint32_t item)
{
	TFR_AUTO_BUF path = { 0 };

	return tfr_scan_path_below(s, item, 0, &path)
		       ? tfr_path_join(s->path, (const char *)path.data)
		       : NULL;
}

size_t tfr_scan_head(
	const struct tfr_scan *s, uint32_t item, void *head, size_t size, struct tfr_error *err)
{
	TFR_AUTO_BUF path = { 0 };
	struct tfr_error why = { .sys_errno = 0 };
	size_t got = 0;
	enum tfr_status status =
		tfr_scan_path_below(s, item, 0, &path)
			? tfr_root_head(s->root, (const char *)path.data, head, size, &got, &why)
			: tfr_fail_nomem(&why, "looking at a folder");

	if (status && status != TFR_END)
		*err = why;
	return status ? 0 : got;
}

enum tfr_status tfr_scan_read(const struct tfr_scan *s, uint32_t item, size_t most,
	struct tfr_buf *text, struct tfr_error *err)
{
	static const char reading[] = "reading a file of a folder";
	TFR_AUTO_BUF below = { 0 };
	TFR_AUTO_FREE char *path = tfr_scan_file_path(s, item);
	const struct tfr_source *source;
	struct stat st = { 0 };
	uint64_t place, size;
	size_t got;
	bool there;

	if (!path || !tfr_scan_path_below(s, item, 0, &below))
		return tfr_fail_nomem(err, reading);
	source = tfr_root_part(s->root, (const char *)below.data, &there, &place, &size);
	if (!source)
		return tfr_source_read_regular(path, most, text, reading, err);
	st.st_size = (off_t)size;
	tfr_opened_mark((const char *)below.data, &st, false);
	size = size > most ? (uint64_t)most + 1 : size;
	TFR_NEED_MEMORY(tfr_buf_reserve(text, size), err, reading);
	TFR_TRY(tfr_source_read_at(source, place, text->data + text->size, size, &got, err));
	text->size += got;
	return TFR_OK;
}

/* --- paths --- */

bool tfr_scan_path(const struct tfr_scan *s, const struct tfr_scan_item *item, struct tfr_buf *path)
{
	const char *name = tfr_scan_name(s, item->name);

	assert(item->dir < s->n_dirs && item->name < s->names.size);
	path->size = 0;
	return append_path(s, item->dir, 0, path) && tfr_buf_append(path, name, strlen(name) + 1);
}

bool tfr_scan_dir_path(const struct tfr_scan *s, uint32_t dir, struct tfr_buf *path)
{
	path->size = 0;
	if (!append_path(s, dir, 0, path))
		return false;
	if (!path->size)
		return tfr_buf_append(path, "", 1);
	path->data[path->size - 1] = '\0';
	return true;
}

struct announced {
	const struct tfr_scan *s;
	const uint32_t *order;
};

static bool path_of(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	const struct announced *a = ctx;
	size_t item = a->order ? a->order[i] : (size_t)i;

	*size = a->s->sizes[item];
	return !a->s->items[item].fault && tfr_scan_path(a->s, &a->s->items[item], path);
}

void tfr_scan_announce(
	struct tfr_scan *s, const uint32_t *order, uint64_t place, uint64_t places)
{
	struct announced a = { s, order };

	tfr_fetch_ahead_of(&s->ahead, s->root, place, places, path_of, &a);
}

bool tfr_path_is_below(const char *path)
{
	for (const char *p = path; *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.')
			return false;
		p += n;
	}
	return *path && *path != '/';
}

void tfr_item_skip_fault(struct tfr_item *item, int fault)
{
	static const char *const own[] = { [-TFR_SCAN_LOOP] = "a link to a folder that contains it",
		[-TFR_SCAN_SPECIAL] = "not a regular file",
		[-TFR_SCAN_DEEP] = "folders nested too deep" };

	if (fault < 0)
		tfr_item_skip(item, TFR_EDATA, "%s", own[-fault]);
	else
		tfr_item_skip(item, fault == ENOMEM ? TFR_ENOMEM : TFR_ESYS, "cannot open: %s",
			strerror(fault));
}

/* --- names --- */

bool tfr_has_extension(const char *name, const char *extension)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name && !strcasecmp(dot + 1, extension);
}

bool tfr_has_one_of(const char *name, const char *const *extensions)
{
	while (*extensions && !tfr_has_extension(name, *extensions))
		extensions++;
	return *extensions;
}

enum tfr_file_kind tfr_file_kind(const char *name)
{
	static const char *const extensions[][26] = {
		[TFR_FILE_IMAGE] = { "jpg", "jpeg", "jpe", "jfif", "png", "webp", "gif", "bmp",
			"dib", "tif", "tiff", "heic", "heif", "avif", "jxl", "jp2", "ppm", "pgm",
			"pbm", "pnm", "tga", "dng", "cr2", "nef", "arw" },
		[TFR_FILE_AUDIO] = { "wav", "wave", "flac", "mp3", "ogg", "oga", "opus", "m4a",
			"aac", "aif", "aiff", "wma", "au" },
		[TFR_FILE_TEXT] = { "txt" },
		[TFR_FILE_XML] = { "xml" },
		[TFR_FILE_YAML] = { "yaml", "yml" },
		[TFR_FILE_TABLE] = { "json", "csv", "jsonl" },
	};
	size_t kind = TFR_FILE_IMAGE;

	while (kind <= TFR_FILE_TABLE && !tfr_has_one_of(name, extensions[kind]))
		kind++;
	return kind <= TFR_FILE_TABLE ? (enum tfr_file_kind)kind : TFR_FILE_OTHER;
}

char *tfr_path_join(const char *folder, const char *name)
{
	size_t n = strlen(folder);

	return tfr_asprintf(n && folder[n - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}
