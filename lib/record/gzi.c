/* record/gzi.c - stores, writes, reads and finds the points of a GZIP file. */
#include "record/gzi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/error.h"
#include "io/output.h"
#include "io/path.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/stream.h"

enum { POINT_SIZE = 16, READ_AT_ONCE = 64 << 10, NO_POINTS_MAX = 4 << 20 };

char *tfr_gzi_path(const char *path)
{
	return tfr_path_beside(path, ".gzi");
}

bool tfr_gzi_add(struct tfr_gzi *gzi, uint64_t compressed, uint64_t uncompressed)
{
	if (TFR_ARRAY_ONE_MORE(gzi->points, gzi->count))
		return false;
	gzi->points[gzi->count++] = (struct tfr_gzi_point){ compressed, uncompressed };
	return true;
}

void tfr_gzi_clear(struct tfr_gzi *gzi)
{
	free(gzi->points);
	*gzi = (struct tfr_gzi){ 0 };
}

static void put64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static bool format(const struct tfr_gzi *gzi, struct tfr_buf *out)
{
	uint8_t *p;

	if (!tfr_buf_reserve(out, 8 + POINT_SIZE * gzi->count))
		return false;
	p = out->data;
	put64(p, gzi->count);
	p += 8;
	for (size_t i = 0; i < gzi->count; i++, p += POINT_SIZE) {
		put64(p, gzi->points[i].compressed);
		put64(p + 8, gzi->points[i].uncompressed);
	}
	out->size = (size_t)(p - out->data);
	return true;
}

enum tfr_status tfr_gzi_put(
	const struct tfr_gzi *gzi, struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_AUTO_BUF bytes = { 0 };

	if (!format(gzi, &bytes))
		return tfr_fail_nomem(err, "writing an index");
	return tfr_stream_writer_put(w, &(struct iovec){ bytes.data, bytes.size }, 1, err);
}

bool tfr_gzi_same(const struct tfr_gzi *a, const struct tfr_gzi *b)
{
	return a->count == b->count &&
	       (!a->count || !memcmp(a->points, b->points, a->count * sizeof(*a->points)));
}

enum tfr_status tfr_gzi_write(const struct tfr_gzi *gzi, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	struct tfr_output_opts how = { 0 };
	TFR_AUTO_BUF bytes = { 0 };

	if (opts) {
		how.force = opts->force;
		how.temporaries = opts->temporaries;
	}
	if (!format(gzi, &bytes))
		return tfr_fail_nomem(err, "writing an index");
	return tfr_output_whole(path, &how, bytes.data, bytes.size, err);
}

static enum tfr_status parse(
	struct tfr_gzi *gzi, const struct tfr_buf *in, const char *path, struct tfr_error *err)
{
	struct tfr_gzi_point last = { 0 }, next;
	uint64_t count = in->size >= 8 ? tfr_load64(in->data) : 0;

	if (in->size < 8 || (in->size - 8) % POINT_SIZE || (in->size - 8) / POINT_SIZE != count)
		return tfr_fail_path(err, TFR_EDATA, path,
			"an index of %zu bytes does not have the length that it states:", in->size);
	for (size_t at = 8; at < in->size; at += POINT_SIZE, last = next) {
		next.compressed = tfr_load64(in->data + at);
		next.uncompressed = tfr_load64(in->data + at + 8);
		if (next.compressed <= last.compressed || next.uncompressed < last.uncompressed)
			return tfr_fail_path(
				err, TFR_EDATA, path, "offsets do not ascend in the index");
		if (!tfr_gzi_add(gzi, next.compressed, next.uncompressed))
			return tfr_fail_nomem(err, "reading an index");
	}
	return TFR_OK;
}

enum tfr_status tfr_gzi_read(struct tfr_gzi *gzi, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF in = { 0 };
	enum tfr_status status = tfr_source_read_file(path, SIZE_MAX, &in, "reading an index", err);

	return status ? status : parse(gzi, &in, path, err);
}

struct tfr_gzi_point tfr_gzi_find(const struct tfr_gzi *gzi, uint64_t uncompressed)
{
	size_t low = 0, high = gzi ? gzi->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gzi->points[middle].uncompressed <= uncompressed)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? gzi->points[low - 1] : (struct tfr_gzi_point){ 0 };
}

bool tfr_gzi_is_poor(const struct tfr_gzi *gzi, uint64_t size)
{
	return !gzi->count && size > NO_POINTS_MAX;
}

static enum tfr_status refuse_poor(const char *path, struct tfr_error *err)
{
	tfr_fail_path(
		err, TFR_EUSAGE, path, "decompression cannot start within the GZIP stream of");
	tfr_error_hint(err,
		"It can only be read from its beginning.  'tfr cat -z gzip -o NEW FILE' writes it "
		"with flush points; 'tfr index --no-gzi' writes FILE.idx alone, for PyPI's "
		"tfrecord.");
	return TFR_EUSAGE;
}

/* Reads to the end.  Inflating ahead adds the points. */
static enum tfr_status read_through(
	struct tfr_stream *s, struct tfr_progress *progress, uint64_t *size, struct tfr_error *err)
{
	TFR_AUTO_FREE char *sink = malloc(READ_AT_ONCE);
	enum tfr_status status = sink ? TFR_OK : tfr_fail_nomem(err, "reading a file");
	size_t got = 1;

	*size = 0;
	while (!status && got) {
		status = tfr_stream_read(s, sink, READ_AT_ONCE, &got, err);
		if (status)
			break;
		*size += got;
		tfr_progress_add(progress, 0, got);
	}
	if (status == TFR_EDATA)
		tfr_fail_path(err, TFR_EDATA, tfr_stream_name(s),
			"compressed stream damaged after byte %llu of its decompressed data:",
			(unsigned long long)*size);
	return status;
}

enum tfr_status tfr_gzi_scan(struct tfr_gzi *gzi, const char *path, const struct tfr_gzi_opts *opts,
	uint64_t *size, struct tfr_error *err)
{
	static const struct tfr_gzi none;
	struct tfr_stream_opts how = { .threads = opts ? opts->threads : 0, .gzi = gzi };
	struct tfr_source *source = NULL;
	struct tfr_stream *s = NULL;
	size_t before = gzi->count;
	enum tfr_status status = tfr_source_open(&source, path, err);

	*size = 0;
	if (!status)
		status = tfr_stream_open(&s, source, &how, err);
	if (status)
		return status;
	if (tfr_stream_compression(s) != TFR_COMPRESSION_GZIP)
		status = tfr_fail_path(err, TFR_EUSAGE, path,
			"an index of flush points is for GZIP files, unlike");
	else
		status = read_through(s, opts ? opts->progress : NULL, size, err);
	if (!status && gzi->count == before && tfr_gzi_is_poor(&none, *size))
		status = refuse_poor(path, err);
	tfr_stream_close(s);
	return status;
}
