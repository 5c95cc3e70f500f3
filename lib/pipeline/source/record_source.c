/* pipeline/source/record_source.c - the records of all files: threads that read them into chunks of
 * samples, and the order in which the samples come.
 *
 * A regular file is read in runs of complete records and nothing is copied; each payload is
 * verified by its reader, so that damage ends the file exactly where it is.  A pipe hands over what
 * it has before it waits for more: its records are copied one by one to blocks of their own,
 * because a run would wait until a block is full.
 *
 * The order is that of sweep/interleave.h.  A place gets its next file as soon as the end of its
 * file is seen, so that reading is ahead when its turn comes.  Only the thread that takes records,
 * with the lock, moves the turn; readers only fill their queues. */
#include "pipeline/source/record_source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "base/rng.h"
#include "pipeline/control.h"
#include "pipeline/report/statistics.h"
#include "sweep/interleave.h"
#include "sweep/reading.h"

/* A place in the cycle: one thread, which reads one file at a time.
 *
 * Whoever takes records begins a file with the lock, and the thread sets in.path to NULL at its
 * end, with the lock.  Between the two the thread alone touches `in`, `status` and `err`. */
struct file_reader {
	struct tfr_reading in; /* first: admit_large() finds the reader of the file */
	struct tfr_record_source *source;
	unsigned number; /* of the thread, in traces */
	pthread_t thread;
	bool started;
	struct tfr_waiter change; /* a file was assigned, or room was made */
	bool compressed; /* the present file is */
	bool ended;	 /* of the file, in `status` how; what is queued still counts */
	enum tfr_status status;
	struct tfr_error err;
	struct tfr_record_chunk *head, *tail;
	uint64_t bytes;	    /* queued, and what their samples take */
	uint64_t low;	    /* a full queue is filled again from here on */
	atomic_bool hungry; /* the next record of this one is waited for */
	struct tfr_span span;
};

struct tfr_record_source {
	const struct tfr_settings *settings;
	struct tfr_control *control;
	struct tfr_statistics *statistics;
	struct tfr_fault_policy faults; /* damage always ends the feed, when its turn comes */
	struct tfr_block_pool blocks;
	struct file_reader *readers;
	uint32_t count;
	struct tfr_interleave turns; /* of the readers */
	uint32_t *order;	     /* files of this epoch; NULL: as they come */
	uint64_t epoch, ordinal;
	uint64_t epochs; /* that are read; 0: no limit */
	uint64_t budget; /* bytes that a reader may queue */
	size_t block_size;
	int cancel; /* readable once the feed ends: no reader waits for a pipe any longer */
	bool over;
	enum tfr_status fault; /* of a file: nothing is read after it */
	struct tfr_error err;
};

/* ---- reading ---- */

enum { CHUNK_RECORDS = 256, CHUNK_RECORDS_FEW = 16, GROUP_BYTES = 32 << 10, QUEUE_CHUNKS_MIN = 8 };

/* The block and the chunk that are being filled from a file. */
struct filling {
	struct tfr_run_block *block;
	struct tfr_record_chunk *chunk;
	uint64_t inflated_ns; /* accounted for */
	uint64_t since;	      /* of the chunk */
};

static void close_file(struct file_reader *r, struct filling *f)
{
	tfr_reading_end(&r->in);
	if (f->chunk)
		tfr_record_chunk_drop(f->chunk);
	if (f->block)
		tfr_block_put(f->block);
}

/* Time inside the inflater is a row of its own. */
static void account(struct file_reader *r, struct filling *f, const struct tfr_record_chunk *chunk)
{
	uint64_t inflated = tfr_reader_inflate_ns(r->in.reader), took = inflated - f->inflated_ns;

	assert(inflated >= f->inflated_ns);
	f->inflated_ns = inflated;
	tfr_statistics_read(r->source->statistics, r->compressed, took, chunk->count, chunk->bytes);
}

