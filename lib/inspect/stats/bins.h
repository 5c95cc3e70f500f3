/* inspect/stats/bins.h - counters that are allocated when first needed: pages of 64, found by key.
 *
 * The user defines the meaning of a page.  Here it is a sign and a power of two, which 64 counters
 * divide evenly.  Addition is commutative, so the bins of parts add up to the bins of all values.
 */
#ifndef TFR_INSPECT_STATS_BINS_H
#define TFR_INSPECT_STATS_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr-private/survey.h>

enum { TFR_BINS_PAGE = 64 };

struct tfr_bins {
	uint16_t *place; /* number of the page by key, from 1; 0: none. NULL: there are no pages */
	uint64_t *pages; /* `width` words per page: 64 counters, then numbers of 128 bits */
	unsigned n;
};

/* The constant layout of one kind of bins. */
struct tfr_bins_layout {
	unsigned keys, width;
};

/* Creates the page. */
uint64_t *tfr_bins_new_page(struct tfr_bins *b, const struct tfr_bins_layout *layout, unsigned key);
void tfr_bins_clear(struct tfr_bins *b);
/* Adds all pages of `from`.  False: out of memory. */
bool tfr_bins_merge(
	struct tfr_bins *into, const struct tfr_bins *from, const struct tfr_bins_layout *layout);

static inline uint64_t *tfr_bins_find(
	const struct tfr_bins *b, const struct tfr_bins_layout *layout, unsigned key)
{
	unsigned place = b->place ? b->place[key] : 0;

	return place ? b->pages + (size_t)(place - 1) * layout->width : NULL;
}

/* The page of a key, initially all zero.  NULL: out of memory. */
static inline uint64_t *tfr_bins_page(
	struct tfr_bins *b, const struct tfr_bins_layout *layout, unsigned key)
{
	uint64_t *page = tfr_bins_find(b, layout, key);

	return page ? page : tfr_bins_new_page(b, layout, key);
}

static inline size_t tfr_bins_bytes(const struct tfr_bins *b, const struct tfr_bins_layout *layout)
{
	return b->place ? layout->keys * sizeof(*b->place) +
				  (size_t)b->n * layout->width * sizeof(*b->pages)
			: 0;
}

#endif
