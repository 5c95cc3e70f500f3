/* cmd/common/progress.c - progress while a command runs, and the line it ends with. */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cmd.h"

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop_now;
	bool running, stop;
	struct tfr_progress *progress;
	const char *name;
	const char *phase; /* NULL: the command has one */
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

static void print_eta(double seconds)
{
	if (seconds < 360000)
		fprintf(stderr, ", ETA %d:%02d", (int)seconds / 60, (int)seconds % 60);
}

static void show(const struct tfr_progress *p)
{
	uint64_t items = __atomic_load_n(&p->items, __ATOMIC_RELAXED),
		 bytes = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED);
	const char *phase = meter.phase;
	double seconds = cmd_seconds() - meter.phase_start, done = 0;
	char size[TFR_SIZE_TEXT], rate[TFR_SIZE_TEXT];

	if (p->total_bytes)
		done = (double)bytes / (double)p->total_bytes;
	else if (p->total_items)
		done = (double)items / (double)p->total_items;
	fprintf(stderr, "\r\x1b[K%s%s%s: %llu records, %s", meter.name, phase ? ", " : "",
		phase ? phase : "", (unsigned long long)items, tfr_format_size(bytes, size));
	if (done > 0)
		fprintf(stderr, " (%.0f%%)", 100 * (done < 1 ? done : 1));
	fprintf(stderr, ", %.0f/s, %s/s", (double)items / seconds,
		tfr_format_size(seconds > 0 ? (uint64_t)((double)bytes / seconds) : 0, rate));
	if (done > 0 && done < 1 && seconds > 1)
		print_eta(seconds / done - seconds);
	fflush(stderr);
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
			show(meter.progress);
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

void cmd_progress_phase(const char *phase)
{
	if (phase == meter.phase)
		return;
	pthread_mutex_lock(&meter.lock);
	meter.phase_start = cmd_seconds();
	meter.phase = phase;
	pthread_mutex_unlock(&meter.lock);
}

/* A copy of what the library last said, and the bytes there are where it does not know. */
static struct tfr_progress said;
static uint64_t known_bytes;

void cmd_progress_follow(struct cmd *c, uint64_t total_bytes, enum progress_mode mode)
{
	said.total_bytes = known_bytes = total_bytes;
	cmd_progress_start(c, &said, mode);
}

static void store(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

bool cmd_show_progress(void *ctx, const char *phase, const struct tfr_progress *p)
{
	(void)ctx;
	cmd_progress_phase(phase);
	store(&said.items, p->items);
	store(&said.bytes, p->bytes);
	store(&said.total_items, p->total_items);
	store(&said.total_bytes, p->total_items || p->total_bytes ? p->total_bytes : known_bytes);
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
	fprintf(stderr, "\r\x1b[K");
}

void cmd_print_complete(struct cmd *c, uint64_t records, uint64_t sum)
{
	if (!c->quiet)
		fprintf(stderr, "tfr %s: already complete: %llu records, sum %016llx\n",
			c->command->name, (unsigned long long)records, (unsigned long long)sum);
}

void cmd_print_summary(struct cmd *c, const struct cmd_summary *s)
{
	char size[TFR_SIZE_TEXT];

	if (c->quiet)
		return;
	fprintf(stderr, "tfr %s: read %llu, written %llu, skipped %llu, bad %llu, ",
		c->command->name, (unsigned long long)s->read, (unsigned long long)s->written,
		(unsigned long long)s->skipped, (unsigned long long)s->bad);
	if (s->read_bytes)
		fprintf(stderr, "read %s, wrote ", tfr_format_size(s->read_bytes, size));
	fprintf(stderr, "%s in %.2f s, sum %016llx\n", tfr_format_size(s->bytes, size), s->seconds,
		(unsigned long long)s->sum);
}
