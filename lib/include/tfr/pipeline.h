/* tfr/pipeline.h - the feed: records of a set through a list of stages to the memory of devices,
 * measured stage by stage.
 *
 *     read=4:1, parse, shuffle=2048, decode, random-resized-crop=224, flip, normalise, batch=64,
 *     upload
 *
 * One pool of workers does everything but reading and uploading: a worker takes the job furthest
 * downstream that has input and room, so no stage has a number of threads to choose.  Images that
 * are decoded right before their batch are decoded straight into staging memory, at their place.
 *
 * The batches depend on the files, the options and the seed, not on threads, memory or devices: the
 * order of records is that of tf.data's deterministic interleave and of its shuffle(N, seed), and
 * what is random is drawn by (seed, epoch, position of the record in the unshuffled stream, copy).
 * Batches do not span epochs: the last one of an epoch may be short.
 *
 * shuffle=N is tf.data's shuffle(N, seed), element by element.  shuffle=N:MIN begins earlier: it
 * gives its first record out as soon as MIN + 1 are in, then one for every two that come in, until
 * it holds N, then one for one; at the end of an epoch it gives out what it holds, while up to
 * MIN + 1 of the next come in.  So what comes out depends on the count of records alone, and never
 * fewer than MIN are there to choose from before the epoch's last is in.  (N - 1 is the default of
 * MIN, and gives tf.data's law.)  A second shuffle of a list is seeded with seed + 1, and so on.
 *
 * cache keeps what comes to it in the first epoch and gives out that, in that order, in all later
 * ones: files are then read once.  cache=FILE keeps it in a file without a name in the folder of
 * FILE (of a name alone: the current folder), which is gone with the feed, however that ends.
 *
 * What leaves the last stage of a list that ends before upload is dropped and counted.
 *
 * Sounds (decode=audio) are decoded, cut and batched in the same way, of records with a WAV file in
 * the bytes feature audio/encoded.
 *
 * Records of which none of the first holds an image (a bytes feature image/encoded), or a WAV file
 * (likewise audio/encoded), are batched as they are: see struct tfr_batch.
 *
 * One thread takes batches; tfr_pipeline_stats() and tfr_pipeline_waits() may be called from any.
 */
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
	unsigned thread;     /* workers from 0, then a reader a file read at once, then uploaders */
	uint64_t start, end; /* nanoseconds of CLOCK_MONOTONIC */
	/* What it was about: the record's position in its epoch (the first one's, of several), of
	 * reading that in its file, or the batch's number. */
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
	/* Where none of the first records holds an image, parse, decode and the stages of images
	 * are left out of the list; where they hold sounds, decode=audio and random-crop=1s stand
	 * there instead. */
	bool images_optional;
	const char *where; /* of the stage filter, as --where of tfr(1); NULL: none */
	/* Features that are to be columns of each batch; copied.  `fill` must outlive the pipeline.
	 * With images they are those of the image's record. */
	const struct tfr_batch_feature *features;
	size_t feature_count;
	/* The files come in another order every epoch, drawn by (seed, epoch). */
	bool shuffle_files;
	bool drop_remainder; /* a short batch at the end of an epoch is left out */
	bool fast_decode;    /* JPEG: the fast integer DCT, not exact */
	/* Each transfer is copied back and compared with what was assembled: a difference ends the
	 * feed with TFR_EDATA and names batch, device and byte. */
	bool verify;
	bool pageable;	 /* batches are assembled in memory that is not pinned */
	bool no_overlap; /* an upload starts only when a batch is asked for that is not there */
	/* The last stage before batch must be normalise: uint8 travels, rounded from what the
	 * stages before it give, and the device makes float32 of it. */
	bool normalise_on_device;
	unsigned steps_per_transfer; /* batches that travel together [0: 1] */
	uint64_t epochs;	     /* ends the feed after so many; 0: no limit */
	uint64_t steps;		     /* likewise batches */
	double seconds;		     /* likewise, from tfr_pipeline_open() on */
	uint64_t seed;
	unsigned threads; /* workers; 0: one a processor */
	uint64_t memory;  /* bytes everything together may take [0: 1 GiB] */
	/* Nothing at all moved for so long while a batch is waited for: ends the feed with
	 * TFR_ESYS, ETIMEDOUT, and says which stage waits for what.  0: never. */
	double stall_timeout;
	/* A record that is not an Example, has no image or a broken one, or lacks a feature:
	 * named to `skipped` and left out, its batch that much shorter; or, the default, the end of
	 * the feed. */
	bool skip_bad;
	/* Called on any thread, one call at a time; `record` is the payload.  May be NULL. */
	void (*skipped)(void *ctx, const struct tfr_error *why, const void *record, size_t size);
	/* Called by tfr_pipeline_close(), with a line for each feature that `where` names and no
	 * record had.  May be NULL. */
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
 * Images: "image", records * height * width * channels (or records * channels * height *
 * width), and "mask" where there are masks.  Sounds: "sound", records * samples * channels (or
 * records * channels * samples).  Then the features, if any, as tfr/tensor.h names them.
 * Otherwise payloads as they are: "offsets", records + 1 of int64, into "payload", uint8. */
