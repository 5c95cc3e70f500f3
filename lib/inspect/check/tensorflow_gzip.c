/* inspect/check/tensorflow_gzip.c - simulates how TensorFlow reads a compressed file, step by step.
 *
 * TensorFlow's reader can end early.  Where it does depends on the bytes in its buffer when zlib
 * returns no output, so the simulation repeats its steps. zlib_inputstream.cc (tsl/lib/io) requests
 * up to 256 KiB at a time from zlib, with an input buffer of 256 KiB.  If there is no output, it
 * reads more of the file before it uses the rest of the buffer.  If the file has ended by then, it
 * takes that for the end of the records. record_reader.cc takes an end within a header for the end
 * as well, and an end within the data for an error. */
#include "inspect/check/tensorflow_gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/source.h"
#include "record/framing.h"

enum { BUFFER = 256 << 10 }; /* zlib_compression_options.h: size of the input and output buffers */

/* Walks over the records in the decompressed bytes, piece by piece. */
struct walk {
	uint64_t records;
	uint8_t header[TFR_RECORD_HEADER], footer[TFR_RECORD_FOOTER];
	size_t have;   /* bytes of the header, then of the footer */
	bool in_data;  /* the header is complete */
	uint64_t left; /* bytes of data left */
	uint32_t crc;
	bool bad; /* a checksum does not match */
};

struct peer {
	struct tfr_source *source;
	z_stream zlib;
	bool gzip;
	uint8_t *in, *out;
	struct walk walk;
};

static size_t take(uint8_t *to, size_t size, size_t *have, const uint8_t *p, size_t n)
{
	size_t want = size - *have;

	n = n < want ? n : want;
	memcpy(to + *have, p, n);
	*have += n;
	return n;
}

static void begin_data(struct walk *w)
{
	w->bad = !tfr_header_verifies(w->header);
	w->in_data = true;
	w->left = tfr_load64(w->header);
	w->crc = 0;
	w->have = 0;
}

static void end_record(struct walk *w)
{
	w->bad = tfr_load32(w->footer) != tfr_crc_mask(w->crc);
	w->records += !w->bad;
	w->in_data = false;
	w->have = 0;
}

static void walk_on(struct walk *w, const uint8_t *p, size_t size)
{
	while (size && !w->bad) {
		size_t n;

		if (!w->in_data) {
			n = take(w->header, sizeof(w->header), &w->have, p, size);
			if (w->have == sizeof(w->header))
				begin_data(w);
		} else if (w->left) {
			n = size < w->left ? size : (size_t)w->left;
			w->crc = tfr_crc32c(w->crc, p, n);
			w->left -= n;
		} else {
			n = take(w->footer, sizeof(w->footer), &w->have, p, size);
			if (w->have == sizeof(w->footer))
				end_record(w);
		}
		p += n;
		size -= n;
	}
}

/* Fills the input buffer after the bytes that it holds.  TFR_END: no bytes are left, or there is no
 * room. */
static enum tfr_status refill(struct peer *p, struct tfr_error *err)
{
	size_t held = p->zlib.avail_in, got;
	enum tfr_status status;

	memmove(p->in, p->zlib.next_in, held);
	p->zlib.next_in = p->in;
	status = tfr_source_read(p->source, p->in + held, BUFFER - held, &got, err);
	p->zlib.avail_in += (uInt)got;
	return status ? status : got ? TFR_OK : TFR_END;
}

/* TFR_EDATA: zlib refuses the stream, and the output of this call is lost.  TFR_END: as in
 * refill(). */
static enum tfr_status step(struct peer *p, struct tfr_error *err)
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
		return refill(p, err);
	walk_on(&p->walk, p->out, BUFFER - p->zlib.avail_out);
	return p->walk.bad ? TFR_EDATA : TFR_OK;
}

static enum tfr_status read_all(struct peer *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	p->in = malloc(BUFFER);
	p->out = malloc(BUFFER);
	if (!p->in || !p->out || inflateInit2(&p->zlib, MAX_WBITS + (p->gzip ? 16 : 0)) != Z_OK)
		return tfr_fail_nomem(err, "checking");
	p->zlib.next_in = p->in;
	while (!status)
		status = step(p, err);
	inflateEnd(&p->zlib);
	return status;
}

enum tfr_status tfr_peer_read(
	const char *path, enum tfr_compression c, struct tfr_peer *peer, struct tfr_error *err)
{
	struct peer p = { .gzip = c == TFR_COMPRESSION_GZIP };
	enum tfr_status status = tfr_source_open(&p.source, path, err);

	if (!status)
		status = read_all(&p, err);
	peer->records = p.walk.records;
	peer->fails = status == TFR_EDATA || p.walk.in_data;
	free(p.in);
	free(p.out);
	tfr_source_close(p.source);
	return status == TFR_EDATA || status == TFR_END ? TFR_OK : status;
}
