/* inspect/stats/bins.c - pages of counters, stored in the order of their first use. */
#include "inspect/stats/bins.h"

#include <stdlib.h>
#include <string.h>

uint64_t *tfr_bins_new_page(struct tfr_bins *b, const struct tfr_bins_layout *layout, unsigned key)
{
	size_t size = layout->width * sizeof(uint64_t);
	uint64_t *pages, *page;

	if (!b->place)
		b->place = calloc(layout->keys, sizeof(*b->place));
	if (!b->place)
		return NULL;
	pages = realloc(b->pages, (b->n + 1) * size);
	if (!pages)
		return NULL;
	b->pages = pages;
	page = memset(pages + (size_t)b->n * layout->width, 0, size);
	b->place[key] = (uint16_t)++b->n;
	return page;
}

void tfr_bins_clear(struct tfr_bins *b)
{
	free(b->place);
	free(b->pages);
	*b = (struct tfr_bins){ 0 };
}
