/* convert/labels_file.c - writes a labels file beside each set, and compares its classes with those
 * of the sets beside it.
 *
 * Label numbers mean nothing without it.  An existing file with other contents belongs to a set
 * that was removed or is in use: the run stops before any work.  A set whose shards fill one
 * after another gets its name, and so the name of this file, when it is sealed.
 *
 * A validation set that lacks a class is numbered without it: each of the two sets is right, but
 * together they are not.  Labels files are small, so that all in a folder are read.  A set that
 * was made from another one has no labels file, but its manifest has the classes. */
#include "convert/outputs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/suffix.h"
#include "io/output.h"
#include "io/path.h"
#include "io/source.h"
#include "shard/class_map.h"

static enum tfr_status make_text(
	struct tfr_labels *l, const struct tfr_input *in, struct tfr_error *err)
{
	for (size_t k = 0; k < in->n_classes; k++) {
		const struct tfr_class *class = &in->classes[k];

		if (strchr(class->text, '\n'))
			return tfr_fail(err, TFR_EDATA,
				"the class '%s' has a line break in its name, which a labels file "
				"cannot have",
				class->text);
		TFR_NEED_MEMORY(
			tfr_buf_printf(&l->text, "%lld:%s\n", (long long)class->label, class->text),
			err, "writing a labels file");
	}
	return TFR_OK;
}

/* Whether the file exists with the same contents. */
static enum tfr_status compare(const struct tfr_labels *l, const char *path, bool *there,
	bool *same, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	struct tfr_error why = { 0 };
	size_t n = 0;
	enum tfr_status status;

	TFR_NEED_MEMORY(tfr_buf_reserve(&text, l->text.size + 1), err, "reading a labels file");
	status = tfr_root_head(NULL, path, text.data, l->text.size + 1, &n, &why);
	*there = !status;
	*same = !status && n == l->text.size && !memcmp(text.data, l->text.data, n);
	if (status)
		status = tfr_absent_or_failed(path, status, &why, err);
	return status == TFR_END ? TFR_OK : status;
}

/* Opens the file of a set. */
static enum tfr_status open_one(struct tfr_labels *l, const struct tfr_sets *sets, size_t set,
	const char *path, struct tfr_error *err)
{
	const struct tfr_writer_opts *w = &sets->in->opts->output.writer;
	struct tfr_output_opts out = { .force = w->force, .temporaries = w->temporaries };
	bool there = false, same = false;

	TFR_TRY(compare(l, path, &there, &same, err));
	if (same)
		return TFR_OK;
	if (there && !w->force) {
		tfr_fail_path(err, TFR_EEXIST, path, "other classes are in");
		tfr_error_hint(err, "The file belongs to a set of this name.  Write to another "
				    "folder, or use -f to replace the file.");
		return TFR_EEXIST;
	}
	if (w->parts) /* it is in the note of the part */
		return TFR_OK;
	TFR_TRY(tfr_output_open(&l->files[set], path, &out, err));
	TFR_TRY(tfr_output_write(l->files[set], l->text.data, l->text.size, err));
	TFR_TRY(tfr_output_seal(l->files[set], err));
	return tfr_set_writer_company(sets->targets[set].writer, l->files[set], false, err);
}

/* No file is written beside standard output, a device or a FIFO. */
static bool is_stream(const char *set)
{
	struct stat st;

	return !strcmp(set, "-") || (tfr_stat(set, &st) == 0 && !S_ISREG(st.st_mode));
}

enum tfr_status tfr_labels_open_named(
	struct tfr_labels *l, const struct tfr_sets *sets, struct tfr_error *err)
{
	for (size_t t = 0; t < l->n; t++) {
		struct tfr_set_writer *w = sets->targets[t].writer;
		TFR_AUTO_FREE char *path = NULL;

		if (l->opened[t] || is_stream(sets->in->opts->output.targets[t].set) ||
			!tfr_set_writer_is_named(w))
			continue;
		path = tfr_set_writer_beside(w, "labels.txt");
		TFR_NEED_MEMORY(path, err, "writing a labels file");
		TFR_TRY(open_one(l, sets, t, path, err));
		l->opened[t] = true;
	}
	return TFR_OK;
}

