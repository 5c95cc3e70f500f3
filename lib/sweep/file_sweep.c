/* sweep/file_sweep.c - files as items of the lanes, or the runs of one file as items.
 *
 * Two ways, because a file that one thread reads and verifies stays in that processor's cache,
 * while one large file needs all processors. */
#include "sweep/file_sweep.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* Starting threads takes longer than reading a smaller file. */
enum { LARGE_FILE = 4 << 20 };

/* Only a large record needs a larger block, which is then freed. */
enum { KEPT_MOST = 32 << 20 };

struct TFR_APART run_of_worker {
	struct tfr_record_run run;
};

struct file_sweep_state {
	const struct tfr_file_sweep *s;
	void *ctx;
	unsigned threads_per_file;
	struct run_of_worker *workers;
};

static bool is_large(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") ? tfr_stat(path, &st) : fstat(STDIN_FILENO, &st))
		return false;
	return S_ISFIFO(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size >= LARGE_FILE);
}

static bool has_large(const struct file_sweep_state *x)
{
	for (size_t i = 0; i < x->s->files; i++)
		if (is_large(x->s->path(x->ctx, i)))
			return true;
	return false;
}

static enum tfr_status examine_run(
	struct file_sweep_state *x, unsigned worker, void *result, struct tfr_error *err)
{
	struct tfr_record_run *run = &x->workers[worker].run;
	enum tfr_status status = x->s->records(x->ctx, worker, result, run, err);

	if (run->cap > KEPT_MOST)
		tfr_record_run_clear(run);
	return status;
}

static enum tfr_status read_alone(
	struct file_sweep_state *x, unsigned worker, struct tfr_reading *in, struct tfr_error *err)
{
	for (;;) {
		TFR_TRY(tfr_reading_next_run(in, &x->workers[worker].run, err));
		TFR_TRY(examine_run(x, worker, in->result, err));
	}
}

/* --- one file on all threads --- */

struct shared_file {
	struct file_sweep_state *x;
	struct tfr_reading *in;
	void *all;  /* the result of the file */
	bool ended; /* the last run was read */
};

struct piece {
	bool last;		     /* records() wants no more */
	void (*clear)(void *result); /* NULL: the piece was never used */
	max_align_t result[];
};

/* The faults before a run belong to its piece, and those after the last run to one without records.
 */
static enum tfr_status pull_piece(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct shared_file *f = ctx;
	struct file_sweep_state *x = f->x;
	struct piece *piece = slot;
	enum tfr_status status;

	(void)lanes, (void)i, (void)lane;
	if (f->ended)
		return TFR_END;
	piece->last = false;
	piece->clear = x->s->clear_result;
	x->s->start(x->ctx, f->in->file, piece->result);
	f->in->result = piece->result;
	status = tfr_reading_next_run(f->in, &x->workers[worker].run, err);
	f->ended = status == TFR_END;
	return f->ended ? TFR_OK : status;
}

static enum tfr_status examine_piece(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct piece *piece = slot;
	enum tfr_status status =
		examine_run(((struct shared_file *)ctx)->x, worker, piece->result, err);

	(void)lanes, (void)i;
	piece->last = status == TFR_END;
	return piece->last ? TFR_OK : status;
}

static enum tfr_status merge_piece(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct shared_file *f = ctx;
	struct piece *piece = slot;
	enum tfr_status status = f->x->s->merge(f->x->ctx, f->all, piece->result, err);

	(void)i;
	return !status && piece->last ? TFR_END : status;
}

static void clear_piece(void *slot)
{
	struct piece *piece = slot;

	if (piece->clear)
		piece->clear(piece->result);
}

static enum tfr_status read_shared(
	struct file_sweep_state *x, unsigned threads, struct tfr_reading *in, struct tfr_error *err)
{
	struct shared_file f = { .x = x, .in = in, .all = in->result };
	struct tfr_lanes job = {
		.threads = threads,
		.count = UINT64_MAX,
		.window = 2 * (uint64_t)threads + 2,
		.slot_size = sizeof(struct piece) + x->s->result_size,
		.pull = pull_piece,
		.work = examine_piece,
		.deliver = merge_piece,
		.clear_slot = clear_piece,
	};
	enum tfr_status status = tfr_lanes_run(&job, &f, err);

