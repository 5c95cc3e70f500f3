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

#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"
#include "convert/archive/members.h"
#include "convert/array/arrays.h"
#include "convert/array/npy.h"
#include "io/source.h"
#include "io/temporaries.h"
#include "record/filetype.h"

enum { ARRAYS_MOST = 1000 /* of an archive, because each has a reader */, AT_ONCE = 1 << 20 };

/* The source of an array: one of the two. */
struct source {
	int fd;			    /* -1: none */
	struct tfr_archive *member; /* positioned at the array; NULL: none */
	struct tfr_buf ahead;	    /* of a member: read and not used yet */
	uint64_t place;		    /* of its first row in the file */
	struct tfr_npy h;
};

/* Whether the rows are spread over the array. */
static bool is_scattered(const struct source *o)
{
	return o->h.fortran && o->h.n_dims > 1;
}

static void release(void *own)
{
	struct source *o = own;

	if (o->fd >= 0)
		close(o->fd);
	tfr_archive_close(o->member);
	tfr_buf_clear(&o->ahead);
	tfr_npy_clear(&o->h);
	free(o);
}

static void release_unused(struct source **o)
{
	if (*o)
		release(*o);
}

/* A source that no array has taken is released when its scope ends. */
#define AUTO_SOURCE __attribute__((cleanup(release_unused)))

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

/* --- rows of a file --- */

static enum tfr_status cut_short(const struct tfr_array *array, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "'%s' of '%s' is truncated", array->name, array->path);
}

static enum tfr_status pread_all(
	struct tfr_array *array, uint8_t *into, size_t size, uint64_t place, struct tfr_error *err)
{
	const struct source *o = array->own;
	ssize_t n = tfr_fd_read(o->fd, into, size, (int64_t)place);

	if (n < 0)
		return tfr_fail_errno(err, errno, array->path, "cannot read");
	return (size_t)n < size ? cut_short(array, err) : TFR_OK;
}

/* Reads rows of an array in Fortran order: reads a run for each place of their elements, and
 * stores its elements apart. */
static enum tfr_status read_fortran(struct tfr_array *array, uint64_t first, uint64_t count,
	uint8_t *into, struct tfr_error *err)
{
	const struct source *o = array->own;
	const struct tfr_npy *h = &o->h;
	size_t element = h->element, places = array->row_size / element;
	TFR_AUTO_FREE uint8_t *run = malloc((size_t)count * element);
	uint64_t at[TFR_CELL_DIMS] = { 0 };

	TFR_NEED_MEMORY(run, err, "reading arrays");
	for (size_t q = 0; q < places; q++) {
		size_t to = 0;

		for (unsigned d = 1; d < h->n_dims; d++)
			to = to * h->dims[d] + at[d];
		TFR_TRY(pread_all(array, run, (size_t)count * element,
			o->place + (q * array->rows + first) * element, err));
		for (uint64_t k = 0; k < count; k++)
			memcpy(into + k * array->row_size + to * element, run + k * element,
				element);
		for (unsigned d = 1; d < h->n_dims && ++at[d] == h->dims[d]; d++)
			at[d] = 0;
	}
	return TFR_OK;
}

/* --- rows of a member --- */

/* Bytes of the array, from the position of its reader. */
static enum tfr_status read_on(
	struct tfr_array *array, uint8_t *into, size_t size, size_t *got, struct tfr_error *err)
{
	struct source *o = array->own;
	struct tfr_buf rest = { 0 };
	size_t n = o->ahead.size < size ? o->ahead.size : size;

	if (n) {
		memcpy(into, o->ahead.data, n);
		memmove(o->ahead.data, o->ahead.data + n, o->ahead.size - n);
		o->ahead.size -= n;
	}
	*got = n;
	if (n == size)
		return TFR_OK;
	/* Reads directly into the caller's memory. */
	rest = (struct tfr_buf){ into + n, 0, size - n };
	TFR_TRY(tfr_archive_read(o->member, &rest, size - n, err));
	*got += rest.size;
	if (o->member->fault[0])
		return tfr_fail(err, TFR_EDATA, "'%s' of '%s' is %s", array->name, array->path,
			o->member->fault);
	return TFR_OK;
}

/* Checks that nothing follows the array, and that its checksum is right. */
static enum tfr_status check_end(struct tfr_array *array, struct tfr_error *err)
{
	uint8_t more;
	size_t got;

	TFR_TRY(read_on(array, &more, 1, &got, err));
	if (got)
		return tfr_fail(err, TFR_EDATA, "'%s' of '%s' has trailing bytes after its rows",
			array->name, array->path);
	return TFR_OK;
}

static enum tfr_status read_member(
	struct tfr_array *array, uint8_t *into, size_t size, bool last, struct tfr_error *err)
{
	size_t got;

