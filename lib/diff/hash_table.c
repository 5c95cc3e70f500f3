/* diff/hash_table.c - a table with open addressing, which has twice the slots that can be taken. */
#include "diff/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { SLOTS = 2 * TFR_ROLL_MAX };

static enum tfr_status append(
	struct tfr_roll *roll, const char *text, size_t size, struct tfr_error *err)
{
	uint32_t cap = roll->cap ? 2 * roll->cap : 32;
	struct tfr_name *list = roll->list;
	char *copy;

	if (roll->n == TFR_ROLL_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %d features", TFR_ROLL_MAX);
	if (roll->n == roll->cap) {
		list = reallocarray(list, cap, sizeof(*list));
		if (!list)
			return tfr_fail_nomem(err, "comparing features");
		roll->list = list;
		roll->cap = cap;
	}
	copy = malloc(size + 1);
	if (!copy)
		return tfr_fail_nomem(err, "comparing features");
	memcpy(copy, text, size);
	roll->list[roll->n++] = (struct tfr_name){ copy, size };
	return TFR_OK;
}

enum tfr_status tfr_roll_number(struct tfr_roll *roll, const char *text, size_t size,
	uint32_t *number, struct tfr_error *err)
{
	size_t at = XXH3_64bits(text, size) & (SLOTS - 1);
	enum tfr_status status;

	if (!roll->slots)
		roll->slots = calloc(SLOTS, sizeof(*roll->slots));
	if (!roll->slots)
		return tfr_fail_nomem(err, "comparing features");
	for (; roll->slots[at]; at = (at + 1) & (SLOTS - 1)) {
		const struct tfr_name *name = &roll->list[roll->slots[at] - 1];

		if (name->size != size || memcmp(name->text, text, size))
			continue;
		*number = roll->slots[at] - 1;
		return TFR_OK;
	}
	status = append(roll, text, size, err);
	if (status)
		return status;
	roll->slots[at] = roll->n;
	*number = roll->n - 1;
	return TFR_OK;
}

void tfr_roll_clear(struct tfr_roll *roll)
{
	for (uint32_t i = 0; i < roll->n; i++)
		free(roll->list[i].text);
	free(roll->list);
	free(roll->slots);
	*roll = (struct tfr_roll){ 0 };
}
