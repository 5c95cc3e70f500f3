/* cmd/bench_feed/live.c - the feed as it runs, redrawn in place on standard error.
 *
 * Nothing of the terminal is changed but what stands on the lines drawn, and these are wiped before
 * anything else is written: so there is nothing to restore, however the process ends.  On a
 * terminal too low or too narrow for the table one line is drawn.  `lock` lets a warning in between
 * two drawings. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench_feed/feed.h"
#include "common/figures.h"

enum { WIDTH = 80, BAR = 30, LABEL = 20 };

struct feed_live {
	const struct feed *f;
	pthread_mutex_t lock;
	unsigned drawn; /* lines below the one that the cursor came from */
	unsigned ticks;
	struct tfr_pipeline_stats
		before; /* shares and rates are of the time between two drawings */
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

static void room(unsigned *rows, unsigned *columns)
{
	struct winsize size;

	*rows = 24;
	*columns = WIDTH;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		*rows = size.ws_row;
		*columns = size.ws_col < WIDTH ? size.ws_col : WIDTH;
	}
}

/* One line, cut where the terminal ends: a wrapped one could not be wiped. */
static void put_line(struct feed_live *l, unsigned columns, const char *text)
{
	fprintf(stderr, "%s%.*s", l->drawn ? "\n" : "", (int)columns - 1, text);
	l->drawn++;
}

static void put_head(struct feed_live *l, unsigned columns)
{
	const struct tfr_pipeline_stats *a = &l->before, *b = &l->now;
	double seconds = b->seconds - a->seconds;
	char count[TFR_SIZE_TEXT], read[32], sent[32], total[TFR_SIZE_TEXT], line[200];

	seconds = seconds > 0 ? seconds : 1;
	snprintf(line, sizeof(line), "%.1f s: %s records/s, %s read, %s to the device; %s batches",
		b->seconds, tfr_format_count((double)(b->records - a->records) / seconds, count),
		figure_bandwidth((double)(b->bytes - a->bytes) / seconds, read),
		figure_bandwidth((double)(b->device_bytes - a->device_bytes) / seconds, sent),
		tfr_format_count((double)b->batches, total));
	put_line(l, columns, line);
}

/* '#' busy, '-' blocked by what comes behind, ' ' starved or idle. */
static void put_stage(struct feed_live *l, unsigned columns, unsigned i)
{
	const struct tfr_stage_stats *a = &l->before.stages[i], *b = &l->now.stages[i];
	double time = (l->now.seconds - l->before.seconds) * (b->threads ? b->threads : 1);
	double busy, blocked;
	char bar[BAR + 1], share[32], queue[64] = "", line[200];
	int full, held;

	time = time > 0 ? time : 1;
	busy = (b->busy - a->busy) / time;
	blocked = (b->blocked - a->blocked) / time;
	busy = busy < 0 ? 0 : busy > 1 ? 1 : busy;
	blocked = blocked < 0 ? 0 : blocked > 1 - busy ? 1 - busy : blocked;
	full = (int)(busy * BAR + 0.5);
	held = (int)((busy + blocked) * BAR + 0.5) - full;
	memset(bar, ' ', BAR);
	memset(bar, '#', (size_t)full);
	memset(bar + full, '-', (size_t)held);
	bar[BAR] = '\0';
	if (b->queue_capacity)
		snprintf(queue, sizeof(queue), "  queue %llu/%llu",
			(unsigned long long)b->queue_now, (unsigned long long)b->queue_capacity);
	snprintf(line, sizeof(line), "%-*.*s [%s] %4s busy%s", LABEL, LABEL, b->name, bar,
		figure_share(busy, share), queue);
	put_line(l, columns, line);
}

static void put_waits(struct feed_live *l, unsigned columns)
{
	const struct tfr_pipeline_stats *st = &l->now;
	char p50[32], p99[32], max[32], line[200];

	if (st->batches > 1)
		snprintf(line, sizeof(line),
			"batch wait: p50 %s, p99 %s, max %s; the device waits %.0f%%",
			figure_duration(st->wait_p50, p50), figure_duration(st->wait_p99, p99),
			figure_duration(st->wait_max, max), 100 * st->idle_fraction);
	else
		snprintf(line, sizeof(line), "the first batch is being made");
	put_line(l, columns, line);
}

void feed_live_draw(struct feed_live *l, const struct tfr_pipeline_stats *st)
{
	unsigned rows, columns;

	if (l->ticks++ % 4) /* 2.5 times a second: figures that can be read */
		return;
	pthread_mutex_lock(&l->lock);
	l->now = *st;
	room(&rows, &columns);
	wipe(l);
	put_head(l, columns);
	if (rows > st->stage_count + 2) {
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
