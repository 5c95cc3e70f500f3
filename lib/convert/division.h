/* convert/division.h - divides items among the sets class by class, so that each set gets its
 * fraction of each class. */
#ifndef TFR_CONVERT_DIVISION_H
#define TFR_CONVERT_DIVISION_H

#include "convert/input.h"

struct tfr_division;

/* Asks a list for the name and the class of every item.  The rule is that of shard/fractions.h with
 * the XXH3-64 of the name as the hash; items without a class form one more class.  TFR_EUSAGE:
 * the input is a stream, or it has no classes. */
enum tfr_status tfr_division_open(
	struct tfr_division **s, struct tfr_input *in, struct tfr_error *err);
/* Returns the share of an item, or the number of shares for none.  Any thread may call it. */
size_t tfr_division_choose(const struct tfr_division *s, const struct tfr_item *item);
/* Accepts NULL. */
void tfr_division_close(struct tfr_division *s);

#endif
