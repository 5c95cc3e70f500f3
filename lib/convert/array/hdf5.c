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
#include "convert/array/hdf5_helper.h"
#include "io/source.h"

enum { SETS_MOST = 1000, MEMORY = 256 << 20, USER_BLOCK_MOST = 1 << 20, CHUNKS_MOST = 240 << 20 };

/* The helper refuses rows that are only claimed.  This limit holds even if the helper is taken
 * over: so many rows per byte of the file, beyond the first million. */
enum { ROWS_FREE = 1 << 20, PACKED_MOST = 4096 };

static const char signature[] = "\x89HDF\r\n\x1a\n";

/* A data set. */
struct data_set {
	uint32_t number; /* in the helper */
	struct tfr_hdf5_set is;
	struct tfr_buf text; /* of the block in memory */
};

/* Rows that were requested from the helper. */
struct asked {
	struct tfr_array *array; /* NULL: none */
	const uint32_t *order;	 /* NULL: the order of the file; else `first` is a position in it */
	uint64_t first, count;
};

struct hdf5 {
	struct tfr_arrays a;
	const char *path;
	uint64_t size; /* bytes of the file, at least 1 */
	struct tfr_hdf5_helper helper;
	struct asked ahead;
};

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

/* A user block, such as MATLAB's text, has 512 bytes or a doubling of that (H5Pset_userblock).
 * An HDF5 file in a tar archive begins there, too. */
