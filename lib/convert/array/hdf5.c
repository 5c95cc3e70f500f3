/* convert/array/hdf5.c - HDF5 files: every data set becomes a feature with its path as the name,
 * every row a record.
 *
 * A helper program reads the file, one block of rows at a time.  The order of rows is known
 * beforehand, so that the helper reads the next block while records are made from this one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "config.h"
#include "convert/archive/members.h"
#include "convert/array/arrays.h"
#include "io/source.h"

enum { SETS_MOST = 1000, USER_BLOCK_MOST = 1 << 20, CHUNKS_MOST = 240 << 20 };

/* The helper refuses rows that are only claimed.  This limit holds even if the helper is taken
 * over: so many rows per byte of the file, beyond the first million. */
enum { ROWS_FREE = 1 << 20, PACKED_MOST = 4096 };

static const char signature[] = "\x89HDF\r\n\x1a\n";

struct data_set {
	struct tfr_array array;
	uint32_t number; /* in the helper */
	uint64_t chunk_bytes;
	struct tfr_buf text; /* of the block in memory */
};

/* Rows that were requested from the helper. */
struct asked {
	struct data_set *set;  /* NULL: none */
	const uint32_t *order; /* NULL: the order of the file; else `first` is a position in it */
	uint64_t first, count;
};

struct hdf5 {
	struct tfr_arrays a;
	struct tfr_hdf5_helper helper;
	struct asked ahead;
};

/* A user block, such as MATLAB's text, has 512 bytes or a doubling of that (H5Pset_userblock).
 * An HDF5 file in a tar archive begins there, too; such an archive does not begin with zeros. */