	TFR_TRY(read_on(array, into, size, &got, err));
	if (got < size)
		return cut_short(array, err);
	return last ? check_end(array, err) : TFR_OK;
}

static enum tfr_status unpack(
	const struct tfr_convert_opts *opts, struct tfr_array *array, struct tfr_error *err)
{
	struct source *o = array->own;
	uint64_t left = array->rows * array->row_size;
	TFR_AUTO_FREE uint8_t *block = malloc(AT_ONCE);
	enum tfr_status status = TFR_OK;

	TFR_NEED_MEMORY(block, err, "reading arrays");
	TFR_TRY(tfr_unpacked_open(opts, &o->fd, err));
	while (!status && left) {
		size_t n = left < AT_ONCE ? (size_t)left : AT_ONCE;

		left -= n;
		status = read_member(array, block, n, !left, err);
		if (!status)
			status = tfr_unpacked_write(opts, o->fd, block, n, err);
	}
	tfr_archive_close(TFR_STEAL(o->member));
	o->place = 0;
	return status;
}

static enum tfr_status read_rows(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
	uint64_t count, uint8_t *into, struct tfr_error *err)
{
	const struct source *o = array->own;
	size_t size = (size_t)count * array->row_size;

	if (o->member && (a->in.items != TFR_STREAM || is_scattered(o)))
		TFR_TRY(unpack(a->in.opts, array, err));
	if (!o->member && is_scattered(o))
		return read_fortran(array, first, count, into, err);
	if (!o->member)
		return pread_all(array, into, size, o->place + first * array->row_size, err);
	return read_member(array, into, size, first + count == array->rows, err);
}

/* --- its cells --- */

static enum tfr_status bad_header(
	const char *name, const char *path, const struct tfr_error *why, struct tfr_error *err)
{
	if (why->status != TFR_EDATA)
		return tfr_error_pass(why, err);
	return tfr_fail_hint(err, TFR_EDATA, "Use --exclude with its name to leave an array out.",
		"cannot make features of '%s' of '%s': %s", name, path, why->message);
}

/* Computes the bytes of a row, within the 2 GiB of a record. */
static enum tfr_status measure_row(const struct tfr_npy *h, size_t *size, struct tfr_error *err)
{
	uint64_t bytes = h->element;

	for (unsigned d = 1; d < h->n_dims; d++)
		if (__builtin_mul_overflow(bytes, h->dims[d], &bytes))
			bytes = UINT64_MAX;
	if (!bytes || bytes > TFR_ITEM_MOST)
		return tfr_fail(err, TFR_EDATA,
			bytes ? "a row is larger than 2 GiB, the limit of an Example"
			      : "its rows are empty");
	*size = (size_t)bytes;
	return TFR_OK;
}

/* Makes the cells of a field: in each element of a row, as many as the field's own shape has. */
static struct tfr_cells cells_of(const struct tfr_npy *h, const struct tfr_npy_field *f)
{
	struct tfr_cells c = { .cell = f->cell,
		.size = f->size,
		.swapped = f->swapped,
		.at = f->at,
		.outer = 1,
		.stride = h->element,
		.inner = 1 };

	for (unsigned d = 1; d < h->n_dims; d++) {
		c.outer *= h->dims[d];
		c.shape[c.dims++] = (int64_t)h->dims[d];
	}
	for (unsigned d = 0; d < f->n_dims && c.dims < TFR_CELL_DIMS; d++) {
		c.inner *= f->dims[d];
		c.shape[c.dims++] = (int64_t)f->dims[d];
	}
	return c;
}

/* Adds the cells of the last array.  Fields of a single file are features with their own names. */
static enum tfr_status add_fields(struct tfr_arrays *a, const char *name, const struct tfr_npy *h,
	bool alone, struct tfr_error *err)
{
	const struct tfr_npy_field *f = tfr_npy_fields(h);

	for (size_t i = 0; i < tfr_npy_field_count(h); i++) {
		struct tfr_cells c = cells_of(h, &f[i]);
		const char *field = (const char *)h->names.data + f[i].name;
		TFR_AUTO_FREE char *full = NULL;

		if (!c.inner)
			continue;
		if (h->structured)
			full = tfr_asprintf("%s/%s", name, field);
		if ((h->structured && !full) || !tfr_arrays_add_cells(a,
							!h->structured ? name
							: alone	       ? field
								       : full,
							&c))
			return tfr_fail_nomem(err, "reading arrays");
	}
	return TFR_OK;
}

static enum tfr_status add_array(struct tfr_arrays *a, const char *name, const char *path,
	struct source *o, bool alone, struct tfr_error *err)
{
	AUTO_SOURCE struct source *own = o;
	struct tfr_array *array;
	size_t row_size = 0;

