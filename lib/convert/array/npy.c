/* convert/array/npy.c - parses the header of an NPY file, a Python literal, as far as NumPy
 * writes it: a dictionary of three members, texts, numbers, True and False, tuples and lists.
 *
 * The parser moves forward only, reads nothing twice, and stops at the header's end. */
#include "convert/array/npy.h"

#include <string.h>

#include "base/utf8.h"

enum { NESTED = 8 /* fields within fields */ };

struct reader {
	struct tfr_npy *h;
	const char *p, *end;
	struct tfr_error *err;
	unsigned depth;
	bool latin; /* a header of version 1 or 2 is in Latin-1, one of 3 in UTF-8 */
};

static const char magic[] = "\x93NUMPY";

bool tfr_npy_recognises(const uint8_t *head, size_t size)
{
	return size >= 6 && !memcmp(head, magic, 6);
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
	if (*header > TFR_NPY_HEADER)
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

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t'))
		r->p++;
}

static bool sees(struct reader *r, char mark)
{
	skip_blanks(r);
	return r->p < r->end && *r->p == mark;
}

/* Consumes the character if it is next. */
static bool takes(struct reader *r, char mark)
{
	if (!sees(r, mark))
		return false;
	r->p++;
	return true;
}

static enum tfr_status expect(struct reader *r, char mark)
{
	char what[] = "no 'x'";

	what[4] = mark;
	return takes(r, mark) ? TFR_OK : broken(r, what);
}

static bool takes_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(r);
	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n))
		return false;
	r->p += n;
	return true;
}

/* A byte of a text, in UTF-8. */
static bool keep(struct reader *r, uint8_t byte)
{
	uint8_t utf8[4] = { byte };

	return tfr_buf_append(&r->h->names, utf8, r->latin ? tfr_utf8_put(utf8, byte) : 1);
}

/* Parses a text, in which only a quote and a backslash can be escaped, into `names` with its
 * NUL. */
static enum tfr_status text(struct reader *r, size_t *name)
{
	struct tfr_buf *names = &r->h->names;
	char quote;

	*name = names->size;
	skip_blanks(r);
	if (r->p == r->end || (*r->p != '\'' && *r->p != '"'))
		return broken(r, "a value that is not a text");
	for (quote = *r->p++; r->p < r->end && *r->p != quote; r->p++) {
		if (*r->p == '\\') {
			r->p++;
			if (r->p == r->end || (*r->p != '\\' && *r->p != '\'' && *r->p != '"'))
				return broken(r, "an unknown escape");
		}
		if (!*r->p)
			return broken(r, "a NUL in a text");
		if (!keep(r, (uint8_t)*r->p))
			return tfr_fail_nomem(r->err, "reading arrays");
	}
	if (r->p == r->end)
		return broken(r, "a text that does not end");
	r->p++;
	return tfr_buf_append(names, "", 1) ? TFR_OK : tfr_fail_nomem(r->err, "reading arrays");
}

static enum tfr_status number(struct reader *r, uint64_t *value)
{
	*value = 0;
	skip_blanks(r);
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
static enum tfr_status shape(struct reader *r, uint64_t *dims, unsigned *n)
{
	*n = 0;
	if (!takes(r, '(')) {
		*n = 1;
		return number(r, dims);
	}
	while (!takes(r, ')')) {
		if (*n == TFR_CELL_DIMS)
			return broken(r, "more than 32 dimensions");
		TFR_TRY(number(r, &dims[(*n)++]));
		if (!takes(r, ','))
			return expect(r, ')');
	}
	return TFR_OK;
}

/* --- types of elements --- */

/* Types that Examples cannot hold, by NumPy's letters. */
static const char *stranger(char letter)
{
	switch (letter) {
	case 'c':
		return "complex numbers";
	case 'O':
		return "Python objects, which are pickled";
	case 'M':
		return "dates (datetime64)";
	case 'm':
		return "spans of time (timedelta64)";
	case 'V':
		return "raw bytes (void)";
	default:
		return NULL;
	}
}

static bool set_cell(struct tfr_npy_field *f, char letter)
{
	unsigned n = f->size;
	bool whole = n == 1 || n == 2 || n == 4 || n == 8;

	switch (letter) {
	case 'b':
		f->cell = TFR_CELL_BOOL;
		return n == 1;
	case 'i':
		f->cell = TFR_CELL_INT;
		return whole;
	case 'u':
		f->cell = TFR_CELL_UINT;
		return whole;
	case 'f':
		f->cell = TFR_CELL_FLOAT;
		return whole && n > 1;
	case 'S':
	case 'a':
		f->cell = TFR_CELL_BYTES;
		return true;
	case 'U':
		f->cell = TFR_CELL_UCS4;
		f->size *= 4;
		return true;
	default:
		return false;
	}
}

/* Parses "<f8": a byte order, a letter and a size.  A blank is a void without a name. */
static enum tfr_status type(struct reader *r, struct tfr_npy_field *f, bool *blank)
{
	const char *name = (const char *)r->h->names.data + f->name;
	const char *letter = strchr("<>|=", *name) && *name ? name + 1 : name, *p = letter;
	unsigned long size = 0;

