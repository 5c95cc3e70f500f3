/* select/draws.h - draws the next of several sets, exactly as tf.data's sample_from_datasets()
 * does.
 *
 * A draw takes two numbers of the stream of Dataset.random(seed).  With them as its seed,
 * stateless_multinomial() draws once from the logarithms of the weights, as floats
 * (tensorflow/python/data/ops/sample_from_datasets_op.py, core/kernels/multinomial_op.cc).  The
 * draws are independent of each other and of the contents of the sets. */
#ifndef TFR_SELECT_DRAWS_H
#define TFR_SELECT_DRAWS_H

#include <stddef.h>

#include <tfr-private/error.h>

#include "base/rng.h"

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

#endif
