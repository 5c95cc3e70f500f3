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
	struct tfr_yolo_classes *c, const char *path, struct tfr_error *err)
{
	struct tfr_label_map map;
	enum tfr_status status = tfr_label_map_read(&map, path, 0, err);

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
static enum tfr_status parse_yaml(struct tfr_yolo_yaml *y, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };

	TFR_TRY(tfr_source_read_regular(path, MOST, &text, "reading names of classes", err));
	TFR_TRY(tfr_yolo_yaml_parse(y, text.data, text.size, path, err));
	return y->n_names || y->count > 0 ? TFR_OK : TFR_END;
}

static enum tfr_status read_yaml(
	struct tfr_yolo_classes *c, const char *path, struct tfr_error *err)
{
	struct tfr_yolo_yaml y = { 0 };
	enum tfr_status status = parse_yaml(&y, path, err);

	if (!status)
		status = take_yaml(c, &y, err);
	tfr_yolo_yaml_clear(&y);
	return status;
}

bool tfr_yolo_describe(struct tfr_yolo_yaml *y, const char *folder, struct tfr_error *err)
{
	static const char *const first[] = { "data.yaml", "data.yml", "dataset.yaml" };
	TFR_AUTO_LISTING l = { 0 };
	bool found = false, good = tfr_listing_open(&l, folder, err);

	*y = (struct tfr_yolo_yaml){ 0 };
	for (size_t i = 0; good && !found && i < 3 + l.yamls.n; i++) {
		const char *name = i < 3 ? first[i] : l.yamls.list[i - 3];
		TFR_AUTO_FREE char *path = tfr_path_join(folder, name);
		struct tfr_error why = { 0 };

		tfr_yolo_yaml_clear(y);
		found = tfr_is_file(path, err) && !parse_yaml(y, path, &why);
		if (why.status == TFR_ESYS || why.status == TFR_ENOMEM)
			*err = why;
	}
	return found;
}

/* --- finding the file --- */

/* TFR_END: there is no such file, or it names no classes. */
static enum tfr_status try_file(struct tfr_yolo_classes *c, const char *folder, const char *name,
	bool yaml, struct tfr_error *err)
{
	char *path = tfr_path_join(folder, name);
	enum tfr_status status;
	struct stat st;

	TFR_NEED_MEMORY(path, err, "reading names of classes");
	status = tfr_look(path, &st, err);
	if (!status && !S_ISREG(st.st_mode))
		status = TFR_END;
	if (!status)
		status = yaml ? read_yaml(c, path, err) : take_list(c, path, err);
	if (status == TFR_END)
		free(path);
	else
		c->path = path;
	return status;
}

/* Tries the files that a folder can have.  TFR_END: it has none. */
static enum tfr_status try_folder(
	struct tfr_yolo_classes *c, const char *folder, struct tfr_error *err)
{
	static const char *const names[] = { "data.yaml", "data.yml", "dataset.yaml", "dataset.yml",
		"classes.txt", "obj.names", "_darknet.labels" };
	enum tfr_status status = TFR_END;

	for (size_t i = 0; status == TFR_END && i < sizeof(names) / sizeof(*names); i++)
		status = try_file(c, folder, names[i], i < 4, err);
	return status;
}

/* Any other .yaml file of the data set that names classes; those for other purposes are ignored. */
static enum tfr_status try_yamls(
	struct tfr_yolo_classes *c, const char *folder, struct tfr_error *err)
{
	struct tfr_error why = { 0 };
	TFR_AUTO_LISTING l = { 0 };
	enum tfr_status status = tfr_listing_open(&l, folder, &why) ? TFR_END : why.status;

	tfr_error_pass(&why, err);
	for (size_t i = 0; status == TFR_END && i < l.yamls.n; i++) {
		status = try_file(c, folder, l.yamls.list[i], true, err);
		if (status == TFR_EDATA) {
			free(TFR_STEAL(c->path));
			status = TFR_END;
		}
	}
	return status;
}

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

static enum tfr_status try_above(
	struct tfr_yolo_classes *c, const char *folder, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = strdup(folder);
	enum tfr_status status = path ? TFR_END : tfr_fail_nomem(err, "reading names of classes");

	for (int i = 0; status == TFR_END && i < UP; i++) {
		path = parent(path);
		status = path ? try_folder(c, path, err)
			      : tfr_fail_nomem(err, "reading names of classes");
		if (status == TFR_END)
			status = try_yamls(c, path, err);
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

enum tfr_status tfr_yolo_classes_read(struct tfr_yolo_classes *c,
	const struct tfr_convert_opts *opts, const struct tfr_part *part, struct tfr_error *err)
{
	const char *const folders[] = { opts->input.paths[0], part->annotations, part->images };
	enum tfr_status status = TFR_END;

	*c = (struct tfr_yolo_classes){ .base = opts->classes.base };
	if (opts->classes.labels) {
		c->path = strdup(opts->classes.labels);
		status = c->path ? take_list(c, opts->classes.labels, err)
				 : tfr_fail_nomem(err, "reading names of classes");
	}
	for (size_t i = 0; status == TFR_END && i < 3; i++)
		status = try_folder(c, folders[i], err);
	if (status == TFR_END)
		status = try_yamls(c, opts->input.paths[0], err);
	if (status == TFR_END)
		status = try_above(c, part->images, err);
	if (status == TFR_END)
		return no_names(opts->input.paths[0], err);
	for (size_t i = 0; !status && i < c->n; i++)
		c->list[i].text = (const char *)c->texts.data + (uintptr_t)c->list[i].text;
	return status;
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
	free(c->path);
	tfr_buf_clear(&c->texts);
	*c = (struct tfr_yolo_classes){ 0 };
}
