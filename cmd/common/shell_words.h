/* cmd/common/shell_words.h - splits an unfinished command line into words, for completion. */
#ifndef TFR_CMD_COMMON_SHELL_WORDS_H
#define TFR_CMD_COMMON_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct line {
	char **words; /* as the command would get them, except for variables and patterns */
	size_t n;
	size_t current; /* the word at the cursor, up to the cursor */
	char quote;	/* the quote that is open at the cursor: ' or ", else 0 */
	size_t kept;	/* bytes of that word that the shell keeps; it replaces the rest */
};

/* `before` and `after` are the text before and after the cursor; `breaks` are the characters
 * that end the part that bash replaces (COMP_WORDBREAKS).  False: out of memory. */
bool line_split(struct line *l, const char *before, const char *after, const char *breaks);
void line_clear(struct line *l);

#endif
