/* convert/coco/coco_layout.c - the layouts in which COCO's annotations are exported.
 *
 *   train/_annotations.coco.json            Roboflow, beside the images, in each split
 *   annotations/instances_NAME.json NAME/   COCO, CVAT; the images may be in images/NAME
 *   NAME.json NAME/                         labelme2coco and scripts like it
 *
 * Except for Roboflow's, a name alone is not enough: the file must begin like an object with COCO's
 * members. */
#include <fcntl.h>
#include <string.h>

#include "convert/coco/coco_layout.h"

enum { HEAD = 64 << 10 };

static const char roboflow[] = "_annotations.coco.json";

/* Whether a file begins like an object with images, annotations or categories. */
static bool is_coco(const char *path, struct tfr_error *err)
{
	static const char *const members[] = { "\"images\"", "\"annotations\"", "\"categories\"" };
	TFR_AUTO_FREE char *head = malloc(HEAD);
	size_t n = tfr_head_of(head ? path : NULL, head, HEAD, err), at = 0;

	while (at < n && head[at] && strchr(" \t\r\n", head[at]))
		at++;
	if (at == n || head[at] != '{')
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (memmem(head, n, members[i], strlen(members[i])))
			return true;
	return false;
}

static bool find_beside(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	TFR_AUTO_FREE char *path = tfr_path_join(folder, roboflow);

	(void)l;
	if (!path)
		return false;
	return !tfr_is_file(path, p->err) || tfr_parts_add(p, split, folder, path);
}

/* The folder of the images for `name`; NULL: there is none, or out of memory. */
static char *images_of(struct tfr_listing *l, const char *folder, const char *name)
{
	TFR_AUTO_FREE char *images = tfr_child(l, folder, "images");
	char *found = tfr_child(l, folder, name);

	if (!found && images) {
		found = tfr_path_join(images, name);
		if (!tfr_is_folder(found, l->err)) {
			free(found);
			found = NULL;
		}
	}
	if (!found && images && !strcmp(name, "default"))
		return TFR_STEAL(images);
	return found;
}

/* Finds the files NAME.json or instances_NAME.json in `from` that have images in NAME. */
static bool find_named(struct tfr_parts *p, const char *folder, struct tfr_listing *l,
	const char *from, const struct tfr_listing *files)
{
	static const char begins[] = "instances_";
	bool good = true;

	for (size_t i = 0; good && i < files->tables.n; i++) {
		const char *file = files->tables.list[i];
		size_t skipped = strncmp(file, begins, strlen(begins)) ? 0 : strlen(begins);
		TFR_AUTO_FREE char *name = strdup(file + skipped), *path = NULL, *images = NULL;

		if (!tfr_has_extension(file, "json"))
			continue;
		if (name)
			name[strlen(name) - strlen(".json")] = '\0';
		path = tfr_path_join(from, file);
		images = name ? images_of(l, folder, name) : NULL;
		good = name && path;
		if (good && images && is_coco(path, p->err))
			good = tfr_parts_add(p, name, images, path);
	}
	return good;
}

static int by_split(const void *a, const void *b)
{
	return strcmp(((const struct tfr_part *)a)->split, ((const struct tfr_part *)b)->split);
}

bool tfr_coco_find(struct tfr_parts *parts, const char *folder)
{
	TFR_AUTO_FREE char *annotations = NULL;
	TFR_AUTO_LISTING l = { 0 }, files = { 0 };
	bool good;

	good = tfr_parts_find(parts, folder, find_beside);
	if (!good || parts->n)
		return good;
	tfr_listing_open(&l, folder, parts->err);
	annotations = tfr_child(&l, folder, "annotations");
	if (annotations) {
		tfr_listing_open(&files, annotations, parts->err);
		good = find_named(parts, folder, &l, annotations, &files);
	}
	if (good && !parts->n)
		good = find_named(parts, folder, &l, folder, &l);
	if (good && parts->n)
		good = tfr_parts_leave(parts, folder);
	if (parts->n)
		qsort(parts->list, parts->n, sizeof(*parts->list), by_split);
	return good;
}
