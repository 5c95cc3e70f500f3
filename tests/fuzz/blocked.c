/* tests/fuzz/blocked.c - any bytes as the middle of a GZIP file with flush points, some of which
 * may be none: several threads must say of it what one says.  The input says how the file is made:
 * what is stored, deflated, repeated, put between flush points that are full or not, and then
 * damaged. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <tfr-private/record.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a reader says: a number that any difference changes. */
static uint64_t walk(const struct tfr_buf *file, unsigned threads, size_t block)
{
	struct tfr_reader_opts opts = {
		.compression = TFR_COMPRESSION_GZIP, .block_size = block, .threads = threads
	};
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_error err = { 0 };
	uint64_t said = 0, lost;
	enum tfr_status status = tfr_reader_open_memory(&r, file->data, file->size, &opts, &err);

	while (!status) {
		err = (struct tfr_error){ 0 };
		status = tfr_reader_next(r, &rec, &err);
		if (status)
			said = said * 31 + (uint64_t)status + err.record * 7 + err.offset;
		else
			said = said * 31 + rec.offset * 3 + rec.crc;
		if (status == TFR_EDATA && tfr_reader_fault(r) == TFR_FAULT_PAYLOAD) {
			status = TFR_OK;
		} else if (status == TFR_EDATA && tfr_reader_fault(r) != TFR_FAULT_STREAM) {
			status = tfr_reader_resync(r, &lost, &err);
			said = said * 31 + lost;
		}
	}
	tfr_reader_close(r);
	return said;
}

static void put(z_stream *z, struct tfr_buf *out, const uint8_t *in, size_t size, int flush)
{
	z->next_in = (Bytef *)(uintptr_t)in;
	z->avail_in = (uInt)size;
	do {
		assert(tfr_buf_reserve(out, 1 << 16));
		z->next_out = out->data + out->size;
		z->avail_out = 1 << 16;
		deflate(z, flush);
		out->size += (1 << 16) - z->avail_out;
	} while (!z->avail_out);
}

/* Each step: a byte of what to do, and a record made of the bytes that follow. */
static void make_file(struct tfr_buf *out, const uint8_t *data, size_t size)
{
	static uint8_t payload[48 << 10];
	z_stream z = { 0 };
	uint64_t state = 1;

	deflateInit2(&z, 1, Z_DEFLATED, 31, 8, 0);
	for (size_t at = 0; at + 4 <= size && at < 4 * 24; at += 4) {
		uint8_t what = data[at];
		size_t n = 20000 + (size_t)data[at + 1] * 100;

		for (size_t i = 0; i < n; i++) {
			state = state * 6364136223846793005u + data[at + 2];
			payload[i] = what & 1 ? (uint8_t)(state >> 56)
					      : "\0\0\377\377\0\0\0\377\377"[i % 9];
		}
		deflateParams(&z, what & 2 ? 1 : 0, Z_DEFAULT_STRATEGY);
		put(&z, out, payload, n,
			what & 4   ? Z_FULL_FLUSH
			: what & 8 ? Z_SYNC_FLUSH
				   : Z_NO_FLUSH);
		if (what & 12 && what & 16)
			assert(tfr_buf_append(out, "\0\0\0\377\377", 5));
		if ((what & 0xe0) == 0xe0) { /* a member ends */
			put(&z, out, NULL, 0, Z_FINISH);
			deflateReset(&z);
		}
	}
	put(&z, out, NULL, 0, Z_FINISH);
	deflateEnd(&z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_buf file = { 0 };
	uint64_t one;

	if (size < 8)
		return 0;
	make_file(&file, data + 6, size - 6);
	if (data[0] & 1) /* a byte of it, anywhere */
		file.data[(data[1] << 16 | data[2] << 8 | data[3]) % file.size] ^= data[4];
	if (data[0] & 2)
		file.size = (size_t)(data[1] << 16 | data[3] << 8 | data[2]) % file.size;
	one = walk(&file, 1, 0);
	if (one != walk(&file, 2, 0) || one != walk(&file, 3, 777))
		abort();
	tfr_buf_clear(&file);
	return 0;
}
