/* cmd/bench_feed/feed.h - what the files of bench-feed share: the options, one run, and what was
 * seen of it.
 *
 * A run is one pipeline from open to close.  The thread that takes batches owns everything in it
 * but the history, which the sampler's thread fills until feed_history_stop(). */
#ifndef TFR_CMD_BENCH_FEED_FEED_H
#define TFR_CMD_BENCH_FEED_FEED_H

#include "common/cmd.h"

/* A number that was not given: the default is in the stage list. */
#define FEED_NOT_GIVEN UINT64_MAX

struct feed_settings {
	const char *device, *stages, *size, *augment, *shuffle, *where, *on_error, *compute,
		*trace, *logdir, *html, *compare;
	struct opt_list features;
	uint64_t batch, cycle_length, block_length, prefetch, epochs, steps, steps_per_transfer,
		seed, jobs, memory;
	double seconds, stall_timeout, tolerance;
	bool shuffle_files, drop_remainder, fast_decode, verify_transfers, pageable, no_overlap,
		ladder, cold, allow_missing, json, force, quiet, verbose;
	int compression, normalise_on, progress;
};

extern const struct opt feed_options[];
extern const struct feed_settings feed_defaults;

/* --- the consumer --- */

/* What --compute-ms made of the devices' time, from the first batch on. */
struct feed_device_use {
	double computing; /* seconds */
	double idle;	  /* seconds from the end of a step to the start of the next */
	uint64_t steps;
	double free_since; /* end of the step before, seconds of cmd_seconds(); 0: none was */
};

struct feed_compute {
	double mean, deviation;	  /* seconds, as asked; mean 0: no --compute-ms */
	double threshold;	  /* a step that stood longer counts as idle */
	uint64_t steps;		  /* after the first */
	uint64_t idle_steps;	  /* of them */
	uint64_t first_idle_step; /* its batch's index; meaningless without idle_steps */
	double longest;		  /* idle at a stretch */
	uint64_t random;	  /* state */
	struct feed_device_use devices[TFR_DEVICES_MAX];
};

/* --- the history --- */

/* What had been counted by a moment: rates are differences, so leaving out points loses nothing but
 * detail. */
struct feed_point {
	double seconds;
	uint64_t records, bytes, device_bytes, batches;
	double wait;		      /* median so far */
	double idle;		      /* fraction so far */
	double busy[TFR_STAGES_MAX];  /* thread-seconds */
	double queue[TFR_STAGES_MAX]; /* items waiting behind each stage */
};

struct feed_history;

/* --- samples of what reached the device --- */

enum { FEED_IMAGES = 12 };

struct feed_image {
	void *png; /* malloc */
	size_t size;
	uint32_t width, height;
};

struct feed_gallery {
	struct feed_image at[FEED_IMAGES];
	unsigned count;
	const char *range; /* how values became colours */
};

/* --- one run --- */

struct feed {
	struct cmd *c;
	const struct feed_settings *s;
	struct tfr_set *set;
	struct tfr_device **devices;
	unsigned device_count;
	char *stages;
	bool images_optional;
	struct tfr_batch_feature *features;
	size_t feature_count;
	struct tfr_pipeline *pipeline;
	const volatile bool *interrupted;

	struct tfr_writer *quarantine;
	bool quarantine_failed;
	uint64_t named;
	bool warned; /* of names in --where: a ladder opens many feeds */

	struct feed_history *history;
	struct feed_trace *trace;
	struct feed_compute compute;
	struct feed_gallery gallery;
	char *tensors;		      /* "pixels float32 [64 224 224 3]", of the first batch */
	double link[TFR_DEVICES_MAX]; /* bytes a second the link can do; 0: not measured */
	struct tfr_pipeline_stats stats;
	struct tfr_wait_bucket *waits;
	size_t wait_count;
	uint64_t peak_rss;
	uint64_t driver_rss; /* what opening devices took, where one is outside this process */
	bool verified;	     /* --verify-transfers found no difference */
	bool left_running;   /* work on a GPU was not waited for: nothing may be closed */
	char *repeat;	     /* the command that repeats the run */
};

/* feed_options.c: 0, or the exit status of what is said to be senseless. */
int feed_check_options(struct cmd *c, const struct feed_settings *s);
/* --compute-ms MEAN[:SD] in seconds.  False: it is neither. */
bool feed_parse_compute(const char *text, double *mean, double *deviation);
/* --shuffle-buffer N[:MIN].  False: it is neither. */
bool feed_parse_shuffle(const char *text, uint64_t *n, uint64_t *least);

/* feed_list.c: the stage list that the short options make, with images or without.  The caller
 * frees it.  NULL: out of memory. */
char *feed_compose(const struct feed_settings *s, bool images);

/* feed_repeat.c: the command line that repeats the run, defaults that may change said in full.  The
 * caller frees it.  NULL: out of memory. */
char *feed_repeat(const struct feed *f);

/* feed_cold.c: takes the inputs out of the page cache, and warns of what stays. */
void feed_make_cold(struct cmd *c, const struct tfr_set *set);

/* feed_consumer.c: takes batches until there are no more.  The end is in `err`: TFR_END, or what
 * went wrong. */
enum tfr_status feed_consume(struct feed *f, struct tfr_error *err);

/* feed_gallery.c: keeps images of a batch that the consumer holds. */
enum tfr_status feed_gallery_fill(struct feed *f, const struct tfr_batch *b, struct tfr_error *err);
void feed_gallery_clear(struct feed_gallery *g);

/* feed_history.c: looks at a running pipeline ten times a second, and draws what it sees where
 * there is a terminal. */
/* Before the pipeline is opened, whose threads may hide what is drawn; NULL: out of memory. */
struct feed_history *feed_history_new(struct feed *f);
void feed_history_start(struct feed_history *h); /* once it is open */
void feed_history_stop(struct feed_history *h);
void feed_history_free(struct feed_history *h); /* once it is closed; accepts NULL */
const struct feed_point *feed_history_points(const struct feed_history *h, unsigned *count);
/* Records a second in equal parts of the run, as many as make sense and at most `most`; returns how
 * many. */
unsigned feed_history_rates(const struct feed_history *h, double *rates, unsigned most);
/* Takes what is drawn off the terminal, for a line of text to come; it is drawn again later. */
void feed_history_hide(struct feed_history *h);

/* feed_live.c */
struct feed_live;
struct feed_live *feed_live_open(const struct feed *f); /* NULL: nothing is to be drawn */
void feed_live_draw(struct feed_live *l, const struct tfr_pipeline_stats *st);
void feed_live_hide(struct feed_live *l); /* accepts NULL */
void feed_live_close(struct feed_live *l);

/* feed_ladder.c: --ladder. */
void feed_climb(struct feed *f);

/* feed_run.c: opens a pipeline over `stages`, with the limits of the options.  0, or the exit
 * status, told; without a pipeline it was interrupted. */
int feed_open(struct feed *f, const char *stages, bool images_optional);
/* Whether closing would wait for a driver that does not answer, or for a GPU that still computes:
 * then the process ends without.  `err`: how the feed ended. */
bool feed_is_stuck(struct feed *f, const struct tfr_error *err);
/* What was measured of it. */
void feed_gather(struct feed *f);
/* What every link can do, in transfers as large as the feed's. */
void feed_measure_links(struct feed *f);
uint64_t feed_peak_rss(void);

#endif
