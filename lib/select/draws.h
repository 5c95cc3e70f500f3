/* select/draws.h - which of several sets is next: the draws of tf.data's sample_from_datasets(),
 * each of them the one that TensorFlow makes.
 *
 * A draw takes two numbers of the stream that Dataset.random(seed) gives, and with them as its seed
 * stateless_multinomial() draws once from the logarithms of the weights, as floats
 * (tensorflow/python/data/ops/sample_from_datasets_op.py, core/kernels/multinomial_op.cc).  The
 * draws are independent of one another and of what becomes of the sets. */
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

/* Draws among `count` places by `weights`, above 0 and finite as floats. */
enum tfr_status tfr_draws_init(
	struct draws *d, const double *weights, size_t count, uint64_t seed, struct tfr_error *err);
void tfr_draws_clear(struct draws *d);
/* The weights from now on, of as many places, some above 0; 0: the place is not drawn any more. */
void tfr_draws_set(struct draws *d, const double *weights);
size_t tfr_draws_next(struct draws *d);

#endif
