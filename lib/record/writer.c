/* record/writer.c - frames payloads (length, its CRC, payload, its CRC), and writes bytes to an
 * output in blocks, through a codec if one is wanted.
 *
 * A small piece is copied into the buffer.  A large one is written from the caller's memory.  The
 * CRC and size of the file are computed while writing, so the file is not read again to verify it.
 */
#include "record/writer.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

#define XXH_STATIC_LINKING_ONLY /* the streaming state on the stack */
#include <xxhash.h>
#if TFR_HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* the same names, for the best vector unit: three times as fast */
#endif

#include "base/crc32c.h"
#include "base/error.h"
#include "base/latch.h"
#include "codec/parallel_deflate.h"
#include "io/output.h"
#include "record/framing.h"
#include "record/gzi.h"
#include "record/stream.h"
#include "thread/threads.h"

/* --- streams --- */

enum { BUFFER_SIZE = 256 << 10, SMALL_BUFFER = 4096, LARGE_PIECE = 16 << 10 };

struct tfr_stream_writer {
	struct tfr_output *out;
	struct tfr_parallel_deflate *deflater; /* NULL: not compressed */
	bool owns_deflater;		       /* otherwise it is the set's */
	struct tfr_deflate_stream *z;	       /* made at the first byte: many shards may be open */
	struct tfr_gzi *gzi;		       /* the caller's, may be NULL */
	uint8_t *buffer;		       /* bytes to be written */
	size_t size, cap;
	bool ended, sealed, published;
	bool synced;	/* ended, and known to be on disk */
	uint64_t token; /* what the last checkpoint of the file returned */
	uint64_t file_bytes;
	uint32_t file_crc;
	struct tfr_latch failed; /* bytes are missing */
};

/* The start of a mark.  The bytes that wait to be compressed follow it. */
struct writer_mark {
	uint64_t file_bytes;
	uint64_t token; /* of the file's temporary name */
	uint32_t file_crc;
	uint32_t ended;
	struct tfr_deflate_mark deflater;
};

/* How `path` will be compressed. */
static enum tfr_compression compression_of(const struct tfr_writer_opts *opts, const char *path)
{
	return opts->compression != TFR_COMPRESSION_AUTO ? opts->compression
							 : tfr_compression_by_name(path);
}

enum tfr_status tfr_writer_deflater(struct tfr_parallel_deflate **deflater,
	const struct tfr_writer_opts *opts, const char *path, uint32_t files, struct tfr_error *err)
{
	struct tfr_parallel_deflate_opts how = {
		.compression = compression_of(opts, path),
		.level = opts->level ? opts->level : TFR_LEVEL_DEFAULT,
		.threads = tfr_thread_count(opts->threads),
		.streams = files,
	};

	*deflater = NULL;
	return how.compression == TFR_COMPRESSION_NONE
		       ? TFR_OK
		       : tfr_parallel_deflate_new(deflater, &how, err);
}

static enum tfr_status flush(struct tfr_stream_writer *w, struct tfr_error *err)
{
	size_t size = w->size;

	w->file_crc = tfr_crc32c(w->file_crc, w->buffer, size);
	w->file_bytes += size;
	w->size = 0;
	return tfr_output_write(w->out, w->buffer, size, err);
}

/* Writes the buffered bytes and a large piece in one call. */
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
	if (size >= LARGE_PIECE)
		return put_through(w, data, size, err);
	if (size > w->cap - w->size) {
		TFR_TRY(flush(w, err));
		if (size > w->cap)
			return put_through(w, data, size, err);
	}
	if (size) /* an empty payload may have no address */
		memcpy(w->buffer + w->size, data, size);
	w->size += size;
	return TFR_OK;
}

static enum tfr_status put_deflated(
	void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	return put_bytes(ctx, bytes, size, err);
}

static bool note_point(void *ctx, uint64_t compressed, uint64_t uncompressed)
{
	struct tfr_stream_writer *w = ctx;

	return tfr_gzi_add(w->gzi, compressed, uncompressed);
}

static enum tfr_status start_deflating(struct tfr_stream_writer *w, struct tfr_error *err)
{
	struct tfr_deflate_sink sink = { put_deflated, w->gzi ? note_point : NULL, w };

