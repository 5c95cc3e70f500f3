/* convert/tfds/tfds_json.c - writes what TFDS writes for a data set with the features of its
 * ImageFolder, member for member.
 *
 * It is protobuf's JSON: 64-bit integers are texts. */
#include "convert/tfds/tfds_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "shard/set_writer.h"

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

enum tfr_status tfr_tfds_labels(
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

enum tfr_status tfr_tfds_features(struct tfr_buf *text, size_t n_classes, struct tfr_error *err)
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

enum tfr_status tfr_tfds_info(struct tfr_buf *text, const struct tfr_tfds *t,
	const struct tfr_sets *sets, struct tfr_error *err)
{
	enum tfr_status status = check_splits(t, sets, err);
	struct tfr_json *j;

	if (status)
		return status;
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
