/* convert/folder/globs.c - matches a path name by name, so that a star does not match a slash.
 *
 * Only '**' matches several names.  After a mismatch the last one takes one more name, and no
 * earlier one needs another attempt: the last one can take all names that an earlier one could.
 * So the work is at most the number of names in the pattern times that in the path. */
#include "convert/folder/globs.h"

#include <fnmatch.h>
#include <string.h>

enum { NAME = 1024 }; /* longer than any file system's */

static size_t length(const char *text)
{
	return strcspn(text, "/");
}

/* Moves past a name and its slash; NULL after the last one. */
static const char *after(const char *text)
{
	text += length(text);
	return *text ? text + 1 : NULL;
}

static bool is_any(const char *pattern)
{
	return pattern && length(pattern) == 2 && !memcmp(pattern, "**", 2);
}

static bool same_name(const char *pattern, const char *path)
{
	char p[NAME], name[NAME];
	size_t np = length(pattern), n = length(path);

	if (np >= sizeof(p) || n >= sizeof(name))
		return false;
	memcpy(p, pattern, np);
	p[np] = '\0';
	memcpy(name, path, n);
	name[n] = '\0';
	return fnmatch(p, name, 0) == 0;
}

static bool matches_path(const char *pattern, const char *path)
{
	const char *retry_pattern = NULL, *retry_path = NULL;

	for (;;) {
		if (is_any(pattern)) {
			retry_pattern = pattern = after(pattern);
			retry_path = path;
			if (!pattern)
				return true;
		} else if (pattern && path && same_name(pattern, path)) {
			pattern = after(pattern);
			path = after(path);
		} else if (!pattern && !path) {
			return true;
		} else if (retry_path) {
			retry_path = path = after(retry_path);
			pattern = retry_pattern;
		} else {
			return false;
		}
	}
}

bool tfr_glob_matches(const char *pattern, const char *path, bool folder)
{
	size_t n = strlen(pattern);
	char whole[4 * NAME];
	const char *slash, *name;

	if (n >= sizeof(whole))
		return false;
	memcpy(whole, pattern, n + 1);
	if (n && whole[n - 1] == '/') {
		if (!folder)
			return false;
		whole[n - 1] = '\0';
	}
	slash = strchr(whole, '/');
	if (slash)
		return matches_path(whole[0] == '/' ? whole + 1 : whole, path);
	name = strrchr(path, '/');
	return is_any(whole) || same_name(whole, name ? name + 1 : path);
}
