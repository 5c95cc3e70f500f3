/* sweep/sweep_read.c - a run of records out of a file, and a look at each of them.
 *
 * Reading happens under the lock of the stream, or in the turn of an item; examining outside it.
 * What is read between runs is a fault; what is wrong with a record is found when it is examined.
 */
#include <assert.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "sweep/parts.h"
#include "thread/threads.h"

/* Where the warnings of a piece are kept until its turn; NULL: there is no order. */
static struct tfr_buf *later(const struct run *r, struct piece *p)
{
	return r->ordered ? &p->aside.warnings : NULL;
}

/* Gets the reader's bytes of a fault between records. */
static enum tfr_status put_span(void *ctx, const void *data, size_t size, struct tfr_error *err)
{
	struct stream *st = ctx;

	return tfr_deferred_span(&st->piece->aside, data, size, err);
}

enum tfr_status tfr_sweep_open(
	struct run *r, struct stream *st, uint32_t file, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .block_size = r->block_size,
		.lost = r->aside ? put_span : NULL,
		.ctx = st,
		.threads = tfr_thread_share(r->threads, r->ordered ? 1 : r->files) };

	st->file = file;
	st->records = 0;
	st->run = r;
	return tfr_reader_open(&st->reader, sweep_path(r, file), &opts, err);
}

static void end_stream(struct run *r, struct stream *st, struct piece *p)
{
	if (!st->records)
		tfr_fault_warn_empty(&r->faults, later(r, p), sweep_path(r, st->file));
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

void tfr_sweep_leave_gate(struct run *r, struct piece *p)
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

	tfr_fail_record(err, TFR_ENOMEM, sweep_path(r, st->file), run->index, run->offset,
		"a record of %s is larger than the %s that the memory allows",
		tfr_format_size(run->large, size), tfr_format_size(r->max_record, most));
	if (r->s->max_record)
		tfr_error_hint(err, "A record may take a quarter of the memory: give -m %lluM.",
			(unsigned long long)(4 * ((run->large >> 20) + 1)));
	return TFR_ENOMEM;
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
		tfr_sweep_leave_gate(r, p);
	return status;
}

enum tfr_status tfr_sweep_read(
	struct run *r, struct stream *st, struct piece *p, struct tfr_error *err)
{
	enum tfr_status status = tfr_ticker_check(&r->ticker, err);

	p->file = st->file;
	st->piece = p;
	while (!status) {
		status = tfr_reader_next_run(st->reader, &p->run, err);
		if (!status && p->run.large)
			status = read_large(r, st, p, err);
		if (!status) {
			st->records += p->run.records;
			return TFR_OK;
		}
		if (status != TFR_EDATA)
			break;
		/* A run leaves payloads to examine(). */
		assert(tfr_reader_fault(st->reader) != TFR_FAULT_PAYLOAD);
		st->records++; /* it is not empty */
		status = tfr_fault_resync(&r->faults, later(r, p), st->reader, status, err);
	}
	if (status == TFR_END)
		end_stream(r, st, p);
	return status;
}

/* --- examining --- */

/* Handles a bad record: with `skip_damaged` it is counted, otherwise the failure is located.
 * `kept`: bytes kept of the records before it. */
static enum tfr_status bad_record(struct run *r, struct piece *p, const struct tfr_swept *s,
	size_t kept, enum tfr_status status, struct tfr_error *err)
{
	if (status == TFR_EDATA)
		tfr_error_locate(err, s->path, s->rec.index, s->rec.offset);
	status = tfr_fault_pass(&r->faults, later(r, p), status, err, NULL, 0);
	if (status || !r->aside)
		return status;
	return tfr_deferred_record(&p->aside, &s->rec, kept, err);
}

/* Counts the type of a record that was parsed, or failed to parse. */
static void count_type(struct worker *w, const struct tfr_record *rec, enum tfr_status status)
{
	if (!status)
		w->types.records[tfr_likeness_parsed(w->example, rec->data, rec->size)]++;
	else if (status == TFR_EDATA)
		w->failed.records[tfr_likeness_of(rec->data, rec->size)]++;
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
	if (s->example)
		count_type(w, &s->rec, status);
	if (!status)
		w->taken += *taken;
	else
		*taken = false;
	return status;
}

enum tfr_status tfr_sweep_examine(struct run *r, struct worker *w, struct piece *p,
	struct tfr_buf *keep, size_t stride, struct tfr_error *err)
{
	struct tfr_swept s = { .file = p->file, .path = sweep_path(r, p->file) };
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
			status = bad_record(r, p, &s, keep ? keep->size : 0, status, err);
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
