/* cmd/bench_feed/history.c - a thread that samples the pipeline ten times per second, and draws the
 * live view: the running pipeline, redrawn in place on standard error.
 *
 * Points hold counts, not rates, so dropping every other point loses only detail.  A long run has
 * between POINTS / 2 and POINTS of them.
 *
 * Only the drawn lines change on the terminal, and they are wiped before anything else is written.
 * So there is nothing to restore, however the process ends.  A line never wraps, since a wrapped
 * line could not be wiped: figures that do not fit are left out.  A terminal with too few rows gets
 * one line.  The view has a lock of its own, which keeps a warning from being printed during a
 * drawing. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_feed/bench_feed.h"
#include "common/screen.h"

/* --- the live view --- */

enum { BAR_LEAST = 10, BAR_MOST = 30, NAME = 20, LINE = 200 };

struct live {
	const struct feed *f;
	pthread_mutex_t lock;
	unsigned drawn; /* lines on the terminal */
	unsigned ticks;
	struct tfr_pipeline_stats
		before; /* at the last drawing: shares and rates are of the time since */
	struct tfr_pipeline_stats now;
};

static struct live *open_live(const struct feed *f)
{
	struct live *l;

	if (f->s->progress == PROGRESS_NEVER ||
		(f->s->progress == PROGRESS_AUTO && (f->s->quiet || !isatty(STDERR_FILENO))))
		return NULL;
	l = calloc(1, sizeof(*l));
	if (l) {
		l->f = f;
		pthread_mutex_init(&l->lock, NULL);
	}
	return l;
}

static void wipe_live(struct live *l)
{
	if (l->drawn > 1)
		fprintf(stderr, "\x1b[%uA", l->drawn - 1);
	if (l->drawn)
		fputs("\r\x1b[J", stderr);
	l->drawn = 0;
}

static void put_line(struct live *l, const char *text)
{
	fprintf(stderr, "%s%s", l->drawn ? "\n" : "", text);
	l->drawn++;
}

/* Appends a figure to a line of less than `columns`; false, and nothing, if it does not fit. */
static bool TFR_PRINTF(3, 4) add_figure(char line[LINE], unsigned columns, const char *format, ...)
{
	size_t used = strlen(line);
	char text[LINE];
	va_list args;

	assert(used < LINE);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (used + strlen(text) >= LINE ||
		text_columns(line, used) + text_columns(text, strlen(text)) >= columns)
		return false;
	strcpy(line + used, text);
	return true;
}

static void put_head(struct live *l, unsigned columns)
{
	const struct tfr_pipeline_stats *a = &l->before, *b = &l->now;
	double seconds = b->seconds - a->seconds;
	char line[LINE] = "";

	seconds = seconds > 0 ? seconds : 1;
	add_figure(line, columns, "%.1f s: %s records/s", b->seconds,
		FEED_COUNT((double)(b->records - a->records) / seconds));
	add_figure(line, columns, ", %s batches", FEED_COUNT(b->batches));
	add_figure(line, columns, ", %s read",
		FEED_BANDWIDTH((double)(b->bytes - a->bytes) / seconds));
	add_figure(line, columns, ", %s to the device",
		FEED_BANDWIDTH((double)(b->device_bytes - a->device_bytes) / seconds));
	put_line(l, line);
}

/* '#' is busy, '-' is blocked by the next stage, ' ' is starved or idle. */
static void put_stage(struct live *l, unsigned columns, unsigned i)
{
	const struct tfr_stage_stats *a = &l->before.stages[i], *b = &l->now.stages[i];
	double time = (l->now.seconds - l->before.seconds) * (b->threads ? b->threads : 1);
	unsigned width = columns > NAME + BAR_MOST + 34 ? BAR_MOST : columns / 4;
	char bar[BAR_MOST + 1], cut[TEXT_CUT(NAME)], line[LINE] = "";
	double busy;

	assert(i < l->now.stage_count && l->before.stage_count <= TFR_STAGES_MAX);
	width = width < BAR_LEAST ? BAR_LEAST : width < BAR_MOST ? width : BAR_MOST;
	time = time > 0 ? time : 1;
	busy = (b->busy - a->busy) / time;
	text_bar(bar, width, busy, (b->blocked - a->blocked) / time);
	busy = busy < 0 ? 0 : busy > 1 ? 1 : busy;
	add_figure(line, columns, "%-*s", NAME, text_cut(b->name, NAME, CUT_END, cut));
	add_figure(line, columns, " [%s]", bar);
	add_figure(line, columns, " %4s busy", FEED_SHARE(busy));
	if (b->queue_capacity)
		add_figure(line, columns, "  queue %llu/%llu", (unsigned long long)b->queue_now,
			(unsigned long long)b->queue_capacity);
	put_line(l, line);
}

static void put_waits(struct live *l, unsigned columns)
{
	const struct tfr_pipeline_stats *st = &l->now;
	char line[LINE] = "";

	if (st->batches > 1) {
		add_figure(line, columns, "batch wait: p50 %s", FEED_DURATION(st->wait_p50));
		add_figure(line, columns, ", p99 %s", FEED_DURATION(st->wait_p99));
		if (l->f->compute.mean > 0)
			add_figure(line, columns, "; the device waits %.0f%%",
				100 * st->idle_fraction);
		else
			add_figure(line, columns, ", max %s", FEED_DURATION(st->wait_max));
	} else {
		add_figure(line, columns, "the first batch is in progress");
	}
	put_line(l, line);
}

