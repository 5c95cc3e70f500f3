/* cmd/common/screen.h - how wide a line may be, and text that fits into it. */
#ifndef TFR_CMD_SCREEN_H
#define TFR_CMD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The columns of a line on `f`: those of the terminal; where it is none, COLUMNS of the environment
 * or 80.  At least 20. */
unsigned screen_columns(FILE *f);
/* The rows of the terminal; 24 where it is none. */
unsigned screen_rows(FILE *f);
/* Whether the locale's encoding is UTF-8, so that bars may be drawn with block characters. */
bool screen_utf8(void);

/* The columns that `n` bytes of harmless text take: two for wide East Asian characters and emoji,
 * none for combining ones. */
unsigned text_columns(const char *text, size_t n);
/* The length in bytes of the longest prefix that takes at most `columns`, and at most four bytes
 * for each of them. */
size_t text_fit(const char *text, unsigned columns);
/* Cuts harmless text to `columns`, with "…" in place of what is left out: the end, or, of a path,
 * the beginning, since paths differ at their ends.  `out` has TEXT_CUT(columns) bytes. */
enum text_cut { CUT_END, CUT_BEGINNING };
#define TEXT_CUT(columns) (4 * (size_t)(columns) + 32)
const char *text_cut(const char *text, unsigned columns, enum text_cut where, char *out);

/* Prints `label` in `indent` columns and `text` after it, escaped, wrapped between words in lines
 * of at most screen_columns() and 80; a number stays with its unit.  A word longer than a line is
 * not broken.  `label` may be NULL: the first line is indented as the others. */
void text_field(FILE *f, unsigned indent, const char *label, const char *text);

/* The same of text that is escaped already, with all its blanks. */
void text_field_escaped(FILE *f, unsigned indent, const char *label, const char *text);

/* A bar of `width` columns into `out` (width + 1 bytes): '#' for `full`, '-' for `held`, blanks for
 * the rest.  The two are shares of 1; what is out of range is limited. */
char *text_bar(char *out, unsigned width, double full, double held);

#endif
