/* cmd/bench_feed/trace.c - the trace for Chrome and Perfetto: a JSON array of events in the order
 * of arrival.
 *
 * A row is a thread: workers, readers, uploaders, then the consumer and the steps of the devices.
 * Pieces of 40 bytes are collected and written in runs, so that a piece mostly costs a lock and a
 * copy.  The file is full after PIECES_MAX of them; the report has the number of the others. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_feed/bench_feed.h"

enum {
	PIECES_MAX = 2000000,
	GATHERED = 4096,
	CONSUMER = 100000, /* rows: after all threads of the pipeline */
	DEVICE,
};

enum { KIND_WAIT = TFR_STAGES_MAX, KIND_STEP };

struct feed_trace {
	struct page *page;
	pthread_mutex_t lock;
	uint64_t origin; /* ns */
	uint64_t written, dropped;
	double last_end; /* microseconds */
	struct tfr_trace gathered[GATHERED];
	unsigned count;
	char names[TFR_STAGES_MAX][48];
};

uint64_t feed_trace_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

enum tfr_status feed_trace_open(
	struct feed_trace **trace, const char *path, bool force, struct tfr_error *err)
{
	struct feed_trace *t = calloc(1, sizeof(*t));

	*trace = t;
	if (!t)
		return cmd_fill_no_memory(err);
	pthread_mutex_init(&t->lock, NULL);
	t->origin = feed_trace_now();
	for (unsigned i = 0; i < TFR_STAGES_MAX; i++)
		snprintf(t->names[i], sizeof(t->names[i]), "stage %u", i);
	if (page_open(&t->page, path, force, err))
		return err->status;
	page_text(t->page, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
			   "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": "
			   "{\"name\": \"tfr bench-feed\"}}");
	return page_status(t->page, err);
}

void feed_trace_close(struct feed_trace *t)
{
	if (!t)
		return;
	page_close(t->page);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void feed_trace_abandon(struct feed_trace *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	page_close(t->page);
}

static double microseconds(const struct feed_trace *t, uint64_t ns)
{
	return ns > t->origin ? (double)(ns - t->origin) * 1e-3 : 0;
}

static void write_piece(struct feed_trace *t, const struct tfr_trace *p)
{
	const char *name = p->stage == KIND_WAIT   ? "wait for a batch"
			   : p->stage == KIND_STEP ? "step"
						   : t->names[p->stage];
	double start = microseconds(t, p->start), end = microseconds(t, p->end);

	page_format(t->page,
		",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, "
		"\"name\": \"%s\", \"args\": {\"number\": %" PRIu64 "}}",
		p->thread, start, end > start ? end - start : 0, name, p->number);
	if (end > t->last_end)
		t->last_end = end;
	t->written++;
}

static void flush(struct feed_trace *t)
{
	for (unsigned i = 0; i < t->count; i++)
		write_piece(t, &t->gathered[i]);
	t->count = 0;
}

static void add_piece(struct feed_trace *t, const struct tfr_trace *piece)
{
	pthread_mutex_lock(&t->lock);
	if (t->written + t->count >= PIECES_MAX) {
		t->dropped++;
	} else {
		if (t->count == GATHERED)
			flush(t);
		t->gathered[t->count++] = *piece;
	}
	pthread_mutex_unlock(&t->lock);
}

void feed_trace_piece(struct feed_trace *t, const struct tfr_trace *piece)
{
	if (t && piece->stage < TFR_STAGES_MAX)
		add_piece(t, piece);
}

void feed_trace_step(
	struct feed_trace *t, unsigned device, uint64_t batch, uint64_t start, uint64_t end)
{
	if (t)
		add_piece(t, &(struct tfr_trace){ KIND_STEP, DEVICE + device, start, end, batch });
}

void feed_trace_wait(struct feed_trace *t, uint64_t start, uint64_t end)
{
	if (t)
		add_piece(t, &(struct tfr_trace){ KIND_WAIT, CONSUMER, start, end, 0 });
}

void feed_trace_name_stages(struct feed_trace *t, const struct tfr_pipeline_stats *st)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	for (unsigned i = 0; i < st->stage_count; i++)
		snprintf(t->names[i], sizeof(t->names[i]), "%s", st->stages[i].name);
	pthread_mutex_unlock(&t->lock);
}

void feed_trace_queues(struct feed_trace *t, const struct tfr_pipeline_stats *st)
{
	double now;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	now = microseconds(t, feed_trace_now());
	for (unsigned i = 0; i < st->stage_count && t->written < PIECES_MAX; i++)
		if (st->stages[i].queue_capacity)
			page_format(t->page,
				",\n{\"ph\": \"C\", \"pid\": 1, \"ts\": %.3f, \"name\": \"after %u "
				"%s\", \"args\": {\"items\": %" PRIu64 "}}",
				now, i, st->stages[i].name, st->stages[i].queue_now);
	pthread_mutex_unlock(&t->lock);
}

static void name_row(struct feed_trace *t, unsigned row, const char *what, unsigned number)
{
	page_format(t->page,
		",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": \"thread_name\", \"args\": "
		"{\"name\": \"%s %u\"}},\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": "
		"\"thread_sort_index\", \"args\": {\"sort_index\": %u}}",
		row, what, number, row, row);
}

static void name_rows(struct feed_trace *t, const struct feed *f)
{
	unsigned row = 0, readers = f->stats.stage_count ? f->stats.stages[0].threads : 0;

	for (unsigned i = 0; i < f->stats.threads; i++)
		name_row(t, row++, "worker", i);
	for (unsigned i = 0; i < readers; i++)
		name_row(t, row++, "reader", i);
	for (unsigned i = 0; i < f->device_count; i++)
		name_row(t, row++, "upload to device", i);
	for (unsigned i = 0; f->s->normalise_on && i < f->device_count; i++)
		name_row(t, row++, "kernels on device", i);
	name_row(t, CONSUMER, "consumer", 0);
	for (unsigned i = 0; f->compute.mean > 0 && i < f->device_count; i++)
		name_row(t, DEVICE + i, "device", i);
}

enum tfr_status feed_trace_publish(
	struct feed_trace *t, const struct feed *f, struct tfr_error *err)
{
	enum tfr_status status;

	if (!t)
		return TFR_OK;
	pthread_mutex_lock(&t->lock);
	flush(t);
	name_rows(t, f);
	page_format(t->page,
		"\n],\n\"otherData\": {\"version\": \"1\", \"pieces\": \"%" PRIu64
		"\", \"dropped\": \"%" PRIu64 "\"}}\n",
		t->written, t->dropped);
	status = page_publish(t->page, err);
	t->written = PIECES_MAX; /* threads that hang may trace more */
	pthread_mutex_unlock(&t->lock);
	return status;
}

uint64_t feed_trace_dropped(const struct feed_trace *t)
{
	return t ? t->dropped : 0;
}
