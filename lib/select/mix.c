/* select/mix.c - draws a set and reads its next record.
 *
 * A set that has ended keeps its share of the draws, and its draws are ignored, as in tf.data
 * (tensorflow/core/kernels/data/experimental/directed_interleave_dataset_op.cc).  So the order of
 * the others does not depend on when it ended.  If nearly all draws would be ignored, only the
 * sets that are left are drawn, which has the same distribution.
 *
 * Random numbers from 0 to 1 are computed in batches, so that the rounds of many draws overlap in
 * the processor, and looked up in the cumulative weights. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "select/select.h"

/* --- draws --- */

/* tensorflow/core/kernels/stateless_random_ops.cc: the key that scrambles seeds. */
static const uint32_t scramble[2] = { 0x3ec8f720, 0x02461e29 };

enum tfr_status tfr_draws_init(
	struct draws *d, const double *weights, size_t count, uint64_t seed, struct tfr_error *err)
{
	*d = (struct draws){ .ends = calloc(count, sizeof(*d->ends)), .count = count };
	TFR_NEED_MEMORY(d->ends, err, "mixing sets");
	tfr_rng_init_op(&d->seeds, seed);
	d->used = DRAWS_AHEAD;
	tfr_draws_set(d, weights);
	return TFR_OK;
}

void tfr_draws_clear(struct draws *d)
{
	free(d->ends);
	d->ends = NULL;
}

/* By logarithms, as in TensorFlow, so that every bit of a limit is the same. */
void tfr_draws_set(struct draws *d, const double *weights)
{
	float most = -INFINITY;
	double end = 0;

	for (size_t i = 0; i < d->count; i++)
		if (weights[i] > 0)
			most = fmaxf(most, logf((float)weights[i]));
	for (size_t i = 0; i < d->count; i++) {
		if (weights[i] > 0)
			end += exp((double)logf((float)weights[i]) - (double)most);
		d->ends[i] = end;
	}
}

/* What RandDouble() of tensorflow/core/lib/random makes of two numbers: 52 bits. */
static double unit_double(uint32_t high, uint32_t low)
{
	uint64_t bits = (uint64_t)1023 << 52 | (uint64_t)(high & 0xfffff) << 32 | low;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number - 1;
}

static void draw_ahead(struct draws *d)
{
	uint32_t seeds[2 * DRAWS_AHEAD];

	for (size_t i = 0; i < 2 * DRAWS_AHEAD; i++)
		seeds[i] = tfr_rng_u32(&d->seeds);
	for (size_t i = 0; i < DRAWS_AHEAD; i++) {
		uint32_t mixed[4], out[4];

		tfr_philox(scramble, (uint32_t[4]){ seeds[2 * i], 0, seeds[2 * i + 1], 0 }, mixed);
		tfr_philox(mixed, (uint32_t[4]){ 0, 0, mixed[2], mixed[3] }, out);
		d->ahead[i] = unit_double(out[0], out[1]);
	}
	d->used = 0;
}

/* The first place whose end is past the point. */
size_t tfr_draws_next(struct draws *d)
{
	size_t low = 0, n = d->count;
	double point;

	if (d->used == DRAWS_AHEAD)
		draw_ahead(d);
	point = d->ahead[d->used++] * d->ends[d->count - 1];
	while (n) {
		size_t half = n / 2;

		if (d->ends[low + half] > point) {
			n = half;
		} else {
			low += half + 1;
			n -= half + 1;
		}
	}
	assert(low < d->count);
	return low;
}

/* --- mixes --- */

/* If on average fewer than one of so many draws counts, the weights are set again. */
enum { DRAWS_LOST_MOST = 4096 };

struct tfr_mix {
	struct tfr_cycle **sources; /* those with a weight */
	double *weights;	 /* 0: at its end */
	size_t count, left;
	bool until_first;
	struct draws draws;
	double drawn; /* the sum of the weights that draws are made by, and of those left */
	double alive;
	struct tfr_cycle *last; /* where the last record came from */
	uint64_t seen;
	bool over;
};

static bool can_be_weight(double w)
{
	return w == 0 || (w > 0 && isnormal((float)w));
}

static enum tfr_status check_weights(const struct tfr_mix_opts *mix, struct tfr_error *err)
{
	size_t drawn = 0;

