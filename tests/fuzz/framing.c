/* Any bytes as lines and as delimited messages: the payloads lie in order in what was given, and a
 * small block gives what a large one gives. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/record.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum tfr_status read_all(const uint8_t *data, size_t size, enum tfr_framing framing,
	size_t block, struct tfr_buf *payloads, uint64_t *records)
{
	struct tfr_reader_opts opts = {
		.compression = TFR_COMPRESSION_NONE, .framing = framing, .block_size = block
	};
	struct tfr_reader *r = NULL;
	struct tfr_error err = { 0 };
	struct tfr_record rec;
	enum tfr_status status;
	uint64_t before = 0;

	if (FUZZ_SAFE(tfr_reader_open_memory(&r, data, size, &opts, &err)))
		abort();
	while (!(status = tfr_reader_next(r, &rec, &err))) {
		if (rec.offset > size || rec.size > size - rec.offset || rec.index != *records ||
			(*records && rec.offset <= before))
			abort();
		before = rec.offset;
		++*records;
		FUZZ_SAFE(tfr_buf_append(payloads, rec.data, rec.size) &&
			  tfr_buf_append(payloads, "\n", 1));
	}
	if (status != TFR_END && (status != TFR_EDATA || !err.message[0] || !err.has_record))
		abort();
	tfr_reader_close(r);
	return status;
}

static void both_blocks(const uint8_t *data, size_t size, enum tfr_framing framing)
{
	struct tfr_buf large = { 0 }, small = { 0 };
	uint64_t n = 0, m = 0;
	enum tfr_status status = read_all(data, size, framing, 0, &large, &n);

	if (read_all(data, size, framing, 64, &small, &m) != status || n != m ||
		large.size != small.size || (n && memcmp(large.data, small.data, large.size)))
		abort();
	/* Lines with their newlines are the file, whose last line may lack its own. */
	if (framing == TFR_FRAMING_LINES &&
		(status != TFR_END || large.size < size || large.size > size + 1 ||
			(size && memcmp(large.data, data, size))))
		abort();
	tfr_buf_clear(&large);
	tfr_buf_clear(&small);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	both_blocks(data, size, TFR_FRAMING_LINES);
	both_blocks(data, size, TFR_FRAMING_DELIMITED);
	return 0;
}