	f->swapped = *name == '>';
	if (*p)
		p++;
	for (; *p >= '0' && *p <= '9' && size < INT32_MAX / 64; p++)
		size = size * 10 + (unsigned)(*p - '0');
	f->size = (unsigned)size;
	if (*blank && *letter == 'V' && !*p && p > letter + 1)
		return TFR_OK;
	*blank = false;
	if (stranger(*letter))
		return tfr_fail(r->err, TFR_EDATA, "it has %s ('%.40s')", stranger(*letter), name);
	if (*p || !set_cell(f, *letter))
		return tfr_fail(r->err, TFR_EDATA, "it has elements of the type '%.40s'", name);
	return TFR_OK;
}

static enum tfr_status count_in(struct reader *r, const struct tfr_npy_field *f)
{
	uint64_t bytes = f->size;

	for (unsigned i = 0; i < f->n_dims; i++)
		if (__builtin_mul_overflow(bytes, f->dims[i], &bytes))
			bytes = UINT64_MAX;
	if (bytes > TFR_ITEM_MOST || r->h->element + bytes > TFR_ITEM_MOST)
		return tfr_fail(r->err, TFR_EDATA, "an element of it is larger than 2 GiB");
	r->h->element += (size_t)bytes;
	return TFR_OK;
}

static enum tfr_status fields(struct reader *r, size_t prefix);

static enum tfr_status add_field(struct reader *r, const struct tfr_npy_field *f)
{
	if (tfr_npy_field_count(r->h) == TFR_NPY_FIELDS)
		return tfr_fail(r->err, TFR_EDATA, "it has more than %d fields", TFR_NPY_FIELDS);
	return tfr_buf_append(&r->h->fields_, f, sizeof(*f))
		       ? TFR_OK
		       : tfr_fail_nomem(r->err, "reading arrays");
}

/* Parses the name of a field: "name", or with a title ("title", "name"). */
static enum tfr_status field_name(struct reader *r, size_t *name)
{
	if (!takes(r, '('))
		return text(r, name);
	TFR_TRY(text(r, name));
	TFR_TRY(expect(r, ','));
	TFR_TRY(text(r, name));
	return expect(r, ')');
}

/* Puts "prefix/name" into `names`, and its offset into *name. */
static enum tfr_status join(struct reader *r, size_t prefix, size_t *name)
{
	struct tfr_buf *names = &r->h->names;
	size_t above, n;

	if (prefix == SIZE_MAX)
		return TFR_OK;
	above = strlen((char *)names->data + prefix);
	n = strlen((char *)names->data + *name) + 1;
	if (above + n > 4096)
		return broken(r, "a name that is too long");
	if (!tfr_buf_reserve(names, above + 1 + n))
		return tfr_fail_nomem(r->err, "reading arrays");
	memcpy(names->data + names->size, names->data + prefix, above);
	names->data[names->size + above] = '/';
	memcpy(names->data + names->size + above + 1, names->data + *name, n);
	*name = names->size;
	names->size += above + 1 + n;
	return TFR_OK;
}

/* Parses "('name', '<f4', (2,))" after its bracket. */
static enum tfr_status field(struct reader *r, size_t prefix)
{
	struct tfr_npy_field f = { .at = r->h->element };
	size_t name;
	bool blank;

