/* record/writer.c - records into an output, gathered into blocks, through a codec where one is
 * wanted.
 *
 * A small piece is copied into the buffer; a large one goes to the system straight from where it
 * lies.  Checksum and size of the file are kept over what is written, so that nothing need be read
 * again to prove it. */
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* the streaming state on the stack */
#include <xxhash.h>

#include <tfr/record.h>

#include "base/error.h"
#include "codec/codec.h"
#include "io/output.h"
#include "record/framing.h"

enum { BUFFER_SIZE = 256 << 10, LARGE_PIECE = 16 << 10 };

struct tfr_writer {
	struct tfr_output *out;
	struct tfr_deflate *deflate;
	uint8_t *buffer; /* waits to be written: framed records, or compressed bytes */
	size_t size, cap;
	bool sealed;
	struct tfr_totals totals;
};

void tfr_digest_pieces(const struct iovec *pieces, int count, struct tfr_digest *d)
{
	XXH3_state_t state;

	*d = (struct tfr_digest){ 0 };
	if (count == 1) {
		d->size = pieces->iov_len;
		d->crc = tfr_crc32c(0, pieces->iov_base, pieces->iov_len);
		d->sum = XXH3_64bits(pieces->iov_base, pieces->iov_len);
		return;
	}
	XXH3_64bits_reset(&state);
	for (int i = 0; i < count; i++) {
		d->size += pieces[i].iov_len;
		d->crc = tfr_crc32c(d->crc, pieces[i].iov_base, pieces[i].iov_len);
		XXH3_64bits_update(&state, pieces[i].iov_base, pieces[i].iov_len);
	}
	d->sum = XXH3_64bits_digest(&state);
}

static bool name_says_gzip(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".gz");
}

static enum tfr_status start(struct tfr_writer *w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	struct tfr_output_opts out_opts = { .force = opts->force,
		.temporaries = opts->temporaries };
	enum tfr_compression c = opts->compression;
	enum tfr_status status;

	w->cap = opts->buffer_size ? opts->buffer_size : BUFFER_SIZE;
	w->buffer = malloc(w->cap);
	if (!w->buffer)
		return tfr_fail_nomem(err, "creating a file");
	if (c == TFR_COMPRESSION_AUTO)
		c = name_says_gzip(path) ? TFR_COMPRESSION_GZIP : TFR_COMPRESSION_NONE;
	if (c != TFR_COMPRESSION_NONE) {
		status = tfr_deflate_new(
			&w->deflate, c, opts->level ? opts->level : TFR_LEVEL_DEFAULT, err);
		if (status)
			return status;
	}
	return tfr_output_open(&w->out, path, &out_opts, err);
}

enum tfr_status tfr_writer_open(struct tfr_writer **out, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	static const struct tfr_writer_opts defaults;
	struct tfr_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	if (!w)
		return tfr_fail_nomem(err, "creating a file");
	status = start(w, path, opts ? opts : &defaults, err);
	if (status) {
		tfr_writer_close(w);
		return status;
	}
	*out = w;
	return TFR_OK;
}

static enum tfr_status flush(struct tfr_writer *w, struct tfr_error *err)
{
	size_t size = w->size;

	w->totals.file_crc = tfr_crc32c(w->totals.file_crc, w->buffer, size);
	w->totals.file_bytes += size;
	w->size = 0;
	return tfr_output_write(w->out, w->buffer, size, err);
}

static enum tfr_status put_deflated(
	struct tfr_writer *w, const void *data, size_t size, bool finish, struct tfr_error *err)
{
	struct tfr_codec_io io = { .in = data, .in_size = size };
	enum tfr_status status = TFR_OK;
	bool done = false;

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
	struct tfr_writer *w, const void *data, size_t size, struct tfr_error *err)
{
	struct iovec both[2] = { { w->buffer, w->size }, { (void *)(uintptr_t)data, size } };

	w->totals.file_crc = tfr_crc32c(w->totals.file_crc, w->buffer, w->size);
	w->totals.file_crc = tfr_crc32c(w->totals.file_crc, data, size);
	w->totals.file_bytes += w->size + size;
	w->size = 0;
	return tfr_output_writev(w->out, both, 2, err);
}

static enum tfr_status put_bytes(
	struct tfr_writer *w, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	if (w->deflate)
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
	memcpy(w->buffer + w->size, data, size);
	w->size += size;
	return TFR_OK;
}

enum tfr_status tfr_writer_put_pieces(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_digest *digest, struct tfr_error *err)
{
	uint8_t header[TFR_RECORD_HEADER], footer[TFR_RECORD_FOOTER];
	struct tfr_digest own;
	enum tfr_status status;

	if (!digest) {
		tfr_digest_pieces(pieces, count, &own);
		digest = &own;
	}
	tfr_store64(header, digest->size);
	tfr_store32(header + 8, tfr_crc_mask(tfr_crc32c(0, header, 8)));
	tfr_store32(footer, tfr_crc_mask(digest->crc));
	status = put_bytes(w, header, sizeof(header), err);
	for (int i = 0; !status && i < count; i++)
		status = put_bytes(w, pieces[i].iov_base, pieces[i].iov_len, err);
	if (!status)
		status = put_bytes(w, footer, sizeof(footer), err);
	w->totals.records++;
	w->totals.payload_bytes += digest->size;
	w->totals.sum += digest->sum;
	return status;
}

enum tfr_status tfr_writer_put(
	struct tfr_writer *w, const void *payload, size_t size, struct tfr_error *err)
{
	struct iovec piece = { (void *)(uintptr_t)payload, size };

	return tfr_writer_put_pieces(w, &piece, 1, NULL, err);
}

enum tfr_status tfr_writer_seal(struct tfr_writer *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (w->sealed)
		return TFR_OK;
	if (w->deflate)
		status = put_deflated(w, NULL, 0, true, err);
	if (!status)
		status = flush(w, err);
	if (!status)
		status = tfr_output_seal(w->out, err);
	w->sealed = !status;
	return status;
}

enum tfr_status tfr_writer_publish(struct tfr_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_writer_seal(w, err);

	return status ? status : tfr_output_publish(w->out, err);
}

void tfr_writer_close(struct tfr_writer *w)
{
	if (!w)
		return;
	tfr_output_close(w->out);
	tfr_deflate_free(w->deflate);
	free(w->buffer);
	free(w);
}

const struct tfr_totals *tfr_writer_totals(const struct tfr_writer *w)
{
	return &w->totals;
}

uint64_t tfr_writer_mtime(const struct tfr_writer *w)
{
	return tfr_output_mtime(w->out);
}
