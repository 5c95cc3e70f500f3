/* record/writer.c - frames payloads: length, its CRC, payload, its CRC. */
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define XXH_STATIC_LINKING_ONLY /* the streaming state on the stack */
#include <xxhash.h>
#if TFR_HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* the same names, for the best vector unit: three times as fast */
#endif

#include <tfr-private/record.h>

#include "base/error.h"
#include "io/output.h"
#include "record/framing.h"
#include "record/stream_writer.h"
#include "record/writer.h"

struct tfr_writer {
	struct tfr_stream_writer *stream;
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

void tfr_digest_record(const struct tfr_record *rec, struct tfr_digest *d)
{
	*d = (struct tfr_digest){ rec->size, XXH3_64bits(rec->data, rec->size), rec->crc };
}

uint64_t tfr_content_sum(const void *payload, size_t size)
{
	return XXH3_64bits(payload, size);
}

/* Without compression, a file is the bytes of its framed records. */
static enum tfr_status check_taken_up(const struct tfr_writer *w, struct tfr_error *err)
{
	uint64_t bytes, framing;
	uint32_t crc;

	tfr_stream_writer_file(w->stream, &bytes, &crc);
	if (tfr_stream_writer_compresses(w->stream) ||
		(!__builtin_mul_overflow(w->totals.records, TFR_RECORD_OVERHEAD, &framing) &&
			framing <= bytes && w->totals.payload_bytes == bytes - framing))
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "the saved position of the run to be resumed is invalid");
}

enum tfr_status tfr_writer_open_with(struct tfr_writer **out, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	struct tfr_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status = TFR_OK;

	if (!w)
		return tfr_fail_nomem(err, "creating a file");
	if (how && how->mark && !tfr_unread_copy(how->mark, &w->totals, sizeof(w->totals)))
		status = tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is truncated");
	if (!status)
		status = tfr_stream_writer_open_with(&w->stream, path, opts, how, err);
	if (!status && how && how->mark)
		status = check_taken_up(w, err);
	if (status) {
		tfr_stream_writer_close(w->stream);
		free(w);
		return status;
	}
	*out = w;
	return TFR_OK;
}

enum tfr_status tfr_writer_open(struct tfr_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	return tfr_writer_open_with(w, path, opts, NULL, err);
}

enum tfr_status tfr_writer_put_pieces(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_digest *digest, struct tfr_error *err)
{
	uint8_t header[TFR_RECORD_HEADER], footer[TFR_RECORD_FOOTER];
	struct iovec head = { header, sizeof(header) }, foot = { footer, sizeof(footer) };
	struct tfr_digest own;
	enum tfr_status status;

	if (!digest) {
		tfr_digest_pieces(pieces, count, &own);
		digest = &own;
	}
	tfr_put_header(header, digest->size);
	tfr_store32(footer, tfr_crc_mask(digest->crc));
	status = tfr_stream_writer_mark(w->stream, digest->size + TFR_RECORD_OVERHEAD, err);
	if (!status)
		status = tfr_stream_writer_add(w->stream, &head, 1, err);
	if (!status)
		status = tfr_stream_writer_add(w->stream, pieces, count, err);
	if (!status)
		status = tfr_stream_writer_add(w->stream, &foot, 1, err);
	w->totals.records++;
	w->totals.payload_bytes += digest->size;
	w->totals.sum += digest->sum;
	return status;
}

/* Announces records one by one, so that the cuts of a compressed stream do not depend on how many
 * come at a time. */
static enum tfr_status add_by_records(
	struct tfr_writer *w, const struct iovec *pieces, int count, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint64_t left = 0; /* of the record */

	for (int i = 0; !status && i < count; i++) {
		uint8_t *p = pieces[i].iov_base, *end = p + pieces[i].iov_len;

		while (!status && p < end) {
			struct iovec part = { p, 0 };

			if (!left) {
				left = tfr_load64(p) + TFR_RECORD_OVERHEAD;
				status = tfr_stream_writer_mark(w->stream, left, err);
			}
			part.iov_len = left < (size_t)(end - p) ? (size_t)left : (size_t)(end - p);
			if (!status)
				status = tfr_stream_writer_add(w->stream, &part, 1, err);
			p += part.iov_len;
			left -= part.iov_len;
		}
	}
	return status;
}

enum tfr_status tfr_writer_put_framed(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_totals *add, struct tfr_error *err)
{
	w->totals.records += add->records;
	w->totals.payload_bytes += add->payload_bytes;
	w->totals.sum += add->sum;
	if (tfr_stream_writer_compresses(w->stream))
		return add_by_records(w, pieces, count, err);
	return tfr_stream_writer_add(w->stream, pieces, count, err);
}

enum tfr_status tfr_writer_put(
	struct tfr_writer *w, const void *payload, size_t size, struct tfr_error *err)
{
	struct iovec piece = { (void *)(uintptr_t)payload, size };

	return tfr_writer_put_pieces(w, &piece, 1, NULL, err);
}

enum tfr_status tfr_writer_flush(struct tfr_writer *w, struct tfr_error *err)
{
	return tfr_stream_writer_flush(w->stream, err);
}

enum tfr_status tfr_writer_seal(struct tfr_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_stream_writer_seal(w->stream, err);

	tfr_stream_writer_file(w->stream, &w->totals.file_bytes, &w->totals.file_crc);
	return status;
}

enum tfr_status tfr_writer_end(struct tfr_writer *w, bool rest, struct tfr_error *err)
{
	return tfr_stream_writer_end(w->stream, rest, err);
}

enum tfr_status tfr_writer_mark_place(
	struct tfr_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	if (!tfr_buf_append(mark, &w->totals, sizeof(w->totals)))
		return tfr_fail_nomem(err, "noting what is written");
	return tfr_stream_writer_mark_place(w->stream, mark, err);
}

void tfr_writer_keep(struct tfr_writer *w)
{
	tfr_stream_writer_keep(w->stream);
}

enum tfr_status tfr_writer_name(struct tfr_writer *w, const char *path, struct tfr_error *err)
{
	return tfr_stream_writer_name(w->stream, path, err);
}

enum tfr_status tfr_writer_finish(struct tfr_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_writer_seal(w, err);

	return status ? status : tfr_stream_writer_release(w->stream, err);
}

enum tfr_status tfr_writer_publish(struct tfr_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_writer_seal(w, err);

	return status ? status : tfr_stream_writer_publish(w->stream, err);
}

void tfr_writer_close(struct tfr_writer *w)
{
	if (!w)
		return;
	tfr_stream_writer_close(w->stream);
	free(w);
}

const struct tfr_totals *tfr_writer_totals(const struct tfr_writer *w)
{
	return &w->totals;
}

uint64_t tfr_writer_mtime(const struct tfr_writer *w)
{
	return tfr_stat_mtime(tfr_output_stat(tfr_writer_output(w)));
}

struct tfr_output *tfr_writer_output(const struct tfr_writer *w)
{
	return tfr_stream_writer_output(w->stream);
}
