/* convert/tfds.c - makes the names that TFDS needs, and three files beside the shards.
 *
 * The splits are ordinary sets; only their names are made here.  All files are opened before the
 * first image is read, so that conflicts are found first. */
#include "convert/outputs.h"

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
static enum tfr_status print_labels(
	struct tfr_buf *text, const struct tfr_input *in, struct tfr_error *err)
{
	size_t n = in->n_classes;
	TFR_AUTO_FREE const char **names = calloc(n, sizeof(*names));

	TFR_NEED_MEMORY(names, err, "writing labels");
	for (size_t k = 0; k < n; k++) {
		const struct tfr_class *class = &in->classes[k];

		TFR_TRY(check_name(class->text, err));
		if (class->label < 0 || (uint64_t) class->label >= n || names[class->label])
			return tfr_fail(err, TFR_EUSAGE,
				"TFDS numbers %zu classes from 0 to %zu, and '%s' has the label "
				"%lld",
				n, n - 1, class->text, (long long)class->label);
		names[class->label] = class->text;
	}
	for (size_t k = 0; k < n; k++)
		TFR_NEED_MEMORY(tfr_buf_printf(text, "%s\n", names[k]), err, "writing labels");
	return TFR_OK;
}

/* --- the JSON files --- */

/* What TFDS writes for a data set with the features of its ImageFolder, member for member:
 * protobuf's JSON, whose 64-bit integers are texts.  The names of data sets and splits need no
 * escapes. */

#define CLASSES "tensorflow_datasets.core.features."

/* Any height and width, 3 channels: tf.io.decode_image() gives these for gray and alpha, too. */
static const char features[] =
	"{\n"
	"  \"pythonClassName\": \"" CLASSES "features_dict.FeaturesDict\",\n"
	"  \"featuresDict\": {\n"
	"    \"features\": {\n"
	"      \"image\": {\n"
	"        \"pythonClassName\": \"" CLASSES "image_feature.Image\",\n"
	"        \"image\": {\"dtype\": \"uint8\", \"shape\": {\"dimensions\": "
	"[\"-1\", \"-1\", \"3\"]}}\n"
	"      },\n"
	"      \"image/filename\": {\n"
	"        \"pythonClassName\": \"" CLASSES "text_feature.Text\",\n"
	"        \"text\": {}\n"
	"      }";
static const char label[] =
	",\n"
	"      \"label\": {\n"
	"        \"pythonClassName\": \"" CLASSES "class_label_feature.ClassLabel\",\n"
	"        \"classLabel\": {\"numClasses\": \"%zu\"}\n"
	"      }";

/* features.json; `n_classes` 0: images without labels. */
static bool print_features(struct tfr_buf *text, size_t n_classes)
{
	return tfr_buf_printf(text, "%s", features) &&
	       (!n_classes || tfr_buf_printf(text, label, n_classes)) &&
	       tfr_buf_printf(text, "\n    }\n  }\n}\n");
}

static bool print_split(struct tfr_buf *text, const char *name, const struct tfr_set_writer *w)
{
	bool good = tfr_buf_printf(text,
		"    {\n"
		"      \"name\": \"%s\",\n"
		"      \"filepathTemplate\": \"{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}\",\n"
		"      \"numBytes\": \"%llu\",\n"
		"      \"shardLengths\": [",
		name, (unsigned long long)tfr_set_writer_totals(w).payload_bytes);

	for (uint32_t k = 0; good && k < tfr_set_writer_shards(w); k++)
		good = tfr_buf_printf(text, "%s\n        \"%llu\"", k ? "," : "",
			(unsigned long long)tfr_set_writer_records(w, k));
	return good && tfr_buf_printf(text, "\n      ]\n    }");
}

/* The result of as_supervised=True. */
static const char supervised[] = ",\n"
				 "  \"supervisedKeys\": {\n"
				 "    \"tuple\": {\n"
				 "      \"items\": [\n"
				 "        {\"featureKey\": \"image\"},\n"
				 "        {\"featureKey\": \"label\"}\n"
				 "      ]\n"
				 "    }\n"
				 "  }";

