/* select/select.h - what the files of a selection share: lists of record numbers, draws among sets,
 * and the records of several sets in one order. */
#ifndef TFR_SELECT_SELECT_H
#define TFR_SELECT_SELECT_H

#include <tfr-private/select.h>

#include "base/rng.h"
#include "sweep/interleave.h"

/* --- lists of record numbers, such as "0,5,10-20,100-" --- */

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

/* --- draws --- */

/* Draws the next of several sets, exactly as tf.data's sample_from_datasets() does.
 *
 * A draw takes two numbers of the stream of Dataset.random(seed).  With them as its seed,
 * stateless_multinomial() draws once from the logarithms of the weights, as floats
 * (tensorflow/python/data/ops/sample_from_datasets_op.py, core/kernels/multinomial_op.cc).  The
 * draws are independent of each other and of the contents of the sets. */

enum { DRAWS_AHEAD = 256 };

struct draws {
	double *ends; /* where each place's share of the line ends; a place may have none */
	size_t count;
	struct tfr_rng seeds;
	size_t used; /* of ahead */
	double ahead[DRAWS_AHEAD];
};

/* Draws among `count` places by `weights`, which are above 0 and finite as floats. */
enum tfr_status tfr_draws_init(
	struct draws *d, const double *weights, size_t count, uint64_t seed, struct tfr_error *err);
void tfr_draws_clear(struct draws *d);
/* Changes the weights of the same places.  At least one is above 0; a place of weight 0 is not
 * drawn. */
void tfr_draws_set(struct draws *d, const double *weights);
size_t tfr_draws_next(struct draws *d);

/* --- mixes: one set alone is a mix without draws --- */

struct tfr_mix;

/* Opens `set`, or the sets of `mix` if that is not NULL.  *m is to be closed also after a failure.
 */
enum tfr_status tfr_mix_open(struct tfr_mix **m, const struct tfr_set *set,
	const struct tfr_mix_opts *mix, const struct tfr_cycle_opts *opts, uint64_t seed,
	struct tfr_error *err);
void tfr_mix_close(struct tfr_mix *m); /* accepts NULL */

/* As those of struct tfr_cycle. */
enum tfr_status tfr_mix_next(struct tfr_mix *m, struct tfr_record *rec, struct tfr_error *err);
uint64_t tfr_mix_seen(const struct tfr_mix *m);
const char *tfr_mix_path(const struct tfr_mix *m);
uint64_t tfr_mix_records_read(const struct tfr_mix *m);

#endif
