/* export/column_names.c - the names of all features in a sorted array.  A search starts where the
 * last record's name was found, because records are alike. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/export.h>

#include "base/compare.h"
#include "base/error.h"
#include "base/name_list.h"

static int compare(const char *name, const struct tfr_feature *f)
{
	return tfr_compare_bytes(name, strlen(name), f->key, f->key_size);
}

/* Both are sorted: one pass over the two. */
static bool add_record(struct tfr_names *c, const struct tfr_example *ex)
{
	size_t at = 0;

	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		if (memchr(f->key, 0, f->key_size))
			continue;
		while (at < c->n && compare(c->list[at], f) < 0)
			at++;
		if ((at == c->n || compare(c->list[at], f)) &&
			!tfr_names_insert(c, at, f->key, f->key_size))
			return false;
	}
	return true;
}

enum tfr_status tfr_export_columns(
	struct tfr_select *records, char ***columns, size_t *count, struct tfr_error *err)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_names c = { 0 };
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
	*columns = c.list;
	*count = c.n;
	if (status == TFR_END)
		return TFR_OK;
	tfr_export_columns_free(c.list, c.n);
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