/* --- sets beside the written ones --- */

/* A manifest, or a labels file, except that of TFDS, which has only names. */
static int has_classes(const struct dirent *entry)
{
	return (tfr_has_suffix(entry->d_name, "labels.txt") &&
		       strcmp(entry->d_name, "label.labels.txt") != 0) ||
	       tfr_has_suffix(entry->d_name, ".manifest.json");
}

/* Whether this run writes the file. */
static bool is_own(const struct tfr_sets *sets, const char *path)
{
	const char *what = tfr_has_suffix(path, "labels.txt") ? "labels.txt" : "manifest.json";

	for (size_t t = 0; t < sets->n; t++) {
		const struct tfr_set_writer *w = sets->targets[t].writer;
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

static enum tfr_status compare_with(const struct tfr_sets *sets, const struct tfr_class_map *here,
	const char *path, bool *told, struct tfr_error *err)
{
	TFR_AUTO_CLASS_MAP there = { 0 };
	enum tfr_status status;

	TFR_NEED_MEMORY(path, err, "comparing the classes");
	if (*told || is_own(sets, path))
		return TFR_OK;
	status = tfr_class_map_read(&there, path, err);
	*told = !status && differs(sets->in->opts, here, path, &there);
	/* Other sets only matter for a warning. */
	return status == TFR_ENOMEM ? status : TFR_OK;
}

static enum tfr_status look_into(const struct tfr_sets *sets, const struct tfr_class_map *here,
	const char *folder, bool *told, struct tfr_error *err)
{
	TFR_AUTO_FREE struct dirent **entries = NULL;
	int n = scandir(*folder ? folder : ".", &entries, has_classes, alphasort);
	enum tfr_status status = TFR_OK;

	for (int i = 0; i < n; i++) {
		TFR_AUTO_FREE char *path = tfr_asprintf("%s%s", folder, entries[i]->d_name);

		if (!status)
			status = compare_with(sets, here, path, told, err);
		free(entries[i]);
	}
	return status;
}

/* Warns of the first labels file or manifest in the folders of the sets that numbers the classes
 * differently, with the option that gives both the same numbers. */
static enum tfr_status look_beside(const struct tfr_sets *sets, struct tfr_error *err)
{
	const struct tfr_input *in = sets->in;
	TFR_AUTO_CLASS_MAP here = { 0 };
	bool told = false;

	for (size_t k = 0; k < in->n_classes; k++)
		TFR_NEED_MEMORY(tfr_class_map_add(&here, in->classes[k].text,
					strlen(in->classes[k].text), in->classes[k].label),
			err, "comparing the classes");
	tfr_class_map_sort(&here);
	for (size_t t = 0; !told && t < sets->n; t++) {
		TFR_AUTO_FREE char *folder = folder_of(in->opts->output.targets[t].set);

		TFR_NEED_MEMORY(folder, err, "comparing the classes");
		TFR_TRY(look_into(sets, &here, folder, &told, err));
	}
	return TFR_OK;
}

/* --- the files of a run --- */

enum tfr_status tfr_labels_open(
	struct tfr_labels *l, const struct tfr_sets *sets, bool resumes, struct tfr_error *err)
{
	const struct tfr_input *in = sets->in;

	if (!in->n_classes)
		return TFR_OK;
	if (!in->opts->output.tfds) {
		TFR_TRY(make_text(l, in, err));
		l->n = sets->n;
		l->files = calloc(l->n, sizeof(*l->files));
		l->opened = calloc(l->n, sizeof(*l->opened));
		if (!l->files || !l->opened)
			return tfr_fail_nomem(err, "writing a labels file");
		TFR_TRY(tfr_labels_open_named(l, sets, err));
	}
	return !resumes && in->ops->flags & TFR_INPUT_LABELS ? look_beside(sets, err) : TFR_OK;
}

void tfr_labels_close(struct tfr_labels *l)
{
	for (size_t i = 0; l->files && i < l->n; i++)
		tfr_output_close(l->files[i]);
	free(l->files);
	free(l->opened);
	tfr_buf_clear(&l->text);
	*l = (struct tfr_labels){ 0 };
}
