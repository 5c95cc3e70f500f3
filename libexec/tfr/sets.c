/* tfr/sets.c - the data sets that tfr requests: their types and their rows.
 *
 * libhdf5 converts the numbers of the file to native ones.  Only the file itself is read, because
 * an external file could be any file that the user may read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read_hdf5.h"

enum {
	SETS_MOST = 1000,
	SLOTS_MOST = 1 << 20, /* for chunks that are kept */
};

struct data_set {
	char *name;
	hid_t set, space, type; /* `type` is the type in memory */
	struct tfr_hdf5_set is;
	uint64_t values, row_size; /* of a row */
	uint64_t cell_in_file;	   /* bytes */
	bool chunks_kept;
};

static struct data_set *sets[SETS_MOST];
static uint32_t n_sets;

/* --- the type of a data set --- */

/* The data set cannot become a feature: sends the reason as the reply. */
static bool unusable(const char *why)
{
	reply_text(TFR_HDF5_UNUSABLE, 0, why);
	return false;
}

static bool reply_refusal(const struct data_set *d)
{
	reply_refused(d->name);
	return false;
}

static const char *class_name(H5T_class_t class)
{
	static const char *const names[H5T_NCLASSES] = {
		[H5T_COMPOUND] = "compounds, which complex numbers are, too",
		[H5T_VLEN] = "lists of any length",
		[H5T_ARRAY] = "arrays in its elements",
		[H5T_REFERENCE] = "references",
		[H5T_OPAQUE] = "opaque bytes",
		[H5T_BITFIELD] = "bit fields",
		[H5T_TIME] = "times",
	};
	const char *name = class >= 0 && class < H5T_NCLASSES ? names[class] : NULL;

	return name ? name : "elements of an unknown type";
}

static bool set_text(struct data_set *d)
{
	static const uint32_t cells[] = { [H5T_STR_NULLTERM] = TFR_CELL_FIRST,
		[H5T_STR_NULLPAD] = TFR_CELL_BYTES,
		[H5T_STR_SPACEPAD] = TFR_CELL_BLANK };
	H5T_str_t pad = H5Tget_strpad(d->type);

	if (H5Tis_variable_str(d->type) > 0) {
		d->is.cell = TFR_CELL_TEXT;
		d->is.cell_size = TFR_HDF5_TEXT;
		return true;
	}
	if (pad < H5T_STR_NULLTERM || pad > H5T_STR_SPACEPAD)
		return false;
	d->is.cell = cells[pad];
	return true;
}

/* The cell of a type in memory.  False: its size is not supported. */
static bool set_cell(struct data_set *d, H5T_class_t class)
{
	size_t n = H5Tget_size(d->type);

	if (!n || n > TFR_ITEM_MOST)
		return false;
	d->is.cell_size = (uint32_t)n;
	if (class == H5T_STRING)
		return set_text(d);
	if (class == H5T_FLOAT) {
		d->is.cell = TFR_CELL_FLOAT;
		return n == 4 || n == 8;
	}
	d->is.cell = class == H5T_INTEGER && H5Tget_sign(d->type) == H5T_SGN_NONE ? TFR_CELL_UINT
										  : TFR_CELL_INT;
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static bool look_at_type(struct data_set *d)
{
	hid_t type = H5Dget_type(d->set);
	H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);

	if (class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_ENUM && class != H5T_STRING)
		return unusable(class_name(class));
	d->type = H5Tget_native_type(type, H5T_DIR_ASCEND);
	d->cell_in_file = H5Tget_size(type);
	H5Tclose(type);
	if (d->type < 0)
		return reply_refusal(d);
	return set_cell(d, class) || unusable("numbers of a size of their own");
}

