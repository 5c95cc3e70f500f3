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

#include "base/array.h"
#include "convert/folder/globs.h"
#include "convert/parts.h"
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

static enum tfr_status add_item(
	struct tfr_scan *s, uint32_t dir, const char *name, int fault, struct tfr_error *err)
{
	struct tfr_scan_item item = { .name = s->names.size, .dir = dir, .fault = fault };

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

static bool add_folders(const struct tfr_scan *s, uint32_t dir, struct tfr_buf *path)
{
	const char *name = tfr_scan_name(s, s->dirs[dir].name);

	return !dir ||
	       (add_folders(s, s->dirs[dir].parent, path) &&
		       tfr_buf_append(path, name, strlen(name)) && tfr_buf_append(path, "/", 1));
}

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

	if (!add_folders(s, above->dir, &path) ||
		!tfr_buf_append(&path, name, strlen(name) + 1))
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

/* Whether to take a file or to enter a folder; *included says whether all of it is included. */
static bool is_wanted(
	struct tfr_scan *s, uint32_t dir, const char *name, bool folder, bool *included)
{
	const struct tfr_scan_globs *g = s->globs;
	const char *path = (const char *)s->path.data;

	if (any_matches(g->exclude, g->n_exclude, path, folder))
		return false;
	*included = *included || any_matches(g->include, g->n_include, path, folder);
	if (!folder && !*included && tfr_is_media(name))
		s->dirs[dir].left_out = true;
	return folder || *included;
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
		status = add_item(s, up->dir, name, fault, err);
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
	return add_item(s, here->dir, name, fault, err);
}

/* Sets s->path to that of a name below the first `above` bytes; nothing without patterns. */
static enum tfr_status set_path(
	struct tfr_scan *s, size_t above, const char *name, struct tfr_error *err)
{
	if (!s->globs)
		return TFR_OK;
	/* "above/" and the name with its NUL, which the next slash replaces. */
	if (above)
		s->path.data[above - 1] = '/';
	s->path.size = above;
	return tfr_buf_append(&s->path, name, strlen(name) + 1)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "listing a folder");
}

static enum tfr_status walk(struct tfr_scan *s, DIR *d, const struct level *here,
	struct listing *names, struct tfr_error *err)
{
	size_t above = s->path.size;

	for (size_t i = 0; i < names->n; i++) {
		const char *name = (const char *)names->names.data + names->entries[i].name;

		TFR_TRY(set_path(s, above, name, err));
		TFR_TRY(visit(s, dirfd(d), name, names->entries[i].type, here, err));
	}
	return TFR_OK;
}

/* --- a prefix of a bucket --- */

/* One object; sorted, they are in the order of the walk. */
struct object {
	size_t name; /* offset in the names: "cat/1.jpg" */
	uint64_t size;
};

struct objects {
	struct tfr_buf names;
	struct object *list;
	size_t n, cap;
};

static enum tfr_status take_object(
	void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	struct objects *o = ctx;
	struct object one = { o->names.size, (uint64_t)entry->st->st_size };

	if (!tfr_buf_append(&o->names, entry->name, strlen(entry->name) + 1) ||
		TFR_ARRAY_RESERVE(o->list, o->cap, o->n + 1))
		return tfr_fail_nomem(err, "listing a folder");
	o->list[o->n++] = one;
	return TFR_OK;
}

/* By components: a '/' comes before every other byte. */
static int by_components(const void *a, const void *b, void *names)
{
	const char *x = (const char *)names + ((const struct object *)a)->name;
	const char *y = (const char *)names + ((const struct object *)b)->name;

	while (*x && *x == *y)
		x++, y++;
	if (!*x || !*y || *x == *y)
		return (*x != '\0') - (*y != '\0');
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
}

/* Adds an item with the size of its object. */
static enum tfr_status add_object(struct tfr_scan *s, const struct level *here, const char *name,
	int fault, uint64_t size, struct tfr_error *err)
{
	TFR_TRY(add_item(s, here->dir, name, fault, err));
	if (TFR_ARRAY_RESERVE(s->sizes, s->sizes_cap, s->n_sizes + 1))
		return tfr_fail_nomem(err, "listing a folder");
	s->sizes[s->n_sizes++] = size;
	return TFR_OK;
}