	return w->z ? TFR_OK : tfr_deflate_stream_open(&w->z, w->deflater, &sink, err);
}

/* Restores the state of the mark. */
static enum tfr_status resume_stream(struct tfr_stream_writer *w, const struct writer_mark *m,
	struct tfr_unread *from, struct tfr_error *err)
{
	const void *waiting = tfr_unread_take(from, m->deflater.waiting);

	if (!waiting)
		return tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is truncated");
	w->file_bytes = m->file_bytes;
	w->file_crc = m->file_crc;
	w->ended = m->ended;
	w->token = m->token;
	/* An empty stream is started when its first bytes arrive. */
	if (w->ended || !w->deflater || !(m->deflater.started || m->deflater.waiting))
		return TFR_OK;
	TFR_TRY(start_deflating(w, err));
	return tfr_deflate_stream_resume(w->z, &m->deflater, waiting, err);
}

static enum tfr_status open_stream(struct tfr_stream_writer *w, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	struct writer_mark m = { 0 };
	struct tfr_output_opts out_opts = { .force = opts->force,
		.expected = opts->expected,
		.temporaries = opts->temporaries,
		.discard = opts->dry_run,
		.temporary = how->temporary,
		.brief = how->brief,
		.resume = how->mark ? &m.file_bytes : NULL,
		.sealed = how->mark && how->sealed };

	w->deflater = how->deflater;
	if (!w->deflater) {
		w->owns_deflater = true;
		TFR_TRY(tfr_writer_deflater(
			&w->deflater, opts, path ? path : how->temporary, 1, err));
	}
	w->gzi = opts->gzi;
	w->cap = opts->buffer_size ? opts->buffer_size : BUFFER_SIZE;
	if (w->deflater) /* the segments are gathered there, and written as they are */
		w->cap = SMALL_BUFFER;
	w->buffer = malloc(w->cap);
	TFR_NEED_MEMORY(w->buffer, err, "creating a file");
	if (how->mark && !tfr_unread_copy(how->mark, &m, sizeof(m)))
		return tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is truncated");
	out_opts.token = m.token;
	TFR_TRY(tfr_output_open(&w->out, path, &out_opts, err));
	return how->mark ? resume_stream(w, &m, how->mark, err) : TFR_OK;
}

/* `how` may be NULL. */
static enum tfr_status stream_writer_open_with(struct tfr_stream_writer **out, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	static const struct tfr_writer_opts defaults;
	static const struct tfr_writer_how plainly;
	struct tfr_stream_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	TFR_NEED_MEMORY(w, err, "creating a file");
	status = open_stream(w, path, opts ? opts : &defaults, how ? how : &plainly, err);
	if (status)
		tfr_stream_writer_close(w);
	else
		*out = w;
	return status;
}

enum tfr_status tfr_stream_writer_open(struct tfr_stream_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err)
{
	return stream_writer_open_with(w, path, opts, NULL, err);
}

/* Whether records can be added. */
static inline enum tfr_status check_open(struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_latch_check(&w->failed, err));
	return w->ended ? tfr_fail_path(err, TFR_EUSAGE, tfr_output_path(w->out),
				  "nothing can be added to a complete file:")
			: TFR_OK;
}

/* Announces a record of `size` bytes, before which the stream may be cut.  Putting calls it,
 * adding does not. */
static inline enum tfr_status announce_record(
	struct tfr_stream_writer *w, uint64_t size, struct tfr_error *err)
{
	TFR_TRY(check_open(w, err));
	return w->z ? tfr_latch_keep(&w->failed, tfr_deflate_stream_mark(w->z, size, err), err)
		    : TFR_OK;
}

static enum tfr_status add_pieces(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err)
{
	TFR_TRY(w->deflater ? start_deflating(w, err) : TFR_OK);
	for (int i = 0; i < count; i++)
		TFR_TRY(w->deflater ? tfr_deflate_stream_put(
					      w->z, pieces[i].iov_base, pieces[i].iov_len, err)
				    : put_bytes(w, pieces[i].iov_base, pieces[i].iov_len, err));
	return TFR_OK;
}

static enum tfr_status stream_writer_add(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err)
{
	return tfr_latch_keep(&w->failed, add_pieces(w, pieces, count, err), err);
}

