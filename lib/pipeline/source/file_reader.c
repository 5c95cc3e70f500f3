/* pipeline/source/file_reader.c - a thread that reads files into chunks of samples.
 *
 * A regular file is read in runs of complete records and nothing is copied; each payload is
 * verified here, so that damage ends the file exactly where it is.  A pipe hands over what it has
 * before it waits for more: its records are copied one by one to blocks of their own, because a run
 * would wait until a block is full. */
#include "pipeline/source/file_reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "record/reader.h"

enum { CHUNK_RECORDS = 256, CHUNK_FEW = 16, GROUP_BYTES = 32 << 10, FEW_CHUNKS = 8 };

/* One file being read. */
struct open_file {
	struct tfr_reader *reader;
	struct tfr_run_block *block;
	struct tfr_record_chunk *chunk;
	uint64_t inflated_ns; /* accounted for */
	uint64_t since;	      /* of the chunk */
};

static void close_file(struct open_file *f)
{
	tfr_reader_close(f->reader);
	if (f->chunk)
		tfr_record_chunk_drop(f->chunk);
	if (f->block)
		tfr_block_put(f->block);
}

/* Time inside the inflater is a row of its own. */
static void account(
	struct tfr_file_reader *r, struct open_file *f, const struct tfr_record_chunk *chunk)
{
	uint64_t inflated = tfr_reader_inflate_ns(f->reader), took = inflated - f->inflated_ns;

	assert(inflated >= f->inflated_ns);
	f->inflated_ns = inflated;
	tfr_statistics_read(r->source->statistics, r->compressed, took, chunk->count, chunk->bytes);
}

static void queue_chunk(struct tfr_file_reader *r, struct tfr_record_chunk *chunk)
{
	assert(chunk->count && !chunk->next);
	if (r->tail)
		r->tail->next = chunk;
	else
		r->head = chunk;
	r->tail = chunk;
	r->bytes += chunk->bytes + chunk->count * sizeof(struct tfr_feed_sample);
	if (atomic_exchange(&r->hungry, false)) {
		if (chunk->count > 1)
			tfr_feed_wake_workers(r->source->control);
		else
			tfr_feed_wake_worker(r->source->control);
		pthread_cond_signal(&r->source->control->arrivals);
	}
}

static void charge(struct tfr_file_reader *r, enum tfr_account which)
{
	tfr_span_charge(&r->span, tfr_statistics_account(r->source->statistics, 0, which));
}

/* A full queue is filled again when half of it is gone, since waking the reader for each chunk
 * would cost one switch of threads per chunk; of large chunks, as soon as there is room, or it
 * would run empty. */
static uint64_t fill_again_at(const struct tfr_record_source *src, uint64_t chunk_bytes)
{
	return chunk_bytes < src->budget / FEW_CHUNKS ? src->budget / 2 : src->budget - 1;
}

/* Queues the chunk, then waits until there is room for another.  False: the feed ends. */
static bool hand_over(struct tfr_file_reader *r, struct open_file *f)
{
	struct tfr_record_source *src = r->source;
	struct tfr_record_chunk *chunk = f->chunk;
	bool go_on, compressed = tfr_reader_compression(f->reader) != TFR_COMPRESSION_NONE;

	f->chunk = NULL;
	if (chunk && !chunk->count) {
		tfr_record_chunk_drop(chunk);
		chunk = NULL;
	}
	if (chunk)
		tfr_feed_trace(
			src->set, 0, r->number, f->since, tfr_clock_ns(), chunk->samples[0].record);
	pthread_mutex_lock(&src->control->lock);
	tfr_span_end(&r->span);
	r->compressed = compressed;
	if (chunk) {
		r->low = fill_again_at(src, chunk->bytes);
		account(r, f, chunk);
		queue_chunk(r, chunk);
	}
	charge(r, TFR_ACCOUNT_BLOCKED);
	if (r->bytes >= src->budget)
		while (!src->control->stopping && r->head && r->bytes > r->low)
			pthread_cond_wait(&r->change.changed, &src->control->lock);
	tfr_span_end(&r->span);
	charge(r, TFR_ACCOUNT_BUSY);
	go_on = !src->control->stopping;
	f->since = r->span.since;
	pthread_mutex_unlock(&src->control->lock);
	return go_on;
}

