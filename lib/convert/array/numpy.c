/* convert/array/numpy.c - NPY files and NPZ archives: every array becomes a feature, every row a
 * record.
 *
 * The rows of an NPY file are read from the file in any order.  libarchive reads an archive as a
 * stream.  Each of its arrays has a reader of its own, so that rows of all arrays are read together
 * and none is unpacked.  This is not possible for rows in random order, and for arrays in Fortran
 * order, whose rows are spread over the array.  Such an array is unpacked when its first row is
 * needed, to a file without a name beside the output. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/suffix.h"
#include "convert/archive/members.h"
#include "convert/array/arrays.h"
#include "io/source.h"
#include "record/filetype.h"

enum {
	ARRAYS_MOST = 1000 /* of an archive, because each has a reader */,
	AT_ONCE = 1 << 20,
	NAME_ROOM = 4096
};

/* An array of a file or, if `member` is not NULL, of an archive that is read up to its rows. */
struct source {
	struct tfr_array array;
	int fd;		/* -1: none */
	uint64_t place; /* of the next byte of a header, then of the first row */
	struct tfr_archive *member;
	struct tfr_npy h;
};

/* Whether the rows are spread over the array. */
static bool is_scattered(const struct source *s)
{
	return s->h.fortran && s->h.n_dims > 1;
}

static void release(struct tfr_array *array)
{
	struct source *s = (struct source *)array;

	if (s->fd >= 0)
		close(s->fd);
	tfr_archive_close(s->member);
	tfr_npy_clear(&s->h);
}

static struct source *add_source(struct tfr_arrays *a, const char *path)
{
	struct source *s = tfr_arrays_add(a, sizeof(*s), path);

	if (s)
		s->fd = -1;
	return s;
}

static bool is_zip(const uint8_t *head, size_t size)
{
	return size >= 4 && (!memcmp(head, "PK\x03\x04", 4) || !memcmp(head, "PK\x05\x06", 4));
}

/* A zip archive whose first member is an array, or with the extension of an NPZ. */
static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	const uint8_t *h = offer->head;
	size_t name;

	(void)opts;
	if (tfr_npy_recognises(h, offer->head_size))
		return true;
	if (!is_zip(h, offer->head_size))
		return false;
	if (tfr_has_suffix(offer->path, ".npz"))
		return true;
	if (offer->head_size < 30)
		return false;
	/* The local header of the first member ends in its name (APPNOTE.TXT, 4.3.7). */
	name = (size_t)h[26] | (size_t)h[27] << 8;
	return name > 4 && 30 + name <= offer->head_size && !memcmp(h + 30 + name - 4, ".npy", 4);
}

/* --- rows --- */

static enum tfr_status cut_short(const struct source *s, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "'%s' of '%s' is truncated", s->array.name, s->array.path);
}

static enum tfr_status read_at(
	const struct source *s, uint8_t *into, size_t size, uint64_t place, struct tfr_error *err)
{
	ssize_t n = tfr_fd_read(s->fd, into, size, (int64_t)place);

	if (n < 0)
		return tfr_fail_errno(err, errno, s->array.path, "cannot read");
	return (size_t)n < size ? cut_short(s, err) : TFR_OK;
}

/* Reads rows of an array in Fortran order: reads a run for each place of their elements, and
 * stores its elements apart.  From place to place the first dimension of a row changes fastest. */
static enum tfr_status read_fortran(const struct source *s, uint64_t first, uint64_t count,
	uint8_t *into, struct tfr_error *err)
{
	const struct tfr_npy *h = &s->h;
	size_t element = h->element, row_size = s->array.row_size;
	TFR_AUTO_FREE uint8_t *run = malloc((size_t)count * element);

	TFR_NEED_MEMORY(run, err, "reading arrays");
	for (size_t q = 0; q < row_size / element; q++) {
		size_t to = 0, rest = q;

		for (unsigned d = 1; d < h->n_dims; rest /= h->dims[d++])
			to = to * h->dims[d] + rest % h->dims[d];
		TFR_TRY(read_at(s, run, (size_t)count * element,
			s->place + (q * s->array.rows + first) * element, err));
		for (uint64_t k = 0; k < count; k++)
			memcpy(into + k * row_size + to * element, run + k * element, element);
	}
	return TFR_OK;
}

/* Reads on in the member, directly into the caller's memory.  After the last rows, checks that
 * nothing follows, and with that the checksum. */
