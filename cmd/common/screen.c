/* cmd/common/screen.c - the width of a line, and text that fits into it.
 *
 * Columns are counted by tfr_text_step().  wcwidth() needs a locale, and the process uses
 * the C locale so that numbers have a decimal point.  Text is escaped before it is measured: it is
 * valid UTF-8 without control characters. */
#include "common/screen.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

/* CHARACTER: the most bytes for each column, which bounds runs of combining characters. */
enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 1000, COLUMNS_PROSE = 80, CHARACTER = 4 };

static unsigned limit_columns(long columns)
{
	if (columns < COLUMNS_LEAST)
		return COLUMNS_LEAST;
	return columns < COLUMNS_MOST ? (unsigned)columns : COLUMNS_MOST;
}

unsigned screen_columns(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!ioctl(fileno(f), TIOCGWINSZ, &size) && size.ws_col)
		return limit_columns(size.ws_col);
	if (columns && isdigit((unsigned char)*columns))
		return limit_columns(strtol(columns, NULL, 10));
	return 80;
}

unsigned screen_rows(FILE *f)
{
	struct winsize size;

	return !ioctl(fileno(f), TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : 24;
}

bool screen_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

unsigned text_columns(const char *text, size_t n)
{
	unsigned all = 0, columns;

	for (size_t size; n; text += size, n -= size) {
		size = tfr_text_step(text, n, &columns);
		all += columns;
	}
	return all;
}

/* The length in bytes of the longest prefix that takes at most `columns`, and at most four bytes
 * for each of them. */
static size_t text_fit(const char *text, unsigned columns)
{
	size_t n = strlen(text), at = 0;
	unsigned used = 0, more;

	while (at < n) {
		size_t size = tfr_text_step(text + at, n - at, &more);

		if (used + more > columns || at + size > CHARACTER * columns)
			break;
		used += more;
		at += size;
	}
	return at;
}

const char *text_cut(const char *text, unsigned columns, enum text_cut where, char *out)
{
	size_t n = strlen(text), at = 0;
	unsigned left = text_columns(text, n), one;

	assert(columns);
	if (where == CUT_END && (left > columns || n > CHARACTER * columns))
		n = text_fit(text, columns - 1);
	for (; where == CUT_BEGINNING &&
		(left > columns - (at > 0) || n - at > CHARACTER * columns);
		left -= one)
		at += tfr_text_step(text + at, n - at, &one);
	snprintf(out, TEXT_CUT(columns), "%s%.*s%s", at ? "…" : "", (int)(n - at), text + at,
		text[n] ? "…" : "");
	return out;
}

/* The length of the word at `text`, which does not start with a blank: "12 ms" is one word. */
static size_t word_size(const char *text)
{
	size_t n = strcspn(text, " ");

	if (isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[n - 1]) && text[n] &&
		isalpha((unsigned char)text[n + 1]))
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

/* `one_blank`: print one blank between words, however many the text has. */
static void put_words(FILE *f, unsigned indent, const char *label, const char *text, bool one_blank)
{
	unsigned width = screen_columns(f), column = indent;

	width = width < COLUMNS_PROSE ? width : COLUMNS_PROSE;
	fprintf(f, "%-*s", (int)indent, label ? label : "");
	for (const char *word = text + strspn(text, " "); *word;) {
		size_t n = word_size(word), blanks = strspn(word + n, " ");

		if (column > indent && column + text_columns(word, n) > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		}
		fwrite(word, 1, n, f);
		column += text_columns(word, n);
		word += n + blanks;
		if (!*word)
			break;
		blanks = one_blank ? 1 : blanks;
		if (column + blanks + text_columns(word, word_size(word)) > width)
			blanks = 0, column = width; /* the next word begins a line */
		column += (unsigned)fprintf(f, "%*s", (int)blanks, "");
	}
	fputc('\n', f);
}

bool text_field(FILE *f, unsigned indent, const char *label, const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *line = malloc(size);

	put_words(f, indent, label, line ? tfr_escape_line(line, size, text) : "", true);
	free(line);
	return line;
}

void text_field_escaped(FILE *f, unsigned indent, const char *label, const char *text)
{
	put_words(f, indent, label, text, false);
}

static double limit_share(double share, double most)
{
	return share > 0 ? share < most ? share : most : 0;
}

char *text_bar(char *out, unsigned width, double full, double held)
{
	unsigned end, last;

	full = limit_share(full, 1);
	held = limit_share(held, 1 - full);
	end = (unsigned)(full * width + 0.5);
	last = (unsigned)((full + held) * width + 0.5);
	assert(end <= last && last <= width);
	memset(out, '#', end);
	memset(out + end, '-', last - end);
	memset(out + last, ' ', width - last);
	out[width] = '\0';
	return out;
}
