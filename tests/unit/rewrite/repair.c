/* Small files damaged in every way: what is kept and lost is held, to the byte, against what was
 * done to them. */
#include "base/buf.h"
#include "base/rng.h"
#include "record/framing.h"
#include "unit/rewrite/made.h"

enum { RECORDS = 7, MAX_RECORDS = 64, MAX_DAMAGES = 64 };

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(repair, .init = setup, .fini = teardown);

/* A file and where its records are. */
struct original {
	struct tfr_buf file;
	size_t count;
	size_t at[MAX_RECORDS + 1]; /* the last: the end */
};

static void drop(struct original *o)
{
	tfr_buf_clear(&o->file);
}

#define AUTO_DROP __attribute__((cleanup(drop))) struct original

static void add_record(struct original *o, const void *payload, size_t size)
{
	uint8_t head[12], foot[4];

	tfr_put_header(head, size);
	tfr_store32(foot, tfr_crc_mask(tfr_crc32c(0, payload, size)));
	o->at[o->count++] = o->file.size;
	tfr_buf_append(&o->file, head, 12);
	tfr_buf_append(&o->file, payload, size);
	tfr_buf_append(&o->file, foot, 4);
	o->at[o->count] = o->file.size;
}

/* No two records are of one size, so that no two halves make a whole. */
static struct original make(size_t count, size_t scale)
{
	struct original o = { 0 };
	uint8_t *payload = malloc(count * scale + 1);
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, count);
	for (size_t i = 0; i < count; i++) {
		size_t size = (i * 5 + 3) % count * scale;

		for (size_t k = 0; k < size; k++)
			payload[k] = (uint8_t)tfr_rng_u64(&rng);
		add_record(&o, payload, size);
	}
	free(payload);
	return o;
}

struct outcome {
	struct tfr_repair_report report;
	size_t damages;
	struct tfr_damage damage[MAX_DAMAGES]; /* without path and reason */
	struct tfr_buf out, lost;
	size_t kept[MAX_RECORDS]; /* which of the originals */
	size_t strangers;	  /* records that are none of them */
};

static void on_damage(void *ctx, const struct tfr_damage *d)
{
	struct outcome *r = ctx;

	cr_assert_lt(r->damages, MAX_DAMAGES);
	cr_assert_str_eq(d->path, "bad");
	cr_assert_gt(strlen(d->reason), 5);
	r->damage[r->damages++] = *d;
}

static void slurp(const char *path, struct tfr_buf *b)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0);
	b->size = 0;
	cr_assert(tfr_buf_reserve(b, (size_t)st.st_size + 1));
	b->size = temp_read(path, b->data, (size_t)st.st_size);
}

/* The spans are in order and apart, the quarantine is their bytes, and the output the others. */
static void check_spans(const struct outcome *r, const struct tfr_buf *bad)
{
	size_t at = 0, out = 0, lost = 0;

	for (size_t i = 0; i <= r->damages; i++) {
		const struct tfr_damage *d = &r->damage[i];
		size_t start = i < r->damages ? (size_t)d->offset : bad->size;

		cr_assert_leq(at, start);
		cr_assert_leq(start, bad->size);
		cr_assert_leq(start - at, r->out.size - out);
		cr_assert_arr_eq(bad->data + at, r->out.data + out, start - at);
		out += start - at;
		if (i == r->damages)
			break;
		cr_assert_leq(d->size, bad->size - start);
		if (!d->fixed) {
			cr_assert_leq(d->size, r->lost.size - lost);
			cr_assert_arr_eq(bad->data + start, r->lost.data + lost, d->size);
			lost += (size_t)d->size;
		} else {
			out += (size_t)d->size;
		}
		at = start + (size_t)d->size;
	}
	cr_assert_eq(out, r->out.size);
	cr_assert_eq(lost, r->lost.size);
}

/* Every record that was written verifies; the originals among them are in their order. */
static void check_records(struct outcome *r, const struct original *o)
{
	struct tfr_reader *reader = NULL;
	struct tfr_record rec;
	enum tfr_status status;
	size_t n = 0, i = 0, known = 0;

	cr_assert_eq(tfr_reader_open(&reader, "out", NULL, NULL), TFR_OK);
	while (!(status = tfr_reader_next(reader, &rec, NULL))) {
		for (i = known; i < o->count; i++)
			if (rec.size + 16 == o->at[i + 1] - o->at[i] &&
				!memcmp(rec.data, o->file.data + o->at[i] + 12, rec.size))
				break;
		if (i < o->count) {
			r->kept[n++] = i;
			known = i + 1;
		} else {
			r->strangers++;
		}
	}
	cr_assert_eq(status, TFR_END);
	cr_assert_eq(n + r->strangers, r->report.totals.records);
	tfr_reader_close(reader);
}

