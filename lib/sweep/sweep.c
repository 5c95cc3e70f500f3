/* sweep/sweep.c - reads runs of records from all inputs, examines them on every processor and
 * settles them in order.
 *
 * One thread at a time reads a run of complete records from a file, under the lock of its stream.
 * Verifying and examining happen outside the lock.  If order matters, there is one stream, and run
 * i is item i of the lanes.  Otherwise each worker has its own stream and joins another's when no
 * file is left to open.  A record larger than a block passes a gate, so only one is in memory at a
 * time. */
#include "sweep/sweep.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/error.h"
#include "example/content.h"
#include "sweep/progress_ticker.h"
#include "sweep/reading.h"
#include "thread/lanes.h"
#include "thread/threads.h"

struct sweep_run;
struct piece;

/* A file that is being read. */
struct stream {
	struct tfr_reading in; /* first: admit_large() finds the stream */
	pthread_mutex_t lock;
	struct piece *piece; /* that is being read */
	struct sweep_run *run;
};

/* A run and its origin. */
struct piece {
	struct tfr_record_run run;
	uint32_t file;
	bool large;			  /* holds the gate */
	struct tfr_deferred_faults deferred; /* in order: until the earlier pieces are settled */
};

struct TFR_APART worker {
	struct stream stream;
	struct piece piece;
	struct tfr_where *where;
	struct tfr_example *example;
	uint64_t records, taken;
	struct tfr_content_counts types, failed; /* of the good records, and of the bad ones */
};

struct sweep_run {
	const struct tfr_sweep *s;
	const struct tfr_sweep_opts *o;
	struct worker *workers;
	unsigned threads;
	bool ordered; /* pieces are settled in order */
	bool keeps_spans; /* bad spans go to the quarantine, in order */
	size_t block_size;
	uint32_t files, next_file;
	struct tfr_fault_policy faults;

	pthread_mutex_t lock;		 /* of all fields below */
	pthread_cond_t changed;		 /* the gate */
	struct tfr_deferred_faults tail_faults; /* what came after the last run */
	bool large;			 /* the gate is taken */
	uint32_t failed_file; /* no order: this file and later ones are not read any more */
	uint64_t failed_offset;
	enum tfr_status status;
	struct tfr_error *err;

	struct tfr_ticker ticker;
};

static inline const char *sweep_path(const struct sweep_run *r, uint32_t file)
{
	return tfr_set_path(r->o->input, file);
}

/* --- the types of the records --- */

/* If no record is an Example, a sweep that parses them names their type.
 *
 * Each worker counts the types of its records, and the sum decides.  The counts of a sweep that
 * ends at a record it cannot parse depend on where the workers stopped.  So the first records of
 * that file are read again, and the same input gives the same message. */

enum { FIRST_RECORDS = 1000, FIRST_BYTES = 64 << 20 };

/* Counts the types of the first records of a file.  Any failure ends the count. */
static void count_first(const char *path, struct tfr_content_counts *counts)
{
	struct tfr_reader_opts opts = { .threads = 1 };
	struct tfr_reader *reader = NULL;
	struct tfr_record rec;
	uint64_t bytes = 0;

	if (tfr_reader_open(&reader, path, &opts, NULL))
		return;
	for (int i = 0; i < FIRST_RECORDS && bytes < FIRST_BYTES; i++) {
		if (tfr_reader_next(reader, &rec, NULL))
			break;
		counts->records[tfr_likeness_of(rec.data, rec.size)]++;
		bytes += rec.size;
	}
	tfr_reader_close(reader);
}

