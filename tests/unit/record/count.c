/* A file counted in ranges must be what hopping from its first byte on counts, and where anything
 * is odd the ranges must give up: for records of every size, records in payloads, damage. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/rng.h"
#include "record/count.h"
#include "record/framing.h"

/* No data checksum is looked at, so none is made. */
static void frame(struct tfr_buf *b, const void *payload, size_t size)
{
	uint8_t head[TFR_RECORD_HEADER], foot[TFR_RECORD_FOOTER] = { 1, 2, 3, 4 };

	tfr_put_header(head, size);
	tfr_buf_append(b, head, sizeof(head));
	tfr_buf_append(b, payload, size);
	tfr_buf_append(b, foot, sizeof(foot));
}

/* A file of about `bytes`, records of up to `most`; `nested` of 100 have a payload of records. */
static struct tfr_buf made(size_t bytes, size_t most, unsigned nested, uint64_t seed)
{
	uint8_t *payload = malloc(most + 8);
	struct tfr_buf b = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	while (b.size < bytes) {
		size_t size = (size_t)tfr_rng_below(&r, most + 1);
		struct tfr_buf inner = { 0 };

		for (size_t k = 0; k < size; k += 8)
			tfr_store64(payload + k, tfr_rng_u64(&r));
		if (tfr_rng_below(&r, 100) < nested)
			for (size_t at = 0; at < size; at += size / 7 + 1)
				frame(&inner, payload, size / 7);
		frame(&b, inner.size ? inner.data : payload, inner.size ? inner.size : size);
		tfr_buf_clear(&inner);
	}
	free(payload);
	return b;
}

/* False: something does not fit. */
static bool walk(const struct tfr_buf *b, uint64_t *records)
{
	size_t at = 0;

	for (*records = 0; at < b->size; ++*records) {
		uint64_t length;

		if (b->size - at < TFR_RECORD_HEADER || !tfr_header_verifies(b->data + at))
			return false;
		length = tfr_load64(b->data + at);
		if (length > b->size || at + length + TFR_RECORD_OVERHEAD > b->size)
			return false;
		at += length + TFR_RECORD_OVERHEAD;
	}
	return true;
}

/* Hops are free, or cost so much that records of up to about 100 KB are read. */
static uint64_t stopped_clock(void)
{
	return 0;
}

static uint64_t slow_disk_clock(void)
{
	static uint64_t now;

	return __atomic_add_fetch(&now, 1000000, __ATOMIC_RELAXED);
}

static enum tfr_status in_ranges(
	const struct tfr_buf *b, unsigned threads, bool slow, uint64_t *records)
{
	struct tfr_hop_costs costs = { .clock = slow ? slow_disk_clock : stopped_clock };
	struct tfr_stream_opts how = { .compression = TFR_COMPRESSION_NONE };
	struct tfr_source *source = NULL;
	struct tfr_stream *s = NULL;
	enum tfr_status status;
	struct tfr_error err;

	cr_assert_eq(tfr_source_open_memory(&source, b->data, b->size, "m", &err), TFR_OK);
	cr_assert_eq(tfr_stream_open(&s, source, &how, &err), TFR_OK);
	status = tfr_count_ranges(s, threads, &costs, records, &err);
	cr_assert_eq(tfr_stream_left(s), b->size, "the stream moved");
	tfr_stream_close(s);
	return status;
}

static void assert_same(const struct tfr_buf *b, const char *what, uint64_t seed)
{
	uint64_t want, got;
	bool whole = walk(b, &want);

	for (unsigned threads = 2; threads <= 5; threads++) {
		enum tfr_status status = in_ranges(b, threads, threads % 2, &got);

		cr_assert_eq(status, whole ? TFR_OK : TFR_END, "%s %llu, %u threads: status %d",
			what, (unsigned long long)seed, threads, status);
		if (whole)
			cr_assert_eq(got, want, "%s %llu, %u threads: %llu, not %llu", what,
				(unsigned long long)seed, threads, (unsigned long long)got,
				(unsigned long long)want);
	}
}

Test(count_ranges, is_what_hopping_counts)
{
	static const size_t most[] = { 0, 40, 300, 9000, 100000, 3000000 };

	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		for (unsigned nested = 0; nested <= 100; nested += 50) {
			struct tfr_buf b = made(9 << 20, most[i], nested, i + nested);

			assert_same(&b, "whole", i + nested);
			tfr_buf_clear(&b);
		}
	}
}

