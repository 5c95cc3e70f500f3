/* Any bytes as the journal in a lock file: none, or entries with absolute paths that survive being
 * written and read again. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "shard/publication.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t size)
{
	struct tfr_journal j, again;
	TFR_AUTO_BUF text = { 0 };

	if (tfr_journal_parse(&j, data, size, NULL))
		return;
	if (!j.n || !j.n_locks)
		abort();
	for (uint32_t k = 0; k < j.n; k++)
		if (j.entries[k].path[0] != '/' || j.entries[k].lock >= j.n_locks)
			abort();
	if (!tfr_journal_format(&j, &text) || text.size != size ||
		memcmp(text.data, data, size) != 0 ||
		tfr_journal_parse(&again, text.data, text.size, NULL))
		abort();
	tfr_journal_clear(&j);
	tfr_journal_clear(&again);
}

/* As they are, and with the checksum that would make them one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *whole = malloc(size + 8);
	uint64_t sum = XXH3_64bits(data, size);

	check(data, size);
	memcpy(whole, data, size);
	memcpy(whole + size, &sum, sizeof(sum));
	check(whole, size + sizeof(sum));
	free(whole);
	return 0;
}