	in->result = f.all;
	return status;
}

/* --- a file, either way --- */

static enum tfr_status read_records(struct file_sweep_state *x, unsigned worker, unsigned threads,
	bool shared, uint64_t file, struct tfr_reading *in, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .threads = threads };
	struct tfr_file_start from = { 0 };

	TFR_TRY(x->s->prepare(x->ctx, worker, threads, file, in->result, &from, err));
	TFR_TRY(tfr_reading_open(in, in->path, (uint32_t)file, &from, &opts, err));
	return shared ? read_shared(x, threads, in, err) : read_alone(x, worker, in, err);
}

static enum tfr_status read_file(struct file_sweep_state *x, unsigned worker, unsigned threads,
	bool shared, uint64_t file, void *result, struct tfr_error *err)
{
	struct tfr_reading in = { .faults = x->s->faults, .result = result };
	enum tfr_status status;

	tfr_reading_begin(&in, x->s->path(x->ctx, file), (uint32_t)file);
	x->s->start(x->ctx, file, result);
	status = read_records(x, worker, threads, shared, file, &in, err);
	if (status <= TFR_END)
		status = x->s->end ? x->s->end(x->ctx, worker, &in, result, err) : TFR_OK;
	tfr_reading_end(&in);
	return status;
}

static enum tfr_status read_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct file_sweep_state *x = ctx;

	(void)lanes;
	return read_file(x, worker, x->threads_per_file, false, i, slot, err);
}

static enum tfr_status deliver_item(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct file_sweep_state *x = ctx;

	return x->s->deliver(x->ctx, i, slot, err);
}

static enum tfr_status read_many(struct file_sweep_state *x, struct tfr_error *err)
{
	struct tfr_lanes job = {
		.threads = x->s->threads,
		.count = x->s->files,
		.window = x->s->window,
		.slot_size = x->s->result_size,
		.work = read_item,
		.deliver = deliver_item,
		.clear_slot = x->s->clear_result,
	};

	return tfr_lanes_run(&job, x, err);
}

/* One file after another, the large ones on all threads. */
static enum tfr_status read_each(struct file_sweep_state *x, void *result, struct tfr_error *err)
{
	const struct tfr_file_sweep *s = x->s;

	for (size_t i = 0; i < s->files; i++) {
		bool shared = is_large(s->path(x->ctx, i));

		TFR_TRY(read_file(
			x, 0, shared ? s->threads : x->threads_per_file, shared, i, result, err));
		TFR_TRY(s->deliver(x->ctx, i, result, err));
	}
	return TFR_OK;
}

static enum tfr_status read_few(struct file_sweep_state *x, struct tfr_error *err)
{
	void *result = calloc(1, x->s->result_size);
	enum tfr_status status;

	TFR_NEED_MEMORY(result, err, "reading files");
	status = read_each(x, result, err);
	if (x->s->clear_result)
		x->s->clear_result(result);
	free(result);
	return status;
}

enum tfr_status tfr_file_sweep_run(
	const struct tfr_file_sweep *sweep, void *ctx, struct tfr_error *err)
{
	struct file_sweep_state x = { .s = sweep, .ctx = ctx };
	enum tfr_status status;

	assert(sweep->threads);
	x.threads_per_file = tfr_thread_share(sweep->threads, sweep->files);
	x.workers = tfr_calloc_apart(sweep->threads, sizeof(*x.workers));
	TFR_NEED_MEMORY(x.workers, err, "reading files");
	status = sweep->divides && sweep->files < sweep->threads && has_large(&x)
			 ? read_few(&x, err)
			 : read_many(&x, err);
	for (unsigned i = 0; i < sweep->threads; i++)
		tfr_record_run_clear(&x.workers[i].run);
	free(x.workers);
	return status == TFR_END ? TFR_OK : status;
}
