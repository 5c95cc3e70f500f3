/* tests/fuzz/hdf5.c - any bytes as what the helper that reads HDF5 files sends: data sets are
 * possible ones, and texts are the bytes that arrived. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "convert/cells.h"
#include "convert/hdf5_helper.h"

enum { SETS = 4, ROOM = 1 << 20, INPUT = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t row_size(const struct tfr_hdf5_set *set)
{
	size_t bytes = set->cell == TFR_CELL_TEXT ? sizeof(struct tfr_bytes) : set->cell_size;

	for (uint32_t i = 1; i < set->n_dims; i++)
		bytes *= (size_t)set->dims[i];
	if (!bytes || bytes > TFR_ITEM_MOST)
		abort();
	return bytes;
}

/* Each byte of each text is touched. */
static unsigned sum_texts(const uint8_t *rows, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct tfr_bytes text;

		memcpy(&text, rows + i * sizeof(text), sizeof(text));
		for (size_t k = 0; k < text.size; k++)
			sum += text.data[k];
	}
	return sum;
}

static void read_rows(struct tfr_hdf5_helper *h, const struct tfr_hdf5_set *set, bool keep)
{
	static volatile unsigned unused;
	size_t row = row_size(set), count = row < ROOM ? ROOM / row : 1, size = row * count;
	struct tfr_buf text = { 0 };
	struct tfr_error err;
	uint8_t *rows;

	if (size > ROOM) {
		tfr_hdf5_rows(h, "x", NULL, size, &err);
		return;
	}
	rows = malloc(size);
	if (!rows)
		return;
	tfr_hdf5_ask(h, 0, 0, count, NULL, size);
	if (set->cell != TFR_CELL_TEXT)
		tfr_hdf5_rows(h, "x", keep ? rows : NULL, size, &err);
	else if (!tfr_hdf5_texts(h, "x", keep ? rows : NULL, size / sizeof(struct tfr_bytes), &text,
			 &err) &&
		 keep)
		unused += sum_texts(rows, size / sizeof(struct tfr_bytes));
	tfr_buf_clear(&text);
	free(rows);
}

/* The first byte says how many rows a block has and whether they are wanted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_hdf5_helper h = { .path = "x.h5", .seconds = 1, .ready = true };
	struct tfr_hdf5_set sets[SETS];
	char name[TFR_HDF5_NAME];
	struct tfr_error err;
	size_t n = 0;
	int ends[2];

	if (!size || size > INPUT || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 0;
	if (write(ends[1], data + 1, size - 1) != (ssize_t)size - 1)
		abort();
	close(ends[1]);
	h.socket = ends[0];
	while (n < SETS && !tfr_hdf5_next(&h, name, &err))
		if (!*name || tfr_hdf5_open(&h, name, &sets[n++], &err))
			break;
	for (size_t i = 0; i + 1 < n; i++)
		read_rows(&h, &sets[i], data[0] >> i & 1);
	tfr_hdf5_stop(&h);
	return 0;
}
