/* rewrite/resample/by_class.h - shared by counting, planning and choosing by class. */
#ifndef TFR_REWRITE_RESAMPLE_BY_CLASS_H
#define TFR_REWRITE_RESAMPLE_BY_CLASS_H

#include <pthread.h>

#include "rewrite/resample/classify.h"
#include "rewrite/resample/resample.h"
#include "rewrite/resample/target.h"

/* Position of the first record of a kind. */
struct tfr_place {
	bool there;
	uint32_t file;
	uint64_t record, offset;
};

struct tfr_class_worker {
	struct tfr_classifier classifier;
	struct tfr_classes counts;
	struct tfr_place first[2]; /* int64, bytes */
};

/* The plan for a class, and its results. */
struct tfr_class_plan {
	uint64_t unseen; /* records not yet seen; unused if `initial` replaces the counting */
	uint64_t wanted; /* of these, in addition to the full copies */
	uint64_t whole;	 /* full copies of each record */
	uint64_t final;	 /* records written */
	double have;	 /* records, or the share given by `initial` */
	double weight;
	double acceptance, expected;
};

struct tfr_by_class {
	struct tfr_resampling *r;
	const struct tfr_resample_opts *o;
	struct tfr_classing classing;
	struct tfr_class_worker *workers;
	unsigned n_workers;

	pthread_mutex_t lock; /* of the table, while counting */
	struct tfr_classes classes;

	struct tfr_target target;
	struct tfr_class_plan *plans; /* one per class */
	uint64_t size;
	enum tfr_kind kind;	/* of the first record, in one pass */
	uint64_t strays;	/* records of another kind, in one pass */
	struct tfr_error stray; /* the first of them */
};

/* One pass: fills and sorts `classes`, and warns of names in --class that no record has. */
enum tfr_status tfr_by_class_count(struct tfr_by_class *b, struct tfr_error *err);
/* The same warning, when there is only one pass. */
void tfr_by_class_warn_missing(struct tfr_by_class *b);
/* Computes `plans` and `size` from the counts; with `initial`, `classes` as well.  TFR_EDATA:
 * the records cannot give the target distribution. */
enum tfr_status tfr_by_class_plan(struct tfr_by_class *b, struct tfr_error *err);

#endif
