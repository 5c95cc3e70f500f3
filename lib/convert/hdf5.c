/* convert/hdf5.c - HDF5 files: every data set a feature, by its path, every row a record.
 *
 * libhdf5 is called by one thread at a time, as rows are read.  It is not asked for more at once
 * than a block, and it makes native numbers of what lies in the file. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "convert/arrays.h"
#include "convert/hdf5_library.h"
#include "convert/members.h"
#include "io/source.h"

/* H5F_ACC_RDONLY is 0, behind two calls of the library. */
enum { READ_ONLY = 0 };
enum {
	DEEPEST = 32,
	SETS_MOST = 1000,
	NAME_MOST = 4096,
	MEMORY = 256 << 20,
	USER_BLOCK_MOST = 1 << 20,
	SLOTS_MOST = 1 << 20, /* of chunks that are kept */
};

static const char signature[] = "\x89HDF\r\n\x1a\n";

struct hdf5 {
	struct tfr_arrays a;
	struct tfr_hdf5_calls call;
	const char *path;
	hid_t file;
};

/* A data set. */
struct data_set {
	struct hdf5 *h;
	hid_t set, space, type; /* `type` as it is in memory */
	int n_dims;
	hsize_t dims[H5S_MAX_RANK];
	size_t values;	     /* in a row */
	uint64_t chunk;	     /* bytes; 0: it is not in chunks */
	bool texts;	     /* of any length: libhdf5 gives pointers */
	struct tfr_buf text; /* those of the block that is in memory */
};

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

/* What whoever made the file put before it, such as MATLAB's text, takes 512 bytes or a doubling of
 * that (H5Pset_userblock).  An HDF5 file in a tar archive lies there, too. */