/* Repairs the bytes as a file and checks what always holds. */
static struct outcome *repair(const struct original *o, const struct tfr_buf *bad, bool fix_checksums)
{
	static struct outcome r;
	const char *const input = "bad";
	struct tfr_set *set;
	struct tfr_repair_opts opts = {
		.output = "out",
		.writer = { .force = true },
		.quarantine = "lost",
		.fix_checksums = fix_checksums,
		.expect.allow_empty = true,
		.damage = on_damage,
		.ctx = &r,
	};
	const struct tfr_repair_totals *t = &r.report.totals;
	struct tfr_error err = { 0 };

	r.damages = r.strangers = 0;
	temp_write("bad", bad->data, bad->size);
	set = made_open(&input, 1);
	opts.input = set;
	cr_assert_eq(tfr_repair(&opts, &r.report, &err), TFR_OK, "%s", err.message);
	tfr_set_close(set);
	slurp("out", &r.out);
	slurp("lost", &r.lost);
	cr_assert_eq(t->bytes, bad->size);
	cr_assert_eq(t->kept_bytes + t->lost_bytes, bad->size);
	cr_assert_eq(t->kept_bytes, r.out.size);
	cr_assert_eq(t->lost_bytes, r.lost.size);
	cr_assert_eq(t->damages, r.damages);
	cr_assert_eq(t->broken, 0);
	cr_assert_eq(r.report.written, t->records);
	check_records(&r, o);
	if (!t->fixed)
		check_spans(&r, bad);
	cr_assert_eq(temp_count("."), 3);
	return &r;
}

/* Nothing is kept but originals, and all of them that have no bit in `touched`.  One that has may
 * be there: zeros put among zeros, or a byte removed beside an equal one, touch it in name only. */
static void expect_untouched(const struct outcome *r, const struct original *o, uint64_t touched)
{
	size_t n = 0;

	cr_assert_eq(r->strangers, 0);
	for (size_t i = 0; i < o->count; i++) {
		bool kept = n < r->report.totals.records && r->kept[n] == i;

		n += kept;
		cr_assert(kept || touched >> i & 1, "record %zu is gone", i);
	}
	cr_assert_eq(n, r->report.totals.records);
}

/* The originals with a bit in `touched` are gone, and nothing else is. */
static void expect_kept(const struct outcome *r, const struct original *o, uint64_t touched)
{
	expect_untouched(r, o, touched);
	for (size_t n = 0; n < r->report.totals.records; n++)
		cr_assert(!(touched >> r->kept[n] & 1), "record %zu is kept", r->kept[n]);
}

/* The record that holds byte `at`. */
static size_t record_of(const struct original *o, size_t at)
{
	size_t i = 0;

	while (i + 1 < o->count && o->at[i + 1] <= at)
		i++;
	return i;
}

static uint64_t bit(size_t i)
{
	return (uint64_t)1 << i;
}

/* `bad` is the original with `removed` bytes at `at` replaced by `size` others. */
static void splice(struct tfr_buf *bad, const struct tfr_buf *whole, size_t at, size_t removed,
	const void *bytes, size_t size)
{
	bad->size = 0;
	tfr_buf_append(bad, whole->data, at);
	tfr_buf_append(bad, bytes, size);
	tfr_buf_append(bad, whole->data + at + removed, whole->size - at - removed);
}

Test(repair, what_is_whole_is_the_same_file)
{
	AUTO_DROP o = make(RECORDS, 9);
	struct outcome *r = repair(&o, &o.file, false);

	cr_assert_eq(r->damages, 0);
	cr_assert_eq(r->report.damaged_files, 0);
	expect_kept(r, &o, 0);
	cr_assert_eq(r->out.size, o.file.size);
	o.file.size = 0;
	o.count = 0;
	r = repair(&o, &o.file, false);
	cr_assert(r->damages == 0 && r->out.size == 0);
}

