/* inspect/stats/bins.c - pages of counters, stored in the order of their first use. */
#include "inspect/stats/bins.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint64_t *tfr_bins_new_page(struct tfr_bins *b, const struct tfr_bins_layout *layout, unsigned key)
{
	size_t size = layout->width * sizeof(uint64_t);
	uint64_t *page;

	if (!b->place)
		b->place = calloc(layout->keys, sizeof(*b->place));
	if (!b->place)
		return NULL;
	if (tfr_array_one_more(&b->pages, b->n, size))
		return NULL;
	page = memset(b->pages + (size_t)b->n * layout->width, 0, size);
	b->place[key] = (uint16_t)++b->n;
	return page;
}

/* After the counters, the words are numbers of 128 bits. */
static void add_page(uint64_t *page, const uint64_t *add, unsigned width)
{
	unsigned i = 0;

	assert(width >= TFR_BINS_PAGE && (width - TFR_BINS_PAGE) % 2 == 0);
	for (; i < TFR_BINS_PAGE; i++)
		page[i] += add[i];
	for (; i < width; i += 2)
		page[i + 1] += add[i + 1] + __builtin_add_overflow(page[i], add[i], &page[i]);
}

bool tfr_bins_merge(
	struct tfr_bins *into, const struct tfr_bins *from, const struct tfr_bins_layout *layout)
{
	for (unsigned key = 0; key < layout->keys; key++) {
		const uint64_t *add = tfr_bins_find(from, layout, key);
		uint64_t *page = add ? tfr_bins_page(into, layout, key) : NULL;

		if (add && !page)
			return false;
		if (add)
			add_page(page, add, layout->width);
	}
	return true;
}

void tfr_bins_clear(struct tfr_bins *b)
{
	free(b->place);
	free(b->pages);
	*b = (struct tfr_bins){ 0 };
}
