/* parse_batches.c - the yardstick of parsing: records in memory made into batches, nothing else.
 *
 * parse_batches LAYOUT THREADS BATCH SECONDS FEATURES FILE...   prints one JSON object
 *
 * LAYOUT is dense, padded or ragged; FEATURES names what is wanted and its kind,
 * label=int64,blob=bytes.  All records are read first; then each thread parses batches of BATCH
 * records, whichever comes next, over and over, with a parser of its own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tfr/batch.h>
#include <tfr-private/record.h>

enum { MOST_FEATURES = 64, MOST_THREADS = 64 };

static struct tfr_batch_feature features[MOST_FEATURES];
static size_t feature_count;
static uint8_t *bytes; /* all records, one behind the other */
static struct tfr_bytes *records;
static size_t record_count, batch_size;
static double seconds;
static atomic_size_t next_batch, parsed;
static atomic_uint_fast64_t values;

static void need(enum tfr_status status, const struct tfr_error *err)
{
	char text[8192];

	if (status == TFR_OK)
		return;
	fprintf(stderr, "parse_batches: %s\n", tfr_error_format(err, text, sizeof(text)));
	exit(3);
}

static void *memory(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		abort();
	return p;
}

static double clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

static void read_file(const char *path, size_t *size, size_t *cap, size_t *records_cap)
{
	struct tfr_reader *r = NULL;
	struct tfr_error err = { 0 };
	struct tfr_record rec;
	enum tfr_status status;

	need(tfr_reader_open(&r, path, NULL, &err), &err);
	while (!(status = tfr_reader_next(r, &rec, &err))) {
		if (*size + rec.size > *cap)
			bytes = memory(bytes, *cap = 2 * (*size + rec.size));
		if (record_count == *records_cap)
			records = memory(records,
				(*records_cap = 2 * record_count + 1024) * sizeof(*records));
		memcpy(bytes + *size, rec.data, rec.size);
		records[record_count++].size = rec.size;
		*size += rec.size;
	}
	if (status != TFR_END)
		need(status, &err);
	tfr_reader_close(r);
}

static void read_files(char **paths)
{
	size_t size = 0, cap = 0, records_cap = 0, at = 0;

	for (; *paths; paths++)
		read_file(*paths, &size, &cap, &records_cap);
	for (size_t i = 0; i < record_count; at += records[i++].size)
		records[i].data = bytes + at;
}

static void want(char *list, enum tfr_layout layout)
{
	for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		struct tfr_batch_feature *f = &features[feature_count++];
		char *kind = strchr(name, '=');

		if (!kind || feature_count == MOST_FEATURES)
			exit(2);
		*kind++ = '\0';
		*f = (struct tfr_batch_feature){ .name = name, .layout = layout };
		for (enum tfr_kind k = TFR_KIND_BYTES; k <= TFR_KIND_INT64; k++)
			if (!strcmp(kind, tfr_kind_name(k)))
				f->kind = k;
	}
}

static void *work(void *unused)
{
	double end = now() + seconds;
	struct tfr_batch_parser *p;
	struct tfr_error err = { 0 };
	uint64_t seen = 0;

	(void)unused;
	need(tfr_batch_parser_new(&p, features, feature_count, &err), &err);
	while (now() < end) {
		size_t first = atomic_fetch_add(&next_batch, 1) * batch_size %
			       (record_count - batch_size + 1);

		need(tfr_batch_parse(p, records + first, batch_size, &err), &err);
		for (size_t i = 0; i < feature_count; i++)
			seen += tfr_batch_column(p, i)->count;
		atomic_fetch_add(&parsed, batch_size);
	}
	atomic_fetch_add(&values, seen);
	tfr_batch_parser_free(p);
	return unused;
}

static enum tfr_layout layout_named(const char *name)
{
	static const char *const names[] = { "dense", "padded", "ragged" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(name, names[i]))
			return (enum tfr_layout)i;
	fprintf(stderr, "parse_batches: '%s' is no layout\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST_THREADS];
	double start, cpu;
	int n;

	if (argc < 7 || (n = atoi(argv[2])) < 1 || n > MOST_THREADS ||
		!(batch_size = strtoul(argv[3], NULL, 10)) || (seconds = atof(argv[4])) <= 0) {
		fprintf(stderr,
			"usage: parse_batches LAYOUT THREADS BATCH SECONDS FEATURES FILE...\n");
		return 2;
	}
	want(argv[5], layout_named(argv[1]));
	read_files(argv + 6);
	if (record_count < batch_size) {
		fprintf(stderr, "parse_batches: fewer records than a batch has\n");
		return 2;
	}
	start = now();
	cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 3;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	start = now() - start;
	cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"records_per_second\": %.0f, "
	       "\"values_per_record\": %.3f}\n",
		start, cpu, (double)parsed / start, (double)values / (double)parsed);
	free(records);
	free(bytes);
	return 0;
}