static void queue_chunk(struct file_reader *r, struct tfr_record_chunk *chunk)
{
	assert(chunk->count && !chunk->next);
	if (r->tail)
		r->tail->next = chunk;
	else
		r->head = chunk;
	r->tail = chunk;
	r->bytes += chunk->bytes + chunk->count * sizeof(struct tfr_pipeline_sample);
	if (atomic_exchange(&r->hungry, false)) {
		if (chunk->count > 1)
			tfr_control_wake_workers(r->source->control);
		else
			tfr_control_wake_worker(r->source->control);
		pthread_cond_signal(&r->source->control->arrivals);
	}
}

static void charge(struct file_reader *r, enum tfr_account which)
{
	tfr_statistics_charge(r->source->statistics, &r->span, 0, which);
}

/* A full queue is filled again when half of it is gone, since waking the reader for each chunk
 * would cost one switch of threads per chunk; of large chunks, as soon as there is room, or it
 * would run empty. */
static uint64_t fill_again_at(const struct tfr_record_source *src, uint64_t chunk_bytes)
{
	return chunk_bytes < src->budget / QUEUE_CHUNKS_MIN ? src->budget / 2 : src->budget - 1;
}

/* Queues the chunk, then waits until there is room for another.  False: the feed ends. */
static bool queue_and_wait(struct file_reader *r, struct filling *f)
{
	struct tfr_record_source *src = r->source;
	struct tfr_record_chunk *chunk = f->chunk;
	bool go_on, compressed = tfr_reader_compression(r->in.reader) != TFR_COMPRESSION_NONE;

	f->chunk = NULL;
	if (chunk && !chunk->count) {
		tfr_record_chunk_drop(chunk);
		chunk = NULL;
	}
	if (chunk)
		tfr_trace_work(src->settings, 0, r->number, f->since, tfr_clock_ns(),
			chunk->samples[0].record);
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

static enum tfr_status new_chunk(struct file_reader *r, struct filling *f, uint64_t records)
{
	f->chunk = tfr_record_chunk_new(
		f->block, records > CHUNK_RECORDS_FEW ? CHUNK_RECORDS : CHUNK_RECORDS_FEW);
	return f->chunk ? TFR_OK : tfr_fail_nomem(&r->err, "reading a record");
}

static enum tfr_status new_block(struct file_reader *r, struct filling *f)
{
	if (f->block)
		tfr_block_put(f->block);
	f->block = tfr_block_get(&r->source->blocks);
	return f->block ? TFR_OK : tfr_fail_nomem(&r->err, "reading a file");
}

/* ---- runs ---- */

static enum tfr_status admit_large(
	struct tfr_reading *in, const struct tfr_record_run *run, struct tfr_error *err)
{
	const struct file_reader *r = (struct file_reader *)in;
	char text[TFR_SIZE_TEXT];

	if (run->large <= r->source->settings->opts.memory / 4)
		return TFR_OK;
	tfr_fail_record(err, TFR_ENOMEM, in->path, run->index, run->offset,
		"a record takes %s, a quarter of the memory allowed and more",
		tfr_format_size(run->large, text));
	tfr_error_hint(err, "Raise --memory.");
	return TFR_ENOMEM;
}

/* Verifies the records of a run and queues them in chunks.  TFR_END: all of them. */
static enum tfr_status cut_run(struct file_reader *r, struct filling *f, bool *go_on)
{
	const struct tfr_record_run_origin of = { &r->source->faults, r->in.path, NULL };
	struct tfr_record_run *run = &f->block->run;
	enum tfr_status status = TFR_OK;
	struct tfr_record rec;

	while (*go_on && !status) {
		if (!f->chunk)
			TFR_TRY(new_chunk(r, f, run->records - run->seen));
		status = tfr_record_run_next_intact(&of, run, &rec, &r->err);
		if (!status)
			tfr_record_chunk_add(f->chunk, r->in.file, &rec);
		if (status || f->chunk->count == f->chunk->capacity)
			*go_on = queue_and_wait(r, f);
	}
	return status;
}

static enum tfr_status read_runs(struct file_reader *r, struct filling *f)
{
	bool go_on = true;

	while (go_on) {
		enum tfr_status status;

		TFR_TRY(new_block(r, f));
		TFR_TRY(tfr_reading_next_run(&r->in, &f->block->run, &r->err));
		status = cut_run(r, f, &go_on);
		if (status && status != TFR_END)
			return status;
	}
	return TFR_OK;
}

/* ---- pipes ---- */

/* Copies the record after the others of its chunk, whose block has room or is a new one. */
static enum tfr_status keep(struct file_reader *r, struct filling *f, struct tfr_record rec)
{
	struct tfr_record_run *run = &f->block->run;
	size_t need = rec.size > r->source->block_size ? rec.size : r->source->block_size;

	if (!run->block || run->cap < rec.size) {
		free(run->block);
		run->block = malloc(need);
		run->cap = run->block ? need : 0;
		if (!run->block)
			return tfr_fail_nomem(&r->err, "reading a record");
	}
	memcpy(run->block + run->size, rec.data, rec.size);
	rec.data = run->block + run->size;
	run->size += rec.size;
	tfr_record_chunk_add(f->chunk, r->in.file, &rec);
	return TFR_OK;
}

static bool is_full(const struct filling *f, size_t more)
{
	const struct tfr_record_run *run = &f->block->run;

	return f->chunk->count == f->chunk->capacity || run->size >= GROUP_BYTES ||
	       (f->chunk->count && run->size + more > run->cap);
}

static enum tfr_status renew(struct file_reader *r, struct filling *f)
{
	TFR_TRY(new_block(r, f));
	f->block->run.size = 0;
	return new_chunk(r, f, CHUNK_RECORDS);
}

static enum tfr_status read_records(struct file_reader *r, struct filling *f)
{
	enum tfr_status status = renew(r, f);
	struct tfr_record rec;
	bool go_on = true;

	while (go_on && status == TFR_OK) {
		status = tfr_reading_next(&r->in, &rec, &r->err);
		if (status == TFR_OK && is_full(f, rec.size)) {
			go_on = queue_and_wait(r, f);
			status = renew(r, f);
		}
		if (status == TFR_OK)
			status = keep(r, f, rec);
		if (f->chunk && f->chunk->count &&
			(status || atomic_load(&r->hungry) ||
				!tfr_reader_holds_next(r->in.reader))) {
			go_on = queue_and_wait(r, f) && go_on;
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

static enum tfr_status read_file(struct file_reader *r)
{
	struct tfr_record_source *src = r->source;
	/* Files are read side by side: each is inflated by its own thread alone. */
	const struct tfr_reader_opts opts = { .compression = src->settings->opts.compression,
		.block_size = src->block_size,
		.threads = 1 };
	struct filling f = { .since = tfr_clock_ns() };
	enum tfr_status status = tfr_reader_open_cancellable(
		&r->in.reader, r->in.path, src->cancel, &opts, &r->in.why);

	if (status)
		status = tfr_reading_meet(&r->in, &r->err);
	else
		status = is_regular(r->in.path) ? read_runs(r, &f) : read_records(r, &f);
	close_file(r, &f);
	return status;
}

static void *reader_main(void *arg)
{
	struct file_reader *r = arg;
	struct tfr_record_source *src = r->source;

	pthread_mutex_lock(&src->control->lock);
	while (!src->control->stopping) {
		if (!r->in.path) {
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
		r->in.path = NULL;
		r->ended = true;
		tfr_control_wake_workers(src->control);
		pthread_cond_signal(&src->control->arrivals);
	}
	pthread_mutex_unlock(&src->control->lock);
	return NULL;
}

/* ---- the order ---- */

enum { BLOCK_SIZE = 512 << 10, BLOCK_MIN = 32 << 10, READ_MAX = 8 << 20 };

enum pull_result { PULL_RECORD, PULL_WAIT, PULL_EPOCH, PULL_ERROR };

/* Gives the place a file; SIZE_MAX: none is left. */
static void assign(struct tfr_record_source *src, struct file_reader *r, size_t file)
{
	uint32_t number;

	assert(!r->in.path && !r->head);
	r->ended = false;
	if (file == SIZE_MAX)
		return;
	number = src->order ? src->order[file] : (uint32_t)file;
	tfr_reading_begin(&r->in, tfr_set_path(src->settings->opts.set, number), number);
	pthread_cond_signal(&r->change.changed);
}

static struct tfr_pipeline_sample *take(struct tfr_record_source *src, struct file_reader *r)
{
	struct tfr_record_chunk *chunk = r->head;
	struct tfr_pipeline_sample *s = &chunk->samples[chunk->at++];
	bool above = r->bytes > r->low;

	assert(chunk->at <= chunk->count && r->bytes >= s->size + sizeof(*s));
	r->bytes -= s->size + sizeof(*s);
	if (chunk->at == chunk->count) {
		r->head = chunk->next;
		if (!r->head)
			r->tail = NULL;
	}
	if (above && (r->bytes <= r->low || !r->head))
		pthread_cond_signal(&r->change.changed);
	s->epoch = src->epoch;
	s->ordinal = src->ordinal++;
	tfr_interleave_take(&src->turns, 1);
	return s;
}

/* PULL_EPOCH until next_epoch(); PULL_ERROR: src->fault says which. */
static enum pull_result pull(struct tfr_record_source *src, struct tfr_pipeline_sample **sample)
{
	while (tfr_interleave_more(&src->turns)) {
		struct file_reader *r = &src->readers[src->turns.turn];

		if (r->head) {
			*sample = take(src, r);
			return PULL_RECORD;
		}
		if (r->in.path) {
			atomic_store(&r->hungry, true);
			return PULL_WAIT;
		}
		if (r->ended && r->status != TFR_END) {
			src->fault = r->status;
			src->err = r->err;
			return PULL_ERROR;
		}
		if (r->ended)
			assign(src, r, tfr_interleave_end(&src->turns));
		else
			tfr_interleave_pass(&src->turns);
	}
	return PULL_EPOCH;
}

static void draw_order(struct tfr_record_source *src)
{
	uint32_t files = (uint32_t)tfr_set_count(src->settings->opts.set);
	struct tfr_rng rng;

	for (uint32_t i = 0; i < files; i++)
		src->order[i] = i;
	tfr_rng_init(&rng, src->settings->opts.seed, src->epoch);
	tfr_rng_shuffle(&rng, src->order, files, sizeof(*src->order));
}

static void next_epoch(struct tfr_record_source *src)
{
	src->epoch++;
	src->ordinal = 0;
	if (src->order)
		draw_order(src);
	for (uint32_t i = 0; i < src->count; i++)
		assign(src, &src->readers[i], i);
}

/* An epoch without a record would be followed by another, forever. */
static void end_epoch(struct tfr_record_source *src)
{
	if (src->fault || src->ordinal == 0 || (src->epochs && src->epoch + 1 >= src->epochs)) {
		src->over = true;
		return;
	}
	tfr_interleave_start(&src->turns);
	next_epoch(src);
}

unsigned tfr_record_source_take(
	struct tfr_record_source *src, struct tfr_pipeline_sample **to, unsigned max)
{
	unsigned n = 0;

	while (n < max && !src->over) {
		enum pull_result got = pull(src, &to[n]);

		if (got == PULL_WAIT)
			break;
		n++;
		if (got == PULL_RECORD)
			continue;
		to[n - 1] = NULL;
		end_epoch(src);
		break;
	}
	return n;
}

bool tfr_record_source_over(const struct tfr_record_source *src)
{
	return src->over;
}

enum tfr_status tfr_record_source_fault(const struct tfr_record_source *src, struct tfr_error *err)
{
	if (src->fault && err)
		*err = src->err;
	return src->fault;
}

uint64_t tfr_record_source_epoch(const struct tfr_record_source *src)
{
	return src->epoch;
}

void tfr_record_source_end_with_epoch(struct tfr_record_source *src)
{
	src->epochs = src->epoch + 1;
}

/* ---- the queues ---- */

uint64_t tfr_record_source_waiting(const struct tfr_record_source *src)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < src->count; i++)
		for (const struct tfr_record_chunk *c = src->readers[i].head; c; c = c->next)
			count += c->count - c->at;
	return count;
}

bool tfr_record_source_has_next(const struct tfr_record_source *src)
{
	return !src->over && src->readers[src->turns.turn].head;
}

const char *tfr_record_source_waits_for(const struct tfr_record_source *src)
{
	return src->count ? src->readers[src->turns.turn].in.path : NULL;
}

unsigned tfr_record_source_readers(const struct tfr_record_source *src)
{
	return src->count;
}

bool tfr_record_source_has_first(
	const struct tfr_record_source *src, uint64_t enough, uint64_t *records)
{
	bool all_stand = true, all_begun = true;

	*records = 0;
	for (uint32_t i = 0; i < src->count; i++) {
		const struct file_reader *r = &src->readers[i];

		for (const struct tfr_record_chunk *c = r->head; c; c = c->next)
			*records += c->count;
		if (r->in.path && r->bytes < src->budget)
			all_stand = false;
		if (r->in.path && !r->head)
			all_begun = false;
	}
	return all_stand || (all_begun && *records >= enough);
}

void tfr_record_source_hurry(struct tfr_record_source *src)
{
	for (uint32_t i = 0; i < src->count; i++)
		atomic_store(&src->readers[i].hungry, true);
}

void tfr_record_source_each(const struct tfr_record_source *src,
	bool (*look)(void *ctx, const struct tfr_pipeline_sample *s), void *ctx)
{
	for (uint32_t i = 0; i < src->count; i++)
		for (const struct tfr_record_chunk *c = src->readers[i].head; c; c = c->next)
			for (uint32_t k = c->at; k < c->count; k++)
				if (!look(ctx, &c->samples[k]))
					return;
}

enum tfr_status tfr_record_source_first_fault(
	const struct tfr_record_source *src, struct tfr_error *err)
{
	for (uint32_t i = 0; i < src->count; i++) {
		const struct file_reader *r = &src->readers[i];

		if (r->ended && r->status != TFR_END) {
			if (err)
				*err = r->err;
			return r->status;
		}
	}
	return TFR_OK;
}

bool tfr_record_source_compressed(const struct tfr_record_source *src)
{
	bool compressed = false;

	for (uint32_t i = 0; i < src->count; i++)
		compressed |= src->readers[i].compressed;
	return compressed;
}

/* Each reader has its queue, and beside it the block that it fills, one that it has just handed on
 * and one that is being used up; each of the two may hold one large record. */
uint64_t tfr_record_source_bytes(const struct tfr_record_source *src, uint64_t largest)
{
	return src->count * (src->budget + 3 * src->block_size + 2 * largest) +
	       src->blocks.idle_limit;
}

/* ---- from start to end ---- */

static void size_blocks(struct tfr_record_source *src, size_t files)
{
	uint32_t cycle =
		src->settings->cycle > files && files ? (uint32_t)files : src->settings->cycle;
	uint64_t all = src->settings->opts.memory / 32, budget, block;

	all = all < READ_MAX ? all : READ_MAX;
	budget = all / cycle;
	block = budget / 4 < BLOCK_SIZE ? budget / 4 : BLOCK_SIZE;
	block = block < BLOCK_MIN ? BLOCK_MIN : block;
	src->budget = budget ? budget : 1; /* of 0, the queues would be full without a record */
	src->block_size = (size_t)block;
	tfr_block_pool_init(&src->blocks, all > (cycle + 2) * block ? all : (cycle + 2) * block);
}

static enum tfr_status allocate(struct tfr_record_source *src, struct tfr_error *err)
{
	size_t files = tfr_set_count(src->settings->opts.set);

	size_blocks(src, files);
	tfr_interleave_init(&src->turns, files,
		(struct tfr_interleaving){ src->settings->cycle, src->settings->block_length });
	src->count = src->settings->cycle < files ? src->settings->cycle : (uint32_t)files;
	src->readers = calloc(src->count ? src->count : 1, sizeof(*src->readers));
	if (src->settings->opts.shuffle_files)
		src->order = calloc(files ? files : 1, sizeof(*src->order));
	if (!src->readers || (src->settings->opts.shuffle_files && !src->order))
		return tfr_fail_nomem(err, "starting to read");
	src->cancel = eventfd(0, EFD_CLOEXEC);
	if (src->cancel < 0)
		return tfr_fail(err, TFR_ESYS, "cannot start to read: %s", strerror(errno));
	return TFR_OK;
}

static enum tfr_status start(struct tfr_record_source *src, struct tfr_error *err)
{
	pthread_mutex_lock(&src->control->lock);
	for (uint32_t i = 0; i < src->count; i++) {
		src->readers[i].in =
			(struct tfr_reading){ .faults = &src->faults, .admit = admit_large };
		src->readers[i].source = src;
		src->readers[i].number = src->settings->opts.threads + i;
		tfr_control_add_waiter(src->control, &src->readers[i].change);
		tfr_statistics_watch(src->statistics, &src->readers[i].span);
	}
	src->epoch = (uint64_t)-1;
	next_epoch(src);
	pthread_mutex_unlock(&src->control->lock);
	for (uint32_t i = 0; i < src->count; i++) {
		struct file_reader *r = &src->readers[i];
		int rc = pthread_create(&r->thread, NULL, reader_main, r);

		if (rc)
			return tfr_fail(
				err, TFR_ESYS, "cannot start a reading thread: %s", strerror(rc));
		r->started = true;
	}
	return TFR_OK;
}

enum tfr_status tfr_record_source_open(struct tfr_record_source **out,
	const struct tfr_pipeline_context *feed, struct tfr_error *err)
{
	struct tfr_record_source *src = calloc(1, sizeof(*src));

	*out = src;
	TFR_NEED_MEMORY(src, err, "starting to read");
	src->settings = feed->settings;
	src->control = feed->control;
	src->statistics = feed->statistics;
	src->epochs = feed->settings->source_epochs;
	tfr_fault_policy_init(&src->faults);
	src->cancel = -1;
	TFR_TRY(allocate(src, err));
	return start(src, err);
}

static void close_reader(struct tfr_record_source *src, struct file_reader *r)
{
	if (!r->source) /* it was never set up */
		return;
	pthread_mutex_lock(&src->control->lock);
	pthread_cond_signal(&r->change.changed);
	pthread_mutex_unlock(&src->control->lock);
	if (r->started)
		pthread_join(r->thread, NULL);
	while (r->head) {
		struct tfr_record_chunk *chunk = r->head;

		r->head = chunk->next;
		tfr_record_chunk_drop(chunk);
	}
	pthread_cond_destroy(&r->change.changed);
}

/* The feed is stopping: no reader begins another file, and the event ends the wait of one that
 * reads a silent pipe. */
void tfr_record_source_close(struct tfr_record_source *src)
{
	if (!src)
		return;
	if (src->cancel >= 0)
		eventfd_write(src->cancel, 1);
	for (uint32_t i = 0; src->readers && i < src->count; i++)
		close_reader(src, &src->readers[i]);
	if (src->cancel >= 0)
		close(src->cancel);
	free(src->readers);
	free(src->order);
	tfr_fault_policy_clear(&src->faults);
	tfr_block_pool_clear(&src->blocks);
	free(src);
}
