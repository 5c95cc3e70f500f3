/* tests/fuzz/index.c - any bytes as an index: the pairs are those that a plain tokeniser finds, up
 * to the same place. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/record.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next word between white space; false: none.  *number is what it says, *good whether it is a
 * number of at most 19 digits without the zeros before them. */
static bool next_word(
	const uint8_t *data, size_t size, size_t *at, unsigned long long *number, bool *good)
{
	char word[32] = "";
	size_t n = 0;

	while (*at < size && strchr(" \t\n\v\f\r", data[*at]) && data[*at])
		++*at;
	if (*at == size)
		return false;
	*good = true;
	for (; *at < size && (!strchr(" \t\n\v\f\r", data[*at]) || !data[*at]); ++*at) {
		if (data[*at] < '0' || data[*at] > '9')
			*good = false;
		else if ((n || data[*at] != '0') && n < sizeof(word) - 1)
			word[n++] = (char)data[*at];
	}
	*number = strtoull(word, NULL, 10);
	*good = *good && n < 20;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_index *ix = NULL;
	struct tfr_index_entry e;
	struct tfr_error err;
	unsigned long long offset, length;
	bool good_offset, good_length;
	size_t at = 0;
	enum tfr_status status;

	if (FUZZ_SAFE(tfr_index_open_memory(&ix, data, size, &err)))
		abort();
	while (!(status = tfr_index_next(ix, &e, &err))) {
		if (!next_word(data, size, &at, &offset, &good_offset) ||
			!next_word(data, size, &at, &length, &good_length))
			abort();
		assert(good_offset && good_length && e.offset == offset && e.size == length);
		assert(length >= TFR_RECORD_OVERHEAD && offset + length < (1ull << 63));
	}
	if (status == TFR_END && next_word(data, size, &at, &offset, &good_offset))
		abort();
	if (status == TFR_EDATA && next_word(data, size, &at, &offset, &good_offset) &&
		good_offset && offset < (1ull << 61) &&
		next_word(data, size, &at, &length, &good_length) && good_length && length >= 16 &&
		length < (1ull << 61))
		abort(); /* a good pair was refused */
	tfr_index_close(ix);
	return 0;
}
