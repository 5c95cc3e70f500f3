/* base/names.h - a growing array of names, each of them copied. */
#ifndef TFR_BASE_NAMES_H
#define TFR_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct tfr_names {
	char **list;
	size_t n, cap;
};

/* Inserts a copy of `size` bytes before the name at position `at`, or at the end.  False: out of
 * memory, unchanged. */
bool tfr_names_insert(struct tfr_names *names, size_t at, const char *name, size_t size);
/* The order of bytes. */
void tfr_names_sort(struct tfr_names *names);
/* For qsort() and bsearch() of pointers to texts. */
int tfr_compare_names(const void *a, const void *b);
void tfr_names_clear(struct tfr_names *names);
#define TFR_AUTO_NAMES __attribute__((cleanup(tfr_names_clear))) struct tfr_names

#endif
