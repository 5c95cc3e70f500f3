/* Feature lists read in place, and protobuf-c's reader of the same record: on random
 * SequenceExamples and on damage to them the two must tell the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buf.h"
#include "base/rng.h"
#include "example/lists.h"
#include "example/print/print.h"

static void put_field(struct tfr_buf *to, unsigned number, const void *data, size_t size)
{
	uint8_t head[6] = { (uint8_t)(number << 3 | TFR_WIRE_BYTES) };
	size_t n = 1;

	for (uint64_t v = size; n == 1 || v; v >>= 7)
		head[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
	cr_assert(tfr_buf_append(to, head, n));
	cr_assert(tfr_buf_append(to, data, size));
}

/* A Feature, at times without a list.  (One with two lists of a kind, which protobuf merges,
 * protobuf-c reads otherwise; that is the same code for Examples, and tested there.) */
static void put_step(struct tfr_buf *to, struct tfr_rng *r, unsigned kind)
{
	TFR_AUTO_BUF feature = { 0 };
	TFR_AUTO_BUF list = { 0 };
	uint8_t values[24];
	size_t n = tfr_rng_below(r, 4);

	for (size_t i = 0; i < sizeof(values); i++)
		values[i] = (uint8_t)tfr_rng_below(r, 128);
	if (n && kind == TFR_KIND_BYTES)
		for (size_t i = 0; i < n; i++)
			put_field(&list, 1, values, tfr_rng_below(r, sizeof(values)));
	else if (n)
		put_field(&list, 1, values, 4 * n);
	if (tfr_rng_below(r, 8))
		put_field(&feature, kind, list.data ? list.data : values, list.size);
	put_field(to, 1, feature.data ? feature.data : values, feature.size);
}

/* Few keys, so that some come twice; a value in one piece or in two. */
static void put_entry(struct tfr_buf *to, struct tfr_rng *r)
{
	TFR_AUTO_BUF entry = { 0 };
	char key = (char)('a' + tfr_rng_below(r, 6));
	unsigned kind = 1 + (unsigned)tfr_rng_below(r, 3);

	put_field(&entry, 1, &key, tfr_rng_below(r, 8) ? 1 : 0);
	for (uint64_t pieces = tfr_rng_below(r, 3); pieces < 2; pieces++) {
		TFR_AUTO_BUF list = { 0 };

		for (uint64_t n = tfr_rng_below(r, 6); n; n--)
			put_step(&list, r, tfr_rng_below(r, 9) ? kind : 1 + kind % 3);
		put_field(&entry, 2, list.data ? (void *)list.data : "", list.size);
	}
	put_field(to, 1, entry.data, entry.size);
}

static void make_record(struct tfr_buf *record, struct tfr_rng *r)
{
	record->size = 0;
	for (uint64_t parts = 1 + tfr_rng_below(r, 2); parts; parts--) {
		TFR_AUTO_BUF lists = { 0 };

		for (uint64_t n = tfr_rng_below(r, 5); n; n--)
			put_entry(&lists, r);
		put_field(record, 2, lists.data ? (void *)lists.data : "", lists.size);
	}
}

static void compare_step(const struct tfr_feature *f, const Tfr__Feature *pb)
{
	struct tfr_printed_values ours = tfr_values_of(f), theirs = tfr_values_of_frame(pb);
	struct tfr_printed_value a = { 0 }, b = { 0 };

	cr_assert_eq(ours.kind, theirs.kind);
	cr_assert_eq(ours.count, theirs.count);
	while (tfr_values_next(&theirs, &b)) {
		cr_assert(tfr_values_next(&ours, &a));
		if (ours.kind == TFR_KIND_BYTES) {
			cr_assert_eq(a.bytes.size, b.bytes.size);
			cr_assert(
				!a.bytes.size || !memcmp(a.bytes.data, b.bytes.data, a.bytes.size));
		} else if (ours.kind == TFR_KIND_FLOAT) {
			cr_assert(!memcmp(&a.f, &b.f, 4));
		} else {
			cr_assert_eq(a.i, b.i);
		}
	}
}

static void compare_list(
	struct tfr_lists *l, const struct tfr_feature_list *list, const Tfr__FeatureListEntry *pb)
{
	size_t steps = pb->value ? pb->value->n_feature : 0;
	enum tfr_kind kind = TFR_KIND_UNSET;
	struct tfr_steps walk;
	struct tfr_feature f;

	cr_assert_eq(list->key_size, pb->key.len);
	cr_assert(!pb->key.len || !memcmp(list->key, pb->key.data, pb->key.len));
	cr_assert_eq(list->steps, steps);
	tfr_steps_init(&walk, list);
	for (size_t i = 0; i < steps; i++) {
		cr_assert_eq(tfr_steps_next(&walk, l, &f, NULL), TFR_OK);
		compare_step(&f, pb->value->feature[i]);
		kind = kind ? kind : f.kind;
	}
	cr_assert_eq(tfr_steps_next(&walk, l, &f, NULL), TFR_END);
	cr_assert_eq(list->kind, kind);
}

Test(lists, are_those_of_protobuf)
{
	struct tfr_lists *l = tfr_lists_new();
	TFR_AUTO_BUF record = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, 5, 0);
	for (int n = 0; n < 3000; n++) {
		struct tfr_sequence s;

		make_record(&record, &r);
		cr_assert_eq(tfr_sequence_parse(&s, record.data, record.size, NULL), TFR_OK);
		cr_assert_eq(tfr_lists_parse(l, record.data, record.size, NULL), TFR_OK);
		cr_assert_eq(tfr_lists_count(l), s.n, "record %d", n);
		for (size_t i = 0; i < s.n; i++)
			compare_list(l, tfr_lists_at(l, i), s.lists[i].entry);
		tfr_sequence_clear(&s);
	}
	tfr_lists_free(l);
}

/* All steps that were counted are there, none beyond. */
static void walk_all(struct tfr_lists *l)
{
	for (size_t i = 0; i < tfr_lists_count(l); i++) {
		struct tfr_steps walk;
		struct tfr_feature f;
		uint64_t n = 0;

		tfr_steps_init(&walk, tfr_lists_at(l, i));
		while (!tfr_steps_next(&walk, l, &f, NULL))
			n++;
		cr_assert_eq(n, tfr_lists_at(l, i)->steps);
	}
}

/* A byte flipped, or the end cut off: told, or read within what there is. */
Test(lists, tell_of_damage)
{
	struct tfr_lists *l = tfr_lists_new();
	TFR_AUTO_BUF record = { 0 };
	struct tfr_rng r;
	unsigned read = 0, told = 0;

	tfr_rng_init(&r, 6, 0);
	for (int n = 0; n < 6000; n++) {
		struct tfr_error err = { 0 };

		make_record(&record, &r);
		if (!record.size)
			continue;
		if (n % 3)
			record.data[tfr_rng_below(&r, record.size)] ^= 1u << tfr_rng_below(&r, 8);
		else
			record.size = tfr_rng_below(&r, record.size);
		if (!tfr_lists_parse(l, record.data, record.size, &err)) {
			walk_all(l);
			read++;
			continue;
		}
		told++;
		cr_assert_eq(err.status, TFR_EDATA);
		cr_assert(!strncmp(err.message, "not a SequenceExample: ", 23), "%s", err.message);
	}
	cr_expect(read > 500 && told > 500, "%u read, %u told", read, told);
	tfr_lists_free(l);
}
