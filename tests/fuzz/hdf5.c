/* tests/fuzz/hdf5.c - any bytes as what the helper that reads HDF5 files sends: data sets are
 * possible ones, and texts are the bytes that arrived. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "convert/array/arrays.h"

enum { SETS = 4, ROOM = 64 << 10, INPUT = 512, REPLIES = 128 << 10 };

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
static void sum_texts(const uint8_t *rows, size_t n)
{
	volatile unsigned sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct tfr_bytes text;

		memcpy(&text, rows + i * sizeof(text), sizeof(text));
		for (size_t k = 0; k < text.size; k++)
			sum = sum + text.data[k];
	}
}

static void read_rows(struct tfr_hdf5_helper *h, const struct tfr_hdf5_set *set, unsigned how)
{
	bool keep = how & 1;
	size_t row = row_size(set), count = 1 + (how >> 1) % 4, size = row * count;
	struct tfr_buf text = { 0 };
	struct tfr_error err;
	uint8_t *rows = size <= ROOM ? malloc(size) : NULL;

	if (!rows)
		return;
	tfr_hdf5_ask(h, &(struct tfr_hdf5_request){ TFR_HDF5_READ, 0, 0, count }, NULL, size);
	if (!tfr_hdf5_rows(h, "x", keep ? rows : NULL, size,
		    set->cell == TFR_CELL_TEXT ? &text : NULL, &err) &&
		keep && set->cell == TFR_CELL_TEXT)
		sum_texts(rows, size / sizeof(struct tfr_bytes));
	tfr_buf_clear(&text);
	free(rows);
}

/* A data set of small numbers, which any bytes hardly make. */
static struct tfr_hdf5_set small_set(const uint8_t *body, size_t n)
{
	uint8_t b[8] = { TFR_CELL_TEXT, TFR_HDF5_TEXT, 1, 1, 1, 1, 1, 1 };

	memcpy(b, body, n < sizeof(b) ? n : sizeof(b));
	return (struct tfr_hdf5_set){ .cell = b[0],
		.cell_size = b[1],
		.n_dims = b[2],
		.dims = { b[3], b[4], b[5] },
		.chunk_rows = b[6],
		.chunk_bytes = b[7] };
}

/* Replies, of which the bytes say: the answer and whether it is of a small set or claims another
 * size; how many bytes follow; these.  They go out at once, since many small parts would fill the
 * socket. */
static void send_replies(int fd, const uint8_t *data, size_t size)
{
	static uint8_t replies[REPLIES];
	size_t all = 0;

	while (size >= 2) {
		struct tfr_hdf5_reply head = { .answer = data[0] & 15, .size = data[1] };
		size_t n = data[1] < size - 2 ? data[1] : size - 2;
		struct tfr_hdf5_set set = small_set(data + 2, n);
		bool small = data[0] & 16 && head.answer == TFR_HDF5_SET;

		if (small)
			head.size = sizeof(set);
		if (data[0] & 32)
			head.size = (uint64_t)data[1] << (data[0] >> 2 & 48);
		memcpy(replies + all, &head, sizeof(head));
		all += sizeof(head);
		memcpy(replies + all, small ? (const void *)&set : data + 2,
			small ? sizeof(set) : n);
		all += small ? sizeof(set) : n;
		data += 2 + n;
		size -= 2 + n;
	}
	if (write(fd, replies, all) != (ssize_t)all)
		abort();
}

/* The first byte says how many rows are read at once and whether they are wanted. */
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
	send_replies(ends[1], data + 1, size - 1);
	close(ends[1]);
	h.socket = ends[0];
	while (n < SETS && !tfr_hdf5_next(&h, name, &err)) {
		if (!*name)
			abort();
		if (tfr_hdf5_open(&h, name, &sets[n], &err))
			break;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		read_rows(&h, &sets[i], data[0] >> i);
	tfr_hdf5_stop(&h);
	return 0;
}
