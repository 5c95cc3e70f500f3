/* cmd/common/shell_words.h - a command line as a shell's user is typing it, taken apart for
 * completion. */
#ifndef TFR_CMD_COMMON_SHELL_WORDS_H
#define TFR_CMD_COMMON_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct line {
	char **words; /* as the command would get them, but for variables and globs */
	size_t n;
	size_t current; /* the word that the cursor is at: no more of it than stands before that */
	char quote;	/* ' or ": open at the cursor; otherwise 0 */
	size_t kept;	/* bytes of that word which the shell leaves alone: it replaces the rest */
};

/* `before` and `after` are what stands before the cursor and behind it; `breaks` the characters
 * that end what bash replaces (COMP_WORDBREAKS).  False: out of memory. */
bool line_split(struct line *l, const char *before, const char *after, const char *breaks);
void line_clear(struct line *l);

#endif
