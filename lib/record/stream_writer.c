/* record/stream_writer.c - bytes into an output, gathered into blocks, through a codec where one is
 * wanted.
 *
 * A small piece is copied into the buffer; a large one goes to the system straight from where it
 * lies.  Checksum and size of the file are kept over what is written, so that nothing need be read
 * again to prove it. */
#include "record/stream_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codec/codec.h"
#include "io/output.h"
#include "record/crc32c.h"

enum { BUFFER_SIZE = 256 << 10, LARGE_PIECE = 16 << 10 };

struct tfr_stream_writer {
	struct tfr_output *out;
	enum tfr_compression compression;
	int level;
	struct tfr_deflate *deflate; /* made when the first byte comes: many shards may be open */
	uint8_t *buffer;	     /* waits to be written: bytes as given, or compressed */
	size_t size, cap;
	bool sealed;
	uint64_t file_bytes;
	uint32_t file_crc;
};

static bool name_says_gzip(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".gz");
}

static enum tfr_status start(struct tfr_stream_writer *w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	struct tfr_output_opts out_opts = { .force = opts->force,
		.temporaries = opts->temporaries };
	enum tfr_compression c = opts->compression;

	w->cap = opts->buffer_size ? opts->buffer_size : BUFFER_SIZE;
	w->buffer = malloc(w->cap);
	if (!w->buffer)
		return tfr_fail_nomem(err, "creating a file");
	if (c == TFR_COMPRESSION_AUTO)
		c = name_says_gzip(path) ? TFR_COMPRESSION_GZIP : TFR_COMPRESSION_NONE;
	w->compression = c;
	w->level = opts->level ? opts->level : TFR_LEVEL_DEFAULT;
	return tfr_output_open(&w->out, path, &out_opts, err);
}

enum tfr_status tfr_stream_writer_open(struct tfr_stream_writer **out, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	static const struct tfr_writer_opts defaults;
	struct tfr_stream_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	if (!w)
		return tfr_fail_nomem(err, "creating a file");
	status = start(w, path, opts ? opts : &defaults, err);
	if (status) {
		tfr_stream_writer_close(w);
		return status;
	}
	*out = w;
	return TFR_OK;
}

static enum tfr_status flush(struct tfr_stream_writer *w, struct tfr_error *err)
{
	size_t size = w->size;

	w->file_crc = tfr_crc32c(w->file_crc, w->buffer, size);
	w->file_bytes += size;
	w->size = 0;
	return tfr_output_write(w->out, w->buffer, size, err);
}

static enum tfr_status put_deflated(struct tfr_stream_writer *w, const void *data, size_t size,
	bool finish, struct tfr_error *err)
{
	struct tfr_codec_io io = { .in = data, .in_size = size };
	enum tfr_status status = TFR_OK;
	bool done = false;

	if (!w->deflate)
		status = tfr_deflate_new(&w->deflate, w->compression, w->level, err);
	while (!status && (io.in_size || (finish && !done))) {
		io.out = w->buffer + w->size;
		io.out_size = w->cap - w->size;
		status = tfr_deflate_run(w->deflate, &io, finish, &done, err);
		w->size = w->cap - io.out_size;
		if (!status && w->size == w->cap)
			status = flush(w, err);
	}
	return status;
}

/* A large piece: what waits, then the piece, in one call. */
static enum tfr_status put_through(
	struct tfr_stream_writer *w, const void *data, size_t size, struct tfr_error *err)
{
	struct iovec both[2] = { { w->buffer, w->size }, { (void *)(uintptr_t)data, size } };

	w->file_crc = tfr_crc32c(w->file_crc, w->buffer, w->size);
	w->file_crc = tfr_crc32c(w->file_crc, data, size);
	w->file_bytes += w->size + size;
	w->size = 0;
	return tfr_output_writev(w->out, both, 2, err);
}

static enum tfr_status put_bytes(
	struct tfr_stream_writer *w, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	if (w->compression != TFR_COMPRESSION_NONE)
		return put_deflated(w, data, size, false, err);
	if (size >= LARGE_PIECE)
		return put_through(w, data, size, err);
	if (size > w->cap - w->size) {
		status = flush(w, err);
		if (status)
			return status;
		if (size > w->cap)
			return put_through(w, data, size, err);
	}
	if (size) /* an empty payload may have no address */
		memcpy(w->buffer + w->size, data, size);
	w->size += size;
	return TFR_OK;
}

enum tfr_status tfr_stream_writer_put(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (int i = 0; !status && i < count; i++)
		status = put_bytes(w, pieces[i].iov_base, pieces[i].iov_len, err);
	return status;
}

enum tfr_status tfr_stream_writer_flush(struct tfr_stream_writer *w, struct tfr_error *err)
{
	return w->sealed ? TFR_OK : flush(w, err);
}

enum tfr_status tfr_stream_writer_seal(struct tfr_stream_writer *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (w->sealed)
		return TFR_OK;
	if (w->compression != TFR_COMPRESSION_NONE)
		status = put_deflated(w, NULL, 0, true, err);
	if (!status)
		status = flush(w, err);
	if (!status)
		status = tfr_output_seal(w->out, err);
	w->sealed = !status;
	return status;
}

void tfr_stream_writer_release(struct tfr_stream_writer *w)
{
	tfr_deflate_free(w->deflate);
	w->deflate = NULL;
	free(w->buffer);
	w->buffer = NULL;
	tfr_output_release(w->out);
}

enum tfr_status tfr_stream_writer_publish(struct tfr_stream_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_stream_writer_seal(w, err);

	return status ? status : tfr_output_publish(w->out, err);
}

void tfr_stream_writer_close(struct tfr_stream_writer *w)
{
	if (!w)
		return;
	tfr_output_close(w->out);
	tfr_deflate_free(w->deflate);
	free(w->buffer);
	free(w);
}

void tfr_stream_writer_file(const struct tfr_stream_writer *w, uint64_t *bytes, uint32_t *crc)
{
	*bytes = w->file_bytes;
	*crc = w->file_crc;
}

uint64_t tfr_stream_writer_mtime(const struct tfr_stream_writer *w)
{
	return tfr_output_mtime(w->out);
}
