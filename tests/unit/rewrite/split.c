/* The parts of a division by hash: keys, classes, the bounds; and the whole of it. */
#include "support/temp.h"

#include <tfr-private/rewrite.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/rng.h"
#include "rewrite/record_key.h"
#include "rewrite/strata.h"

static char *dir;
static const struct tfr_spill_folders here = { (const char *const[]){ "." }, 1, NULL };

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(split, .init = setup, .fini = teardown, .timeout = 120);

/* --- keys --- */

static uint64_t key_of(struct tfr_builder *b, uint64_t seed)
{
	struct tfr_example *ex = tfr_example_new();
	const struct tfr_feature *key;
	const uint8_t *data;
	size_t size;
	uint64_t hash;

	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
	cr_assert_eq(tfr_key_find(ex, "k", &key, NULL), TFR_OK);
	hash = tfr_key_hash(key, seed);
	tfr_example_free(ex);
	return hash;
}

Test(split, a_key_is_hashed_as_the_page_says)
{
	struct tfr_builder *b = tfr_builder_new();
	uint8_t stream[400] = { 0x81, 0x02 }; /* 257 as a varint */
	uint8_t long_value[257];
	struct tfr_bytes two[] = { { long_value, 257 }, { (const uint8_t *)"bc", 2 } };
	const int64_t numbers[] = { -2, INT64_MAX };
	const float reals[] = { 1.5f, -0.0f };

	memset(long_value, 'x', sizeof(long_value));
	memset(stream + 2, 'x', 257);
	memcpy(stream + 259,
		"\x02"
		"bc",
		3);
	tfr_builder_bytes(b, "k", two, 2, NULL);
	cr_assert_eq(key_of(b, 0), XXH3_64bits(stream, 262));
	cr_assert_eq(key_of(b, 9), XXH3_64bits_withSeed(stream, 262, 9));
	tfr_builder_bytes(b, "k", two, 1, NULL);
	cr_assert_eq(key_of(b, 0), XXH3_64bits(long_value, 257), "one value is itself");
	cr_assert_eq(key_of(b, 9), XXH3_64bits_withSeed(long_value, 257, 9));
	tfr_builder_bytes(b, "k", &(struct tfr_bytes){ NULL, 0 }, 1, NULL);
	cr_assert_eq(key_of(b, 0), XXH3_64bits("", 0));
	tfr_builder_int64s(b, "k", numbers, 2, NULL);
	cr_assert_eq(key_of(b, 0),
		XXH3_64bits(
			"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 16));
	tfr_builder_floats(b, "k", reals, 2, NULL);
	cr_assert_eq(key_of(b, 3), XXH3_64bits_withSeed("\0\0\xc0\x3f\0\0\0\x80", 8, 3));
	tfr_builder_free(b);
}

Test(split, a_key_that_is_absent_unset_or_empty_is_bad_data)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	const struct tfr_feature *key;
	const uint8_t *data;
	size_t size;

	tfr_builder_int64s(b, "empty", NULL, 0, NULL);
	tfr_builder_feature(b, &(struct tfr_feature){ .key = "unset", .key_size = 5 }, NULL);
	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
	cr_assert_not_null(tfr_example_get(ex, "unset"));
	cr_assert_eq(tfr_key_find(ex, "absent", &key, NULL), TFR_EDATA);
	cr_assert_eq(tfr_key_find(ex, "unset", &key, NULL), TFR_EDATA);
	cr_assert_eq(tfr_key_find(ex, "empty", &key, NULL), TFR_EDATA);
	tfr_example_free(ex);
	tfr_builder_free(b);
}

/* --- the bounds --- */

/* Divides `n` records of one class with hashes 0, step, 2·step, … (each `times` times). */
static struct tfr_strata *strata_of(
	const struct tfr_share *shares, size_t count, uint64_t n, uint64_t times)
{
	struct tfr_strata *s = tfr_strata_new(shares, count, 1, 1, &here);
	struct tfr_counted_class class = { .kind = TFR_KIND_INT64, .number = 7 };
	uint64_t step = n ? UINT64_MAX / n : 0;

	for (uint64_t i = 0; i < n; i++)
		cr_assert_eq(tfr_strata_note(s, 0, &class, i / times * step, NULL), TFR_OK);
	cr_assert_eq(tfr_strata_draw(s, NULL), TFR_OK);
	return s;
}

static void received_of(const struct tfr_strata *s, uint64_t n, uint64_t times, uint64_t *received)
{
	uint64_t step = n ? UINT64_MAX / n : 0;

	for (uint64_t i = 0; i < n; i++)
		received[tfr_strata_choose(s, 0, i / times * step)]++;
}

/* num[i] / den are the fractions; the oracle is whole numbers. */
static uint64_t round_half_even(uint64_t num, uint64_t den)
{
	uint64_t whole = num / den, twice = 2 * (num % den);

	return whole + (twice > den || (twice == den && whole % 2));
}

static void check_exact(const uint64_t *num, size_t count, uint64_t den, uint64_t n)
{
	struct tfr_share shares[8];
	uint64_t received[9] = { 0 }, cumulated = 0, before = 0;
	struct tfr_strata *s;

	for (size_t i = 0; i < count; i++)
		shares[i] = (struct tfr_share){ "x", (double)num[i] / (double)den };
	s = strata_of(shares, count, n, 1);
	if (n) {
		received_of(s, n, 1, received);
		for (size_t i = 0; i < count; i++) {
			uint64_t end = round_half_even((cumulated += num[i]) * n, den);

			cr_assert_eq(received[i], end - before, "%d of %d: %d, not %d", (int)i,
				(int)n, (int)received[i], (int)(end - before));
			cr_assert_eq(tfr_strata_wanted(s, n, i), end - before);
			before = end;
		}
		cr_assert_eq(received[count], n - before);
		cr_assert_eq(tfr_strata_wanted(s, n, count), n - before);
		cr_assert_eq(tfr_strata_classes(s)->items[0].records, n);
	}
	tfr_strata_free(s);
}

Test(split, counts_are_exact_for_many_sizes_and_fractions)
{
	static const struct {
		uint64_t num[4], den;
		size_t count;
	} cases[] = {
		{ { 9, 1 }, 10, 2 },
		{ { 1, 9 }, 10, 2 },
		{ { 7, 2, 1 }, 10, 3 },
		{ { 1, 2, 4 }, 10, 3 }, /* 0.1 + 0.2 is not 0.3 */
		{ { 5, 5 }, 10, 2 },
		{ { 15, 35, 25, 25 }, 100, 4 },
		{ { 1, 1, 1 }, 1000, 3 },
		{ { 333, 333, 333 }, 1000, 3 },
		{ { 125, 125, 125, 625 }, 1000, 4 },
		{ { 1 }, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (uint64_t n = 0; n <= 205; n++)
			check_exact(cases[i].num, cases[i].count, cases[i].den, n);
		check_exact(cases[i].num, cases[i].count, cases[i].den, 20000); /* spills */
	}
}

Test(split, the_rest_takes_the_largest_hashes_wherever_it_is_named)
{
	struct tfr_share shares[] = { { "rest", 0 }, { "a", 0.5 }, { "b", 0.25 } };
	struct tfr_strata *s = strata_of(shares, 3, 8, 1);
	uint64_t step = UINT64_MAX / 8;
	static const size_t wants[] = { 1, 1, 1, 1, 2, 2, 0, 0 };

	for (uint64_t i = 0; i < 8; i++)
		cr_assert_eq(tfr_strata_choose(s, 0, i * step), wants[i]);
	cr_assert_eq(tfr_strata_wanted(s, 8, 0), 2);
	cr_assert_eq(tfr_strata_wanted(s, 8, 3), 0, "none is left");
	tfr_strata_free(s);
}

Test(split, equal_hashes_stay_together_as_near_to_the_count_as_can_be)
{
	struct tfr_share shares[] = { { "a", 0.5 }, { "b", 0.5 } };
	/* n records in groups of `times`: what the first set receives */
	static const uint64_t cases[][3] = { { 10, 10, 10 }, { 10, 5, 5 }, { 9, 3, 3 },
		{ 12, 4, 8 }, { 12, 8, 8 }, { 14, 4, 8 }, { 18, 7, 7 }, { 1, 1, 0 }, { 3, 3, 3 },
		{ 3, 2, 2 }, { 100, 99, 99 }, { 100, 30, 60 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_strata *s = strata_of(shares, 2, cases[i][0], cases[i][1]);
		uint64_t received[3] = { 0 };

		received_of(s, cases[i][0], cases[i][1], received);
		cr_assert_eq(
			received[0], cases[i][2], "%d of %d", (int)received[0], (int)cases[i][0]);
		cr_assert_eq(received[0] + received[1], cases[i][0]);
		tfr_strata_free(s);
	}
}

Test(split, the_largest_and_the_smallest_hash_are_hashes_like_others)
{
	struct tfr_share shares[] = { { "a", 0.5 }, { "b", 0.25 } };
	struct tfr_counted_class class = { .kind = TFR_KIND_BYTES };
	static const uint64_t hashes[] = { 0, 1, UINT64_MAX - 1, UINT64_MAX };
	static const size_t wants[] = { 0, 0, 1, 2 };
	struct tfr_strata *s = tfr_strata_new(shares, 2, 1, 1, &here);

	for (int i = 3; i >= 0; i--)
		cr_assert_eq(tfr_strata_note(s, 0, &class, hashes[i], NULL), TFR_OK);
	cr_assert_eq(tfr_strata_draw(s, NULL), TFR_OK);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(tfr_strata_choose(s, 0, hashes[i]), wants[i]);
	tfr_strata_free(s);
}

/* The bounds do not depend on the memory: many classes, hashes that are few or differ in some bytes
 * only. */
static uint64_t choices_of(uint64_t memory, uint32_t classes, uint64_t mask, bool spills)
{
	struct tfr_share shares[] = { { "a", 0.3 }, { "b", 0.2 } };
	struct tfr_strata *s = tfr_strata_new(shares, 2, 1, memory, &here);
	uint64_t digest = 0;
	struct tfr_rng rng;

	for (int pass = 0; pass < 2; pass++) {
		tfr_rng_init(&rng, 5, classes);
		for (size_t i = 0; i < 40000; i++) {
			uint64_t hash = tfr_rng_u64(&rng) & mask;
			uint32_t number = (uint32_t)tfr_rng_below(&rng, classes);
			struct tfr_counted_class class = { .kind = TFR_KIND_INT64,
				.number = number };

			if (!pass)
				cr_assert_eq(tfr_strata_note(s, 0, &class, hash, NULL), TFR_OK);
			else
				digest = digest * 3 +
					 tfr_strata_choose(s,
						 tfr_classes_find(tfr_strata_classes(s), &class),
						 hash);
		}
		if (!pass) {
			cr_assert_eq(temp_count("."), 0, "the file has no name");
			cr_assert_eq(tfr_strata_draw(s, NULL), TFR_OK);
		}
	}
	cr_assert_eq(tfr_strata_spilled(s), spills ? 40000 * 12 : 0, "all of it is merged");
	tfr_strata_free(s);
	return digest;
}

Test(split, the_bounds_are_the_same_in_memory_and_from_disk)
{
	static const uint64_t masks[] = { UINT64_MAX, 0, 3, 0xff00000000000000,
		0x0000ffff00000000 };
	static const uint32_t classes[] = { 1, 3, 10000 };

	for (size_t m = 0; m < 5; m++)
		for (size_t c = 0; c < 3; c++)
			cr_assert_eq(choices_of(1 << 20, classes[c], masks[m], false),
				choices_of(1, classes[c], masks[m], true));
}

/* A failure is told to whoever notes, each once in a while. */
static void note_until_refused(struct tfr_strata *s, unsigned worker, int64_t number)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_INT64, .number = number };
	struct tfr_error err = { 0 };
	int i = 0;

	while (!tfr_strata_note(s, worker, &class, 1, &err))
		cr_assert_lt(i++, 10000);
	cr_assert_eq(err.status, TFR_EUSAGE);
	cr_assert_not_null(strstr(err.message, "1000000 classes"), "%s", err.message);
}

Test(split, a_million_classes_and_no_more)
{
	struct tfr_share shares[] = { { "a", 0.5 }, { "b", 0 } };

	for (int more = 0; more < 2; more++) {
		struct tfr_strata *s = tfr_strata_new(shares, 2, 2, 1, &here);

		for (int64_t i = 0; i < TFR_CLASSES_MAX; i++) {
			struct tfr_counted_class class = { .kind = TFR_KIND_INT64, .number = i };

			cr_assert_eq(tfr_strata_note(s, 0, &class, (uint64_t)i, NULL), TFR_OK);
		}
		if (more) {
			note_until_refused(s, 0, -1);
			note_until_refused(s, 1, 0);
		}
		cr_assert_eq(tfr_strata_draw(s, NULL), more ? TFR_EUSAGE : TFR_OK);
		cr_assert_eq(tfr_strata_classes(s)->n, TFR_CLASSES_MAX);
		tfr_strata_free(s);
	}
}

/* Long names fill the workers' own tables, and many of them the table of all. */
Test(split, names_of_classes_are_bounded_together)
{
	struct tfr_share shares[] = { { "a", 0.5 }, { "b", 0 } };
	struct tfr_strata *s = tfr_strata_new(shares, 2, 1, 1, &here);
	enum { LENGTH = 300 << 10, FIT = (64 << 20) / LENGTH };
	uint8_t *name = calloc(1, LENGTH);
	struct tfr_counted_class class = { .kind = TFR_KIND_BYTES, .text = { name, LENGTH } };
	struct tfr_error err = { 0 };

	for (int i = 0; i < 2 * FIT; i++) {
		memcpy(name, &(int){ i / 2 }, sizeof(i));
		cr_assert_eq(tfr_strata_note(s, 0, &class, 1, &err), TFR_OK);
	}
	cr_assert_gt(tfr_strata_classes(s)->n, FIT - 5, "a worker keeps but few");
	memset(name, 1, 1 << 10);
	cr_assert_eq(tfr_strata_note(s, 0, &class, 1, &err), TFR_OK);
	cr_assert_eq(tfr_strata_draw(s, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "the names of the classes are more than 64 MiB");
	cr_assert_eq(tfr_strata_classes(s)->n, FIT);
	cr_assert_eq(tfr_strata_classes(s)->items[FIT / 2].records, 2);
	free(name);
	tfr_strata_free(s);
}

Test(split, classes_that_look_alike_are_told_apart)
{
	struct tfr_share shares[] = { { "a", 0.5 }, { "b", 0 } };
	struct tfr_strata *s = tfr_strata_new(shares, 2, 1, 1, &here);
	struct tfr_counted_class number = { .kind = TFR_KIND_INT64 };
	struct tfr_counted_class empty = { .kind = TFR_KIND_BYTES };
	struct tfr_counted_class text = { .kind = TFR_KIND_BYTES,
		.text = { (const uint8_t *)"a\0b", 3 } };
	struct tfr_counted_class shorter = { .kind = TFR_KIND_BYTES,
		.text = { (const uint8_t *)"a\0c", 1 } };
	const struct tfr_counted_class *all[] = { &number, &empty, &text, &shorter };
	const struct tfr_classes *classes;

	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 4; i++)
			cr_assert_eq(tfr_strata_note(s, 0, all[i], i, NULL), TFR_OK);
	cr_assert_eq(tfr_strata_draw(s, NULL), TFR_OK);
	classes = tfr_strata_classes(s);
	cr_assert_eq(classes->n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert_eq(tfr_classes_find(classes, all[i]), i);
		cr_assert_eq(classes->items[i].records, 3);
	}
	number.number = 4;
	cr_assert_eq(tfr_classes_find(classes, &number), TFR_CLASS_NONE);
	tfr_strata_free(s);
}

/* --- the call --- */

static void write_records(const char *path, int from, int to)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w;

	cr_assert_eq(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL),
		TFR_OK);
	for (int i = from; i < to; i++) {
		const uint8_t *data;
		size_t size;

		tfr_builder_reset(b);
		tfr_builder_int64(b, "id", i, NULL);
		tfr_builder_int64(b, "class", i % 3, NULL);
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, data, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
}

