/* tfr/pipeline.h - an input pipeline: it takes records of a set through a list of stages to the
 * memory of devices, and measures each stage.
 *
 *     read=4:1, parse, shuffle=2048, decode, random-resized-crop=224, flip, normalise, batch=64,
 *     upload
 *
 * One pool of workers does everything but reading and uploading: a worker takes the job furthest
 * downstream that has input and room, so that no stage has a number of threads to choose.
 * Images that are decoded directly before their batch are decoded into their place in staging
 * memory.
 *
 * The batches depend on the files, the options and the seed, not on threads, memory or devices.
 * The order of records is that of tf.data's deterministic interleave and of its shuffle(N,
 * seed).  Random numbers are drawn by (seed, epoch, position of the record in the unshuffled
 * stream, copy).  Batches do not span epochs: the last one of an epoch may be short.
 *
 * shuffle=N is tf.data's shuffle(N, seed), element by element. A second shuffle of a list is
 * seeded with seed + 1, and so on.
 *
 * cache keeps its input of the first epoch, and outputs it in the same order in all later
 * epochs, so that files are read once.
 *
 * Records that leave a list which ends before upload are dropped and counted.
 *
 * Audio (decode=audio) is decoded, cropped and batched in the same way, from records with a WAV
 * file in the bytes feature audio/encoded.
 *
 * If none of the first records has an image (a bytes feature image/encoded) or a WAV file
 * (audio/encoded), records are batched as they are: see struct tfr_batch.
 *
 * One thread takes batches; tfr_pipeline_stats() may be called from any. */
#ifndef TFR_PIPELINE_H
#define TFR_PIPELINE_H

#include <tfr/batch.h>
#include <tfr/codec.h>
#include <tfr/device.h>
#include <tfr/dtype.h>
#include <tfr/error.h>
#include <tfr/shard.h>
#include <tfr/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_pipeline;

/* A piece of work that was done. */
struct tfr_trace {
	unsigned stage;	     /* its place in the list, as in the rows of tfr_pipeline_stats() */
	unsigned thread;     /* workers from 0, then one reader per file read at once, then
			      * uploaders */
	uint64_t start, end; /* nanoseconds of CLOCK_MONOTONIC */
	/* Its subject: the position of its (first) record in the epoch; for reading, the
	 * position in the file; or the number of the batch. */
	uint64_t number;
};

struct tfr_pipeline_opts {
	const struct tfr_set *set; /* the files; must outlive the pipeline */
	/* Likewise.  Transfers are dealt to them in turn.  None is needed without upload. */
	struct tfr_device *const *devices;
	unsigned device_count;
	enum tfr_compression compression; /* AUTO: found from the content */
	/* The stages, separated by commas; `tfr-bench-feed(1)` says what each does.  NULL:
	 * "read=4:1,parse,shuffle=2048,decode,random-resized-crop=224,flip,normalise,batch=64,upload",
	 * and images_optional. */
	const char *stages;
	/* If none of the first records holds an image, parse, decode and the stages of images
	 * are left out of the list; if they hold audio, decode=audio and random-crop=1s take
	 * their place. */
	bool images_optional;
	const char *where; /* of the stage filter, as --where of tfr(1); NULL: none */
	/* Features that become columns of each batch; copied.  `fill` must outlive the pipeline.
	 * In batches of images they are those of the image's record. */
	const struct tfr_batch_feature *features;
	size_t feature_count;
	/* The files come in another order every epoch, drawn by (seed, epoch). */
	bool shuffle_files;
	bool drop_remainder; /* a short batch at the end of an epoch is left out */
	bool fast_decode;    /* JPEG: the fast integer DCT, not exact */
	/* Copies each transfer back and compares it with the staging memory: a difference ends
	 * the feed with TFR_EDATA and names batch, device and byte. */
	bool verify;
	bool pageable; /* batches are assembled in memory that is not pinned */
	/* Batches are handed out in the memory in which they are assembled: an upload copies
	 * nothing and takes no time.  Only with devices in the process, and without pageable,
	 * verify, normalise_on_device and steps_per_transfer. */
	bool in_place;
	bool no_overlap; /* an upload starts only when a batch is asked for that is not there */
	/* The last stage before batch must be normalise: the pixels are uploaded as uint8,
	 * rounded from the output of the stages before it, and the device makes float32 of them. */
	bool normalise_on_device;
	unsigned steps_per_transfer; /* batches that travel together [0: 1] */
	uint64_t epochs;	     /* ends the feed after so many; 0: no limit */
	uint64_t steps;		     /* likewise batches */
	double seconds;		     /* likewise, from tfr_pipeline_open() on */
	uint64_t seed;
	unsigned threads; /* workers; 0: one a processor */
	uint64_t memory;  /* bytes everything together may take [0: 1 GiB] */
	/* If nothing moves for this many seconds while a batch is waited for, the feed ends with
	 * TFR_ESYS, ETIMEDOUT, and reports which stage waits for what.  0: never. */
	double stall_timeout;
	/* A record that is not an Example, has no image or a broken one, or lacks a feature:
	 * named to `skipped` and left out, its batch that much shorter; or, the default, the end of
	 * the feed. */
	bool skip_bad;
	/* Called on any thread, one call at a time; `record` is the payload.  May be NULL. */
	void (*skipped)(void *ctx, const struct tfr_error *why, const void *record, size_t size);
	/* Called by tfr_pipeline_open(), with a line for each of `features` that the first records
	 * lack but need not have, and by tfr_pipeline_close(), for each feature that `where` names
	 * and no record had.  May be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* Asked some times a second while a batch is waited for; true ends the feed, NULL never. */
	bool (*cancelled)(void *ctx);
	/* Called for every piece of work, by the thread that did it, several at a time.  It must be
	 * quick: the feed waits for it.  May be NULL. */
	void (*traced)(void *ctx, const struct tfr_trace *piece);
	void *ctx;
};

