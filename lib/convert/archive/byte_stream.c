/* convert/archive/byte_stream.c - one small buffer for headers.
 *
 * In a file, the other bytes are skipped by position; from a pipe they are read past the buffer,
 * into the caller's memory. */
#include "convert/archive/members.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 4096, FAR = 16 << 10 };

enum tfr_status tfr_feed_open(struct tfr_feed *f, const char *path, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	*f = (struct tfr_feed){ 0 };
	TFR_TRY(tfr_source_open(&source, path, err));
	return tfr_feed_of(f, source, err);
}

enum tfr_status tfr_feed_of(struct tfr_feed *f, struct tfr_source *source, struct tfr_error *err)
{
	*f = (struct tfr_feed){ .source = source };
	f->name = tfr_source_name(f->source);
	f->seekable = tfr_source_seekable(f->source);
	f->place = tfr_source_position(f->source);
	return tfr_feed_widen(f, f->seekable ? NEAR : FAR, err);
}

enum tfr_status tfr_feed_widen(struct tfr_feed *f, size_t bytes, struct tfr_error *err)
{
	uint8_t *data;

	if (bytes <= f->block)
		return TFR_OK;
	data = realloc(f->data, bytes);
	TFR_NEED_MEMORY(data, err, "reading an archive");
	f->data = data;
	f->block = bytes;
	return TFR_OK;
}

enum tfr_status tfr_feed_peek(
	struct tfr_feed *f, size_t least, const uint8_t **data, size_t *got, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	size_t n = 1;

	if (f->size - f->at < least) {
		memmove(f->data, f->data + f->at, f->size - f->at);
		f->size -= f->at;
		f->at = 0;
	}
	while (!status && n && f->size - f->at < least) {
		status = tfr_source_read_some(
			f->source, f->data + f->size, f->block - f->size, &n, err);
		f->size += status ? 0 : n;
	}
	*data = f->data + f->at;
	*got = f->size - f->at;
	return status;
}

void tfr_feed_take(struct tfr_feed *f, size_t bytes)
{
	f->at += bytes;
	f->place += bytes;
}

enum tfr_status tfr_feed_read(
	struct tfr_feed *f, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	size_t here = f->size - f->at < size ? f->size - f->at : size, more = 0;
	enum tfr_status status = TFR_OK;

	if (here)
		memcpy(buf, f->data + f->at, here);
	tfr_feed_take(f, here);
	if (here < size)
		status = tfr_source_read(f->source, (uint8_t *)buf + here, size - here, &more, err);
	f->place += more;
	*got = here + more;
	return status;
}

void tfr_feed_seek(struct tfr_feed *f, uint64_t place)
{
	tfr_source_seek(f->source, place);
	f->place = place;
	f->at = f->size = 0;
}

bool tfr_feed_has(struct tfr_feed *f, uint64_t bytes)
{
	size_t here = f->size - f->at;

	return bytes <= here || !f->seekable || tfr_source_has(f->source, bytes - here);
}

uint64_t tfr_feed_end(struct tfr_feed *f)
{
	return f->place + (f->size - f->at) + (f->seekable ? tfr_source_left(f->source) : 0);
}

enum tfr_status tfr_feed_skip(
	struct tfr_feed *f, uint64_t bytes, bool *there, struct tfr_error *err)
{
	*there = tfr_feed_has(f, bytes);
	if (bytes <= f->size - f->at) {
		tfr_feed_take(f, (size_t)bytes);
		return TFR_OK;
	}
	if (*there && f->seekable) {
		tfr_feed_seek(f, f->place + bytes);
		return TFR_OK;
	}
	while (*there && bytes) {
		const uint8_t *data;
		size_t got;

		TFR_TRY(tfr_feed_peek(f, 1, &data, &got, err));
		*there = got > 0;
		if (got > bytes)
			got = (size_t)bytes;
		tfr_feed_take(f, got);
		bytes -= got;
	}
	return TFR_OK;
}

void tfr_feed_close(struct tfr_feed *f)
{
	tfr_source_close(f->source);
	free(f->data);
	*f = (struct tfr_feed){ 0 };
}
