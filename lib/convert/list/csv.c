/* convert/list/csv.c - a line without quotes is split where it is; every other line is libcsv's.
 *
 * libcsv receives one line at a time.  A row is complete after the line for which libcsv reports
 * its end; until then a quote is open, and even an empty line belongs to a cell. */
#include "convert/list/csv.h"

#include <assert.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
	BLOCK = 16,	      /* bytes that are compared at a time */
	CELL_STEP = 16 << 10, /* bytes by which a long cell grows */
};

static int no_space(unsigned char c)
{
	(void)c; /* blanks belong to the cell (RFC 4180, 2.4) */
	return 0;
}

bool tfr_csv_open(struct tfr_csv *c, char delimiter)
{
	*c = (struct tfr_csv){ .delimiter = delimiter };
	if (csv_init(&c->parser, CSV_STRICT | CSV_EMPTY_IS_NULL))
		return false;
	csv_set_space_func(&c->parser, no_space);
	/* By default its buffer grows by 128 bytes at a time, which is quadratic for a long cell
	 * where realloc() copies. */
	csv_set_blk_size(&c->parser, CELL_STEP);
	csv_set_delim(&c->parser, (unsigned char)delimiter);
	c->open = true;
	return true;
}

void tfr_csv_close(struct tfr_csv *c)
{
	if (c->open)
		csv_free(&c->parser);
	tfr_buf_clear(&c->text);
	tfr_buf_clear(&c->cells_);
	*c = (struct tfr_csv){ 0 };
}

void tfr_csv_reset(struct tfr_csv *c)
{
	bool within = c->begun;

	c->text.size = c->cells_.size = c->n = 0;
	c->rows = 0;
	c->base = NULL;
	c->begun = c->failed = false;
	/* A row that broke off leaves the parser within it. */
	if (within)
		csv_fini(&c->parser, NULL, NULL, NULL);
}

static void add_cell(void *text, size_t size, void *ctx)
{
	struct tfr_csv *c = ctx;
	struct tfr_cell cell = { .at = c->text.size, .size = size, .absent = !text };

	if (c->failed || !tfr_buf_reserve(&c->text, size + 1) ||
		!tfr_buf_append(&c->cells_, &cell, sizeof(cell))) {
		c->failed = true;
		return;
	}
	if (size)
		memcpy(c->text.data + c->text.size, text, size);
	c->text.data[c->text.size + size] = '\0';
	c->text.size += size + 1;
	c->n++;
}

static void end_row(int terminator, void *ctx)
{
	struct tfr_csv *c = ctx;

	(void)terminator;
	c->rows++;
}

/* ---- rows without quotes ---- */

/* Which of `n` bytes are delimiters, a bit for each; *odd: which are a quote or a carriage
 * return.  `begun`: that many bytes of the same line are before them. */
static inline unsigned find_delimiters(
	const char *p, size_t n, size_t begun, char delimiter, unsigned *odd)
{
	unsigned found = 0;

	assert(n <= BLOCK);
	*odd = 0;
#if defined(__SSE2__)
	/* The last block of a line begins in the one before it. */
	if (begun + n >= BLOCK) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + n - BLOCK));
		__m128i quotes = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
			_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));

		*odd = (unsigned)_mm_movemask_epi8(quotes) >> (BLOCK - n);
		return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(delimiter))) >>
		       (BLOCK - n);
	}
#else
	(void)begun;
#endif
	for (size_t i = 0; i < n; i++) {
		found |= (unsigned)(p[i] == delimiter) << i;
		*odd |= (unsigned)(p[i] == '"' || p[i] == '\r') << i;
	}
	return found;
}

static inline struct tfr_cell cell_between(size_t from, size_t to)
{
	return (struct tfr_cell){ from, to - from, from == to };
}

/* Splits a line without its end.  False: it has a quote or a carriage return, and no cell was
 * taken, or memory is lacking, and c->failed. */
static bool split(struct tfr_csv *c, const char *line, size_t size)
{
	size_t from = 0, cells = 0, n;
	unsigned odd;

	c->base = line;
	for (size_t at = 0; at < size; at += n) {
		size_t needed = (cells + BLOCK + 1) * sizeof(struct tfr_cell);
		struct tfr_cell *list;
		unsigned found;

		n = size - at < BLOCK ? size - at : BLOCK;
		found = find_delimiters(line + at, n, at, c->delimiter, &odd);
		c->cells_.size = cells * sizeof(*list);
		c->failed |= needed > c->cells_.cap &&
			     !tfr_buf_reserve(&c->cells_, needed - c->cells_.size);
		if (c->failed || odd) {
			c->cells_.size = 0;
			return false;
		}
		list = (struct tfr_cell *)(void *)c->cells_.data;
		for (; found; found &= found - 1) {
			size_t to = at + (size_t)__builtin_ctz(found);

			list[cells++] = cell_between(from, to);
			from = to + 1;
		}
	}
	((struct tfr_cell *)(void *)c->cells_.data)[cells++] = cell_between(from, size);
	c->n = cells;
	c->cells_.size = cells * sizeof(struct tfr_cell);
	assert(c->cells_.size <= c->cells_.cap);
	return true;
}

/* Whether the line was split.  Of an empty one libcsv knows whether it is a row. */
static bool split_plain(struct tfr_csv *c, const char *line, size_t size)
{
	if (c->careful)
		return false;
	if (size && line[size - 1] == '\n')
		size -= size > 1 && line[size - 2] == '\r' ? 2 : 1;
	return size && split(c, line, size);
}

/* ---- rows with quotes ---- */

static enum tfr_status feed(
	struct tfr_csv *c, const char *bytes, size_t size, struct tfr_error *err)
{
	size_t n = csv_parse(&c->parser, bytes, size, add_cell, end_row, c);

	if (c->failed || (n < size && csv_error(&c->parser) != CSV_EPARSE))
		return tfr_fail_nomem(err, "reading a list");
	if (n < size)
		return tfr_fail(err, TFR_EDATA, "broken quote");
	return TFR_OK;
}

enum tfr_status tfr_csv_line(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err)
{
	bool blank = !c->begun && (size == 0 || line[0] == '\n' || (size == 2 && line[0] == '\r'));
	enum tfr_status status;

	if (!c->begun && split_plain(c, line, size))
		return TFR_OK;
	if (c->failed)
		return tfr_fail_nomem(err, "reading a list");
	c->begun = true;
	status = feed(c, line, size, err);
	if (!status && (!size || line[size - 1] != '\n'))
		status = feed(c, "\n", 1, err);
	c->base = (const char *)c->text.data;
	if (status)
		return status;
	if (c->rows > 1)
		return tfr_fail(err, TFR_EDATA, "a carriage return in the middle of the line");
	return c->rows || blank ? TFR_OK : TFR_END;
}
