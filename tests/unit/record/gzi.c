/* FILE.gzi: noted while writing, found by scanning, written, read, and begun at. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "io/source.h"
#include "record/gzi.h"
#include "record/stream.h"

static char folder[] = "/tmp/tfr-gzi-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[4][100];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void make_folder(void)
{
	cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(gzi, .init = make_folder, .fini = remove_folder);

/* Record i is i random bytes and some more, then zeros. */
static void write_file(
	const char *name, enum tfr_compression c, unsigned records, struct tfr_gzi *gzi)
{
	struct tfr_writer_opts opts = { .compression = c, .force = true, .threads = 2, .gzi = gzi };
	struct tfr_writer *w = NULL;
	uint8_t payload[9000];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, 0);
	cr_assert_eq(tfr_writer_open(&w, path_of(name), &opts, NULL), TFR_OK);
	for (unsigned i = 0; i < records; i++) {
		size_t size = 4000 + i % 5000;

		for (size_t k = 0; k < size; k++)
			payload[k] = k < 2000 ? (uint8_t)tfr_rng_below(&rng, 256) : 0;
		cr_assert_eq(tfr_writer_put(w, payload, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
}

/* Beginning at some records, all that follows is the same as when read from the beginning. */
static void begins_anywhere(const char *name, const struct tfr_gzi *gzi, unsigned threads)
{
	struct tfr_reader_opts opts = { .threads = threads };
	struct tfr_reader *all = NULL, *r = NULL;
	struct tfr_record want, got;
	enum tfr_status status;

	cr_assert_eq(tfr_reader_open(&all, path_of(name), NULL, NULL), TFR_OK);
	while (!(status = tfr_reader_next(all, &want, NULL))) {
		if (want.index % 97)
			continue;
		cr_assert_eq(tfr_reader_open_at(
				     &r, path_of(name), gzi, want.offset, want.index, &opts, NULL),
			TFR_OK);
		cr_assert_eq(tfr_reader_next(r, &got, NULL), TFR_OK, "%s record %d", name,
			(int)want.index);
		cr_assert_eq(got.index, want.index);
		cr_assert_eq(got.offset, want.offset);
		cr_assert_eq(got.size, want.size);
		cr_assert_arr_eq(got.data, want.data, want.size);
		if (want.index % 970 == 0)
			while (!(status = tfr_reader_next(r, &got, NULL)))
				;
		cr_assert(status == TFR_OK || status == TFR_END);
		tfr_reader_close(r);
		r = NULL;
	}
	cr_assert_eq(status, TFR_END);
	tfr_reader_close(all);
}

static void same_points(const struct tfr_gzi *a, const struct tfr_gzi *b)
{
	cr_assert_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		cr_assert_eq(a->points[i].compressed, b->points[i].compressed);
		cr_assert_eq(a->points[i].uncompressed, b->points[i].uncompressed);
	}
}

/* Reads a file to its end; *size is that of its stream. */
static enum tfr_status scan(const char *name, struct tfr_gzi *gzi, unsigned threads, uint64_t *size)
{
	struct tfr_stream_opts opts = { .threads = threads, .gzi = gzi };
	struct tfr_source *source = NULL;
	struct tfr_stream *s = NULL;
	static char sink[64 << 10];
	enum tfr_status status;
	size_t got = 1;

	*size = 0;
	cr_assert_eq(tfr_source_open(&source, path_of(name), NULL), TFR_OK);
	cr_assert_eq(tfr_stream_open(&s, source, &opts, NULL), TFR_OK);
	while (!(status = tfr_stream_read(s, sink, sizeof(sink), &got, NULL)) && got)
		*size += got;
	tfr_stream_close(s);
	return status;
}

Test(gzi, points_of_writing_and_of_scanning_are_the_same_and_can_be_begun_at)
{
	struct tfr_gzi noted = { 0 };
	uint64_t size;

	write_file("a.gz", TFR_COMPRESSION_GZIP, 1500, &noted);
	cr_assert_gt(noted.count, 4);
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct tfr_gzi found = { 0 };

		cr_assert_eq(scan("a.gz", &found, threads, &size), TFR_OK);
		same_points(&noted, &found);
		tfr_gzi_clear(&found);
		begins_anywhere("a.gz", &noted, threads);
	}
	cr_assert_eq(tfr_gzi_find(&noted, 0).compressed, 0);
	cr_assert_eq(tfr_gzi_find(&noted, noted.points[1].uncompressed).compressed,
		noted.points[1].compressed);
	cr_assert_eq(tfr_gzi_find(&noted, noted.points[1].uncompressed - 1).compressed,
		noted.points[0].compressed);
	cr_assert_eq(tfr_gzi_find(&noted, UINT64_MAX).compressed,
		noted.points[noted.count - 1].compressed);
	tfr_gzi_clear(&noted);
}

