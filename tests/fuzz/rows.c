/* Rows of CSV, TSV and JSON lines: what is read of them is what a reading cell by cell and json-c
 * read, and records made in place are those of the builder. */
#include <stdlib.h>

#define ROWS_CHECK(ok) \
	do { \
		if (!(ok)) \
			abort(); \
	} while (0)

#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum tfr_list_format format = size ? data[0] % 3 : 0;

	if (size)
		rows_compare(format, data + 1, size - 1);
	return 0;
}