static bool look_at_space(struct data_set *d)
{
	int n;

	d->space = H5Dget_space(d->set);
	if (d->space < 0)
		return reply_refusal(d);
	if (H5Sget_simple_extent_type(d->space) != H5S_SIMPLE)
		return unusable("no rows, being a single value or nothing");
	n = H5Sget_simple_extent_ndims(d->space);
	if (n < 1 || n > TFR_HDF5_DIMS ||
		H5Sget_simple_extent_dims(d->space, (hsize_t *)d->is.dims, NULL) < 0)
		return reply_refusal(d);
	d->is.n_dims = (uint32_t)n;
	d->values = 1;
	for (int i = 1; i < n; i++)
		if (__builtin_mul_overflow(d->values, d->is.dims[i], &d->values))
			d->values = SIZE_MAX / 2;
	if (!d->values)
		return unusable("nothing in its rows");
	if (__builtin_mul_overflow(d->values, (uint64_t)d->is.cell_size, &d->row_size) ||
		d->row_size > TFR_ITEM_MOST)
		return unusable("rows that are larger than the 2 GiB that an Example can hold");
	return true;
}

/* Whether nearly all rows are only claimed.  Rows that are not in chunks are stored unchanged.
 * DEFLATE makes at most 1032 bytes from one.  A set is hollow if its rows are 4096 times as large
 * as the stored bytes and there are over a million of them or 1 GiB.  The stored size is a claim,
 * too, and is limited by the size of the file. */
static bool is_hollow(const struct data_set *d, uint64_t stored, bool chunked)
{
	uint64_t bytes, in_file, size = file_size();

	if (__builtin_mul_overflow(d->is.dims[0], d->row_size, &bytes))
		bytes = UINT64_MAX;
	if (__builtin_mul_overflow(d->is.dims[0], d->values, &in_file) ||
		__builtin_mul_overflow(in_file, d->cell_in_file, &in_file))
		in_file = UINT64_MAX;
	if (stored > size)
		stored = size;
	return !stored || (!chunked && in_file > size) ||
	       ((bytes > (uint64_t)1 << 30 || d->is.dims[0] > 1 << 20) && bytes / 4096 > stored);
}

static bool look_at_storage(struct data_set *d, hid_t plist)
{
	if (H5Pget_layout(plist) == H5D_VIRTUAL)
		return unusable(
			"no rows of its own, being put together from other data sets (virtual)");
	if (H5Pget_external_count(plist) > 0)
		return unusable("its rows in other files, which are not followed");
	if (d->is.dims[0] &&
		is_hollow(d, H5Dget_storage_size(d->set), H5Pget_layout(plist) == H5D_CHUNKED))
		return unusable("rows that were never written");
	return true;
}

/* A chunk is read completely, and would be read again for each block that ends in it. */
static void look_at_chunks(struct data_set *d, hid_t plist)
{
	uint64_t bytes = d->is.cell_size;
	hsize_t chunk[H5S_MAX_RANK] = { 1 };

	d->is.chunk_rows = 1;
	if (H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, H5S_MAX_RANK, chunk) > 0 &&
		chunk[0])
		d->is.chunk_rows = chunk[0];
	for (uint32_t i = 0; i < d->is.n_dims; i++)
		if (__builtin_mul_overflow(bytes, chunk[i] ? chunk[i] : 1, &bytes))
			bytes = UINT64_MAX;
	d->is.chunk_bytes = d->is.chunk_rows > 1 ? bytes : 0;
}

static bool inspect_set(struct data_set *d)
{
	hid_t plist;
	bool good;

	if (!look_at_type(d) || !look_at_space(d))
		return false;
	plist = H5Dget_create_plist(d->set);
	if (plist < 0)
		return reply_refusal(d);
	good = look_at_storage(d, plist);
	if (good)
		look_at_chunks(d, plist);
	H5Pclose(plist);
	return good;
}

