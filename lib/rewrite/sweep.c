/* rewrite/sweep.c - runs of records out of all inputs, examined on every processor, settled in
 * order.
 *
 * A file is read by one thread at a time, under the lock of its stream, a run of whole records at a
 * time; verifying and examining them happens outside the lock.  Where order matters there is one
 * stream, and run i is item i of the lanes; where it does not, each worker has a stream of its own
 * and joins another's when no file is left to open.  A record larger than a block passes a gate, so
 * that only one is in memory at a time. */
#include "rewrite/sweep.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/text.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/run.h"
#include "rewrite/ticker.h"
#include "thread/lanes.h"
#include "thread/threads.h"

#define MAX_RECORD ((uint64_t)1 << 30)
enum { BLOCK_SIZE = 512 << 10, THREADS_MAX = 1024 };

/* A file that is being read. */
struct stream {
	pthread_mutex_t lock;
	struct tfr_reader *reader; /* NULL: none open */
	uint32_t file;
	uint64_t records; /* of this file, as far as it was read */
};

/* A run and where it is from. */
struct piece {
	struct tfr_run run;
	uint32_t file;
	bool large; /* holds the gate */
	/* In order: warnings wait here, each ended by a NUL, for those of the pieces before. */
	struct tfr_buf warnings;
};

struct worker {
	struct stream stream;
	struct piece piece;
	struct tfr_where *where;
	struct tfr_example *example;
	uint64_t records, bad, taken;
};

struct run {
	const struct tfr_sweep *s;
	const struct tfr_rewrite_opts *o;
	struct worker *workers;
	unsigned threads;
	size_t block_size;
	uint64_t max_record;
	uint32_t files, next_file;
	uint64_t bad; /* faults between records; those of records are with the workers */

	pthread_mutex_t lock; /* of all below, and of warn() */
	pthread_cond_t changed;
	uint64_t turn;	      /* the item whose turn it is to read */
	bool over;	      /* nothing more is read in order */
	struct tfr_buf last;  /* warnings behind the last piece */
	bool large;	      /* the gate is taken */
	uint32_t failed_file; /* no order: nothing of this file or a later one is read any more */
	uint64_t failed_offset;
	enum tfr_status status;
	struct tfr_error *err;

	struct tfr_ticker ticker;
};

unsigned tfr_sweep_threads(const struct tfr_rewrite_opts *opts)
{
	unsigned n = tfr_thread_count(opts->threads);

	return n < THREADS_MAX ? n : THREADS_MAX;
}

static const char *path_of(const struct run *r, uint32_t file)
{
	return tfr_set_path(r->o->input, file);
}

static void warn_now(struct run *r, const char *text)
{
	pthread_mutex_lock(&r->lock);
	r->o->warn(r->o->ctx, text);
	pthread_mutex_unlock(&r->lock);
}

/* A warning that belongs to a piece.  What memory cannot hold is told at once. */
static void warn(struct run *r, struct piece *p, const char *text)
{
	if (!r->o->warn || r->s->again)
		return;
	if (!r->s->settle || !tfr_buf_append(&p->warnings, text, strlen(text) + 1))
		warn_now(r, text);
}

static void tell_warnings(struct run *r, struct tfr_buf *warnings)
{
	for (size_t at = 0; at < warnings->size; at += strlen((char *)warnings->data + at) + 1)
		warn_now(r, (char *)warnings->data + at);
	warnings->size = 0;
}

/* --- reading --- */

static enum tfr_status open_stream(
	struct run *r, struct stream *st, uint32_t file, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .compression = r->o->compression,
		.block_size = r->block_size,
		.threads = tfr_thread_share(r->threads, r->s->settle ? 1 : r->files) };

	st->file = file;
	st->records = 0;
	return tfr_reader_open(&st->reader, path_of(r, file), &opts, err);
}

static void end_stream(struct run *r, struct stream *st, struct piece *p)
{
	char text[4200];

	if (!st->records && strcmp(path_of(r, st->file), "-")) {
		snprintf(text, sizeof(text), "'%s' holds no records", path_of(r, st->file));
		warn(r, p, text);
	}
	tfr_reader_close(st->reader);
	st->reader = NULL;
}

