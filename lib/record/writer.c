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
#include "base/latch.h"
#include "codec/parallel_deflate.h"
#include "io/output.h"
#include "record/framing.h"
#include "record/gzi.h"
#include "thread/threads.h"

/* --- streams --- */

enum { BUFFER_SIZE = 256 << 10, SMALL_BUFFER = 4096, LARGE_PIECE = 16 << 10 };

struct tfr_stream_writer {
	struct tfr_output *out;
	struct tfr_parallel_deflate *deflater; /* NULL: not compressed */
	bool owns_press;		       /* otherwise it is the set's */
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
struct mark {
	uint64_t file_bytes;
	uint64_t token; /* of the file's temporary name */
	uint32_t file_crc;
	uint32_t ended;
	struct tfr_deflate_mark deflater;
};

static bool name_says_gzip(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".gz");
}

/* How `path` will be compressed. */
static enum tfr_compression compression_of(const struct tfr_writer_opts *opts, const char *path)
{
	if (opts->compression != TFR_COMPRESSION_AUTO)
		return opts->compression;
	return name_says_gzip(path) ? TFR_COMPRESSION_GZIP : TFR_COMPRESSION_NONE;
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

static enum tfr_status put_pressed(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
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
	struct tfr_deflate_sink sink = { put_pressed, w->gzi ? note_point : NULL, w };

	return w->z ? TFR_OK : tfr_deflate_stream_open(&w->z, w->deflater, &sink, err);
}

/* Restores the state of the mark. */
static enum tfr_status go_on(struct tfr_stream_writer *w, const struct mark *m,
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

static enum tfr_status start(struct tfr_stream_writer *w, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	struct mark m = { 0 };
	struct tfr_output_opts out_opts = { .force = opts->force,
		.expected = opts->expected,
		.temporaries = opts->temporaries,
		.discard = opts->dry_run,
		.temporary = how->temporary,
		.brief = how->brief,
		.resume = how->mark ? &m.file_bytes : NULL,
		.sealed = how->mark && how->sealed };
	enum tfr_status status;

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
	status = tfr_output_open(&w->out, path, &out_opts, err);
	return status || !how->mark ? status : go_on(w, &m, how->mark, err);
}

/* `how` may be NULL. */
static enum tfr_status stream_writer_open_with(struct tfr_stream_writer **out, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how, struct tfr_error *err)
{
	static const struct tfr_writer_opts defaults;
	static const struct tfr_writer_how plainly;
	struct tfr_stream_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status = TFR_OK;

	TFR_NEED_MEMORY(w, err, "creating a file");
	opts = opts ? opts : &defaults;
	how = how ? how : &plainly;
	w->deflater = how->deflater;
	if (!w->deflater) {
		status = tfr_writer_deflater(
			&w->deflater, opts, path ? path : how->temporary, 1, err);
		w->owns_press = true;
	}
	if (!status)
		status = start(w, path, opts, how, err);
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
static inline enum tfr_status stream_writer_mark(
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
	TFR_TRY(stream_writer_mark(w, size, err));
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
	if (w->owns_press)
		tfr_parallel_deflate_free(w->deflater);
	w->deflater = NULL;
	free(w->buffer);
	w->buffer = NULL;
}

static enum tfr_status end(struct tfr_stream_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_latch_check(&w->failed, err);

	if (status || w->ended)
		return status;
	if (w->deflater)
		status = start_deflating(w, err);
	if (!status && w->deflater)
		status = tfr_deflate_stream_end(w->z, err);
	if (!status)
		status = flush(w, err);
	w->ended = !status;
	return tfr_latch_keep(&w->failed, status, err);
}

enum tfr_status tfr_stream_writer_seal(struct tfr_stream_writer *w, struct tfr_error *err)
{
	enum tfr_status status = end(w, err);

	if (status || w->sealed)
		return status;
	status = tfr_output_seal(w->out, err);
	w->sealed = !status;
	return tfr_latch_keep(&w->failed, status, err);
}

/* Appends to `mark` the state needed to continue from here in another process.  The bytes before
 * the mark are on disk. */
static enum tfr_status stream_writer_mark_place(
	struct tfr_stream_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	struct mark m = { .ended = w->ended };
	const void *waiting = NULL;
	enum tfr_status status = tfr_latch_check(&w->failed, err);

	if (!status && w->z && !w->ended)
		status = tfr_deflate_stream_pause(w->z, &m.deflater, &waiting, err);
	if (!status && !w->ended)
		status = flush(w, err);
	if (!status && (!w->synced || w->sealed))
		status = tfr_output_checkpoint(w->out, &w->token, err);
	if (status)
		return tfr_latch_keep(&w->failed, status, err);
	w->synced = w->ended;
	m.file_bytes = w->file_bytes;
	m.file_crc = w->file_crc;
	m.token = w->token;
	if (!tfr_buf_append(mark, &m, sizeof(m)) ||
		(m.deflater.waiting && !tfr_buf_append(mark, waiting, m.deflater.waiting)))
		return tfr_fail_nomem(err, "noting what is written");
	return TFR_OK;
}

enum tfr_status tfr_stream_writer_publish(struct tfr_stream_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_stream_writer_seal(w, err);

	if (!status && w->published)
		return tfr_fail_path(
			err, TFR_EUSAGE, tfr_output_path(w->out), "already published:");
	if (!status)
		status = tfr_output_publish(w->out, err);
	w->published = !status;
	return tfr_latch_keep(&w->failed, status, err);
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
static enum tfr_status check_taken_up(const struct tfr_writer *w, struct tfr_error *err)
{
	uint64_t bytes = w->stream->file_bytes, framing;

	if (w->stream->deflater ||
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

	TFR_NEED_MEMORY(w, err, "creating a file");
	if (how && how->mark && !tfr_unread_copy(how->mark, &w->totals, sizeof(w->totals)))
		status = tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is truncated");
	if (!status)
		status = stream_writer_open_with(&w->stream, path, opts, how, err);
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

	if (!digest) {
		tfr_digest_pieces(pieces, count, &own);
		digest = &own;
	}
	tfr_put_header(header, digest->size);
	tfr_store32(footer, tfr_crc_mask(digest->crc));
	TFR_TRY(stream_writer_mark(w->stream, digest->size + TFR_RECORD_OVERHEAD, err));
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
	enum tfr_status status = TFR_OK;
	uint64_t left = 0; /* of the record */

	for (int i = 0; !status && i < count; i++) {
		uint8_t *p = pieces[i].iov_base, *end = p + pieces[i].iov_len;

		while (!status && p < end) {
			struct iovec part = { p, 0 };

			if (!left) {
				left = tfr_known_length(p) + TFR_RECORD_OVERHEAD;
				status = stream_writer_mark(w->stream, left, err);
			}
			part.iov_len = left < (size_t)(end - p) ? (size_t)left : (size_t)(end - p);
			if (!status)
				status = stream_writer_add(w->stream, &part, 1, err);
			p += part.iov_len;
			left -= part.iov_len;
		}
	}
	return status;
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
	TFR_TRY(end(w->stream, err));
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
