/* Records by their numbers: the same as from front to end, and never another one. */
#include <fcntl.h>
#include <time.h>

#include <tfr-private/gzi.h>
#include <tfr/lookup.h>

#include "base/rng.h"
#include "support/temp.h"

enum { RECORDS = 3000 };

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(lookup, .init = setup, .fini = teardown);

/* What a record has to be. */
static struct {
	uint64_t offset;
	size_t size;
	uint32_t crc;
} want[RECORDS];

static void write_file(const char *path, enum tfr_compression c, uint64_t seed)
{
	struct tfr_writer_opts opts = { .compression = c, .force = true };
	struct tfr_writer *w = NULL;
	static uint8_t payload[20000];
	struct tfr_digest d;
	struct tfr_rng rng;
	uint64_t at = 0;

	tfr_rng_init(&rng, seed, 0);
	cr_assert_eq(tfr_writer_open(&w, path, &opts, NULL), TFR_OK);
	for (int i = 0; i < RECORDS; i++) {
		size_t size = (size_t)tfr_rng_below(&rng, i % 10 ? 300 : sizeof(payload));
		struct iovec piece = { payload, size };

		for (size_t k = 0; k < size; k += 1 + k / 16)
			payload[k] = (uint8_t)tfr_rng_below(&rng, 256);
		tfr_digest_pieces(&piece, 1, &d);
		want[i].offset = at;
		want[i].size = size;
		want[i].crc = d.crc;
		at += size + TFR_RECORD_OVERHEAD;
		cr_assert_eq(tfr_writer_put_pieces(w, &piece, 1, &d, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
}

static void index_file(const char *path)
{
	struct tfr_index_report report;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_index_write(path, NULL, &report, &err), TFR_OK, "%s", err.message);
}

static struct tfr_lookup *open_good(const char *path, unsigned threads)
{
	struct tfr_reader_opts opts = { .threads = threads };
	enum tfr_index_state state;
	struct tfr_lookup *l = NULL;

	cr_assert_eq(tfr_lookup_open(&l, path, &opts, &state, NULL), TFR_OK);
	cr_assert(l && state == TFR_INDEX_GOOD, "%s: %s", path, tfr_index_state_text(state));
	return l;
}

static void is_right(const struct tfr_record *rec, uint64_t n)
{
	cr_assert(rec->index == n && rec->offset == want[n].offset && rec->size == want[n].size &&
			  rec->crc == want[n].crc,
		"record %d", (int)n);
}

static void read_right(struct tfr_lookup *l, uint64_t n)
{
	struct tfr_record rec;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_lookup_read(l, n, &rec, &err), TFR_OK, "%d: %s", (int)n, err.message);
	is_right(&rec, n);
}

Test(lookup, gives_every_record_in_any_order)
{
	static const enum tfr_compression kinds[] = { TFR_COMPRESSION_NONE, TFR_COMPRESSION_GZIP };
	struct tfr_record rec;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 7, 0);
	for (unsigned i = 0; i < 6; i++) {
		struct tfr_lookup *l;

		write_file("a", kinds[i % 2], i);
		index_file("a");
		l = open_good("a", 1 + i / 2);
		cr_assert_eq(tfr_lookup_count(l), RECORDS);
		for (uint64_t n = 0; n < RECORDS; n++)
			read_right(l, n);
		cr_assert_eq(tfr_lookup_read(l, RECORDS, &rec, NULL), TFR_END);
		for (unsigned k = 0; k < 100; k++) {
			uint64_t n = tfr_rng_below(&rng, RECORDS), row = tfr_rng_below(&rng, 20);

			for (; row-- && n < RECORDS; n++)
				read_right(l, n);
		}
		read_right(l, RECORDS - 1);
		read_right(l, 0);
		tfr_lookup_close(l);
	}
}

