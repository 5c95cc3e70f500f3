/* convert/yolo/yolo_layout.c - the layouts in which YOLO's data sets are exported.
 *
 *   images/ labels/             Ultralytics, Label Studio, Kaggle; with splits as images/train
 *   train/images train/labels   Roboflow
 *   *.jpg *.txt in one folder   Darknet, labelImg; with a file of names
 *
 * If the folders do not show the splits, data.yaml names them.  The labels of an image are found as
 * in Ultralytics: the last "images" in its path is replaced by "labels". */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/yolo/yolo.h"
#include "convert/yolo/yolo_labels.h"

enum { HEAD = 4096, DEEPEST = 3 };

bool tfr_yolo_is_aside(const char *name)
{
	static const char *const names[] = { "classes.txt", "train.txt", "val.txt", "valid.txt",
		"test.txt", "notes.txt", "requirements.txt", "obj.txt", "labels.txt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return !strncasecmp(name, "readme", 6) || !strncmp(name, "autosplit_", 10);
}

/* Whether the beginning of a file is labels, or it is empty, which sets *empty. */
static bool is_label(const char *folder, const char *name, bool *empty, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_path_join(folder, name);
	TFR_AUTO_BUF boxes = { 0 };
	struct tfr_yolo_tally tally = { 0 };
	uint8_t head[HEAD];
	size_t n = tfr_head_of(path, head, sizeof(head), err), line = 0, from = 0;
	enum tfr_status status;

	while (from < n && strchr(" \t\r\n", head[from]) && head[from])
		from++;
	*empty = from == n;
	while (from + line < n && head[from + line] != '\n')
		line++;
	/* A first line that is truncated is a long polygon. */
	while (n == HEAD && from + line == HEAD && line && head[from + line - 1] != ' ')
		line--;
	if (*empty)
		return false;
	status = tfr_yolo_parse(&boxes, head + from, line, 0, &tally, NULL);
	if (status == TFR_ENOMEM)
		tfr_fail_nomem(err, "looking for labels");
	return !status || (n == HEAD && from + line == HEAD);
}

/* Whether the text files of a folder, or of the folders in it, are labels. */
static bool has_labels(const char *folder, unsigned depth, struct tfr_error *err)
{
	TFR_AUTO_LISTING l = { 0 };
	bool found = false, other = false, empty, any = false;

	if (tfr_listing_open(&l, folder, err)) {
		for (size_t i = 0; i < l.texts.n && !found; i++) {
			found = is_label(folder, l.texts.list[i], &empty, err);
			if (tfr_yolo_is_aside(l.texts.list[i]))
				continue;
			any = any || empty;
			other = other || (!found && !empty);
		}
		found = found || (any && !other);
		for (size_t i = 0; i < l.folders.n && !found && depth < DEEPEST; i++) {
			TFR_AUTO_FREE char *path = tfr_path_join(folder, l.folders.list[i]);

			found = has_labels(path, depth + 1, err);
		}
	}
	return found;
}

/* A folder with folders of images and of labels, or the split of one. */
static bool find_pair(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	TFR_AUTO_FREE char *images = tfr_child(l, folder, "images");
	TFR_AUTO_FREE char *labels = tfr_child(l, folder, "labels");

	/* A split for testing can lack labels. */
	if (!images || !labels || (split && !has_labels(labels, 0, p->err)))
		return true;
	if (split)
		return tfr_parts_add(p, split, images, labels);
	return !has_labels(labels, 0, p->err) || tfr_parts_add_pair(p, images, labels);
}

/* --- a folder of images with labels in another place --- */

/* The path with its last part "images" replaced by "labels"; NULL: it has none. */
static char *labels_of(const char *folder, struct tfr_error *err)
{
	const char *last = NULL;
	char *labels = NULL;

	for (const char *at = folder; (at = strstr(at, "images")); at++)
		if ((at == folder || at[-1] == '/') && (at[6] == '/' || !at[6]))
			last = at;
	if (last)
		labels = tfr_asprintf("%.*slabels%s", (int)(last - folder), folder, last + 6);
	if (last && !labels)
		tfr_fail_nomem(err, "looking for labels");
	return labels;
}

static bool find_beside(struct tfr_parts *p, const char *folder)
{
	TFR_AUTO_FREE char *real = tfr_is_url(folder) ? strdup(folder) : realpath(folder, NULL);
	TFR_AUTO_FREE char *labels = real ? labels_of(real, p->err) : NULL;

	if (!real && errno != ENOENT && errno != ENOTDIR)
		tfr_fail_errno(p->err, errno, folder, "cannot access");
	if (!labels || !tfr_is_folder(labels, p->err) || !has_labels(labels, 0, p->err))
		return true;
	return tfr_parts_add_pair(p, folder, labels);
}

/* --- images and labels in one folder --- */

static bool names_are_in(const char *folder, struct tfr_error *err)
{
	static const char *const names[] = { "data.yaml", "dataset.yaml", "classes.txt",
		"obj.names", "_darknet.labels" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		TFR_AUTO_FREE char *path = tfr_path_join(folder, names[i]);

		if (tfr_is_file(path, err))
			return true;
	}
	return false;
}

static bool find_flat(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	TFR_AUTO_FREE char *above = tfr_path_join(folder, "..");

	if (!l->texts.n || !l->images.n || !above)
		return above != NULL;
	if (!names_are_in(folder, p->err) && !names_are_in(above, p->err))
		return true;
	return !has_labels(folder, DEEPEST, p->err) || tfr_parts_add(p, split, folder, folder);
}

/* CVAT's export for Darknet: obj_train_data/ beside obj.names. */
static bool find_darknet(struct tfr_parts *p, const char *folder, struct tfr_listing *l)
{
	static const char begins[] = "obj_", ends[] = "_data";
	bool good = true;

	if (!names_are_in(folder, p->err))
		return true;
	for (size_t i = 0; good && i < l->folders.n; i++) {
		const char *name = l->folders.list[i];
		size_t n = strlen(name);
		TFR_AUTO_FREE char *path = NULL;

		if (n <= strlen(begins) + strlen(ends) || strncmp(name, begins, strlen(begins)) ||
			strcmp(name + n - strlen(ends), ends))
			continue;
		path = tfr_path_join(folder, name);
		good = path != NULL;
		if (good && has_labels(path, 0, p->err))
			good = tfr_parts_add(p, name, path, path);
	}
	return good;
}

/* --- splits in data.yaml --- */

/* The folder of a path in a description; NULL: there is none.  Roboflow writes "../train/images"
 * for train/images; the root is often a path of another machine. */
static char *resolve(
	const struct tfr_yolo_yaml *y, const char *folder, const char *text, struct tfr_error *err)
{
	for (int from_root = y->root != 0; from_root >= 0; from_root--) {
		TFR_AUTO_FREE char *root =
			from_root ? tfr_path_join(folder, tfr_yolo_text(y, y->root))
				  : strdup(folder);
		const char *below = text;

		for (;;) {
			char *path = root ? tfr_path_join(root, below) : NULL;

			if (tfr_is_folder(path, err))
				return path;
			free(path);
			if (strncmp(below, "../", 3))
				break;
			below += 3;
		}
	}
	return NULL;
}

/* A split can have several folders: the second one gets its own name. */
static bool add_place(struct tfr_parts *p, const char *split, const char *images)
{
	TFR_AUTO_FREE char *other = labels_of(images, p->err);
	const char *labels = other && tfr_is_folder(other, p->err) ? other : images;

	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->list[i].split, split)) {
			const char *slash = strrchr(images, '/');

			split = slash && slash[1] ? slash + 1 : images;
		}
	return !has_labels(labels, 0, p->err) || tfr_parts_add(p, split, images, labels);
}

