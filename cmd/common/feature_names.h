/* cmd/common/feature_names.h - completion of names that are in files. */
#ifndef TFR_CMD_COMMON_FEATURE_NAMES_H
#define TFR_CMD_COMMON_FEATURE_NAMES_H

#include <stdbool.h>

struct opt;

/* Prints the candidates for the word between `before` and `after` the cursor, one per line.  For an
 * option that takes features, they are the features of the inputs on the line; for a word with an
 * @, the names of sets.
 *
 * With `breaks`, which is bash's COMP_WORDBREAKS, only matching names are printed, quoted, as
 * bash inserts them.  Without it, all names are printed unquoted, and the shell chooses.  Reads
 * only the first records of the first files, never blocks, and prints nothing else.  False: the
 * word at the cursor is of another kind. */
bool names_print(const char *before, const char *after, const char *breaks);

/* The mark in a row's words: ":feature" of "content|:feature".  NULL: the argument takes no names. */
const char *names_mark(const struct opt *o);

#endif
