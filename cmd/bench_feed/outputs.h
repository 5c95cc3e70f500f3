/* cmd/bench_feed/outputs.h - the reports of a run: on standard output, and in files. */
#ifndef TFR_CMD_BENCH_FEED_OUTPUTS_H
#define TFR_CMD_BENCH_FEED_OUTPUTS_H

#include "bench_feed/bench_feed.h"
#include "common/html_page.h"

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

/* The parts of a report that are one line of text, for the terminal and for the page: the device,
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