/* Walks the objects from `from` to before `to`, whose names agree in the first `skip` bytes. */
static enum tfr_status walk_objects(struct tfr_scan *s, const struct objects *o, size_t from,
	size_t to, size_t skip, const struct level *here, struct tfr_error *err)
{
	const struct object *list = o->list;
	size_t above = s->path.size;

	for (size_t end; from < to; from = end) {
		const char *name = (const char *)o->names.data + list[from].name + skip;
		size_t n = strcspn(name, "/");
		TFR_AUTO_FREE char *part = strndup(name, n);
		struct level below = {
			.up = here, .depth = here->depth + 1, .included = here->included
		};
		bool folder = name[n] == '/';

		end = from + 1;
		while (folder && end < to &&
			!strncmp((const char *)o->names.data + list[end].name + skip, name, n + 1))
			end++;
		TFR_NEED_MEMORY(part, err, "listing a folder");
		TFR_TRY(set_path(s, above, part, err));
		if (!n || *part == '.' ||
			(s->globs && !is_wanted(s, here->dir, part, folder, &below.included)))
			continue;
		if (!folder) {
			TFR_TRY(add_object(s, here, part, 0, list[from].size, err));
		} else if (below.depth > MAX_DEPTH) {
			TFR_TRY(add_object(s, here, part, TFR_SCAN_DEEP, 0, err));
		} else {
			TFR_TRY(add_dir(s, here, part, &below.dir, err));
			TFR_TRY(walk_objects(s, o, from, end, skip + n + 1, &below, err));
			close_dir(s, below.dir);
		}
	}
	return TFR_OK;
}

/* One listing of everything below the prefix. */
static enum tfr_status scan_prefix(
	struct tfr_scan *s, const char *folder, bool included, struct tfr_error *err)
{
	struct level root = { .included = included };
	const struct tfr_object_module *remote;
	struct objects all = { .n = 0 };
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(s->root, "", &failed);
	enum tfr_status status = failed ? tfr_fail_nomem(err, "listing a folder")
					: tfr_objects(&remote, folder, err);

	if (!status)
		status = remote->list(url, true, take_object, &all, err);
	if (!status && all.n)
		qsort_r(all.list, all.n, sizeof(*all.list), by_components, all.names.data);
	if (!status)
		status = add_dir(s, NULL, "", &root.dir, err);
	if (!status)
		status = walk_objects(s, &all, 0, all.n, 0, &root, err);
	if (!status)
		close_dir(s, root.dir);
	tfr_buf_clear(&all.names);
	free(all.list);
	return status;
}

/* --- a folder --- */

enum tfr_status tfr_scan_folder(struct tfr_scan *s, const char *folder,
	const struct tfr_scan_globs *globs, struct tfr_error *err)
{
	enum tfr_status status;
	bool included;

	*s = (struct tfr_scan){ 0 };
	if (globs && (globs->n_include || globs->n_exclude))
		s->globs = globs;
	TFR_TRY(tfr_root_open(&s->root, folder, err));
	included = !globs || !globs->n_include;
	status = tfr_root_is_remote(s->root)
			 ? scan_prefix(s, folder, included, err)
			 : enter(s, tfr_root_fd(s->root), folder, NULL, included, err);
	tfr_buf_clear(&s->path);
	s->globs = NULL;
	if (status)
		tfr_scan_clear(s);
	return status;
}

void tfr_scan_clear(struct tfr_scan *s)
{
	tfr_root_close(s->root);
	tfr_buf_clear(&s->names);
	free(s->dirs);
	free(s->items);
	free(s->sizes);
	*s = (struct tfr_scan){ 0 };
}

enum tfr_status tfr_scan_count(
	const char *folder, bool (*counts)(const char *name), size_t *n, struct tfr_error *err)
{
	struct tfr_scan scan;

	*n = 0;
	TFR_TRY(tfr_scan_folder(&scan, folder, NULL, err));
	for (size_t i = 0; i < scan.n_items; i++)
		*n += counts(tfr_scan_name(&scan, scan.items[i].name));
	tfr_scan_clear(&scan);
	return TFR_OK;
}

bool tfr_scan_path(const struct tfr_scan *s, const struct tfr_scan_item *item, struct tfr_buf *path)
{
	const char *name = tfr_scan_name(s, item->name);

	assert(item->dir < s->n_dirs && item->name < s->names.size);
	path->size = 0;
	return add_folders(s, item->dir, path) && tfr_buf_append(path, name, strlen(name) + 1);
}

bool tfr_scan_dir_path(const struct tfr_scan *s, uint32_t dir, struct tfr_buf *path)
{
	path->size = 0;
	if (!add_folders(s, dir, path))
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
