/* Any bytes as a record: what it is taken for agrees with the parser of Examples and with the
 * printer.  The same bytes as the name and as a value of an Example, or of a SequenceExample: that
 * is never anything else. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "example/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(struct tfr_buf *b, unsigned number, const void *data, size_t size)
{
	uint8_t head[12] = { (uint8_t)(number << 3 | 2) };
	size_t n = 1, left = size;

	for (; left >= 0x80; left >>= 7)
		head[n++] = (uint8_t)(left | 0x80);
	head[n++] = (uint8_t)left;
	if (FUZZ_SAFE(!tfr_buf_append(b, head, n) || (size && !tfr_buf_append(b, data, size))))
		abort();
}

/* `depth` messages around the bytes, each of them field number 1, or `outer` for the last. */
static void wrap(struct tfr_buf *b, unsigned outer, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++) {
		struct tfr_buf inner = *b;

		*b = (struct tfr_buf){ 0 };
		put(b, i + 1 == depth ? outer : 1, inner.data, inner.size);
		tfr_buf_clear(&inner);
	}
}

static void check_written(const uint8_t *data, size_t size, unsigned outer)
{
	struct tfr_buf value = { 0 }, record = { 0 };

	put(&value, 1, data, size);
	wrap(&value, 1, outer); /* a Feature of bytes; of it a FeatureList */
	put(&record, 1, data, size / 2);
	put(&record, 2, value.data, value.size);
	wrap(&record, outer, 2);
	if (tfr_likeness_of(record.data, record.size) != TFR_IS_EXAMPLE)
		abort();
	tfr_buf_clear(&value);
	tfr_buf_clear(&record);
}

static void check_printed(enum tfr_content content, const uint8_t *data, size_t size)
{
	struct tfr_printer *p =
		FUZZ_SAFE(tfr_printer_new(&(struct tfr_print_opts){ .as = content }));
	const char *text;
	size_t n;

	if (tfr_printer_json(p, data, size, &text, &n, NULL) ||
		tfr_printer_text(p, data, size, &text, &n, NULL))
		abort();
	tfr_printer_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum tfr_likeness like = tfr_likeness_of(data, size);
	struct tfr_example *ex = FUZZ_SAFE(tfr_example_new());

	if (!tfr_example_parse(ex, data, size, NULL) &&
		tfr_likeness_parsed(ex, data, size) == TFR_IS_EXAMPLE &&
		(like == TFR_IS_ELWC || like == TFR_IS_TENSOR || like == TFR_IS_RAW))
		abort();
	if (like == TFR_IS_ELWC)
		check_printed(TFR_CONTENT_ELWC, data, size);
	check_written(data, size, 1);
	check_written(data, size, 2);
	tfr_example_free(ex);
	return 0;
}
