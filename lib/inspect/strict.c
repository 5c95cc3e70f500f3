/* inspect/strict.c - the facts about other readers that are not a matter of wire format. */
#include "inspect/strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/text.h>

static enum tfr_status of_members(
	const struct tfr_members *m, enum tfr_compression c, struct tfr_error *err)
{
	unsigned long long count = m->count, at = m->cut_at;

	if (c == TFR_COMPRESSION_ZLIB)
		return tfr_fail(err, TFR_EDATA,
			"%llu ZLIB streams one after another: TensorFlow reads the first only, up "
			"to offset %llu, and drops the rest without an error",
			count, at);
	if (m->cut)
		return tfr_fail(err, TFR_EDATA,
			"%llu GZIP members: TensorFlow ends at offset %llu without an error and "
			"drops the rest",
			count, at);
	return tfr_fail(err, TFR_EDATA,
		"%llu GZIP members: TensorFlow can lose what is behind one of them without an "
		"error",
		count);
}

enum tfr_status tfr_strict_file(
	const struct tfr_reader *r, unsigned i, bool any_record, struct tfr_error *err)
{
	struct tfr_members m = tfr_reader_members(r);
	enum tfr_compression c = tfr_reader_compression(r);

	if (i == 0 && !any_record && !m.count)
		return tfr_fail(err, TFR_EDATA,
			"0 bytes: readers take this for a file without records, and none says so");
	if (i == 1 && m.count > 1)
		return of_members(&m, c, err);
	if (i == 2 && m.empty && c == TFR_COMPRESSION_GZIP)
		return tfr_fail(err, TFR_EDATA,
			"%llu empty GZIP member%s before others: TensorFlow takes one in the last "
			"256 KiB for the end",
			(unsigned long long)m.empty, m.empty == 1 ? "" : "s");
	return TFR_OK;
}

/* A stream whose end is missing behind a whole record looks whole to who does not ask for the end:
 * TensorFlow.  Python's gzip, which PyPI's tfrecord reads by, goes to the end first. */
void tfr_strict_stream(const struct tfr_reader *r, struct tfr_error *err)
{
	struct tfr_members m = tfr_reader_members(r);
	bool gzip = tfr_reader_compression(r) == TFR_COMPRESSION_GZIP;
	const char *others = NULL;
	size_t n = strlen(err->message);

	if (m.trailing)
		others = gzip ? "TensorFlow reads the records and then fails"
			      : "TensorFlow does not look at them";
	else if (err->has_record && err->offset == m.bytes)
		others = gzip ? "TensorFlow ends here without an error, PyPI's tfrecord reads no "
				"record of the file"
			      : "TensorFlow ends here without an error";
	if (others)
		snprintf(err->message + n, sizeof(err->message) - n, "; %s", others);
}

/* Sorted bytewise. */
static const struct known {
	const char *name;
	enum tfr_kind kind;
} known[] = {
	{ "image/additional_channels/encoded", TFR_KIND_BYTES },
	{ "image/class/confidence", TFR_KIND_FLOAT },
	{ "image/class/label", TFR_KIND_INT64 },
	{ "image/class/text", TFR_KIND_BYTES },
	{ "image/encoded", TFR_KIND_BYTES },
	{ "image/filename", TFR_KIND_BYTES },
	{ "image/format", TFR_KIND_BYTES },
	{ "image/height", TFR_KIND_INT64 },
	{ "image/key/sha256", TFR_KIND_BYTES },
	{ "image/neg_category_ids", TFR_KIND_INT64 },
	{ "image/not_exhaustive_category_ids", TFR_KIND_INT64 },
	{ "image/object/area", TFR_KIND_FLOAT },
	{ "image/object/bbox/xmax", TFR_KIND_FLOAT },
	{ "image/object/bbox/xmin", TFR_KIND_FLOAT },
	{ "image/object/bbox/ymax", TFR_KIND_FLOAT },
	{ "image/object/bbox/ymin", TFR_KIND_FLOAT },
	{ "image/object/class/label", TFR_KIND_INT64 },
	{ "image/object/class/multiclass_scores", TFR_KIND_FLOAT },
	{ "image/object/class/text", TFR_KIND_BYTES },
	{ "image/object/difficult", TFR_KIND_INT64 },
	{ "image/object/group_of", TFR_KIND_INT64 },
	{ "image/object/is_crowd", TFR_KIND_INT64 },
	{ "image/object/keypoint/visibility", TFR_KIND_INT64 },
	{ "image/object/keypoint/x", TFR_KIND_FLOAT },
	{ "image/object/keypoint/y", TFR_KIND_FLOAT },
	{ "image/object/track/label", TFR_KIND_INT64 },
	{ "image/object/weight", TFR_KIND_FLOAT },
	{ "image/source_id", TFR_KIND_BYTES },
	{ "image/width", TFR_KIND_INT64 },
};

static int compare_known(const void *key, const void *row)
{
	const struct tfr_bytes *name = key;
	const char *other = ((const struct known *)row)->name;
	size_t size = strlen(other);
	int c = memcmp(name->data, other, name->size < size ? name->size : size);

	return c ? c : (name->size > size) - (name->size < size);
}

enum tfr_kind tfr_strict_kind(const struct tfr_bytes *name)
{
	const struct known *row =
		bsearch(name, known, sizeof(known) / sizeof(*known), sizeof(*known), compare_known);

	return row ? row->kind : TFR_KIND_UNSET;
}

/* A name as it may be printed, bytes that are not UTF-8 as \xNN. */
static void show_name(char *text, size_t size, const struct tfr_bytes *name)
{
	size_t n = 0, at = 0, len;

	while (at < name->size && n + 5 < size) {
		for (len = 1; len <= 4 && at + len <= name->size; len++)
			if (tfr_is_utf8(name->data + at, len))
				break;
		if (len > 4 || at + len > name->size || !name->data[at]) {
			n += (size_t)snprintf(text + n, 5, "\\x%02x", name->data[at++]);
			continue;
		}
		memcpy(text + n, name->data + at, len);
		n += len;
		at += len;
	}
	text[n] = '\0';
}

enum tfr_status tfr_strict_feature(
	struct tfr_error *err, const struct tfr_bytes *name, const char *what)
{
	char shown[120];

	if (!name)
		return tfr_fail(err, TFR_EDATA, "%s", what);
	show_name(shown, sizeof(shown), name);
	return tfr_fail(err, TFR_EDATA, "%s: %s", name->size ? shown : "''", what);
}