static bool follows_user_block(const struct tfr_offer *offer)
{
	TFR_AUTO_CLOSE int fd = -1;
	uint8_t head[8];

	if (offer->head_size < 512 ||
		(tfr_tar_recognises(offer->head, offer->head_size) && !is_zero(offer->head, 512)))
		return false;
	fd = open(offer->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

/* What libhdf5 says, from the place where it went wrong; `what` NULL: with the file as a whole. */
static enum tfr_status refused(struct hdf5 *h, const char *what, struct tfr_error *err)
{
	char reason[TFR_HDF5_REASON];

	tfr_hdf5_reason(&h->call, reason);
	if (!what)
		return tfr_fail(err, TFR_EDATA, "cannot read '%s': %s", h->path, reason);
	return tfr_fail(err, TFR_EDATA, "cannot read '%s' of '%s': %s", what, h->path, reason);
}

/* --- rows --- */

static uint64_t memory_of(const struct hdf5 *h)
{
	return h->a.in.opts->memory ? h->a.in.opts->memory : MEMORY;
}

/* The first filter that it was packed by and that libhdf5 lacks; -1: there is none. */
static H5Z_filter_t missing_filter(struct data_set *d, char *name, size_t room)
{
	struct tfr_hdf5_calls *call = &d->h->call;
	hid_t plist = call->H5Dget_create_plist_(d->set);
	H5Z_filter_t missing = -1;

	for (int i = 0; plist >= 0 && missing < 0 && i < call->H5Pget_nfilters_(plist); i++) {
		unsigned flags, config;
		size_t values = 0;
		H5Z_filter_t id = call->H5Pget_filter2_(
			plist, (unsigned)i, &flags, &values, NULL, room, name, &config);

		if (id >= 0 && call->H5Zfilter_avail_(id) <= 0)
			missing = id;
	}
	if (plist >= 0)
		call->H5Pclose_(plist);
	return missing;
}

/* Why rows cannot be read: for want of a filter, which libhdf5 would say in its own words. */
static enum tfr_status refused_rows(struct data_set *d, const char *name, struct tfr_error *err)
{
	char filter[64] = "";
	enum tfr_status status = refused(d->h, name, err);
	H5Z_filter_t missing = missing_filter(d, filter, sizeof(filter));

	if (missing < 0)
		return status;
	tfr_fail(err, TFR_EUNAVAILABLE,
		"'%s' of '%s' is packed by filter %d%s%s, which libhdf5 does not have here", name,
		d->h->path, (int)missing, *filter ? ", " : "", filter);
	tfr_error_hint(err,
		"A plugin of libhdf5 may have it: HDF5_PLUGIN_PATH names the folder.  Or "
		"pack the data set with gzip.");
	return TFR_EUNAVAILABLE;
}

/* Pointers to texts become views of copies, which stay until the next block. */
static enum tfr_status keep_texts(
	struct data_set *d, char **texts, size_t n, uint8_t *into, struct tfr_error *err)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += texts[i] ? strlen(texts[i]) : 0;
	d->text.size = 0;
	if (!tfr_buf_reserve(&d->text, all + 1))
		return tfr_fail_nomem(err, "reading arrays");
	for (size_t i = 0; i < n; i++) {
		struct tfr_bytes v = { d->text.data + d->text.size,
			texts[i] ? strlen(texts[i]) : 0 };

		tfr_buf_append(&d->text, texts[i], v.size);
		memcpy(into + i * sizeof(v), &v, sizeof(v));
	}
	return TFR_OK;
}

static enum tfr_status read_texts(struct data_set *d, hid_t memory, size_t n, uint8_t *into,
	const char *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char **texts = calloc(n + 1, sizeof(*texts));
	struct tfr_hdf5_calls *call = &d->h->call;
	enum tfr_status status;

	if (!texts)
		return tfr_fail_nomem(err, "reading arrays");
	if (call->H5Dread_(d->set, d->type, memory, d->space, H5P_DEFAULT, texts) < 0)
		return refused_rows(d, name, err);
	status = keep_texts(d, texts, n, into, err);
	call->H5Dvlen_reclaim_(d->type, memory, H5P_DEFAULT, texts);
	return status;
}

/* In a random order each chunk is wanted again and again: as many as a quarter of the memory has
 * room for are kept.  A data set that is open keeps what it was opened with.  The last number, how
 * much chunks that were read in full are preferred to go, has to be 0: at 1 no other ones go. */
static enum tfr_status keep_chunks(
	struct data_set *d, const struct tfr_array *array, struct tfr_error *err)
{
	struct tfr_hdf5_calls *call = &d->h->call;
	uint64_t bytes = memory_of(d->h) / 4 / d->h->a.n, slots = 100 * (bytes / d->chunk) + 1;
	hid_t access = call->H5Dget_access_plist_(d->set);

	d->chunk = 0;
	if (access < 0)
		return refused(d->h, array->name, err);
	call->H5Pset_chunk_cache_(access, slots < SLOTS_MOST ? slots : SLOTS_MOST, bytes, 0);
	call->H5Oclose_(d->set);
	d->set = call->H5Dopen2_(d->h->file, array->name, access);
	call->H5Pclose_(access);
	return d->set < 0 ? refused(d->h, array->name, err) : TFR_OK;
}

static enum tfr_status read_rows(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
	uint64_t count, uint8_t *into, struct tfr_error *err)
{
	struct data_set *d = array->own;
	struct tfr_hdf5_calls *call = &d->h->call;
	hsize_t start[H5S_MAX_RANK] = { first }, size[H5S_MAX_RANK];
	enum tfr_status status = TFR_OK;
	hid_t memory;

	if (a->in.opts->shuffle && d->chunk)
		status = keep_chunks(d, array, err);
	if (status)
		return status;
	memcpy(size, d->dims, sizeof(size));
	size[0] = count;
	memory = call->H5Screate_simple_(d->n_dims, size, NULL);
	if (memory < 0 ||
		call->H5Sselect_hyperslab_(d->space, H5S_SELECT_SET, start, NULL, size, NULL) < 0)
		status = refused(d->h, array->name, err);
	else if (d->texts)
		status = read_texts(d, memory, (size_t)count * d->values, into, array->name, err);
	else if (call->H5Dread_(d->set, d->type, memory, d->space, H5P_DEFAULT, into) < 0)
		status = refused_rows(d, array->name, err);
	if (memory >= 0)
		call->H5Sclose_(memory);
	return status;
}

/* --- what a data set is --- */

static const char *stranger(H5T_class_t class)
{
	switch (class) {
	case H5T_COMPOUND:
		return "compounds, which complex numbers are, too";
	case H5T_VLEN:
		return "lists of any length";
	case H5T_ARRAY:
		return "arrays in its elements";
	case H5T_REFERENCE:
		return "references";
	case H5T_OPAQUE:
		return "opaque bytes";
	case H5T_BITFIELD:
		return "bit fields";
	case H5T_TIME:
		return "times";
	default:
		return "elements of an unknown type";
	}
}

static enum tfr_status no_features(
	struct hdf5 *h, const char *name, const char *why, struct tfr_error *err)
{
	tfr_fail(err, TFR_EDATA, "no features can be made of '%s' of '%s': it has %s", name,
		h->path, why);
	tfr_error_hint(err, "An array is left out with --exclude and its name.");
	return TFR_EDATA;
}

static bool set_text(struct data_set *d, struct tfr_cells *c)
{
	struct tfr_hdf5_calls *call = &d->h->call;

	d->texts = call->H5Tis_variable_str_(d->type) > 0;
	if (d->texts) {
		c->cell = TFR_CELL_TEXT;
		c->size = sizeof(struct tfr_bytes);
		return true;
	}
	switch (call->H5Tget_strpad_(d->type)) {
	case H5T_STR_NULLTERM:
		c->cell = TFR_CELL_FIRST;
		return true;
	case H5T_STR_NULLPAD:
		c->cell = TFR_CELL_BYTES;
		return true;
	case H5T_STR_SPACEPAD:
		c->cell = TFR_CELL_BLANK;
		return true;
	default:
		return false;
	}
}

/* The cell of a type as it is in memory.  False: of a size that is not known. */
static bool set_cell(struct data_set *d, H5T_class_t class, struct tfr_cells *c)
{
	struct tfr_hdf5_calls *call = &d->h->call;
	size_t n = call->H5Tget_size_(d->type);

	if (!n || n > TFR_ITEM_MOST)
		return false;
	c->size = (unsigned)n;
	if (class == H5T_STRING)
		return set_text(d, c);
	if (class == H5T_FLOAT) {
		c->cell = TFR_CELL_FLOAT;
		return n == 4 || n == 8;
	}
	c->cell = class == H5T_INTEGER && call->H5Tget_sign_(d->type) == H5T_SGN_NONE
			  ? TFR_CELL_UINT
			  : TFR_CELL_INT;
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static enum tfr_status look_at_type(
	struct data_set *d, const char *name, struct tfr_cells *c, struct tfr_error *err)
{
	struct tfr_hdf5_calls *call = &d->h->call;
	hid_t type = call->H5Dget_type_(d->set);
	H5T_class_t class = type < 0 ? H5T_NO_CLASS : call->H5Tget_class_(type);
	enum tfr_status status = TFR_OK;

	if (class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_ENUM && class != H5T_STRING)
		status = no_features(d->h, name, stranger(class), err);
	if (!status) {
		d->type = call->H5Tget_native_type_(type, H5T_DIR_ASCEND);
		if (d->type < 0)
			status = refused(d->h, name, err);
		else if (!set_cell(d, class, c))
			status = no_features(d->h, name, "numbers of a size of their own", err);
	}
	if (type >= 0)
		call->H5Tclose_(type);
	return status;
}

static enum tfr_status look_at_space(
	struct data_set *d, const char *name, struct tfr_cells *c, struct tfr_error *err)
{
	struct tfr_hdf5_calls *call = &d->h->call;

	d->space = call->H5Dget_space_(d->set);
	if (d->space < 0)
		return refused(d->h, name, err);
	if (call->H5Sget_simple_extent_type_(d->space) != H5S_SIMPLE)
		return no_features(d->h, name, "no rows, being a single value or nothing", err);
	d->n_dims = call->H5Sget_simple_extent_ndims_(d->space);
	if (d->n_dims < 1 || d->n_dims > H5S_MAX_RANK ||
		call->H5Sget_simple_extent_dims_(d->space, d->dims, NULL) < 0)
		return refused(d->h, name, err);
	c->outer = 1;
	c->inner = 1;
	for (int i = 1; i < d->n_dims; i++) {
		if (__builtin_mul_overflow(c->inner, d->dims[i], &c->inner))
			c->inner = SIZE_MAX / 2;
		c->shape[c->dims++] = (int64_t)d->dims[i];
	}
	if (!c->inner)
		return no_features(d->h, name, "nothing in its rows", err);
	return TFR_OK;
}

/* Whether nearly all rows are claimed only.  DEFLATE makes at most 1032 bytes of one; a file whose
 * rows are 4096 times as large as what it stores, and over 1 GiB, would become as many records. */
static bool is_hollow(const struct data_set *d, uint64_t stored, uint64_t row_size)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(d->dims[0], row_size, &bytes))
		bytes = UINT64_MAX;
	return !stored || (bytes > (uint64_t)1 << 30 && bytes / 4096 > stored);
}

