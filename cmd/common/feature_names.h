/* cmd/common/feature_names.h - what completion asks the binary itself: names that are in files. */
#ifndef TFR_CMD_COMMON_FEATURE_NAMES_H
#define TFR_CMD_COMMON_FEATURE_NAMES_H

#include <stdbool.h>

/* Prints, a line each, what may stand at the cursor between `before` and `after`: features of the
 * inputs that are on the line, where an option takes such; names of sets, where a word has an @.
 *
 * With `breaks`, bash's COMP_WORDBREAKS, what fits is printed as bash puts it in place of what it
 * replaces, quoted; without, all that there is, as the command would get it: the shell chooses.
 *
 * It reads the first records of the first files, waits for nothing and says nothing else.  False:
 * nothing of this kind stands at the cursor. */
bool names_print(const char *before, const char *after, const char *breaks);

#endif
