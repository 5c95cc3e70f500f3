/* cmd/bench_feed/trace.h - --trace: every piece of work, for a trace viewer. */
#ifndef TFR_CMD_BENCH_FEED_TRACE_H
#define TFR_CMD_BENCH_FEED_TRACE_H

#include "bench_feed/bench_feed.h"

/* Every function accepts NULL: no --trace. */
struct feed_trace;

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

#endif
