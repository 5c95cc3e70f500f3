/* export/columns.c - the names of all features: a sorted array, looked into from where the last
 * record's name was found, since records are alike. */
#include <stdlib.h>
#include <string.h>

#include <tfr/export.h>

#include "base/error.h"

struct columns {
	char **names; /* sorted */
	size_t n, cap;
};

static int compare(const char *name, const struct tfr_feature *f)
{
	size_t n = strlen(name), m = f->key_size;
	int order = memcmp(name, f->key, n < m ? n : m);

	return order ? order : (n > m) - (n < m);
}

static bool insert(struct columns *c, size_t at, const struct tfr_feature *f)
{
	char *name;

	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		char **names = realloc(c->names, cap * sizeof(*names));

		if (!names)
			return false;
		c->names = names;
		c->cap = cap;
	}
	name = strndup(f->key, f->key_size);
	if (!name)
		return false;
	memmove(c->names + at + 1, c->names + at, (c->n - at) * sizeof(*c->names));
	c->names[at] = name;
	c->n++;
	return true;
}

/* Both are sorted: one walk over the two. */
static bool add_record(struct columns *c, const struct tfr_example *ex)
{
	size_t at = 0;

	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		if (memchr(f->key, 0, f->key_size))
			continue;
		while (at < c->n && compare(c->names[at], f) < 0)
			at++;
		if ((at == c->n || compare(c->names[at], f)) && !insert(c, at, f))
			return false;
	}
	return true;
}

enum tfr_status tfr_export_columns(
	struct tfr_select *records, char ***columns, size_t *count, struct tfr_error *err)
{
	struct tfr_example *ex = tfr_example_new();
	struct columns c = { 0 };
	struct tfr_record rec;
	enum tfr_status status = ex ? TFR_OK : tfr_fail_nomem(err, "listing features");

	while (!status) {
		status = tfr_select_next(records, &rec, err);
		if (!status)
			status = tfr_example_parse(ex, rec.data, rec.size, err);
		if (status == TFR_EDATA)
			status = tfr_select_reject(records, &rec, status, err);
		else if (!status && !add_record(&c, ex))
			status = tfr_fail_nomem(err, "listing features");
	}
	tfr_example_free(ex);
	*columns = c.names;
	*count = c.n;
	if (status == TFR_END)
		return TFR_OK;
	tfr_export_columns_free(c.names, c.n);
	*columns = NULL;
	*count = 0;
	return status;
}

void tfr_export_columns_free(char **columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(columns[i]);
	free(columns);
}
