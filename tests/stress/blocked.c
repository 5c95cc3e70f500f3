/* Blocked GZIP under threads that disturb each other: a deflater shared by streams that several
 * threads write at once, and readers over whole, damaged and cut files, closed in the middle.  Made
 * for ThreadSanitizer. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/record.h>

#include "base/buf.h"
#include "base/rng.h"
#include "codec/parallel_deflate.h"
#include "thread/threads.h"

enum { STREAMS = 4, RECORDS = 900, SIZE = 1500, SEGMENT = 40 << 10 };

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "stress blocked: %s\n", what);
		_Exit(1);
	}
}

static enum tfr_status append(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	(void)err;
	check(tfr_buf_append(ctx, bytes, size), "memory");
	return TFR_OK;
}

/* A plain file in memory, as the library writes it. */
static struct tfr_buf plain_file(void)
{
	char path[] = "/tmp/tfr-stress-XXXXXX";
	int fd = mkstemp(path);
	struct tfr_writer_opts opts = { .force = true, .compression = TFR_COMPRESSION_NONE };
	struct tfr_buf b = { 0 };
	struct tfr_writer *w = NULL;
	struct tfr_rng rng;
	char payload[SIZE];
	ssize_t n;

	tfr_rng_init(&rng, 1, 0);
	check(fd >= 0 && !close(fd) && !tfr_writer_open(&w, path, &opts, NULL), "a file");
	for (int i = 0; i < RECORDS; i++) {
		for (int k = 0; k < SIZE; k++)
			payload[k] = (char)tfr_rng_below(&rng, 150);
		check(!tfr_writer_put(w, payload, SIZE, NULL), "a record");
	}
	check(!tfr_writer_publish(w, NULL), "publishing");
	tfr_writer_close(w);
	fd = open(path, O_RDONLY);
	do {
		check(tfr_buf_reserve(&b, 1 << 16), "memory");
		n = read(fd, b.data + b.size, 1 << 16);
		b.size += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	close(fd);
	unlink(path);
	return b;
}

struct writing {
	struct tfr_parallel_deflate *deflater;
	const struct tfr_buf *raw;
	struct tfr_buf out[STREAMS];
};

static void write_stream(void *ctx, unsigned worker)
{
	struct writing *w = ctx;
	struct tfr_deflate_sink sink = { .emit = append, .ctx = &w->out[worker] };
	struct tfr_deflate_stream *z = NULL;

	check(!tfr_deflate_stream_open(&z, w->deflater, &sink, NULL), "a stream");
	for (size_t at = 0; at < w->raw->size; at += SIZE + TFR_RECORD_OVERHEAD) {
		check(!tfr_deflate_stream_mark(z, SIZE + TFR_RECORD_OVERHEAD, NULL), "a mark");
		check(!tfr_deflate_stream_put(z, w->raw->data + at, SIZE + TFR_RECORD_OVERHEAD, NULL),
			"a piece");
		if (worker == STREAMS - 1 && at > w->raw->size / 2)
			break; /* given up with segments in flight */
	}
	if (worker < STREAMS - 1)
		check(!tfr_deflate_stream_end(z, NULL), "the end");
	tfr_deflate_stream_close(z);
}

static uint64_t read_some(const struct tfr_buf *file, size_t size, unsigned threads, uint64_t most)
{
	struct tfr_reader_opts opts = { .threads = threads };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	uint64_t n = 0;

	check(!tfr_reader_open_memory(&r, file->data, size, &opts, NULL), "opening");
	while (n < most && !tfr_reader_next(r, &rec, NULL))
		n++;
	tfr_reader_close(r);
	return n;
}

static void read_all_ways(struct tfr_buf *file, unsigned threads)
{
	check(read_some(file, file->size, threads, UINT64_MAX) == RECORDS, "records are missing");
	for (uint64_t most = 0; most < RECORDS; most += 311)
		check(read_some(file, file->size, threads, most) == most, "a part");
	for (size_t cut = 1; cut < file->size; cut += file->size / 5)
		check(read_some(file, cut, threads, UINT64_MAX) ==
				read_some(file, cut, 1, UINT64_MAX),
			"a cut file");
	for (size_t at = 300; at < file->size; at += file->size / 5) {
		file->data[at] ^= 0x40;
		check(read_some(file, file->size, threads, UINT64_MAX) ==
				read_some(file, file->size, 1, UINT64_MAX),
			"a damaged file");
		file->data[at] ^= 0x40;
	}
}

int main(void)
{
	struct tfr_buf raw = plain_file();

	for (unsigned threads = 2; threads <= 8; threads += 3) {
		struct tfr_parallel_deflate_opts opts = { .compression = TFR_COMPRESSION_GZIP,
			.level = 1 + threads % 5,
			.threads = threads,
			.streams = threads == 8 ? 100 : 1,
			.segment = SEGMENT };
		struct writing w = { .raw = &raw };

		check(!tfr_parallel_deflate_new(&w.deflater, &opts, NULL), "a deflater");
		tfr_threads_run(STREAMS, write_stream, &w);
		tfr_parallel_deflate_free(w.deflater);
		for (unsigned i = 1; i < STREAMS - 1; i++)
			check(w.out[i].size == w.out[0].size &&
					!memcmp(w.out[i].data, w.out[0].data, w.out[0].size),
				"streams of the same bytes differ");
		read_all_ways(&w.out[0], threads);
		for (unsigned i = 0; i < STREAMS; i++)
			tfr_buf_clear(&w.out[i]);
	}
	tfr_buf_clear(&raw);
	return 0;
}
