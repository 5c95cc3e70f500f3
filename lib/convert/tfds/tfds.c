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
#include "base/error.h"
#include "io/output.h"
#include "shard/set_writer.h"

/* --- the JSON files --- */

/* Writes what TFDS writes for a data set with the features of its ImageFolder, member for member.
 *
 * It is protobuf's JSON: 64-bit integers are texts. */

#define CLASSES "tensorflow_datasets.core.features."

/* --- label.labels.txt --- */

/* The length of the white space at `p` that Python's str.strip() removes; 0: another character. */
static size_t space_at(const char *p)
{
	static const char *const wide[] = { "\xc2\x85", "\u00a0", "\u1680", "\u2000", "\u2001",
		"\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
		"\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000" };

	if ((*p >= '\t' && *p <= '\r') || (*p >= 0x1c && *p <= ' '))
		return 1;
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (!strncmp(p, wide[i], strlen(wide[i])))
			return strlen(wide[i]);
	return 0;
}

static const char *last_character(const char *text)
{
	const char *p = text + strlen(text) - 1;

	while (p > text && (*p & 0xc0) == 0x80)
		p--;
	return p;
}

static enum tfr_status check_name(const char *name, struct tfr_error *err)
{
	if (!tfr_is_utf8(name, strlen(name)))
		return tfr_fail(err, TFR_EDATA,
			"the class '%s' has a name that is not UTF-8, which TFDS cannot read",
			name);
	if (strpbrk(name, "\r\n"))
		return tfr_fail(err, TFR_EDATA,
			"the class '%s' has a line break in its name, which label.labels.txt "
			"cannot hold",
			name);
	if (space_at(name) || space_at(last_character(name)))
		return tfr_fail(err, TFR_EDATA,
			"the class '%s' has a name that begins or ends in a space, which TFDS "
			"removes",
			name);
	return TFR_OK;
}

/* label.labels.txt: one name per line; the label is the line's number from 0.  TFR_EDATA: TFDS
 * would read a name as another one; TFR_EUSAGE: labels are not 0 to n-1. */
static enum tfr_status tfds_labels(
	struct tfr_buf *text, const struct tfr_input *in, struct tfr_error *err)
{
	size_t n = in->n_classes;
	TFR_AUTO_FREE const char **names = calloc(n, sizeof(*names));

	if (!names)
		return tfr_fail_nomem(err, "writing labels");
	for (size_t k = 0; k < n; k++) {
		const struct tfr_class *class = &in->classes[k];
		enum tfr_status status = check_name(class->text, err);

		if (status)
			return status;
		if (class->label < 0 || (uint64_t) class->label >= n || names[class->label])
			return tfr_fail(err, TFR_EUSAGE,
				"TFDS numbers %zu classes from 0 to %zu, and '%s' has the label "
				"%lld",
				n, n - 1, class->text, (long long)class->label);
		names[class->label] = class->text;
	}
	for (size_t k = 0; k < n; k++)
		if (!tfr_buf_printf(text, "%s\n", names[k]))
			return tfr_fail_nomem(err, "writing labels");
	return TFR_OK;
}

/* --- JSON --- */

static void put_number(struct tfr_json *j, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	tfr_json_string(j, key, text);
}

/* Ends the outermost object and frees `j`. */
static enum tfr_status end(struct tfr_json *j, struct tfr_buf *text, struct tfr_error *err)
{
	const char *json;
	size_t size = 0;
	bool good;

	tfr_json_close_object(j);
	json = tfr_json_text(j, &size);
	good = json && tfr_buf_append(text, json, size) && tfr_buf_append(text, "\n", 1);
	tfr_json_free(j);
	return good ? TFR_OK : tfr_fail_nomem(err, "writing about a data set");
}

static struct tfr_json *begin(void)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_pretty(j, 4);
	tfr_json_open_object(j, NULL);
	return j;
}

/* Any height and width, 3 channels: tf.io.decode_image() gives these for gray and alpha, too. */
static void put_image(struct tfr_json *j)
{
	tfr_json_open_object(j, "image");
	tfr_json_string(j, "pythonClassName", CLASSES "image_feature.Image");
	tfr_json_open_object(j, "image");
	tfr_json_string(j, "dtype", "uint8");
	tfr_json_open_object(j, "shape");
	tfr_json_open_array(j, "dimensions");
	tfr_json_string(j, NULL, "-1");
	tfr_json_string(j, NULL, "-1");
	tfr_json_string(j, NULL, "3");
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	tfr_json_close_object(j);
	tfr_json_close_object(j);
}