Test(count_ranges, damage_gives_up)
{
	struct tfr_rng r;

	tfr_rng_init(&r, 9, 0);
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct tfr_buf b = made(5 << 20, seed % 3 ? 3000 : 200000, seed % 2 * 30, seed);
		size_t at = (size_t)tfr_rng_below(&r, b.size);

		switch (seed % 4) {
		case 0: /* in a payload mostly, which counting does not see */
			b.data[at] ^= 4;
			break;
		case 1:
			memset(b.data + at, 0, b.size - at < 4000 ? b.size - at : 4000);
			break;
		case 2:
			b.size = at;
			break;
		case 3: /* lengths that lead past the end and past every file */
			tfr_put_header(b.data + at - at % 100, tfr_rng_u64(&r) >> seed);
			break;
		}
		if (b.size >= 4 << 20)
			assert_same(&b, "damaged", seed);
		tfr_buf_clear(&b);
	}
}

/* One record that covers every range, and one that is longer than the file. */
Test(count_ranges, a_record_larger_than_ranges)
{
	struct tfr_buf b = { 0 };
	uint8_t *zeros = calloc(1, 12 << 20);

	frame(&b, zeros, 5);
	frame(&b, zeros, 12 << 20);
	assert_same(&b, "large", 0);
	frame(&b, zeros, 7);
	assert_same(&b, "large", 1);
	tfr_put_header(b.data, 13 << 20);
	assert_same(&b, "longer", 0);
	free(zeros);
	tfr_buf_clear(&b);
}

Test(count_ranges, leaves_small_files_and_one_thread_alone)
{
	struct tfr_buf b = made(3 << 20, 100, 0, 1);
	uint64_t n;

	cr_assert_eq(in_ranges(&b, 8, false, &n), TFR_END);
	tfr_buf_clear(&b);
	b = made(9 << 20, 100, 0, 1);
	cr_assert_eq(in_ranges(&b, 1, false, &n), TFR_END);
	tfr_buf_clear(&b);
}

/* --- the cost of hops --- */

static uint64_t now, per_hop, per_byte_ps;

static uint64_t told_clock(void)
{
	return now;
}

/* Goes over `records` of `size` bytes, as counting does, and says how many bytes were read. */
static uint64_t pass_records(struct tfr_hop_timer *t, uint64_t records, uint64_t size)
{
	uint64_t bytes = 0;
	bool on = false;

	for (uint64_t i = 1; i <= records; i++) {
		bytes += on ? size : TFR_RECORD_HEADER;
		now += on ? size * per_byte_ps / 1000 : per_hop;
		on = tfr_hop_reads_on(t, i * size, i * size, size);
	}
	return bytes;
}

Test(hop_cost, the_cheaper_way_is_taken)
{
	static const struct {
		uint64_t per_hop, per_byte_ps, size, most_percent, least_percent;
	} cases[] = {
		{ 300, 100, 100000, 0, 0 },	     /* cached */
		{ 100000, 400, 100000, 100, 95 },    /* reading 100 KB takes 40 us, a hop 100 */
		{ 100000, 400, 1000000, 1, 0 },	     /* reading 1 MB takes 400 us */
		{ 10000000, 6000, 100000, 100, 95 }, /* a hard disk */
		{ 300, 100, 1000, 100, 99 },	     /* small records are always read */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum { RECORDS = 50000 };
		struct tfr_hop_costs costs = { .clock = told_clock, .threads = 1, .streams = 1 };
		struct tfr_hop_timer t = { .shared = &costs };
		uint64_t percent;

		per_hop = cases[i].per_hop;
		per_byte_ps = cases[i].per_byte_ps;
		percent =
			pass_records(&t, RECORDS, cases[i].size) * 100 / (RECORDS * cases[i].size);
		cr_assert(percent <= cases[i].most_percent && percent >= cases[i].least_percent,
			"case %zu: %llu percent", i, (unsigned long long)percent);
	}
}

Test(hop_cost, a_disk_that_becomes_slow_is_noticed)
{
	struct tfr_hop_costs costs = { .clock = told_clock, .threads = 1, .streams = 1 };
	struct tfr_hop_timer t = { .shared = &costs };

	per_hop = 100000;
	per_byte_ps = 2000;
	cr_assert_lt(pass_records(&t, 20000, 100000), 20000ull * 100000 / 20);
	t = (struct tfr_hop_timer){ .shared = &costs };
	per_hop = 1000000;
	cr_assert_gt(pass_records(&t, 20000, 100000), 20000ull * 100000 * 9 / 10);
}
