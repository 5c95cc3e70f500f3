/* shard/class_map.c - a class map in memory, its comparison with another, and the text of a labels
 * file. */
#include "shard/class_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

bool tfr_class_map_add(struct tfr_class_map *m, const char *text, size_t size, int64_t label)
{
	if (!size || memchr(text, '\0', size))
		return true;
	if (TFR_ARRAY_RESERVE(m->list, m->cap, m->n + 1))
		return false;
	m->list[m->n].text = strndup(text, size);
	m->list[m->n].label = label;
	m->sorted = false;
	return m->list[m->n].text && ++m->n;
}

static int compare_texts(const void *a, const void *b)
{
	const struct tfr_class_entry *x = a, *y = b;
	int c = strcmp(x->text, y->text);

	return c ? c : (x->label > y->label) - (x->label < y->label);
}

void tfr_class_map_sort(struct tfr_class_map *m)
{
	size_t n = 0;

	if (m->n)
		qsort(m->list, m->n, sizeof(*m->list), compare_texts);
	for (size_t i = 0; i < m->n; i++) {
		if (n && !strcmp(m->list[n - 1].text, m->list[i].text))
			free(m->list[i].text);
		else
			m->list[n++] = m->list[i];
	}
	m->n = n;
	m->sorted = true;
}

void tfr_class_map_clear(struct tfr_class_map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->list[i].text);
	free(m->list);
	*m = (struct tfr_class_map){ 0 };
}

size_t tfr_class_map_conflicts(const struct tfr_class_map *m, const struct tfr_class_map *other,
	const struct tfr_class_entry **a, const struct tfr_class_entry **b)
{
	size_t common = 0, conflicts = 0, least = m->n < other->n ? m->n : other->n;

	for (size_t i = 0, k = 0; i < m->n && k < other->n;) {
		int c = strcmp(m->list[i].text, other->list[k].text);

		if (!c) {
			common++;
			if (m->list[i].label != other->list[k].label && !conflicts++) {
				*a = &m->list[i];
				*b = &other->list[k];
			}
		}
		i += c <= 0;
		k += c >= 0;
	}
	return 2 * common >= least ? conflicts : 0;
}

/* --- the text of a labels file --- */

/* LABEL:NAME */
static bool parse_line(const char *line, size_t size, int64_t *label, size_t *name)
{
	char copy[24] = "", *end;

	memcpy(copy, line, size < sizeof(copy) ? size : sizeof(copy) - 1);
	if (size < 3 || !strchr("-0123456789", *copy))
		return false;
	errno = 0;
	*label = strtoll(copy, &end, 10);
	*name = (size_t)(end - copy) + 1;
	return !errno && end > copy && *end == ':' && *name < size;
}

enum tfr_status tfr_class_map_parse(
	struct tfr_class_map *m, const char *text, size_t size, struct tfr_error *err)
{
	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t name = 0, bare;
		int64_t label;

		n = end ? (size_t)(end - text) - at : size - at;
		bare = n && text[at + n - 1] == '\r' ? n - 1 : n;
		if (!bare)
			continue;
		if (!parse_line(text + at, bare, &label, &name))
			return TFR_END;
		TFR_NEED_MEMORY(tfr_class_map_add(m, text + at + name, bare - name, label), err,
			"reading the classes of a set");
	}
	tfr_class_map_sort(m);
	return m->n ? TFR_OK : TFR_END;
}