enum tfr_status tfr_stream_writer_put(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err)
{
	uint64_t size = 0;

	for (int i = 0; i < count; i++)
		size += pieces[i].iov_len;
	TFR_TRY(announce_record(w, size, err));
	return stream_writer_add(w, pieces, count, err);
}

enum tfr_status tfr_stream_writer_flush(struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_latch_check(&w->failed, err));
	return w->ended ? TFR_OK : tfr_latch_keep(&w->failed, flush(w, err), err);
}

static void free_memory(struct tfr_stream_writer *w)
{
	tfr_deflate_stream_close(w->z);
	w->z = NULL;
	if (w->owns_deflater)
		tfr_parallel_deflate_free(w->deflater);
	w->deflater = NULL;
	free(w->buffer);
	w->buffer = NULL;
}

static enum tfr_status write_rest(struct tfr_stream_writer *w, struct tfr_error *err)
{
	if (w->deflater) {
		TFR_TRY(start_deflating(w, err));
		TFR_TRY(tfr_deflate_stream_end(w->z, err));
	}
	return flush(w, err);
}

static enum tfr_status end_stream(struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_latch_check(&w->failed, err));
	if (!w->ended)
		TFR_TRY(tfr_latch_keep(&w->failed, write_rest(w, err), err));
	w->ended = true;
	return TFR_OK;
}

enum tfr_status tfr_stream_writer_seal(struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_TRY(end_stream(w, err));
	if (!w->sealed)
		TFR_TRY(tfr_latch_keep(&w->failed, tfr_output_seal(w->out, err), err));
	w->sealed = true;
	return TFR_OK;
}

/* Brings the bytes before a mark to the disk.  *waiting: those that wait to be compressed. */
static enum tfr_status pause_stream(struct tfr_stream_writer *w, struct tfr_deflate_mark *deflater,
	const void **waiting, struct tfr_error *err)
{
	if (!w->ended) {
		if (w->z)
			TFR_TRY(tfr_deflate_stream_pause(w->z, deflater, waiting, err));
		TFR_TRY(flush(w, err));
	}
	return w->synced && !w->sealed ? TFR_OK : tfr_output_checkpoint(w->out, &w->token, err);
}

/* Appends to `mark` the state needed to continue from here in another process. */
static enum tfr_status stream_writer_mark_place(
	struct tfr_stream_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	struct writer_mark m = { .ended = w->ended };
	const void *waiting = NULL;

	TFR_TRY(tfr_latch_check(&w->failed, err));
	TFR_TRY(tfr_latch_keep(&w->failed, pause_stream(w, &m.deflater, &waiting, err), err));
	w->synced = w->ended;
	m.file_bytes = w->file_bytes;
	m.file_crc = w->file_crc;
	m.token = w->token;
	TFR_NEED_MEMORY(
		tfr_buf_append(mark, &m, sizeof(m)) &&
			(!m.deflater.waiting || tfr_buf_append(mark, waiting, m.deflater.waiting)),
		err, "noting what is written");
	return TFR_OK;
}

enum tfr_status tfr_stream_writer_publish(struct tfr_stream_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_stream_writer_seal(w, err));
	if (w->published)
		return tfr_fail_path(
			err, TFR_EUSAGE, tfr_output_path(w->out), "already published:");
	TFR_TRY(tfr_latch_keep(&w->failed, tfr_output_publish(w->out, err), err));
	w->published = true;
	return TFR_OK;
}

void tfr_stream_writer_close(struct tfr_stream_writer *w)
{
	if (!w)
		return;
	tfr_output_close(w->out);
	free_memory(w);
	free(w);
}

struct tfr_output *tfr_stream_writer_output(struct tfr_stream_writer *w)
{
	return w->out;
}

/* --- records --- */

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
static enum tfr_status check_resumed(const struct tfr_writer *w, struct tfr_error *err)
{
	uint64_t bytes = w->stream->file_bytes, framing;

	if (w->stream->deflater ||
		(!__builtin_mul_overflow(w->totals.records, TFR_RECORD_OVERHEAD, &framing) &&
			framing <= bytes && w->totals.payload_bytes == bytes - framing))
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "the saved position of the run to be resumed is invalid");
}

