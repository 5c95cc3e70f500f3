/* A file that shrinks while it is read: what was read before is given, and then it is a failure,
 * with its place, also where the file now ends with a record; nothing crashes and nothing is made
 * up, whoever reads. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "record/framing.h"
#include "record/stream.h"
#include "support/temp.h"

enum { RECORDS = 4000, SIZE = 1000, WHOLE = SIZE + TFR_RECORD_OVERHEAD };

static void write_file(bool gzip)
{
	uint8_t record[WHOLE];
	struct tfr_rng rng;
	gzFile f = gzopen("f", gzip ? "wb1" : "wbT");

	tfr_rng_init(&rng, 3, 0);
	for (int i = 0; i < RECORDS; i++) {
		tfr_put_header(record, SIZE);
		for (size_t k = 0; k < SIZE; k += 8)
			tfr_store64(record + TFR_RECORD_HEADER + k, tfr_rng_u64(&rng));
		tfr_store32(record + TFR_RECORD_HEADER + SIZE,
			tfr_crc_mask(tfr_crc32c(0, record + TFR_RECORD_HEADER, SIZE)));
		cr_assert_eq(gzwrite(f, record, WHOLE), WHOLE);
	}
	gzclose(f);
}

/* After `first` records the file has `size` bytes left. */
static void shrink_while_read(uint64_t first, off_t size, unsigned threads)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_OK;
	uint64_t n = 0;

	cr_assert_eq(
		tfr_reader_open(&r, "f", &(struct tfr_reader_opts){ .threads = threads }, &err),
		TFR_OK);
	while (!status && !(status = tfr_reader_next(r, &rec, &err)))
		if (++n == first)
			cr_assert_eq(truncate("f", size), 0);
	cr_assert(n >= first && n < RECORDS, "%llu records", (unsigned long long)n);
	cr_assert(status == TFR_EDATA || status == TFR_ESYS,
		"status %d after %llu records of %lld bytes", status, (unsigned long long)n,
		(long long)size);
	if (status == TFR_ESYS) {
		cr_assert(strstr(err.message, "the end is at byte ") && *tfr_error_path(&err));
	} else {
		cr_assert(tfr_reader_fault(r) == TFR_FAULT_CUT ||
			  tfr_reader_fault(r) == TFR_FAULT_STREAM);
		cr_assert(err.has_record && err.record == n && err.offset == n * WHOLE &&
			  *tfr_error_path(&err));
	}
	tfr_reader_close(r);
}

Test(shrink, one_record_after_the_other)
{
	char *dir = temp_enter();
	static const off_t sizes[] = { 0, 5, 700, 1500 * WHOLE, 1500 * WHOLE + 3,
		1500 * WHOLE + 500 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		write_file(false);
		shrink_while_read(1, sizes[i], 1);
		write_file(false);
		shrink_while_read(1000, sizes[i], 1);
	}
	temp_leave(dir);
}

Test(shrink, compressed)
{
	char *dir = temp_enter();
	static const off_t sizes[] = { 1, 5, 700, 1000001, 2000001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			write_file(true);
			shrink_while_read(1, sizes[i], threads);
		}
	}
	temp_leave(dir);
}

/* Not even if the caller reads again. */
Test(shrink, a_failed_read_repeats_no_bytes)
{
	char *dir = temp_enter(), text[100];
	struct tfr_stream_opts opts = { .compression = TFR_COMPRESSION_AUTO, .threads = 1 };
	struct tfr_source *source = NULL;
	struct tfr_stream *s = NULL;
	gzFile f = gzopen("f", "wb");
	int fd, bad;
	size_t got;

	cr_assert_eq(gzwrite(f, "some bytes", 10), 10);
	gzclose(f);
	fd = open("f", O_RDONLY);
	bad = open("f", O_WRONLY);
	cr_assert_eq(tfr_source_open_fd(&source, fd, "f", NULL), TFR_OK);
	cr_assert_eq(tfr_stream_open(&s, source, &opts, NULL), TFR_OK);
	cr_assert_eq(dup2(bad, fd), fd);
	cr_assert_eq(tfr_stream_read(s, text, sizeof(text), &got, NULL), TFR_OK);
	cr_assert(got == 10 && !memcmp(text, "some bytes", 10));
	for (int i = 0; i < 3; i++)
		cr_assert_eq(tfr_stream_read(s, text, sizeof(text), &got, NULL), TFR_ESYS);
	tfr_stream_close(s);
	close(fd);
	close(bad);
	temp_leave(dir);
}
