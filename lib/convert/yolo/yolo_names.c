/* convert/yolo/yolo_names.c - the names of the classes, to which the numbers in labels refer:
 * from data.yaml, which the module yaml parses (libyaml.c), or from a list with one name per line.
 *
 * The nearest file counts: in the folders of the images and labels, in that of the data set, and
 * above, because a split of a data set can be converted alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/module.h"
#include "convert/folder/label_map.h"
#include "convert/yolo/yolo.h"
#include "io/path.h"
#include "io/source.h"

enum { MOST = 4 << 20, UP = 3 /* folders above */ };

/* Texts are offsets until all are read: pointers would become invalid when the buffer grows. */
static const char *at_offset(size_t offset)
{
	return (const char *)(uintptr_t)offset;
}

static enum tfr_status reserve(struct tfr_yolo_classes *c, size_t n, struct tfr_error *err)
{
	c->list = calloc(n + 1, sizeof(*c->list));
	return c->list ? TFR_OK : tfr_fail_nomem(err, "reading names of classes");
}

static enum tfr_status add(struct tfr_yolo_classes *c, int64_t number, const char *text, size_t n,
	struct tfr_error *err)
{
	c->list[c->n++] =
		(struct tfr_class){ .label = number + c->base, .text = at_offset(c->texts.size) };
	return tfr_buf_append(&c->texts, text, n) && tfr_buf_append(&c->texts, "", 1)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading names of classes");
}

/* --- a list --- */

static enum tfr_status take_list(
	struct tfr_yolo_classes *c, struct tfr_buf *list, const char *path, struct tfr_error *err)
{
	struct tfr_label_map map;
	enum tfr_status status = tfr_label_map_parse(&map, list, path, 0, err);

	if (!status)
		status = reserve(c, map.n, err);
	for (size_t i = 0; !status && i < map.n; i++) {
		const char *text = map.classes[i].text;
		size_t n = strlen(text);

		if (!i && n > 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
			text += 3;
			n -= 3;
		}
		while (n && strchr(" \t", text[n - 1]))
			n--;
		status = add(c, map.classes[i].label, text, n, err);
	}
	tfr_label_map_clear(&map);
	return status;
}

/* --- data.yaml --- */

static int by_name_number(const void *a, const void *b)
{
	int64_t x = ((const struct tfr_yolo_name *)a)->number;
	int64_t y = ((const struct tfr_yolo_name *)b)->number;

	return (x > y) - (x < y);
}

static enum tfr_status sort_names(struct tfr_yolo_yaml *y, const char *path, struct tfr_error *err)
{
	struct tfr_yolo_name *names = y->names;
	size_t n = y->n_names;

	if (n)
		qsort(names, n, sizeof(*names), by_name_number);
	for (size_t i = 1; i < n; i++)
		if (names[i].number == names[i - 1].number)
			return tfr_fail(err, TFR_EDATA, "two names of class %lld in '%s'",
				(long long)names[i].number, path);
	return TFR_OK;
}

enum tfr_status tfr_yolo_yaml_parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err)
{
	const void *calls;

	*y = (struct tfr_yolo_yaml){ .count = -1 };
	if (size > MOST)
		return tfr_fail_path(err, TFR_EDATA, path, "larger than 4 MiB:");
	if (!tfr_buf_append(&y->texts, "", 1)) /* offset 0 is nothing */
		return tfr_fail_nomem(err, "reading YAML");
	TFR_TRY(tfr_module_open(&calls, TFR_MODULE_YAML, err, "cannot read '%s'", path));
	TFR_TRY(((const struct tfr_yaml_module *)calls)->parse(y, data, size, path, err));
	return sort_names(y, path, err);
}

void tfr_yolo_yaml_clear(struct tfr_yolo_yaml *y)
{
	tfr_buf_clear(&y->texts);
	free(y->names);
	free(y->places);
	*y = (struct tfr_yolo_yaml){ .count = -1 };
}

static enum tfr_status take_yaml(
	struct tfr_yolo_classes *c, struct tfr_yolo_yaml *y, struct tfr_error *err)
{
	const struct tfr_yolo_name *names = y->names;
	size_t named = y->n_names;
	size_t n = named ? named : (size_t)y->count;
	char text[32];

	TFR_TRY(reserve(c, n, err));
	c->keypoints = y->keypoints;
	for (size_t i = 0; i < n; i++) {
		const char *name = named ? tfr_yolo_text(y, names[i].text) : text;

		/* Ultralytics uses these names if only the number of classes is known. */
		snprintf(text, sizeof(text), "class_%zu", i);
		TFR_TRY(add(c, named ? names[i].number : (int64_t)i, name, strlen(name), err));
	}
	return TFR_OK;
}

/* TFR_END: it describes no classes. */
static enum tfr_status parse_yaml(struct tfr_yolo_yaml *y, const struct tfr_buf *text,
	const char *path, struct tfr_error *err)
{
	TFR_TRY(tfr_yolo_yaml_parse(y, text->data, text->size, path, err));
	return y->n_names || y->count > 0 ? TFR_OK : TFR_END;
}