static bool follows_user_block(const struct tfr_offer *offer)
{
	TFR_AUTO_CLOSE int fd = -1;
	uint8_t head[8];

	if (offer->head_size < 512 ||
		(tfr_tar_recognises(offer->head, offer->head_size) &&
			(*offer->head || memcmp(offer->head, offer->head + 1, 511))))
		return false;
	fd = TEMP_FAILURE_RETRY(open(offer->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
	for (off_t at = 512; fd >= 0 && at <= USER_BLOCK_MOST; at *= 2)
		if (tfr_fd_read(fd, head, sizeof(head), at) != sizeof(head))
			return false;
		else if (!memcmp(head, signature, sizeof(head)))
			return true;
	return false;
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)opts;
	return (offer->head_size >= 8 && !memcmp(offer->head, signature, 8)) ||
	       follows_user_block(offer);
}

/* --- rows --- */

static void ask(struct hdf5 *h, const struct asked *rows)
{
	const struct data_set *d = rows->set;
	const uint32_t *numbers = rows->order ? rows->order + rows->first : NULL;
	struct tfr_hdf5_request request = { numbers ? TFR_HDF5_PICK : TFR_HDF5_READ, d->number,
		rows->first, rows->count };
	uint64_t chunks;

	/* Limits the work that false sizes of chunks can cause. */
	if (__builtin_mul_overflow(numbers ? rows->count : 1, d->chunk_bytes, &chunks) ||
		chunks > CHUNKS_MOST)
		chunks = CHUNKS_MOST;
	tfr_hdf5_ask(&h->helper, &request, numbers, rows->count * d->array.row_size + chunks);
}

/* `into` NULL: drops the rows. */
static enum tfr_status receive(
	struct hdf5 *h, const struct asked *rows, uint8_t *into, struct tfr_error *err)
{
	struct data_set *d = rows->set;

	return tfr_hdf5_rows(&h->helper, d->array.name, into,
		(size_t)rows->count * d->array.row_size, d->array.texts ? &d->text : NULL, err);
}

/* Finds the next block after `now`: that of the array whose block ends first. */
static struct asked wanted_next(struct hdf5 *h, const struct asked *now)
{
	struct asked next = { .order = now->order, .first = h->a.rows };

	for (size_t i = 0; i < h->a.n; i++) {
		struct data_set *d = (struct data_set *)h->a.arrays[i];
		uint64_t end =
			d == now->set ? now->first + now->count : d->array.first + d->array.count;
		uint64_t left = h->a.rows - end;

		if (end < next.first)
			next = (struct asked){ d, now->order, end,
				d->array.most < left ? d->array.most : left };
	}
	return next;
}

static enum tfr_status read_rows(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
	uint64_t count, struct tfr_error *err)
{
	struct hdf5 *h = (struct hdf5 *)a;
	struct asked rows = { (struct data_set *)array, a->order, first, count }, ahead = h->ahead;

	h->ahead = (struct asked){ 0 };
	if (ahead.set != rows.set || ahead.order != rows.order || ahead.first != first ||
		ahead.count != count) {
		if (ahead.set)
			TFR_TRY(receive(h, &ahead, NULL, err));
		ask(h, &rows);
	}
	TFR_TRY(receive(h, &rows, array->block, err));
	h->ahead = wanted_next(h, &rows);
	if (h->ahead.set)
		ask(h, &h->ahead);
	return TFR_OK;
}

/* --- data sets --- */

static void release(struct tfr_array *array)
{
	tfr_buf_clear(&((struct data_set *)array)->text);
}

static enum tfr_status add_cells(struct hdf5 *h, struct tfr_array *array,
	const struct tfr_hdf5_set *set, struct tfr_error *err)
{
	struct tfr_cells c = { .cell = (enum tfr_cell_type)set->cell, .size = set->cell_size };

	if (c.cell == TFR_CELL_TEXT)
		c.size = sizeof(struct tfr_bytes);
	tfr_cells_extend(&c, set->dims + 1, set->n_dims - 1, c.size);
	array->rows = set->dims[0];
	array->row_size = c.outer * c.size;
	array->unit = set->chunk_rows;
	TFR_NEED_MEMORY(tfr_arrays_add_cells(&h->a, array->name, &c), err, "reading arrays");
	return TFR_OK;
}

static enum tfr_status add_data_set(
	struct hdf5 *h, const char *name, uint64_t file_size, struct tfr_error *err)
{
	const char *path = h->helper.path;
	struct tfr_hdf5_set set;
	struct data_set *d;

	if (h->a.n == SETS_MOST)
		return tfr_fail_path(err, TFR_EDATA, path, "more than %d data sets in", SETS_MOST);
	d = tfr_arrays_add(&h->a, sizeof(*d), path);
	TFR_NEED_MEMORY(d, err, "reading arrays");
	d->number = (uint32_t)h->a.n - 1;
	d->array.name = strdup(name);
	TFR_NEED_MEMORY(d->array.name, err, "reading arrays");
	TFR_TRY(tfr_hdf5_open(&h->helper, name, &set, err));
	d->chunk_bytes = set.chunk_bytes;
	if (set.chunk_rows > 1 && set.chunk_bytes > h->a.memory)
		return tfr_fail(err, TFR_EDATA,
			"'%s' of '%s' is in chunks of %llu bytes, more than --memory allows", name,
			path, (unsigned long long)set.chunk_bytes);
	if (set.dims[0] > ROWS_FREE && set.dims[0] / file_size > PACKED_MOST)
		return tfr_fail(err, TFR_EDATA,
			"cannot read '%s' of '%s': it has more rows than the file can hold", name,
			path);
	return add_cells(h, &d->array, &set, err);
}

/* --- the file --- */

/* libhdf5 locks a file that h5py or another program has open for writing. */
static bool is_written(int fd)
{
	const char *use = getenv("HDF5_USE_FILE_LOCKING");

	if (use && (!strcmp(use, "FALSE") || !strcmp(use, "0")))
		return false;
	return flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

static enum tfr_status open_file(struct hdf5 *h, struct tfr_error *err)
{
	const char *path = h->helper.path;
	TFR_AUTO_CLOSE int fd = -1;
	char name[TFR_HDF5_NAME];
	enum tfr_status status;
	struct stat st;

	if (!strcmp(path, "-") || (!tfr_stat(path, &st) && !S_ISREG(st.st_mode)))
		return tfr_fail_path(
			err, TFR_EUSAGE, path, "HDF5 can be read from files only, not from");
	fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (fd < 0)
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (is_written(fd))
		return tfr_fail_path(err, TFR_EDATA, path, "another program is writing");
	if (fstat(fd, &st))
		return tfr_fail_errno(err, errno, path, "cannot access");
	status = tfr_hdf5_start(&h->helper, fd, err);
	while (!status) {
		status = tfr_hdf5_next(&h->helper, name, err);
		if (!status && tfr_arrays_wants(&h->a, name))
			status = add_data_set(
				h, name, st.st_size > 0 ? (uint64_t)st.st_size : 1, err);
	}
	return status == TFR_END ? TFR_OK : status;
}

static void close_hdf5(struct tfr_input *in)
{
	tfr_hdf5_stop(&((struct hdf5 *)in)->helper);
	tfr_arrays_close(in);
}

static enum tfr_status open_hdf5(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct hdf5 *h;

	if (!TFR_HAVE_HDF5) {
		tfr_fail_path(err, TFR_EUNAVAILABLE, opts->input.paths[0],
			"not built with libhdf5, which is needed to read");
		tfr_error_hint(err, "Convert the data to NumPy files, .npy or .npz.");
		return TFR_EUNAVAILABLE;
	}
	TFR_TRY(tfr_arrays_open(in, sizeof(*h), &tfr_input_hdf5, opts, err));
	h = (struct hdf5 *)*in;
	h->a.read = read_rows;
	h->a.release = release;
	h->helper = (struct tfr_hdf5_helper){ .path = opts->input.paths[0],
		.memory = h->a.memory,
		.any_order = opts->order.shuffle,
		.no_sandbox = opts->input.no_sandbox,
		.socket = -1 };
	TFR_TRY(open_file(h, err));
	return tfr_arrays_ready(&h->a, err);
}

const struct tfr_input_ops tfr_input_hdf5 = {
	.name = "hdf5",
	.what = "an HDF5 file",
	.nothing = "no rows in",
	.refused = "not a usable row",
	.flags = TFR_INPUT_COLUMNS | TFR_INPUT_CHOOSES | TFR_INPUT_SANDBOX,
	.recognises = recognises,
	.open = open_hdf5,
	.next = tfr_arrays_next,
	.load = tfr_arrays_load,
	.close = close_hdf5,
};