/* Its bytes are in this file.  Others could be any that whoever runs this may read. */
static enum tfr_status look_at_storage(
	struct data_set *d, const char *name, uint64_t row_size, struct tfr_error *err)
{
	struct tfr_hdf5_calls *call = &d->h->call;
	hid_t plist = call->H5Dget_create_plist_(d->set);
	enum tfr_status status = TFR_OK;

	if (plist < 0)
		return refused(d->h, name, err);
	if (call->H5Pget_layout_(plist) == H5D_VIRTUAL)
		status = no_features(d->h, name,
			"no rows of its own, being put together from other data sets (virtual)",
			err);
	else if (call->H5Pget_external_count_(plist) > 0)
		status = no_features(
			d->h, name, "its rows in other files, which are not followed", err);
	else if (d->dims[0] && is_hollow(d, call->H5Dget_storage_size_(d->set), row_size))
		status = no_features(d->h, name, "rows that were never written", err);
	call->H5Pclose_(plist);
	return status;
}

/* A chunk comes into memory as a whole, and would come again for each block that ends in it. */
static enum tfr_status look_at_chunks(struct data_set *d, const char *name, size_t row_size,
	uint64_t *unit, struct tfr_error *err)
{
	struct tfr_hdf5_calls *call = &d->h->call;
	uint64_t bytes = row_size / d->values;
	hsize_t chunk[H5S_MAX_RANK] = { 1 };
	hid_t plist = call->H5Dget_create_plist_(d->set);

	*unit = 1;
	if (plist >= 0 && call->H5Pget_layout_(plist) == H5D_CHUNKED &&
		call->H5Pget_chunk_(plist, H5S_MAX_RANK, chunk) > 0)
		*unit = chunk[0];
	for (int i = 0; i < d->n_dims; i++)
		if (__builtin_mul_overflow(bytes, chunk[i] ? chunk[i] : 1, &bytes))
			bytes = UINT64_MAX;
	if (plist >= 0)
		call->H5Pclose_(plist);
	if (*unit > 1)
		d->chunk = bytes;
	if (*unit > 1 && bytes > memory_of(d->h))
		return tfr_fail(err, TFR_EDATA,
			"'%s' of '%s' is in chunks of %llu bytes, more than --memory allows", name,
			d->h->path, (unsigned long long)bytes);
	return TFR_OK;
}

