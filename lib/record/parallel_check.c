/* record/parallel_check.c - divides a file into ranges, and one thread verifies each range.
 *
 * A thread guesses the first record of its range: the first position where the CRCs of two
 * consecutive headers verify.  Ranges are joined in order.  A range counts only if it begins
 * exactly where the ranges before it end, and the first that does not ends the run.  So a wrong
 * guess costs only time, and the result is that of reading the file from its start.
 *
 * Blocks are read at multiples of their size, because the system copies complete pages fastest.
 * The rest of a record is moved in front of the next block. */
#include "record/count.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/resync.h"
#include "thread/lanes.h"

enum {
	BLOCK = 512 << 10,
	LEAD = BLOCK,	 /* the limit for the rest of a record */
	TAIL = 4096,	 /* bytes per read after the end of a range */
	RANGE = 4 << 20, /* a thousand times the bytes that two ranges both read */
	SEARCH = 64 << 10,
	FEW = 16, /* records in SEARCH; with fewer, the search costs more than it gains */
};

/* The memory of a thread: LEAD bytes, then the block. */
struct check_worker {
	struct tfr_source *source;
	uint8_t *memory;
};

struct file_range {
	bool found; /* a record begins in it */
	uint64_t begin, end, records;
};

struct check_run {
	const struct tfr_parallel_check_opts *opts;
	int fd;
	const char *path;
	size_t block, range;
	uint64_t ranges;
	struct check_worker *workers;
	struct tfr_intact *intact;
};

/* Finds the first possible record in these bytes.  Returns `size` if there is none.  A payload of
 * eight bytes with its CRC looks like a header, so the next header must verify, too, if it was
 * read. */
static size_t guess_record(const uint8_t *p, size_t size)
{
	uint64_t length, no_payload = 0;
	enum tfr_proof proof = TFR_PROOF_BEYOND;
	size_t at = 0;

	for (; proof == TFR_PROOF_BEYOND; at++) {
		at += tfr_find_record(p + at, size - at, false, &no_payload, &proof);
		if (proof && tfr_header_length(p + at, &length) && length <= LEAD)
			break;
	}
	return proof ? at : size;
}

/* Verifies the records that begin in [from, to). */
static void check_range(const struct check_run *run, const struct check_worker *w, uint64_t from,
	uint64_t to, struct file_range *p)
{
	uint8_t *const block = w->memory + LEAD;
	uint64_t position = from; /* of `block` */
	size_t rest = 0, got, want;
	bool bad = false;

	*p = (struct file_range){ .found = !from, .begin = from, .end = from };
	do {
		const uint8_t *at = block - rest;
		size_t size, done;

		want = position < to ? run->block : TAIL;
		if (position < to && want > to - position)
			want = (size_t)(to - position);
		if (tfr_source_read_at(w->source, position, block, want, &got, NULL))
			return;
		position += got;
		size = rest + got;
		if (!p->found) {
			done = guess_record(at, size);
			if (done == size)
				return;
			p->found = true;
			p->begin = p->end = from + done;
			at += done;
			size -= done;
		}
		p->records += tfr_count_intact(at, size, to - p->end, &done, &bad);
		p->end += done;
		assert(done <= size);
		rest = size - done;
		if (rest > LEAD)
			return;
		memmove(block - rest, at + done, rest);
	} while (p->end < to && !bad && got == want);
}

static bool start_worker(const struct check_run *run, struct check_worker *w)
{
	if (!w->memory)
		w->memory = aligned_alloc(4096, LEAD + BLOCK);
	if (w->memory && !w->source)
		tfr_source_open_fd(&w->source, run->fd, run->path, NULL);
	return w->source != NULL;
}

static enum tfr_status work(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct check_run *run = ctx;
	struct check_worker *w = &run->workers[worker];
	struct file_range *p = slot;

	(void)lanes;
	(void)err;
	*p = (struct file_range){ 0 };
	if (start_worker(run, w)) /* the last range includes bytes that were appended meanwhile */
		check_range(run, w, i * run->range,
			i + 1 < run->ranges ? (i + 1) * run->range : UINT64_MAX, p);
	return TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct check_run *run = ctx;
	const struct file_range *p = slot;

	(void)i;
	(void)err;
	if (!p->found || p->begin != run->intact->end)
		return TFR_END;
	tfr_progress_add(run->opts->progress, p->records, p->end - p->begin);
	run->intact->records += p->records;
	run->intact->end = p->end;
	return TFR_OK;
}

/* Whether the records are so small that the first one of a range is found quickly. */
static bool worth_dividing(const struct check_run *run, struct check_worker *w)
{
	size_t got = 0, end;
	bool bad;

	return start_worker(run, w) &&
	       !tfr_source_read_at(w->source, 0, w->memory, SEARCH, &got, NULL) &&
	       tfr_count_complete(w->memory, got, got, &end, &bad) >= FEW;
}

static void check_file(struct check_run *run, uint64_t size, unsigned threads)
{
	struct tfr_lanes job = {
		.threads = threads,
		.slot_size = sizeof(struct file_range),
		.work = work,
		.deliver = deliver,
	};
	struct tfr_error ignored;
	struct file_range all;

	run->ranges = job.count = (size + run->range - 1) / run->range;
	if (threads > 1 && run->ranges > 1) {
		if (worth_dividing(run, &run->workers[0]))
			tfr_lanes_run(&job, run, &ignored);
		return;
	}
	run->ranges = 1;
	work(run, NULL, 0, 0, &all, NULL);
	deliver(run, 0, &all, NULL);
}

bool tfr_parallel_check(
	const char *path, const struct tfr_parallel_check_opts *opts, struct tfr_intact *s)
{
	struct check_run run = { .opts = opts,
		.path = path,
		.block = opts->block ? opts->block : BLOCK,
		.range = opts->range ? opts->range : RANGE,
		.intact = s };
	TFR_AUTO_CLOSE int fd = -1;
	struct stat st;

	*s = (struct tfr_intact){ 0 };
	if (!strcmp(path, "-") || tfr_is_url(path) || tfr_stat(path, &st) || !S_ISREG(st.st_mode) ||
		!st.st_size)
		return false;
	run.fd = fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	run.workers = calloc(opts->threads, sizeof(*run.workers));
	if (run.workers && opts->memory)
		run.workers[0].memory = TFR_STEAL(*opts->memory);
	if (fd >= 0 && run.workers)
		check_file(&run, (uint64_t)st.st_size, opts->threads);
	if (run.workers && opts->memory)
		*opts->memory = TFR_STEAL(run.workers[0].memory);
	for (unsigned i = 0; run.workers && i < opts->threads; i++) {
		tfr_source_close(run.workers[i].source);
		free(run.workers[i].memory);
	}
	free(run.workers);
	return s->records && !fstat(fd, &st) && s->end == (uint64_t)st.st_size;
}
