/* example/print/fit.c - cuts lines so that a terminal of a given width need not wrap them.
 *
 * A line that is too long ends in "…", after a complete value if one ends near the cut.  Columns
 * are counted as terminals do: two for East Asian characters and emoji, none for combining
 * characters, and none for colour sequences. */
#include <string.h>

#include "base/utf8.h"
#include "example/print/print.h"

enum { ESCAPE = '\033', LONGEST_NUMBER = 24 };

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static size_t count_columns(uint32_t c)
{
	static const struct range none[] = { { 0x300, 0x36f }, { 0x200b, 0x200f },
		{ 0x202a, 0x202e }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f } };
	static const struct range two[] = { { 0x1100, 0x115f }, { 0x2e80, 0xa4cf },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd } };

	if (c < 0x300)
		return 1;
	if (in_ranges(none, sizeof(none) / sizeof(none[0]), c))
		return 0;
	return in_ranges(two, sizeof(two) / sizeof(two[0]), c) ? 2 : 1;
}

static uint32_t code_point(const uint8_t *p, size_t len)
{
	uint32_t c = len == 1 ? *p : *p & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

/* The bytes of the next character or colour sequence; adds its columns. */
static size_t step(const uint8_t *p, size_t n, size_t *columns)
{
	size_t len = tfr_utf8_length(p, n);
	const uint8_t *end;

	if (*p == ESCAPE) {
		end = memchr(p, 'm', n);
		return end ? (size_t)(end - p) + 1 : n;
	}
	len = len ? len : 1;
	*columns += count_columns(code_point(p, len));
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