	TFR_TRY(measure_row(&o->h, &row_size, err));
	array = tfr_arrays_add(a, name, path, o->h.dims[0], row_size);
	TFR_NEED_MEMORY(array, err, "reading arrays");
	array->own = TFR_STEAL(own);
	return add_fields(a, name, &o->h, alone, err);
}

/* --- NPY --- */

static enum tfr_status read_header(
	struct source *o, const char *path, uint64_t size, struct tfr_error *err)
{
	TFR_AUTO_BUF head = { 0 };
	struct tfr_array file = { .name = (char *)(uintptr_t)path, .path = path, .own = o };
	size_t n = size < TFR_NPY_START ? (size_t)size : TFR_NPY_START, whole;

	TFR_NEED_MEMORY(tfr_buf_reserve(&head, TFR_NPY_START), err, "reading arrays");
	TFR_TRY(pread_all(&file, head.data, n, 0, err));
	TFR_TRY(tfr_npy_start(head.data, n, &whole, err));
	if (whole > size)
		return tfr_fail(err, TFR_EDATA, "its header is truncated");
	TFR_NEED_MEMORY(tfr_buf_reserve(&head, whole), err, "reading arrays");
	TFR_TRY(pread_all(&file, head.data, whole, 0, err));
	o->place = whole;
	return tfr_npy_parse(&o->h, head.data, whole, err);
}

/* Checks that the file holds the rows that its header claims. */
static enum tfr_status check_size(const struct source *o, uint64_t size, struct tfr_error *err)
{
	size_t row = 0;
	uint64_t left = size - o->place;

	TFR_TRY(measure_row(&o->h, &row, err));
	if (left / row < o->h.dims[0])
		return tfr_fail(err, TFR_EDATA,
			"it is truncated: its header has %llu rows, the file %llu",
			(unsigned long long)o->h.dims[0], (unsigned long long)(left / row));
	if (left != o->h.dims[0] * row)
		return tfr_fail(err, TFR_EDATA, "it has %llu trailing bytes after its rows",
			(unsigned long long)(left - o->h.dims[0] * row));
	return TFR_OK;
}

/* "x_train" of "data/x_train.npy". */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);

	return strndup(base, n > 4 && !strcmp(base + n - 4, ".npy") ? n - 4 : n);
}

static enum tfr_status open_file(
	struct tfr_arrays *a, int fd, const char *path, uint64_t size, struct tfr_error *err)
{
	AUTO_SOURCE struct source *o = calloc(1, sizeof(*o));
	TFR_AUTO_FREE char *stem = stem_of(path);
	struct tfr_error why = { 0 };
	enum tfr_status status;

	if (o)
		o->fd = fd;
	else
		close(fd);
	if (!o || !stem)
		return tfr_fail_nomem(err, "reading arrays");
	if (!tfr_arrays_wants(a->in.opts, stem))
		return TFR_OK;
	status = read_header(o, path, size, &why);
	if (!status)
		status = check_size(o, size, &why);
	return status ? bad_header(stem, path, &why, err)
		      : add_array(a, stem, path, TFR_STEAL(o), a->in.opts->input.count == 1, err);
}

/* --- NPZ --- */

/* Reads the header of the current member of o->member. */
static enum tfr_status read_member_header(struct source *o, struct tfr_error *err)
{
	size_t whole = TFR_NPY_START, known = 0;

	for (;;) {
		TFR_TRY(tfr_archive_read(o->member, &o->ahead, whole - o->ahead.size, err));
		if (o->member->fault[0])
			return tfr_fail(err, TFR_EDATA, "%s", o->member->fault);
		if (!known)
			TFR_TRY(tfr_npy_start(o->ahead.data, o->ahead.size, &whole, err));
		if (known && o->ahead.size < whole)
			return tfr_fail(err, TFR_EDATA, "its header is truncated");
		if (known || o->ahead.size >= whole)
			break;
		known = whole;
	}
	TFR_TRY(tfr_npy_parse(&o->h, o->ahead.data, whole, err));
	o->ahead.size -= whole;
	memmove(o->ahead.data, o->ahead.data + whole, o->ahead.size);
	return TFR_OK;
}

/* Whether a part of a path begins with a dot, such as the files that macOS adds to archives. */
static bool is_hidden(const char *path)
{
	for (; *path; path += strcspn(path, "/"), path += *path == '/')
		if (*path == '.' && path[1] != '/' && strncmp(path, "../", 3))
			return true;
	return false;
}

