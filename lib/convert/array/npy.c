/* convert/array/npy.c - parses the header of an NPY file, which describes an array.
 *
 * It is "\x93NUMPY", a version, the length of the header, and the header, a Python dictionary
 * literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.  A structured array has
 * a list of fields in place of '<f8' (numpy/lib/format.py).
 *
 * The literal is parsed as far as NumPy writes it: a dictionary of three members, texts, numbers,
 * True and False, tuples and lists.  The parser moves forward only, reads nothing twice, and stops
 * at the header's end. */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "convert/array/arrays.h"

enum {
	NESTED = 8 /* fields within fields */,
	FIELDS = 1000,
	HEADER = 1 << 20, /* the longest one */
	NAME = 4096,	  /* the longest one of a field within a field */
};

struct reader {
	struct tfr_npy *h;
	const char *p, *end;
	struct tfr_error *err;
	unsigned depth;
	bool latin; /* a header of version 1 or 2 is in Latin-1, one of 3 in UTF-8 */
	/* The last text, and the path of a field: "outer/inner"; with their NULs. */
	struct tfr_buf text, path;
};

bool tfr_npy_recognises(const uint8_t *head, size_t size)
{
	return size >= 6 && !memcmp(head, "\x93NUMPY", 6);
}

enum tfr_status tfr_npy_start(
	const uint8_t *head, size_t size, size_t *header, struct tfr_error *err)
{
	if (!tfr_npy_recognises(head, size))
		return tfr_fail(err, TFR_EDATA, "it does not begin like an NPY file");
	if (size < TFR_NPY_START)
		return tfr_fail(err, TFR_EDATA, "its header is truncated");
	if (head[6] < 1 || head[6] > 3 || head[7])
		return tfr_fail(err, TFR_EDATA, "it has NPY version %u.%u, not 1.0 to 3.0",
			head[6], head[7]);
	*header = (size_t)head[8] | (size_t)head[9] << 8;
	if (head[6] > 1)
		*header |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
	if (*header > HEADER)
		return tfr_fail(err, TFR_EDATA, "its header claims %zu bytes", *header);
	*header += head[6] > 1 ? 12 : 10;
	return TFR_OK;
}

/* --- tokens --- */

static enum tfr_status broken(const struct reader *r, const char *what)
{
	return tfr_fail(r->err, TFR_EDATA, "its header has %s where %zu bytes are left", what,
		(size_t)(r->end - r->p));
}

/* Whether `word` is next, after blanks. */
static bool sees(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t'))
		r->p++;
	return (size_t)(r->end - r->p) >= n && !memcmp(r->p, word, n);
}

/* Consumes the word if it is next. */
static bool takes(struct reader *r, const char *word)
{
	bool next = sees(r, word);

	if (next)
		r->p += strlen(word);
	return next;
}

static enum tfr_status expect(struct reader *r, const char *mark)
{
	char what[] = "no 'x'";

	what[4] = *mark;
	return takes(r, mark) ? TFR_OK : broken(r, what);
}

/* Parses a text, in which only a quote and a backslash can be escaped, and puts it into `text` at
 * `at`, in UTF-8 with its NUL. */
static enum tfr_status read_text(struct reader *r, struct tfr_buf *text, size_t at)
{
	char quote;

	text->size = at;
	if (!sees(r, "'") && !sees(r, "\""))
		return broken(r, "a value that is not a text");
	for (quote = *r->p++; r->p < r->end && *r->p != quote; r->p++) {
		uint8_t utf8[4];

		if (*r->p == '\\') {
			r->p++;
			if (r->p == r->end || (*r->p != '\\' && *r->p != '\'' && *r->p != '"'))
				return broken(r, "an unknown escape");
		}
		if (!*r->p)
			return broken(r, "a NUL in a text");
		utf8[0] = (uint8_t)*r->p;
		TFR_NEED_MEMORY(
			tfr_buf_append(text, utf8, r->latin ? tfr_utf8_put(utf8, utf8[0]) : 1),
			r->err, "reading arrays");
	}
	if (r->p == r->end)
		return broken(r, "a text that does not end");
	r->p++;
	TFR_NEED_MEMORY(tfr_buf_append(text, "", 1), r->err, "reading arrays");
	return TFR_OK;
}

static enum tfr_status read_number(struct reader *r, uint64_t *value)
{
	*value = 0;
	sees(r, "");
	if (r->p == r->end || *r->p < '0' || *r->p > '9')
		return broken(r, "a value that is not a number");
	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
		if (__builtin_mul_overflow(*value, 10, value) ||
			__builtin_add_overflow(*value, *r->p - '0', value) || *value > INT64_MAX)
			return broken(r, "a number that is too large");
	if (r->p < r->end && *r->p == 'L') /* as Python 2 wrote it */
		r->p++;
	return TFR_OK;
}

