/* sweep/file_pass.c - files as items of the lanes, or the runs of one file as items.
 *
 * Two ways, because a file that one thread reads and verifies stays in that processor's cache,
 * while one large file needs all processors.  Both get runs from next_run(), which is the only
 * place that meets the faults of a file. */
#include "sweep/file_pass.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/gzi.h>

#include "base/error.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* Starting threads takes longer than reading a smaller file. */
enum { LARGE_FILE = 4 << 20 };

/* Only a large record needs a larger block, which is then freed. */
enum { KEPT_MOST = 32 << 20 };

struct pass {
	const struct tfr_file_pass *p;
	void *ctx;
	unsigned threads_per_file;
	struct tfr_run *runs; /* one per worker */
};

/* A file that all threads share. */
struct shared_file {
	struct pass *x;
	uint64_t file;
	struct tfr_reader *reader;
	void *all; /* the part that is the whole file */
	bool over; /* the last run was read */
};

struct piece {
	bool last;		   /* records() wants no more */
	void (*clear)(void *part); /* NULL: the piece was never used */
	max_align_t part[];
};

static bool is_large(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") ? tfr_stat(path, &st) : fstat(STDIN_FILENO, &st))
		return false;
	return S_ISFIFO(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size >= LARGE_FILE);
}

static bool has_large(const struct tfr_set *set)
{
	for (size_t i = 0; i < tfr_set_count(set); i++)
		if (is_large(tfr_set_path(set, i)))
			return true;
	return false;
}

/* Reads the next run, after the faults before it.  *more false: the run is empty, and nothing
 * follows. */
static enum tfr_status next_run(struct pass *x, struct tfr_reader *reader, struct tfr_run *run,
	void *part, bool *more, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK, got;
	struct tfr_error failure;

	for (*more = true; !status && *more;) {
		got = tfr_reader_next_run(reader, run, &failure);
		if (!got && run->large)
			got = tfr_reader_large_run(reader, run, &failure);
		if (!got)
			return TFR_OK;
		assert(!run->records);
		*more = false;
		if (got != TFR_END)
			status = x->p->fault(x->ctx, part, reader, &failure, more, err);
	}
	return status;
}

static enum tfr_status take_run(struct pass *x, unsigned worker, void *part, struct tfr_error *err)
{
	struct tfr_run *run = &x->runs[worker];
	enum tfr_status status = x->p->records(x->ctx, worker, part, run, err);

	if (run->cap > KEPT_MOST)
		tfr_run_clear(run);
	return status;
}

static enum tfr_status read_alone(struct pass *x, unsigned worker, struct tfr_reader *reader,
	void *part, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	bool more = true;

	while (!status && more) {
		status = next_run(x, reader, &x->runs[worker], part, &more, err);
		if (!status && more)
			status = take_run(x, worker, part, err);
	}
	return status == TFR_END ? TFR_OK : status;
}

/* --- one file on all threads --- */

static enum tfr_status pull_piece(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct shared_file *f = ctx;
	struct pass *x = f->x;
	struct piece *piece = slot;
	enum tfr_status status;
	bool more;

	(void)lanes, (void)i, (void)lane;
	if (f->over)
		return TFR_END;
	piece->last = false;
	piece->clear = x->p->clear_part;
	x->p->start(x->ctx, f->file, piece->part);
	status = next_run(x, f->reader, &x->runs[worker], piece->part, &more, err);
	f->over = !more;
	return status;
}

static enum tfr_status take_piece(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct piece *piece = slot;
	enum tfr_status status = take_run(((struct shared_file *)ctx)->x, worker, piece->part, err);

	(void)lanes, (void)i;
	piece->last = status == TFR_END;
	return piece->last ? TFR_OK : status;
}

static enum tfr_status merge_piece(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct shared_file *f = ctx;
	struct piece *piece = slot;
	enum tfr_status status = f->x->p->merge(f->x->ctx, f->all, piece->part, err);

	(void)i;
	return !status && piece->last ? TFR_END : status;
}

static void clear_piece(void *slot)
{
	struct piece *piece = slot;

	if (piece->clear)
		piece->clear(piece->part);
}