/* A batch in device memory.
 *
 * Images: "image", records * height * width * channels (or records * channels * height * width),
 * and "mask" if there are masks.  Audio: "audio", records * samples * channels (or records *
 * channels * samples).  Then the features, if any, with the names of tfr/tensor.h.  Otherwise
 * payloads as they are: "offsets", records + 1 of int64, into "payload", uint8. */
struct tfr_batch {
	uint64_t index;	  /* from 0 */
	uint64_t epoch;	  /* from 0 */
	uint32_t records; /* images, if one record becomes several; for a list without batch: the
			   * records that left its last stage since the last call */
	uint64_t bytes;	  /* uploaded for it */
	unsigned device;  /* of opts.devices */
	struct tfr_event *event; /* of its transfer: it has happened. NULL without upload */
	const struct tfr_tensor *tensors; /* valid until tfr_pipeline_release() */
	unsigned tensor_count;		  /* 0 where the list ends before upload */
	void *memory;			  /* the device's; NULL likewise */
	unsigned buffer;		  /* for tfr_pipeline_release() */
};

/* Starts reading, looks at the first records, settles the plan and starts all threads.
 *
 *     TFR_EUSAGE   options or stages that make no sense, or not with these records; the message
 *              names the stage
 *     TFR_ENOMEM   the plan does not fit `memory`; the message has the sizes, the hint a way out
 *     TFR_EDATA, TFR_EFORMAT  there are no records, or the first cannot be read
 *
 * and the errors of files and devices. */
TFR_API enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **p, const struct tfr_pipeline_opts *opts, struct tfr_error *err);
/* Stops everything, wherever it is, and cuts uploads under way short.
 * Only a driver that never returns from an upload keeps it waiting.  Accepts NULL. */
TFR_API void tfr_pipeline_close(struct tfr_pipeline *p);

/* Waits for the next batch.  It stays in place until tfr_pipeline_release(); batches of one
 * transfer share memory, which is used again when all are released.
 *
 *     TFR_END        a limit was reached, or all records are delivered
 *     TFR_ECANCELLED opts.cancelled() returned true
 *
 * Damage in a file ends the feed with its error after every record before it is delivered.  A
 * broken image, unless skip_bad, and a failing device end it at once. */
TFR_API enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err);
TFR_API void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch);

