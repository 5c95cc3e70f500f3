/* tests/fuzz/npy.c - any bytes as an NPY file: a header that is taken has fields that lie in its
 * elements, and rows of any bytes are made into features or refused. */
#include <stdlib.h>
#include <string.h>

#include "convert/array/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(const struct tfr_cells *field, const uint8_t *row)
{
	struct tfr_cells c = *field;
	struct tfr_builder *b = tfr_builder_new();
	TFR_AUTO_BUF scratch = { 0 };
	struct tfr_error err = { 0 };
	enum tfr_status status;

	c.name = (char *)(uintptr_t) "x";
	c.outer = 1;
	c.kind = tfr_cell_kind(c.cell);
	if (b && c.inner && c.inner <= 4096) { /* texts of no bytes can be many */
		status = tfr_cells_put(&c, row, &scratch, b, &err);
		if (status && (status != TFR_EDATA || !err.message[0]))
			abort();
		if (!status && tfr_cells_become(&c, TFR_KIND_BYTES, &err))
			abort();
		if (!status && tfr_cells_put(&c, row, &scratch, b, &err))
			abort();
	}
	tfr_builder_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_npy h = { 0 };
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_npy_parse(&h, data, size, &err);
	uint8_t *row = NULL;

	if (status && (status != TFR_EDATA || !err.message[0]))
		abort();
	if (!status && h.element <= 4096) {
		row = calloc(1, h.element + 1);
		for (size_t i = 0; row && size && i < h.element; i++)
			row[i] = data[i % size];
		for (size_t i = 0; row && i < h.n_fields; i++)
			put(&h.fields[i], row);
	}
	free(row);
	tfr_npy_clear(&h);
	return 0;
}