static enum tfr_status new_chunk(struct open_file *f, uint64_t records, struct tfr_error *err)
{
	f->chunk = tfr_record_chunk_new(f->block, records > CHUNK_FEW ? CHUNK_RECORDS : CHUNK_FEW);
	return f->chunk ? TFR_OK : tfr_fail_nomem(err, "reading a record");
}

static enum tfr_status new_block(
	struct tfr_file_reader *r, struct open_file *f, struct tfr_error *err)
{
	if (f->block)
		tfr_block_put(f->block);
	f->block = tfr_block_get(&r->source->blocks);
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
	if (run->large > r->source->set->opts.memory / 4)
		return refuse_large(run, r);
	return tfr_reader_large_run(f->reader, run, &r->err);
}

/* The records of a run, verified, in chunks.  TFR_END: all of them. */
static enum tfr_status cut_run(struct tfr_file_reader *r, struct open_file *f, bool *go_on)
{
	struct tfr_run *run = &f->block->run;
	enum tfr_status status = TFR_OK;
	struct tfr_record rec;

	while (*go_on && status == TFR_OK) {
		if (!f->chunk)
			status = new_chunk(f, run->records - run->seen, &r->err);
		if (status == TFR_OK)
			status = tfr_run_next(run, &rec, &r->err);
		if (status == TFR_OK)
			tfr_record_chunk_add(f->chunk, r->file, &rec);
		else if (status == TFR_EDATA)
			tfr_error_locate(
				&r->err, tfr_reader_name(f->reader), r->err.record, r->err.offset);
		if (status || f->chunk->count == f->chunk->capacity)
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

/* ---- pipes ---- */

/* Copies the record after the others of its chunk, whose block has room or is a new one. */
static enum tfr_status keep(struct tfr_file_reader *r, struct open_file *f, struct tfr_record rec,
	struct tfr_error *err)
{
	struct tfr_run *run = &f->block->run;
	size_t need = rec.size > r->source->block_size ? rec.size : r->source->block_size;

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
	tfr_record_chunk_add(f->chunk, r->file, &rec);
	return TFR_OK;
}

static bool is_full(const struct open_file *f, size_t more)
{
	const struct tfr_run *run = &f->block->run;

	return f->chunk->count == f->chunk->capacity || run->size >= GROUP_BYTES ||
	       (f->chunk->count && run->size + more > run->cap);
}

static enum tfr_status renew(struct tfr_file_reader *r, struct open_file *f)
{
	TFR_TRY(new_block(r, f, &r->err));
	f->block->run.size = 0;
	return new_chunk(f, CHUNK_RECORDS, &r->err);
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
		if (f->chunk && f->chunk->count &&
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

	return strcmp(path, "-") && tfr_stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum tfr_status read_file(struct tfr_file_reader *r)
{
	struct tfr_record_source *src = r->source;
	/* Files are read side by side: each is inflated by its own thread alone. */
	const struct tfr_reader_opts opts = { .compression = src->set->opts.compression,
		.block_size = src->block_size,
		.threads = 1 };
	struct open_file f = { .since = tfr_clock_ns() };
	enum tfr_status status =
		tfr_reader_open_cancellable(&f.reader, r->path, src->cancel, &opts, &r->err);

	if (status == TFR_OK)
		status = is_regular(r->path) ? read_runs(r, &f) : read_records(r, &f);
	close_file(&f);
	return status;
}

void *tfr_file_reader_main(void *arg)
{
	struct tfr_file_reader *r = arg;
	struct tfr_record_source *src = r->source;

	pthread_mutex_lock(&src->control->lock);
	while (!src->control->stopping) {
		if (!r->path) {
			pthread_cond_wait(&r->change.changed, &src->control->lock);
			continue;
		}
		assert(!r->ended);
		tfr_span_begin(&r->span);
		charge(r, TFR_ACCOUNT_BUSY);
		pthread_mutex_unlock(&src->control->lock);
		r->status = read_file(r);
		pthread_mutex_lock(&src->control->lock);
		tfr_span_end(&r->span);
		r->path = NULL;
		r->ended = true;
		tfr_feed_wake_workers(src->control);
		pthread_cond_signal(&src->control->arrivals);
	}
	pthread_mutex_unlock(&src->control->lock);
	return NULL;
}