/* For use after a record that cannot be parsed, and after the last record. */
static void sweep_explain_failure(struct tfr_error *err)
{
	struct tfr_content_counts counts = { 0 };
	struct tfr_content_result result;
	struct tfr_error why = { 0 };
	const char *path = err ? tfr_error_path(err) : "";
	struct stat st;

	if (!err || !err->has_record || tfr_stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	count_first(path, &counts);
	result = tfr_content_settle(&counts);
	if (tfr_content_refuse(&result, path, &why))
		*err = why;
}

/* A bad record has a warning of its own, so it does not count for a mixture. */
static enum tfr_status sweep_judge_types(
	struct sweep_run *r, struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct tfr_content_counts counts = { 0 };
	struct tfr_content_result parsed, all;
	char text[TFR_CONTENT_TEXT];
	enum tfr_status status;

	for (unsigned k = 0; k < r->threads; k++)
		tfr_content_merge(&counts, &r->workers[k].types);
	parsed = tfr_content_settle(&counts);
	report->others = parsed.all - parsed.records[TFR_CONTENT_EXAMPLE];
	for (unsigned k = 0; k < r->threads; k++)
		tfr_content_merge(&counts, &r->workers[k].failed);
	all = tfr_content_settle(&counts);
	status = tfr_content_refuse(&all, r->files == 1 ? sweep_path(r, 0) : NULL, err);
	if (!status && tfr_content_mixture(text, &parsed))
		tfr_fault_warn(&r->faults, NULL, text);
	return status;
}

/* --- reading --- */

/* A run of records out of a file, and a look at each of them.
 *
 * Reading happens under the lock of the stream, or in the turn of an item; examining outside it.
 * What is read between runs is a fault; what is wrong with a record is found when it is examined.
 */

/* Gets the reader's bytes of a fault between records. */
static enum tfr_status put_span(void *ctx, const void *data, size_t size, struct tfr_error *err)
{
	struct stream *st = ctx;

	return tfr_deferred_span(&st->piece->deferred, data, size, err);
}

/* The faults that the stream meets from here on belong to the piece. */
static void give_faults_to(struct sweep_run *r, struct stream *st, struct piece *p)
{
	st->piece = p;
	st->in.result = r->ordered ? &p->deferred : NULL;
}

static enum tfr_status open_file(struct sweep_run *r, struct stream *st, struct piece *p,
	uint32_t file, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .block_size = r->block_size,
		.lost = r->keeps_spans ? put_span : NULL,
		.ctx = st,
		.threads = tfr_thread_share(r->threads, r->ordered ? 1 : r->files) };

	give_faults_to(r, st, p);
	return tfr_reading_open(&st->in, sweep_path(r, file), file, NULL, &opts, err);
}

/* A piece that has passed stays: its reader may meet more large records after a fault. */
static void pass_gate(struct sweep_run *r, struct piece *p)
{
	if (p->large)
		return;

	pthread_mutex_lock(&r->lock);
	while (r->large)
		pthread_cond_wait(&r->changed, &r->lock);
	r->large = p->large = true;
	pthread_mutex_unlock(&r->lock);
}

