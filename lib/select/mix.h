/* select/mix.h - reads the records of several sets in one order.  One set alone is a mix without
 * draws. */
#ifndef TFR_SELECT_MIX_H
#define TFR_SELECT_MIX_H

#include <tfr-private/select.h>

#include "sweep/interleave.h"

struct mix;

/* Opens `set`, or the sets of `mix` if that is not NULL.  *m is to be closed also after a failure.
 */
enum tfr_status tfr_mix_open(struct mix **m, const struct tfr_set *set, const struct tfr_mix *mix,
	const struct tfr_cycle_opts *opts, uint64_t seed, struct tfr_error *err);
void tfr_mix_close(struct mix *m); /* accepts NULL */

/* As those of struct tfr_cycle. */
enum tfr_status tfr_mix_next(struct mix *m, struct tfr_record *rec, struct tfr_error *err);
uint64_t tfr_mix_seen(const struct mix *m);
const char *tfr_mix_path(const struct mix *m);
uint64_t tfr_mix_read(const struct mix *m);

#endif
