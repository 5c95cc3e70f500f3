/* base/suffix.h - tests how a name ends. */
#ifndef TFR_BASE_SUFFIX_H
#define TFR_BASE_SUFFIX_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Whether `name` ends with `suffix`; a name ends with itself and with "". */
static inline bool tfr_has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n >= k && !memcmp(name + n - k, suffix, k);
}

/* The same, ignoring the case of letters. */
static inline bool tfr_has_suffix_any_case(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n >= k && !strcasecmp(name + n - k, suffix);
}

/* The name after the last slash of a path. */
static inline const char *tfr_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