	for (size_t i = 0; i < mix->count; i++) {
		if (!can_be_weight(mix->weights[i]))
			return tfr_fail(err, TFR_EUSAGE,
				"a weight is 0 or from 1e-37 to 1e38, not %g", mix->weights[i]);
		drawn += mix->weights[i] > 0;
	}
	if (!drawn)
		return tfr_fail(err, TFR_EUSAGE, "no set of the mix has a weight above 0");
	return TFR_OK;
}

static enum tfr_status add_set(struct tfr_mix *m, const struct tfr_set *set, double weight,
	const struct tfr_cycle_opts *opts, struct tfr_error *err)
{
	m->weights[m->count] = weight;
	m->alive += weight;
	return tfr_cycle_open(&m->sources[m->count++], set, opts, err);
}

static enum tfr_status open_mix(struct tfr_mix *m, const struct tfr_set *set,
	const struct tfr_mix_opts *mix, struct tfr_cycle_opts opts, uint64_t seed,
	struct tfr_error *err)
{
	opts.beside = mix && mix->count ? mix->count : 1;
	m->sources = calloc(opts.beside, sizeof(*m->sources));
	m->weights = calloc(opts.beside, sizeof(*m->weights));
	TFR_NEED_MEMORY(m->sources && m->weights, err, "opening the inputs");
	if (mix) {
		TFR_TRY(check_weights(mix, err));
		m->until_first = mix->until_first;
		/* Numbers count over all sets, so the index of a file does not help. */
		opts.next_wanted = NULL;
		for (size_t i = 0; i < mix->count; i++)
			if (mix->weights[i] > 0)
				TFR_TRY(add_set(m, mix->sets[i], mix->weights[i], &opts, err));
	} else {
		TFR_TRY(add_set(m, set, 1, &opts, err));
	}
	TFR_TRY(tfr_draws_init(&m->draws, m->weights, m->count, seed, err));
	m->left = m->count;
	m->drawn = m->alive;
	m->last = m->sources[0];
	return TFR_OK;
}

enum tfr_status tfr_mix_open(struct tfr_mix **out, const struct tfr_set *set,
	const struct tfr_mix_opts *mix, const struct tfr_cycle_opts *opts, uint64_t seed,
	struct tfr_error *err)
{
	struct tfr_mix *m = calloc(1, sizeof(*m));

	*out = m;
	TFR_NEED_MEMORY(m, err, "opening the inputs");
	return open_mix(m, set, mix, *opts, seed, err);
}

void tfr_mix_close(struct tfr_mix *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++)
		tfr_cycle_close(m->sources[i]);
	tfr_draws_clear(&m->draws);
	free(m->sources);
	free(m->weights);
	free(m);
}

/* If one set is left, it is not drawn. */
static size_t draw_set(struct tfr_mix *m)
{
	size_t i = 0;

	if (m->left > 1) {
		do
			i = tfr_draws_next(&m->draws);
		while (!m->weights[i]);
		return i;
	}
	while (!m->weights[i])
		i++;
	return i;
}

/* Sums are computed again: the remainder may be far smaller than the rounding error of a
 * difference. */
static void drop_set(struct tfr_mix *m, size_t i)
{
	assert(m->left && m->weights[i] > 0);
	m->weights[i] = 0;
	m->left--;
	m->alive = 0;
	for (size_t k = 0; k < m->count; k++)
		m->alive += m->weights[k];
	if (m->left < 2 || m->alive * DRAWS_LOST_MOST >= m->drawn)
		return;
	tfr_draws_set(&m->draws, m->weights);
	m->drawn = m->alive;
}

enum tfr_status tfr_mix_next(struct tfr_mix *m, struct tfr_record *rec, struct tfr_error *err)
{
	while (!m->over) {
		size_t i = draw_set(m);
		struct tfr_cycle *in = m->sources[i];
		uint64_t before = tfr_cycle_seen(in);
		enum tfr_status status = tfr_cycle_next(in, rec, err);

		m->last = in;
		m->seen += tfr_cycle_seen(in) - before;
		if (status != TFR_END)
			return status;
		drop_set(m, i);
		m->over = !m->left || m->until_first;
	}
	return TFR_END;
}

uint64_t tfr_mix_seen(const struct tfr_mix *m)
{
	return m->seen;
}

const char *tfr_mix_path(const struct tfr_mix *m)
{
	return tfr_cycle_path(m->last);
}

uint64_t tfr_mix_records_read(const struct tfr_mix *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += tfr_cycle_records_read(m->sources[i]);
	return n;
}