/* In place of tfr_pipeline_release(): the batch keeps its memory, and the pipeline takes other
 * memory for later batches.  The data of the tensors stays valid until
 * tfr_batch_memory_free(*memory), also after tfr_pipeline_close(); the tensors themselves do not,
 * so copy them before.  It does not count in opts.memory.  TFR_EUNAVAILABLE: the device's memory
 * is not that of the process, or opts.steps_per_transfer is more than 1; the batch is not
 * released. */
TFR_API enum tfr_status tfr_pipeline_take(struct tfr_pipeline *p, const struct tfr_batch *batch,
	void **memory, struct tfr_error *err);
/* Any thread may call it, at any time.  Accepts NULL. */
TFR_API void tfr_batch_memory_free(void *memory);

/* --- measurements --------------------------------------------------------------------------- */

/* One stage.  Seconds are thread-seconds: two workers that decode for one second are two.  The
 * busy seconds of the workers' stages are processor time; those of read, inflate, upload and the
 * consumer are clock time, because they wait for a file, a link or a training.  A stage of the
 * workers is starved, or blocked, while a worker is idle and this stage has no input, or input
 * but no room for its output. */
struct tfr_stage_stats {
	const char *name; /* "shuffle" */
	const char *text; /* "shuffle=2048", as in the list in full */
	unsigned threads; /* whose time it is; the stages of the pool share its workers */
	double busy, starved, blocked;
	uint64_t items, bytes; /* that left it */
	/* The queue after it: items on average, as the next stage found it, and the most it can
	 * hold; for a shuffle, the contents of its buffer.  0: it has none. */
	double queue_mean;
	uint64_t queue_now; /* what waits at this moment */
	uint64_t queue_capacity;
};

/* As many as a list may have, and the consumer. */
#define TFR_STAGES_MAX 104
/* As many as can be opened. */
#define TFR_DEVICES_MAX 64

/* One device: what went to it. */
struct tfr_device_stats {
	double busy; /* seconds that its link was occupied */
	uint64_t batches, bytes;
};

struct tfr_pipeline_stats {
	double seconds;		    /* since tfr_pipeline_open() */
	double first_batch_seconds; /* until the first batch was there; 0: none was */
	uint64_t records, skipped, batches,
		epochs;	       /* delivered; skipped until then; epochs completed */
	uint64_t bytes;	       /* payload bytes of the records delivered */
	uint64_t device_bytes; /* uploaded with them */
	/* Rates from the first batch to the last; of the complete run if there are fewer than
	 * two. */
	double records_per_second, bytes_per_second, device_bytes_per_second;
	/* Of the complete run, with opening and the first batch: the rate by an outside clock. */
	double records_per_second_total;
	/* Of the first epoch, from opening to its last batch, and of all later ones; 0: not known.
	 */
	double first_epoch_records_per_second, later_epochs_records_per_second;
	/* Seconds in tfr_pipeline_next() a batch, the first one left out; percentiles to 3%. */
	double wait_p50, wait_p95, wait_p99, wait_max;
	double idle_fraction; /* of the consumer's time since the first batch */
	struct tfr_stage_stats stages[TFR_STAGES_MAX]; /* in order, the consumer last */
	unsigned stage_count;
	/* The share of the time of the processors this process may use that other programs had
	 * since tfr_pipeline_open(), and the part of it that the host of a virtual machine took.
	 * The kernel counts in hundredths of a second.  Known if there is /proc/stat. */
	bool load_known;
	double other_load, stolen_load;
	double cpu_wait; /* of the workers' time: at work without a processor */
	/* The name of a stage; "memory" if more batches in flight are needed and -m allows no
	 * more; "other programs" if these have the processors; "unknown" for a run that is too
	 * short to judge. */
	const char *bottleneck;
	char finding[200];	/* the numbers that say so: "2 of 2 workers busy 97% of the time" */
	char advice[320];	/* what would change it, and the next limit */
	uint64_t shuffle_least; /* fewest records a full shuffle buffer held: see plan->shuffle */
	unsigned threads;	/* workers */
	struct tfr_device_stats devices[TFR_DEVICES_MAX]; /* as in the options */
	unsigned device_count;				  /* 0 without upload */
};

TFR_API void tfr_pipeline_stats(struct tfr_pipeline *p, struct tfr_pipeline_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
