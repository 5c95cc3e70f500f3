/* cmd/bench_feed/tensorboard.c - the run over time for TensorBoard: a TFRecord file of tf.Event.
 *
 * Only the fields that scalars need are written (tensorflow/core/util/event.proto and
 * framework/summary.proto):
 *
 *     Event   1: double wall_time  2: int64 step  3: string file_version  5: Summary
 *     Summary 1: Value             Value 1: string tag  2: float simple_value
 *
 * The step is the number of batches, so that runs of different speed overlap in a plot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench_feed/outputs.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct message {
	uint8_t at[64 << 10];
	size_t size;
};

static void put_varint(struct message *m, uint64_t n)
{
	for (; n > 127; n >>= 7)
		m->at[m->size++] = (uint8_t)(n | 128);
	m->at[m->size++] = (uint8_t)n;
}

static void put_key(struct message *m, unsigned field, unsigned wire)
{
	put_varint(m, field << 3 | wire);
}

static void put_raw(struct message *m, const void *bytes, size_t n)
{
	memcpy(m->at + m->size, bytes, n);
	m->size += n;
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t n)
{
	put_key(m, field, WIRE_BYTES);
	put_varint(m, n);
	put_raw(m, bytes, n);
}

/* Adds one Value to a Summary, unless the Summary is full. */
static void put_scalar(struct message *summary, const char *tag, double value)
{
	size_t n = strlen(tag);
	float f = (float)value;
	uint8_t bytes[4];

	if (summary->size + n + 32 > sizeof(summary->at))
		return;
	memcpy(bytes, &f, sizeof(f)); /* both are little-endian */
	put_key(summary, 1, WIRE_BYTES);
	put_varint(summary, 1 + (n > 127 ? 2 : 1) + n + 5);
	put_bytes(summary, 1, tag, n);
	put_key(summary, 2, WIRE_FIXED32);
	put_raw(summary, bytes, sizeof(bytes));
}

static void begin(struct message *event, double wall_time)
{
	event->size = 0;
	put_key(event, 1, WIRE_FIXED64);
	put_raw(event, &wall_time, sizeof(wall_time));
}

static enum tfr_status make_folder(const char *path, struct tfr_error *err)
{
	struct stat st;

	if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
		return TFR_OK;
	*err = (struct tfr_error){ .status = TFR_ESYS,
		.sys_errno = errno == EEXIST ? ENOTDIR : errno };
	snprintf(err->message, sizeof(err->message), "cannot create the folder '%.300s'", path);
	return TFR_ESYS;
}

enum tfr_status feed_events_open(struct tfr_writer **w, const char *folder, struct tfr_error *err)
{
	const struct tfr_writer_opts opts = { .compression = TFR_COMPRESSION_NONE,
		.temporaries = cmd_temporaries() };
	char host[256] = "", *path = NULL;
	enum tfr_status status = make_folder(folder, err);

	if (status)
		return status;
	gethostname(host, sizeof(host) - 1);
	/* TensorBoard reads files with "tfevents" in their names; the other parts tell runs apart.
	 */
	if (asprintf(&path, "%s/events.out.tfevents.%lld.%s.%d.tfr", folder, (long long)time(NULL),
		    *host ? host : "localhost", (int)getpid()) < 0)
		return cmd_fill_no_memory(err);
	status = tfr_writer_open(w, path, &opts, err);
	free(path);
	return status;
}

static void put_point(struct message *summary, const struct feed *f, const struct feed_point *a,
	const struct feed_point *b)
{
	double seconds = b->seconds - a->seconds;
	char tag[128];

	put_scalar(summary, "feed/records_per_second", (double)(b->records - a->records) / seconds);
	put_scalar(summary, "feed/bytes_per_second", (double)(b->bytes - a->bytes) / seconds);
	put_scalar(summary, "feed/device_bytes_per_second",
		(double)(b->device_bytes - a->device_bytes) / seconds);
	put_scalar(summary, "feed/batch_wait_p50_seconds", b->wait);
	put_scalar(summary, "feed/idle_fraction", b->idle);
	for (unsigned i = 0; i < f->stats.stage_count; i++) {
		const struct tfr_stage_stats *s = &f->stats.stages[i];

		snprintf(tag, sizeof(tag), "busy/%02u_%.60s", i, s->name);
		put_scalar(summary, tag, feed_share(s, seconds, b->busy[i] - a->busy[i]));
		if (!s->queue_capacity)
			continue;
		snprintf(tag, sizeof(tag), "queue/%02u_%.60s", i, s->name);
		put_scalar(summary, tag, b->queue[i]);
	}
}

static enum tfr_status write_points(struct tfr_writer *w, const struct feed *f,
	struct message *event, struct message *summary, struct tfr_error *err)
{
	struct timespec now;
	unsigned count;
	const struct feed_point *p = feed_history_points(f->history, &count);
	enum tfr_status status;
	double start;

	clock_gettime(CLOCK_REALTIME, &now);
	start = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - f->stats.seconds;
	begin(event, start);
	put_bytes(event, 3, "brain.Event:2", 13);
	status = tfr_writer_put(w, event->at, event->size, err);
	for (unsigned i = 1; !status && i < count; i++) {
		if (p[i].seconds <= p[i - 1].seconds)
			continue;
		summary->size = 0;
		put_point(summary, f, &p[i - 1], &p[i]);
		begin(event, start + p[i].seconds);
		put_key(event, 2, WIRE_VARINT);
		put_varint(event, p[i].batches);
		put_bytes(event, 5, summary->at, summary->size);
		status = tfr_writer_put(w, event->at, event->size, err);
	}
	return status;
}

enum tfr_status feed_events_write(struct tfr_writer *w, const struct feed *f, struct tfr_error *err)
{
	struct message *m = malloc(2 * sizeof(*m));
	enum tfr_status status;

	if (!m)
		return cmd_fill_no_memory(err);
	status = write_points(w, f, &m[0], &m[1], err);
	free(m);
	return status ? status : tfr_writer_publish(w, err);
}
