/* convert/folder/class_names.c - a sorted array: there are thousands of classes at most, and
 * equal ones often follow each other. */
#include "convert/folder/class_names.h"

#include <stdlib.h>
#include <string.h>

/* Compares the C string `a` with `size` bytes at `b`. */
static int compare(const char *a, const char *b, size_t size)
{
	int order = strncmp(a, b, size);

	return order ? order : a[size] != '\0';
}

/* The position of a name, or the position at which to insert it. */
static size_t place(const struct tfr_class_names *c, const char *name, size_t size)
{
	size_t low = 0, high = c->sorted.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare(c->sorted.list[middle], name, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool tfr_class_names_add(struct tfr_class_names *c, const char *name, size_t size)
{
	size_t at;

	if (c->last < c->sorted.n && !compare(c->sorted.list[c->last], name, size))
		return true;
	at = c->last = place(c, name, size);
	if (at < c->sorted.n && !compare(c->sorted.list[at], name, size))
		return true;
	return tfr_names_insert(&c->sorted, at, name, size);
}

uint32_t tfr_class_names_find(const struct tfr_class_names *c, const char *name, size_t size)
{
	size_t at = place(c, name, size);

	return at < c->sorted.n && !compare(c->sorted.list[at], name, size) ? (uint32_t)at
									    : TFR_NO_CLASS;
}

bool tfr_class_names_number(struct tfr_class_names *c, struct tfr_input *in)
{
	free(c->classes);
	c->classes = calloc(c->sorted.n + 1, sizeof(*c->classes));
	if (!c->classes)
		return false;
	for (size_t k = 0; k < c->sorted.n; k++)
		c->classes[k] = (struct tfr_class){ .label = in->opts->classes.base + (int64_t)k,
			.text = c->sorted.list[k] };
	in->classes = c->classes;
	in->n_classes = c->sorted.n;
	return true;
}

void tfr_class_names_clear(struct tfr_class_names *c)
{
	tfr_names_clear(&c->sorted);
	free(c->classes);
	*c = (struct tfr_class_names){ 0 };
}