static void pass_gate(struct run *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->large)
		pthread_cond_wait(&r->changed, &r->lock);
	r->large = true;
	pthread_mutex_unlock(&r->lock);
}

/* Gives back what only a large record needed. */
static void leave_gate(struct run *r, struct piece *p)
{
	if (!p->large)
		return;
	tfr_run_clear(&p->run);
	p->large = false;
	pthread_mutex_lock(&r->lock);
	r->large = false;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static enum tfr_status refuse_large(
	struct run *r, const struct stream *st, const struct tfr_run *run, struct tfr_error *err)
{
	char size[TFR_SIZE_TEXT], most[TFR_SIZE_TEXT];

	return tfr_fail_record(err, TFR_ENOMEM, path_of(r, st->file), run->index, run->offset,
		"a record of %s is larger than the %s that the memory allows",
		tfr_format_size(run->large, size), tfr_format_size(r->max_record, most));
}

static enum tfr_status read_large(
	struct run *r, struct stream *st, struct piece *p, struct tfr_error *err)
{
	enum tfr_status status;

	if (p->run.large > r->max_record)
		return refuse_large(r, st, &p->run, err);
	pass_gate(r);
	p->large = true;
	status = tfr_reader_large_run(st->reader, &p->run, err);
	if (status)
		leave_gate(r, p);
	return status;
}

/* Whether reading this file can go on after a fault; TFR_END: the file ends with it. */
static enum tfr_status pass_over(
	struct run *r, struct stream *st, struct piece *p, struct tfr_error *err)
{
	char text[8192];
	uint64_t lost;
	enum tfr_fault fault = tfr_reader_fault(st->reader);

	__atomic_fetch_add(&r->bad, 1, __ATOMIC_RELAXED);
	st->records++; /* it is not empty */
	warn(r, p, tfr_error_format(err, text, sizeof(text)));
	if (fault == TFR_FAULT_LENGTH || fault == TFR_FAULT_CUT)
		return tfr_reader_resync(st->reader, &lost, err);
	return TFR_END;
}

/* The next run of a stream.  TFR_END: it has no more, and is closed. */
static enum tfr_status read_piece(
	struct run *r, struct stream *st, struct piece *p, struct tfr_error *err)
{
	enum tfr_status status = tfr_ticker_check(&r->ticker, err);

	p->file = st->file;
	while (!status) {
		status = tfr_reader_next_run(st->reader, &p->run, err);
		if (!status && p->run.large)
			status = read_large(r, st, p, err);
		if (!status) {
			st->records += p->run.records;
			return TFR_OK;
		}
		if (status == TFR_EDATA && r->o->skip_damaged)
			status = pass_over(r, st, p, err);
	}
	if (status == TFR_END)
		end_stream(r, st, p);
	return status;
}

/* --- examining --- */

/* A bad record: with `skip_damaged` counted and TFR_OK, else the failure with its place. */
static enum tfr_status bad_record(struct run *r, struct worker *w, struct piece *p,
	const struct tfr_swept *s, enum tfr_status status, struct tfr_error *err)
{
	char text[8192];

	if (status == TFR_EDATA)
		tfr_error_locate(err, s->path, s->rec.index, s->rec.offset);
	if (status != TFR_EDATA || !r->o->skip_damaged)
		return status;
	w->bad++;
	warn(r, p, tfr_error_format(err, text, sizeof(text)));
	return TFR_OK;
}

static enum tfr_status examine(struct run *r, struct worker *w, struct tfr_swept *s, void *verdict,
	bool *taken, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	*taken = true;
	w->records++;
	if (r->s->parse || w->where) {
		status = tfr_example_parse(w->example, s->rec.data, s->rec.size, err);
		s->example = w->example;
	}
	if (!status && w->where)
		status = tfr_where_match(w->where, w->example, taken, err);
	if (!status && *taken)
		status = r->s->examine(r->s->ctx, (unsigned)(w - r->workers), s, verdict, err);
	if (!status)
		w->taken += *taken;
	else
		*taken = false;
	return status;
}

/* Shows every record of the piece to examine(); those that are taken go to `keep`, where that is
 * not NULL: struct tfr_record and verdict, one after the other, each `stride` bytes. */
static enum tfr_status examine_piece(struct run *r, struct worker *w, struct piece *p,
	struct tfr_buf *keep, size_t stride, struct tfr_error *err)
{
	struct tfr_swept s = { .file = p->file, .path = path_of(r, p->file) };
	enum tfr_status status;
	uint8_t *entry = NULL;
	bool taken;

	if (keep && !tfr_buf_reserve(keep, p->run.records * stride))
		return tfr_fail_nomem(err, "looking at the records");
	while ((status = tfr_run_next(&p->run, &s.rec, err)) != TFR_END) {
		taken = false;
		if (keep)
			entry = keep->data + keep->size;
		if (!status)
			status = examine(
				r, w, &s, entry ? entry + sizeof(s.rec) : NULL, &taken, err);
		if (status)
			status = bad_record(r, w, p, &s, status, err);
		if (status)
			return status;
		if (keep && taken) {
			memcpy(entry, &s.rec, sizeof(s.rec));
			keep->size += stride;
		}
	}
	tfr_ticker_add(&r->ticker, p->run.records, p->run.size);
	return TFR_OK;
}

/* --- in order --- */

struct slot {
	struct piece piece;
	struct tfr_buf keep;
	struct run *run; /* for clear_slot(); NULL: never used */
};

static size_t stride_of(const struct tfr_sweep *s)
{
	return (sizeof(struct tfr_record) + s->verdict_size + 7) / 8 * 8;
}

static enum tfr_status read_in_order(struct run *r, struct piece *p, struct tfr_error *err)
{
	struct stream *st = &r->workers[0].stream;
	enum tfr_status status = TFR_END;

	while (status == TFR_END) {
		if (!st->reader) {
			if (r->next_file == r->files)
				return TFR_END;
			status = open_stream(r, st, r->next_file++, err);
			if (status)
				return status;
		}
		status = read_piece(r, st, p, err);
	}
	return status;
}

static struct tfr_buf take_warnings(struct piece *p)
{
	struct tfr_buf all = p->warnings;

	p->warnings = (struct tfr_buf){ 0 };
	return all;
}

static enum tfr_status examine_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *data, struct tfr_error *err)
{
	struct run *r = ctx;
	struct slot *slot = data;
	enum tfr_status status;