Test(lookup, without_an_index_gives_every_record_in_any_order)
{
	struct tfr_record rec;
	struct tfr_error err;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 8, 0);
	for (int c = TFR_COMPRESSION_NONE; c <= TFR_COMPRESSION_ZLIB; c++) {
		struct tfr_lookup *l = NULL;

		write_file("a", c, 9);
		cr_assert_eq(tfr_lookup_scan(&l, "a", NULL, &err), TFR_OK, "%s", err.message);
		cr_assert_eq(tfr_lookup_count(l), RECORDS);
		for (uint64_t n = 0; n < RECORDS; n++)
			read_right(l, n);
		cr_assert_eq(tfr_lookup_read(l, RECORDS, &rec, NULL), TFR_END);
		for (unsigned k = 0; k < 100; k++)
			read_right(l, tfr_rng_below(&rng, RECORDS));
		if (c == TFR_COMPRESSION_NONE) {
			cr_assert_eq(truncate("a", (off_t)want[1000].offset + 5), 0);
			read_right(l, 10);
			cr_assert_eq(tfr_lookup_read(l, 1000, &rec, &err), TFR_ESYS);
			cr_assert_eq(tfr_lookup_read(l, 2000, &rec, &err), TFR_ESYS);
			read_right(l, 999);
		}
		tfr_lookup_close(l);
	}
}

Test(lookup, without_an_index_refuses_what_counting_refuses)
{
	struct tfr_lookup *l = NULL;
	struct tfr_error err;

	temp_write("empty", "", 0);
	cr_assert_eq(tfr_lookup_scan(&l, "empty", NULL, &err), TFR_OK);
	cr_assert_eq(tfr_lookup_count(l), 0);
	cr_assert_eq(tfr_lookup_read(l, 0, &(struct tfr_record){ 0 }, &err), TFR_END);
	tfr_lookup_close(l);
	write_file("cut", TFR_COMPRESSION_NONE, 1);
	cr_assert_eq(truncate("cut", 1000), 0);
	cr_assert_eq(tfr_lookup_scan(&l, "cut", NULL, &err), TFR_EDATA);
	cr_assert_null(l);
	cr_assert_eq(tfr_lookup_scan(&l, "absent", NULL, &err), TFR_ESYS);
	cr_assert_eq(tfr_lookup_scan(&l, "/dev/null", NULL, &err), TFR_EUSAGE);
}

/* A reader from each of some records gives all that follow, after the lookup is closed. */
Test(lookup, a_reader_starts_at_any_record)
{
	static const uint64_t from[] = { 0, 1, 255, 256, 1000, RECORDS - 1 };
	struct tfr_reader_opts opts = { .block_size = 4096 };
	struct tfr_error err = { 0 };
	struct tfr_record rec;

	for (unsigned i = 0; i < 6 * sizeof(from) / sizeof(*from); i++) {
		enum tfr_compression c = TFR_COMPRESSION_NONE + (int)(i % 3);
		uint64_t n = from[i / 6];
		struct tfr_lookup *l = NULL;
		struct tfr_reader *r = NULL;

		write_file("a", c, 12);
		if (i % 6 < 3 || c == TFR_COMPRESSION_ZLIB) {
			cr_assert_eq(tfr_lookup_scan(&l, "a", NULL, NULL), TFR_OK);
		} else {
			index_file("a");
			l = open_good("a", 1);
		}
		cr_assert_eq(tfr_lookup_reader(l, RECORDS, NULL, &r, &err), TFR_END);
		cr_assert_null(r);
		cr_assert_eq(tfr_lookup_reader(l, n, i % 2 ? &opts : NULL, &r, &err), TFR_OK, "%s",
			err.message);
		tfr_lookup_close(l);
		for (; n < RECORDS; n++) {
			cr_assert_eq(tfr_reader_next(r, &rec, &err), TFR_OK, "%s", err.message);
			is_right(&rec, n);
		}
		cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_END);
		tfr_reader_close(r);
		unlink("a.idx");
		unlink("a.gzi");
	}
}

Test(lookup, a_reader_of_a_file_that_became_shorter_is_refused)
{
	struct tfr_lookup *l = NULL;
	struct tfr_reader *r = NULL;
	struct tfr_error err = { 0 };

	write_file("a", TFR_COMPRESSION_GZIP, 1);
	cr_assert_eq(tfr_lookup_scan(&l, "a", NULL, NULL), TFR_OK);
	write_file("a", TFR_COMPRESSION_NONE, 1);
	cr_assert_eq(truncate("a", 0), 0);
	cr_assert_neq(tfr_lookup_reader(l, 2000, NULL, &r, &err), TFR_OK);
	cr_assert_null(r);
	tfr_lookup_close(l);
}

static enum tfr_index_state state_of(const char *path)
{
	enum tfr_index_state state;
	struct tfr_lookup *l = NULL;