/* Takes the classes of a file of names.  TFR_END: it has none.  `path` is taken, too. */
static enum tfr_status take_file(struct tfr_yolo_classes *c, struct tfr_buf *text, char *path,
	bool yaml, struct tfr_error *err)
{
	struct tfr_yolo_yaml y = { 0 };
	enum tfr_status status;

	if (!yaml) {
		status = take_list(c, text, path, err);
	} else {
		status = parse_yaml(&y, text, path, err);
		if (!status)
			status = take_yaml(c, &y, err);
		tfr_yolo_yaml_clear(&y);
	}
	if (status == TFR_END)
		free(path);
	else
		c->path = path;
	return status;
}

/* --- finding the file --- */

static bool is_yaml(const char *name)
{
	return tfr_file_kind(name) == TFR_FILE_YAML;
}

/* The usual names of the file; the first ones also describe the splits. */
static const char *const names[] = { "data.yaml", "data.yml", "dataset.yaml", "dataset.yml",
	"classes.txt", "obj.names", "_darknet.labels" };
enum { DESCRIPTIONS = 3, NAMES = sizeof(names) / sizeof(*names) };

/* Reads a file of names in a tree.  TFR_END: there is no such file, or it names no classes. */
static enum tfr_status try_file(
	struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t file, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status;
	char *path;

	if (file == TFR_NO_FILE)
		return TFR_END;
	path = tfr_scan_file_path(s, file);
	TFR_NEED_MEMORY(path, err, "reading names of classes");
	status = tfr_scan_read(s, file, is_yaml(path) ? MOST : TFR_LABEL_MAP_MOST, &text, err);
	if (status)
		free(path);
	return status ?: take_file(c, &text, path, is_yaml(path), err);
}

/* The next .yaml file of a folder, the usual names first. */
static uint32_t next_yaml(const struct tfr_scan *s, uint32_t dir, size_t i, uint32_t *at)
{
	return i < DESCRIPTIONS ? tfr_scan_file(s, dir, names[i])
				: tfr_scan_next(s, dir, TFR_FILE_YAML, at);
}

bool tfr_yolo_describe(
	struct tfr_yolo_yaml *y, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err)
{
	bool found = false;
	uint32_t at = 0;

	*y = (struct tfr_yolo_yaml){ 0 };
	for (size_t i = 0; !found && i < DESCRIPTIONS + TFR_EXAMINED; i++) {
		uint32_t file = next_yaml(s, dir, i, &at);
		TFR_AUTO_FREE char *path = file == TFR_NO_FILE ? NULL : tfr_scan_file_path(s, file);
		TFR_AUTO_BUF text = { 0 };
		struct tfr_error why = { 0 };

		if (file == TFR_NO_FILE)
			continue;
		tfr_yolo_yaml_clear(y);
		found = path && !tfr_scan_read(s, file, MOST, &text, &why) &&
			!parse_yaml(y, &text, path, &why);
		if (!path)
			tfr_fail_nomem(err, "looking for labels");
		else if (why.status == TFR_ESYS || why.status == TFR_ENOMEM)
			*err = why;
	}
	return found;
}

static enum tfr_status try_folder(
	struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	for (size_t i = 0; status == TFR_END && i < NAMES; i++)
		status = try_file(c, s, tfr_scan_file(s, dir, names[i]), err);
	return status;
}

/* Any other .yaml file of the data set that names classes; those for other purposes are ignored. */
static enum tfr_status try_yamls(
	struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;
	uint32_t at = 0, file;

	for (int i = 0; status == TFR_END && i < TFR_EXAMINED; i++) {
		file = tfr_scan_next(s, dir, TFR_FILE_YAML, &at);
		status = try_file(c, s, file, err);
		if (status == TFR_EDATA) {
			free(TFR_STEAL(c->path));
			status = TFR_END;
		}
	}
	return status;
}

/* --- folders above --- */