Test(repair, every_flipped_bit_costs_one_record)
{
	AUTO_DROP o = make(RECORDS, 9);

	for (size_t at = 0; at < o.file.size; at++) {
		for (int b = 0; b < 8; b += at % 2 ? 1 : 7) {
			size_t i = record_of(&o, at);
			struct outcome *r;

			o.file.data[at] ^= (uint8_t)(1 << b);
			r = repair(&o, &o.file, false);
			o.file.data[at] ^= (uint8_t)(1 << b);
			expect_kept(r, &o, bit(i));
			cr_assert_eq(r->damages, 1);
			cr_assert(r->damage[0].record == i && r->damage[0].offset == o.at[i]);
			cr_assert_eq(r->damage[0].size, o.at[i + 1] - o.at[i]);
		}
	}
}

Test(repair, every_truncation_costs_the_cut_record)
{
	AUTO_DROP o = make(RECORDS, 9);
	size_t whole = o.file.size;

	for (size_t size = 0; size < whole; size++) {
		size_t i = record_of(&o, size);
		struct outcome *r;

		o.file.size = size;
		r = repair(&o, &o.file, false);
		expect_kept(r, &o, ~(bit(i) - 1));
		cr_assert_eq(r->damages, size != o.at[i]);
		cr_assert_eq(r->lost.size, size - o.at[i]);
	}
}

Test(repair, inserted_bytes_cost_the_record_they_are_in)
{
	static const uint8_t zeros[16], ones[16] = { [0 ... 15] = 0xff };
	AUTO_DROP o = make(RECORDS, 9);
	TFR_AUTO_BUF bad = { 0 };

	for (size_t at = 0; at <= o.file.size; at++) {
		for (size_t n = 1; n <= 16; n += 3) {
			size_t i = record_of(&o, at);
			bool between = at == o.at[i] || at == o.file.size;
			struct outcome *r;

			splice(&bad, &o.file, at, 0, n % 2 ? zeros : ones, n);
			r = repair(&o, &bad, false);
			expect_untouched(r, &o, between ? 0 : bit(i));
			cr_assert_eq(r->lost.size,
				n + (r->report.totals.records == RECORDS ? 0
									 : o.at[i + 1] - o.at[i]));
			cr_assert_eq(r->damages, 1);
		}
	}
}

Test(repair, removed_bytes_cost_the_records_they_are_of)
{
	AUTO_DROP o = make(RECORDS, 9);
	TFR_AUTO_BUF bad = { 0 };

	for (size_t at = 0; at < o.file.size; at++) {
		for (size_t n = 1; n <= 50 && at + n <= o.file.size; n += n < 4 ? 1 : 9) {
			uint64_t touched = 0;

			for (size_t k = at; k < at + n; k++)
				touched |= bit(record_of(&o, k));
			splice(&bad, &o.file, at, n, NULL, 0);
			expect_untouched(repair(&o, &bad, false), &o, touched);
		}
	}
}

Test(repair, garbage_between_records_costs_nothing)
{
	AUTO_DROP o = make(RECORDS, 9);
	TFR_AUTO_BUF bad = { 0 };
	uint8_t garbage[5000];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 4, 0);
	for (int round = 0; round < 100; round++) {
		size_t at = o.at[tfr_rng_below(&rng, RECORDS + 1)],
		       n = 1 + (size_t)tfr_rng_below(&rng, sizeof(garbage));
		struct outcome *r;

		for (size_t k = 0; k < n; k++)
			garbage[k] = (uint8_t)tfr_rng_u64(&rng);
		splice(&bad, &o.file, at, 0, garbage, n);
		r = repair(&o, &bad, false);
		expect_kept(r, &o, 0);
		cr_assert(r->damages == 1 && r->lost.size == n);
	}
}

/* A header with a right checksum between two records, for every length up to the end and some
 * beyond it: the records are found, unless the length ends where a record begins, so that all it
 * covers is a record with a damaged payload.  And but for a length of 8: the length behind it with
 * its checksum is a whole record then. */
Test(repair, forged_lengths_cost_nothing)
{
	AUTO_DROP o = make(RECORDS, 9);
	TFR_AUTO_BUF bad = { 0 };
	uint8_t forged[12];

	for (size_t k = 0; k < RECORDS; k++) {
		for (uint64_t n = 0; n < o.file.size + 40; n++) {
			uint64_t length = n < o.file.size + 20 ? n : (uint64_t)1 << (n % 64);
			uint64_t end = o.at[k] + length + TFR_RECORD_FOOTER, covered = 0;

			for (size_t i = k; i < RECORDS; i++)
				if (end == o.at[i + 1])
					covered = (bit(i + 1) - 1) & ~(bit(k) - 1);
			if (length == 8)
				continue;
			tfr_put_header(forged, length);
			splice(&bad, &o.file, o.at[k], 0, forged, sizeof(forged));
			expect_kept(repair(&o, &bad, false), &o, covered);
		}
	}
}