	cr_assert_eq(tfr_lookup_open(&l, path, NULL, &state, NULL), TFR_OK);
	cr_assert_eq(l != NULL, state == TFR_INDEX_GOOD);
	tfr_lookup_close(l);
	return state;
}

static void date(const char *path, time_t when)
{
	struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };

	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

Test(lookup, there_is_none_where_the_index_is_not_good)
{
	struct tfr_lookup *l = NULL;
	enum tfr_index_state state;

	write_file("a", TFR_COMPRESSION_GZIP, 1);
	cr_expect_eq(state_of("a"), TFR_INDEX_MISSING);
	index_file("a");
	cr_expect_eq(state_of("a"), TFR_INDEX_GOOD);
	date("a.gzi", 1000);
	cr_expect_eq(state_of("a"), TFR_INDEX_POINTS_OLDER);
	unlink("a.gzi");
	cr_expect_eq(state_of("a"), TFR_INDEX_NO_POINTS);
	index_file("a");
	cr_assert_eq(truncate("a", 100000), 0);
	date("a", 1000);
	cr_expect_neq(state_of("a"), TFR_INDEX_GOOD);
	write_file("a", TFR_COMPRESSION_NONE, 1);
	date("a", 1000);
	cr_expect_eq(state_of("a"), TFR_INDEX_GOOD);
	cr_assert_eq(truncate("a", 100000), 0);
	date("a", 1000);
	cr_expect_eq(state_of("a"), TFR_INDEX_OTHER_END);
	write_file("a", TFR_COMPRESSION_ZLIB, 1);
	date("a", 1000);
	cr_expect_eq(state_of("a"), TFR_INDEX_MISSING, "nothing can begin within ZLIB");
	cr_expect_eq(state_of("/dev/null"), TFR_INDEX_MISSING);
	cr_expect_eq(tfr_lookup_open(&l, "none", NULL, &state, NULL), TFR_ESYS);
}

/* Lines that follow each other from 0 to the end of the file, and name other places. */
static void write_lines(const uint64_t *ends, int count)
{
	FILE *f = fopen("a.idx", "wb");

	for (int i = 0; i < count; i++)
		fprintf(f, "%llu %llu\n", (unsigned long long)(i ? ends[i - 1] : 0),
			(unsigned long long)(ends[i] - (i ? ends[i - 1] : 0)));
	fclose(f);
}

