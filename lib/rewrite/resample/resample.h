/* rewrite/resample/resample.h - the parts of resampling that do not depend on the classes:
 * random draws, the output, and inputs that are read twice. */
#ifndef TFR_REWRITE_RESAMPLE_RESAMPLE_H
#define TFR_REWRITE_RESAMPLE_RESAMPLE_H

#include <math.h>

#include "base/rng.h"
#include "rewrite/rewrite_sweep.h"
#include "sweep/sweep.h"

struct tfr_resampling {
	const struct tfr_resample_opts *o;
	struct tfr_resample_report *report;
	struct tfr_set_writer *out;
	uint32_t shards;
};

/* A 64-bit draw that depends only on the seed and the record: any thread may compute it. */
static inline uint64_t tfr_resample_draw(uint64_t seed, uint32_t file, uint64_t record)
{
	static const uint32_t domain =
		0x72736d70; /* "rsmp": other uses of a seed are independent */
	uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) }, out[4];
	uint32_t counter[4] = { (uint32_t)record, (uint32_t)(record >> 32), file, domain };

	tfr_philox(key, counter, out);
	return (uint64_t)out[1] << 32 | out[0];
}

/* True for a fraction `probability` of the draws. */
static inline bool tfr_draw_accepts(uint64_t draw, double probability)
{
	return probability >= 1 || draw < (uint64_t)ldexp(probability, 64);
}

/* Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S) with integers: whether this record is
 * one of the `wanted` that are still to be taken from `unseen`, which counts it too; unseen > 0. */
static inline bool tfr_draw_selects(uint64_t draw, uint64_t unseen, uint64_t wanted)
{
	return (uint64_t)((unsigned __int128)draw * unseen >> 64) < wanted;
}

/* Writes `copies` of a record; `sum` is the XXH3-64 of its payload. */
enum tfr_status tfr_resample_put(struct tfr_resampling *r, const struct tfr_swept *s, uint64_t sum,
	uint64_t copies, struct tfr_error *err);
/* Refuses inputs that can be read only once, and names them. */
enum tfr_status tfr_resample_check_twice(const struct tfr_resampling *r, struct tfr_error *err);
/* A sweep over the parsed records, without its callbacks. */
struct tfr_sweep tfr_resample_sweep(const struct tfr_resampling *r, const char *phase);

/* What examine() computes of a record for settle(). */
struct tfr_resample_verdict {
	uint64_t draw, sum;
	uint32_t class;
	enum tfr_kind kind;
};

/* Does the work; after TFR_OK all records are written. */
enum tfr_status tfr_resample_by_class(struct tfr_resampling *r, struct tfr_error *err);

#endif
