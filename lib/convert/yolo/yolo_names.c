/* convert/yolo/yolo_names.c - the names of the classes, to which the numbers in labels refer:
 * from data.yaml, which the module yaml parses (libyaml.c), or from a list with one name per line.
 *
 * The nearest file counts: in the folders of the images and labels, in that of the data set, and
 * above, because a split of a data set can be converted alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/module.h"
#include "convert/annotations/kinds.h"
#include "convert/yolo/yolo.h"
#include "io/path.h"
#include "io/source.h"

enum { MOST = 4 << 20, UP = 3 /* folders above */ };

static const char reading[] = "reading names of classes";

/* For the structs that begin with an int64_t: a class, and a name. */
static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The table keeps the name that a label got first. */
static enum tfr_status add_class(struct tfr_yolo_classes *c, int64_t number, const char *name,
	size_t size, struct tfr_error *err)
{
	struct tfr_table *t = c->table;
	struct tfr_yolo_class class = { .number = number };
	const char *had;
	int64_t label;

	if (__builtin_add_overflow(number, c->base, &label))
		return tfr_fail(
			err, TFR_EDATA, "the number of class '%.*s' is too large", (int)size, name);
	if (TFR_ARRAY_ONE_MORE(c->list, c->n))
		return tfr_fail_nomem(err, reading);
	TFR_TRY(tfr_table_label(t, label, name, size, &class.id, err));
	had = tfr_table_string(t, t->classes[class.id].name);
	c->renames |= strncmp(had, name, size) || had[size];
	c->list[c->n++] = class;
	return TFR_OK;
}

/* --- a list --- */

static enum tfr_status take_list(
	struct tfr_yolo_classes *c, struct tfr_buf *list, const char *path, struct tfr_error *err)
{
	struct tfr_label_map map;
	enum tfr_status status = tfr_label_map_parse(&map, list, path, 0, err);

	for (size_t i = 0; !status && i < map.n; i++) {
		const char *name = map.classes[i].text;
		size_t n;

		for (n = strlen(name); n && strchr(" \t", name[n - 1]);)
			n--;
		status = add_class(c, map.classes[i].label, name, n, err);
	}
	tfr_label_map_clear(&map);
	return status;
}

/* --- data.yaml --- */

static enum tfr_status sort_names(struct tfr_yolo_yaml *y, const char *path, struct tfr_error *err)
{
	struct tfr_yolo_name *list = y->names;

	if (y->n_names)
		qsort(list, y->n_names, sizeof(*list), by_number);
	for (size_t i = 1; i < y->n_names; i++)
		if (list[i].number == list[i - 1].number)
			return tfr_fail(err, TFR_EDATA, "two names of class %lld in '%s'",
				(long long)list[i].number, path);
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

/* TFR_END: it describes no classes. */
static enum tfr_status parse_yaml(struct tfr_yolo_yaml *y, const struct tfr_buf *text,
	const char *path, struct tfr_error *err)
{
	TFR_TRY(tfr_yolo_yaml_parse(y, text->data, text->size, path, err));
	return y->n_names || y->count > 0 ? TFR_OK : TFR_END;
}

static enum tfr_status take_yaml(struct tfr_yolo_classes *c, const struct tfr_buf *text,
	const char *path, struct tfr_error *err)
{
	struct tfr_yolo_yaml y = { 0 };
	enum tfr_status status = parse_yaml(&y, text, path, err);
	size_t n = y.n_names ? y.n_names : (size_t)y.count;
	char own[32];

	if (!status)
		c->keypoints = y.keypoints;
	for (size_t i = 0; !status && i < n; i++) {
		const char *name = y.n_names ? tfr_yolo_text(&y, y.names[i].text) : own;

		/* Ultralytics uses these names if only the number of classes is known. */
		snprintf(own, sizeof(own), "class_%zu", i);
		status = add_class(
			c, y.n_names ? y.names[i].number : (int64_t)i, name, strlen(name), err);
	}
	tfr_yolo_yaml_clear(&y);
	return status;
}

/* --- finding the file --- */

static bool is_yaml(const char *name)
{
	return tfr_file_kind(name) == TFR_FILE_YAML;
}

const char *const tfr_yolo_names[TFR_YOLO_NAMES] = { "data.yaml", "data.yml", "dataset.yaml",
	"dataset.yml", "classes.txt", "obj.names", "_darknet.labels" };

/* Reads a file of names, which is `file` of a tree, or a path without one.  TFR_END: there is no
 * such file, or it names no classes.  `path` is taken. */
static enum tfr_status try_file(struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t file,
	char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	size_t most = path && is_yaml(path) ? MOST : TFR_LABEL_MAP_MOST;
	enum tfr_status status = TFR_OK;
	struct tfr_error why = { 0 };
	struct stat st;

	if (!path)
		return tfr_fail_nomem(err, reading);
	if (!s) {
		status = tfr_look(path, &st, &why);
		status = status		       ? tfr_absent_or_failed(path, status, &why, err)
			 : S_ISREG(st.st_mode) ? TFR_OK
					       : TFR_END;
	}
	if (!status)
		status = s ? tfr_scan_read(s, file, most, &text, err)
			   : tfr_source_read_regular(path, most, &text, reading, err);
	if (!status)
		status = is_yaml(path) ? take_yaml(c, &text, path, err)
				       : take_list(c, &text, path, err);
	if (status)
		free(path);
	else
		c->path = path;
	return status;
}

static enum tfr_status try_folder(
	struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	for (size_t i = 0; status == TFR_END && i < TFR_YOLO_NAMES; i++) {
		uint32_t file = tfr_scan_file(s, dir, tfr_yolo_names[i]);

		if (file != TFR_NO_FILE)
			status = try_file(c, s, file, tfr_scan_file_path(s, file), err);
	}
	return status;
}

/* Tries any other .yaml file: those for other purposes are ignored. */
static enum tfr_status try_yaml(struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t file,
	char *path, struct tfr_error *err)
{
	enum tfr_status status = try_file(c, s, file, path, err);

	return status == TFR_EDATA ? TFR_END : status;
}

static enum tfr_status try_yamls(
	struct tfr_yolo_classes *c, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;
	uint32_t at = 0, file = 0;

	for (int i = 0; status == TFR_END && i < TFR_EXAMINED; i++) {
		file = tfr_scan_next(s, dir, TFR_FILE_YAML, &at);
		if (file == TFR_NO_FILE)
			break;
		status = try_yaml(c, s, file, tfr_scan_file_path(s, file), err);
	}
	return status;
}

/* The next .yaml file of a folder, the usual names first. */
static uint32_t next_yaml(const struct tfr_scan *s, uint32_t dir, size_t i, uint32_t *at)
{
	return i < TFR_YOLO_DESCRIPTIONS ? tfr_scan_file(s, dir, tfr_yolo_names[i])
					 : tfr_scan_next(s, dir, TFR_FILE_YAML, at);
}

bool tfr_yolo_describe(
	struct tfr_yolo_yaml *y, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err)
{
	bool found = false;
	uint32_t at = 0;