static bool follows_user_block(const struct tfr_offer *offer)
{
	TFR_AUTO_CLOSE int fd = -1;
	uint8_t head[8];

	if (offer->head_size < 512 ||
		(tfr_tar_recognises(offer->head, offer->head_size) && !is_zero(offer->head, 512)))
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

static uint64_t memory_of(const struct hdf5 *h)
{
	return h->a.in.opts->run.memory ? h->a.in.opts->run.memory : MEMORY;
}

static void ask(struct hdf5 *h, const struct asked *rows)
{
	const struct data_set *d = rows->array->own;
	uint64_t bytes = rows->count * rows->array->row_size, chunks;

	/* Limits the work that false sizes of chunks can cause. */
	if (__builtin_mul_overflow(rows->order ? rows->count : 1, d->is.chunk_bytes, &chunks) ||
		chunks > CHUNKS_MOST)
		chunks = CHUNKS_MOST;
	tfr_hdf5_ask(&h->helper, d->number, rows->first, rows->count,
		rows->order ? rows->order + rows->first : NULL, bytes + chunks);
}

/* `into` NULL: drops the rows. */
static enum tfr_status receive(
	struct hdf5 *h, const struct asked *rows, uint8_t *into, struct tfr_error *err)
{
	struct data_set *d = rows->array->own;
	size_t size = (size_t)rows->count * rows->array->row_size;

	if (d->is.cell != TFR_CELL_TEXT)
		return tfr_hdf5_rows(&h->helper, rows->array->name, into, size, err);
	return tfr_hdf5_texts(&h->helper, rows->array->name, into, size / sizeof(struct tfr_bytes),
		&d->text, err);
}

/* Finds the next block after `now`: that of the array whose block ends first. */
static struct asked wanted_next(struct hdf5 *h, const struct asked *now)
{
	struct asked next = { .order = now->order, .first = h->a.rows };

	for (size_t i = 0; i < h->a.n; i++) {
		struct tfr_array *array = &h->a.arrays[i];
		uint64_t end =
			array == now->array ? now->first + now->count : array->first + array->count;

		if (end < next.first)
			next = (struct asked){ array, now->order, end, 0 };
	}
	if (next.array)
		next.count = next.array->most < h->a.rows - next.first ? next.array->most
								       : h->a.rows - next.first;
	return next;
}

static enum tfr_status read_rows(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
	uint64_t count, uint8_t *into, struct tfr_error *err)
{
	struct hdf5 *h = (struct hdf5 *)a;
	struct asked rows = { array, a->order, first, count }, ahead = h->ahead;

	h->ahead = (struct asked){ 0 };
	if (ahead.array != array || ahead.order != a->order || ahead.first != first ||
		ahead.count != count) {
		if (ahead.array)
			TFR_TRY(receive(h, &ahead, NULL, err));
		ask(h, &rows);
	}
	TFR_TRY(receive(h, &rows, into, err));
	h->ahead = wanted_next(h, &rows);
	if (h->ahead.array)
		ask(h, &h->ahead);
	return TFR_OK;
}

/* --- data sets --- */

static void release(void *own)
{
	struct data_set *d = own;

	tfr_buf_clear(&d->text);
	free(d);
}

static enum tfr_status add(
	struct hdf5 *h, struct data_set *d, const char *name, struct tfr_error *err)
{
	struct tfr_cells c = { .cell = (enum tfr_cell_type)d->is.cell,
		.size = d->is.cell == TFR_CELL_TEXT ? sizeof(struct tfr_bytes) : d->is.cell_size,
		.outer = 1,
		.inner = 1 };
	struct tfr_array *array;

	for (uint32_t i = 1; i < d->is.n_dims; i++) {
		c.inner *= (size_t)d->is.dims[i];
		c.shape[c.dims++] = (int64_t)d->is.dims[i];
	}
	c.stride = c.inner * c.size;
	array = tfr_arrays_add(&h->a, name, h->path, d->is.dims[0], c.stride);
	if (!array) {
		release(d);
		return tfr_fail_nomem(err, "reading arrays");
	}
	array->unit = d->is.chunk_rows;
	array->own = d;
	tfr_hdf5_allow_memory(&h->helper, 4 * (uint64_t)c.stride);
	TFR_NEED_MEMORY(tfr_arrays_add_cells(&h->a, name, &c), err, "reading arrays");
	return TFR_OK;
}

static enum tfr_status add_data_set(struct hdf5 *h, const char *name, struct tfr_error *err)
{
	TFR_AUTO_FREE struct data_set *d = NULL;

	if (h->a.n == SETS_MOST)
		return tfr_fail_path(
			err, TFR_EDATA, h->path, "more than %d data sets in", SETS_MOST);
	d = calloc(1, sizeof(*d));
	TFR_NEED_MEMORY(d, err, "reading arrays");
	d->number = (uint32_t)h->a.n;
	TFR_TRY(tfr_hdf5_open(&h->helper, name, &d->is, err));
	if (d->is.chunk_rows > 1 && d->is.chunk_bytes > memory_of(h))
		return tfr_fail(err, TFR_EDATA,
			"'%s' of '%s' is in chunks of %llu bytes, more than --memory allows", name,
			h->path, (unsigned long long)d->is.chunk_bytes);
	if (d->is.dims[0] > ROWS_FREE && d->is.dims[0] / h->size > PACKED_MOST)
		return tfr_fail(err, TFR_EDATA,
			"cannot read '%s' of '%s': it has more rows than the file can hold", name,
			h->path);
	return add(h, TFR_STEAL(d), name, err);
}

static enum tfr_status add_data_sets(struct hdf5 *h, struct tfr_error *err)
{
	char name[TFR_HDF5_NAME];
	enum tfr_status status;

	do {
		status = tfr_hdf5_next(&h->helper, name, err);
		if (!status && tfr_arrays_wants(h->a.in.opts, name))
			status = add_data_set(h, name, err);
	} while (!status);
	return status == TFR_END ? TFR_OK : status;
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
	const struct tfr_convert_opts *o = h->a.in.opts;
	TFR_AUTO_CLOSE int fd = -1;
	struct tfr_hdf5_start start = { .path = h->path,
		.memory = memory_of(h),
		.any_order = o->order.shuffle,
		.no_sandbox = o->input.no_sandbox };
	struct stat st;

	if (!strcmp(h->path, "-") || (!tfr_stat(h->path, &st) && !S_ISREG(st.st_mode)))
		return tfr_fail_path(
			err, TFR_EUSAGE, h->path, "HDF5 can be read from files only, not from");
	fd = TEMP_FAILURE_RETRY(open(h->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (fd < 0)
		return tfr_fail_errno(err, errno, h->path, "cannot open");
	if (is_written(fd))
		return tfr_fail_path(err, TFR_EDATA, h->path, "another program is writing");
	if (fstat(fd, &st))
		return tfr_fail_errno(err, errno, h->path, "cannot access");
	h->size = st.st_size > 0 ? (uint64_t)st.st_size : 1;
	start.file = fd;
	TFR_TRY(tfr_hdf5_start(&h->helper, &start, err));
	return add_data_sets(h, err);
}

static void close_hdf5(struct tfr_input *in)
{
	struct hdf5 *h = (struct hdf5 *)in;

	tfr_hdf5_stop(&h->helper);
	tfr_arrays_clear(&h->a);
	free(h);
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
	h = calloc(1, sizeof(*h));
	TFR_NEED_MEMORY(h, err, "reading arrays");
	*in = &h->a.in;
	h->a.in = (struct tfr_input){ .ops = &tfr_input_hdf5, .opts = opts };
	h->a.read = read_rows;
	h->a.reads_ordered = true;
	h->a.release = release;
	h->path = opts->input.paths[0];
	h->helper.socket = -1;
	TFR_TRY(tfr_arrays_check(opts, err));
	TFR_TRY(open_file(h, err));
	return tfr_arrays_ready(&h->a, err);
}

const struct tfr_input_ops tfr_input_hdf5 = {
	.name = "hdf5",
	.what = "an HDF5 file",
	.nothing = "no rows in",
	.refused = "not a usable row",
	.columns = true,
	.arrays = true,
	.recognises = recognises,
	.open = open_hdf5,
	.next = tfr_arrays_next,
	.load = tfr_arrays_load,
	.close = close_hdf5,
};