static enum tfr_status open_writer(struct tfr_writer *w, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	bool resumed = how && how->mark;

	if (resumed && !tfr_unread_copy(how->mark, &w->totals, sizeof(w->totals)))
		return tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is truncated");
	TFR_TRY(stream_writer_open_with(&w->stream, path, opts, how, err));
	return resumed ? check_resumed(w, err) : TFR_OK;
}

enum tfr_status tfr_writer_open_with(struct tfr_writer **out, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	struct tfr_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	TFR_NEED_MEMORY(w, err, "creating a file");
	status = open_writer(w, path, opts, how, err);
	if (status)
		tfr_writer_close(w);
	else
		*out = w;
	return status;
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

	if (!digest) {
		tfr_digest_pieces(pieces, count, &own);
		digest = &own;
	}
	tfr_put_header(header, digest->size);
	tfr_store32(footer, tfr_crc_mask(digest->crc));
	TFR_TRY(announce_record(w->stream, digest->size + TFR_RECORD_OVERHEAD, err));
	TFR_TRY(stream_writer_add(w->stream, &head, 1, err));
	TFR_TRY(stream_writer_add(w->stream, pieces, count, err));
	TFR_TRY(stream_writer_add(w->stream, &foot, 1, err));
	w->totals.records++;
	w->totals.payload_bytes += digest->size;
	w->totals.sum += digest->sum;
	return TFR_OK;
}

/* Announces records one by one, so that the cuts of a compressed stream do not depend on how many
 * come at a time. */
static enum tfr_status add_by_records(
	struct tfr_writer *w, const struct iovec *pieces, int count, struct tfr_error *err)
{
	uint64_t left = 0; /* of the record */

	for (int i = 0; i < count; i++) {
		uint8_t *p = pieces[i].iov_base, *end = p + pieces[i].iov_len;

		while (p < end) {
			struct iovec bytes = { p, (size_t)(end - p) };

			if (!left) {
				left = tfr_known_length(p) + TFR_RECORD_OVERHEAD;
				TFR_TRY(announce_record(w->stream, left, err));
			}
			if (left < bytes.iov_len)
				bytes.iov_len = (size_t)left;
			TFR_TRY(stream_writer_add(w->stream, &bytes, 1, err));
			p += bytes.iov_len;
			left -= bytes.iov_len;
		}
	}
	return TFR_OK;
}

enum tfr_status tfr_writer_put_framed(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_totals *add, struct tfr_error *err)
{
	TFR_TRY(check_open(w->stream, err));
	w->totals.records += add->records;
	w->totals.payload_bytes += add->payload_bytes;
	w->totals.sum += add->sum;
	if (w->stream->deflater)
		return add_by_records(w, pieces, count, err);
	return stream_writer_add(w->stream, pieces, count, err);
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

	w->totals.file_bytes = w->stream->file_bytes;
	w->totals.file_crc = w->stream->file_crc;
	return status;
}

enum tfr_status tfr_writer_end(struct tfr_writer *w, bool rest, struct tfr_error *err)
{
	TFR_TRY(end_stream(w->stream, err));
	free_memory(w->stream);
	return rest ? tfr_latch_keep(&w->stream->failed, tfr_output_rest(w->stream->out, err), err)
		    : TFR_OK;
}

enum tfr_status tfr_writer_mark_place(
	struct tfr_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	TFR_NEED_MEMORY(
		tfr_buf_append(mark, &w->totals, sizeof(w->totals)), err, "noting what is written");
	return stream_writer_mark_place(w->stream, mark, err);
}

void tfr_writer_keep(struct tfr_writer *w)
{
	tfr_output_keep(w->stream->out);
}

enum tfr_status tfr_writer_name(struct tfr_writer *w, const char *path, struct tfr_error *err)
{
	return tfr_output_name(w->stream->out, path, err);
}

enum tfr_status tfr_writer_finish(struct tfr_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_writer_seal(w, err));
	free_memory(w->stream);
	return tfr_latch_keep(&w->stream->failed, tfr_output_release(w->stream->out, err), err);
}

enum tfr_status tfr_writer_publish(struct tfr_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_writer_seal(w, err));
	return tfr_stream_writer_publish(w->stream, err);
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
