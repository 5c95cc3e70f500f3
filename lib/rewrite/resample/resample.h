/* rewrite/resample/resample.h - shared by counting, planning and choosing the records of classes.
 */
#ifndef TFR_REWRITE_RESAMPLE_RESAMPLE_H
#define TFR_REWRITE_RESAMPLE_RESAMPLE_H

#include <pthread.h>

#include "base/rng.h"
#include "rewrite/resample/classify.h"
#include "rewrite/resample/target.h"
#include "rewrite/rewrite_sweep.h"

struct tfr_class_worker {
	struct tfr_classifier classifier;
	struct tfr_classes counts;
};

/* The plan for a class, and its results. */
struct tfr_class_plan {
	uint64_t unseen; /* records not yet seen */
	uint64_t wanted; /* of these, in addition to the full copies */
	uint64_t whole;	 /* full copies of each record */
	uint64_t final;	 /* records written */
	double weight;
};

struct tfr_resampling {
	const struct tfr_resample_opts *o;
	struct tfr_resample_report *report;
	struct tfr_set_writer *out;
	uint32_t shards;
	struct tfr_classing classing;
	struct tfr_class_worker *workers;
	unsigned n_workers;

	pthread_mutex_t lock; /* of the table, while counting */
	struct tfr_classes classes;

	struct tfr_target target;
	struct tfr_class_plan *plans; /* one per class */
	uint64_t size;
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

/* The first pass: fills and sorts `classes`, and warns of names in --class that no record has. */
enum tfr_status tfr_resample_count(struct tfr_resampling *r, struct tfr_error *err);
/* Computes `plans` and `size` from the counts.  TFR_EDATA: the records cannot give the target
 * distribution. */
enum tfr_status tfr_resample_plan(struct tfr_resampling *r, struct tfr_error *err);

#endif