static enum tfr_status read_shared(struct pass *x, unsigned threads, uint64_t file,
	struct tfr_reader *reader, void *part, struct tfr_error *err)
{
	struct shared_file f = { .x = x, .file = file, .reader = reader, .all = part };
	struct tfr_lanes job = {
		.threads = threads,
		.count = UINT64_MAX,
		.window = 2 * (uint64_t)threads + 2,
		.slot_size = sizeof(struct piece) + x->p->part_size,
		.pull = pull_piece,
		.work = take_piece,
		.deliver = merge_piece,
		.clear_slot = clear_piece,
	};

	return tfr_lanes_run(&job, &f, err);
}

/* --- a file, either way --- */

static enum tfr_status open_file(struct pass *x, unsigned threads, uint64_t file,
	const struct tfr_file_start *from, struct tfr_reader **reader, struct tfr_error *failure)
{
	struct tfr_reader_opts opts = { .threads = threads };
	const char *path = tfr_set_path(x->p->set, (size_t)file);

	if (!from->records)
		return tfr_reader_open(reader, path, &opts, failure);
	return tfr_reader_open_at(reader, path, NULL, from->offset, from->records, &opts, failure);
}

static enum tfr_status read_file(struct pass *x, unsigned worker, unsigned threads, bool shared,
	uint64_t file, void *part, struct tfr_error *err)
{
	const struct tfr_file_pass *p = x->p;
	struct tfr_file_start from = { 0 };
	struct tfr_reader *reader = NULL;
	struct tfr_error failure;
	enum tfr_status status;

	p->start(x->ctx, file, part);
	status = p->prepare(x->ctx, worker, threads, file, part, &from, err);
	if (!status && open_file(x, threads, file, &from, &reader, &failure))
		status = p->fault(x->ctx, part, NULL, &failure, &(bool){ false }, err);
	else if (!status)
		status = shared ? read_shared(x, threads, file, reader, part, err)
				: read_alone(x, worker, reader, part, err);
	if ((!status || status == TFR_END) && p->end)
		status = p->end(x->ctx, file, part, reader, err);
	tfr_reader_close(reader);
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status read_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct pass *x = ctx;

	(void)lanes;
	return read_file(x, worker, x->threads_per_file, false, i, slot, err);
}

static enum tfr_status deliver_item(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct pass *x = ctx;

	return x->p->deliver(x->ctx, i, slot, err);
}

static enum tfr_status read_many(struct pass *x, struct tfr_error *err)
{
	struct tfr_lanes job = {
		.threads = x->p->threads,
		.count = tfr_set_count(x->p->set),
		.slot_size = x->p->part_size,
		.work = read_item,
		.deliver = deliver_item,
		.clear_slot = x->p->clear_part,
	};

	return tfr_lanes_run(&job, x, err);
}

/* Fewer files than threads: one file after another, the large ones on all threads. */
static enum tfr_status read_few(struct pass *x, struct tfr_error *err)
{
	const struct tfr_file_pass *p = x->p;
	void *part = calloc(1, p->part_size);
	enum tfr_status status = part ? TFR_OK : tfr_fail_nomem(err, "reading files");

	for (uint64_t i = 0; !status && i < tfr_set_count(p->set); i++) {
		bool shared = is_large(tfr_set_path(p->set, (size_t)i));

		status = read_file(
			x, 0, shared ? p->threads : x->threads_per_file, shared, i, part, err);
		if (!status)
			status = p->deliver(x->ctx, i, part, err);
	}
	if (part && p->clear_part)
		p->clear_part(part);
	free(part);
	return status;
}

enum tfr_status tfr_file_pass_run(
	const struct tfr_file_pass *pass, void *ctx, struct tfr_error *err)
{
	struct pass x = { .p = pass, .ctx = ctx };
	size_t files = tfr_set_count(pass->set);
	enum tfr_status status;

	assert(pass->threads);
	x.threads_per_file = tfr_thread_share(pass->threads, files);
	x.runs = calloc(pass->threads, sizeof(*x.runs));
	TFR_NEED_MEMORY(x.runs, err, "reading files");
	status = pass->divides && files < pass->threads && has_large(pass->set)
			 ? read_few(&x, err)
			 : read_many(&x, err);
	for (unsigned i = 0; i < pass->threads; i++)
		tfr_run_clear(&x.runs[i]);
	free(x.runs);
	return status == TFR_END ? TFR_OK : status;
}
