/* convert/labels.c - labels.txt written once for each folder that receives a set.
 *
 * Label numbers mean nothing without it, and two sets beside each other share it: that is why one
 * that says something else is a reason to stop before any work. */
#include "convert/labels.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/output.h"

static enum tfr_status make_text(
	struct tfr_labels *l, const struct tfr_input *in, struct tfr_error *err)
{
	for (size_t k = 0; k < in->n_classes; k++) {
		const struct tfr_class *class = &in->classes[k];

		if (strchr(class->text, '\n'))
			return tfr_fail(err, TFR_EDATA,
				"the class '%s' has a line break in its name, which labels.txt "
				"cannot have",
				class->text);
		if (!tfr_buf_printf(&l->text, "%lld:%s\n", (long long)class->label, class->text))
			return tfr_fail_nomem(err, "writing labels.txt");
	}
	return TFR_OK;
}

/* "out/labels.txt" for "out/train@16.tfrecord". */
static char *place_beside(const char *set)
{
	const char *slash = strrchr(set, '/');
	size_t n = slash ? (size_t)(slash - set) + 1 : 0;
	char *path = malloc(n + sizeof("labels.txt"));

	if (path) {
		memcpy(path, set, n);
		strcpy(path + n, "labels.txt");
	}
	return path;
}

/* Whether the file is there, and says the same. */
static enum tfr_status compare(const struct tfr_labels *l, const char *path, bool *there,
	bool *same, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	TFR_AUTO_BUF text = { 0 };
	ssize_t n;

	*there = fd >= 0;
	*same = false;
	if (fd < 0)
		return errno == ENOENT ? TFR_OK : tfr_fail_errno(err, errno, path, "cannot read");
	if (!tfr_buf_reserve(&text, l->text.size + 1))
		return tfr_fail_nomem(err, "reading labels.txt");
	while (text.size <= l->text.size) {
		n = read(fd, text.data + text.size, l->text.size + 1 - text.size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text.size += (size_t)n;
	}
	*same = text.size == l->text.size && !memcmp(text.data, l->text.data, text.size);
	return TFR_OK;
}

static enum tfr_status open_one(struct tfr_labels *l, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	struct tfr_output_opts out = { .force = opts->force, .temporaries = opts->temporaries };
	bool there, same;
	enum tfr_status status = compare(l, path, &there, &same, err);

	if (status || same)
		return status;
	if (there && !opts->force) {
		tfr_fail_path(err, TFR_EEXIST, path, "other classes are in");
		tfr_error_hint(err, "Sets beside each other share their labels.  Write to another "
				    "folder, or give -f to replace the file.");
		return TFR_EEXIST;
	}
	status = tfr_output_open(&l->files[l->n], path, &out, err);
	if (status)
		return status;
	l->n++;
	status = tfr_output_write(l->files[l->n - 1], l->text.data, l->text.size, err);
	return status ? status : tfr_output_seal(l->files[l->n - 1], err);
}

enum tfr_status tfr_labels_open(
	struct tfr_labels *l, const struct tfr_input *in, struct tfr_error *err)
{
	const struct tfr_convert_opts *opts = in->opts;
	enum tfr_status status = make_text(l, in, err);
	char **places = calloc(opts->target_count, sizeof(*places));

	l->files = calloc(opts->target_count, sizeof(*l->files));
	if (!status && (!l->files || !places))
		status = tfr_fail_nomem(err, "writing labels.txt");
	for (size_t t = 0; !status && t < opts->target_count; t++) {
		bool seen = !strcmp(opts->targets[t].set, "-");

		places[t] = place_beside(opts->targets[t].set);
		if (!places[t]) {
			status = tfr_fail_nomem(err, "writing labels.txt");
			break;
		}
		for (size_t u = 0; u < t && !seen; u++)
			seen = !strcmp(places[u], places[t]);
		if (!seen)
			status = open_one(l, places[t], &opts->writer, err);
	}
	for (size_t t = 0; places && t < opts->target_count; t++)
		free(places[t]);
	free(places);
	return status;
}

enum tfr_status tfr_labels_publish(struct tfr_labels *l, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < l->n; i++)
		status = tfr_output_publish(l->files[i], err);
	return status;
}

void tfr_labels_close(struct tfr_labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		tfr_output_close(l->files[i]);
	free(l->files);
	tfr_buf_clear(&l->text);
	*l = (struct tfr_labels){ 0 };
}
