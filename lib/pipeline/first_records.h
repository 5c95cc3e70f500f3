/* pipeline/first_records.h - findings about the first records, which the list, the plan and the
 * batches depend on. */
#ifndef TFR_PIPELINE_FIRST_RECORDS_H
#define TFR_PIPELINE_FIRST_RECORDS_H

#include <tfr-private/pipeline.h>

#include "example/content.h"

struct tfr_pipeline_context;

/* The audio clips (audio/encoded) in the first records: the form of the first one, and whether
 * others differ. */
struct tfr_first_clips {
	uint64_t count, samples;
	uint64_t recognised; /* WAV files, complete or not: input of decode=audio */
	uint64_t measured;   /* that can be decoded, and at the rate asked for */
	uint32_t rate, channels;
	uint32_t other_rate, other_channels; /* 0: all are like the first */
	struct tfr_error why;		     /* why the first unusable clip is; status OK: all
					      * are usable */
};

struct tfr_first_records {
	uint64_t records, bytes, footprint;
	uint64_t largest; /* footprint */
	uint64_t images;
	uint64_t pixels, most_pixels; /* of all images, of the largest */
	uint64_t widths, heights;     /* of all images, added up */
	uint32_t mean_width, mean_height;
	struct tfr_first_clips clips; /* in place of images, if the list decodes audio */
	bool compressed;
	struct tfr_content_counts types; /* of the records that were looked at */
	uint64_t features_bytes;	 /* of a batch */
};

static inline uint64_t tfr_first_mean_footprint(const struct tfr_first_records *f)
{
	return f->footprint / f->records + 1;
}

/* Waits for the first records and looks at them.  Without the lock. */
enum tfr_status tfr_first_records_read(
	const struct tfr_pipeline_context *p, struct tfr_first_records *f, struct tfr_error *err);
/* Of a batch with features, from the same records.  TFR_EDATA: not one of them has them. */
enum tfr_status tfr_first_records_parse(
	const struct tfr_pipeline_context *p, struct tfr_first_records *f, struct tfr_error *err);

#endif