/* Replaces a path by its parent folder.  NULL: out of memory. */
static char *parent(char *path)
{
	char *slash = strrchr(path, '/'), *up;

	while (slash && slash > path && !slash[1]) {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	if (slash && slash > path && strcmp(slash, "/..") && strcmp(slash, "/.")) {
		*slash = '\0';
		return path;
	}
	up = tfr_path_join(path, "..");
	free(path);
	return up;
}

/* The same as try_file() for a path. */
static enum tfr_status try_path(
	struct tfr_yolo_classes *c, const char *folder, const char *name, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	char *path = tfr_path_join(folder, name);
	enum tfr_status status;
	struct stat st;

	TFR_NEED_MEMORY(path, err, "reading names of classes");
	status = tfr_look(path, &st, err);
	if (!status && !S_ISREG(st.st_mode))
		status = TFR_END;
	if (!status)
		status = tfr_source_read_regular(path, is_yaml(name) ? MOST : TFR_LABEL_MAP_MOST,
			&text, "reading names of classes", err);
	if (status) {
		free(path);
		return status;
	}
	return take_file(c, &text, path, is_yaml(name), err);
}

static enum tfr_status try_yamls_at(
	struct tfr_yolo_classes *c, const char *folder, struct tfr_error *err)
{
	TFR_AUTO_NAMES list = { 0 };
	enum tfr_status status = tfr_list_folder(folder, &list, err) ?: TFR_END;

	tfr_names_sort(&list);
	for (size_t i = 0; status == TFR_END && i < list.n; i++) {
		if (list.list[i][0] == '.' || !is_yaml(list.list[i]))
			continue;
		status = try_path(c, folder, list.list[i], err);
		if (status == TFR_EDATA) {
			free(TFR_STEAL(c->path));
			status = TFR_END;
		}
	}
	return status;
}

static enum tfr_status try_above(
	struct tfr_yolo_classes *c, const char *folder, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = strdup(folder);
	enum tfr_status status = path ? TFR_END : tfr_fail_nomem(err, "reading names of classes");

	for (int i = 0; status == TFR_END && i < UP; i++) {
		path = parent(path);
		if (!path)
			return tfr_fail_nomem(err, "reading names of classes");
		for (size_t k = 0; status == TFR_END && k < NAMES; k++)
			status = try_path(c, path, names[k], err);
		if (status == TFR_END)
			status = try_yamls_at(c, path, err);
	}
	return status;
}

static enum tfr_status no_names(const char *folder, struct tfr_error *err)
{
	tfr_fail_path(err, TFR_EUSAGE, folder, "cannot find data.yaml, classes.txt or obj.names for");
	tfr_error_hint(err, "Write the names of the classes into a file, one per line in the order "
			    "of their numbers, and give it with --labels FILE.");
	return TFR_EUSAGE;
}

/* The file that names the classes: that of the option, or the nearest one. */
static enum tfr_status find_names(
	struct tfr_yolo_classes *c, const struct tfr_open_part *part, struct tfr_error *err)
{
	const char *labels = part->opts->classes.labels, *input = part->opts->input.paths[0];
	const struct tfr_part *at = part->at;
	const struct tfr_place top = { at->images.scan, 0 };
	const struct tfr_place places[] = { top, at->annotations, at->images };
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status = TFR_END;

	if (labels) {
		TFR_TRY(tfr_source_read_file(
			labels, TFR_LABEL_MAP_MOST, &text, "reading labels", err));
		c->path = strdup(labels);
		TFR_NEED_MEMORY(c->path, err, "reading names of classes");
		return take_list(c, &text, labels, err);
	}
	for (size_t i = 0; status == TFR_END && i < 3; i++)
		status = try_folder(c, places[i].scan, places[i].dir, err);
	if (status == TFR_END)
		status = try_yamls(c, top.scan, top.dir, err);
	/* An archive often has a folder around everything. */
	for (uint32_t up = 0, dir = at->images.dir;
		status == TFR_END && top.scan->places && dir && up < UP; up++) {
		dir = top.scan->dirs[dir].parent;
		status = try_folder(c, top.scan, dir, err);
		if (status == TFR_END)
			status = try_yamls(c, top.scan, dir, err);
	}
	if (status == TFR_END && !top.scan->places)
		status = try_above(c, part->prefix, err);
	return status == TFR_END ? no_names(input, err) : status;
}

enum tfr_status tfr_yolo_classes_read(struct tfr_yolo_classes *c, struct tfr_table *t,
	const struct tfr_open_part *part, struct tfr_error *err)
{
	*c = (struct tfr_yolo_classes){ .base = part->opts->classes.base };
	TFR_TRY(find_names(c, part, err));
	c->ids = calloc(c->n + 1, sizeof(*c->ids));
	TFR_NEED_MEMORY(c->ids, err, "reading names of classes");
	for (size_t i = 0; i < c->n; i++) {
		c->list[i].text = (const char *)c->texts.data + (uintptr_t)c->list[i].text;
		TFR_TRY(tfr_table_label(t, c->list[i].label, c->list[i].text,
			strlen(c->list[i].text), &c->ids[i], err));
	}
	return TFR_OK;
}

uint32_t tfr_yolo_class_of(const struct tfr_yolo_classes *c, uint32_t number)
{
	const struct tfr_class key = { .label = number + c->base };
	const struct tfr_class *found =
		bsearch(&key, c->list, c->n, sizeof(key), tfr_class_by_label);

	return found ? (uint32_t)(found - c->list) : TFR_NO_CLASS;
}

bool tfr_yolo_classes_equal(const struct tfr_yolo_classes *a, const struct tfr_yolo_classes *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (a->list[i].label != b->list[i].label ||
			strcmp(a->list[i].text, b->list[i].text))
			return false;
	return a->n == b->n;
}

void tfr_yolo_classes_clear(struct tfr_yolo_classes *c)
{
	free(c->list);
	free(c->ids);
	free(c->path);
	tfr_buf_clear(&c->texts);
	*c = (struct tfr_yolo_classes){ 0 };
}