Test(gzi, is_laid_out_as_htslib_has_it)
{
	struct tfr_gzi_point points[2] = { { 0x1234, 0x56789a }, { 0x100000001, 0x200000002 } };
	struct tfr_gzi gzi = { points, 2 }, back = { 0 };
	static const uint8_t want[40] = { 2, [8] = 0x34, 0x12, [16] = 0x9a, 0x78,
		0x56, [24] = 1, [28] = 1, [32] = 2, [36] = 2 };
	struct tfr_stream_writer *w = NULL;
	uint8_t bytes[41];
	FILE *f;

	cr_assert_eq(tfr_stream_writer_open(&w, path_of("i"), NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_gzi_put(&gzi, w, NULL), TFR_OK);
	cr_assert_eq(tfr_stream_writer_publish(w, NULL), TFR_OK);
	tfr_stream_writer_close(w);
	f = fopen(path_of("i"), "rb");
	cr_assert_eq(fread(bytes, 1, sizeof(bytes), f), sizeof(want));
	fclose(f);
	cr_assert_arr_eq(bytes, want, sizeof(want));
	cr_assert_eq(tfr_gzi_read(&back, path_of("i"), NULL), TFR_OK);
	same_points(&gzi, &back);
	tfr_gzi_clear(&back);
}

Test(gzi, a_damaged_index_is_refused)
{
	uint8_t good[40] = { 2, [8] = 9, [16] = 50, [24] = 20, [32] = 50 };
	struct tfr_gzi gzi = { 0 };

	for (int i = 0; i < 45; i++) {
		size_t size = i < 40 ? (size_t)i : 40;
		uint8_t bytes[41];
		FILE *f = fopen(path_of("i"), "wb");

		memcpy(bytes, good, 40);
		bytes[0] = i == 41 ? 3 : 2;    /* more than there are */
		bytes[7] = i == 42 ? 0x10 : 0; /* far more: 16 times so many bytes are few again */
		bytes[24] = i == 43 ? 9 : 20;  /* the same place twice */
		bytes[32] = i == 44 ? 49 : 50; /* backwards */
		fwrite(bytes, 1, size, f);
		fclose(f);
		cr_assert_eq(tfr_gzi_read(&gzi, path_of("i"), NULL), i == 40 ? TFR_OK : TFR_EDATA,
			"%d", i);
		tfr_gzi_clear(&gzi);
	}
	cr_assert_eq(tfr_gzi_read(&gzi, path_of("none"), NULL), TFR_ESYS);
}

static void gzip_alone(const char *name, size_t size)
{
	gzFile f = gzopen(path_of(name), "wb1");

	for (size_t i = 0; i < size; i++)
		gzputc(f, (int)(i * 7 % 256));
	gzclose(f);
}

Test(gzi, files_without_points)
{
	struct tfr_gzi gzi = { 0 };
	uint64_t size;

	gzip_alone("large.gz", 5 << 20);
	cr_assert_eq(scan("large.gz", &gzi, 2, &size), TFR_OK);
	cr_assert(tfr_gzi_is_poor(&gzi, size));
	gzip_alone("small.gz", 1 << 20);
	cr_assert_eq(scan("small.gz", &gzi, 2, &size), TFR_OK);
	cr_assert_eq(gzi.count, 0);
	cr_assert_not(tfr_gzi_is_poor(&gzi, size));
	write_file("cut.gz", TFR_COMPRESSION_GZIP, 1000, NULL);
	cr_assert_eq(truncate(path_of("cut.gz"), 1000000), 0);
	cr_assert_eq(scan("cut.gz", &gzi, 2, &size), TFR_EDATA);
	tfr_gzi_clear(&gzi);
}

Test(gzi, files_of_other_kinds_begin_at_a_record_too)
{
	struct tfr_gzi none = { 0 }, members = { 0 };
	struct tfr_reader *r = NULL;
	struct tfr_error err = { 0 };
	static char block[20 << 20];
	FILE *in, *out;
	size_t n;

	write_file("plain", TFR_COMPRESSION_NONE, 500, NULL);
	begins_anywhere("plain", &none, 2);
	cr_assert_eq(tfr_reader_open_at(&r, path_of("plain"), NULL, 1u << 30, 9, NULL, &err),
		TFR_EUSAGE);
	write_file("zlib", TFR_COMPRESSION_ZLIB, 300, NULL);
	begins_anywhere("zlib", NULL, 2);
	cr_assert_eq(
		tfr_reader_open_at(&r, path_of("zlib"), NULL, 1u << 30, 9, NULL, &err), TFR_EUSAGE);

	/* As bgzip has it: each point is the beginning of a member. */
	write_file("one.gz", TFR_COMPRESSION_GZIP, 200, NULL);
	in = fopen(path_of("one.gz"), "rb");
	n = fread(block, 1, sizeof(block), in);
	fclose(in);
	out = fopen(path_of("two.gz"), "wb");
	fwrite(block, 1, n, out);
	fwrite(block, 1, n, out);
	fclose(out);
	members.points = &(struct tfr_gzi_point){ n, 0 };
	members.count = 1;
	for (int i = 0; i < 200; i++)
		members.points[0].uncompressed += 4000 + (unsigned)i + 16;
	begins_anywhere("two.gz", &members, 1);
	begins_anywhere("two.gz", &members, 3);
}

/* Places of records, and what each should be. */
struct places {
	uint64_t offset[400];
	size_t size[400];
	uint32_t crc[400];
	unsigned count;
};

static void find_places(const char *name, struct places *p)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;

	p->count = 0;
	cr_assert_eq(tfr_reader_open(&r, path_of(name), NULL, NULL), TFR_OK);
	while (!tfr_reader_next(r, &rec, NULL)) {
		p->offset[p->count] = rec.offset;
		p->size[p->count] = rec.size;
		p->crc[p->count++] = rec.crc;
	}
	tfr_reader_close(r);
}

