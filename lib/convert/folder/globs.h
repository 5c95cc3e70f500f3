/* convert/folder/globs.h - patterns that choose files by their paths below a folder, like git's. */
#ifndef TFR_CONVERT_FOLDER_GLOBS_H
#define TFR_CONVERT_FOLDER_GLOBS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the pattern matches a file or a folder.  A pattern without a slash is compared with
 * the last name of a path; one with a slash is compared with the complete path; a slash at the
 * end matches folders only.  '*', '?' and '[…]' match within a name, '**' as a name any number
 * of names, including none. */
bool tfr_glob_matches(const char *pattern, const char *path, bool folder);

#endif