	(void)lanes;
	slot->run = r;
	slot->keep.size = 0;
	pthread_mutex_lock(&r->lock);
	while (r->turn != i)
		pthread_cond_wait(&r->changed, &r->lock);
	status = r->over ? TFR_END : TFR_OK;
	pthread_mutex_unlock(&r->lock);
	if (!status)
		status = read_in_order(r, &slot->piece, err);
	pthread_mutex_lock(&r->lock);
	if (status == TFR_END && !r->over) /* this item is not settled: its warnings are the last */
		r->last = take_warnings(&slot->piece);
	r->over = status != TFR_OK;
	r->turn++;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	if (!status)
		status = examine_piece(
			r, &r->workers[worker], &slot->piece, &slot->keep, stride_of(r->s), err);
	return status;
}

static enum tfr_status settle_item(void *ctx, uint64_t i, void *data, struct tfr_error *err)
{
	struct run *r = ctx;
	struct slot *slot = data;
	struct tfr_swept s = { .file = slot->piece.file, .path = path_of(r, slot->piece.file) };
	size_t stride = stride_of(r->s);
	enum tfr_status status = TFR_OK;

	(void)i;
	tell_warnings(r, &slot->piece.warnings);
	for (size_t at = 0; !status && at < slot->keep.size; at += stride) {
		const uint8_t *entry = slot->keep.data + at;

		memcpy(&s.rec, entry, sizeof(s.rec));
		status = r->s->settle(r->s->ctx, &s, entry + sizeof(s.rec), err);
	}
	leave_gate(r, &slot->piece);
	return status;
}

