/* inspect/check/strict.c - differences between readers that are not about the wire format. */
#include "inspect/check/strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "inspect/check/tensorflow_gzip.h"
#include "record/framing.h"

/* How TensorFlow ends after the records that it returns. */
static const char *end_of(const struct tfr_peer *peer)
{
	return peer->fails ? "then fails" : "ends without an error";
}

/* `peer` is NULL if the file cannot be read a second time. */
static enum tfr_status of_members(const struct tfr_members *m, enum tfr_compression c,
	uint64_t records, const struct tfr_peer *peer, struct tfr_error *err)
{
	unsigned long long count = m->count, all = records, reads = peer ? peer->records : all;
	bool whole = !peer || (reads == all && !peer->fails);

	if (c == TFR_COMPRESSION_ZLIB && whole)
		return tfr_fail(err, TFR_EDATA,
			"%llu consecutive ZLIB streams: TensorFlow reads only the first",
			count);
	if (c == TFR_COMPRESSION_ZLIB)
		return tfr_fail(err, TFR_EDATA,
			"%llu consecutive ZLIB streams: TensorFlow reads only the first, "
			"%llu of %llu records, and %s",
			count, reads, all, end_of(peer));
	if (whole)
		return tfr_fail(err, TFR_EDATA,
			"%llu GZIP members: TensorFlow can lose data after one of them without "
			"an error%s",
			count, peer ? ", although not in this file" : "");
	return tfr_fail(err, TFR_EDATA,
		"%llu GZIP members: TensorFlow reads %llu of %llu records and %s", count, reads,
		all, end_of(peer));
}

/* Standard input cannot be read a second time. */
static bool ask_peer(const struct tfr_reader *r, const char *path, struct tfr_peer *peer)
{
	return strcmp(path, "-") && !tfr_peer_read(path, tfr_reader_compression(r), peer, NULL);
}

enum tfr_status tfr_strict_file(const struct tfr_reader *r, const struct tfr_check_file *file,
	unsigned i, struct tfr_error *err)
{
	struct tfr_members m = tfr_reader_members(r);
	enum tfr_compression c = tfr_reader_compression(r);
	struct tfr_peer peer;

	if (i == 0 && !file->records && !file->faults && !file->lost_bytes && !m.count)
		return tfr_fail(err, TFR_EDATA,
			"0 bytes: readers treat this as a file without records, and do not warn");
	if (i == 1 && m.count > 1)
		return of_members(
			&m, c, file->records, ask_peer(r, file->path, &peer) ? &peer : NULL, err);
	if (i == 2 && m.empty && c == TFR_COMPRESSION_GZIP)
		return tfr_fail(err, TFR_EDATA,
			"%llu empty GZIP member%s before others: TensorFlow treats one in the last "
			"256 KiB as the end",
			(unsigned long long)m.empty, m.empty == 1 ? "" : "s");
	return TFR_OK;
}

/* Python's gzip, which PyPI's tfrecord uses, reads to the end of the file first, and ignores zeros
 * after the stream. */
void tfr_strict_stream(const struct tfr_reader *r, const char *path, struct tfr_error *err)
{
	bool gzip = tfr_reader_compression(r) == TFR_COMPRESSION_GZIP;
	struct tfr_peer peer;

	if (ask_peer(r, path, &peer))
		tfr_error_append(err, "; TensorFlow reads %llu record%s and %s",
			(unsigned long long)peer.records, peer.records == 1 ? "" : "s",
			end_of(&peer));
	if (gzip)
		tfr_error_append(err, "; PyPI's tfrecord reads none%s",
			tfr_reader_members(r).trailing ? " unless they are zeros" : "");
}

/* Whether the length makes TensorFlow request more memory than exists, before it checks the size of
 * the file.  Lengths from 2^63 - 4 on are refused. */
static bool crashes(const uint8_t *header)
{
	uint64_t length = tfr_load64(header);

	return tfr_header_verifies(header) && length >= (uint64_t)1 << 36 &&
	       length < ((uint64_t)1 << 63) - 4;
}

void tfr_strict_record(enum tfr_fault fault, const uint8_t *header, struct tfr_error *err)
{
	if (fault == TFR_FAULT_PAYLOAD)
		tfr_error_append(err,
			"; TensorFlow fails here, unless it skips the record; DALI and PyPI's "
			"tfrecord return it");
	else if (fault == TFR_FAULT_CUT && !header)
		tfr_error_append(err, "; TensorFlow treats this as the end; PyPI's tfrecord fails");
	else if (header && crashes(header))
		tfr_error_append(err, "; TensorFlow can crash here, because it allocates so much memory");
	else if (fault == TFR_FAULT_CUT || (header && tfr_header_verifies(header)))
		tfr_error_append(err, "; TensorFlow and PyPI's tfrecord fail here");
	else if (fault == TFR_FAULT_LENGTH)
		tfr_error_append(err,
			"; TensorFlow fails here; DALI and PyPI's tfrecord do not verify this "
			"checksum");
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

/* Formats a name for display, with bytes that are not UTF-8 as \xNN. */
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
