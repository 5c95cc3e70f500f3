/* base/name_list.c - an insertion moves what lies behind it: for thousands of names, not millions. */
#include "base/name_list.h"

#include <stdlib.h>
#include <string.h>

bool tfr_names_insert(struct tfr_names *names, size_t at, const char *name, size_t size)
{
	char *copy;

	if (names->n == names->cap) {
		size_t cap = names->cap ? 2 * names->cap : 64;
		char **list = realloc(names->list, cap * sizeof(*list));

		if (!list)
			return false;
		names->list = list;
		names->cap = cap;
	}
	copy = strndup(name, size);
	if (!copy)
		return false;
	memmove(names->list + at + 1, names->list + at, (names->n - at) * sizeof(*names->list));
	names->list[at] = copy;
	names->n++;
	return true;
}

void tfr_names_clear(struct tfr_names *names)
{
	for (size_t k = 0; k < names->n; k++)
		free(names->list[k]);
	free(names->list);
	*names = (struct tfr_names){ 0 };
}
