/* convert/folder/globs.h - patterns that choose files by their paths below a folder, as git's do.
 */
#ifndef TFR_CONVERT_FOLDER_GLOBS_H
#define TFR_CONVERT_FOLDER_GLOBS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file, or a folder, is what the pattern means.  A pattern without a slash is about the
 * last name of a path, wherever it lies; one with a slash is about the whole path; a slash at the
 * end means folders only.  '*', '?' and '[…]' match within a name, '**' as a name any number of
 * names, none too. */
bool tfr_glob_matches(const char *pattern, const char *path, bool folder);

#endif
