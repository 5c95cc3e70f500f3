/* convert/array/npz.c - reads the arrays of an NPZ archive.
 *
 * libarchive reads it as a stream.  Each array has a reader of its own, so that rows of all arrays
 * are read together and none is unpacked.  This is not possible for rows in random order, and for
 * arrays in Fortran order, whose rows are spread over the array.  Such an array is unpacked when
 * its first row is needed, to a file without a name beside the output. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "convert/array/numpy.h"
#include "io/temporaries.h"

enum { ARRAYS_MOST = 1000 /* of an archive, because each has a reader */, AT_ONCE = 1 << 20 };

/* --- rows --- */

/* Bytes of the array, from the position of its reader. */
static enum tfr_status read_on(
	struct tfr_array *array, uint8_t *into, size_t size, size_t *got, struct tfr_error *err)
{
	struct tfr_numpy *o = array->own;
	struct tfr_buf rest = { 0 };
	enum tfr_status status;
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
	status = tfr_archive_read(o->member, &rest, size - n, err);
	*got += rest.size;
	if (!status && o->member->fault[0])
		status = tfr_fail(err, TFR_EDATA, "'%s' of '%s' is %s", array->name, array->path,
			o->member->fault);
	return status;
}

/* Checks that nothing follows the array, and that its checksum is right. */
static enum tfr_status check_end(struct tfr_array *array, struct tfr_error *err)
{
	uint8_t more;
	size_t got;
	enum tfr_status status = read_on(array, &more, 1, &got, err);

	if (!status && got)
		return tfr_fail(err, TFR_EDATA, "'%s' of '%s' has trailing bytes after its rows",
			array->name, array->path);
	return status;
}

enum tfr_status tfr_npz_read(
	struct tfr_array *array, uint8_t *into, size_t size, bool last, struct tfr_error *err)
{
	size_t got;
	enum tfr_status status = read_on(array, into, size, &got, err);

	if (!status && got < size)
		return tfr_numpy_cut_short(array, err);
	return status || !last ? status : check_end(array, err);
}

static enum tfr_status write_all(
	int fd, const uint8_t *data, size_t size, const char *folder, struct tfr_error *err)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tfr_fail_errno(
				err, errno, folder, "cannot write to a temporary file in");
		data += n;
		size -= (size_t)n;
	}
	return TFR_OK;
}

/* The folder of the first set, or --tmpdir's. */
static char *folder_of(const struct tfr_convert_opts *opts)
{
	const char *set = opts->targets[0].set, *slash = strrchr(set, '/');

	if (opts->tmpdir)
		return strdup(opts->tmpdir);
	return slash ? strndup(set, (size_t)(slash - set) + 1) : strdup(".");
}

enum tfr_status tfr_npz_unpack(
	const struct tfr_convert_opts *opts, struct tfr_array *array, struct tfr_error *err)
{
	struct tfr_numpy *o = array->own;
	uint64_t left = array->rows * array->row_size;
	TFR_AUTO_FREE uint8_t *block = malloc(AT_ONCE);
	TFR_AUTO_FREE char *folder = folder_of(opts);
	enum tfr_status status = TFR_OK;

	if (!block || !folder)
		return tfr_fail_nomem(err, "reading arrays");
	o->fd = tfr_temporary_nameless(folder);
	if (o->fd < 0)
		return tfr_fail_errno(err, errno, folder, "cannot make a temporary file in");
	while (!status && left) {
		size_t n = left < AT_ONCE ? (size_t)left : AT_ONCE;

		left -= n;
		status = tfr_npz_read(array, block, n, !left, err);
		if (!status)
			status = write_all(o->fd, block, n, folder, err);
	}
	tfr_archive_close(TFR_STEAL(o->member));
	o->place = 0;
	return status;
}

/* --- selection of arrays --- */

/* Reads the header of the current member of o->member. */
static enum tfr_status read_member_header(struct tfr_numpy *o, struct tfr_error *err)
{
	size_t whole = TFR_NPY_START, known = 0;
	enum tfr_status status;

	for (;;) {
		status = tfr_archive_read(o->member, &o->ahead, whole - o->ahead.size, err);
		if (!status && o->member->fault[0])
			status = tfr_fail(err, TFR_EDATA, "%s", o->member->fault);
		if (!status && !known)
			status = tfr_npy_start(o->ahead.data, o->ahead.size, &whole, err);
		if (status)
			return status;
		if (known && o->ahead.size < whole)
			return tfr_fail(err, TFR_EDATA, "its header is truncated");
		if (known || o->ahead.size >= whole)
			break;
		known = whole;
	}
	status = tfr_npy_parse(&o->h, o->ahead.data, whole, err);
	o->ahead.size -= whole;
	memmove(o->ahead.data, o->ahead.data + whole, o->ahead.size);
	return status;
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
	struct tfr_numpy *o, char *name, size_t room, struct tfr_error *err)
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

enum tfr_status tfr_npz_open(struct tfr_arrays *a, const char *path, struct tfr_error *err)
{
	size_t skip = 0;
	char name[4096];

	if (!a->in.opts->shuffle)
		a->in.items = TFR_STREAM;
	for (;;) {
		struct tfr_numpy *o = calloc(1, sizeof(*o));
		struct tfr_error why = { 0 };
		enum tfr_status status;

		if (!o)
			return tfr_fail_nomem(err, "reading arrays");
		o->fd = -1;
		status = open_member(a, path, &skip, o, name, sizeof(name), err);
		if (status) {
			tfr_numpy_release(o);
			return status == TFR_END ? TFR_OK : status;
		}
		status = read_member_header(o, &why);
		if (status && o->h.single) {
			tfr_numpy_release(o);
			leave_out(a, name, path);
			continue;
		}
		if (status) {
			tfr_numpy_release(o);
			return tfr_numpy_bad_header(name, path, &why, err);
		}
		if (a->n == ARRAYS_MOST) {
			tfr_numpy_release(o);
			return tfr_fail_path(
				err, TFR_EDATA, path, "more than %d arrays in", ARRAYS_MOST);
		}
		status = tfr_numpy_add(a, name, path, o, false, err);
		if (status)
			return status;
	}
}