/* Releases what only a large record needed. */
static void leave_gate(struct sweep_run *r, struct piece *p)
{
	if (!p->large)
		return;
	tfr_record_run_clear(&p->run);
	p->large = false;
	pthread_mutex_lock(&r->lock);
	r->large = false;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static enum tfr_status refuse_large(const struct sweep_run *r, const struct tfr_reading *in,
	const struct tfr_record_run *run, struct tfr_error *err)
{
	char size[TFR_SIZE_TEXT], most[TFR_SIZE_TEXT];

	tfr_fail_record(err, TFR_ENOMEM, in->path, run->index, run->offset,
		"a record of %s is larger than the %s that the memory allows",
		tfr_format_size(run->large, size), tfr_format_size(r->s->max_record, most));
	tfr_error_hint(err, "A record may take a quarter of the memory: give -m %lluM.",
		(unsigned long long)(4 * ((run->large >> 20) + 1)));
	return TFR_ENOMEM;
}

static enum tfr_status admit_large(
	struct tfr_reading *in, const struct tfr_record_run *run, struct tfr_error *err)
{
	struct stream *st = (struct stream *)in;

	if (st->run->s->max_record && run->large > st->run->s->max_record)
		return refuse_large(st->run, in, run, err);
	pass_gate(st->run, st->piece);
	return TFR_OK;
}

/* Reads the next run of a stream.  TFR_END: it has no more, and is closed. */
static enum tfr_status read_piece(
	struct sweep_run *r, struct stream *st, struct piece *p, struct tfr_error *err)
{
	enum tfr_status status;

	TFR_TRY(tfr_ticker_check(&r->ticker, err));
	p->file = st->in.file;
	give_faults_to(r, st, p);
	status = tfr_reading_next_run(&st->in, &p->run, err);
	if (status)
		leave_gate(r, p);
	if (status != TFR_END)
		return status;
	if (!st->in.seen)
		tfr_fault_warn_empty(
			&r->faults, r->ordered ? &p->deferred.warnings : NULL, st->in.path);
	tfr_reading_end(&st->in);
	return TFR_END;
}

/* --- examining --- */

/* Counts the type of a record that was parsed, or failed to parse. */
static void count_type(struct worker *w, const struct tfr_record *rec, enum tfr_status status)
{
	if (!status)
		w->types.records[tfr_likeness_parsed(w->example, rec->data, rec->size)]++;
	else if (status == TFR_EDATA)
		w->failed.records[tfr_likeness_of(rec->data, rec->size)]++;
}

/* Sets *taken if `where` selects the record. */
static enum tfr_status parse_and_examine(struct sweep_run *r, struct worker *w,
	const struct tfr_swept *s, void *verdict, bool *taken, struct tfr_error *err)
{
	*taken = true;
	if (s->example)
		TFR_TRY(tfr_example_parse(w->example, s->rec.data, s->rec.size, err));
	if (w->where)
		TFR_TRY(tfr_where_match(w->where, w->example, taken, err));
	return *taken ? r->s->examine(r->s->ctx, (unsigned)(w - r->workers), s, verdict, err)
		      : TFR_OK;
}

static enum tfr_status examine_record(struct sweep_run *r, struct worker *w,
	const struct tfr_swept *s, void *verdict, bool *taken, struct tfr_error *err)
{
	enum tfr_status status = parse_and_examine(r, w, s, verdict, taken, err);

	w->records++;
	if (s->example)
		count_type(w, &s->rec, status);
	*taken &= !status;
	w->taken += *taken;
	return status;
}

/* Passes every record of the piece to examine().  Records that are taken are appended to `keep`
 * (may be NULL) as struct tfr_record and verdict, `stride` bytes each. */
static enum tfr_status examine_piece(struct sweep_run *r, struct worker *w, struct piece *p,
	struct tfr_buf *keep, size_t stride, struct tfr_error *err)
{
	struct tfr_swept s = {
		.file = p->file, .path = sweep_path(r, p->file), .example = w->example
	};
	const struct tfr_record_run_origin of = { &r->faults, s.path,
		r->ordered ? &p->deferred : NULL };
	struct tfr_error why;
	enum tfr_status status, bad;
	uint8_t *entry = NULL;
	bool taken;

	if (keep)
		TFR_NEED_MEMORY(tfr_buf_reserve(keep, p->run.records * stride), err,
			"looking at the records");
	for (;;) {
		p->deferred.before = keep ? keep->size : 0;
		status = tfr_record_run_next_intact(&of, &p->run, &s.rec, err);
		if (status)
			break;
		if (keep)
			entry = keep->data + keep->size;
		why.status = bad = examine_record(
			r, w, &s, entry ? entry + sizeof(s.rec) : NULL, &taken, &why);
		if (bad)
			TFR_TRY(tfr_record_run_meet(&of, &s.rec, &why, err));
		if (keep && taken) {
			memcpy(entry, &s.rec, sizeof(s.rec));
			keep->size += stride;
		}
	}
	tfr_ticker_add(&r->ticker, p->run.records, p->run.size);
	return status == TFR_END ? TFR_OK : status;
}

/* --- in order --- */

/* One stream over all inputs, with one run of records per item of the lanes.
 *
 * Items are read in order, examined in any order and settled in order.  An item keeps its warnings
 * and its bytes for the quarantine until it is settled, so that both follow the order of the
 * inputs. */

struct slot {
	struct piece piece;
	struct tfr_buf keep;
};

static size_t stride_of(const struct tfr_sweep *s)
{
	return (sizeof(struct tfr_record) + s->verdict_size + 7) / 8 * 8;
}

static enum tfr_status read_in_order(struct sweep_run *r, struct piece *p, struct tfr_error *err)
{
	struct stream *st = &r->workers[0].stream;
	enum tfr_status status;

	do {
		if (!st->in.reader && r->next_file == r->files)
			return TFR_END;
		status = TFR_OK;
		if (!st->in.reader)
			status = open_file(r, st, p, r->next_file++, err);
		if (!status)
			status = read_piece(r, st, p, err);
	} while (status == TFR_END);
	return status;
}

static enum tfr_status pull_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *data, uint32_t *lane, struct tfr_error *err)
{
	struct sweep_run *r = ctx;
	struct slot *slot = data;
	enum tfr_status status;

