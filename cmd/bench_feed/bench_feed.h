/* cmd/bench_feed/bench_feed.h - shared by the files of bench-feed: the options, one run, and its
 * measurements.
 *
 * A run is one pipeline from open to close.  The thread that takes batches owns all of it except
 * the history, which the sampling thread fills until feed_history_stop(). */
#ifndef TFR_CMD_BENCH_FEED_BENCH_FEED_H
#define TFR_CMD_BENCH_FEED_BENCH_FEED_H

#include "common/cmd.h"
#include "common/figures.h"
#include "common/html_page.h"

/* An option that was not given: feed_compose() has the default. */
#define FEED_NOT_GIVEN UINT64_MAX

struct feed_settings {
	struct tfr_pipeline_opts opts; /* those that are one option each */
	const char *device, *stages, *size, *augment, *on_error, *compute, *trace, *html, *compare;
	struct opt_list features;
	uint64_t batch, shuffle, cycle_length, block_length, prefetch, steps_per_transfer, jobs;
	double tolerance;
	bool cold, allow_missing, json, force, quiet, verbose;
	int normalise_on, progress;
};

extern const struct opt feed_options[];
extern const struct feed_settings feed_defaults;

/* --- the consumer --- */

/* How a device spent its time with --compute-ms, from the first batch on. */
struct feed_device_use {
	double computing; /* seconds */
	double idle;	  /* seconds from the end of a step to the start of the next */
	uint64_t steps;
	double free_since; /* end of the previous step, by cmd_seconds(); 0: none */
};

struct feed_compute {
	double mean, deviation;	  /* seconds, as given; mean 0: no --compute-ms */
	double threshold;	  /* a longer idle time counts the step as delayed */
	uint64_t steps;		  /* after the first */
	uint64_t idle_steps;	  /* of these, delayed ones */
	uint64_t first_idle_step; /* the index of its batch; meaningless without idle_steps */
	double longest;		  /* the longest idle time before a step */
	uint64_t random;	  /* state */
	struct feed_device_use devices[TFR_DEVICES_MAX];
};

/* --- the history --- */

/* The counts at one moment.  Rates are differences, so dropping points loses only detail. */
struct feed_point {
	double seconds;
	uint64_t records, bytes, device_bytes, batches;
};

struct feed_history;
struct feed_comparison;
struct feed_trace;

/* --- images and audio of a batch, copied back from the device --- */

enum { FEED_IMAGES = 12 };

struct feed_image {
	void *png; /* malloc */
	size_t size;
	uint32_t width, height;
};

struct feed_gallery {
	struct feed_image at[FEED_IMAGES];
	unsigned count;
	size_t bytes;	   /* of the PNG files */
	bool reduced;	   /* some images were larger than the page shows */
	const char *range; /* how values map to colours */
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
	uint64_t named; /* skipped records; warnings name the first of them */

	struct feed_history *history;
	struct feed_trace *trace;
	struct page *html;
	struct feed_comparison *comparison;
	struct feed_compute compute;
	struct feed_gallery gallery;
	char *tensors;		      /* "pixels float32 [64 224 224 3]", of the first batch */
	double link[TFR_DEVICES_MAX]; /* measured bytes per second; 0: not measured */
	struct tfr_device_info info[TFR_DEVICES_MAX]; /* after the run */
	struct tfr_pipeline_stats stats;
	struct tfr_wait_bucket *waits;
	size_t wait_count;
	uint64_t peak_rss;
	uint64_t driver_rss;	  /* memory that opening a GPU took */
	bool verified;		  /* --verify-transfers found no difference */
	bool left_running;	  /* a GPU may still be working: nothing may be closed */
	struct feed_guard *guard; /* NULL: devices of this process need none */
	bool gathered, reported;  /* the figures are collected; the report was started */
};

/* options.c: checks numbers and conflicts.  0, or the exit status; the error is printed. */
int feed_check_options(struct cmd *c, const struct feed_settings *s);
/* --compute-ms MEAN[:SD], in seconds.  False: malformed. */
bool feed_parse_compute(const char *text, double *mean, double *deviation);

/* The stage list made from the short options, with images or without.  The caller
 * frees it.  NULL: out of memory. */
char *feed_compose(const struct feed_settings *s, bool images);

/* consumer.c: takes batches until there are no more.  Returns TFR_END, or the error in `err`. */
enum tfr_status feed_consume(struct feed *f, struct tfr_error *err);

/* batch_images.c: keeps images of a batch that the consumer holds. */
enum tfr_status feed_gallery_fill(struct feed *f, const struct tfr_batch *b, struct tfr_error *err);
void feed_gallery_clear(struct feed_gallery *g);

/* history.c: samples a running pipeline ten times per second, and draws the live view. */
/* Call it before the pipeline opens, whose threads may hide the live view.  NULL: out of memory. */
struct feed_history *feed_history_new(struct feed *f);
void feed_history_start(struct feed_history *h); /* after the pipeline is open */
void feed_history_stop(struct feed_history *h);
void feed_history_free(struct feed_history *h); /* after it is closed; accepts NULL */
const struct feed_point *feed_history_points(const struct feed_history *h, unsigned *count);
/* Records per second in equal spans of the run: at most `most` of them, and fewer for few batches.
 * Returns the number of spans. */
unsigned feed_history_rates(const struct feed_history *h, double *rates, unsigned most);
/* Wipes the live view before a line of text is printed; the next sample draws it again. */
void feed_history_hide(struct feed_history *h);

/* bench_feed.c: in place of a main thread that is stuck in a call of a driver, reports and ends the
 * process.  `err` NULL: after a signal. */
