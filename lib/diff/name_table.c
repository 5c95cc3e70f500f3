/* diff/name_table.c - an array of names, indexed by hash. */
#include "diff/name_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"

enum tfr_status tfr_name_table_number(struct tfr_name_table *names, const char *text, size_t size,
	uint32_t *number, struct tfr_error *err)
{
	uint64_t hash = XXH3_64bits(text, size);
	struct tfr_hash_probe p = tfr_hash_probe(hash);
	char *copy = NULL;

	while (tfr_hash_next(&names->index, &p, number)) {
		const struct tfr_table_name *name = &names->list[*number];

		assert(*number < names->n);
		if (name->size == size && !memcmp(name->text, text, size))
			return TFR_OK;
	}
	if (names->n == TFR_NAME_TABLE_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %d features", TFR_NAME_TABLE_MAX);
	if (!TFR_ARRAY_RESERVE(names->list, names->cap, names->n + 1u))
		copy = malloc(size + 1);
	if (!copy || tfr_hash_add(&names->index, hash, names->n)) {
		free(copy);
		return tfr_fail_nomem(err, "comparing features");
	}
	memcpy(copy, text, size);
	*number = names->n++;
	names->list[*number] = (struct tfr_table_name){ copy, size };
	return TFR_OK;
}

void tfr_name_table_clear(struct tfr_name_table *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->list[i].text);
	free(names->list);
	tfr_hash_clear(&names->index);
	*names = (struct tfr_name_table){ 0 };
}