static void put_filename(struct tfr_json *j)
{
	tfr_json_open_object(j, "image/filename");
	tfr_json_string(j, "pythonClassName", CLASSES "text_feature.Text");
	tfr_json_open_object(j, "text");
	tfr_json_close_object(j);
	tfr_json_close_object(j);
}

static void put_label(struct tfr_json *j, size_t n_classes)
{
	tfr_json_open_object(j, "label");
	tfr_json_string(j, "pythonClassName", CLASSES "class_label_feature.ClassLabel");
	tfr_json_open_object(j, "classLabel");
	put_number(j, "numClasses", n_classes);
	tfr_json_close_object(j);
	tfr_json_close_object(j);
}

/* features.json; `n_classes` 0: images without labels. */
static enum tfr_status tfds_features(struct tfr_buf *text, size_t n_classes, struct tfr_error *err)
{
	struct tfr_json *j = begin();

	tfr_json_string(j, "pythonClassName", CLASSES "features_dict.FeaturesDict");
	tfr_json_open_object(j, "featuresDict");
	tfr_json_open_object(j, "features");
	put_image(j);
	put_filename(j);
	if (n_classes)
		put_label(j, n_classes);
	tfr_json_close_object(j);
	tfr_json_close_object(j);
	return end(j, text, err);
}

static void put_split(struct tfr_json *j, const char *name, const struct tfr_set_writer *w)
{
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "name", name);
	tfr_json_string(j, "filepathTemplate", "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}");
	put_number(j, "numBytes", tfr_set_writer_totals(w).payload_bytes);
	tfr_json_open_array(j, "shardLengths");
	for (uint32_t k = 0; k < tfr_set_writer_shards(w); k++)
		put_number(j, NULL, tfr_set_writer_records(w, k));
	tfr_json_close_array(j);
	tfr_json_close_object(j);
}

/* The result of as_supervised=True. */
static void put_supervised(struct tfr_json *j)
{
	static const char *const keys[] = { "image", "label" };

	tfr_json_open_object(j, "supervisedKeys");
	tfr_json_open_object(j, "tuple");
	tfr_json_open_array(j, "items");
	for (size_t i = 0; i < 2; i++) {
		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "featureKey", keys[i]);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	tfr_json_close_object(j);
}

/* TFDS writes no empty split, and cannot read one. */
static enum tfr_status check_splits(
	const struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err)
{
	for (size_t k = 0; k < t->given->target_count; k++)
		if (!tfr_set_writer_totals(tfr_sets_writer(sets, k)).records) {
			tfr_fail(err, TFR_EDATA, "the split '%s' has no image",
				t->given->targets[k].set);
			tfr_error_hint(err, "TFDS cannot read an empty split.  Give it a larger "
					    "fraction, or leave it out.");
			return TFR_EDATA;
		}
	return TFR_OK;
}

/* dataset_info.json of sealed sets.  TFR_EDATA: a set has no record. */
static enum tfr_status tfds_info(struct tfr_buf *text, const struct tfr_tfds *t,
	const struct tfr_sets *sets, struct tfr_error *err)
{
	struct tfr_json *j;

	TFR_TRY(check_splits(t, sets, err));
	j = begin();
	tfr_json_string(j, "name", t->name);
	tfr_json_string(j, "version", "1.0.0");
	tfr_json_string(j, "fileFormat", "tfrecord");
	tfr_json_open_array(j, "splits");
	for (size_t k = 0; k < t->given->target_count; k++)
		put_split(j, t->given->targets[k].set, tfr_sets_writer(sets, k));
	tfr_json_close_array(j);
	if (t->labels)
		put_supervised(j);
	return end(j, text, err);
}

/* --- the data set --- */

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
		tfr_error_hint(err,
			"The name of a split is letters, digits and underscores, such as "
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
			"--sha256 and --tfds exclude each other: a TFDS data set has no feature "
			"for digests");
	if (o->label_base)
		return tfr_fail(err, TFR_EUSAGE, "TFDS numbers classes from 0");
	return TFR_OK;
}

enum tfr_status tfr_tfds_name(
	struct tfr_tfds *t, const struct tfr_convert_opts **opts, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = *opts;
	enum tfr_status status = TFR_OK;

	if (!o->tfds)
		return TFR_OK;
	t->folder = o->tfds;
	t->given = o;
	t->opts = *o;
	TFR_TRY(check_opts(o, err));
	TFR_TRY(name_data_set(t, err));
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
	enum tfr_status status = tfds_labels(&text, in, err);

	if (!status)
		status = open_file(t, "label.labels.txt", again, &t->labels, err);
	return status ? status : fill(t->labels, &text, err);
}

static enum tfr_status write_features(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status = tfds_features(&text, in->n_classes, err);

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
	status = tfds_info(&text, t, sets, err);
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
