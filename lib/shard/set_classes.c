/* shard/set_classes.c - the classes of a set: read from its manifest or labels file, and carried
 * from the sets that are read to the set that is written. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "io/path.h"
#include "io/source.h"
#include "shard/class_map.h"
#include "shard/manifests.h"
#include "shard/set_name.h"

enum { MOST_LABELS = 16 << 20 };

/* --- beside a set --- */

/* Moves the classes out of a manifest, if `status` says that it was read. */
static enum tfr_status take_classes(
	struct tfr_class_map *m, struct tfr_manifest *manifest, enum tfr_status status)
{
	assert(status || manifest);
	if (status)
		return status == TFR_ENOMEM || status == TFR_ESYS ? status : TFR_END;
	if (!manifest->classes.n)
		return TFR_END;
	*m = manifest->classes;
	manifest->classes = (struct tfr_class_map){ 0 };
	return TFR_OK;
}

enum tfr_status tfr_class_map_read(struct tfr_class_map *m, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	TFR_AUTO_MANIFEST manifest = NULL;
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

enum tfr_status tfr_class_map_beside(
	struct tfr_class_map *m, const char *file, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_FREE char *own = NULL, *former = tfr_path_in_folder_of(file, "labels.txt");
	TFR_AUTO_MANIFEST manifest = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status = tfr_shard_file_set(&name, file, err);

	if (status && status != TFR_END)
		return status;
	own = status == TFR_OK ? tfr_set_name_beside(&name, "labels.txt")
			       : tfr_file_name_beside(file, "labels.txt");
	TFR_NEED_MEMORY(own && former, err, "reading the classes of a set");
	if (status == TFR_OK) {
		status = tfr_manifest_find(&name, &manifest, NULL, &why);
		if (status)
			status = tfr_absent_or_failed(file, status, &why, err);
		status = take_classes(m, manifest, status);
	}
	if (status == TFR_END)
		status = tfr_class_map_read(m, own, err);
	return status == TFR_END ? tfr_class_map_read(m, former, err) : status;
}

/* --- from inputs to outputs --- */

static bool same_classes(const struct tfr_class_map *a, const struct tfr_class_map *b)
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

/* The map that all inputs share.  TFR_END: an input has none, or a different one. */
static enum tfr_status map_of_all(
	struct tfr_class_map *m, const struct tfr_set *input, struct tfr_error *err)
{
	for (size_t i = 0; i < tfr_set_count(input); i++) {
		const char *file = tfr_set_path(input, i);
		TFR_AUTO_CLASS_MAP next = { 0 };

		if (i && same_set(tfr_set_path(input, i - 1), file))
			continue;
		if (!strcmp(file, "-"))
			return TFR_END;
		TFR_TRY(tfr_class_map_beside(&next, file, err));
		if (i && !same_classes(m, &next))
			return TFR_END;
		if (!i) {
			*m = next;
			next = (struct tfr_class_map){ 0 };
		}
	}
	return TFR_OK;
}

static int compare_labels(const void *a, const void *b)
{
	const struct tfr_class_count *x = a, *y = b;

	return x->label != y->label ? (x->label > y->label ? 1 : -1) : strcmp(x->text, y->text);
}

enum tfr_status tfr_set_info_carry(
	struct tfr_set_info *info, const struct tfr_set *input, struct tfr_error *err)
{
	TFR_AUTO_CLASS_MAP map = { 0 };
	struct tfr_class_count *classes;
	enum tfr_status status = map_of_all(&map, input, err);

	if (status == TFR_END || !map.n)
		return status == TFR_END ? TFR_OK : status;
	TFR_TRY(status);
	classes = calloc(map.n, sizeof(*classes));
	TFR_NEED_MEMORY(classes, err, "reading the classes of a set");
	for (size_t i = 0; i < map.n; i++)
		classes[i] = (struct tfr_class_count){ map.list[i].label, map.list[i].text,
			TFR_CLASS_UNCOUNTED };
	qsort(classes, map.n, sizeof(*classes), compare_labels);
	info->classes = classes;
	info->class_count = map.n;
	map.n = 0; /* the texts live on */
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
