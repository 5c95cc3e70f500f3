/* convert/labels_file.c - writes a labels file beside each set.
 *
 * Label numbers mean nothing without it.  An existing file with other contents belongs to a set
 * that was removed or is in use: the run stops before any work.  A set whose shards fill one
 * after another gets its name, and so the name of this file, when it is sealed. */
#include "convert/labels_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/output.h"
#include "io/path.h"
#include "io/source.h"
#include "shard/set_writer.h"

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

static enum tfr_status open_one(struct tfr_labels *l, struct tfr_set_writer *w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	struct tfr_output_opts out = { .force = opts->force, .temporaries = opts->temporaries };
	bool there = false, same = false;

	TFR_TRY(compare(l, path, &there, &same, err));
	if (same)
		return TFR_OK;
	if (there && !opts->force) {
		tfr_fail_path(err, TFR_EEXIST, path, "other classes are in");
		tfr_error_hint(err, "The file belongs to a set of this name.  Write to another "
				    "folder, or use -f to replace the file.");
		return TFR_EEXIST;
	}
	if (opts->parts) /* it is in the note of the part */
		return TFR_OK;
	TFR_TRY(tfr_output_open(&l->files[l->n], path, &out, err));
	l->n++;
	TFR_TRY(tfr_output_write(l->files[l->n - 1], l->text.data, l->text.size, err));
	TFR_TRY(tfr_output_seal(l->files[l->n - 1], err));
	return tfr_set_writer_company(w, l->files[l->n - 1], false, err);
}

/* No file is written beside standard output, a device or a FIFO. */
static bool is_stream(const char *set)
{
	struct stat st;

	return !strcmp(set, "-") || (tfr_stat(set, &st) == 0 && !S_ISREG(st.st_mode));
}

/* Opens the files of the sets that have a name by now. */
static enum tfr_status open_named(
	struct tfr_labels *l, const struct tfr_sets *sets, struct tfr_error *err)
{
	const struct tfr_convert_opts *opts = l->opts;

	for (size_t t = 0; t < opts->output.target_count; t++) {
		struct tfr_set_writer *w = tfr_sets_writer(sets, t);
		TFR_AUTO_FREE char *path = NULL;

		if (l->opened[t] || is_stream(opts->output.targets[t].set) ||
			!tfr_set_writer_is_named(w))
			continue;
		path = tfr_set_writer_beside(w, "labels.txt");
		TFR_NEED_MEMORY(path, err, "writing a labels file");
		TFR_TRY(open_one(l, w, path, &opts->output.writer, err));
		l->opened[t] = true;
	}
	return TFR_OK;
}

enum tfr_status tfr_labels_open(struct tfr_labels *l, const struct tfr_input *in,
	const struct tfr_sets *sets, struct tfr_error *err)
{
	TFR_TRY(make_text(l, in, err));
	l->opts = in->opts;
	l->files = calloc(in->opts->output.target_count, sizeof(*l->files));
	l->opened = calloc(in->opts->output.target_count, sizeof(*l->opened));
	if (!l->files || !l->opened)
		return tfr_fail_nomem(err, "writing a labels file");
	return open_named(l, sets, err);
}

enum tfr_status tfr_labels_seal(
	struct tfr_labels *l, const struct tfr_sets *sets, struct tfr_error *err)
{
	return l->files ? open_named(l, sets, err) : TFR_OK;
}

void tfr_labels_close(struct tfr_labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		tfr_output_close(l->files[i]);
	free(l->files);
	free(l->opened);
	tfr_buf_clear(&l->text);
	*l = (struct tfr_labels){ 0 };
}
