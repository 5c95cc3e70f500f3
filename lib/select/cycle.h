/* select/cycle.h - reads the records of all files of a set in the order of tf.data's interleave.
 * With a cycle of 1, one file follows another. */
#ifndef TFR_SELECT_CYCLE_H
#define TFR_SELECT_CYCLE_H

#include <tfr-private/select.h>

#include "sweep/fault_policy.h"

struct inputs;
struct number_list;

/* `wanted`: records whose numbers are not in it may be skipped without being read; NULL: all are
 * wanted.  `beside`: how many inputs are open at a time, including this one. */
enum tfr_status tfr_cycle_open(struct inputs **in, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_fault_policy *faults,
	struct number_list *wanted, size_t beside, struct tfr_error *err);
void tfr_cycle_close(struct inputs *in); /* accepts NULL */

/* Reads the next record, a view until the next call.  With `skip_damaged`, faults are skipped. */
enum tfr_status tfr_cycle_next(struct inputs *in, struct tfr_record *rec, struct tfr_error *err);
/* How many records were read or skipped so far; a skipped fault counts as one.  The last record's
 * number is one less. */
uint64_t tfr_cycle_seen(const struct inputs *in);
/* The file of the last record. */
const char *tfr_cycle_path(const struct inputs *in);

uint64_t tfr_cycle_read(const struct inputs *in);

#endif
