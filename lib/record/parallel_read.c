/* record/parallel_read.c - reading under a lock, in turns; item i of the lanes is run i of the file. */
#include "record/parallel_read.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "thread/lanes.h"

enum { LARGE_FILE = 4 << 20 };

/* A block that only a large record needed, and that is worth giving back. */
enum { KEPT_MOST = 32 << 20 };

struct spreading {
	const struct tfr_spread *s;
	void *ctx;
	struct tfr_run *runs; /* one a worker */
	pthread_mutex_t lock; /* of the reader and of what follows */
	pthread_cond_t changed;
	uint64_t turn; /* the item that reads next */
	bool over;     /* nothing is left to read */
};

/* The next run, an empty one if it is the last. */
static enum tfr_status read_run(
	struct spreading *x, struct tfr_run *run, void *slot, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK, got;
	struct tfr_error failure;
	bool more = true;

	while (!status && more) {
		got = tfr_reader_next_run(x->s->reader, run, &failure);
		if (!got && run->large)
			got = tfr_reader_large_run(x->s->reader, run, &failure);
		if (!got)
			return TFR_OK;
		more = false;
		if (got != TFR_END)
			status = x->s->fault(x->ctx, slot, &failure, &more, err);
	}
	x->over = true;
	return status;
}

static enum tfr_status work(void *ctx, struct tfr_lanes_run *crew, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct spreading *x = ctx;
	struct tfr_run *run = &x->runs[worker];
	enum tfr_status status = TFR_END;

	(void)crew;
	if (x->s->start)
		x->s->start(x->ctx, slot);
	pthread_mutex_lock(&x->lock);
	while (x->turn != i)
		pthread_cond_wait(&x->changed, &x->lock);
	if (!x->over)
		status = read_run(x, run, slot, err);
	x->turn++;
	pthread_cond_broadcast(&x->changed);
	pthread_mutex_unlock(&x->lock);
	if (!status)
		status = x->s->work(x->ctx, worker, slot, run, err);
	if (run->cap > KEPT_MOST)
		tfr_run_clear(run);
	return status;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct spreading *x = ctx;

	(void)i;
	return x->s->deliver(x->ctx, slot, err);
}

enum tfr_status tfr_spread_run(const struct tfr_spread *s, void *ctx, struct tfr_error *err)
{
	struct spreading x = { .s = s, .ctx = ctx };
	struct tfr_lanes job = {
		.threads = s->threads,
		.count = UINT64_MAX,
		.window = 2 * (uint64_t)s->threads + 2,
		.slot_size = s->slot_size,
		.work = work,
		.deliver = deliver,
		.clear_slot = s->clear_slot,
	};
	enum tfr_status status;

	x.runs = calloc(s->threads, sizeof(*x.runs));
	if (!x.runs)
		return tfr_fail_nomem(err, "reading a file");
	pthread_mutex_init(&x.lock, NULL);
	pthread_cond_init(&x.changed, NULL);
	status = tfr_lanes_run(&job, &x, err);
	pthread_cond_destroy(&x.changed);
	pthread_mutex_destroy(&x.lock);
	for (unsigned i = 0; i < s->threads; i++)
		tfr_run_clear(&x.runs[i]);
	free(x.runs);
	return status == TFR_END ? TFR_OK : status;
}

bool tfr_spread_serves(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
		return false;
	return S_ISFIFO(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size >= LARGE_FILE);
}