/* Parses "(3, 4)", "(3,)" or "()"; of a field also "3". */
static enum tfr_status read_shape(struct reader *r, uint64_t *dims, unsigned *n)
{
	*n = 0;
	if (!takes(r, "(")) {
		*n = 1;
		return read_number(r, dims);
	}
	while (!takes(r, ")")) {
		if (*n == TFR_CELL_DIMS)
			return broken(r, "more than 32 dimensions");
		TFR_TRY(read_number(r, &dims[(*n)++]));
		if (!takes(r, ","))
			return expect(r, ")");
	}
	return TFR_OK;
}

/* --- elements --- */

/* The types by NumPy's letters; Examples cannot hold those with a text. */
static const struct {
	char letter;
	enum tfr_cell_type cell;
	const char *refused;
} types[] = {
	{ 'b', TFR_CELL_BOOL, NULL },
	{ 'i', TFR_CELL_INT, NULL },
	{ 'u', TFR_CELL_UINT, NULL },
	{ 'f', TFR_CELL_FLOAT, NULL },
	{ 'S', TFR_CELL_BYTES, NULL },
	{ 'a', TFR_CELL_BYTES, NULL },
	{ 'U', TFR_CELL_UCS4, NULL },
	{ 'c', 0, "complex numbers" },
	{ 'O', 0, "Python objects, which are pickled" },
	{ 'M', 0, "dates (datetime64)" },
	{ 'm', 0, "spans of time (timedelta64)" },
	{ 'V', 0, "raw bytes (void)" },
};

enum { TYPES = sizeof(types) / sizeof(*types) };

/* Parses the text "<f8": a byte order, a letter and a size.  A blank is a void without a name. */
static enum tfr_status read_type(struct reader *r, struct tfr_cells *f, bool *blank)
{
	const char *name, *p;
	unsigned long size = 0;
	size_t i = 0;
	char letter;

	TFR_TRY(read_text(r, &r->text, 0));
	name = (const char *)r->text.data;
	f->swapped = *name == '>';
	p = name + (*name && strchr("<>|=", *name));
	letter = *p;
	while (i < TYPES && types[i].letter != letter)
		i++;
	if (*p)
		p++;
	*blank = *blank && letter == 'V' && *p;
	for (; *p >= '0' && *p <= '9' && size < INT32_MAX / 64; p++)
		size = size * 10 + (unsigned)(*p - '0');
	f->size = (unsigned)size;
	*blank = *blank && !*p;
	if (*blank)
		return TFR_OK;
	if (i < TYPES && types[i].refused)
		return tfr_fail(r->err, TFR_EDATA, "it has %s ('%.40s')", types[i].refused, name);
	if (*p || i == TYPES || !tfr_cell_has_size(types[i].cell, f->size))
		return tfr_fail(r->err, TFR_EDATA, "it has elements of the type '%.40s'", name);
	f->cell = types[i].cell;
	if (f->cell == TFR_CELL_UCS4)
		f->size *= 4;
	return TFR_OK;
}

/* Adds a field, which is in the element after those before it; a blank only takes its place. */
static enum tfr_status add_field(struct reader *r, struct tfr_cells *f, bool blank)
{
	struct tfr_npy *h = r->h;
	uint64_t bytes = tfr_dims_product(f->size, f->shape, f->dims);

	/* Texts of no bytes ('|S0') are values of the Example, too. */
	if (bytes > TFR_ITEM_MOST || h->element + bytes > TFR_ITEM_MOST ||
		tfr_dims_product(1, f->shape, f->dims) > TFR_ITEM_MOST)
		return tfr_fail(r->err, TFR_EDATA, "an element of it is larger than 2 GiB");
	f->at = h->element;
	h->element += (size_t)bytes;
	if (blank)
		return TFR_OK;
	if (h->n_fields == FIELDS)
		return tfr_fail(r->err, TFR_EDATA, "it has more than %d fields", FIELDS);
	if (h->structured)
		f->name = strdup((const char *)r->path.data);
	if ((h->structured && !f->name) || TFR_ARRAY_ONE_MORE(h->fields, h->n_fields)) {
		free(f->name);
		return tfr_fail_nomem(r->err, "reading arrays");
	}
	h->fields[h->n_fields++] = *f;
	return TFR_OK;
}

static enum tfr_status read_fields(struct reader *r, size_t prefix);

/* Parses "('name', '<f4', (2,))"; with a title, the name is ('title', 'name').  The field is in
 * that whose name and slash are the first `prefix` bytes of the path. */
static enum tfr_status read_field(struct reader *r, size_t prefix)
{
	struct tfr_cells f = { 0 };
	bool titled, blank;

