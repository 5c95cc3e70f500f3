/* convert/tfds/tfds.c - makes the names that TFDS needs, and three files beside the shards.
 *
 * The splits are ordinary sets; only their names are made here.  All files are opened before the
 * first image is read, so that conflicts are found first. */
#include "convert/tfds/tfds.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "convert/tfds/tfds_json.h"
#include "io/output.h"
#include "shard/set_writer.h"

/* --- names --- */

static const char WORD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* The last part of the folder's path, which must match [a-zA-Z]\w*. */
static enum tfr_status name_data_set(struct tfr_tfds *t, struct tfr_error *err)
{
	size_t end = strlen(t->folder), start, n;

	while (end && t->folder[end - 1] == '/')
		end--;
	for (start = end; start && t->folder[start - 1] != '/'; start--)
		;
	n = end - start;
	t->name = strndup(t->folder + start, n);
	if (!t->name)
		return tfr_fail_nomem(err, "naming a data set");
	if (n && strspn(t->name, WORD) == n && !isdigit((unsigned char)*t->name) && *t->name != '_')
		return TFR_OK;
	tfr_fail_path(err, TFR_EUSAGE, t->folder, "not a name for a TFDS data set:");
	tfr_error_hint(err, "The last part of the path is the name, which must be letters, "
			    "digits and underscores, a letter first, such as 'my_images'.");
	return TFR_EUSAGE;
}

static enum tfr_status check_split(
	const struct tfr_convert_opts *o, size_t k, struct tfr_error *err)
{
	const char *split = o->targets[k].set;

	if (!*split || split[strspn(split, WORD)] || !strcmp(split, "all")) {
		tfr_fail(err, TFR_EUSAGE, "not a split of a TFDS data set: '%s'", split);
		tfr_error_hint(err, "The name of a split is letters, digits and underscores, such as "
				    "'train'; 'all' means every split.");
		return TFR_EUSAGE;
	}
	for (size_t i = 0; i < k; i++)
		if (!strcmp(o->targets[i].set, split))
			return tfr_fail(err, TFR_EUSAGE, "the split '%s' is named twice", split);
	return TFR_OK;
}

static enum tfr_status check_opts(const struct tfr_convert_opts *o, struct tfr_error *err)
{
	if (o->writer.compression != TFR_COMPRESSION_AUTO &&
		o->writer.compression != TFR_COMPRESSION_NONE)
		return tfr_fail(err, TFR_EUSAGE, "TFDS cannot read compressed records");
	if (o->sha256)
		return tfr_fail(err, TFR_EUSAGE,
			"--sha256 and --tfds exclude each other: a TFDS data set has no feature for digests");
	if (o->label_base)
		return tfr_fail(err, TFR_EUSAGE, "TFDS numbers classes from 0");
	return TFR_OK;
}

enum tfr_status tfr_tfds_name(
	struct tfr_tfds *t, const struct tfr_convert_opts **opts, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = *opts;
	enum tfr_status status;

	if (!o->tfds)
		return TFR_OK;
	t->folder = o->tfds;
	t->given = o;
	t->opts = *o;
	status = check_opts(o, err);
	if (!status)
		status = name_data_set(t, err);
	if (status)
		return status;
	t->targets = calloc(o->target_count, sizeof(*t->targets));
	if (!t->targets)
		return tfr_fail_nomem(err, "naming a data set");
	for (size_t k = 0; !status && k < o->target_count; k++) {
		char *set = NULL;

		status = check_split(o, k, err);
		if (!status && asprintf(&set, "%s/%s-%s.tfrecord@auto", t->folder, t->name,
				       o->targets[k].set) < 0)
			return tfr_fail_nomem(err, "naming a data set");
		t->targets[k] =
			(struct tfr_share){ set, o->targets[k].fraction, o->targets[k].folder };
	}
	t->opts.targets = t->targets;
	*opts = &t->opts;
	return status;
}

