/* convert/list/csv.c - a line without quotes is split where it is; any other cell by cell.
 *
 * The caller passes one line at a time.  A row is complete after a line at whose end no quote is
 * open; until then even an empty line belongs to a cell. */
#include "convert/list/list.h"

#include <assert.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLOCK = 16 }; /* bytes that are compared at a time */

enum { BEGIN, PLAIN, QUOTED, CLOSED }; /* tfr_csv.state: where in a cell the next byte is */

void tfr_csv_clear(struct tfr_csv *c)
{
	tfr_buf_clear(&c->text);
	tfr_buf_clear(&c->cells_);
}

void tfr_csv_reset(struct tfr_csv *c)
{
	c->text.size = c->cells_.size = c->n = 0;
	c->base = NULL;
	c->state = BEGIN;
	c->begun = c->failed = false;
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
	return (struct tfr_cell){ (uint32_t)from, (uint32_t)(to - from), from == to };
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

/* ---- rows with quotes ---- */

/* Ends the cell that begins at c->from in the text. */
static void end_cell(struct tfr_csv *c)
{
	struct tfr_cell cell = cell_between(c->from, c->text.size);

	cell.absent &= c->state == BEGIN;
	c->failed |= !tfr_buf_append(&c->cells_, &cell, sizeof(cell));
	c->n++;
	c->from = c->text.size;
	c->state = BEGIN;
}

/* Takes the bytes of a line up to its end, or with it in a quote.  False: a line break within. */
static bool take_bytes(struct tfr_csv *c, const char *line, size_t size)
{
	size_t end = tfr_csv_line_size(line, size), n = c->text.size;
	int state = c->state;
	char *to;

	c->failed |= !tfr_buf_reserve(&c->text, size);
	if (c->failed)
		return true;
	to = (char *)c->text.data;
	for (size_t i = 0; i < size && (i < end || state == QUOTED); i++) {
		char byte = line[i];

		if (byte == '"' && (state == BEGIN || state == QUOTED)) {
			state = state == BEGIN ? QUOTED : CLOSED;
		} else if (state == QUOTED) {
			to[n++] = byte;
		} else if (byte == c->delimiter) {
			c->text.size = n;
			c->state = state;
			end_cell(c);
			state = BEGIN;
		} else if (byte == '\r' || byte == '\n') {
			return false;
		} else {
			to[n++] = byte;
			/* The second quote of two is one that the cell has. */
			state = byte == '"' && state == CLOSED ? QUOTED : PLAIN;
		}
	}
	c->text.size = n;
	c->state = state;
	return true;
}

static enum tfr_status take_quoted(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err)
{
	if (!c->begun)
		c->from = 0;
	c->begun = true;
	if (!take_bytes(c, line, size))
		return tfr_fail(
			err, TFR_EDATA, "a line break of another kind in the middle of the line");
	if (c->state == QUOTED && !c->failed)
		return TFR_END;
	end_cell(c);
	c->base = (const char *)c->text.data;
	return c->failed ? tfr_fail_nomem(err, "reading a list") : TFR_OK;
}

bool tfr_csv_is_na(const char *words, const char *text, size_t size)
{
	for (;;) {
		size_t n = strcspn(words, ",");

		if (n == size && !memcmp(words, text, n))
			return true;
		if (!words[n])
			return false;
		words += n + 1;
	}
}

static void leave_out(struct tfr_csv *c)
{
	struct tfr_cell *cells = (struct tfr_cell *)(void *)c->cells_.data;

	for (size_t i = 0; i < c->n; i++)
		cells[i].absent |= tfr_csv_is_na(c->na, c->base + cells[i].at, cells[i].size);
}

enum tfr_status tfr_csv_line(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err)
{
	size_t end = tfr_csv_line_size(line, size);

	if (!c->begun && !end)
		return TFR_OK;
	if (c->begun || c->careful || !split(c, line, end))
		TFR_TRY(take_quoted(c, line, size, err));
	if (c->na)
		leave_out(c);
	return TFR_OK;
}

char tfr_csv_find_delimiter(const char *line, size_t size)
{
	bool quoted = false;
	char found = ',';

	for (size_t i = 0; i < size; i++) {
		quoted ^= line[i] == '"';
		if (!quoted && line[i] == ',')
			return ',';
		if (!quoted && line[i] == ';')
			found = ';';
	}
	return found;
}