/* TFDS writes no empty split, and cannot read one. */
static enum tfr_status check_splits(
	const struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err)
{
	for (size_t k = 0; k < t->given->output.target_count; k++)
		if (!tfr_set_writer_totals(sets->targets[k].writer).records)
			return tfr_fail_hint(err, TFR_EDATA,
				"TFDS cannot read an empty split.  Give it a larger "
				"fraction, or leave it out.",
				"the split '%s' has no image", t->given->output.targets[k].set);
	return TFR_OK;
}

/* dataset_info.json of sealed sets. */
static bool print_info(struct tfr_buf *text, const struct tfr_tfds *t, const struct tfr_sets *sets)
{
	bool good = tfr_buf_printf(text,
		"{\n"
		"  \"name\": \"%s\",\n"
		"  \"version\": \"1.0.0\",\n"
		"  \"fileFormat\": \"tfrecord\",\n"
		"  \"splits\": [",
		t->name);

	for (size_t k = 0; good && k < t->given->output.target_count; k++)
		good = tfr_buf_printf(text, k ? ",\n" : "\n") &&
		       print_split(text, t->given->output.targets[k].set, sets->targets[k].writer);
	return good && tfr_buf_printf(text, "\n  ]%s\n}\n", t->labels ? supervised : "");
}

/* --- names --- */

static const char WORD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* The last part of the folder's path, which must match [a-zA-Z]\w*. */
static enum tfr_status name_data_set(struct tfr_tfds *t, struct tfr_error *err)
{
	size_t end = strlen(t->folder), n;
	const char *slash;

	while (end && t->folder[end - 1] == '/')
		end--;
	slash = memrchr(t->folder, '/', end);
	n = slash ? (size_t)(t->folder + end - slash - 1) : end;
	t->name = strndup(t->folder + end - n, n);
	TFR_NEED_MEMORY(t->name, err, "naming a data set");
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
	const char *split = o->output.targets[k].set;

	if (!*split || split[strspn(split, WORD)] || !strcmp(split, "all"))
		return tfr_fail_hint(err, TFR_EUSAGE,
			"The name of a split is letters, digits and underscores, such as "
			"'train'; 'all' means every split.",
			"not a split of a TFDS data set: '%s'", split);
	for (size_t i = 0; i < k; i++)
		if (!strcmp(o->output.targets[i].set, split))
			return tfr_fail(err, TFR_EUSAGE, "the split '%s' is named twice", split);
	return TFR_OK;
}

static enum tfr_status check_opts(const struct tfr_convert_opts *o, struct tfr_error *err)
{
	if (o->output.writer.compression != TFR_COMPRESSION_AUTO &&
		o->output.writer.compression != TFR_COMPRESSION_NONE)
		return tfr_fail(err, TFR_EUSAGE, "TFDS cannot read compressed records");
	if (o->images.sha256)
		return tfr_fail(err, TFR_EUSAGE,
			"--sha256 and --tfds exclude each other: a TFDS data set has no feature "
			"for digests");
	if (o->classes.base)
		return tfr_fail(err, TFR_EUSAGE, "TFDS numbers classes from 0");
	return TFR_OK;
}