static enum tfr_status split(struct tfr_split_opts o, const char *input,
	struct tfr_split_report *report, struct tfr_error *err)
{
	struct tfr_share shares[] = { { "a@2", 0.5 }, { "b", 0.25 } };
	struct tfr_set_opts set_opts = { .inputs = &input, .count = 1 };
	struct tfr_set *set;
	enum tfr_status status;

	cr_assert_eq(tfr_set_open(&set, &set_opts, NULL), TFR_OK);
	o.common.sweep.input = set;
	o.shares = shares;
	o.share_count = 2;
	status = tfr_split(&o, report, err);
	tfr_set_close(set);
	return status;
}

Test(split, the_report_adds_up)
{
	struct tfr_split_report r;

	write_records("in", 0, 999);
	cr_assert_eq(split((struct tfr_split_opts){ .stratify = "class" }, "in", &r, NULL), TFR_OK);
	cr_assert_eq(r.common.records, 999);
	cr_assert_eq(r.common.written + r.left, 999);
	cr_assert_eq(r.sets[0].records + r.sets[1].records, r.common.written);
	cr_assert_eq(r.sets[0].sum + r.sets[1].sum, r.common.sum);
	cr_assert_eq(r.sets[0].bytes + r.sets[1].bytes, r.common.bytes);
	cr_assert_eq(r.class_count, 3);
	cr_assert_eq(r.off, 0);
	for (int c = 0; c < 3; c++) { /* 333: 166.5 is 166, 249.75 is 250 */
		struct tfr_split_class class = tfr_split_report_class(&r, (size_t)c);

		cr_assert_eq(class.label, c);
		cr_assert_eq(class.records, 333);
		cr_assert_eq(class.received[0], 166);
		cr_assert_eq(class.received[1], 84);
		cr_assert_eq(class.received[2], 83);
		cr_assert_eq(class.wanted[2], 83);
	}
	tfr_split_report_clear(&r);
}

