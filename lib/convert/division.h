/* convert/division.h - items divided among the sets class by class, so that each set has its share
 * of each class. */
#ifndef TFR_CONVERT_DIVISION_H
#define TFR_CONVERT_DIVISION_H

#include "convert/input.h"

struct tfr_division;

/* Asks a list for the name and the class of every item.  The law is that of shard/cuts.h, the hash
 * XXH3-64 of the name; items in no class are one class more.  TFR_EUSAGE: a stream, or no classes.
 */
enum tfr_status tfr_division_open(
	struct tfr_division **s, struct tfr_input *in, struct tfr_error *err);
/* The share of an item; the number of shares: none.  Of any number of threads. */
size_t tfr_division_choose(const struct tfr_division *s, const struct tfr_item *item);
/* Accepts NULL. */
void tfr_division_close(struct tfr_division *s);

#endif
