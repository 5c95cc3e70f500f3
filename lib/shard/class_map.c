/* shard/class_map.c - reads and compares class maps, and copies them from inputs to outputs. */
#include "shard/class_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "io/path.h"
#include "io/source.h"
#include "shard/manifests.h"
#include "shard/set_name.h"

enum { MOST_LABELS = 16 << 20 };

/* --- the map --- */

bool tfr_class_map_add(struct tfr_class_map *m, const char *text, size_t size, int64_t label)
{
	if (!size || memchr(text, '\0', size))
		return true;
	if (TFR_ARRAY_RESERVE(m->list, m->cap, m->n + 1))
		return false;
	m->list[m->n].text = strndup(text, size);
	m->list[m->n].label = label;
	m->sorted = false;
	return m->list[m->n].text && ++m->n;
}

static int compare_texts(const void *a, const void *b)
{
	const struct tfr_class_entry *x = a, *y = b;
	int c = strcmp(x->text, y->text);

	return c ? c : (x->label > y->label) - (x->label < y->label);
}

void tfr_class_map_sort(struct tfr_class_map *m)
{
	size_t n = 0;

	if (m->n)
		qsort(m->list, m->n, sizeof(*m->list), compare_texts);
	for (size_t i = 0; i < m->n; i++) {
		if (n && !strcmp(m->list[n - 1].text, m->list[i].text))
			free(m->list[i].text);
		else
			m->list[n++] = m->list[i];
	}
	m->n = n;
	m->sorted = true;
}

void tfr_class_map_clear(struct tfr_class_map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->list[i].text);
	free(m->list);
	*m = (struct tfr_class_map){ 0 };
}

size_t tfr_class_map_conflicts(const struct tfr_class_map *m, const struct tfr_class_map *other,
	const struct tfr_class_entry **a, const struct tfr_class_entry **b)
{
	size_t common = 0, conflicts = 0, least = m->n < other->n ? m->n : other->n;

	for (size_t i = 0, k = 0; i < m->n && k < other->n;) {
		int c = strcmp(m->list[i].text, other->list[k].text);

		if (!c) {
			common++;
			if (m->list[i].label != other->list[k].label && !conflicts++) {
				*a = &m->list[i];
				*b = &other->list[k];
			}
		}
		i += c <= 0;
		k += c >= 0;
	}
	return 2 * common >= least ? conflicts : 0;
}

/* --- reading --- */

/* LABEL:NAME */
static bool parse_line(const char *line, size_t size, int64_t *label, size_t *name)
{
	char copy[24] = "", *end;

	memcpy(copy, line, size < sizeof(copy) ? size : sizeof(copy) - 1);
	if (size < 3 || !strchr("-0123456789", *copy))
		return false;
	errno = 0;
	*label = strtoll(copy, &end, 10);
	*name = (size_t)(end - copy) + 1;
	return !errno && end > copy && *end == ':' && *name < size;
}

enum tfr_status tfr_class_map_parse(
	struct tfr_class_map *m, const char *text, size_t size, struct tfr_error *err)
{
	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t name = 0, bare;
		int64_t label;

		n = end ? (size_t)(end - text) - at : size - at;
		bare = n && text[at + n - 1] == '\r' ? n - 1 : n;
		if (!bare)
			continue;
		if (!parse_line(text + at, bare, &label, &name))
			return TFR_END;
		TFR_NEED_MEMORY(tfr_class_map_add(m, text + at + name, bare - name, label), err,
			"reading the classes of a set");
	}
	tfr_class_map_sort(m);
	return m->n ? TFR_OK : TFR_END;
}

/* Moves the classes out of a manifest, which `status` says was read, and frees it. */
static enum tfr_status take_classes(
	struct tfr_class_map *m, struct tfr_manifest *manifest, enum tfr_status status)
{
	assert(status || manifest);
	if (!status && manifest->classes.n) {
		*m = manifest->classes;
		manifest->classes = (struct tfr_class_map){ 0 };
	} else if (status != TFR_ENOMEM && status != TFR_ESYS) {
		status = TFR_END;
	}
	tfr_manifest_free(manifest);
	return status;
}