static enum tfr_status read_member(
	const struct source *s, uint8_t *into, size_t size, bool last, struct tfr_error *err)
{
	struct tfr_buf rows = { into, 0, size };
	TFR_AUTO_BUF more = { 0 };

	TFR_TRY(tfr_archive_read(s->member, &rows, size, err));
	if (last && rows.size == size && !s->member->fault[0])
		TFR_TRY(tfr_archive_read(s->member, &more, 1, err));
	if (s->member->fault[0])
		return tfr_fail(err, TFR_EDATA, "'%s' of '%s' is %s", s->array.name, s->array.path,
			s->member->fault);
	if (rows.size < size)
		return cut_short(s, err);
	if (more.size)
		return tfr_fail(err, TFR_EDATA, "'%s' of '%s' has trailing bytes after its rows",
			s->array.name, s->array.path);
	return TFR_OK;
}

static enum tfr_status unpack(
	const struct tfr_convert_opts *opts, struct source *s, struct tfr_error *err)
{
	uint64_t left = s->array.rows * s->array.row_size;
	TFR_AUTO_FREE uint8_t *block = malloc(AT_ONCE);

	TFR_NEED_MEMORY(block, err, "reading arrays");
	TFR_TRY(tfr_unpacked_open(opts, &s->fd, err));
	while (left) {
		size_t n = left < AT_ONCE ? (size_t)left : AT_ONCE;

		left -= n;
		TFR_TRY(read_member(s, block, n, !left, err));
		TFR_TRY(tfr_unpacked_write(opts, s->fd, block, n, err));
	}
	tfr_archive_close(TFR_STEAL(s->member));
	s->place = 0;
	return TFR_OK;
}

static enum tfr_status read_rows(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
	uint64_t count, struct tfr_error *err)
{
	struct source *s = (struct source *)array;
	uint64_t run = a->order ? 1 : count;

	if (s->member && (a->in.items != TFR_STREAM || is_scattered(s)))
		TFR_TRY(unpack(a->in.opts, s, err));
	if (s->member)
		return read_member(s, array->block, (size_t)count * array->row_size,
			first + count == array->rows, err);
	for (uint64_t k = 0; k < count; k += run) {
		uint64_t row = a->order ? a->order[first + k] : first;
		uint8_t *into = array->block + k * array->row_size;

		TFR_TRY(is_scattered(s) ? read_fortran(s, row, run, into, err)
					: read_at(s, into, (size_t)run * array->row_size,
						  s->place + row * array->row_size, err));
	}
	return TFR_OK;
}

/* --- headers --- */

/* Appends up to `size` of the next bytes of the array's file. */
static enum tfr_status read_head(
	struct source *s, struct tfr_buf *head, size_t size, struct tfr_error *err)
{
	ssize_t n;

	if (s->member) {
		TFR_TRY(tfr_archive_read(s->member, head, size, err));
		return s->member->fault[0] ? tfr_fail(err, TFR_EDATA, "%s", s->member->fault)
					   : TFR_OK;
	}
	TFR_NEED_MEMORY(tfr_buf_reserve(head, size), err, "reading arrays");
	n = tfr_fd_read(s->fd, head->data + head->size, size, (int64_t)s->place);
	if (n < 0)
		return tfr_fail_errno(err, errno, s->array.path, "cannot read");
	head->size += (size_t)n;
	s->place += (size_t)n;
	return TFR_OK;
}

/* The shortest header that can be parsed has TFR_NPY_START bytes, so that no row is read with it.
 */
static enum tfr_status read_header(struct source *s, struct tfr_error *err)
{
	TFR_AUTO_BUF head = { 0 };
	size_t all;

	TFR_TRY(read_head(s, &head, TFR_NPY_START, err));
	TFR_TRY(tfr_npy_start(head.data, head.size, &all, err));
	if (all > head.size)
		TFR_TRY(read_head(s, &head, all - head.size, err));
	return tfr_npy_parse(&s->h, head.data, all < head.size ? all : head.size, err);
}

/* Checks the bytes of a row, within the 2 GiB of a record, and the values that have no bytes. */
static enum tfr_status measure_rows(struct source *s, struct tfr_error *err)
{
	uint64_t bytes = tfr_dims_product(s->h.element, s->h.dims + 1, s->h.n_dims - 1);
	bool large = bytes > TFR_ITEM_MOST;

