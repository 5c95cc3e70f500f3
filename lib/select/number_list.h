/* select/number_list.h - lists of record numbers, such as "0,5,10-20,100-". */
#ifndef TFR_SELECT_NUMBER_LIST_H
#define TFR_SELECT_NUMBER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr-private/error.h>

/* Ranges in order that do not touch.  Zero-initialised is empty. */
struct number_list {
	struct number_range {
		uint64_t first, last; /* last UINT64_MAX: without end */
	} * ranges;
	size_t count, at; /* ranges before `at` end before the last number asked for */
};

/* TFR_EUSAGE: not a list; the error says why. */
enum tfr_status tfr_number_list_parse(
	struct number_list *l, const char *text, struct tfr_error *err);
void tfr_number_list_clear(struct number_list *l);
/* Whether the list has `n`, which must not be below that of an earlier call. */
bool tfr_number_list_has(struct number_list *l, uint64_t n);
/* The first number of the list that is `n` or above; UINT64_MAX: none.  As tfr_number_list_has().
 */
uint64_t tfr_number_list_next(struct number_list *l, uint64_t n);
/* Whether all numbers of the list are below `n`. */
bool tfr_number_list_ends_before(const struct number_list *l, uint64_t n);

#endif
