/* convert/folder/sibling_classes.c - checks whether sets beside the written ones number the same
 * classes differently.
 *
 * A validation set that lacks a class is numbered without it: each of the two sets is right, but
 * together they are not.  Labels files are small, so that all in a folder are read.  A set that
 * was made from another one has no labels file, but its manifest has the classes. */
#include "convert/folder/sibling_classes.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"
#include "shard/class_map.h"
#include "shard/set_writer.h"

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "comparing the classes");
}

/* A manifest, or a labels file, except that of TFDS, which has only names. */
static int has_classes(const struct dirent *entry)
{
	return (tfr_has_suffix(entry->d_name, "labels.txt") &&
		       strcmp(entry->d_name, "label.labels.txt") != 0) ||
	       tfr_has_suffix(entry->d_name, ".manifest.json");
}

/* Whether this run writes the file. */
static bool is_own(const struct tfr_convert_opts *o, const struct tfr_sets *sets, const char *path)
{
	const char *what = tfr_has_suffix(path, "labels.txt") ? "labels.txt" : "manifest.json";

	for (size_t t = 0; t < o->output.target_count; t++) {
		const struct tfr_set_writer *w = tfr_sets_writer(sets, t);
		TFR_AUTO_FREE char *own =
			tfr_set_writer_is_named(w) ? tfr_set_writer_beside(w, what) : NULL;

		if (own && !strcmp(own, path))
			return true;
	}
	return false;
}

/* True: they differ, which is reported. */
static bool differs(const struct tfr_convert_opts *o, const struct tfr_class_map *here,
	const char *path, const struct tfr_class_map *there)
{
	const struct tfr_class_entry *a, *b;
	char class[256];
	size_t n = tfr_class_map_conflicts(here, there, &a, &b);

	if (!n)
		return false;
	tfr_escape_line(class, sizeof(class), a->text);
	tfr_warn(o,
		"'%s' is class %lld here and %lld in '%s', with %zu class%s numbered differently: "
		"give --labels %s for the same numbers in both",
		class, (long long)a->label, (long long)b->label, path, n, n == 1 ? "" : "es", path);
	return true;
}

/* The folder of the set with a slash at its end; "": the current one. */
static char *folder_of(const char *set)
{
	const char *slash = strrchr(set, '/');

	return slash ? strndup(set, (size_t)(slash - set) + 1) : strdup("");
}

static enum tfr_status look_into(const struct tfr_convert_opts *o, const struct tfr_sets *sets,
	const struct tfr_class_map *here, const char *folder, bool *told, struct tfr_error *err)
{
	TFR_AUTO_FREE struct dirent **entries = NULL;
	int n = scandir(*folder ? folder : ".", &entries, has_classes, alphasort);
	enum tfr_status status = TFR_OK;

	for (int i = 0; i < n; i++) {
		TFR_AUTO_FREE char *path = tfr_asprintf("%s%s", folder, entries[i]->d_name);
		struct tfr_class_map there = { 0 };

		if (!path) {
			status = no_memory(err);
		} else if (!status && !*told && !is_own(o, sets, path)) {
			status = tfr_class_map_read(&there, path, err);
			*told = !status && differs(o, here, path, &there);
			/* Other sets only matter for a warning. */
			status = status == TFR_ENOMEM ? status : TFR_OK;
		}
		tfr_class_map_clear(&there);
		free(entries[i]);
	}
	return status;
}

enum tfr_status tfr_classes_beside(
	const struct tfr_input *in, const struct tfr_sets *sets, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = in->opts;
	struct tfr_class_map here = { 0 };
	enum tfr_status status = TFR_OK;
	bool told = false;

	for (size_t k = 0; !status && k < in->n_classes; k++)
		if (!tfr_class_map_add(&here, in->classes[k].text, strlen(in->classes[k].text),
			    in->classes[k].label))
			status = no_memory(err);
	tfr_class_map_sort(&here);
	for (size_t t = 0; !status && !told && t < o->output.target_count; t++) {
		TFR_AUTO_FREE char *folder = folder_of(o->output.targets[t].set);

		status = folder ? look_into(o, sets, &here, folder, &told, err) : no_memory(err);
	}
	tfr_class_map_clear(&here);
	return status;
}