	*y = (struct tfr_yolo_yaml){ 0 };
	for (size_t i = 0; !found && i < TFR_YOLO_DESCRIPTIONS + TFR_EXAMINED; i++) {
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

/* --- folders above --- */

char *tfr_yolo_above(const char *folder, struct tfr_error *err)
{
	const bool url = tfr_is_url(folder);
	TFR_AUTO_FREE char *path = strdup(folder);
	char *slash, *above;

	if (!path) {
		tfr_fail_nomem(err, reading);
		return NULL;
	}
	while ((slash = strrchr(path, '/')) && slash > path && !slash[1])
		*slash = '\0';
	if (url && (!slash || slash[-1] == '/')) /* a bucket or a server */
		return NULL;
	if (slash && slash > path && strcmp(slash, "/..") && strcmp(slash, "/.")) {
		*slash = '\0';
		return TFR_STEAL(path);
	}
	above = tfr_path_join(path, "..");
	if (!above)
		tfr_fail_nomem(err, reading);
	return above;
}

/* Tries the files of a folder outside of the tree. */
static enum tfr_status try_path(
	struct tfr_yolo_classes *c, const char *folder, struct tfr_error *err)
{
	TFR_AUTO_NAMES list = { 0 };
	enum tfr_status status = TFR_END;

	for (size_t k = 0; status == TFR_END && k < TFR_YOLO_NAMES; k++)
		status = try_file(c, NULL, 0, tfr_path_join(folder, tfr_yolo_names[k]), err);
	if (status == TFR_END)
		status = tfr_list_folder(folder, &list, err) ?: TFR_END;
	tfr_names_sort(&list);
	for (size_t i = 0; status == TFR_END && i < list.n; i++)
		if (list.list[i][0] != '.' && is_yaml(list.list[i]))
			status = try_yaml(c, NULL, 0, tfr_path_join(folder, list.list[i]), err);
	return status;
}

/* Tries `levels` folders above one. */
static enum tfr_status try_above(
	struct tfr_yolo_classes *c, const char *folder, unsigned levels, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status = TFR_END;

	while (status == TFR_END && levels--) {
		char *above = tfr_yolo_above(path ?: folder, &why);

		free(path);
		path = above;
		if (!path)
			return why.status ? tfr_error_pass(&why, err) : TFR_END;
		status = try_path(c, path, err);
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
	unsigned up = 0;

	if (labels) {
		TFR_TRY(tfr_source_read_file(
			labels, TFR_LABEL_MAP_MOST, &text, "reading labels", err));
		c->path = strdup(labels);
		TFR_NEED_MEMORY(c->path, err, reading);
		return take_list(c, &text, labels, err);
	}
	for (size_t i = 0; status == TFR_END && i < 3; i++)
		status = try_folder(c, places[i].scan, places[i].dir, err);
	if (status == TFR_END)
		status = try_yamls(c, top.scan, top.dir, err);
	for (uint32_t dir = at->images.dir; dir && up < UP; up++) {
		dir = top.scan->dirs[dir].parent;
		if (status == TFR_END && dir)
			status = try_folder(c, top.scan, dir, err);
		if (status == TFR_END && dir)
			status = try_yamls(c, top.scan, dir, err);
	}
	if (status == TFR_END && !top.scan->places)
		status = try_above(c, top.scan->path, UP - up, err);
	return status == TFR_END ? no_names(input, err) : status;
}

enum tfr_status tfr_yolo_classes_read(struct tfr_yolo_classes *c, struct tfr_table *t,
	const struct tfr_open_part *part, struct tfr_error *err)
{
	*c = (struct tfr_yolo_classes){ .table = t, .base = part->opts->classes.base };
	return find_names(c, part, err);
}

uint32_t tfr_yolo_class_of(const struct tfr_yolo_classes *c, uint32_t number)
{
	const struct tfr_yolo_class key = { .number = number };
	const struct tfr_yolo_class *found = bsearch(&key, c->list, c->n, sizeof(key), by_number);

	return found ? found->id : TFR_NO_CLASS;
}

void tfr_yolo_classes_clear(struct tfr_yolo_classes *c)
{
	free(c->list);
	free(c->path);
	*c = (struct tfr_yolo_classes){ 0 };
}