Test(repair, several_damages_each_cost_their_own)
{
	AUTO_DROP o = make(RECORDS, 9);
	TFR_AUTO_BUF bad = { 0 };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 5, 0);
	for (int round = 0; round < 1500; round++) {
		uint64_t touched = 0;

		splice(&bad, &o.file, 0, 0, NULL, 0);
		for (size_t n = 1 + (size_t)tfr_rng_below(&rng, 5); n; n--) {
			size_t at = (size_t)tfr_rng_below(&rng, bad.size);
			size_t i = record_of(&o, at);

			/* Neighbours, the last one, or any. */
			if (touched && round % 3 == 0)
				at = o.at[(record_of(&o, at) + 1) % RECORDS] +
				     (size_t)tfr_rng_below(&rng, 16);
			i = record_of(&o, at);
			bad.data[at] ^= (uint8_t)(1 + tfr_rng_below(&rng, 255));
			touched |= bit(i);
		}
		for (size_t i = 0; i < RECORDS; i++) /* two flips may undo each other */
			if (!memcmp(bad.data + o.at[i], o.file.data + o.at[i],
				    o.at[i + 1] - o.at[i]))
				touched &= ~bit(i);
		expect_kept(repair(&o, &bad, false), &o, touched);
	}
}

/* A record whose payload is a whole file of records is one record as long as it is whole, or its
 * end is confirmed; without its header, those inside are all there is. */
Test(repair, a_file_within_a_record)
{
	AUTO_DROP inner = make(RECORDS, 9);
	AUTO_DROP o = { 0 };
	TFR_AUTO_BUF bad = { 0 };
	struct outcome *r;
	size_t at;

	add_record(&o, "before", 6);
	add_record(&o, inner.file.data, inner.file.size);
	add_record(&o, "behind it", 9);
	expect_kept(repair(&o, &o.file, false), &o, 0);
	for (at = o.at[1] + 12; at < o.at[2]; at++) {
		o.file.data[at] ^= 0x41;
		r = repair(&o, &o.file, false);
		o.file.data[at] ^= 0x41;
		expect_kept(r, &o, bit(1));
		cr_assert(r->damages == 1 && r->damage[0].size == o.at[2] - o.at[1]);
	}
	for (at = o.at[1]; at < o.at[1] + 12; at++) {
		o.file.data[at] ^= 0x41;
		r = repair(&o, &o.file, false);
		o.file.data[at] ^= 0x41;
		cr_assert_eq(r->strangers, RECORDS);
		cr_assert_eq(r->report.totals.records, 2 + RECORDS);
		cr_assert_eq(r->lost.size, 16);
	}
	/* The record before it lost a byte: the resynchronising stops at the outer record. */
	splice(&bad, &o.file, 14, 1, NULL, 0);
	expect_kept(repair(&o, &bad, false), &o, bit(0));
}

/* Records of several blocks are proved where they lie, others in memory: both ways find the same.
 */
Test(repair, large_records)
{
	static const size_t lengths[] = { 0, 100, 600000, 1000000, 1300000, 3000000 };
	AUTO_DROP o = make(5, 300000);
	TFR_AUTO_BUF bad = { 0 };
	uint8_t forged[12];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 6, 0);
	for (int round = 0; round < 12; round++) {
		size_t at = (size_t)tfr_rng_below(&rng, o.file.size), i = record_of(&o, at);

		if (round % 4 == 0)
			at = o.at[i] + (size_t)round;
		splice(&bad, &o.file, at, 1, &"fourfour"[round % 4], round % 2 ? 4 : 0);
		expect_kept(repair(&o, &bad, false), &o, bit(i));
	}
	for (size_t k = 0; k < sizeof(lengths) / sizeof(*lengths); k++) {
		tfr_put_header(forged, lengths[k]);
		splice(&bad, &o.file, o.at[2], 0, forged, sizeof(forged));
		expect_kept(repair(&o, &bad, false), &o, 0);
	}
}