	(void)worker, (void)lane;
	slot->keep.size = 0;
	tfr_deferred_begin(&slot->piece.deferred, &r->faults, lanes, i);
	status = read_in_order(r, &slot->piece, err);
	if (status == TFR_END) { /* this piece is never settled */
		r->tail_faults = slot->piece.deferred;
		slot->piece.deferred = (struct tfr_deferred_faults){ 0 };
	}
	return status;
}

static enum tfr_status examine_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *data, struct tfr_error *err)
{
	struct sweep_run *r = ctx;
	struct slot *slot = data;

	(void)lanes, (void)i;
	assert(worker < r->threads);
	return examine_piece(r, &r->workers[worker], &slot->piece,
		r->s->settle ? &slot->keep : NULL, stride_of(r->s), err);
}

static enum tfr_status settle_slot(struct sweep_run *r, struct slot *slot, struct tfr_error *err)
{
	struct piece *p = &slot->piece;
	struct tfr_swept s = { .file = p->file, .path = sweep_path(r, p->file) };
	size_t stride = stride_of(r->s);

	TFR_TRY(tfr_deferred_settle(&p->deferred, err));
	for (size_t at = 0; at < slot->keep.size; at += stride) {
		const uint8_t *entry = slot->keep.data + at;

		TFR_TRY(tfr_deferred_put_records(&p->deferred, at, err));
		memcpy(&s.rec, entry, sizeof(s.rec));
		TFR_TRY(r->s->settle(r->s->ctx, &s, entry + sizeof(s.rec), err));
	}
	return tfr_deferred_put_records(&p->deferred, SIZE_MAX, err);
}

static enum tfr_status deliver_item(void *ctx, uint64_t i, void *data, struct tfr_error *err)
{
	struct slot *slot = data;
	enum tfr_status status = settle_slot(ctx, slot, err);

	(void)i;
	leave_gate(ctx, &slot->piece);
	return status;
}

static void clear_slot(void *data)
{
	struct slot *slot = data;

	tfr_record_run_clear(&slot->piece.run);
	tfr_deferred_clear(&slot->piece.deferred);
	tfr_buf_clear(&slot->keep);
}

static enum tfr_status sweep_in_order(struct sweep_run *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = r->threads,
		.count = UINT64_MAX,
		.window = r->threads + 2,
		.budget = TFR_DEFERRED_BUDGET,
		.slot_size = sizeof(struct slot),
		.pull = pull_item,
		.work = examine_item,
		.deliver = deliver_item,
		.clear_slot = clear_slot,
	};
	enum tfr_status status = tfr_lanes_run(&lanes, r, err);

	tfr_fault_tell(&r->faults, &r->tail_faults.warnings);
	if (!status)
		status = tfr_deferred_settle(&r->tail_faults, err);
	tfr_deferred_clear(&r->tail_faults);
	return status;
}

/* --- in any order --- */

/* Keeps the failure that comes first in the inputs. */
static void note_failure(struct sweep_run *r, uint32_t file, uint64_t offset,
	enum tfr_status status, const struct tfr_error *err)
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

static bool given_up(struct sweep_run *r, uint32_t file)
{
	bool up;

	pthread_mutex_lock(&r->lock);
	up = file >= r->failed_file;
	pthread_mutex_unlock(&r->lock);
	return up;
}

