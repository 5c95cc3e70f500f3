/* rewrite/shuffle/memory_plan.c - chooses the number of buckets and the chunk size, for memory with
 * three uses.
 *
 * While records are distributed, memory holds the blocks being read, one record that is larger than
 * a block (a quarter), and the arena, with at least one chunk for each bucket of each worker. After
 * that the arena is freed, and all memory holds buckets being sorted, one more than there are
 * workers.  More buckets need smaller chunks; fewer buckets need more memory for sorting. The
 * amount of data that two passes can shuffle therefore grows with the square of memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "codec/codec.h"
#include "io/source.h"
#include "record/framing.h"
#include "rewrite/shuffle/shuffle.h"
#include "rewrite/sort/spill.h"
#include "sweep/sweep.h"

#define DEFAULT_MEMORY ((uint64_t)1 << 30)

enum {
	KIB = 1 << 10,
	MIB = 1 << 20,
	THREADS_MAX = 48, /* each has open files */
	BUCKETS_MAX = 1 << 16,
	BUCKETS_PREFERRED = 512, /* a processor can write to this many cache lines and pages in turn
				    without slowing down */
	BUCKET_PREFERRED = 8 * MIB, /* can be sorted within a cache */
	CHUNK_MIN = 16 * KIB,
	CHUNK_MAX = 1 * MIB,
	PAGE = 4 * KIB,
	HEAD_BYTES = 4 * KIB, /* enough to detect the type of a file */
};

/* Memory for sorting, relative to the bucket's own bytes, and the ratio of the largest bucket to
 * the mean. */
static const double SORT_FACTOR = 2.5, UNEVEN = 1.4;

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* Everything in memory: buckets small enough that sorting them needs little memory in addition
 * to the arena. */
static bool plan_one_pass(
	struct tfr_memory_plan *p, uint64_t memory, uint64_t arena, uint64_t bytes)
{
	uint64_t bucket = clamp(memory / 64, 64 * KIB, 4 * MIB);

	p->buckets = (uint32_t)clamp(bytes / bucket, 1, BUCKETS_PREFERRED);
	p->chunk = clamp(arena / 4 / ((uint64_t)p->threads * p->buckets), PAGE, 64 * KIB) / PAGE *
		   PAGE;
	p->passes = 1;
	return bytes < arena && (uint64_t)p->threads * p->buckets * p->chunk <= arena - bytes;
}

static void plan_more_passes(struct tfr_memory_plan *p, uint64_t arena, uint64_t bytes)
{
	uint64_t bucket =
		(uint64_t)((double)p->gather_bytes / ((p->threads + 1) * SORT_FACTOR * UNEVEN));
	uint64_t most = arena / ((uint64_t)p->threads * CHUNK_MIN), least, preferred;

	p->passes = 2;
	if (bytes == UINT64_MAX) {
		p->buckets = (uint32_t)clamp(BUCKETS_PREFERRED, 1, most);
		p->passes = 0;
	} else {
		least = bytes / bucket + 1;
		preferred = clamp(bytes / BUCKET_PREFERRED, 1, BUCKETS_PREFERRED);
		p->buckets = (uint32_t)clamp(least > preferred ? least : preferred, 2,
			most < BUCKETS_MAX ? most : BUCKETS_MAX);
		if (p->buckets < least) { /* distributed again, each time into the same number */
			p->buckets = (uint32_t)clamp(BUCKETS_PREFERRED, 2, most);
			for (double reach = p->buckets; reach < (double)least; reach *= p->buckets)
				p->passes++;
		}
	}
	p->chunk =
		clamp(arena / ((uint64_t)p->threads * p->buckets), PAGE, CHUNK_MAX) / PAGE * PAGE;
}

void tfr_memory_plan(struct tfr_memory_plan *p, uint64_t memory, unsigned threads, uint64_t bytes)
{
	uint64_t arena;

	*p = (struct tfr_memory_plan){ 0 };
	p->threads = (unsigned)clamp(threads, 1, clamp(memory / (4 * MIB), 1, THREADS_MAX));
	p->block = clamp(memory / 16 / p->threads, 64 * KIB, 512 * KIB) / PAGE * PAGE;
	p->max_record = memory / 4;
	/* A worker has the block of its stream and the one that it processes. */
	arena = memory - p->max_record - 2 * (uint64_t)p->threads * p->block;
	p->gather_bytes = memory / 8 * 7;
	if (!plan_one_pass(p, memory, arena, bytes))
		plan_more_passes(p, arena, bytes);
	p->chunks = arena / p->chunk;
}

