/* example/print/fit.c - cuts lines so that a terminal of a given width need not wrap them.
 *
 * A line that is too long ends in "…", after a complete value if one ends near the cut.  Columns
 * are counted as terminals do: two for East Asian characters and emoji, none for combining
 * characters, and none for colour sequences. */
#include <string.h>

#include "base/utf8.h"
#include "example/print/print.h"

enum { ESCAPE = '\033', LONGEST_NUMBER = 24 };

/* Ranges of code points with another width than one column (Unicode's EastAsianWidth W and F, and
 * the blocks of combining marks), in order. */
static const struct width {
	uint32_t first, last;
	unsigned columns;
} widths[] = {
	{ 0x300, 0x36f, 0 },
	{ 0x1100, 0x115f, 2 },
	{ 0x200b, 0x200f, 0 },
	{ 0x202a, 0x202e, 0 },
	{ 0x20d0, 0x20ff, 0 },
	{ 0x2e80, 0x303e, 2 },
	{ 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 },
	{ 0xf900, 0xfaff, 2 },
	{ 0xfe00, 0xfe0f, 0 },
	{ 0xfe30, 0xfe6f, 2 },
	{ 0xff00, 0xff60, 2 },
	{ 0xffe0, 0xffe6, 2 },
	{ 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1f6ff, 2 },
	{ 0x1f900, 0x1f9ff, 2 },
	{ 0x1fa70, 0x1faff, 2 },
	{ 0x20000, 0x3fffd, 2 },
};

size_t tfr_text_step(const void *text, size_t n, unsigned *columns)
{
	const uint8_t *p = text;
	size_t len = tfr_utf8_length(p, n);
	uint32_t point = *p;

	len = len ? len : 1;
	if (len > 1)
		point = *p & (0x7fu >> len);
	for (size_t i = 1; i < len; i++)
		point = point << 6 | (p[i] & 0x3f);
	*columns = 1;
	for (size_t i = 0; point >= widths[0].first && i < sizeof(widths) / sizeof(*widths); i++)
		if (point >= widths[i].first && point <= widths[i].last)
			*columns = widths[i].columns;
	return len;
}

/* The bytes of the next character or colour sequence; adds its columns. */
static size_t step(const uint8_t *p, size_t n, size_t *columns)
{
	const uint8_t *end = *p == ESCAPE ? memchr(p, 'm', n) : NULL;
	unsigned of_one;
	size_t len;

	if (*p == ESCAPE)
		return end ? (size_t)(end - p) + 1 : n;
	len = tfr_text_step(p, n, &of_one);
	*columns += of_one;
	return len;
}

static size_t line_start(const struct tfr_printer *p)
{
	const uint8_t *end = memrchr(p->text.data, '\n', p->text.size);

	return end ? (size_t)(end - p->text.data) + 1 : 0;
}

size_t tfr_print_room(const struct tfr_printer *p)
{
	size_t columns = 0;

	if (!p->opts.columns)
		return SIZE_MAX;
	for (size_t i = line_start(p); i < p->text.size;)
		i += step(p->text.data + i, p->text.size - i, &columns);
	return columns < p->opts.columns ? p->opts.columns - columns : 0;
}

bool tfr_print_goes(struct tfr_bytes text, size_t room)
{
	size_t columns = 2;

	for (size_t i = 0; i < text.size && columns <= room;)
		i += step(text.data + i, text.size - i, &columns);
	return columns <= room;
}

bool tfr_print_fit(struct tfr_printer *p)
{
	size_t columns = 0, cut = 0, value = 0, value_columns = 0, cut_columns = 0;
	const uint8_t *text = p->text.data;

	if (!p->opts.columns)
		return true;
	for (size_t i = line_start(p); i < p->text.size;) {
		if (columns + 1 <= p->opts.columns) { /* leaves room for "…" */
			cut = i;
			cut_columns = columns;
			if (text[i] != ' ' && i > 2 && !memcmp(text + i - 2, ", ", 2)) {
				value = i;
				value_columns = columns;
			}
		}
		i += step(text + i, p->text.size - i, &columns);
	}
	if (columns <= p->opts.columns)
		return true;
	if (value && value_columns + LONGEST_NUMBER > cut_columns)
		cut = value;
	p->text.size = cut;
	return tfr_buf_printf(&p->text, "…%s", p->opts.colour ? "\033[0m" : "");
}
