/* rewrite/resample/resample.h - what the two ways to resample, by class and by weight, share: the
 * draws, the output, the inputs read twice. */
#ifndef TFR_REWRITE_RESAMPLE_RESAMPLE_H
#define TFR_REWRITE_RESAMPLE_RESAMPLE_H

#include <math.h>

#include "base/rng.h"
#include "rewrite/rewrite_sweep.h"
#include "rewrite/shuffle/scatter.h"

struct tfr_resampling {
	const struct tfr_resample_opts *o;
	struct tfr_resample_report *report;
	struct tfr_set_writer *out; /* NULL: to the sink, which shuffles */
	uint32_t shards;
	struct tfr_sink *sink;
	uint64_t max_record; /* for sweeps; 0: their own */
	size_t block_size;
};

/* A draw of 64 bits that belongs to a record and to nothing else: any thread may make it. */
static inline uint64_t tfr_resample_draw(uint64_t seed, uint32_t file, uint64_t record)
{
	static const uint32_t domain =
		0x72736d70; /* "rsmp": other uses of a seed are independent */
	uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) }, out[4];
	uint32_t counter[4] = { (uint32_t)record, (uint32_t)(record >> 32), file, domain };

	tfr_philox(key, counter, out);
	return (uint64_t)out[1] << 32 | out[0];
}

/* True for the share `probability` of draws. */
static inline bool tfr_draw_accepts(uint64_t draw, double probability)
{
	return probability >= 1 || draw < (uint64_t)ldexp(probability, 64);
}

/* Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S), in whole numbers: whether this record is
 * one of the `wanted` that are still to be taken of `unseen`, itself among them; unseen > 0. */
static inline bool tfr_draw_selects(uint64_t draw, uint64_t unseen, uint64_t wanted)
{
	return (uint64_t)((unsigned __int128)draw * unseen >> 64) < wanted;
}

/* Writes `copies` of a record, or deals them to be shuffled; `sum` is the XXH3-64 of its payload.
 */
enum tfr_status tfr_resample_put(struct tfr_resampling *r, const struct tfr_swept *s, uint64_t sum,
	uint64_t copies, struct tfr_error *err);
/* Refuses inputs that can be read only once, by name. */
enum tfr_status tfr_resample_check_twice(const struct tfr_resampling *r, struct tfr_error *err);
/* What a second pass fails with when it does not find what the first did. */
enum tfr_status tfr_resample_changed(struct tfr_error *err);

/* One of them does the work; after TFR_OK all records are written or dealt. */
enum tfr_status tfr_resample_by_class(struct tfr_resampling *r, struct tfr_error *err);
enum tfr_status tfr_resample_by_weight(struct tfr_resampling *r, struct tfr_error *err);

#endif