enum tfr_status tfr_tfds_name(
	struct tfr_tfds *t, const struct tfr_convert_opts **opts, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = *opts;

	if (!o->output.tfds)
		return TFR_OK;
	t->folder = o->output.tfds;
	t->given = o;
	t->opts = *o;
	TFR_TRY(check_opts(o, err));
	TFR_TRY(name_data_set(t, err));
	t->targets = calloc(o->output.target_count, sizeof(*t->targets));
	TFR_NEED_MEMORY(t->targets, err, "naming a data set");
	for (size_t k = 0; k < o->output.target_count; k++) {
		TFR_TRY(check_split(o, k, err));
		t->targets[k] =
			(struct tfr_share){ tfr_asprintf("%s/%s-%s.tfrecord@auto", t->folder,
						    t->name, o->output.targets[k].set),
				o->output.targets[k].fraction, o->output.targets[k].folder };
		TFR_NEED_MEMORY(t->targets[k].set, err, "naming a data set");
	}
	t->opts.output.targets = t->targets;
	*opts = &t->opts;
	return TFR_OK;
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

static enum tfr_status open_file(const struct tfr_tfds *t, const char *file, bool again,
	struct tfr_output **out, struct tfr_error *err)
{
	const struct tfr_writer_opts *w = &t->opts.output.writer;
	struct tfr_output_opts how = { .force = w->force || again, .temporaries = w->temporaries };
	TFR_AUTO_FREE char *path = tfr_asprintf("%s/%s", t->folder, file);

	return path ? tfr_output_open(out, path, &how, err)
		    : tfr_fail_nomem(err, "creating a data set");
}

static enum tfr_status fill(
	struct tfr_output *out, const struct tfr_buf *text, struct tfr_error *err)
{
	TFR_TRY(tfr_output_write(out, text->data, text->size, err));
	return tfr_output_seal(out, err);
}

enum tfr_status tfr_tfds_open(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err)
{
	TFR_AUTO_BUF labels = { 0 }, text = { 0 };

	if (!t->folder)
		return TFR_OK;
	t->made = !tfr_is_url(t->folder) && !mkdir(t->folder, 0777);
	if (!t->made && !tfr_is_url(t->folder) && errno != EEXIST) {
		tfr_fail_errno(err, errno, t->folder, "cannot create the folder");
		if (err && err->sys_errno == ENOENT)
			tfr_error_hint(err, "Its parent folder does not exist.");
		return TFR_ESYS;
	}
	if (t->made)
		TFR_TRY(tfr_sync_directory_of(t->folder, err));
	TFR_TRY(open_file(t, "dataset_info.json", again, &t->info, err));
	if (in->n_classes) {
		TFR_TRY(print_labels(&labels, in, err));
		TFR_TRY(open_file(t, "label.labels.txt", again, &t->labels, err));
		TFR_TRY(fill(t->labels, &labels, err));
	}
	TFR_NEED_MEMORY(print_features(&text, in->n_classes), err, "writing about a data set");
	TFR_TRY(open_file(t, "features.json", again, &t->features, err));
	return fill(t->features, &text, err);
}

/* Files of an older data set are removed if this one has no file of that name. */
static enum tfr_status add_labels(
	struct tfr_tfds *t, struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_asprintf("%s/label.labels.txt", t->folder);

	if (t->labels)
		return tfr_set_writer_company(w, t->labels, false, err);
	return path ? tfr_set_writer_withdraw(w, path, err)
		    : tfr_fail_nomem(err, "creating a data set");
}

enum tfr_status tfr_tfds_seal(
	struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err)
{
	struct tfr_set_writer *last;
	TFR_AUTO_BUF text = { 0 };

	if (!t->folder)
		return TFR_OK;
	last = tfr_sets_last(sets);
	TFR_TRY(check_splits(t, sets, err));
	TFR_NEED_MEMORY(print_info(&text, t, sets), err, "writing about a data set");
	TFR_TRY(fill(t->info, &text, err));
	TFR_TRY(add_labels(t, last, err));
	TFR_TRY(tfr_set_writer_company(last, t->features, false, err));
	return tfr_set_writer_company(last, t->info, true, err);
}

void tfr_tfds_close(struct tfr_tfds *t)
{
	tfr_output_close(t->info);
	tfr_output_close(t->features);
	tfr_output_close(t->labels);
	if (t->made)
		rmdir(t->folder);
	for (size_t k = 0; t->targets && k < t->given->output.target_count; k++)
		free((void *)(uintptr_t)t->targets[k].set);
	free(t->targets);
	free(t->name);
	*t = (struct tfr_tfds){ 0 };
}
