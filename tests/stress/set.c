/* tests/stress/set.c - for ThreadSanitizer: shards written by several threads at once, then counted
 * indexed and checked by several threads; then one large file, which all threads divide. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/check.h>
#include <tfr-private/sweep.h>

enum { SHARDS = 8, RECORDS = 500 };

static void must(enum tfr_status status)
{
	if (status)
		abort();
}

struct writer {
	struct tfr_set_writer *set;
	uint32_t shard;
};

static void *write_shard(void *arg)
{
	struct writer *w = arg;
	char payload[5000];
	struct iovec piece = { payload, 0 };

	memset(payload, (int)w->shard, sizeof(payload));
	for (size_t i = 0; i < RECORDS; i++) {
		piece.iov_len = i * 37 % sizeof(payload);
		must(tfr_set_writer_put(w->set, w->shard, &piece, 1, NULL, NULL));
	}
	return NULL;
}

static void counted(
	void *ctx, const char *path, uint64_t records, uint64_t sum, const struct tfr_error *err)
{
	(void)path;
	(void)sum;
	if (err)
		abort();
	*(uint64_t *)ctx += records;
}

static void indexed(void *ctx, const char *path, const struct tfr_index_report *report,
	const struct tfr_error *err)
{
	(void)path;
	if (err)
		abort();
	*(uint64_t *)ctx += report->records;
}

static void no_fault(void *ctx, const char *path, const struct tfr_error *err,
	const struct tfr_check_kind *kind)
{
	(void)path;
	(void)kind;
	(void)ctx;
	(void)err;
	abort();
}

static void write_set(void)
{
	struct tfr_set_writer *set = NULL;
	struct writer writers[SHARDS];
	pthread_t threads[SHARDS];

	must(tfr_set_writer_open(
		&set, "s@8.gz", &(struct tfr_writer_opts){ .force = true }, NULL, NULL, NULL));
	for (uint32_t k = 0; k < SHARDS; k++) {
		writers[k] = (struct writer){ set, k };
		pthread_create(&threads[k], NULL, write_shard, &writers[k]);
	}
	for (int k = 0; k < SHARDS; k++)
		pthread_join(threads[k], NULL);
	must(tfr_set_writer_publish(set, NULL, NULL));
	tfr_set_writer_close(set);
}

/* Counted by headers, by payloads, and checked. */
static void divide_one_file(void)
{
	enum { MANY = 40000 };
	const char *input = "large";
	struct tfr_set_opts set_opts = { .inputs = &input, .count = 1 };
	struct tfr_writer *w = NULL;
	struct tfr_set *set = NULL;
	uint64_t records = 0;
	char payload[300];

	memset(payload, 'x', sizeof(payload));
	must(tfr_writer_open(&w, input, NULL, NULL));
	for (size_t i = 0; i < MANY; i++)
		must(tfr_writer_put(w, payload, i % sizeof(payload), NULL));
	must(tfr_writer_publish(w, NULL));
	tfr_writer_close(w);
	must(tfr_set_open(&set, &set_opts, NULL));
	for (int sum = 0; sum < 2; sum++)
		must(tfr_set_count_records(set,
			&(struct tfr_count_opts){
				.threads = 4, .sum = sum, .file = counted, .ctx = &records },
			NULL));
	must(tfr_check_set(set, &(struct tfr_check_opts){ .threads = 4, .fault = no_fault }, NULL));
	tfr_set_close(set);
	if (records != 2 * MANY)
		abort();
}

int main(void)
{
	const char *input = "s@8.gz";
	struct tfr_set_opts set_opts = { .inputs = &input, .count = 1 };
	struct tfr_set *set = NULL;
	uint64_t records = 0, in_indexes;
	char directory[] = "/tmp/tfr-stress-XXXXXX", remove[64];

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	for (int round = 0; round < 5; round++) {
		write_set();
		records = in_indexes = 0;
		must(tfr_set_open(&set, &set_opts, NULL));
		must(tfr_set_count_records(set,
			&(struct tfr_count_opts){
				.threads = 4, .sum = round % 2, .file = counted, .ctx = &records },
			NULL));
		must(tfr_set_index(set,
			&(struct tfr_set_index_opts){
				.threads = 4, .file = indexed, .ctx = &in_indexes },
			NULL));
		must(tfr_check_set(
			set, &(struct tfr_check_opts){ .threads = 4, .fault = no_fault }, NULL));
		tfr_set_close(set);
		if (records != SHARDS * RECORDS || in_indexes != records)
			abort();
	}
	divide_one_file();
	snprintf(remove, sizeof(remove), "rm -r %s", directory);
	if (system(remove))
		return 1;
	puts("stress: sets held");
	return 0;
}
