/* Any bytes as the files of a job directory: its terms, the record of a part, or the table and the
 * data of an exchange in a record that is intact.  They are refused, or read to their end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "shard/job/job.h"
#include "shard/job/part_notes.h"
#include "shard/job/record_exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOAD_MOST = 1 << 20, LOOK_AT = 64 };

static char folder[] = "/tmp/tfr-fuzz-job.XXXXXX";
static const struct tfr_job_terms terms = {
	.command = "cat", .parts = 1, .steps = 1, .options = "", .words = NULL
};
static const struct tfr_job_place place = { .id = 0, .first = 0, .stride = 1 };
static const char *const files[] = { "job.json", "part-00000.part", "data" };

static const char *path_of(const char *name)
{
	static char path[sizeof(folder) + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void clear(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(path_of(files[i]));
}

static void leave(void)
{
	clear();
	rmdir(folder);
}

static void put(const char *name, const void *data, size_t size, const void *more, size_t n)
{
	FILE *f = fopen(path_of(name), "wb");

	if (!f || fwrite(data, 1, size, f) != size || fwrite(more, 1, n, f) != n || fclose(f))
		abort();
}

static enum tfr_status take(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	uint64_t *sum = ctx;

	(void)err;
	*sum += XXH3_64bits(data, size);
	return TFR_OK;
}

static void read_buckets(struct tfr_job *job, struct tfr_exchanged *x, uint32_t set)
{
	uint32_t n = tfr_exchanged_buckets(x, set);
	TFR_AUTO_BUF block = { 0 };
	struct tfr_error err;
	uint64_t sum = 0;

	for (uint32_t k = 0; k < n && k < LOOK_AT; k++) {
		uint32_t bucket = tfr_exchanged_bucket(x, 0, set, k);
		const struct tfr_bucket_totals *t;
		uint8_t *to;

		if (bucket >= n)
			abort();
		t = tfr_exchanged_totals(x, 0, set, bucket);
		tfr_exchanged_read(x, 0, set, bucket, &block, take, &sum, &err);
		to = t->bytes <= LOAD_MOST ? malloc(t->bytes + 1) : NULL;
		if (to && !tfr_exchanged_load(x, 0, set, bucket, to, &err))
			sum += XXH3_64bits(to, t->bytes);
		free(to);
		tfr_part_notes_read(job, 0, k, take, &sum, &err);
	}
}

/* Reads all that is recorded. */
static void finish(void)
{
	struct tfr_exchanged *x = NULL;
	struct tfr_unread section;
	struct tfr_job *job = NULL;
	struct tfr_error err = { 0 };

	if (tfr_job_open_finish(&job, folder, NULL, NULL, &err)) {
		if (!err.message[0])
			abort();
		return;
	}
	if (!tfr_job_exchanged(job, &x, &err))
		for (uint32_t set = 0; set < tfr_exchanged_sets(x); set++)
			read_buckets(job, x, set);
	for (int i = 0; i < LOOK_AT && !tfr_job_take(job, 0, "exchange", &section, &err); i++)
		;
	tfr_job_close(job);
}

static struct tfr_job *begin(void)
{
	struct tfr_job *job = NULL;
	struct tfr_error err;

	/* With an allocator that fails, there may be none. */
	return tfr_job_open(&job, folder, &terms, &place, 0, NULL, &err) ? NULL : job;
}

static void try_terms(const uint8_t *data, size_t size)
{
	put("job.json", data, size, NULL, 0);
	tfr_job_close(begin());
	finish();
}

/* With the checksum that it would need. */
static void try_record(const uint8_t *data, size_t size)
{
	uint64_t sum = XXH3_64bits(data, size);

	tfr_job_close(begin());
	put("part-00000.part", data, size, &sum, sizeof(sum));
	finish();
}

/* Two bytes: how many are the table, whose end is the name of the file; the rest is in the file. */
static void try_exchange(const uint8_t *data, size_t size)
{
	static const char name[] = "data";
	size_t table = size < 2 ? 0 : data[0] + 256u * data[1];
	TFR_AUTO_BUF bytes = { 0 };
	struct tfr_job *job = begin();
	struct tfr_error err;

	data += size < 2 ? size : 2;
	size -= size < 2 ? size : 2;
	table = table < size ? table : size;
	put("data", data + table, size - table, NULL, 0);
	if (job && (!table || tfr_buf_append(&bytes, data, table)) &&
		tfr_buf_append(&bytes, name, sizeof(name)) &&
		!tfr_job_put(job, "exchange", bytes.data, bytes.size, &err))
		tfr_job_commit(job, &err);
	tfr_job_close(job);
	finish();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made;

	if (!made && (!mkdtemp(folder) || atexit(leave)))
		abort();
	made = true;
	clear();
	if (size && data[0] == '{')
		try_terms(data, size);
	else if (size && data[0] == 't')
		try_record(data, size);
	else
		try_exchange(data, size);
	return 0;
}
