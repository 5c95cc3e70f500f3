/* cmd/common/screen.h - the width of a line, and text that fits into it. */
#ifndef TFR_CMD_SCREEN_H
#define TFR_CMD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The columns of a line on `f`: those of the terminal; without a terminal, COLUMNS of the
 * environment or 80.  At least 20. */
unsigned screen_columns(FILE *f);
/* The rows of the terminal; 24 without one. */
unsigned screen_rows(FILE *f);
/* Whether the locale's encoding is UTF-8, so that bars may be drawn with block characters. */
bool screen_utf8(void);

/* The columns that `n` bytes of harmless text take: two for wide East Asian characters and emoji,
 * none for combining ones. */
unsigned text_columns(const char *text, size_t n);
/* Cuts harmless text to `columns`, with "…" for what is omitted: the end, or the beginning of a
 * path, because paths differ at their ends.  `out` has TEXT_CUT(columns) bytes. */
enum text_cut { CUT_END, CUT_BEGINNING };
#define TEXT_CUT(columns) (4 * (size_t)(columns) + 32)
const char *text_cut(const char *text, unsigned columns, enum text_cut where, char *out);

/* Prints `label` in `indent` columns and `text` after it, escaped.  The text is wrapped between
 * words into lines of at most screen_columns() and 80; a number stays with its unit.  A word longer
 * than a line is not broken.  `label` may be NULL: the first line is indented like the others.
 * False: out of memory, and the text is missing. */
bool text_field(FILE *f, unsigned indent, const char *label, const char *text);

/* The same for text that is escaped already, with all its blanks. */
void text_field_escaped(FILE *f, unsigned indent, const char *label, const char *text);

/* Writes a bar of `width` columns to `out` (width + 1 bytes): '#' for `full`, '-' for `held`,
 * blanks for the rest.  The two are shares of 1; values out of range are limited. */
char *text_bar(char *out, unsigned width, double full, double held);

#endif