	for (size_t i = 0; i < s->h.n_fields; i++) {
		const struct tfr_cells *f = &s->h.fields[i];

		large = large || tfr_dims_product(1, f->shape, f->dims) > TFR_ITEM_MOST;
	}
	if (!bytes || large)
		return tfr_fail(err, TFR_EDATA,
			bytes ? "a row is larger than 2 GiB, the limit of an Example"
			      : "its rows are empty");
	s->array.rows = s->h.dims[0];
	s->array.row_size = (size_t)bytes;
	return TFR_OK;
}

/* Checks that the file of `size` bytes holds the rows that its header claims. */
static enum tfr_status check_size(const struct source *s, uint64_t size, struct tfr_error *err)
{
	uint64_t left = size - s->place, rows = left / s->array.row_size;

	if (rows < s->array.rows)
		return tfr_fail(err, TFR_EDATA,
			"it is truncated: its header has %llu rows, the file %llu",
			(unsigned long long)s->array.rows, (unsigned long long)rows);
	left -= s->array.rows * s->array.row_size;
	return left ? tfr_fail(err, TFR_EDATA, "it has %llu trailing bytes after its rows",
			      (unsigned long long)left)
		    : TFR_OK;
}

static enum tfr_status bad_header(
	const struct source *s, const struct tfr_error *why, struct tfr_error *err)
{
	if (why->status != TFR_EDATA)
		return tfr_error_pass(why, err);
	return tfr_fail_hint(err, TFR_EDATA, "Use --exclude with its name to leave an array out.",
		"cannot make features of '%s' of '%s': %s", s->array.name, s->array.path,
		why->message);
}

/* Fields of a single file are features with their own names. */
static enum tfr_status add_fields(
	struct tfr_arrays *a, const struct source *s, bool alone, struct tfr_error *err)
{
	for (size_t i = 0; i < s->h.n_fields; i++) {
		const struct tfr_cells *f = &s->h.fields[i];
		TFR_AUTO_FREE char *full = NULL;

		if (!f->inner)
			continue;
		if (f->name && !alone) {
			full = tfr_asprintf("%s/%s", s->array.name, f->name);
			TFR_NEED_MEMORY(full, err, "reading arrays");
		}
		TFR_NEED_MEMORY(tfr_arrays_add_cells(a, full ?: f->name ?: s->array.name, f), err,
			"reading arrays");
	}
	return TFR_OK;
}

/* --- NPY --- */

/* Reads the header of the file of `size` bytes.  The name of "data/x_train.npy" is "x_train". */
static enum tfr_status add_file(
	struct tfr_arrays *a, struct source *s, uint64_t size, struct tfr_error *err)
{
	const char *base = tfr_base_name(s->array.path);
	size_t n = strlen(base);
	struct tfr_error why = { 0 };
	enum tfr_status status;

	s->array.name = strndup(base, n > 4 && tfr_has_suffix(base, ".npy") ? n - 4 : n);
	TFR_NEED_MEMORY(s->array.name, err, "reading arrays");
	if (!tfr_arrays_wants(a, s->array.name)) {
		tfr_arrays_drop(a);
		return TFR_OK;
	}
	status = read_header(s, &why);
	if (!status)
		status = measure_rows(s, &why);
	if (!status)
		status = check_size(s, size, &why);
	return status ? bad_header(s, &why, err)
		      : add_fields(a, s, a->in.opts->input.count == 1, err);
}

/* --- NPZ --- */

/* Whether a part of a path begins with a dot, such as the files that macOS adds to archives. */
static bool is_hidden(const char *path)
{
	for (; *path; path += strcspn(path, "/"), path += *path == '/')
		if (*path == '.' && path[1] != '/' && strncmp(path, "../", 3))
			return true;
	return false;
}

static bool is_array(const struct tfr_member *member)
{
	size_t n = strlen(member->path);

	return member->kind == TFR_MEMBER_FILE && n > 4 && n - 4 < NAME_ROOM &&
	       tfr_has_suffix(member->path, ".npy") && !is_hidden(member->path);
}

/* Opens the archive at the first wanted array after `skip` members, "x" for "x.npy".  TFR_END:
 * none. */
