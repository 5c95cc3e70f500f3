/* tests/bench/make_small.c - a data set of many small records, as fast as they can be written.
 *
 *   make_small RECORDS SHARDS BASE [BYTES]
 *
 * Writes BASE-00000-of-0SSSS.tfrecord and so on, in order: each shard holds its share of RECORDS
 * Examples of exactly BYTES (192) bytes.  `label` is one of four classes, 0 to 3, drawn with 40,
 * 30, 20 and 10 percent; `blob` is noise, so that no two records are alike and nothing compresses.
 * Both are drawn by the record's number: the same arguments give the same bytes, for any number of
 * cores. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <tfr-private/example.h>
#include <tfr-private/record.h>

#include "base/rng.h"
#include "thread/threads.h"

enum { LARGEST = 1 << 20 };

struct maker {
	const char *base;
	uint64_t records;
	unsigned shards;
	size_t bytes, blob; /* of a record; of the noise in it */
	atomic_uint next_shard;
};

static void need(enum tfr_status status, const struct tfr_error *err)
{
	char text[512];

	if (status == TFR_OK)
		return;
	fprintf(stderr, "make_small: %s\n", tfr_error_format(err, text, sizeof(text)));
	exit(3);
}

static int64_t label_of(uint32_t draw)
{
	unsigned tenth = (unsigned)((uint64_t)draw * 10 >> 32);

	return tenth < 4 ? 0 : tenth < 7 ? 1 : tenth < 9 ? 2 : 3;
}

/* Record `n`, with `blob` bytes of noise: the builder's, until the next call. */
static size_t build(struct tfr_builder *b, uint64_t n, size_t blob, const uint8_t **record)
{
	uint32_t noise[LARGEST / 4];
	struct tfr_bytes value = { (const uint8_t *)noise, blob };
	struct tfr_error err = { 0 };
	struct tfr_rng r;
	size_t size;

	tfr_rng_init(&r, 1, n);
	tfr_builder_reset(b);
	need(tfr_builder_int64(b, "label", label_of(tfr_rng_u32(&r)), &err), &err);
	for (size_t i = 0; i < (blob + 3) / 4; i++)
		noise[i] = tfr_rng_u32(&r);
	need(tfr_builder_bytes_ref(b, "blob", &value, 1, &err), &err);
	need(tfr_builder_flatten(b, record, &size, &err), &err);
	return size;
}

static void write_shard(const struct maker *m, struct tfr_builder *b, unsigned shard)
{
	uint64_t n = m->records * shard / m->shards, end = m->records * (shard + 1) / m->shards;
	struct tfr_writer *w = NULL;
	struct tfr_error err = { 0 };
	const uint8_t *record;
	char path[4096];

	snprintf(path, sizeof(path), "%s-%05u-of-%05u.tfrecord", m->base, shard, m->shards);
	need(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, &err), &err);
	for (; n < end; n++) {
		size_t size = build(b, n, m->blob, &record);

		need(tfr_writer_put(w, record, size, &err), &err);
	}
	need(tfr_writer_publish(w, &err), &err);
	tfr_writer_close(w);
}

static struct tfr_builder *new_builder(void)
{
	struct tfr_builder *b = tfr_builder_new();

	if (!b)
		abort();
	return b;
}

static void work(void *ctx, unsigned worker)
{
	struct maker *m = ctx;
	struct tfr_builder *b = new_builder();
	unsigned shard;

	(void)worker;
	while ((shard = atomic_fetch_add(&m->next_shard, 1)) < m->shards)
		write_shard(m, b, shard);
	tfr_builder_free(b);
}

/* The noise that makes a record `bytes` long; 0: none does. */
static size_t blob_size(size_t bytes)
{
	struct tfr_builder *b = new_builder();
	const uint8_t *record;
	size_t blob = bytes;

	while (blob && build(b, 0, blob, &record) != bytes)
		blob--;
	tfr_builder_free(b);
	return blob;
}

int main(int argc, char **argv)
{
	struct maker m = { .bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 192 };

	if (argc < 4 || argc > 5 || !(m.records = strtoull(argv[1], NULL, 10)) ||
		!(m.shards = (unsigned)strtoul(argv[2], NULL, 10)) || m.shards > 10000 ||
		m.bytes > LARGEST) {
		fprintf(stderr, "usage: make_small RECORDS SHARDS BASE [BYTES]\n");
		return 2;
	}
	m.base = argv[3];
	m.blob = blob_size(m.bytes);
	if (!m.blob) {
		fprintf(stderr, "make_small: no record is %zu bytes long\n", m.bytes);
		return 2;
	}
	tfr_threads_run(tfr_thread_count(0), work, &m);
	return 0;
}
