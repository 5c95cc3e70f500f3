/* tfr-private/pipeline.h - the part of the input pipeline that only bench-feed uses. */
#ifndef TFR_PRIVATE_PIPELINE_H
#define TFR_PRIVATE_PIPELINE_H

#include <tfr/pipeline.h>

#include <tfr-private/device.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How memory is divided: settled before anything runs. */
struct tfr_pipeline_plan {
	uint64_t limit;	       /* bytes that were allowed */
	uint64_t total;	       /* bytes that will be taken at most */
	uint64_t record_bytes; /* of a payload: the mean of the first records */
	/* Of the images in the first records, as encoded: means; 0: none. */
	uint32_t image_width, image_height;
	/* Of audio: samples per second, and the samples and channels of one clip in a batch; 0:
	 * the list has no audio, or no batch of it. */
	uint32_t audio_rate, audio_samples, audio_channels;
	uint64_t batch_bytes;	  /* of one batch in staging memory */
	uint64_t transfer_bytes;  /* of one staging buffer: of all batches that travel together */
	uint64_t shuffle;	  /* records that the largest shuffle buffer holds */
	uint64_t shuffle_bytes;	  /* of all shuffle buffers, */
	uint64_t cache_bytes;	  /* of the cache in memory, as far as can be known, */
	uint64_t queue_bytes;	  /* of the queues between stages, */
	uint64_t read_bytes;	  /* of reading ahead, */
	uint64_t scratch_bytes;	  /* and of the workers' decoders */
	unsigned staging, device; /* buffers of each device; one outside this process takes none of
				     its memory */
	bool device_counted;	  /* whether device memory is in `total` */
};

/* How often the consumer waited how long: up to `n` buckets that are not empty, shortest first.
 * Returns how many there are.  The first batch is left out. */
struct tfr_wait_bucket {
	double seconds; /* the least of this bucket: the next begins 3% above */
	uint64_t count;
};
size_t tfr_pipeline_waits(struct tfr_pipeline *p, struct tfr_wait_bucket *buckets, size_t n);

const struct tfr_pipeline_plan *tfr_pipeline_plan(const struct tfr_pipeline *p);

/* All stages in normal form, as they can be given again. Lives as long as the pipeline. */
const char *tfr_pipeline_describe(const struct tfr_pipeline *p);

#ifdef __cplusplus
}
#endif

#endif
