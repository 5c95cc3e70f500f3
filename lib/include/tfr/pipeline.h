/* tfr/pipeline.h - the feed: records of a set, shuffled, decoded, batched and uploaded, measured
 * stage by stage.
 *
 *     read, parse, shuffle, decode, [crop, flip, normalise:] resize, batch, upload
 *
 * One pool of workers does everything but reading and uploading: a worker takes the job furthest
 * downstream that has input and room, so no stage has a number of threads to choose.  Pictures are
 * decoded straight into staging memory, at their place in their batch.
 *
 * The batches depend on the files, the seed and the options, not on threads, memory or device: the
 * order of records is that of tf.data's deterministic interleave and of its shuffle(N, seed), and
 * crops are drawn by (seed, epoch, position of the record in the unshuffled stream).  Batches do
 * not span epochs: the last one of an epoch may be short.
 *
 * Records that hold no picture (no bytes feature image/encoded in any of the first) are read,
 * shuffled, batched and uploaded as they are.
 *
 * One thread takes batches; tfr_pipeline_stats() may be called from any. */
#ifndef TFR_PIPELINE_H
#define TFR_PIPELINE_H

#include <tfr/codec.h>
#include <tfr/device.h>
#include <tfr/error.h>
#include <tfr/shard.h>

struct tfr_pipeline;

struct tfr_pipeline_opts {
	const struct tfr_set *set;	  /* the files; must outlive the pipeline */
	struct tfr_device *device;	  /* likewise */
	enum tfr_compression compression; /* AUTO: found from the content */
	uint32_t cycle_length;		  /* files read at once [0: 4] */
	uint32_t block_length;	/* records from one file before the next one's turn [0: 1] */
	uint64_t shuffle;	/* records the shuffle buffer holds; 0 and 1: no shuffling */
	uint32_t batch;		/* records [0: 64] */
	uint32_t width, height; /* of the pictures in a batch [0: 224] */
	/* What happens to a picture, separated by commas: random-resized-crop, centre-crop or
	 * resize, then flip, normalise [NULL: "random-resized-crop,flip,normalise"]. */
	const char *augment;
	bool drop_remainder; /* a short batch at the end of an epoch is left out */
	unsigned prefetch;   /* batches in flight; 0: as memory allows, at most 3 */
	uint64_t epochs;     /* ends the feed after so many; 0: no limit */
	uint64_t steps;	     /* likewise batches */
	double seconds;	     /* likewise, from tfr_pipeline_open() on */
	uint64_t seed;
	unsigned threads; /* workers; 0: one a processor */
	uint64_t memory;  /* bytes everything together may take [0: 1 GiB] */
	/* A record that is not an Example, has no picture or a broken one: named to `skipped` and
	 * left out, its batch that much shorter; or, the default, the end of the feed. */
	bool skip_bad;
	/* Called on any thread, one call at a time; `record` is the payload.  May be NULL. */
	void (*skipped)(void *ctx, const struct tfr_error *why, const void *record, size_t size);
	/* Asked some times a second while a batch is waited for; true ends the feed, NULL never. */
	bool (*cancelled)(void *ctx);
	void *ctx;
};

/* What memory goes where: settled before anything runs. */
struct tfr_pipeline_plan {
	uint64_t limit;	       /* bytes that were allowed */
	uint64_t total;	       /* bytes that will be taken at most */
	uint64_t record_bytes; /* of a payload: the mean of the first records */
	uint64_t batch_bytes;  /* of one staging or device buffer */
	uint64_t shuffle;      /* records the shuffle buffer is to hold */
	uint64_t shuffle_bytes;
	uint64_t read_bytes;	  /* records read ahead */
	uint64_t scratch_bytes;	  /* the workers' decoders */
	unsigned staging, device; /* buffers; a device outside this process takes none of it */
	bool device_counted;	  /* whether device memory is in `total` */
};

/* A batch in device memory.  Pictures: records * height * width * 3 float32, dense, HWC.  Payloads:
 * records + 1 offsets as u64 into the bytes behind them, then these bytes. */
struct tfr_batch {
	uint64_t index; /* from 0 */
	uint64_t epoch; /* from 0 */
	uint32_t records;
	uint64_t bytes;	 /* uploaded */
	void *memory;	 /* the device's */
	unsigned buffer; /* for tfr_pipeline_release() */
};

/* Starts reading, looks at the first records, settles the plan and starts everything.
 *   TFR_EUSAGE   options that make no sense
 *   TFR_ENOMEM   the plan does not fit `memory`: the message has the sizes, the hint a way out
 *   TFR_EDATA, TFR_EFORMAT  no records at all, or the first cannot be read
 * and what files and devices can fail with. */
TFR_API enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **p, const struct tfr_pipeline_opts *opts, struct tfr_error *err);
/* Stops everything, wherever it is.  Accepts NULL. */
TFR_API void tfr_pipeline_close(struct tfr_pipeline *p);

/* Waits for the next batch.  It stays where it is until tfr_pipeline_release().
 *   TFR_END        a limit was reached, or the records are all delivered
 *   TFR_ECANCELLED opts.cancelled() said so
 * Damage in a file ends the feed with its error once every record before it has been delivered;
 * a broken picture, unless skip_bad, at once. */
TFR_API enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err);
TFR_API void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch);

/* --- what was measured ---------------------------------------------------------------------- */

/* One stage.  Seconds are thread-seconds: two workers that decode for one second are two.  A stage
 * of the pool is starved, or blocked, while a worker has nothing to do and this stage has no input,
 * or input but no room for what comes out. */
struct tfr_stage_stats {
	const char *name;
	unsigned threads; /* whose time it is; the stages of the pool share its workers */
	double busy, starved, blocked;
	uint64_t items, bytes; /* that left it */
};

#define TFR_STAGES_MAX 8

struct tfr_pipeline_stats {
	double seconds;		    /* since tfr_pipeline_open() */
	double first_batch_seconds; /* until the first batch was there; 0: none was */
	uint64_t records, skipped, batches,
		epochs;	       /* delivered; skipped by then; epochs completed */
	uint64_t bytes;	       /* payload bytes of the records delivered */
	uint64_t device_bytes; /* uploaded with them */
	/* Rates from the first batch to the last; of the whole run where there are fewer than two.
	 */
	double records_per_second, bytes_per_second, device_bytes_per_second;
	/* Seconds in tfr_pipeline_next() a batch, the first one left out; percentiles to 3%. */
	double wait_p50, wait_p95, wait_p99, wait_max;
	double idle_fraction; /* of the consumer's time since the first batch */
	struct tfr_stage_stats stages[TFR_STAGES_MAX]; /* in order, the consumer last */
	unsigned stage_count;
	const char *bottleneck; /* the name of a stage */
	char finding[200];	/* the numbers that say so: "2 of 2 workers busy 97% of the time" */
	char advice[320];	/* what would change it, with the next limit behind it */
	uint64_t shuffle_least; /* fewest records the full shuffle buffer held: see plan->shuffle */
};

TFR_API void tfr_pipeline_stats(struct tfr_pipeline *p, struct tfr_pipeline_stats *stats);
TFR_API const struct tfr_pipeline_plan *tfr_pipeline_plan(const struct tfr_pipeline *p);
/* The stages in full: "read=4, parse, shuffle=2048, decode, …".  Lives as long as the pipeline. */
TFR_API const char *tfr_pipeline_describe(const struct tfr_pipeline *p);

#endif
