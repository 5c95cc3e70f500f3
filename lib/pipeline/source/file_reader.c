/* pipeline/source/file_reader.c - what the thread of a place in the cycle does: a file into grains
 * of samples.
 *
 * A regular file is read in runs of whole records and nothing is copied; each payload is verified
 * here, so that what is damaged ends the file exactly where it lies.  What is no regular file gives
 * what it has before it waits for more: its records are copied one by one to blocks of their own,
 * for a run would wait until a block is full. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "pipeline/state.h"
#include "record/reader.h"

enum { GRAIN_RECORDS = 256, GRAIN_FEW = 16, GROUP_BYTES = 32 << 10 };

/* One file being read. */
struct open_file {
	struct tfr_reader *reader;
	struct tfr_run_block *block;
	struct tfr_record_chunk *grain;
	uint64_t inflated_ns; /* accounted for */
	uint64_t since;	      /* of the grain */
};

static void close_file(struct open_file *f)
{
	tfr_reader_close(f->reader);
	if (f->grain)
		tfr_record_chunk_drop(f->grain);
	if (f->block)
		tfr_block_put(f->block);
}

static unsigned thread_number(const struct tfr_file_reader *r)
{
	return r->p->opts.threads + (unsigned)(r - r->p->source.readings);
}

/* Time inside the inflater is a row of its own. */
static void account(
	struct tfr_file_reader *r, struct open_file *f, const struct tfr_record_chunk *g)
{
	struct tfr_pipeline *p = r->p;
	struct tfr_stage_counter *read = &p->counters[0], *inflate = &p->inflated;
	uint64_t inflated = tfr_reader_inflate_ns(f->reader), took = inflated - f->inflated_ns;

	f->inflated_ns = inflated;
	if (took > read->busy)
		took = read->busy;
	if (r->compressed) {
		read->busy -= took;
		inflate->busy += took;
		inflate->items += g->count;
		inflate->bytes += g->bytes;
	}
	read->items += g->count;
	read->bytes += g->bytes;
}

static void queue_grain(struct tfr_file_reader *r, struct tfr_record_chunk *g)
{
	if (r->tail)
		r->tail->next = g;
	else
		r->head = g;
	r->tail = g;
	r->bytes += g->bytes + g->count * sizeof(struct tfr_feed_sample);
	if (atomic_exchange(&r->hungry, false)) {
		tfr_feed_wake_workers(r->p);
		pthread_cond_signal(&r->p->arrivals);
	}
}

/* Queues the grain, then waits until there is room for another.  A full queue is filled again when
 * half of it is gone: woken for each grain, a thread would cost a switch each.  False: all is over.
 */
static bool hand_over(struct tfr_file_reader *r, struct open_file *f)
{
	struct tfr_pipeline *p = r->p;
	struct tfr_record_chunk *g = f->grain;
	bool go_on, compressed = tfr_reader_compression(f->reader) != TFR_COMPRESSION_NONE;

	f->grain = NULL;
	if (g && !g->count) {
		tfr_record_chunk_drop(g);
		g = NULL;
	}
	if (g)
		tfr_feed_trace(
			p, 0, thread_number(r), f->since, tfr_clock_ns(), g->samples[0].record);
	pthread_mutex_lock(&p->lock);
	tfr_span_end(&r->span);
	r->compressed = compressed;
	if (g) {
		account(r, f, g);
		queue_grain(r, g);
	}
	tfr_span_charge(&r->span, &p->counters[0].blocked);
	if (r->bytes >= p->source.budget)
		while (!p->stopping && r->head && r->bytes > p->source.budget / 2)
			pthread_cond_wait(&r->change, &p->lock);
	tfr_span_end(&r->span);
	tfr_span_charge(&r->span, &p->counters[0].busy);
	go_on = !p->stopping;
	f->since = r->span.since;
	pthread_mutex_unlock(&p->lock);
	return go_on;
}

static enum tfr_status new_grain(struct open_file *f, uint64_t records, struct tfr_error *err)
{
	f->grain = tfr_record_chunk_new(f->block, records > GRAIN_FEW ? GRAIN_RECORDS : GRAIN_FEW);
	return f->grain ? TFR_OK : tfr_fail_nomem(err, "reading a record");
}

static enum tfr_status new_block(
	struct tfr_file_reader *r, struct open_file *f, struct tfr_error *err)
{
	if (f->block)
		tfr_block_put(f->block);
	f->block = tfr_block_get(&r->p->blocks);
	return f->block ? TFR_OK : tfr_fail_nomem(err, "reading a file");
}

/* ---- runs ---- */

static enum tfr_status refuse_large(const struct tfr_run *run, struct tfr_file_reader *r)
{
	char text[TFR_SIZE_TEXT];

	tfr_fail_record(&r->err, TFR_ENOMEM, r->path, run->index, run->offset,
		"a record takes %s, a quarter of the memory allowed and more",
		tfr_format_size(run->large, text));
	tfr_error_hint(&r->err, "Raise --memory.");
	return TFR_ENOMEM;
}

static enum tfr_status next_run(struct tfr_file_reader *r, struct open_file *f)
{
	struct tfr_run *run = &f->block->run;
	enum tfr_status status = tfr_reader_next_run(f->reader, run, &r->err);

