/* base/names.c - names in the order that the caller gives them.  An insertion moves the
 * names after it, which is fast enough for thousands of names, but not for millions. */
#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool tfr_names_insert(struct tfr_names *names, size_t at, const char *name, size_t size)
{
	char *copy;

	assert(at <= names->n);
	if (TFR_ARRAY_RESERVE(names->list, names->cap, names->n + 1))
		return false;
	copy = strndup(name, size);
	if (!copy)
		return false;
	memmove(names->list + at + 1, names->list + at, (names->n - at) * sizeof(*names->list));
	names->list[at] = copy;
	names->n++;
	return true;
}

int tfr_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tfr_names_sort(struct tfr_names *names)
{
	if (names->n)
		qsort((void *)names->list, names->n, sizeof(*names->list), tfr_compare_names);
}

void tfr_names_clear(struct tfr_names *names)
{
	for (size_t k = 0; k < names->n; k++)
		free(names->list[k]);
	free(names->list);
	*names = (struct tfr_names){ 0 };
}