	TFR_TRY(expect(r, "("));
	titled = takes(r, "(");
	TFR_TRY(read_text(r, &r->path, prefix));
	if (titled) {
		TFR_TRY(expect(r, ","));
		TFR_TRY(read_text(r, &r->path, prefix));
		TFR_TRY(expect(r, ")"));
	}
	TFR_TRY(expect(r, ","));
	blank = !r->path.data[prefix];
	if (prefix && r->path.size > NAME + 1)
		return broken(r, "a name that is too long");
	if (takes(r, "[")) {
		size_t end = r->path.size - 1;

		r->path.data[end] = '/';
		TFR_TRY(read_fields(r, end + 1));
		r->path.data[end] = '\0';
		if (takes(r, ","))
			return tfr_fail(r->err, TFR_EDATA, "its field '%s' is an array of fields",
				(const char *)r->path.data);
		return expect(r, ")");
	}
	TFR_TRY(read_type(r, &f, &blank));
	if (takes(r, ",") && !sees(r, ")"))
		TFR_TRY(read_shape(r, f.shape, &f.dims));
	TFR_TRY(expect(r, ")"));
	return add_field(r, &f, blank);
}

/* Parses a list of fields after its bracket. */
static enum tfr_status read_fields(struct reader *r, size_t prefix)
{
	if (++r->depth > NESTED)
		return broken(r, "fields nested too deep");
	while (!takes(r, "]")) {
		TFR_TRY(read_field(r, prefix));
		if (!takes(r, ",")) {
			TFR_TRY(expect(r, "]"));
			break;
		}
	}
	r->depth--;
	return TFR_OK;
}

/* --- the dictionary --- */

enum { ALL_SEEN = 1 << 0 | 1 << 1 | 1 << 2 };

static enum tfr_status read_member(struct reader *r, unsigned *seen)
{
	static const char *const keys[] = { "descr", "fortran_order", "shape", NULL };
	struct tfr_npy *h = r->h;
	struct tfr_cells f = { 0 };
	bool blank = false;
	unsigned key = 0;

	TFR_TRY(read_text(r, &r->text, 0));
	TFR_TRY(expect(r, ":"));
	while (keys[key] && strcmp(keys[key], (const char *)r->text.data))
		key++;
	if (!keys[key] || *seen & 1U << key)
		return broken(r, keys[key] ? "a repeated member" : "an unknown member");
	*seen |= 1U << key;
	switch (key) {
	case 0:
		h->structured = takes(r, "[");
		if (h->structured)
			return read_fields(r, 0);
		TFR_TRY(read_type(r, &f, &blank));
		return add_field(r, &f, false);
	case 1:
		h->fortran = takes(r, "True");
		return h->fortran || takes(r, "False")
			       ? TFR_OK
			       : broken(r, "a value that is neither True nor False");
	default:
		return sees(r, "(") ? read_shape(r, h->dims, &h->n_dims) : broken(r, "no shape");
	}
}

static enum tfr_status read_dictionary(struct reader *r)
{
	unsigned seen = 0;

	TFR_TRY(expect(r, "{"));
	while (!takes(r, "}")) {
		TFR_TRY(read_member(r, &seen));
		if (!takes(r, ",")) {
			TFR_TRY(expect(r, "}"));
			break;
		}
	}
	sees(r, "");
	if (r->p < r->end)
		return broken(r, "more than a dictionary");
	return seen == ALL_SEEN ? TFR_OK : broken(r, "too few members");
}

enum tfr_status tfr_npy_parse(
	struct tfr_npy *h, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct reader r = { .h = h, .err = err };
	size_t header = 0;
	enum tfr_status status;

	TFR_TRY(tfr_npy_start(data, size, &header, err));
	if (header > size)
		return tfr_fail(err, TFR_EDATA, "its header is truncated");
	r.p = (const char *)data + (data[6] > 1 ? 12 : 10);
	r.end = (const char *)data + header;
	r.latin = data[6] < 3;
	status = read_dictionary(&r);
	tfr_buf_clear(&r.text);
	tfr_buf_clear(&r.path);
	h->single = !status && !h->n_dims;
	if (h->single)
		return tfr_fail(err, TFR_EDATA, "it is a single value, without rows");
	if (!status && !h->n_fields)
		return tfr_fail(err, TFR_EDATA, "its elements have no fields");
	for (size_t i = 0; !status && i < h->n_fields; i++)
		tfr_cells_extend(&h->fields[i], h->dims + 1, h->n_dims - 1, h->element);
	return status;
}

void tfr_npy_clear(struct tfr_npy *h)
{
	for (size_t i = 0; i < h->n_fields; i++)
		free(h->fields[i].name);
	free(h->fields);
	*h = (struct tfr_npy){ 0 };
}