void feed_end_stuck(struct feed *f, const struct tfr_error *err);

/* guard.c: ends a run in which a driver never returns from a call of the main thread. */
/* Drivers take seconds to start GPUs, to pin memory and to give it back, without being stuck. */
#define FEED_GUARD_SLOW 10
struct feed_guard *feed_guard_new(struct feed *f); /* or NULL */
void feed_guard_free(struct feed_guard *g);
/* These accept NULL.  A phase, such as "opening devices", ends at the next one, or with NULL.  Its
 * driver is waited for at least `least` seconds, whatever --stall-timeout says. */
void feed_guard_phase(struct feed_guard *g, const char *doing, double least);
void feed_guard_alive(struct feed_guard *g);

/* bench_feed.c: the end of a run. */
/* Whether closing would wait for a driver that does not answer, or for a GPU that still computes.
 * The process must then end without closing.  `err`: how the run ended. */
bool feed_is_stuck(struct feed *f, const struct tfr_error *err);
/* Adds a hint where a GPU does not answer. */
void feed_hint_stuck(const struct feed *f, struct tfr_error *err);
/* The peak of the process, and pinned memory that its size does not count. */
uint64_t feed_peak_memory_bytes(const struct feed *f);

/* trace.c: --trace, every piece of work for a trace viewer.  Every function accepts NULL: no
 * --trace. */
enum tfr_status feed_trace_open(
	struct feed_trace **t, const char *path, bool force, struct tfr_error *err);
void feed_trace_close(struct feed_trace *t); /* removes a trace that was not published */
/* The same while threads still trace, which then wait for the end of the process. */
void feed_trace_abandon(struct feed_trace *t);

/* Sets the names of the pieces that follow. */
void feed_trace_name_stages(struct feed_trace *t, const struct tfr_pipeline_stats *st);
/* As the callback of struct tfr_pipeline_opts: on any thread. */
void feed_trace_piece(struct feed_trace *t, const struct tfr_trace *piece);
/* A step of the device, and a wait of the consumer: nanoseconds of CLOCK_MONOTONIC. */
void feed_trace_step(
	struct feed_trace *t, unsigned device, uint64_t batch, uint64_t start, uint64_t end);
void feed_trace_wait(struct feed_trace *t, uint64_t start, uint64_t end);
/* The number of items that wait after each stage. */
void feed_trace_queues(struct feed_trace *t, const struct tfr_pipeline_stats *st);

/* Names the rows and publishes the file. */
enum tfr_status feed_trace_publish(
	struct feed_trace *t, const struct feed *f, struct tfr_error *err);
/* The number of pieces after the file was full. */
uint64_t feed_trace_dropped(const struct feed_trace *t);

uint64_t feed_trace_now(void);

/* --- reports --- */

/* report.c, report_json.c: standard output. */
void feed_report_text(const struct feed *f);
void feed_report_json(const struct feed *f);

/* report_html.c */
enum tfr_status feed_html(struct page *page, const struct feed *f, struct tfr_error *err);

/* compare.c: an earlier run, read before this one starts. */
enum tfr_status feed_comparison_open(
	struct feed_comparison **k, const char *path, struct tfr_error *err);
void feed_comparison_close(struct feed_comparison *k);
/* TFR_EUSAGE: the earlier run had other stages. */
enum tfr_status feed_comparison_fits(
	const struct feed_comparison *k, const char *stages, struct tfr_error *err);
/* Warns if the earlier run was on another device. */
void feed_comparison_warn(const struct feed_comparison *k, const struct feed *f);
void feed_comparison_make(struct feed_comparison *k, const struct feed *f, double tolerance);
void feed_comparison_print(const struct feed_comparison *k);
void feed_comparison_json(const struct feed_comparison *k, struct tfr_json *j);
/* TFR_EDATA: a figure became worse than the tolerance allows. */
enum tfr_status feed_comparison_judge(const struct feed_comparison *k, struct tfr_error *err);

/* A figure as text, which lasts as long as the block that it is written in. */
#define FEED_COUNT(n) tfr_format_count((double)(n), (char[TFR_SIZE_TEXT]){ 0 })
#define FEED_SIZE(bytes) tfr_format_size(bytes, (char[TFR_SIZE_TEXT]){ 0 })
#define FEED_BANDWIDTH(bytes) figure_bandwidth(bytes, (char[FIGURE_TEXT]){ 0 })
#define FEED_DURATION(seconds) figure_duration(seconds, (char[FIGURE_TEXT]){ 0 })
#define FEED_SHARE(share) figure_share(share, (char[FIGURE_TEXT]){ 0 })

/* What a report has as one line of text, for the terminal and for the page: the device,
 * the stages, the rates, the memory. */
typedef void feed_put(void *ctx, const char *label, const char *text);
void feed_facts(const struct feed *f, feed_put *put, void *ctx);
void feed_peak_memory(const struct feed *f, feed_put *put, void *ctx);
static inline double feed_samples_per_second(const struct feed *f)
{
	return f->stats.records_per_second * tfr_pipeline_plan(f->pipeline)->audio_samples;
}

/* `spent` seconds as a share of the time of the stage's threads. */
static inline double feed_share(const struct tfr_stage_stats *s, double seconds, double spent)
{
	double time = seconds * (s->threads ? s->threads : 1);

	return time > 0 ? spent / time : 0;
}

/* A warning if other programs used so much of the processors that the figures are too low.  False:
 * they did not, or it is not known. */
enum { FEED_LOAD_TEXT = 300 };
bool feed_load_text(const struct feed *f, char text[FEED_LOAD_TEXT]);

#endif
