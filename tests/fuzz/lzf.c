/* tests/fuzz/lzf.c - any bytes as what LZF packed: what is measured is unpacked to just that. */
#include <stdlib.h>

#include "lzf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t unpacked = 0;
	uint8_t *out;

	if (!tfr_lzf_measure(data, size, &unpacked))
		return 0;
	/* Three bytes make 264 at most. */
	if (unpacked > 88 * size)
		abort();
	out = malloc(unpacked);
	if (out)
		tfr_lzf_unpack(data, size, out);
	free(out);
	return 0;
}
