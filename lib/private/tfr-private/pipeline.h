/* tfr-private/pipeline.h - the feed, as far as bench-feed needs more than <tfr/pipeline.h>. */
#ifndef TFR_PRIVATE_PIPELINE_H
#define TFR_PRIVATE_PIPELINE_H

#include <tfr/pipeline.h>

#include <tfr-private/device.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What memory goes where: settled before anything runs. */
struct tfr_pipeline_plan {
	uint64_t limit;	       /* bytes that were allowed */
	uint64_t total;	       /* bytes that will be taken at most */
	uint64_t record_bytes; /* of a payload: the mean of the first records */
	/* Of the images in the first records, as encoded: means; 0: none. */
	uint32_t image_width, image_height;
	/* Of sounds: samples a second, and of one in a batch the samples and channels; 0: the list
	 * has none, or no batch of them. */
	uint32_t sound_rate, sound_samples, sound_channels;
	uint64_t batch_bytes;	  /* of one batch in staging memory */
	uint64_t transfer_bytes;  /* of one staging buffer: of all batches that travel together */
	uint64_t shuffle;	  /* what the largest shuffle buffer is to hold */
	uint64_t shuffle_bytes;	  /* of all shuffle buffers, */
	uint64_t cache_bytes;	  /* of the cache in memory, as far as can be known, */
	uint64_t queue_bytes;	  /* of what waits between stages, */
	uint64_t read_bytes;	  /* of what is read ahead, */
	uint64_t scratch_bytes;	  /* and of the workers' decoders */
	unsigned staging, device; /* buffers of each device; one outside this process takes none of
				     its memory */
	bool device_counted;	  /* whether device memory is in `total` */
};

/* How often batches were waited for how long: up to `n` buckets that are not empty, shortest first.
 * Returns how many there are.  The first batch is left out. */
struct tfr_wait_bucket {
	double seconds; /* the least of this bucket: the next begins 3% above */
	uint64_t count;
};
size_t tfr_pipeline_waits(struct tfr_pipeline *p, struct tfr_wait_bucket *buckets, size_t n);

const struct tfr_pipeline_plan *tfr_pipeline_plan(const struct tfr_pipeline *p);

/* The stages in full, as they can be given again.  Lives as long as the pipeline. */
const char *tfr_pipeline_describe(const struct tfr_pipeline *p);

#ifdef __cplusplus
}
#endif

#endif