static enum tfr_status open_member(
	const struct tfr_arrays *a, struct source *s, size_t *skip, struct tfr_error *err)
{
	struct tfr_member member;
	size_t at = 0;

	TFR_TRY(tfr_archive_open(&s->member, s->array.path, err));
	for (;;) {
		TFR_TRY(tfr_archive_next(s->member, &member, err));
		if (at++ < *skip)
			continue;
		*skip = at;
		if (!is_array(&member))
			continue;
		free(s->array.name);
		s->array.name = strndup(member.path, strlen(member.path) - 4);
		TFR_NEED_MEMORY(s->array.name, err, "reading arrays");
		if (tfr_arrays_wants(a, s->array.name))
			return member.fault ? tfr_fail(err, TFR_EDATA, "'%s' of '%s' is %s",
						      s->array.name, s->array.path, member.fault)
					    : TFR_OK;
	}
}

static enum tfr_status add_members(struct tfr_arrays *a, const char *path, struct tfr_error *err)
{
	size_t skip = 0;

	if (!a->in.opts->order.shuffle)
		a->in.items = TFR_STREAM;
	for (;;) {
		struct source *s = add_source(a, path);
		struct tfr_error why = { 0 };
		enum tfr_status status;

		TFR_NEED_MEMORY(s, err, "reading arrays");
		status = open_member(a, s, &skip, err);
		if (status == TFR_END)
			tfr_arrays_drop(a);
		if (status)
			return status == TFR_END ? TFR_OK : status;
		status = read_header(s, &why);
		if (s->h.single) {
			/* A single number beside arrays of rows, such as a count or a version,
			 * belongs to no row. */
			tfr_warn(a->in.opts,
				"'%.2000s' of '%.2000s' is left out: it is a single value, without "
				"rows",
				s->array.name, path);
			tfr_arrays_drop(a);
			continue;
		}
		if (status)
			return bad_header(s, &why, err);
		if (a->n > ARRAYS_MOST)
			return tfr_fail_path(
				err, TFR_EDATA, path, "more than %d arrays in", ARRAYS_MOST);
		TFR_TRY(measure_rows(s, err));
		TFR_TRY(add_fields(a, s, false, err));
	}
}

/* --- all arrays --- */

static enum tfr_status another_file(
	const char *path, const uint8_t *head, size_t size, struct tfr_error *err)
{
	const char *hint, *name = tfr_filetype_name(head, size, &hint);

	tfr_fail_path(err, TFR_EDATA, path, "neither an NPY file nor an NPZ archive, but %s:",
		size ? name ?: "another file" : "an empty file");
	if (hint)
		tfr_error_hint(err, "%s", hint);
	return TFR_EDATA;
}

static enum tfr_status add_input(struct tfr_arrays *a, const char *path, struct tfr_error *err)
{
	struct source *s;
	uint8_t head[512];
	struct stat st;
	ssize_t got;

	if (!strcmp(path, "-"))
		return tfr_fail(
			err, TFR_EUSAGE, "arrays can be read from files only, not from standard input");
	s = add_source(a, path);
	TFR_NEED_MEMORY(s, err, "reading arrays");
	s->fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	if (s->fd < 0)
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (fstat(s->fd, &st))
		return tfr_fail_errno(err, errno, path, "cannot read");
	if (!S_ISREG(st.st_mode))
		return tfr_fail_path(
			err, TFR_EUSAGE, path, "arrays can be read from files only, not from");
	got = tfr_fd_read(s->fd, head, sizeof(head), 0);
	if (got < 0)
		return tfr_fail_errno(err, errno, path, "cannot read");
	if (is_zip(head, (size_t)got)) {
		tfr_arrays_drop(a);
		return add_members(a, path, err);
	}
	return tfr_npy_recognises(head, (size_t)got) ? add_file(a, s, (uint64_t)st.st_size, err)
						     : another_file(path, head, (size_t)got, err);
}

static enum tfr_status open_numpy(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_arrays *a;

	TFR_TRY(tfr_arrays_open(in, sizeof(*a), &tfr_input_npy, opts, err));
	a = (struct tfr_arrays *)*in;
	a->read = read_rows;
	a->release = release;
	for (size_t i = 0; i < opts->input.count; i++)
		TFR_TRY(add_input(a, opts->input.paths[i], err));
	return tfr_arrays_ready(a, err);
}

const struct tfr_input_ops tfr_input_npy = {
	.name = "npy",
	.what = "a NumPy file",
	.nothing = "no rows in",
	.refused = "not a usable row",
	.flags = TFR_INPUT_SEVERAL | TFR_INPUT_COLUMNS | TFR_INPUT_CHOOSES | TFR_INPUT_TMPDIR,
	.recognises = recognises,
	.open = open_numpy,
	.next = tfr_arrays_next,
	.load = tfr_arrays_load,
	.close = tfr_arrays_close,
};
