/* tests/fuzz/inflate.c - any bytes as deflated data, within GZIP and ZLIB, against zlib: what one
 * takes the other takes, with the same bytes, however the input is cut.
 *
 * The first byte chooses the format, the second how the input is cut.  Header and trailer are made
 * here, with the checksum of what zlib inflates, so that no input fails for these. */
#include <zlib.h>

#include "codec/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

/* All that the deflated data hold, if they end with the input and are no more than MOST. */
static bool plain(const uint8_t *data, size_t size, struct tfr_buf *out)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size };
	uint8_t block[4096];
	int status = inflateInit2(&z, -15);

	while (status == Z_OK && out->size <= MOST) {
		z.next_out = block;
		z.avail_out = sizeof(block);
		status = inflate(&z, Z_NO_FLUSH);
		if (!tfr_buf_append(out, block, sizeof(block) - z.avail_out))
			break;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END && !z.avail_in;
}

static bool ours(
	const struct tfr_buf *in, enum tfr_compression c, size_t piece, struct tfr_buf *out)
{
	struct tfr_inflate *z = NULL;
	enum tfr_status status = tfr_inflate_new(&z, c, NULL);
	struct tfr_codec_io io = { .in = in->data };
	size_t left = in->size, before;

	do {
		io.in_size += left < piece ? left : piece;
		left -= left < piece ? left : piece;
		do {
			if (status || !tfr_buf_reserve(out, 4096)) {
				status = TFR_ENOMEM;
				break;
			}
			io.out = out->data + out->size;
			io.out_size = 4096;
			before = io.in_size;
			status = tfr_inflate_run(z, &io, NULL);
			out->size = (size_t)(io.out - out->data);
		} while (
			!status && (before != io.in_size || !io.out_size) && out->size <= 2 * MOST);
	} while (!status && left);
	if (!status && !tfr_inflate_at_end(z))
		status = TFR_EDATA;
	tfr_inflate_free(z);
	return !status;
}

static bool wrap(
	struct tfr_buf *b, const uint8_t *data, size_t size, const struct tfr_buf *text, bool gzip)
{
	static const uint8_t gzip_head[10] = { 0x1f, 0x8b, 8, [9] = 3 }, zlib_head[2] = { 0x78, 1 };
	uint32_t sum = gzip ? (uint32_t)crc32(0, text->data, (uInt)text->size)
			    : (uint32_t)adler32(1, text->data, (uInt)text->size);
	uint32_t length = (uint32_t)text->size;
	uint8_t tail[8];

	for (int i = 0; i < 4; i++) {
		tail[i] = (uint8_t)(sum >> (gzip ? 8 * i : 24 - 8 * i));
		tail[4 + i] = (uint8_t)(length >> 8 * i);
	}
	return tfr_buf_append(b, gzip ? gzip_head : zlib_head, gzip ? 10 : 2) &&
	       tfr_buf_append(b, data, size) && tfr_buf_append(b, tail, gzip ? 8 : 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TFR_AUTO_BUF text = { 0 }, file = { 0 }, got = { 0 };
	bool gzip, taken, whole;
	size_t piece;

	if (size < 2)
		return 0;
	gzip = data[0] & 1;
	piece = data[1] ? data[1] : 1 << 20;
	if (!tfr_buf_reserve(&text, 1)) /* the checksums want an address */
		return 0;
	whole = plain(data + 2, size - 2, &text);
	if (text.size > MOST || !wrap(&file, data + 2, size - 2, &text, gzip))
		return 0;
	taken = ours(&file, gzip ? TFR_COMPRESSION_GZIP : TFR_COMPRESSION_ZLIB, piece, &got);
	if (taken != whole ||
		(whole && (got.size != text.size || memcmp(got.data, text.data, got.size))))
		abort();
	return 0;
}