static void read_one(struct tfr_reader *r, const struct tfr_gzi *gzi, const struct places *p,
	unsigned i, const char *what)
{
	struct tfr_record rec;

	cr_assert_eq(tfr_reader_seek(r, gzi, p->offset[i], i, NULL), TFR_OK, "%s %u", what, i);
	for (unsigned k = i; k < i + 2 && k < p->count; k++) {
		cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK, "%s %u", what, k);
		cr_assert(rec.index == k && rec.offset == p->offset[k] && rec.size == p->size[k] &&
			  rec.crc == p->crc[k]);
	}
}

/* Back to the third, forward to the eighth, anywhere, and behind the end. */
Test(gzi, a_reader_moves_back_and_forth)
{
	static const enum tfr_compression kinds[] = { TFR_COMPRESSION_NONE, TFR_COMPRESSION_ZLIB,
		TFR_COMPRESSION_GZIP, TFR_COMPRESSION_GZIP };
	static const char *const names[] = { "plain", "zlib", "with points", "without" };
	static struct places p;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 8, 0);
	for (unsigned kind = 0; kind < 4; kind++) {
		struct tfr_gzi gzi = { 0 };

		write_file("a", kinds[kind], 400, kind == 2 ? &gzi : NULL);
		find_places("a", &p);
		for (unsigned variant = 0; variant < 4; variant++) {
			struct tfr_reader_opts opts = { .threads = 1 + variant % 2,
				.block_size = variant / 2 ? 1024 : 0 };
			struct tfr_reader *r = NULL;
			struct tfr_record rec;
			struct tfr_error err;

			cr_assert_eq(tfr_reader_open(&r, path_of("a"), &opts, NULL), TFR_OK);
			for (unsigned i = 0; i < 5; i++)
				cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
			read_one(r, &gzi, &p, 3, names[kind]);
			read_one(r, &gzi, &p, 8, names[kind]);
			for (unsigned i = 0; i < (kind == 1 ? 10 : 60); i++)
				read_one(r, &gzi, &p, (unsigned)tfr_rng_below(&rng, 400),
					names[kind]);
			cr_assert_eq(
				tfr_reader_seek(r, &gzi, UINT64_C(1) << 40, 7, &err), TFR_EUSAGE);
			read_one(r, &gzi, &p, 399, names[kind]);
			cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_END);
			read_one(r, &gzi, &p, 0, names[kind]);
			/* No record begins there, and that is found out. */
			cr_assert_eq(tfr_reader_seek(r, &gzi, p.offset[5] + 1, 5, NULL), TFR_OK);
			cr_assert_eq(tfr_reader_next(r, &rec, &err), TFR_EDATA);
			cr_assert(err.record == 5 && err.offset == p.offset[5] + 1);
			tfr_reader_close(r);
		}
		tfr_gzi_clear(&gzi);
	}
}

Test(gzi, a_pipe_moves_forth_only)
{
	static struct places p;
	struct tfr_reader *r = NULL;
	struct tfr_error err;
	char command[120], name[32], want[64];
	FILE *pipe;

	write_file("a", TFR_COMPRESSION_GZIP, 300, NULL);
	find_places("a", &p);
	snprintf(command, sizeof(command), "cat %s", path_of("a"));
	pipe = popen(command, "r");
	snprintf(name, sizeof(name), "/dev/fd/%d", fileno(pipe));
	cr_assert_eq(tfr_reader_open(&r, name, NULL, NULL), TFR_OK);
	read_one(r, NULL, &p, 280, "pipe");
	cr_assert_eq(tfr_reader_seek(r, NULL, 0, 0, &err), TFR_EUSAGE);
	snprintf(want, sizeof(want), "there is no going back in '%s'", name);
	cr_assert_str_eq(err.message, want);
	tfr_reader_close(r);
	pclose(pipe);
}