static void release(void *own)
{
	struct data_set *d = own;

	if (d->type >= 0)
		d->h->call.H5Tclose_(d->type);
	if (d->space >= 0)
		d->h->call.H5Sclose_(d->space);
	if (d->set >= 0)
		d->h->call.H5Oclose_(d->set);
	tfr_buf_clear(&d->text);
	free(d);
}

static enum tfr_status add(
	struct data_set *d, const char *name, struct tfr_cells *c, struct tfr_error *err)
{
	struct hdf5 *h = d->h;
	struct tfr_array *array;
	uint64_t bytes, unit;
	enum tfr_status status;

	if (__builtin_mul_overflow(c->inner, (uint64_t)c->size, &bytes) || bytes > TFR_ITEM_MOST)
		return no_features(h, name,
			"rows that are larger than the 2 GiB that an Example can hold", err);
	status = look_at_storage(d, name, bytes, err);
	if (status)
		return status;
	if (h->a.n == SETS_MOST)
		return tfr_fail_path(
			err, TFR_EDATA, h->path, "more than %d data sets in", SETS_MOST);
	d->values = c->inner;
	c->stride = c->inner * c->size;
	status = look_at_chunks(d, name, (size_t)bytes, &unit, err);
	if (status)
		return status;
	array = tfr_arrays_add(&h->a, name, h->path, d->dims[0], (size_t)bytes);
	if (!array || !tfr_arrays_add_cells(&h->a, name, c))
		return tfr_fail_nomem(err, "reading arrays");
	array->unit = unit;
	array->own = d;
	return TFR_OK;
}

/* `set` becomes the array's. */
static enum tfr_status add_data_set(
	struct hdf5 *h, hid_t set, const char *name, struct tfr_error *err)
{
	struct data_set *d = tfr_arrays_wants(h->a.in.opts, name) ? calloc(1, sizeof(*d)) : NULL;
	struct tfr_cells c = { 0 };
	enum tfr_status status;

	if (!d) {
		h->call.H5Oclose_(set);
		return tfr_arrays_wants(h->a.in.opts, name) ? tfr_fail_nomem(err, "reading arrays")
							    : TFR_OK;
	}
	*d = (struct data_set){ .h = h, .set = set, .space = -1, .type = -1 };
	status = look_at_type(d, name, &c, err);
	if (!status)
		status = look_at_space(d, name, &c, err);
	if (!status)
		status = add(d, name, &c, err);
	if (status)
		release(d);
	return status;
}

/* --- the groups --- */