enum tfr_status tfr_class_map_read(struct tfr_class_map *m, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	struct tfr_manifest *manifest = NULL;
	enum tfr_status status;
	struct tfr_error why = { 0 };
	struct stat st;

	status = tfr_look(path, &st, &why);
	if (!status && (!S_ISREG(st.st_mode) || st.st_size > MOST_LABELS))
		return TFR_END;
	if (!status)
		status = tfr_source_read_file(
			path, MOST_LABELS, &text, "reading a labels file", &why);
	if (status)
		return tfr_absent_or_failed(path, status, &why, err);
	if (text.size && *text.data == '{') {
		status = tfr_manifest_parse(&manifest, text.data, text.size, NULL);
		status = take_classes(m, manifest, status);
	} else {
		status = tfr_class_map_parse(m, (const char *)text.data, text.size, err);
	}
	if (status == TFR_OK || status == TFR_ENOMEM)
		return status;
	tfr_class_map_clear(m);
	return TFR_END;
}

/* The path of file `name` in the folder of `file`. */
static char *in_folder_of(const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');

	return tfr_asprintf("%.*s%s", slash ? (int)(slash - file) + 1 : 0, file, name);
}

enum tfr_status tfr_class_map_beside(
	struct tfr_class_map *m, const char *file, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_FREE char *own = NULL, *path = NULL, *former = in_folder_of(file, "labels.txt");
	struct tfr_manifest *manifest = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status = tfr_shard_file_set(&name, file, err);

	if (status && status != TFR_END)
		return status;
	own = status == TFR_OK ? tfr_set_name_beside(&name, "labels.txt")
			       : tfr_file_name_beside(file, "labels.txt");
	TFR_NEED_MEMORY(own && former, err, "reading the classes of a set");
	if (status == TFR_OK) {
		status = tfr_manifest_find(&name, &manifest, &path, &why);
		if (status)
			status = tfr_absent_or_failed(file, status, &why, err);
		status = take_classes(m, manifest, status);
	}
	if (status == TFR_END)
		status = tfr_class_map_read(m, own, err);
	return status == TFR_END ? tfr_class_map_read(m, former, err) : status;
}

/* --- from inputs to outputs --- */

static bool agree(const struct tfr_class_map *a, const struct tfr_class_map *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->list[i].text, b->list[i].text) ||
			a->list[i].label != b->list[i].label)
			return false;
	return true;
}

/* Whether two files belong to one set, and so have one map. */
static bool same_set(const char *a, const char *b)
{
	struct tfr_shard_file x, y;

	return tfr_shard_file_parse(a, &x) && tfr_shard_file_parse(b, &y) &&
	       tfr_shard_file_in_set_of(a, &x, b, &y);
}

/* The map that all inputs share; empty if an input has no map or a different one. */
static enum tfr_status map_of_all(
	struct tfr_class_map *m, const struct tfr_set *input, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < tfr_set_count(input); i++) {
		const char *file = tfr_set_path(input, i);
		struct tfr_class_map next = { 0 };

		if (i && same_set(tfr_set_path(input, i - 1), file))
			continue;
		status = strcmp(file, "-") ? tfr_class_map_beside(&next, file, err) : TFR_END;
		if (!status && i && !agree(m, &next))
			status = TFR_END;
		if (!status && !i) {
			*m = next;
			next = (struct tfr_class_map){ 0 };
		}
		tfr_class_map_clear(&next);
	}
	if (status)
		tfr_class_map_clear(m);
	return status == TFR_END ? TFR_OK : status;
}

static int compare_labels(const void *a, const void *b)
{
	const struct tfr_class_count *x = a, *y = b;

	return x->label != y->label ? (x->label > y->label ? 1 : -1) : strcmp(x->text, y->text);
}

enum tfr_status tfr_set_info_carry(
	struct tfr_set_info *info, const struct tfr_set *input, struct tfr_error *err)
{
	struct tfr_class_map map = { 0 };
	struct tfr_class_count *classes;
	enum tfr_status status = map_of_all(&map, input, err);

	if (status || !map.n)
		return status;
	classes = calloc(map.n, sizeof(*classes));
	if (!classes) {
		tfr_class_map_clear(&map);
		return tfr_fail_nomem(err, "reading the classes of a set");
	}
	for (size_t i = 0; i < map.n; i++)
		classes[i] = (struct tfr_class_count){ map.list[i].label, map.list[i].text,
			TFR_CLASS_UNCOUNTED };
	qsort(classes, map.n, sizeof(*classes), compare_labels);
	free(map.list); /* the texts live on */
	info->classes = classes;
	info->class_count = map.n;
	return TFR_OK;
}

void tfr_set_info_clear(struct tfr_set_info *info)
{
	for (size_t i = 0; i < info->class_count; i++)
		free((void *)(uintptr_t)info->classes[i].text);
	free((void *)(uintptr_t)info->classes);
	info->classes = NULL;
	info->class_count = 0;
}