static int compare_ends(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Some ends of records are moved, in one index of three so that a record is divided: what is given
 * is right, and every other is a failure that says what to do. */
Test(lookup, a_forged_index_gives_no_other_record)
{
	uint64_t ends[RECORDS];
	struct tfr_rng rng;
	unsigned refused = 0;

	write_file("a", TFR_COMPRESSION_NONE, 3);
	date("a", 1000);
	tfr_rng_init(&rng, 9, 0);
	for (int round = 0; round < 30; round++) {
		struct tfr_lookup *l;

		for (int i = 0; i < RECORDS; i++)
			ends[i] = want[i].offset + want[i].size + TFR_RECORD_OVERHEAD;
		for (int k = 0; k < 40; k++) {
			uint64_t i = tfr_rng_below(&rng, RECORDS - 2);

			if (ends[i + 1] - ends[i] > 64)
				ends[i] += 16 + tfr_rng_below(&rng, 16);
		}
		qsort(ends, RECORDS, sizeof(*ends), compare_ends);
		write_lines(ends, RECORDS);
		l = open_good("a", 1);
		for (uint64_t n = 0; n < RECORDS; n++) {
			struct tfr_record rec;
			struct tfr_error err = { 0 };
			enum tfr_status status = tfr_lookup_read(l, n, &rec, &err);

			if (!status) {
				is_right(&rec, n);
				continue;
			}
			refused++;
			cr_assert_eq(status, TFR_EDATA);
			cr_assert(err.has_record && err.record == n &&
				  strstr(tfr_error_hint_text(&err), "index"));
		}
		tfr_lookup_close(l);
	}
	cr_assert_gt(refused, 30 * 20);
}

/* A line for two records is found out where it is asked for. */
Test(lookup, a_line_for_two_records_is_refused)
{
	uint64_t ends[RECORDS];
	struct tfr_lookup *l;
	struct tfr_record rec;
	struct tfr_error err;

	write_file("a", TFR_COMPRESSION_NONE, 3);
	date("a", 1000);
	for (int i = 0; i < RECORDS; i++)
		ends[i < 5 ? i : i - 1] = want[i].offset + want[i].size + TFR_RECORD_OVERHEAD;
	write_lines(ends, RECORDS - 1);
	l = open_good("a", 1);
	read_right(l, 3);
	cr_assert_eq(tfr_lookup_read(l, 4, &rec, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "where the index says"));
	read_right(l, 2);
	tfr_lookup_close(l);
}

/* Points that are none, or are said to lie elsewhere in the records. */
static void write_points(const char *path, const struct tfr_gzi *gzi)
{
	uint64_t count = gzi->count;
	FILE *f = fopen(path, "wb");

	cr_assert_eq(fwrite(&count, sizeof(count), 1, f), 1);
	cr_assert_eq(fwrite(gzi->points, sizeof(*gzi->points), count, f), count);
	fclose(f);
}

Test(lookup, forged_points_give_no_other_record)
{
	struct tfr_gzi good = { 0 };
	struct tfr_rng rng;
	unsigned refused = 0;

	write_file("a", TFR_COMPRESSION_GZIP, 4);
	date("a", 1000);
	index_file("a");
	cr_assert_eq(tfr_gzi_read(&good, "a.gzi", NULL), TFR_OK);
	cr_assert_gt(good.count, 2);
	tfr_rng_init(&rng, 11, 0);
	for (unsigned round = 0; round < 40; round++) {
		struct tfr_gzi_point saved = good.points[1];
		struct tfr_lookup *l;

		if (round % 2)
			good.points[1].compressed += 1 + tfr_rng_below(&rng, 1000);
		else
			good.points[1].uncompressed -= 1 + tfr_rng_below(&rng, 1000);
		write_points("a.gzi", &good);
		l = open_good("a", 1 + round % 3);
		for (unsigned k = 0; k < 60; k++) {
			uint64_t n = tfr_rng_below(&rng, RECORDS);
			struct tfr_record rec;
			struct tfr_error err = { 0 };
			enum tfr_status status = tfr_lookup_read(l, n, &rec, &err);

			refused += status == TFR_EDATA;
			if (status)
				cr_assert(status == TFR_EDATA && err.record == n, "%d", status);
			else
				is_right(&rec, n);
		}
		tfr_lookup_close(l);
		good.points[1] = saved;
	}
	cr_assert_gt(refused, 40);
	tfr_gzi_clear(&good);
}

/* A damaged record is told of as it is without an index, and the others are as they were. */
Test(lookup, damage_is_told_of_in_the_same_words)
{
	struct tfr_lookup *l;
	struct tfr_record rec;
	struct tfr_error err;
	FILE *f;

	write_file("a", TFR_COMPRESSION_NONE, 5);
	index_file("a");
	for (int i = 0; i < 2; i++) {
		uint64_t n = i ? 20 : 10;

		f = fopen("a", "r+b");
		fseek(f, (long)want[n].offset + (i ? 2 : 12), SEEK_SET);
		fputc(0x5a, f);
		fclose(f);
		date("a", 1000);
		l = open_good("a", 1);
		read_right(l, n - 1);
		cr_assert_eq(tfr_lookup_read(l, n, &rec, &err), TFR_EDATA);
		cr_assert(strstr(
			err.message, i ? "length checksum mismatch" : "data checksum mismatch"));
		cr_assert(err.record == n && err.offset == want[n].offset);
		cr_assert_eq(*tfr_error_hint_text(&err) != 0, i == 1);
		read_right(l, n + 1);
		tfr_lookup_close(l);
	}
}

/* The file is cut off while it is read. */
Test(lookup, a_file_that_shrinks)
{
	struct tfr_lookup *l;
	struct tfr_record rec;
	struct tfr_error err;

	write_file("a", TFR_COMPRESSION_NONE, 6);
	index_file("a");
	l = open_good("a", 1);
	read_right(l, 2000);
	cr_assert_eq(truncate("a", (off_t)want[1000].offset), 0);
	cr_assert_eq(tfr_lookup_read(l, 2900, &rec, &err), TFR_ESYS);
	cr_assert_eq(tfr_lookup_read(l, 1000, &rec, &err), TFR_ESYS);
	cr_assert(strstr(err.message, "the end is at byte "));
	read_right(l, 999);
	tfr_lookup_close(l);
}