/* --- estimates --- */

/* The uncompressed size of a GZIP file from its last four bytes, modulo 2^32. */
static uint64_t gzip_size(int fd, uint64_t file_bytes)
{
	uint8_t tail[4];
	uint64_t size;

	if (file_bytes < 20 || tfr_fd_read(fd, tail, 4, (int64_t)(file_bytes - 4)) != 4)
		return 0;
	for (size = tfr_load32(tail); size < file_bytes / 2; size += (uint64_t)1 << 32)
		;
	return size;
}

/* Adds the uncompressed size of a file, as far as it can be estimated without decompressing.
 * Only regular files are opened: the writer of a FIFO would take this process for its reader. */
static void add_file(const char *path, struct tfr_shuffle_plan *plan)
{
	bool piped = !strcmp(path, "-");
	TFR_AUTO_CLOSE int fd = -1;
	enum tfr_compression c;
	uint8_t head[HEAD_BYTES];
	struct stat st;
	ssize_t n;

	if ((piped ? fstat(STDIN_FILENO, &st) : tfr_stat(path, &st)) == 0 && S_ISREG(st.st_mode))
		fd = piped ? dup(STDIN_FILENO)
			   : TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
	if (fd < 0) {
		plan->input_bytes = UINT64_MAX;
		return;
	}
	n = tfr_fd_read(fd, head, sizeof(head), 0);
	c = n < TFR_RECORD_HEADER || tfr_header_verifies(head) ? TFR_COMPRESSION_NONE
							       : tfr_codec_sniff(head, (size_t)n);
	if (c == TFR_COMPRESSION_NONE) {
		plan->input_bytes += (uint64_t)st.st_size;
		plan->least_bytes += (uint64_t)st.st_size;
	} else if (c == TFR_COMPRESSION_GZIP) { /* a file of several members has more */
		plan->exact = false;
		plan->input_bytes += gzip_size(fd, (uint64_t)st.st_size);
		plan->least_bytes += gzip_size(fd, (uint64_t)st.st_size);
	} else { /* unknown; Examples of numbers were observed to compress to a fifth */
		plan->exact = false;
		plan->input_bytes += 5 * (uint64_t)st.st_size;
		plan->least_bytes += (uint64_t)st.st_size;
	}
}

static void estimate_input(const struct tfr_shuffle_opts *o, struct tfr_shuffle_plan *plan)
{
	plan->exact = true;
	for (size_t k = 0; k < tfr_set_count(o->common.sweep.input); k++) {
		add_file(tfr_set_path(o->common.sweep.input, k), plan);
		if (plan->input_bytes == UINT64_MAX) {
			plan->exact = false;
			return;
		}
	}
}

enum tfr_status tfr_shuffle_plan_all(const struct tfr_shuffle_opts *o,
	struct tfr_shuffle_plan *plan, struct tfr_memory_plan *mem,
	struct tfr_spill_folders *folders, struct tfr_error *err)
{
	uint64_t memory = o->memory ? o->memory : DEFAULT_MEMORY;

	if (memory < TFR_SHUFFLE_MEMORY_MIN)
		return tfr_fail(err, TFR_EUSAGE, "a shuffle needs at least 8 MiB of memory");
	*plan = (struct tfr_shuffle_plan){ .memory = memory };
	estimate_input(o, plan);
	tfr_memory_plan(mem, memory, tfr_sweep_threads(o->common.sweep.threads), plan->input_bytes);
	plan->passes = mem->passes;
	plan->threads = mem->threads;
	plan->buckets = mem->buckets;
	if (plan->input_bytes == UINT64_MAX)
		plan->input_bytes = 0;
	/* Temporary records are smaller than framed ones. */
	plan->temp_bytes = plan->passes == 1 ? 0 : plan->input_bytes;
	TFR_NEED_MEMORY(tfr_spill_folders_choose(folders, o->tmpdirs, o->tmpdir_count, o->output),
		err, "looking for temporary space");
	return tfr_spill_folders_free(folders, &plan->temp_free, err);
}

enum tfr_status tfr_shuffle_plan(
	const struct tfr_shuffle_opts *o, struct tfr_shuffle_plan *plan, struct tfr_error *err)
{
	struct tfr_spill_folders folders = { 0 };
	struct tfr_memory_plan mem;
	enum tfr_status status = tfr_shuffle_plan_all(o, plan, &mem, &folders, err);

	tfr_spill_folders_clear(&folders);
	return status;
}
