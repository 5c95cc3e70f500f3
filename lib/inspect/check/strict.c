/* inspect/check/strict.c - differences between readers that are not about the wire format. */
#include "inspect/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <tfr-private/codec.h>
#include <tfr-private/text.h>

#include "base/compare.h"
#include "base/error.h"
#include "base/utf8.h"
#include "io/source.h"
#include "record/framing.h"

/* --- TensorFlow's reader --- */

/* Counts the records that TensorFlow reads of a compressed file, by the same steps.
 *
 * TensorFlow's reader can end early.  Where it does depends on the bytes in its buffer when zlib
 * returns no output, so the simulation repeats its steps. zlib_inputstream.cc (tsl/lib/io)
 * requests up to 256 KiB at a time from zlib, with an input buffer of 256 KiB.  If there is no
 * output, it reads more of the file before it uses the rest of the buffer.  If the file has
 * ended by then, it takes that for the end of the records. record_reader.cc takes an end within
 * a header for the end as well, and an end within the data for an error. */

struct peer {
	uint64_t records; /* that it returns */
	bool fails;	  /* it then raises an error; otherwise it ends as at the end of a file */
};

enum { BUFFER = 256 << 10 }; /* zlib_compression_options.h: size of the input and output buffers */

/* Walks over the records in the decompressed bytes, piece by piece. */
struct walk {
	uint64_t records;
	uint8_t edge[TFR_RECORD_HEADER]; /* the header, then the footer */
	size_t have;			 /* bytes of it */
	bool in_data;  /* the header is complete */
	uint64_t left; /* bytes of data left */
	uint32_t crc;
	bool bad; /* a checksum does not match */
};

struct peer_reader {
	struct tfr_source *source;
	z_stream zlib;
	bool gzip;
	uint8_t *in, *out;
	struct walk walk;
};

static void end_edge(struct walk *w)
{
	if (w->in_data) {
		w->bad = tfr_load32(w->edge) != tfr_crc_mask(w->crc);
		w->records += !w->bad;
	} else {
		w->bad = !tfr_header_length(w->edge, &w->left);
	}
	w->in_data = !w->in_data;
	w->crc = 0;
	w->have = 0;
}

static void walk_bytes(struct walk *w, const uint8_t *p, size_t size)
{
	for (size_t n; size && !w->bad; p += n, size -= n) {
		size_t want = (w->in_data ? TFR_RECORD_FOOTER : TFR_RECORD_HEADER) - w->have;

		if (w->in_data && w->left) {
			n = size < w->left ? size : (size_t)w->left;
			w->crc = tfr_crc32c(w->crc, p, n);
			w->left -= n;
			continue;
		}
		n = size < want ? size : want;
		memcpy(w->edge + w->have, p, n);
		w->have += n;
		if (n == want)
			end_edge(w);
	}
}

/* Fills the input buffer after the bytes that it holds.  TFR_END: no bytes are left, or there is no
 * room. */
static enum tfr_status fill_input(struct peer_reader *p)
{
	size_t held = p->zlib.avail_in, got;

	memmove(p->in, p->zlib.next_in, held);
	p->zlib.next_in = p->in;
	TFR_TRY(tfr_source_read(p->source, p->in + held, BUFFER - held, &got, NULL));
	p->zlib.avail_in += (uInt)got;
	return got ? TFR_OK : TFR_END;
}

/* TFR_EDATA: zlib refuses the stream, and the output of this call is lost.  TFR_END: as in
 * fill_input(). */
static enum tfr_status inflate_step(struct peer_reader *p)
{
	int result;

	p->zlib.next_out = p->out;
	p->zlib.avail_out = BUFFER;
	result = inflate(&p->zlib, Z_NO_FLUSH);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return TFR_EDATA;
	if (result == Z_STREAM_END && p->gzip)
		inflateReset(&p->zlib);
	if (p->zlib.avail_out == BUFFER)
		return fill_input(p);
	walk_bytes(&p->walk, p->out, BUFFER - p->zlib.avail_out);
	return p->walk.bad ? TFR_EDATA : TFR_OK;
}

