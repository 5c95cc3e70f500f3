/* cmd/common/table.c - cells are kept as escaped text; widths are computed when all cells are
 * known. */
#include "common/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "common/cmd.h"
#include "common/screen.h"

enum { GAP = 2, CELL_BYTES = 1024, COLUMNS_MAX = 16, HEAD_MOST = 16 };

struct table {
	const struct table_column *columns;
	size_t count;
	char **cells; /* escaped, row by row */
	size_t used, cap;
	bool failed; /* out of memory */
};

/* How a table is laid out on one screen. */
struct layout {
	unsigned width[COLUMNS_MAX]; /* 0: the column is left out */
	size_t count;
};

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *t = calloc(1, sizeof(*t));

	assert(count && count <= COLUMNS_MAX);
	if (t) {
		t->columns = columns;
		t->count = count;
	}
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->used; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}

/* A cell shows at most a screen of columns, so a long text is cut before it is kept.  It is cut at
 * the end, or at the beginning if cells of its column lose their beginning. */
void table_bytes(struct table *t, const void *text, size_t size)
{
	char line[4 * CELL_BYTES + 1];
	const char *from = text;

	if (!t)
		return;
	if (t->used == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 64;
		char **larger = reallocarray(t->cells, cap, sizeof(*larger));

		t->failed |= !larger;
		if (!larger)
			return;
		t->cells = larger;
		t->cap = cap;
	}
	if (size > CELL_BYTES && t->columns[t->used % t->count].kind == TABLE_PATH)
		from += size - CELL_BYTES;
	size = size < CELL_BYTES ? size : CELL_BYTES;
	while (size && from != text && (*from & 0xc0) == 0x80) {
		from++;
		size--;
	}
	tfr_escape_bytes(line, sizeof(line), from, size);
	t->cells[t->used] = strdup(line);
	t->failed |= !t->cells[t->used];
	t->used++;
}

void table_cell(struct table *t, const char *format, ...)
{
	char text[CELL_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_bytes(t, text, strlen(text));
}

void table_count(struct table *t, uint64_t n)
{
	table_cell(t, "%llu", (unsigned long long)n);
}

static unsigned total_width(const struct layout *l)
{
	unsigned total = 0;

	for (size_t i = 0; i < l->count; i++)
		if (l->width[i])
			total += l->width[i] + (total ? GAP : 0);
	return total;
}

/* The widest column whose cells can still be cut; -1: there is none. */
static int widest_text(const struct table *t, const struct layout *l)
{
	int widest = -1;

	for (size_t i = 0; i < t->count; i++) {
		const struct table_column *column = &t->columns[i];
		unsigned least = column->least > TABLE_LEAST ? column->least : TABLE_LEAST;

		if (column->kind != TABLE_NUMBER && l->width[i] > least &&
			(widest < 0 || l->width[i] > l->width[widest]))
			widest = (int)i;
	}
	return widest;
}

/* The next column to drop; -1: there is none. */
static int first_to_drop(const struct table *t, const struct layout *l)
{
	int first = -1;

	for (size_t i = 0; i < t->count; i++)
		if (t->columns[i].drop && l->width[i] &&
			(first < 0 || t->columns[i].drop > t->columns[first].drop))
			first = (int)i;
	return first;
}

static struct layout lay_out(const struct table *t, unsigned screen)
{
	struct layout l = { .count = t->count };
	int i;

	for (size_t k = 0; k < t->count; k++) {
		unsigned head = text_columns(t->columns[k].head, strlen(t->columns[k].head));

		head = head < HEAD_MOST ? head : HEAD_MOST;
		l.width[k] = head > t->columns[k].least ? head : t->columns[k].least;
		l.width[k] = l.width[k] ? l.width[k] : 1;
	}
	for (size_t k = 0; k < t->used; k++) {
		unsigned columns = text_columns(t->cells[k], strlen(t->cells[k]));

		if (columns > l.width[k % t->count])
			l.width[k % t->count] = columns;
	}
	while (total_width(&l) > screen && (i = widest_text(t, &l)) >= 0)
		l.width[i]--;
	while (total_width(&l) > screen && (i = first_to_drop(t, &l)) >= 0)
		l.width[i] = 0;
	return l;
}

static void print_cell(
	const struct table_column *column, const char *text, unsigned width, bool last, FILE *f)
{
	char cut[TEXT_CUT(4 * CELL_BYTES)];
	unsigned columns;

	text = text_cut(text, width, column->kind == TABLE_TEXT ? CUT_END : CUT_BEGINNING, cut);
	columns = text_columns(text, strlen(text));
	if (column->kind == TABLE_NUMBER)
		fprintf(f, "%*s%s", last && !columns ? 0 : (int)(width - columns), "", text);
	else
		fprintf(f, "%s%*s", text, last ? 0 : (int)(width - columns), "");
}

/* `cells` NULL: the heads. */
static void print_row(
	const struct table *t, const struct layout *l, char *const *cells, FILE *f, unsigned indent)
{
	size_t last = t->count;

	while (last && !l->width[last - 1])
		last--;
	fprintf(f, "%*s", (int)indent, "");
	for (size_t i = 0, shown = 0; i < last; i++) {
		if (!l->width[i])
			continue;
		fprintf(f, "%*s", shown++ ? GAP : 0, "");
		print_cell(&t->columns[i], cells ? cells[i] : t->columns[i].head, l->width[i],
			i + 1 == last, f);
	}
	fputc('\n', f);
}

/* Prints the heads and rows, each line after `indent` blanks, within the columns of `f`.  False:
 * out of memory, and nothing is printed. */
static bool table_print(const struct table *t, FILE *f, unsigned indent)
{
	struct layout l;

	if (!t || t->failed)
		return false;
	assert(t->used % t->count == 0);
	l = lay_out(t, screen_columns(f) - indent);
	print_row(t, &l, NULL, f, indent);
	for (size_t i = 0; i < t->used; i += t->count)
		print_row(t, &l, &t->cells[i], f, indent);
	return true;
}

void table_finish(struct cmd *c, struct table *t, FILE *f)
{
	bool printed = table_print(t, f, 0);

	table_free(t);
	if (!printed)
		cmd_no_memory(c);
}