uint64_t tfr_tfds_shards(uint64_t bytes, uint64_t records)
{
	uint64_t most = bytes / (64u << 20), least = bytes / (1024u << 20), n = 1024;

	if (least > n) {
		for (n *= 2; n < least; n += 1024)
			;
		return n <= records ? n : records;
	}
	while (n > 1 && (n < least || n > most || n > records))
		n /= 2;
	return n;
}

/* --- files --- */

static char *path_of(const struct tfr_tfds *t, const char *file)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", t->folder, file) < 0 ? NULL : path;
}

static enum tfr_status open_file(const struct tfr_tfds *t, const char *file, bool again,
	struct tfr_output **out, struct tfr_error *err)
{
	const struct tfr_writer_opts *w = &t->opts.writer;
	struct tfr_output_opts how = { .force = w->force || again, .temporaries = w->temporaries };
	TFR_AUTO_FREE char *path = path_of(t, file);

	return path ? tfr_output_open(out, path, &how, err)
		    : tfr_fail_nomem(err, "creating a data set");
}

static enum tfr_status fill(
	struct tfr_output *out, const struct tfr_buf *text, struct tfr_error *err)
{
	enum tfr_status status = tfr_output_write(out, text->data, text->size, err);

	return status ? status : tfr_output_seal(out, err);
}

static enum tfr_status write_labels(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status = tfr_tfds_labels(&text, in, err);

	if (!status)
		status = open_file(t, "label.labels.txt", again, &t->labels, err);
	return status ? status : fill(t->labels, &text, err);
}

static enum tfr_status write_features(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status = tfr_tfds_features(&text, in->n_classes, err);

	if (!status)
		status = open_file(t, "features.json", again, &t->features, err);
	return status ? status : fill(t->features, &text, err);
}

enum tfr_status tfr_tfds_open(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err)
{
	enum tfr_status status;

	if (!t->folder)
		return TFR_OK;
	t->made = !tfr_is_url(t->folder) && !mkdir(t->folder, 0777);
	if (!t->made && !tfr_is_url(t->folder) && errno != EEXIST) {
		tfr_fail_errno(err, errno, t->folder, "cannot create the folder");
		if (err && err->sys_errno == ENOENT)
			tfr_error_hint(err, "Its parent folder does not exist.");
		return TFR_ESYS;
	}
	status = t->made ? tfr_sync_directory_of(t->folder, err) : TFR_OK;
	if (!status)
		status = open_file(t, "dataset_info.json", again, &t->info, err);
	if (!status && in->n_classes)
		status = write_labels(t, in, again, err);
	return status ? status : write_features(t, in, again, err);
}

/* Files of an older data set are removed if this one has no file of that name. */
static enum tfr_status add_labels(
	struct tfr_tfds *t, struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = path_of(t, "label.labels.txt");

	if (t->labels)
		return tfr_set_writer_company(w, t->labels, false, err);
	return path ? tfr_set_writer_withdraw(w, path, err)
		    : tfr_fail_nomem(err, "creating a data set");
}

enum tfr_status tfr_tfds_seal(
	struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status;

	if (!t->folder)
		return TFR_OK;
	status = tfr_tfds_info(&text, t, sets, err);
	if (!status)
		status = fill(t->info, &text, err);
	if (!status)
		status = add_labels(t, tfr_sets_last(sets), err);
	if (!status)
		status = tfr_set_writer_company(tfr_sets_last(sets), t->features, false, err);
	return status ? status : tfr_set_writer_company(tfr_sets_last(sets), t->info, true, err);
}

void tfr_tfds_close(struct tfr_tfds *t)
{
	tfr_output_close(t->info);
	tfr_output_close(t->features);
	tfr_output_close(t->labels);
	if (t->made)
		rmdir(t->folder);
	for (size_t k = 0; t->targets && k < t->given->target_count; k++)
		free((void *)(uintptr_t)t->targets[k].set);
	free(t->targets);
	free(t->name);
	*t = (struct tfr_tfds){ 0 };
}
