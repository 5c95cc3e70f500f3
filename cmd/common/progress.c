/* cmd/common/progress.c - the progress bar of a command, and its closing line.
 *
 * Only the meter's thread draws; `lock` keeps it from drawing while another thread prints.  Only
 * one line of the terminal changes, and it is wiped before anything else is printed. */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/figures.h"
#include "common/screen.h"

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop_now;
	bool running, stop;
	bool drawn; /* the cursor is at the end of our line */
	struct tfr_progress *progress;
	const char *name;
	const char *phase; /* NULL: use the command's */
	double phase_start;
} meter = { .lock = PTHREAD_MUTEX_INITIALIZER, .stop_now = PTHREAD_COND_INITIALIZER };

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double started;

__attribute__((constructor)) static void note_start(void)
{
	started = now(CLOCK_MONOTONIC);
}

double cmd_seconds(void)
{
	return now(CLOCK_MONOTONIC) - started;
}

/* The figures of one drawing, the most useful first; as many are shown as fit on the line. */
enum { FIGURES = 4, FIGURE_ROOM = 64, BAR_LEAST = 10, BAR_MOST = 30, LINE_MOST = 100 };

struct drawing {
	double done; /* share of the work; 0: unknown */
	char figures[FIGURES][FIGURE_ROOM];
	unsigned count;
};

static struct drawing measure_work(const struct tfr_progress *p)
{
	uint64_t items = __atomic_load_n(&p->items, __ATOMIC_RELAXED),
		 bytes = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED);
	double seconds = cmd_seconds() - meter.phase_start;
	char size[TFR_SIZE_TEXT], figure[FIGURE_TEXT];
	struct drawing d = { 0 };

	if (p->total_bytes)
		d.done = (double)bytes / (double)p->total_bytes;
	else if (p->total_items)
		d.done = (double)items / (double)p->total_items;
	d.done = d.done < 1 ? d.done : 1;
	if (d.done > 0 && d.done < 1 && seconds > 1)
		snprintf(d.figures[d.count++], FIGURE_ROOM, "%s left",
			figure_left(seconds / d.done - seconds, figure));
	snprintf(d.figures[d.count++], FIGURE_ROOM, "%s",
		figure_bandwidth(seconds > 0 ? (double)bytes / seconds : 0, figure));
	snprintf(d.figures[d.count++], FIGURE_ROOM, "%s records",
		tfr_format_count((double)items, size));
	snprintf(d.figures[d.count++], FIGURE_ROOM, "%s", tfr_format_size(bytes, size));
	return d;
}

/* Draws one line that ends before the last column: a wrapped one could not be wiped. */
static void draw_bar(const struct tfr_progress *p)
{
	struct drawing d = measure_work(p);
	unsigned room = screen_columns(stderr) - 1, used, bar = 0, shown = 0;
	char head[128], cut[TEXT_CUT(LINE_MOST)], drawn[BAR_MOST + 1];

	room = room < LINE_MOST ? room : LINE_MOST;
	snprintf(head, sizeof(head), "%s%s%s", meter.name, meter.phase ? ", " : "",
		meter.phase ? meter.phase : "");
	text_cut(head, room, CUT_END, cut);
	used = text_columns(cut, strlen(cut));
	if (d.done > 0 && used + 8 + BAR_LEAST <= room) {
		bar = BAR_LEAST;
		used += 8 + bar; /* "  [] 100%" */
	}
	for (; shown < d.count && used + 2 + strlen(d.figures[shown]) <= room; shown++)
		used += 2 + (unsigned)strlen(d.figures[shown]);
	if (bar) {
		bar += room - used;
		bar = bar < BAR_MOST ? bar : BAR_MOST;
	}
	fprintf(stderr, "\r\x1b[K%s", cut);
	if (bar)
		fprintf(stderr, " [%s] %3.0f%%", text_bar(drawn, bar, d.done, 0), 100 * d.done);
	for (unsigned i = 0; i < shown; i++)
		fprintf(stderr, "%s%s", i ? ", " : "  ", d.figures[i]);
	fflush(stderr);
	meter.drawn = true;
}

