/* convert/archive/member_folders.c - one node per folder, found by its path.
 *
 * Memory grows with the folders, not with the members, which are mostly in the folder of the one
 * before.  Paths are compared part by part, so that a folder comes directly before its contents, in
 * the order of a scan. */
#include "convert/archive/member_folders.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct tfr_member_folder {
	const char *path; /* `size` bytes */
	size_t size;
	uint64_t members;
	uint32_t number; /* in the order of a scan, at the end */
	bool usable;
	char own[]; /* the path with its NUL */
};

size_t tfr_member_folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/* A slash is less than any other byte: "a/b" comes before "a-b". */
static int by_path(const void *a, const void *b)
{
	const struct tfr_member_folder *x = a, *y = b;

	for (size_t i = 0; i < x->size && i < y->size; i++)
		if (x->path[i] != y->path[i])
			return x->path[i] == '/' ? -1
			       : y->path[i] == '/'
				       ? 1
				       : (unsigned char)x->path[i] - (unsigned char)y->path[i];
	return (x->size > y->size) - (x->size < y->size);
}

static int by_path_in_list(const void *a, const void *b)
{
	return by_path(*(void *const *)a, *(void *const *)b);
}

static struct tfr_member_folder *look_up(
	const struct tfr_member_folders *f, const char *folder, size_t size)
{
	const struct tfr_member_folder key = { .path = folder, .size = size };
	struct tfr_member_folder *const *found = tfind(&key, (void *const *)&f->tree, by_path);

	return found ? *found : NULL;
}

static struct tfr_member_folder *add_folder(
	struct tfr_member_folders *f, const char *folder, size_t size)
{
	struct tfr_member_folder *node = calloc(1, sizeof(*node) + size + 1);

	if (!node || TFR_ARRAY_RESERVE(f->list, f->cap, f->n + 1)) {
		free(node);
		return NULL;
	}
	memcpy(node->own, folder, size);
	node->path = node->own;
	node->size = size;
	if (!tsearch(node, &f->tree, by_path)) {
		free(node);
		return NULL;
	}
	f->list[f->n++] = node;
	return node;
}

/* A new folder, and those that contain it and are new. */
static struct tfr_member_folder *add_path(
	struct tfr_member_folders *f, const char *folder, size_t size)
{
	struct tfr_member_folder *lowest = add_folder(f, folder, size), *node = lowest;

	while (node && node->size) {
		size = tfr_member_folder_size(node->own);
		if (look_up(f, folder, size))
			return lowest;
		node = add_folder(f, folder, size);
	}
	return node ? lowest : NULL;
}

bool *tfr_member_folders_add(
	struct tfr_member_folders *f, const char *folder, size_t size, unsigned members)
{
	struct tfr_member_folder *node = f->last;

	if (!node || node->size != size || memcmp(node->path, folder, size) != 0)
		node = look_up(f, folder, size) ?: add_path(f, folder, size);
	f->last = node;
	if (!node)
		return NULL;
	node->members += members;
	return &node->usable;
}

/* --- the tree --- */

bool tfr_member_folders_finish(struct tfr_member_folders *f)
{
	f->scan.root = NULL;
	if (!tfr_member_folders_add(f, "", 0, 0))
		return false;
	f->usable = calloc(f->n, sizeof(*f->usable));
	f->scan.dirs = calloc(f->n, sizeof(*f->scan.dirs));
	if (!f->usable || !f->scan.dirs)
		return false;
	qsort((void *)f->list, f->n, sizeof(*f->list), by_path_in_list);
	for (uint32_t i = 0; i < f->n; i++) {
		struct tfr_member_folder *node = f->list[i];
		size_t above = tfr_member_folder_size(node->own);
		const char *name = node->own + above + (node->own[above] == '/');

		f->scan.dirs[i] = (struct tfr_scan_dir){
			.parent = look_up(f, node->own, above)->number,
			.end = i + 1,
			.last = (uint32_t)node->members,
			.name = f->scan.names.size,
		};
		node->number = i;
		f->usable[i] = node->usable;
		if (!tfr_buf_append(&f->scan.names, name, strlen(name) + 1))
			return false;
	}
	for (size_t i = f->n; i-- > 1;) {
		const struct tfr_scan_dir *dir = &f->scan.dirs[i];
		struct tfr_scan_dir *parent = &f->scan.dirs[dir->parent];

		parent->last += dir->last;
		parent->end = parent->end > dir->end ? parent->end : dir->end;
	}
	f->scan.n_dirs = f->n;
	return true;
}

uint32_t tfr_member_folders_find(
	const struct tfr_member_folders *f, const char *folder, size_t size)
{
	const struct tfr_member_folder *node = look_up(f, folder, size);

	return node ? node->number : 0; /* the archive has changed since it was listed */
}

void tfr_member_folders_clear(struct tfr_member_folders *f)
{
	tdestroy(f->tree, free);
	free(f->list);
	f->scan.root = NULL;
	tfr_scan_clear(&f->scan);
	free(f->usable);
	*f = (struct tfr_member_folders){ 0 };
}
