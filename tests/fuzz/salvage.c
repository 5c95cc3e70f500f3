/* tests/fuzz/salvage.c - any bytes as a damaged file: the pieces follow each other without a gap,
 * the lost bytes are handed over as they lie, what is called whole verifies, and small blocks,
 * where records are proved where they lie, find what large ones do. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "record/framing.h"
#include "record/resync.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
	const uint8_t *data;
	uint64_t at; /* where the next lost byte is */
	uint64_t pieces;
};

static enum tfr_status passed(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	struct walk *w = ctx;

	(void)err;
	if (memcmp(w->data + w->at, bytes, size))
		abort();
	w->at += size;
	return TFR_OK;
}

static uint64_t walk(const uint8_t *data, size_t size, size_t block)
{
	struct tfr_reader_opts opts = { .block_size = block, .compression = TFR_COMPRESSION_NONE };
	struct walk w = { .data = data };
	struct tfr_reader *r = NULL;
	struct tfr_salvaged s;
	struct tfr_error err;
	enum tfr_status status = FUZZ_SAFE(tfr_reader_open_memory(&r, data, size, &opts, &err));

	tfr_salvage_to(r, passed, &w);
	while (!status && !(status = tfr_salvage_next(r, &s, &err))) {
		uint64_t end = s.offset + s.size;

		assert(s.size && end <= size);
		if (s.kind == TFR_SALVAGED_NOTHING) {
			assert(w.at == end);
		} else {
			assert(w.at == s.offset && s.rec.size + TFR_RECORD_OVERHEAD == s.size);
			assert(!memcmp(s.rec.data, data + s.offset + 12, s.rec.size));
			assert((tfr_load32(data + end - 4) == tfr_crc_mask(s.rec.crc)) ==
				(s.kind == TFR_SALVAGED_RECORD));
			w.at = end;
		}
		w.pieces = w.pieces * 31 + s.offset * 4 + (uint64_t)s.kind;
	}
	assert(fuzz_out_of_memory || (status == TFR_END && w.at == size));
	tfr_reader_close(r);
	return w.pieces;
}

/* A file built as the bytes say: whole records, headers of any length with a right checksum, and
 * bytes as they are.  Checksums are beyond what a fuzzer finds by itself. */
static void build(struct tfr_buf *b, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		uint64_t length = tfr_load32((uint8_t[]){ data[1], data[2], 0, 0 }) >> data[0] / 16;
		size_t n = length < size - 3 ? (size_t)length : size - 3;
		unsigned kind = data[0] & 3;
		uint8_t head[TFR_RECORD_HEADER], foot[TFR_RECORD_FOOTER];

		data += 3;
		size -= 3;
		tfr_put_header(head, kind == 0 ? n : length);
		tfr_store32(foot, tfr_crc_mask(tfr_crc32c(0, data, n)));
		if (kind < 2)
			tfr_buf_append(b, head, sizeof(head));
		tfr_buf_append(b, data, n);
		if (kind == 0)
			tfr_buf_append(b, foot, sizeof(foot));
		data += n;
		size -= n;
	}
}

static void same_in_any_block(const uint8_t *data, size_t size)
{
	if (walk(data, size, 64) != walk(data, size, 1 << 16))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_buf b = { 0 };

	same_in_any_block(data, size);
	build(&b, data, size);
	same_in_any_block(b.data, b.size);
	tfr_buf_clear(&b);
	return 0;
}