	if (status || !run->large)
		return status;
	if (run->large > r->p->opts.memory / 4)
		return refuse_large(run, r);
	return tfr_reader_large_run(f->reader, run, &r->err);
}

/* The records of a run, verified, by grains.  TFR_END: all of them. */
static enum tfr_status cut_run(struct tfr_file_reader *r, struct open_file *f, bool *go_on)
{
	struct tfr_run *run = &f->block->run;
	enum tfr_status status = TFR_OK;
	struct tfr_record rec;

	while (*go_on && status == TFR_OK) {
		if (!f->grain)
			status = new_grain(f, run->records - run->seen, &r->err);
		if (status == TFR_OK)
			status = tfr_run_next(run, &rec, &r->err);
		if (status == TFR_OK)
			tfr_record_chunk_add(f->grain, r->file, &rec);
		else if (status == TFR_EDATA)
			tfr_error_locate(
				&r->err, tfr_reader_name(f->reader), r->err.record, r->err.offset);
		if (status || f->grain->count == f->grain->capacity)
			*go_on = hand_over(r, f);
	}
	return status;
}

static enum tfr_status read_runs(struct tfr_file_reader *r, struct open_file *f)
{
	enum tfr_status status = TFR_OK;
	bool go_on = true;

	while (go_on && status == TFR_OK) {
		status = new_block(r, f, &r->err);
		if (status == TFR_OK)
			status = next_run(r, f);
		if (status == TFR_OK) {
			status = cut_run(r, f, &go_on);
			if (status == TFR_END)
				status = TFR_OK;
		}
	}
	return status;
}

/* ---- what comes as it likes ---- */

/* Copies the record behind the others of its grain, whose block has room or is a new one. */
static enum tfr_status keep(struct tfr_file_reader *r, struct open_file *f, struct tfr_record rec,
	struct tfr_error *err)
{
	struct tfr_run *run = &f->block->run;
	size_t need = rec.size > r->p->source.block_size ? rec.size : r->p->source.block_size;

	if (!run->block || run->cap < rec.size) {
		free(run->block);
		run->block = malloc(need);
		run->cap = run->block ? need : 0;
		if (!run->block)
			return tfr_fail_nomem(err, "reading a record");
	}
	memcpy(run->block + run->size, rec.data, rec.size);
	rec.data = run->block + run->size;
	run->size += rec.size;
	tfr_record_chunk_add(f->grain, r->file, &rec);
	return TFR_OK;
}

static bool is_full(const struct open_file *f, size_t more)
{
	const struct tfr_run *run = &f->block->run;

	return f->grain->count == f->grain->capacity || run->size >= GROUP_BYTES ||
	       (f->grain->count && run->size + more > run->cap);
}

static enum tfr_status renew(struct tfr_file_reader *r, struct open_file *f)
{
	enum tfr_status status = new_block(r, f, &r->err);

	if (status)
		return status;
	f->block->run.size = 0;
	return new_grain(f, GRAIN_RECORDS, &r->err);
}

static enum tfr_status read_records(struct tfr_file_reader *r, struct open_file *f)
{
	enum tfr_status status = renew(r, f);
	struct tfr_record rec;
	bool go_on = true;

	while (go_on && status == TFR_OK) {
		status = tfr_reader_next(f->reader, &rec, &r->err);
		if (status == TFR_OK && is_full(f, rec.size)) {
			go_on = hand_over(r, f);
			status = renew(r, f);
		}
		if (status == TFR_OK)
			status = keep(r, f, rec, &r->err);
		if (f->grain && f->grain->count &&
			(status || atomic_load(&r->hungry) || !tfr_reader_holds_next(f->reader))) {
			go_on = hand_over(r, f) && go_on;
			if (!status)
				status = renew(r, f);
		}
	}
	return status;
}

static bool is_regular(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum tfr_status read_file(struct tfr_file_reader *r)
{
	struct tfr_pipeline *p = r->p;
	/* Files are read side by side: each is inflated by its own thread alone. */
	const struct tfr_reader_opts opts = {
		.compression = p->opts.compression, .block_size = p->source.block_size, .threads = 1
	};
	struct open_file f = { .since = tfr_clock_ns() };
	enum tfr_status status =
		tfr_reader_open_cancellable(&f.reader, r->path, p->source.cancel, &opts, &r->err);

	if (status == TFR_OK)
		status = is_regular(r->path) ? read_runs(r, &f) : read_records(r, &f);
	close_file(&f);
	return status;
}

void *tfr_file_reader_main(void *arg)
{
	struct tfr_file_reader *r = arg;
	struct tfr_pipeline *p = r->p;

	pthread_mutex_lock(&p->lock);
	while (!p->stopping) {
		if (!r->path) {
			pthread_cond_wait(&r->change, &p->lock);
			continue;
		}
		r->span = (struct tfr_span){ .since = tfr_clock_ns() };
		tfr_span_charge(&r->span, &p->counters[0].busy);
		pthread_mutex_unlock(&p->lock);
		r->status = read_file(r);
		pthread_mutex_lock(&p->lock);
		tfr_span_end(&r->span);
		r->path = NULL;
		r->ended = true;
		tfr_feed_wake_workers(p);
		pthread_cond_signal(&p->arrivals);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
