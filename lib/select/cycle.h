/* select/cycle.h - the records of all files of a set in one order: tf.data's interleave, of which
 * a cycle of 1 is one file after another. */
#ifndef TFR_SELECT_CYCLE_H
#define TFR_SELECT_CYCLE_H

#include <tfr-private/select.h>

struct inputs;
struct number_list;

/* `wanted` NULL: all records are; otherwise those whose numbers are not in it may be passed over
 * without being read.  `beside`: how many inputs are open at a time, this one among them. */
enum tfr_status tfr_cycle_open(struct inputs **in, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct number_list *wanted, size_t beside,
	struct tfr_error *err);
void tfr_cycle_close(struct inputs *in); /* accepts NULL */

/* The next record, a view until the next call.  With `skip_damaged`, faults are behind it. */
enum tfr_status tfr_cycle_next(struct inputs *in, struct tfr_record *rec, struct tfr_error *err);
/* After TFR_END: the first record comes again; all numbers go on. */
void tfr_cycle_again(struct inputs *in);
/* How many places of the stream were read or passed over; a fault passed over had a place.  The
 * last record's number is one less. */
uint64_t tfr_cycle_seen(const struct inputs *in);
/* The file of the last record. */
const char *tfr_cycle_path(const struct inputs *in);

/* Counts `err` as a fault that is passed over, and warns of it. */
void tfr_cycle_pass_over(struct inputs *in, const struct tfr_error *err);
uint64_t tfr_cycle_read(const struct inputs *in);
uint64_t tfr_cycle_bad(const struct inputs *in);

#endif