struct tfr_batch {
	uint64_t index;	  /* from 0 */
	uint64_t epoch;	  /* from 0 */
	uint32_t records; /* images, where one record became several; of a list without batch:
			     those that left its last stage since the last call */
	uint64_t bytes;	  /* uploaded for it */
	unsigned device;  /* of opts.devices */
	struct tfr_event *event; /* of its transfer: has come by now.  NULL without upload */
	const struct tfr_tensor *tensors; /* valid until tfr_pipeline_release() */
	unsigned tensor_count;		  /* 0 where the list ends before upload */
	void *memory;			  /* the device's; NULL likewise */
	unsigned buffer;		  /* for tfr_pipeline_release() */
};

/* Starts reading, looks at the first records, settles the plan and starts everything.
 *   TFR_EUSAGE   options or stages that make no sense, also with these records: the message says
 *                which stage
 *   TFR_ENOMEM   the plan does not fit `memory`: the message has the sizes, the hint a way out
 *   TFR_EDATA, TFR_EFORMAT  no records at all, or the first cannot be read
 * and what files and devices can fail with. */
TFR_API enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **p, const struct tfr_pipeline_opts *opts, struct tfr_error *err);
/* Stops everything, wherever it is, and cuts uploads under way short.
 * Only a driver that never returns from an upload keeps it waiting.  Accepts NULL. */
TFR_API void tfr_pipeline_close(struct tfr_pipeline *p);

/* Waits for the next batch.  It stays where it is until tfr_pipeline_release(); batches that came
 * in one transfer share its memory, which is used again when all are released.
 *   TFR_END        a limit was reached, or the records are all delivered
 *   TFR_ECANCELLED opts.cancelled() said so
 * Damage in a file ends the feed with its error once every record before it has been delivered;
 * a broken image, unless skip_bad, at once, and so does a device that fails. */
TFR_API enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err);
TFR_API void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch);

/* --- what was measured ---------------------------------------------------------------------- */

/* One stage.  Seconds are thread-seconds: two workers that decode for one second are two.  Those of
 * the pool are of processor time, busy is; those of read, inflate, upload and the consumer are by
 * the clock, since they wait for a file, a link or a training.  A stage of the pool is starved, or
 * blocked, while a worker has nothing to do and this stage has no input, or input but no room for
 * what comes out. */
struct tfr_stage_stats {
	const char *name; /* "shuffle" */
	const char *text; /* "shuffle=2048", as in the list in full */
	unsigned threads; /* whose time it is; the stages of the pool share its workers */
	double busy, starved, blocked;
	uint64_t items, bytes; /* that left it */
	/* What waits behind it, for the next stage: items on average, as the next one found it, and
	 * the most there can be; of a shuffle, what it holds.  0: nothing can. */
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
		epochs;	       /* delivered; skipped by then; epochs completed */
	uint64_t bytes;	       /* payload bytes of the records delivered */
	uint64_t device_bytes; /* uploaded with them */
	/* Rates from the first batch to the last; of the whole run where there are fewer than two.
	 */
	double records_per_second, bytes_per_second, device_bytes_per_second;
	/* Of the whole run, opening and the first batch included: what an outside clock sees. */
	double records_per_second_total;
	/* Of the first epoch, from opening to its last batch, and of all later ones; 0: not known.
	 */
	double first_epoch_records_per_second, later_epochs_records_per_second;
	/* Seconds in tfr_pipeline_next() a batch, the first one left out; percentiles to 3%. */
	double wait_p50, wait_p95, wait_p99, wait_max;
	double idle_fraction; /* of the consumer's time since the first batch */
	struct tfr_stage_stats stages[TFR_STAGES_MAX]; /* in order, the consumer last */
	unsigned stage_count;
	/* The share of the processors' time, of those that this process may use, that other
	 * programs had since tfr_pipeline_open(); of it what the host of a virtual machine took.
	 * The kernel counts in hundredths of a second.  Known where there is /proc/stat. */
	bool load_known;
	double other_load, stolen_load;
	double cpu_wait; /* of the workers' time: at work without a processor */
	/* The name of a stage; "memory" where more batches in flight are what lacks and -m allows
	 * no more; "other programs" where these have the processors; "unknown" of a run that is
	 * too short to judge. */
	const char *bottleneck;
	char finding[200];	/* the numbers that say so: "2 of 2 workers busy 97% of the time" */
	char advice[320];	/* what would change it, with the next limit behind it */
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
