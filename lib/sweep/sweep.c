/* sweep/sweep.c - reads runs of records from all inputs, examines them on every processor and
 * settles them in order.
 *
 * One thread at a time reads a run of complete records from a file, under the lock of its stream.
 * Verifying and examining happen outside the lock.  If order matters, there is one stream, and run
 * i is item i of the lanes.  Otherwise each worker has its own stream and joins another's when no
 * file is left to open.  A record larger than a block passes a gate, so only one is in memory at a
 * time. */
#include "sweep/sweep.h"

#include <stdlib.h>

#include "base/error.h"
#include "sweep/parts.h"
#include "thread/threads.h"

#define MAX_RECORD ((uint64_t)1 << 30)
enum { BLOCK_SIZE = 512 << 10, THREADS_MAX = 1024 };

unsigned tfr_sweep_threads(unsigned threads)
{
	unsigned n = tfr_thread_count(threads);

	return n < THREADS_MAX ? n : THREADS_MAX;
}

/* --- in any order --- */

/* Keeps the failure that comes first in the inputs. */
static void note_failure(struct run *r, uint32_t file, uint64_t offset, enum tfr_status status,
	const struct tfr_error *err)
{
	pthread_mutex_lock(&r->lock);
	if (!r->status || file < r->failed_file ||
		(file == r->failed_file && offset < r->failed_offset)) {
		r->status = status;
		r->failed_file = file;
		r->failed_offset = offset;
		if (r->err)
			*r->err = *err;
	}
	pthread_mutex_unlock(&r->lock);
}

static bool given_up(struct run *r, uint32_t file)
{
	bool up;

	pthread_mutex_lock(&r->lock);
	up = file >= r->failed_file;
	pthread_mutex_unlock(&r->lock);
	return up;
}

/* Reads a run of `st` and examines it.  False: the stream has nothing more for us. */
static bool work_on(struct run *r, struct worker *w, struct stream *st)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_END;
	uint32_t file = 0;

	pthread_mutex_lock(&st->lock);
	if (st->reader && given_up(r, st->file)) {
		tfr_reader_close(st->reader);
		st->reader = NULL;
	}
	if (st->reader) {
		file = st->file;
		status = tfr_sweep_read(r, st, &w->piece, &err);
	}
	if (status > TFR_END)
		note_failure(r, file, err.has_record ? err.offset : 0, status, &err);
	pthread_mutex_unlock(&st->lock);
	if (status)
		return false;
	status = tfr_sweep_examine(r, w, &w->piece, NULL, 0, &err);
	if (status)
		note_failure(r, file, err.has_record ? err.offset : 0, status, &err);
	tfr_sweep_leave_gate(r, &w->piece);
	return true;
}

static bool open_next(struct run *r, struct stream *st)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_OK;
	uint32_t file;
	bool more;

	/* A worker that finds no file left joins this stream, and waits here until it is open. */
	pthread_mutex_lock(&st->lock);
	file = __atomic_fetch_add(&r->next_file, 1, __ATOMIC_RELAXED);
	more = file < r->files && !given_up(r, file);
	if (more)
		status = tfr_sweep_open(r, st, file, &err);
	pthread_mutex_unlock(&st->lock);
	if (status)
		note_failure(r, file, 0, status, &err);
	return more;
}

static void worker_main(void *ctx, unsigned worker)
{
	struct run *r = ctx;
	struct worker *w = &r->workers[worker];

	do {
		while (work_on(r, w, &w->stream))
			;
	} while (open_next(r, &w->stream));
	for (unsigned k = 0; k < r->threads; k++)
		while (work_on(r, w, &r->workers[k].stream))
			;
}

/* --- setting up, and the report --- */

static enum tfr_status prepare_worker(struct run *r, struct worker *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	pthread_mutex_init(&w->stream.lock, NULL);
	if (r->o->where)
		status = tfr_where_compile(&w->where, r->o->where, err);
	if (!status && (r->s->parse || w->where)) {
		w->example = tfr_example_new();
		if (!w->example)
			status = tfr_fail_nomem(err, "starting the workers");
	}
	return status;
}

static void gather_reports(struct run *r, struct tfr_sweep_report *report, enum tfr_status status)
{
	struct worker *first = &r->workers[0];

	report->records = report->taken = 0;
	report->bad = r->faults.faults;
	for (unsigned k = 0; k < r->threads; k++) {
		report->records += r->workers[k].records;
		report->taken += r->workers[k].taken;
		if (k && first->where && r->workers[k].where)
			tfr_feature_watch_merge(tfr_where_lookout(first->where),
				tfr_where_lookout(r->workers[k].where));
	}
	if (!status && first->where && report->records && !r->s->again)
		tfr_feature_watch_report(
			tfr_where_lookout(first->where), r->o->missing, r->o->warn, r->o->ctx);
}

static void clear_workers(struct run *r)
{
	for (unsigned k = 0; k < r->threads; k++) {
		struct worker *w = &r->workers[k];

		tfr_reader_close(w->stream.reader);
		tfr_run_clear(&w->piece.run);
		tfr_where_free(w->where);
		tfr_example_free(w->example);
		pthread_mutex_destroy(&w->stream.lock);
	}
	free(r->workers);
}

static enum tfr_status run_all(
	struct run *r, struct tfr_sweep_report *report, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (unsigned k = 0; !status && k < r->threads; k++)
		status = prepare_worker(r, &r->workers[k], err);
	if (status)
		return status;
	if (r->ordered) {
		status = tfr_sweep_in_order(r, err);
	} else {
		tfr_threads_run(r->threads, worker_main, r);
		status = r->status;
	}
	if (r->workers->example && status == TFR_EDATA)
		tfr_sweep_explain_failure(err);
	else if (r->workers->example && !status)
		status = tfr_sweep_judge_types(r, report, err);
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_sweep_run(
	const struct tfr_sweep *sweep, struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct run r = {
		.s = sweep,
		.o = &sweep->opts,
		.threads = tfr_sweep_threads(sweep->opts.threads),
		.block_size = sweep->block_size ? sweep->block_size : BLOCK_SIZE,
		.max_record = sweep->max_record ? sweep->max_record : MAX_RECORD,
		.files = (uint32_t)tfr_set_count(sweep->opts.input),
		.failed_file = UINT32_MAX,
		.faults = { .skip = sweep->opts.skip_damaged,
			.quarantine = sweep->opts.quarantine,
			.warn = sweep->again ? NULL : sweep->opts.warn,
			.ctx = sweep->opts.ctx },
		.err = err,
	};
	enum tfr_status status;

	report->others = 0;
	r.aside = sweep->last && r.o->quarantine && r.o->skip_damaged;
	r.ordered = sweep->settle || r.aside;
	r.workers = calloc(r.threads, sizeof(*r.workers));
	if (!r.workers)
		return tfr_fail_nomem(err, "starting the workers");
	pthread_mutex_init(&r.lock, NULL);
	tfr_fault_policy_init(&r.faults);
	tfr_ticker_init(&r.ticker, sweep->opts, sweep->phase, 0, tfr_set_bytes(r.o->input));
	pthread_cond_init(&r.changed, NULL);
	status = run_all(&r, report, err);
	gather_reports(&r, report, status);
	pthread_cond_destroy(&r.changed);
	tfr_ticker_clear(&r.ticker);
	tfr_fault_policy_clear(&r.faults);
	pthread_mutex_destroy(&r.lock);
	clear_workers(&r);
	return status;
}
