/* diff/pairing.h - pairs the rows of both sides, two by two in the order of each side.
 *
 * Rows arrive sorted by group, side and place.  The first row of A in a group is paired with the
 * first of B, and so on; the surplus is in one side only.  The places of A wait for those of B:
 * some thousands in memory, beyond that in a sorter. */
#ifndef TFR_DIFF_PAIRING_H
#define TFR_DIFF_PAIRING_H

#include "diff/record_table.h"

struct tfr_pairing {
	const struct tfr_record_table *table;
	size_t prefix; /* bytes that identify the group */
	enum tfr_status (*match)(
		void *ctx, const uint8_t *a, const uint8_t *b, struct tfr_error *err);
	/* `row`: a complete row of the group, with the side and place of this record. */
	enum tfr_status (*only)(void *ctx, const uint8_t *row, struct tfr_error *err);
	void *ctx;

	uint8_t group[TFR_NOTE_MAX]; /* the last row, or any row of its group */
	bool any;
	uint8_t *held; /* places of A */
	size_t n_held, at;
	struct tfr_sorter *large; /* NULL: all places are in `held` */
	uint64_t ranks[2];	  /* of the last row of each side, in `large` */
};

enum tfr_status tfr_pairing_add(struct tfr_pairing *p, const uint8_t *row, struct tfr_error *err);
/* Call after the last row. */
enum tfr_status tfr_pairing_end(struct tfr_pairing *p, struct tfr_error *err);
void tfr_pairing_clear(struct tfr_pairing *p);

#endif