static bool cancel(void *ctx, const char *phase, const struct tfr_progress *p)
{
	(void)p;
	return strcmp(phase, ctx);
}

Test(split, cancelled_it_leaves_nothing)
{
	static const char *const phases[] = { "counting", "writing" };
	struct tfr_split_report r;
	struct tfr_error err;

	write_records("in", 0, 300000);
	for (int i = 0; i < 2; i++) {
		struct tfr_split_opts o = { .stratify = "class", .memory = 1 };

		o.common.sweep.progress = cancel;
		o.common.sweep.ctx = (void *)(uintptr_t)phases[i];
		cr_assert_eq(split(o, "in", &r, &err), TFR_ECANCELLED);
		cr_assert_eq(temp_count("."), 1);
		tfr_split_report_clear(&r);
	}
}

/* Other records take the place of those that were counted, at the moment the writing begins. */
struct swap {
	const char *with;
	bool done;
};

static bool swap_inputs(void *ctx, const char *phase, const struct tfr_progress *p)
{
	struct swap *s = ctx;

	(void)p;
	/* The last call while counting comes when all was read. */
	if (!strcmp(phase, "counting") && p->bytes >= p->total_bytes && !s->done) {
		s->done = true;
		cr_assert_eq(rename(s->with, "in"), 0);
	}
	return true;
}

Test(split, inputs_that_change_between_the_readings_are_found_out)
{
	/* More of them; fewer; as many of each class, but others; another class. */
	static const int ranges[][2] = { { 0, 999 }, { 0, 897 }, { 3, 903 }, { 0, 900 } };

	for (int i = 0; i < 4; i++) {
		struct swap s = { .with = "other" };
		struct tfr_split_opts o = { .stratify = "class" };
		struct tfr_split_report r;
		struct tfr_error err = { 0 };
		enum tfr_status status;

		write_records("in", 0, 900);
		write_records("other", ranges[i][0], ranges[i][1]);
		o.common.sweep.progress = swap_inputs;
		o.common.sweep.ctx = &s;
		status = split(o, "in", &r, &err);
		cr_assert(s.done);
		if (i == 3) {
			cr_assert_eq(status, TFR_OK, "the same records are no change");
		} else {
			cr_assert_eq(status, TFR_EDATA);
			cr_assert_not_null(strstr(err.message, "changed"), "%s", err.message);
			cr_assert_eq(temp_count("."), 1);
		}
		tfr_split_report_clear(&r);
	}
}