static void draw_live(struct live *l, const struct tfr_pipeline_stats *st)
{
	unsigned columns;

	if (l->ticks++ % 4) /* 2.5 times per second, so that figures can be read */
		return;
	pthread_mutex_lock(&l->lock);
	l->now = *st;
	columns = screen_columns(stderr);
	wipe_live(l);
	put_head(l, columns);
	if (screen_rows(stderr) > st->stage_count + 2) {
		for (unsigned i = 0; i < st->stage_count; i++)
			put_stage(l, columns, i);
		put_waits(l, columns);
	}
	fflush(stderr);
	l->before = l->now;
	pthread_mutex_unlock(&l->lock);
}

static void hide_live(struct live *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	wipe_live(l);
	fflush(stderr);
	pthread_mutex_unlock(&l->lock);
}

static void close_live(struct live *l)
{
	if (!l)
		return;
	hide_live(l);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* --- the history --- */

enum { POINTS = 600 };
#define LOOK 0.1 /* seconds */

struct feed_history {
	struct feed *f;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop_now;
	bool running, stop;
	struct live *live;
	struct tfr_pipeline_stats stats; /* too large for a stack */
	uint64_t looks, every;		 /* one point per so many samples */
	unsigned count;
	struct feed_point points[POINTS];
};

static void keep_point(struct feed_history *h)
{
	const struct tfr_pipeline_stats *st = &h->stats;

	assert(h->every && h->count && h->count <= POINTS);
	if (h->looks++ % h->every)
		return;
	if (h->count == POINTS) {
		for (unsigned i = 1; i < POINTS / 2; i++)
			h->points[i] = h->points[2 * i];
		h->count = POINTS / 2;
		h->every *= 2;
	}
	h->points[h->count++] = (struct feed_point){
		.seconds = st->seconds,
		.records = st->records,
		.bytes = st->bytes,
		.device_bytes = st->device_bytes,
		.batches = st->batches,
	};
}

static void take_sample(struct feed_history *h)
{
	tfr_pipeline_stats(h->f->pipeline, &h->stats);
	keep_point(h);
	feed_trace_queues(h->f->trace, &h->stats);
	if (h->live)
		draw_live(h->live, &h->stats);
}

static void *history_main(void *arg)
{
	struct feed_history *h = arg;

	pthread_mutex_lock(&h->lock);
	while (!h->stop) {
		uint64_t next = feed_trace_now() + (uint64_t)(LOOK * 1e9);
		struct timespec until = { (time_t)(next / 1000000000), (long)(next % 1000000000) };

		while (!h->stop && !pthread_cond_timedwait(&h->stop_now, &h->lock, &until))
			;
		if (!h->stop)
			take_sample(h);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

struct feed_history *feed_history_new(struct feed *f)
{
	struct feed_history *h = calloc(1, sizeof(*h));
	pthread_condattr_t attr;

	if (!h)
		return NULL;
	h->f = f;
	h->every = 1;
	h->count = 1; /* the start: all counts are 0 */
	h->live = open_live(f);
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->stop_now, &attr);
	pthread_condattr_destroy(&attr);
	return h;
}

void feed_history_start(struct feed_history *h)
{
	h->running = pthread_create(&h->thread, NULL, history_main, h) == 0;
}

void feed_history_stop(struct feed_history *h)
{
	if (!h->running)
		return;
	pthread_mutex_lock(&h->lock);
	h->stop = true;
	pthread_cond_signal(&h->stop_now);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	h->running = false;
	hide_live(h->live);
	/* The last point is the end.  A point just before it would give the rate of a few
	 * milliseconds, which is noise. */
	h->looks = 0;
	tfr_pipeline_stats(h->f->pipeline, &h->stats);
	if (h->count > 1 && h->stats.seconds - h->points[h->count - 1].seconds < LOOK / 2)
		h->count--;
	keep_point(h);
}

void feed_history_free(struct feed_history *h)
{
	if (!h)
		return;
	close_live(h->live);
	pthread_cond_destroy(&h->stop_now);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

const struct feed_point *feed_history_points(const struct feed_history *h, unsigned *count)
{
	*count = h ? h->count : 0;
	return h ? h->points : NULL;
}

/* The records by a moment, interpolated between two points. */
static double records_at(const struct feed_history *h, double seconds)
{
	const struct feed_point *p = h->points;
	unsigned i = 1;
	double span, share;

	assert(h->count > 1);
	while (i + 1 < h->count && p[i].seconds < seconds)
		i++;
	span = p[i].seconds - p[i - 1].seconds;
	share = span > 0 ? (seconds - p[i - 1].seconds) / span : 1;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return (double)p[i - 1].records + share * (double)(p[i].records - p[i - 1].records);
}

unsigned feed_history_rates(const struct feed_history *h, double *rates, unsigned most)
{
	unsigned spans = h && h->count > 3 ? h->count - 1 : 0;
	uint64_t batches = spans ? h->points[h->count - 1].batches : 0;
	double end = spans ? h->points[h->count - 1].seconds : 0;

	assert(most);
	if (!batches)
		return 0;
	/* Records arrive in batches: a span shorter than a batch would be all or nothing. */
	if (spans > 3 + batches / 3)
		spans = 3 + (unsigned)(batches / 3);
	spans = spans < most ? spans : most;
	for (unsigned i = 0; i < spans; i++)
		rates[i] = (records_at(h, end * (i + 1) / spans) - records_at(h, end * i / spans)) *
			   spans / end;
	return spans;
}

void feed_history_hide(struct feed_history *h)
{
	if (h)
		hide_live(h->live);
}