void sets_open(hid_t set, const char *name)
{
	struct data_set *d = n_sets < SETS_MOST ? calloc(1, sizeof(*d)) : NULL;

	if (d)
		*d = (struct data_set){ .name = strdup(name), .set = set, .type = -1, .space = -1 };
	if (!d || !d->name) {
		reply_damaged(name, d ? "out of memory" : "more than 1000 data sets");
		return;
	}
	if (!inspect_set(d))
		return; /* tfr gives up */
	sets[n_sets++] = d;
	reply(TFR_HDF5_SET, 0, &d->is, sizeof(d->is));
}

/* --- rows --- */

/* The first filter of the data set that libhdf5 lacks; -1: there is none. */
static H5Z_filter_t missing_filter(const struct data_set *d, char *name, size_t room)
{
	hid_t plist = H5Dget_create_plist(d->set);
	H5Z_filter_t missing = -1;

	for (int i = 0; plist >= 0 && missing < 0 && i < H5Pget_nfilters(plist); i++) {
		unsigned flags, config;
		size_t values = 0;
		H5Z_filter_t id = H5Pget_filter2(
			plist, (unsigned)i, &flags, &values, NULL, room, name, &config);

		if (id >= 0 && H5Zfilter_avail(id) <= 0)
			missing = id;
	}
	return missing;
}

/* Reports a missing filter by its name, and any other failure by libhdf5's message. */
static void refused_rows(const struct data_set *d)
{
	char name[64] = "", reason[TFR_HDF5_REASON];
	H5Z_filter_t missing;

	find_reason(reason);
	missing = file_errno() ? -1 : missing_filter(d, name, sizeof(name));
	if (missing < 0) {
		reply_reason(d->name, reason);
		return;
	}
	name[sizeof(name) - 1] = '\0';
	reply_text(TFR_HDF5_FILTER, (uint32_t)missing, name);
}

/* In random order each chunk is needed again and again, so as many are kept as fit in a quarter of
 * the memory.  An open data set keeps the settings it was opened with, so it is opened again.  The
 * last argument, the preference for evicting chunks that were read completely, must be 0: with 1,
 * no other chunks are evicted. */
static bool keep_chunks(const struct hdf5_run *run, struct data_set *d)
{
	uint64_t bytes = run->memory / 4 / n_sets, slots = 100 * (bytes / d->is.chunk_bytes) + 1;
	hid_t access = H5Dget_access_plist(d->set);

	d->chunks_kept = true;
	if (access < 0)
		return reply_refusal(d);
	H5Pset_chunk_cache(access, slots < SLOTS_MOST ? slots : SLOTS_MOST, bytes, 0);
	H5Oclose(d->set);
	d->set = H5Dopen2(run->file, d->name, access);
	H5Pclose(access);
	return d->set >= 0 || reply_refusal(d);
}

/* Sends the sizes of all texts, then the texts. */
static void reply_texts(const struct data_set *d, char **texts, size_t n)
{
	uint64_t size = n * sizeof(uint64_t);
	uint8_t *body, *at;

	for (size_t i = 0; i < n; i++)
		size += texts[i] ? strlen(texts[i]) : 0;
	body = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
	if (!body) {
		reply_damaged(d->name, "its texts do not fit into memory");
		return;
	}
	at = body + n * sizeof(uint64_t);
	for (size_t i = 0; i < n; i++) {
		uint64_t one = texts[i] ? strlen(texts[i]) : 0;

		memcpy(body + i * sizeof(one), &one, sizeof(one));
		memcpy(at, texts[i] ? texts[i] : "", (size_t)one);
		at += one;
	}
	reply(TFR_HDF5_ROWS, 0, body, (size_t)size);
	free(body);
}

/* --- selected rows --- */

/* A requested row, and its position in the reply. */
struct pick {
	uint32_t row, at;
};

struct request {
	struct data_set *d;
	hid_t memory;	    /* the space of the rows read by one call */
	uint64_t first;	    /* of these rows */
	size_t rows;	    /* in total */
	struct pick *picks; /* NULL: consecutive rows, read by one call */
};

