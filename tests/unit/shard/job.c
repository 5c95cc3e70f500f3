/* The inputs of a job are divided evenly and completely; what parts exchange comes back as it was,
 * or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "record/framing.h"
#include "record/writer.h"
#include "shard/job/create_once.h"
#include "shard/job/part_notes.h"
#include "shard/job/record_exchange.h"
#include "shard/set.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(job, .init = setup, .fini = teardown, .timeout = 120);

static struct tfr_job *open_part(const char *folder, uint32_t part, uint32_t parts)
{
	const struct tfr_job_terms terms = {
		.command = "cat", .parts = parts, .steps = 1, .options = ""
	};
	const struct tfr_job_place place = { .id = part, .stride = 1 };
	struct tfr_job *job = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_job_open(&job, folder, &terms, &place, 0, NULL, &err), TFR_OK, "%s",
		err.message);
	return job;
}

static struct tfr_job *open_end(const char *folder)
{
	struct tfr_job *job = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(
		tfr_job_open_finish(&job, folder, NULL, NULL, &err), TFR_OK, "%s", err.message);
	return job;
}

/* --- shares --- */

/* Records of about `size` bytes; returns the bytes of the file. */
static uint64_t write_records(const char *path, int n, size_t size, struct tfr_rng *r)
{
	struct tfr_writer_opts opts = { 0 };
	struct tfr_writer *w = NULL;
	uint8_t bytes[4096] = { 0 };
	struct stat st;

	cr_assert_eq(tfr_writer_open(&w, path, &opts, NULL), TFR_OK);
	for (int i = 0; i < n; i++)
		cr_assert_eq(
			tfr_writer_put(w, bytes, size / 2 + tfr_rng_below(r, size), NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	cr_assert(!stat(path, &st));
	return (uint64_t)st.st_size;
}

static struct tfr_set *open_set(const char *name)
{
	struct tfr_set_opts opts = { .inputs = &name, .count = 1 };
	struct tfr_set *set = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_set_open(&set, &opts, &err), TFR_OK, "%s", err.message);
	return set;
}

/* Divides a set among `parts`; each piece begins where the one before ended.  Returns the largest
 * share. */
static uint64_t divide(const char *name, uint32_t parts, const uint64_t *sizes, size_t files)
{
	TFR_AUTO_FREE uint64_t *at = calloc(files, sizeof(*at));
	uint64_t most = 0;

	for (uint32_t p = 0; p < parts; p++) {
		struct tfr_job *job = open_part("shares", p, parts);
		struct tfr_set *set = open_set(name);
		struct tfr_error err = { 0 };
		struct tfr_piece piece;
		uint64_t share = 0;

		cr_assert_eq(tfr_set_divide(set, job, false, &err), TFR_OK, "%s", err.message);
		cr_assert_eq(tfr_set_count(set), files);
		for (size_t i = 0; i < files; i++) {
			uint64_t end;

			if (!tfr_set_piece(set, i, &piece))
				continue;
			end = piece.until == UINT64_MAX ? sizes[i] : piece.until;
			cr_assert_eq(
				piece.begin.offset, at[i], "part %u of %u, file %zu", p, parts, i);
			cr_assert_geq(end, at[i]);
			share += end - at[i];
			at[i] = end;
		}
		most = share > most ? share : most;
		tfr_set_close(set);
		tfr_job_close(job);
	}
	for (size_t i = 0; i < files; i++)
		cr_assert_eq(at[i], sizes[i], "file %zu, with %u parts", i, parts);
	cr_assert(!unlink("shares/job.json"));
	return most;
}

/* Files of very different sizes, empty ones too. */
Test(job, every_byte_has_one_part)
{
	static const uint32_t parts[] = { 1, 2, 3, 7, 8, 64, 300 };
	enum { FILES = 12 };
	uint64_t sizes[FILES];
	struct tfr_rng r;

	tfr_rng_init(&r, 3, 0);
	for (int i = 0; i < FILES; i++) {
		char path[64];

		snprintf(path, sizeof(path), "x-%05d-of-%05d.tfrecord", i, FILES);
		sizes[i] = write_records(path, i % 4 ? (int)tfr_rng_below(&r, 1 << i) : 0, 200, &r);
	}
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
		divide("x@12.tfrecord", parts[k], sizes, FILES);
}

/* No share is above 1.1 of the mean: of files that are cut, and of files that are not. */
Test(job, thousand_parts)
{
	enum { FILES = 10, PARTS = 1000, SMALL = 400, OF = 20 };
	uint64_t sizes[FILES], small[SMALL], all = 0, most;
	struct tfr_rng r;

	tfr_rng_init(&r, 4, 0);
	for (int i = 0; i < FILES; i++) {
		struct tfr_index_report report;
		char path[64];

		snprintf(path, sizeof(path), "x-%05d-of-%05d.tfrecord", i, FILES);
		all += sizes[i] = write_records(path, 6400, 100, &r);
		cr_assert_eq(tfr_index_write(path, NULL, &report, NULL), TFR_OK);
	}
	most = divide("x@10.tfrecord", PARTS, sizes, FILES);
	cr_log_info("cut: %.3f of the mean", (double)most * PARTS / (double)all);
	cr_assert_leq(most * 10 * PARTS, all * 11, "%.3f of the mean",
		(double)most * PARTS / (double)all);
	all = 0;
	for (int i = 0; i < SMALL; i++) { /* twenty to a part */
		char path[64];

		snprintf(path, sizeof(path), "s-%05d-of-%05d.tfrecord", i, SMALL);
		all += small[i] = write_records(path, 10 + (int)tfr_rng_below(&r, 20), 100, &r);
	}
	most = divide("s@400.tfrecord", SMALL / OF, small, SMALL);
	cr_log_info("not cut: %.3f of the mean", (double)most * (SMALL / OF) / (double)all);
	cr_assert_leq(most * 10 * (SMALL / OF), all * 11, "%.3f of the mean",
		(double)most * (SMALL / OF) / (double)all);
}

/* --- exchanges --- */

enum { SETS = 3, RECORDS = 5000, BLOCK = 1 << 20 };
static const uint32_t buckets[SETS] = { 1, 7, 40 };

struct sums {
	uint64_t records, sum;
};

static void put_record(
	struct tfr_exchange *x, uint32_t set, uint32_t bucket, struct tfr_rng *r, struct sums *sums)
{
	static uint8_t framed[TFR_RECORD_HEADER + 3 * BLOCK + TFR_RECORD_FOOTER];
	size_t size = tfr_rng_below(r, tfr_rng_below(r, 300) ? 3000 : 3 * BLOCK);
	struct iovec piece = { framed + TFR_RECORD_HEADER, size };
	struct tfr_totals add = { .records = 1, .payload_bytes = size };
	struct tfr_digest d;
	struct iovec all = { framed, size + TFR_RECORD_OVERHEAD };

	memset(piece.iov_base, (int)tfr_rng_below(r, 256), size);
	tfr_digest_pieces(&piece, 1, &d);
	add.sum = d.sum;
	tfr_put_header(framed, size);
	tfr_store32(framed + TFR_RECORD_HEADER + size, tfr_crc_mask(d.crc));
	cr_assert_eq(tfr_exchange_put(x, set, bucket, &all, 1, &add, NULL), TFR_OK);
	sums->records++;
	sums->sum += d.sum;
}

static enum tfr_status add_up(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct sums *sums = ctx;

	(void)err;
	for (size_t at = 0; at < size; at += tfr_load64(data + at) + TFR_RECORD_OVERHEAD) {
		sums->records++;
		sums->sum += tfr_content_sum(data + at + TFR_RECORD_HEADER, tfr_load64(data + at));
	}
	return TFR_OK;
}

/* Several sets, many runs, two parts; some records are larger than the memory for those that wait.
 */
Test(job, exchange_comes_back)
{
	static struct sums wrote[2][SETS][40];
	struct tfr_exchanged *in;
	struct tfr_job *job;
	TFR_AUTO_BUF block = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, 5, 0);
	for (uint32_t p = 0; p < 2; p++) {
		struct tfr_exchange *x;
		uint32_t set;

		job = open_part("x", p, 2);
		cr_assert_eq(tfr_exchange_of(&x, job, NULL), TFR_OK);
		for (uint32_t k = 0; k < SETS; k++)
			cr_assert_eq(tfr_exchange_add_set(x, buckets[k], &set, NULL), TFR_OK);
		tfr_exchange_memory(x, BLOCK);
		for (int i = 0; i < RECORDS; i++) {
			uint32_t k = (uint32_t)tfr_rng_below(&r, SETS),
				 b = (uint32_t)tfr_rng_below(&r, buckets[k]);

			put_record(x, k, b, &r, &wrote[p][k][b]);
		}
		cr_assert_eq(tfr_job_commit(job, NULL), TFR_OK);
		tfr_job_close(job);
	}
	job = open_end("x");
	cr_assert_eq(tfr_job_exchanged(job, &in, NULL), TFR_OK);
	cr_assert_eq(tfr_exchanged_sets(in), SETS);
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t k = 0; k < SETS; k++)
			for (uint32_t b = 0; b < buckets[k]; b++) {
				const struct tfr_bucket_totals *t =
					tfr_exchanged_totals(in, p, k, b);
				struct sums got = { 0 };

				cr_assert_eq(
					tfr_exchanged_read(in, p, k, b, &block, add_up, &got, NULL),
					TFR_OK);
				cr_assert_eq(got.records, wrote[p][k][b].records);
				cr_assert_eq(got.sum, wrote[p][k][b].sum);
				cr_assert_eq(got.records, t->records);
				cr_assert_eq(got.sum, t->sum);
			}
	tfr_job_close(job);
}