Test(repair, fixing_keeps_what_the_payload_holds_now)
{
	AUTO_DROP o = make(RECORDS, 9);

	for (size_t at = 0; at < o.file.size; at++) {
		size_t i = record_of(&o, at);
		size_t size = o.at[i + 1] - o.at[i];
		bool header = at < o.at[i] + 12, footer = at >= o.at[i + 1] - 4;
		struct outcome *r;

		o.file.data[at] ^= 0x20;
		r = repair(&o, &o.file, true);
		cr_assert(r->damages == 1 && r->damage[0].fixed == !header);
		cr_assert_eq(r->report.totals.fixed, !header);
		cr_assert_eq(r->lost.size, header ? size : 0);
		if (!header) {
			cr_assert_eq(r->report.totals.records, RECORDS);
			cr_assert_arr_eq(r->out.data + o.at[i], o.file.data + o.at[i], size - 4);
			cr_assert_neq(memcmp(r->out.data + o.at[i + 1] - 4,
					      o.file.data + o.at[i + 1] - 4, 4),
				0);
		}
		o.file.data[at] ^= 0x20;
		if (footer) /* the payload was whole: so is the record now */
			cr_assert_arr_eq(r->out.data, o.file.data, o.file.size);
	}
}

/* What lies behind several damages in one input is no matter of the next input. */
Test(repair, files_one_after_another_into_a_set)
{
	const char *const inputs[] = { "a", "bad", "c" };
	AUTO_DROP o = make(RECORDS, 9);
	struct tfr_set *set;
	struct tfr_repair_opts opts = { .output = "all@3", .damage = NULL };
	struct tfr_repair_report report;
	struct tfr_error err = { 0 };

	temp_write("a", o.file.data, o.file.size);
	temp_write("c", o.file.data, o.file.size);
	o.file.data[o.at[6] + 1] ^= 1;
	temp_write("bad", o.file.data, o.file.size);
	set = made_open(inputs, 3);
	opts.input = set;
	cr_assert_eq(tfr_repair(&opts, &report, &err), TFR_OK, "%s", err.message);
	cr_assert(report.files == 3 && report.damaged_files == 1 && report.totals.damages == 1);
	cr_assert_eq(report.written, 3 * RECORDS - 1);
	cr_assert_eq(report.totals.lost_bytes, o.at[7] - o.at[6]);
	cr_assert_eq(temp_count("."), 3 + 4);
	cr_assert_eq(tfr_repair(&opts, &report, &err), TFR_EEXIST);
	opts.output = NULL;
	opts.quarantine = NULL;
	cr_assert_eq(tfr_repair(&opts, &report, &err), TFR_OK);
	cr_assert(report.totals.damages == 1 && report.written == 0);
	cr_assert_eq(temp_count("."), 3 + 4);
	tfr_set_close(set);
}

/* Every byte of a GZIP file after those that identify it flipped, and every truncation of it: what
 * came out is accounted for, and every record of the output is one of the originals. */
Test(repair, damaged_compressed_streams)
{
	const char *const input = "bad";
	AUTO_DROP o = make(RECORDS, 40);
	struct tfr_writer_opts gzip = { .compression = TFR_COMPRESSION_GZIP, .force = true };
	struct tfr_writer *w = NULL;
	TFR_AUTO_BUF whole = { 0 };
	struct outcome r;

	cr_assert_eq(tfr_writer_open(&w, "z", &gzip, NULL), TFR_OK);
	for (size_t i = 0; i < o.count; i++)
		cr_assert_eq(tfr_writer_put(w, o.file.data + o.at[i] + 12,
				     o.at[i + 1] - o.at[i] - 16, NULL),
			TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	slurp("z", &whole);
	for (size_t round = 2 * 3; round < 2 * whole.size; round++) {
		bool cut = round % 2;
		size_t at = round / 2;
		struct tfr_repair_opts opts = {
			.output = "out",
			.writer = { .force = true },
			.expect.allow_empty = true,
			.damage = on_damage,
			.ctx = &r,
		};
		const struct tfr_repair_totals *t = &r.report.totals;
		struct tfr_set *set;

		memset(&r, 0, sizeof(r));
		whole.data[at] ^= cut ? 0 : 0x11;
		temp_write("bad", whole.data, cut ? at : whole.size);
		whole.data[at] ^= cut ? 0 : 0x11;
		set = made_open(&input, 1);
		opts.input = set;
		cr_assert_eq(tfr_repair(&opts, &r.report, NULL), TFR_OK);
		tfr_set_close(set);
		check_records(&r, &o);
		cr_assert_eq(r.strangers, 0);
		cr_assert_eq(t->kept_bytes + t->lost_bytes, t->bytes);
		cr_assert_leq(t->broken, 1);
		if (cut && at)
			cr_assert(t->broken == 1 && r.damages >= 1);
		if (!t->broken && !t->lost_bytes && at) /* a time, a system: nothing that counts */
			cr_assert_eq(t->records, RECORDS);
	}
}