static int by_row(const void *a, const void *b)
{
	const struct pick *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

/* Receives the row numbers and sorts them in the order of the file, so that a chunk is unpacked
 * once. */
static struct pick *receive_picks(size_t n)
{
	struct pick *picks = malloc((n + 1) * sizeof(*picks));
	uint32_t *rows = malloc((n + 1) * sizeof(*rows));

	if (!picks || !rows)
		_exit(2);
	receive(rows, n * sizeof(*rows));
	for (size_t i = 0; i < n; i++)
		picks[i] = (struct pick){ rows[i], (uint32_t)i };
	free(rows);
	qsort(picks, n, sizeof(*picks), by_row);
	return picks;
}

/* Reads rows of `size` bytes in memory. */
static bool read_into(const struct request *r, uint8_t *into, size_t size)
{
	const struct data_set *d = r->d;
	hsize_t start[TFR_HDF5_DIMS] = { r->first }, count[TFR_HDF5_DIMS];
	size_t steps = r->picks ? r->rows : 1;

	memcpy(count, d->is.dims, sizeof(count));
	count[0] = r->picks ? 1 : r->rows;
	for (size_t i = 0; i < steps; i++) {
		uint8_t *at = into + (r->picks ? r->picks[i].at * size : 0);

		if (r->picks)
			start[0] = r->picks[i].row;
		if (H5Sselect_hyperslab(d->space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
			H5Dread(d->set, d->type, r->memory, d->space, H5P_DEFAULT, at) < 0)
			return false;
	}
	return true;
}

static void read_texts(const struct request *r)
{
	size_t values = (size_t)r->d->values, n = r->rows * values;
	char **texts = calloc(n + 1, sizeof(*texts));

	if (!texts) {
		reply_damaged(r->d->name, "its texts do not fit into memory");
	} else if (!read_into(r, (uint8_t *)texts, values * sizeof(*texts))) {
		refused_rows(r->d);
	} else {
		reply_texts(r->d, texts, n);
		for (size_t i = 0; i < n; i++)
			free(texts[i]); /* libhdf5 allocates with malloc() by default */
	}
	free(texts);
}

/* The buffer grows with the requests and is kept. */
static void read_values(const struct request *r)
{
	static uint8_t *block;
	static size_t room;
	size_t row = (size_t)r->d->row_size, size = r->rows * row;

	if (room < size) {
		free(block);
		block = malloc(size);
		room = block ? size : 0;
	}
	if (!block)
		reply_damaged(r->d->name, "its rows do not fit into memory");
	else if (!read_into(r, block, row))
		refused_rows(r->d);
	else
		reply(TFR_HDF5_ROWS, 0, block, size);
}

void sets_read(const struct hdf5_run *run, const struct tfr_hdf5_request *request)
{
	struct data_set *d = request->set < n_sets ? sets[request->set] : NULL;
	struct request r = { .d = d, .first = request->first, .rows = (size_t)request->count };
	hsize_t size[TFR_HDF5_DIMS];
	uint64_t bytes;

	if (!d || __builtin_mul_overflow(d->row_size, request->count, &bytes) ||
		bytes > SIZE_MAX / 2)
		_exit(2); /* tfr never sends such a request */
	if (request->op == TFR_HDF5_PICK)
		r.picks = receive_picks(r.rows);
	memcpy(size, d->is.dims, sizeof(size));
	size[0] = r.picks ? 1 : r.rows;
	r.memory = H5Screate_simple((int)d->is.n_dims, size, NULL);
	if (run->any_order && d->is.chunk_bytes && !d->chunks_kept && !keep_chunks(run, d))
		r.rows = 0; /* the error has been sent */
	else if (r.memory < 0)
		reply_refusal(d);
	else if (d->is.cell == TFR_CELL_TEXT)
		read_texts(&r);
	else
		read_values(&r);
	if (r.memory >= 0)
		H5Sclose(r.memory);
	free(r.picks);
}