static bool find_described(struct tfr_parts *p, const char *folder)
{
	struct tfr_yolo_yaml y;
	bool good = true;

	if (!tfr_yolo_describe(&y, folder, p->err))
		y.n_places = 0;
	for (size_t i = 0; good && i < y.n_places; i++) {
		const struct tfr_yolo_place *place = &y.places[i];
		TFR_AUTO_FREE char *images =
			resolve(&y, folder, tfr_yolo_text(&y, place->text), p->err);

		if (images && !tfr_parts_have(p, images))
			good = add_place(p, tfr_yolo_text(&y, place->split), images);
	}
	tfr_yolo_yaml_clear(&y);
	return good;
}

/* Folders without names of splits can be the ones that data.yaml names as splits. */
static bool find_better(struct tfr_parts *p, const char *folder)
{
	struct tfr_parts described = { .err = p->err };
	bool good = find_described(&described, folder);

	if (good && described.n > p->n) {
		struct tfr_parts was = *p;

		*p = described;
		described = was;
		for (size_t i = 0; good && i < was.left.n + was.others.n; i++) {
			const char *path =
				i < was.left.n ? was.left.list[i] : was.others.list[i - was.left.n];
			struct tfr_names *names = i < was.left.n ? &p->left : &p->others;

			good = tfr_parts_have(p, path) ||
			       tfr_names_insert(names, names->n, path, strlen(path));
		}
	}
	tfr_parts_clear(&described);
	return good;
}

bool tfr_yolo_find(struct tfr_parts *parts, const char *folder)
{
	TFR_AUTO_LISTING l = { 0 };
	bool good;

	good = tfr_parts_find(parts, folder, find_pair);
	if (good && !parts->n)
		good = find_beside(parts, folder);
	if (good && !parts->n)
		good = tfr_parts_find(parts, folder, find_flat);
	if (good && !parts->n) {
		tfr_listing_open(&l, folder, parts->err);
		good = find_darknet(parts, folder, &l);
	}
	if (good)
		good = find_better(parts, folder);
	return good;
}