	TFR_TRY(field_name(r, &name));
	TFR_TRY(expect(r, ','));
	blank = !r->h->names.data[name];
	TFR_TRY(join(r, prefix, &name));
	if (takes(r, '[')) {
		TFR_TRY(fields(r, name));
		if (takes(r, ','))
			return tfr_fail(r->err, TFR_EDATA, "its field '%s' is an array of fields",
				(const char *)r->h->names.data + name);
		return expect(r, ')');
	}
	TFR_TRY(text(r, &f.name));
	TFR_TRY(type(r, &f, &blank));
	f.name = name;
	if (takes(r, ',') && !sees(r, ')'))
		TFR_TRY(shape(r, f.dims, &f.n_dims));
	TFR_TRY(expect(r, ')'));
	TFR_TRY(count_in(r, &f));
	return blank ? TFR_OK : add_field(r, &f);
}

/* Parses a list of fields after its bracket. */
static enum tfr_status fields(struct reader *r, size_t prefix)
{
	if (++r->depth > NESTED)
		return broken(r, "fields nested too deep");
	while (!takes(r, ']')) {
		TFR_TRY(expect(r, '('));
		TFR_TRY(field(r, prefix));
		if (!takes(r, ',')) {
			TFR_TRY(expect(r, ']'));
			break;
		}
	}
	r->depth--;
	return TFR_OK;
}

static enum tfr_status descr(struct reader *r)
{
	struct tfr_npy_field f = { 0 };
	bool blank = false;

	if (takes(r, '[')) {
		r->h->structured = true;
		return fields(r, SIZE_MAX);
	}
	TFR_TRY(text(r, &f.name));
	TFR_TRY(type(r, &f, &blank));
	TFR_TRY(count_in(r, &f));
	return add_field(r, &f);
}

/* --- the dictionary --- */

enum { DESCR = 1, ORDER = 2, SHAPE = 4 };

static enum tfr_status member(struct reader *r, unsigned *seen)
{
	const char *key;
	size_t name;
	unsigned which;

	TFR_TRY(text(r, &name));
	TFR_TRY(expect(r, ':'));
	key = (const char *)r->h->names.data + name;
	which = !strcmp(key, "descr")		? DESCR
		: !strcmp(key, "fortran_order") ? ORDER
		: !strcmp(key, "shape")		? SHAPE
						: 0;
	if (!which || *seen & which)
		return broken(r, which ? "a repeated member" : "an unknown member");
	*seen |= which;
	if (which == DESCR)
		return descr(r);
	if (which == SHAPE && !sees(r, '('))
		return broken(r, "no shape");
	if (which == SHAPE)
		return shape(r, r->h->dims, &r->h->n_dims);
	r->h->fortran = takes_word(r, "True");
	return r->h->fortran || takes_word(r, "False") ? TFR_OK : broken(r, "a value that is neither True nor False");
}

static enum tfr_status dictionary(struct reader *r)
{
	unsigned seen = 0;

	TFR_TRY(expect(r, '{'));
	while (!takes(r, '}')) {
		TFR_TRY(member(r, &seen));
		if (!takes(r, ',')) {
			TFR_TRY(expect(r, '}'));
			break;
		}
	}
	skip_blanks(r);
	if (r->p < r->end)
		return broken(r, "more than a dictionary");
	return seen == (DESCR | ORDER | SHAPE) ? TFR_OK : broken(r, "too few members");
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
	status = dictionary(&r);
	h->single = !status && !h->n_dims;
	if (h->single)
		status = tfr_fail(err, TFR_EDATA, "it is a single value, without rows");
	if (!status && !tfr_npy_field_count(h))
		status = tfr_fail(err, TFR_EDATA, "its elements have no fields");
	return status;
}

void tfr_npy_clear(struct tfr_npy *h)
{
	tfr_buf_clear(&h->names);
	tfr_buf_clear(&h->fields_);
	*h = (struct tfr_npy){ 0 };
}