static enum tfr_status append(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	return tfr_buf_append(ctx, data, size) ? TFR_OK : tfr_fail_nomem(err, "testing");
}

/* Returns what reading the notes of bucket 1 says. */
static enum tfr_status read_notes(struct tfr_buf *got)
{
	struct tfr_job *job = open_end("n");
	struct tfr_error err = { 0 };
	enum tfr_status status;

	got->size = 0;
	status = tfr_part_notes_read(job, 0, 1, append, got, &err);
	tfr_job_close(job);
	return status;
}

static void flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	cr_assert_eq(pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

/* A damaged byte of the record, or of the data that it names, is found. */
Test(job, notes_come_back_or_not_at_all)
{
	struct tfr_job *job = open_part("n", 0, 1);
	struct tfr_part_notes *notes = NULL;
	TFR_AUTO_BUF wrote = { 0 };
	TFR_AUTO_BUF got = { 0 };
	struct stat st;

	cr_assert_eq(tfr_part_notes_new(&notes, job, 3, NULL), TFR_OK);
	for (uint32_t i = 0; i < 50000; i++) {
		cr_assert_eq(tfr_part_notes_put(notes, i % 3, &i, sizeof(i), NULL), TFR_OK);
		if (i % 3 == 1)
			cr_assert(tfr_buf_append(&wrote, &i, sizeof(i)));
	}
	cr_assert_eq(tfr_part_notes_end(notes, NULL), TFR_OK);
	cr_assert_eq(tfr_job_commit(job, NULL), TFR_OK);
	tfr_part_notes_free(notes);
	tfr_job_close(job);
	cr_assert_eq(read_notes(&got), TFR_OK);
	cr_assert_eq(got.size, wrote.size);
	cr_assert(!memcmp(got.data, wrote.data, got.size));
	cr_assert(!stat("n/part-00000.part", &st));
	for (off_t at = 0; at < st.st_size; at += 3) {
		flip("n/part-00000.part", at);
		cr_assert_eq(read_notes(&got), TFR_EDATA, "byte %lld", (long long)at);
		flip("n/part-00000.part", at);
	}
	cr_assert(!system("cd n && ln data-* data"));
	flip("n/data", 100000);
	cr_assert_eq(read_notes(&got), TFR_EDATA);
	flip("n/data", 100000);
	cr_assert_eq(read_notes(&got), TFR_OK);
	cr_assert(!truncate("n/data", 100000));
	cr_assert_eq(read_notes(&got), TFR_EDATA);
}

/* In place of that of libc: a network file system that repeats a call whose answer was lost. */
static bool loses_answers;

int link(const char *from, const char *to)
{
	int result = linkat(AT_FDCWD, from, AT_FDCWD, to, 0);

	if (result || !loses_answers)
		return result;
	errno = EEXIST;
	return -1;
}

Test(job, an_answer_is_lost)
{
	loses_answers = true;
	cr_assert_eq(tfr_create_once("lost", "1", 1, NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_create_once("lost", "2", 1, NULL, NULL), TFR_EEXIST);
	loses_answers = false;
	cr_assert(!system("[ \"$(ls lost*)\" = lost ]"));
}

/* One of many processes creates a file, and all of them find it complete. */
Test(job, one_process_creates_a_file)
{
	enum { PROCESSES = 8 };
	static const char text[] = "0123456789";
	int won = 0;

	for (int i = 0; i < PROCESSES; i++) {
		pid_t child = fork();

		if (!child)
			_exit(tfr_create_once("once", text, sizeof(text), NULL, NULL));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		cr_assert(wait(&status) > 0 && WIFEXITED(status));
		won += WEXITSTATUS(status) == TFR_OK;
		cr_assert(WEXITSTATUS(status) == TFR_OK || WEXITSTATUS(status) == TFR_EEXIST);
	}
	cr_assert_eq(won, 1);
}