/* Reads the file once more in TensorFlow's way.  False: it cannot be read a second time, like
 * standard input. */
static bool ask_peer(const struct tfr_reader *r, const char *path, struct peer *peer)
{
	TFR_AUTO_FREE uint8_t *in = malloc(BUFFER), *out = malloc(BUFFER);
	TFR_AUTO_SOURCE source = NULL;
	struct peer_reader p = {
		.gzip = tfr_reader_compression(r) == TFR_COMPRESSION_GZIP, .in = in, .out = out
	};
	enum tfr_status status = TFR_OK;

	p.zlib.next_in = in;
	if (!in || !out || !strcmp(path, "-") || tfr_source_open(&source, path, NULL) ||
		inflateInit2(&p.zlib, MAX_WBITS + (p.gzip ? 16 : 0)) != Z_OK)
		return false;
	p.source = source;
	while (!status)
		status = inflate_step(&p);
	inflateEnd(&p.zlib);
	*peer = (struct peer){ p.walk.records, status == TFR_EDATA || p.walk.in_data };
	return status == TFR_EDATA || status == TFR_END;
}

/* --- the strict check --- */

/* How TensorFlow ends after the records that it returns. */
static const char *end_of(const struct peer *peer)
{
	return peer->fails ? "then fails" : "ends without an error";
}

/* `peer` is NULL if the file cannot be read a second time. */
static enum tfr_status of_members(const struct tfr_members *m, enum tfr_compression c,
	uint64_t records, const struct peer *peer, struct tfr_error *err)
{
	unsigned long long count = m->count, all = records, reads = peer ? peer->records : all;
	bool whole = !peer || (reads == all && !peer->fails);

	if (c == TFR_COMPRESSION_ZLIB && whole)
		return tfr_fail(err, TFR_EDATA,
			"%llu consecutive ZLIB streams: TensorFlow reads only the first", count);
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

enum tfr_status tfr_strict_file(const struct tfr_reader *r, const struct tfr_check_file *file,
	unsigned i, struct tfr_error *err)
{
	struct tfr_members m = tfr_reader_members(r);
	enum tfr_compression c = tfr_reader_compression(r);
	struct peer peer;

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
	struct peer peer;

	if (ask_peer(r, path, &peer))
		tfr_error_append(err, "; TensorFlow reads %llu record%s and %s",
			(unsigned long long)peer.records, peer.records == 1 ? "" : "s",
			end_of(&peer));
	if (gzip)
		tfr_error_append(err, "; PyPI's tfrecord reads none%s",
			tfr_reader_members(r).trailing ? " unless they are zeros" : "");
}

void tfr_strict_record(enum tfr_fault fault, const uint8_t *header, struct tfr_error *err)
{
	uint64_t length = 0;

	if (header)
		tfr_header_length(header, &length); /* impossible ones, too */
	if (fault == TFR_FAULT_PAYLOAD)
		tfr_error_append(err,
			"; TensorFlow fails here, unless it skips the record; DALI and PyPI's "
			"tfrecord return it");
	else if (fault == TFR_FAULT_CUT && !header)
		tfr_error_append(err, "; TensorFlow treats this as the end; PyPI's tfrecord fails");
	else if (length >= (uint64_t)1 << 36 && length < ((uint64_t)1 << 63) - 4)
		/* It requests the memory before it checks the size of the file, but refuses longer
		 * ones. */
		tfr_error_append(
			err, "; TensorFlow can crash here, because it allocates so much memory");
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

	return tfr_compare_bytes(name->data, name->size, other, strlen(other));
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
		len = tfr_utf8_length(name->data + at, name->size - at);
		if (!len || !name->data[at]) {
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