/* Whether a member is a wanted array, and its name: "x" for "x.npy". */
static bool takes(
	const struct tfr_arrays *a, const struct tfr_member *member, char *name, size_t room)
{
	size_t n = strlen(member->path);

	if (member->kind != TFR_MEMBER_FILE || n <= 4 || n - 4 >= room ||
		strcmp(member->path + n - 4, ".npy") || is_hidden(member->path))
		return false;
	memcpy(name, member->path, n - 4);
	name[n - 4] = '\0';
	return tfr_arrays_wants(a->in.opts, name);
}

/* Opens the archive at the first wanted array after the `skip`th member.  TFR_END: none. */
static enum tfr_status open_member(struct tfr_arrays *a, const char *path, size_t *skip,
	struct source *o, char *name, size_t room, struct tfr_error *err)
{
	struct tfr_member member;
	size_t at = 0;
	enum tfr_status status = tfr_archive_open(&o->member, path, err);

	while (!status) {
		status = tfr_archive_next(o->member, &member, err);
		if (status)
			break;
		if (at++ < *skip)
			continue;
		*skip = at;
		if (!takes(a, &member, name, room))
			continue;
		return member.fault ? tfr_fail(err, TFR_EDATA, "'%s' of '%s' is %s", name, path,
					      member.fault)
				    : TFR_OK;
	}
	return status;
}

/* A single number beside arrays of rows, such as a count or a version, belongs to no row. */
static void leave_out(const struct tfr_arrays *a, const char *name, const char *path)
{
	tfr_warn(a->in.opts,
		"'%.2000s' of '%.2000s' is left out: it is a single value, without rows", name,
		path);
}

static enum tfr_status open_archive(struct tfr_arrays *a, const char *path, struct tfr_error *err)
{
	size_t skip = 0;
	char name[4096];

	if (!a->in.opts->order.shuffle)
		a->in.items = TFR_STREAM;
	for (;;) {
		AUTO_SOURCE struct source *o = calloc(1, sizeof(*o));
		struct tfr_error why = { 0 };
		enum tfr_status status;

		TFR_NEED_MEMORY(o, err, "reading arrays");
		o->fd = -1;
		status = open_member(a, path, &skip, o, name, sizeof(name), err);
		if (status)
			return status == TFR_END ? TFR_OK : status;
		status = read_member_header(o, &why);
		if (status && o->h.single) {
			leave_out(a, name, path);
			continue;
		}
		if (status)
			return bad_header(name, path, &why, err);
		if (a->n == ARRAYS_MOST)
			return tfr_fail_path(
				err, TFR_EDATA, path, "more than %d arrays in", ARRAYS_MOST);
		TFR_TRY(add_array(a, name, path, TFR_STEAL(o), false, err));
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

static enum tfr_status open_input(struct tfr_arrays *a, const char *path, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int fd = -1;
	int taken;
	uint8_t head[512];
	struct stat st;
	ssize_t got;

	if (!strcmp(path, "-"))
		return tfr_fail(
			err, TFR_EUSAGE, "arrays can be read from files only, not from standard input");
	fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	if (fd < 0)
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (fstat(fd, &st))
		return tfr_fail_errno(err, errno, path, "cannot read");
	if (!S_ISREG(st.st_mode))
		return tfr_fail_path(
			err, TFR_EUSAGE, path, "arrays can be read from files only, not from");
	got = tfr_fd_read(fd, head, sizeof(head), 0);
	if (got < 0)
		return tfr_fail_errno(err, errno, path, "cannot read");
	if (is_zip(head, (size_t)got))
		return open_archive(a, path, err);
	if (!tfr_npy_recognises(head, (size_t)got))
		return another_file(path, head, (size_t)got, err);
	taken = fd;
	fd = -1;
	return open_file(a, taken, path, (uint64_t)st.st_size, err);
}

static void close_numpy(struct tfr_input *in)
{
	tfr_arrays_clear((struct tfr_arrays *)in);
	free(in);
}

static enum tfr_status open_numpy(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_arrays *a = calloc(1, sizeof(*a));

	TFR_NEED_MEMORY(a, err, "reading arrays");
	*in = &a->in;
	a->in = (struct tfr_input){ .ops = &tfr_input_npy, .opts = opts };
	a->read = read_rows;
	a->release = release;
	TFR_TRY(tfr_arrays_check(opts, err));
	for (size_t i = 0; i < opts->input.count; i++)
		TFR_TRY(open_input(a, opts->input.paths[i], err));
	return tfr_arrays_ready(a, err);
}

const struct tfr_input_ops tfr_input_npy = {
	.name = "npy",
	.what = "a NumPy file",
	.nothing = "no rows in",
	.refused = "not a usable row",
	.several = true,
	.columns = true,
	.arrays = true,
	.recognises = recognises,
	.open = open_numpy,
	.next = tfr_arrays_next,
	.load = tfr_arrays_load,
	.close = close_numpy,
};
