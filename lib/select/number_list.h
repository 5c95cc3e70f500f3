/* select/number_list.h - numbers of records as a person writes them: "0,5,10-20,100-". */
#ifndef TFR_SELECT_NUMBER_LIST_H
#define TFR_SELECT_NUMBER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr-private/error.h>

/* Ranges in order, none touching the next.  Zero-initialised holds no number. */
struct number_list {
	struct number_range {
		uint64_t first, last; /* last UINT64_MAX: without end */
	} * ranges;
	size_t count, at; /* ranges before `at` are behind the last number asked for */
};

/* TFR_EUSAGE: not a list; what is wrong is named. */
enum tfr_status tfr_number_list_parse(
	struct number_list *l, const char *text, struct tfr_error *err);
void tfr_number_list_clear(struct number_list *l);
/* Whether the list has `n`; numbers are asked for in rising order. */
bool tfr_number_list_has(struct number_list *l, uint64_t n);
/* The first number of the list that is `n` or above; UINT64_MAX: none.  As tfr_number_list_has().
 */
uint64_t tfr_number_list_next(struct number_list *l, uint64_t n);
/* Whether nothing of the list is `n` or above. */
bool tfr_number_list_ends_before(const struct number_list *l, uint64_t n);

#endif
