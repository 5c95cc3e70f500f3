/* pipeline/plan.h - what is known of the records before anything runs, and the plan made of it. */
#ifndef TFR_PIPELINE_PLAN_H
#define TFR_PIPELINE_PLAN_H

#include <tfr/pipeline.h>

struct findings {
	uint64_t records, bytes, footprint;
	uint64_t largest; /* footprint */
	uint64_t pictures;
	uint64_t pixels, most_pixels; /* of all pictures, of the largest */
	uint64_t widths, heights;     /* of all pictures, added up */
	uint32_t mean_width, mean_height;
	bool compressed;
	uint64_t features_bytes; /* of a batch */
};

/* Waits for the first records and looks at them.  Without the lock. */
enum tfr_status look_at_records(struct tfr_pipeline *p, struct findings *f, struct tfr_error *err);
/* Of a batch with features, from the same records.  TFR_EDATA: not one of them has them. */
enum tfr_status look_at_features(struct tfr_pipeline *p, struct findings *f, struct tfr_error *err);

/* Settles everything, once the list is compiled. */
enum tfr_status plan_make(struct tfr_pipeline *p, const struct findings *f, struct tfr_error *err);

#endif