/* Reads a run of `st` and examines it.  False: the stream has nothing more for us. */
static bool work_on(struct sweep_run *r, struct worker *w, struct stream *st)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_END;
	uint32_t file = 0;

	pthread_mutex_lock(&st->lock);
	if (st->in.reader && given_up(r, st->in.file))
		tfr_reading_end(&st->in);
	if (st->in.reader) {
		file = st->in.file;
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

static bool open_next(struct sweep_run *r, struct worker *w)
{
	struct stream *st = &w->stream;
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_OK;
	uint32_t file;
	bool more;

	/* A worker that finds no file left joins this stream, and waits here until it is open. */
	pthread_mutex_lock(&st->lock);
	file = __atomic_fetch_add(&r->next_file, 1, __ATOMIC_RELAXED);
	more = file < r->files && !given_up(r, file);
	if (more)
		status = open_file(r, st, &w->piece, file, &err);
	pthread_mutex_unlock(&st->lock);
	if (status > TFR_END)
		note_failure(r, file, 0, status, &err);
	return more;
}

static void worker_main(void *ctx, unsigned worker)
{
	struct sweep_run *r = ctx;
	struct worker *w = &r->workers[worker];

	do {
		while (work_on(r, w, &w->stream))
			;
	} while (open_next(r, w));
	for (unsigned k = 0; k < r->threads; k++)
		while (work_on(r, w, &r->workers[k].stream))
			;
}

/* --- setting up, and the report --- */

enum { BLOCK_SIZE = 512 << 10, THREADS_MAX = 1024 };

unsigned tfr_sweep_threads(unsigned threads)
{
	unsigned n = tfr_thread_count(threads);

	return n < THREADS_MAX ? n : THREADS_MAX;
}

static enum tfr_status prepare_worker(struct sweep_run *r, struct worker *w, struct tfr_error *err)
{
	w->stream.in = (struct tfr_reading){ .faults = &r->faults, .admit = admit_large };
	w->stream.run = r;
	pthread_mutex_init(&w->stream.lock, NULL);
	if (r->o->where)
		TFR_TRY(tfr_where_compile(&w->where, r->o->where, err));
	if (r->s->parse || w->where) {
		w->example = tfr_example_new();
		TFR_NEED_MEMORY(w->example, err, "starting the workers");
	}
	return TFR_OK;
}

static void gather_reports(
	struct sweep_run *r, struct tfr_sweep_report *report, enum tfr_status status)
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

static void clear_workers(struct sweep_run *r)
{
	for (unsigned k = 0; k < r->threads; k++) {
		struct worker *w = &r->workers[k];

		tfr_reading_end(&w->stream.in);
		tfr_record_run_clear(&w->piece.run);
		tfr_where_free(w->where);
		tfr_example_free(w->example);
		pthread_mutex_destroy(&w->stream.lock);
	}
	free(r->workers);
}

static enum tfr_status run_all(
	struct sweep_run *r, struct tfr_sweep_report *report, struct tfr_error *err)
{
	enum tfr_status status;

	for (unsigned k = 0; k < r->threads; k++)
		TFR_TRY(prepare_worker(r, &r->workers[k], err));
	if (r->ordered) {
		status = sweep_in_order(r, err);
	} else {
		tfr_threads_run(r->threads, worker_main, r);
		status = r->status;
	}
	if (r->workers->example && status == TFR_EDATA)
		sweep_explain_failure(err);
	else if (r->workers->example && !status)
		status = sweep_judge_types(r, report, err);
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_sweep_run(
	const struct tfr_sweep *sweep, struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct sweep_run r = {
		.s = sweep,
		.o = &sweep->opts,
		.threads = tfr_sweep_threads(sweep->opts.threads),
		.block_size = sweep->block_size ? sweep->block_size : BLOCK_SIZE,
		.files = (uint32_t)tfr_set_count(sweep->opts.input),
		.failed_file = UINT32_MAX,
		.faults = { .on_fault = sweep->opts.on_fault,
			.warn = sweep->again ? NULL : sweep->opts.warn,
			.ctx = sweep->opts.ctx },
		.err = err,
	};
	enum tfr_status status;

	report->others = 0;
	r.keeps_spans = sweep->last && r.o->quarantine && r.o->on_fault == TFR_ON_FAULT_SKIP;
	r.ordered = sweep->settle || r.keeps_spans;
	r.faults.quarantine = r.keeps_spans ? r.o->quarantine : NULL;
	r.workers = tfr_calloc_apart(r.threads, sizeof(*r.workers));
	TFR_NEED_MEMORY(r.workers, err, "starting the workers");
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
