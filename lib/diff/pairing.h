/* diff/pairing.h - rows of both sides that belong together, two by two in the order of each side.
 *
 * Rows come sorted: what names the group, the side, the place.  The first of A in a group belongs
 * to the first of B, and so on; what is left is only on one side.  The places of A wait for those
 * of B: some thousand in memory, more of them in a sorter. */
#ifndef TFR_DIFF_PAIRING_H
#define TFR_DIFF_PAIRING_H

#include "diff/record_table.h"

struct tfr_pairing {
	const struct tfr_ledger *ledger;
	size_t prefix; /* bytes that name the group */
	enum tfr_status (*match)(
		void *ctx, const uint8_t *a, const uint8_t *b, struct tfr_error *err);
	/* `row`: whole, of the group; its side and place are those of this record. */
	enum tfr_status (*only)(void *ctx, const uint8_t *row, struct tfr_error *err);
	void *ctx;

	uint8_t group[TFR_NOTE_MAX]; /* the last row, or any of its group */
	bool any;
	uint8_t *held; /* places of A */
	size_t n_held, at;
	struct tfr_sorter *large; /* NULL: all are in `held` */
	uint64_t ranks[2];	  /* in `large` */
};

enum tfr_status tfr_pairing_add(struct tfr_pairing *p, const uint8_t *row, struct tfr_error *err);
/* After the last row. */
enum tfr_status tfr_pairing_end(struct tfr_pairing *p, struct tfr_error *err);
void tfr_pairing_clear(struct tfr_pairing *p);

#endif