static void clear_slot(void *data)
{
	struct slot *slot = data;

	tfr_run_clear(&slot->piece.run);
	tfr_buf_clear(&slot->piece.warnings);
	tfr_buf_clear(&slot->keep);
}

static enum tfr_status sweep_in_order(struct run *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = r->threads,
		.count = UINT64_MAX,
		.window = r->threads + 2,
		.slot_size = sizeof(struct slot),
		.work = examine_item,
		.deliver = settle_item,
		.clear_slot = clear_slot,
	};

	return tfr_lanes_run(&lanes, r, err);
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
		status = read_piece(r, st, &w->piece, &err);
	}
	if (status > TFR_END)
		note_failure(r, file, err.has_record ? err.offset : 0, status, &err);
	pthread_mutex_unlock(&st->lock);
	if (status)
		return false;
	status = examine_piece(r, w, &w->piece, NULL, 0, &err);
	if (status)
		note_failure(r, file, err.has_record ? err.offset : 0, status, &err);
	leave_gate(r, &w->piece);
	return true;
}

static bool open_next(struct run *r, struct stream *st)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_OK;
	uint32_t file;
	bool more;

	/* Who finds no file left will look at this stream, and waits here until it is open. */
	pthread_mutex_lock(&st->lock);
	file = __atomic_fetch_add(&r->next_file, 1, __ATOMIC_RELAXED);
	more = file < r->files && !given_up(r, file);
	if (more)
		status = open_stream(r, st, file, &err);
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

/* --- around it --- */

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

static void gather_reports(struct run *r, struct tfr_rewrite_report *report)
{
	struct worker *first = &r->workers[0];

	report->records = report->taken = 0;
	report->bad = r->bad;
	for (unsigned k = 0; k < r->threads; k++) {
		report->records += r->workers[k].records;
		report->bad += r->workers[k].bad;
		report->taken += r->workers[k].taken;
		if (k && first->where && r->workers[k].where)
			tfr_where_merge(first->where, r->workers[k].where);
	}
	if (first->where && report->records && r->o->warn && !r->s->again)
		tfr_where_warn(first->where, r->o->warn, r->o->ctx);
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

static enum tfr_status run_all(struct run *r, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (unsigned k = 0; !status && k < r->threads; k++)
		status = prepare_worker(r, &r->workers[k], err);
	if (status)
		return status;
	if (r->s->settle) {
		status = sweep_in_order(r, err);
		tell_warnings(r, &r->last);
	} else {
		tfr_threads_run(r->threads, worker_main, r);
		status = r->status;
	}
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_sweep_run(
	const struct tfr_sweep *sweep, struct tfr_rewrite_report *report, struct tfr_error *err)
{
	struct run r = {
		.s = sweep,
		.o = sweep->opts,
		.threads = tfr_sweep_threads(sweep->opts),
		.block_size = sweep->block_size ? sweep->block_size : BLOCK_SIZE,
		.max_record = sweep->max_record ? sweep->max_record : MAX_RECORD,
		.files = (uint32_t)tfr_set_count(sweep->opts->input),
		.failed_file = UINT32_MAX,
		.err = err,
	};
	enum tfr_status status;

	r.workers = calloc(r.threads, sizeof(*r.workers));
	if (!r.workers)
		return tfr_fail_nomem(err, "starting the workers");
	pthread_mutex_init(&r.lock, NULL);
	tfr_ticker_init(&r.ticker, r.o, sweep->phase, 0, tfr_set_bytes(r.o->input));
	pthread_cond_init(&r.changed, NULL);
	status = run_all(&r, err);
	gather_reports(&r, report);
	pthread_cond_destroy(&r.changed);
	tfr_ticker_clear(&r.ticker);
	pthread_mutex_destroy(&r.lock);
	tfr_buf_clear(&r.last);
	clear_workers(&r);
	return status;
}
