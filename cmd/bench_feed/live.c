/* cmd/bench_feed/live.c - the running pipeline, redrawn in place on standard error.
 *
 * Only the drawn lines change on the terminal, and they are wiped before anything else is written.
 * So there is nothing to restore, however the process ends.  A line never wraps, since a wrapped
 * line could not be wiped: figures that do not fit are left out.  A terminal with too few rows gets
 * one line.  `lock` keeps a warning from being printed during a drawing. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_feed/bench_feed.h"
#include "common/figures.h"
#include "common/screen.h"

enum { BAR_LEAST = 10, BAR_MOST = 30, NAME = 20, LINE = 200 };

struct feed_live {
	const struct feed *f;
	pthread_mutex_t lock;
	unsigned drawn; /* lines on the terminal */
	unsigned ticks;
	struct tfr_pipeline_stats
		before; /* at the last drawing: shares and rates are of the time since */
	struct tfr_pipeline_stats now;
};

struct feed_live *feed_live_open(const struct feed *f)
{
	struct feed_live *l;

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

static void wipe(struct feed_live *l)
{
	if (l->drawn > 1)
		fprintf(stderr, "\x1b[%uA", l->drawn - 1);
	if (l->drawn)
		fputs("\r\x1b[J", stderr);
	l->drawn = 0;
}

static void put_line(struct feed_live *l, const char *text)
{
	fprintf(stderr, "%s%s", l->drawn ? "\n" : "", text);
	l->drawn++;
}

/* Appends a figure to a line of less than `columns`; false, and nothing, if it does not fit. */
static bool TFR_PRINTF(3, 4) add(char line[LINE], unsigned columns, const char *format, ...)
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

static void put_head(struct feed_live *l, unsigned columns)
{
	const struct tfr_pipeline_stats *a = &l->before, *b = &l->now;
	double seconds = b->seconds - a->seconds;
	char text[FIGURE_TEXT], count[TFR_SIZE_TEXT], line[LINE] = "";

	seconds = seconds > 0 ? seconds : 1;
	add(line, columns, "%.1f s: %s records/s", b->seconds,
		tfr_format_count((double)(b->records - a->records) / seconds, count));
	add(line, columns, ", %s batches", tfr_format_count((double)b->batches, count));
	add(line, columns, ", %s read",
		figure_bandwidth((double)(b->bytes - a->bytes) / seconds, text));
	add(line, columns, ", %s to the device",
		figure_bandwidth((double)(b->device_bytes - a->device_bytes) / seconds, text));
	put_line(l, line);
}

/* '#' is busy, '-' is blocked by the next stage, ' ' is starved or idle. */
static void put_stage(struct feed_live *l, unsigned columns, unsigned i)
{
	const struct tfr_stage_stats *a = &l->before.stages[i], *b = &l->now.stages[i];
	double time = (l->now.seconds - l->before.seconds) * (b->threads ? b->threads : 1);
	unsigned width = columns > NAME + BAR_MOST + 34 ? BAR_MOST : columns / 4;
	char bar[BAR_MOST + 1], cut[TEXT_CUT(NAME)], share[FIGURE_TEXT], line[LINE] = "";
	double busy;

	assert(i < l->now.stage_count && l->before.stage_count <= TFR_STAGES_MAX);
	width = width < BAR_LEAST ? BAR_LEAST : width < BAR_MOST ? width : BAR_MOST;
	time = time > 0 ? time : 1;
	busy = (b->busy - a->busy) / time;
	text_bar(bar, width, busy, (b->blocked - a->blocked) / time);
	busy = busy < 0 ? 0 : busy > 1 ? 1 : busy;
	add(line, columns, "%-*s", NAME, text_cut(b->name, NAME, CUT_END, cut));
	add(line, columns, " [%s]", bar);
	add(line, columns, " %4s busy", figure_share(busy, share));
	if (b->queue_capacity)
		add(line, columns, "  queue %llu/%llu", (unsigned long long)b->queue_now,
			(unsigned long long)b->queue_capacity);
	put_line(l, line);
}

static void put_waits(struct feed_live *l, unsigned columns)
{
	const struct tfr_pipeline_stats *st = &l->now;
	char text[FIGURE_TEXT], line[LINE] = "";

	if (st->batches > 1) {
		add(line, columns, "batch wait: p50 %s", figure_duration(st->wait_p50, text));
		add(line, columns, ", p99 %s", figure_duration(st->wait_p99, text));
		if (l->f->compute.mean > 0)
			add(line, columns, "; the device waits %.0f%%", 100 * st->idle_fraction);
		else
			add(line, columns, ", max %s", figure_duration(st->wait_max, text));
	} else {
		add(line, columns, "the first batch is in progress");
	}
	put_line(l, line);
}

void feed_live_draw(struct feed_live *l, const struct tfr_pipeline_stats *st)
{
	unsigned columns;

	if (l->ticks++ % 4) /* 2.5 times per second, so that figures can be read */
		return;
	pthread_mutex_lock(&l->lock);
	l->now = *st;
	columns = screen_columns(stderr);
	wipe(l);
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

void feed_live_hide(struct feed_live *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	wipe(l);
	fflush(stderr);
	pthread_mutex_unlock(&l->lock);
}

void feed_live_close(struct feed_live *l)
{
	if (!l)
		return;
	feed_live_hide(l);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