void cmd_progress_hide(void)
{
	if (!meter.running)
		return;
	pthread_mutex_lock(&meter.lock);
	if (meter.drawn)
		fputs("\r\x1b[K", stderr);
	meter.drawn = false;
	pthread_mutex_unlock(&meter.lock);
}

static void *meter_main(void *arg)
{
	struct timespec until;

	(void)arg;
	pthread_mutex_lock(&meter.lock);
	while (!meter.stop) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&meter.stop_now, &meter.lock, &until);
		if (!meter.stop)
			draw_bar(meter.progress);
	}
	pthread_mutex_unlock(&meter.lock);
	return NULL;
}

void cmd_progress_start(struct cmd *c, struct tfr_progress *p, enum progress_mode mode)
{
	if (mode == PROGRESS_NEVER ||
		(mode == PROGRESS_AUTO && (c->quiet || !isatty(STDERR_FILENO))))
		return;
	meter.progress = p;
	meter.name = c->command->name;
	meter.stop = false;
	meter.running = pthread_create(&meter.thread, NULL, meter_main, NULL) == 0;
}

/* Names the current phase of a command; the string must stay valid.  Rates count from here. */
static void cmd_progress_phase(const char *phase)
{
	if (phase == meter.phase)
		return;
	pthread_mutex_lock(&meter.lock);
	meter.phase_start = cmd_seconds();
	meter.phase = phase;
	pthread_mutex_unlock(&meter.lock);
}

/* A copy of the library's last report, with the total bytes if the library does not know them. */
static struct tfr_progress said;
static uint64_t known_bytes;

void cmd_progress_follow(struct cmd *c, uint64_t total_bytes, enum progress_mode mode)
{
	said.total_bytes = known_bytes = total_bytes;
	cmd_progress_start(c, &said, mode);
}

static void store_number(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

bool cmd_show_progress(void *ctx, const char *phase, const struct tfr_progress *p)
{
	(void)ctx;
	cmd_progress_phase(phase);
	store_number(&said.items, p->items);
	store_number(&said.bytes, p->bytes);
	store_number(&said.total_items, p->total_items);
	store_number(
		&said.total_bytes, p->total_items || p->total_bytes ? p->total_bytes : known_bytes);
	return true;
}

void cmd_progress_stop(void)
{
	if (!meter.running)
		return;
	pthread_mutex_lock(&meter.lock);
	meter.stop = true;
	pthread_cond_signal(&meter.stop_now);
	pthread_mutex_unlock(&meter.lock);
	pthread_join(meter.thread, NULL);
	meter.running = false;
	if (meter.drawn)
		fprintf(stderr, "\r\x1b[K");
	meter.drawn = false;
}

void cmd_print_complete(struct cmd *c, uint64_t records, uint64_t sum)
{
	char counted[TFR_COUNTED_TEXT];

	cmd_closing_line(c, "already complete: %s, sum %016llx",
		tfr_format_counted(records, "record", counted), (unsigned long long)sum);
}

void cmd_closing_line(struct cmd *c, const char *format, ...)
{
	char *text = NULL, *line = NULL;
	va_list args;
	int n;

	if (c->quiet)
		return;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	cmd_progress_hide();
	if (asprintf(&line, "tfr %s: %s", c->command->name, text) < 0)
		line = NULL;
	if (line && isatty(STDERR_FILENO))
		text_field(stderr, 0, NULL, line);
	else if (line)
		fprintf(stderr, "%s\n", line);
	free(line);
	free(text);
}

void cmd_print_summary(struct cmd *c, const struct cmd_summary *s)
{
	char read[2 * TFR_SIZE_TEXT] = "", size[TFR_SIZE_TEXT];

	if (s->read_bytes)
		snprintf(read, sizeof(read), "read %s, wrote ",
			tfr_format_size(s->read_bytes, size));
	cmd_closing_line(c,
		"%sread %llu, written %llu, skipped %llu, bad %llu, %s%s in %.2f s, sum "
		"%016llx%s%s",
		s->dry_run ? "dry run: " : "", (unsigned long long)s->read,
		(unsigned long long)s->written, (unsigned long long)s->skipped,
		(unsigned long long)s->bad, read, tfr_format_size(s->bytes, size), s->seconds,
		(unsigned long long)s->sum, s->kind ? ", read as " : "", s->kind ?: "");
}