static enum tfr_status walk(
	struct hdf5 *h, hid_t group, const char *above, unsigned depth, struct tfr_error *err);

/* The `i`th link of a group, in the order of names.  Only what lies in the file is followed. */
static enum tfr_status visit(struct hdf5 *h, hid_t group, const char *above, hsize_t i,
	unsigned depth, struct tfr_error *err)
{
	char name[NAME_MOST], path[NAME_MOST];
	struct tfr_hdf5_calls *call = &h->call;
	ssize_t n = call->H5Lget_name_by_idx_(
		group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof(name), H5P_DEFAULT);
	H5L_info_t link;
	H5I_type_t kind;
	enum tfr_status status = TFR_OK;
	hid_t object;

	if (n < 0 || n >= (ssize_t)sizeof(name) ||
		call->H5Lget_info_(group, name, &link, H5P_DEFAULT) < 0)
		return refused(h, n < (ssize_t)sizeof(name) ? above : "a long name", err);
	if (link.type != H5L_TYPE_HARD)
		return TFR_OK;
	if (snprintf(path, sizeof(path), "%s%s%s", above, *above ? "/" : "", name) >=
		(int)sizeof(path))
		return tfr_fail_path(
			err, TFR_EDATA, h->path, "a path of over %d bytes in", NAME_MOST);
	object = call->H5Oopen_(group, name, H5P_DEFAULT);
	if (object < 0)
		return refused(h, path, err);
	kind = call->H5Iget_type_(object);
	if (kind == H5I_DATASET)
		return add_data_set(h, object, path, err);
	if (kind == H5I_GROUP)
		status = walk(h, object, path, depth + 1, err);
	call->H5Oclose_(object);
	return status;
}

static enum tfr_status walk(
	struct hdf5 *h, hid_t group, const char *above, unsigned depth, struct tfr_error *err)
{
	H5G_info_t info;
	enum tfr_status status = TFR_OK;

	if (depth > DEEPEST)
		return tfr_fail_path(err, TFR_EDATA, h->path,
			"groups more than %d deep, or in themselves, in", DEEPEST);
	if (h->call.H5Gget_info_(group, &info) < 0)
		return refused(h, above, err);
	for (hsize_t i = 0; !status && i < info.nlinks; i++)
		status = visit(h, group, above, i, depth, err);
	return status;
}

/* --- the file --- */

static enum tfr_status open_file(struct hdf5 *h, struct tfr_error *err)
{
	struct stat st;
	hid_t root;
	enum tfr_status status;

	if (!strcmp(h->path, "-") || (!stat(h->path, &st) && !S_ISREG(st.st_mode)))
		return tfr_fail_path(err, TFR_EUSAGE, h->path, "HDF5 is read from files, not from");
	if (access(h->path, R_OK))
		return tfr_fail_errno(err, errno, h->path, "cannot open");
	status = tfr_hdf5_load(&h->call, h->path, err);
	if (status)
		return status;
	h->file = h->call.H5Fopen_(h->path, READ_ONLY, H5P_DEFAULT);
	root = h->file < 0 ? -1 : h->call.H5Oopen_(h->file, "/", H5P_DEFAULT);
	if (root < 0)
		return refused(h, NULL, err);
	status = walk(h, root, "", 0, err);
	h->call.H5Oclose_(root);
	return status;
}

static void close_hdf5(struct tfr_input *in)
{
	struct hdf5 *h = (struct hdf5 *)in;

	tfr_arrays_clear(&h->a);
	if (h->file >= 0)
		h->call.H5Fclose_(h->file);
	free(h);
}

static enum tfr_status open_hdf5(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct hdf5 *h = calloc(1, sizeof(*h));
	enum tfr_status status;

	if (!h)
		return tfr_fail_nomem(err, "reading arrays");
	*in = &h->a.in;
	h->a.in = (struct tfr_input){ .ops = &tfr_input_hdf5, .opts = opts };
	h->a.read = read_rows;
	h->a.release = release;
	h->path = opts->inputs[0];
	h->file = -1;
	status = tfr_arrays_check(opts, err);
	if (!status)
		status = open_file(h, err);
	return status ? status : tfr_arrays_ready(&h->a, err);
}

const struct tfr_input_ops tfr_input_hdf5 = {
	.name = "hdf5",
	.what = "an HDF5 file",
	.nothing = "no rows in",
	.refused = "not a row to use",
	.columns = true,
	.arrays = true,
	.recognises = recognises,
	.open = open_hdf5,
	.next = tfr_arrays_next,
	.load = tfr_arrays_load,
	.close = close_hdf5,
};
