/* record/gzi.c - the points of a GZIP file: stored, written, read, looked up, and found in its
 * compressed bytes. */
#include "record/gzi.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/error.h"
#include "io/path.h"
#include "io/source.h"
#include "record/framing.h"

enum { POINT_SIZE = 16, NO_POINTS_MAX = 4 << 20 };

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

enum tfr_status tfr_gzi_put(
	const struct tfr_gzi *gzi, struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_AUTO_BUF bytes = { 0 };
	uint8_t *p;

	TFR_NEED_MEMORY(
		tfr_buf_reserve(&bytes, 8 + POINT_SIZE * gzi->count), err, "writing an index");
	p = bytes.data;
	tfr_store64(p, gzi->count);
	p += 8;
	for (size_t i = 0; i < gzi->count; i++, p += POINT_SIZE) {
		tfr_store64(p, gzi->points[i].compressed);
		tfr_store64(p + 8, gzi->points[i].uncompressed);
	}
	return tfr_stream_writer_put(
		w, &(struct iovec){ bytes.data, (size_t)(p - bytes.data) }, 1, err);
}

bool tfr_gzi_same(const struct tfr_gzi *a, const struct tfr_gzi *b)
{
	return a->count == b->count &&
	       (!a->count || !memcmp(a->points, b->points, a->count * sizeof(*a->points)));
}

static enum tfr_status parse_points(
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
		TFR_NEED_MEMORY(tfr_gzi_add(gzi, next.compressed, next.uncompressed), err,
			"reading an index");
	}
	return TFR_OK;
}

enum tfr_status tfr_gzi_read(struct tfr_gzi *gzi, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF in = { 0 };

	TFR_TRY(tfr_source_read_file(path, SIZE_MAX, &in, "reading an index", err));
	return parse_points(gzi, &in, path, err);
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

/* --- finding points in the compressed bytes --- */

/* Skips 64 bytes at a time while no two bytes at an even offset are both 0.  The pattern has two
 * such bytes wherever it begins: the first two, or those after five bytes. */
static size_t pass_over(const uint8_t *p, size_t size)
{
	typedef uint16_t pairs __attribute__((vector_size(16)));
	size_t at = 0;

	for (; at + 64 <= size; at += 64) {
		pairs four[4];
		uint64_t zero[2];

		memcpy(four, p + at, sizeof(four));
		four[0] =
			(pairs)((four[0] == 0) | (four[1] == 0) | (four[2] == 0) | (four[3] == 0));
		memcpy(zero, four, sizeof(zero));
		if (zero[0] | zero[1])
			break;
	}
	return at;
}

size_t tfr_find_full_flush(const uint8_t *data, size_t size, size_t least)
{
	static const uint8_t pattern[] = { 0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff };
	enum { N = sizeof(pattern) };
	size_t at = least > N ? least - N : 0;

	while (at + N <= size) {
		size_t passed = pass_over(data + at, size - at), end;

		/* A pattern that begins in the last skipped bytes may have its zeros after them. */
		at += passed ? passed - 6 : 0;
		for (end = at + 64; at < end && at + N <= size; at++)
			if (!memcmp(data + at, pattern, N))
				return at + N;
	}
	return 0;
}
