/* base/name_list.h - names in an array that grows, each a copy. */
#ifndef TFR_BASE_NAME_LIST_H
#define TFR_BASE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct tfr_names {
	char **list;
	size_t n, cap;
};

/* Puts a copy of `size` bytes before the name that is at `at`, or at the end.  False: out of
 * memory, unchanged. */
bool tfr_names_insert(struct tfr_names *names, size_t at, const char *name, size_t size);
void tfr_names_clear(struct tfr_names *names);

#endif
