/* Feature lists read in place, and protobuf-c's reader of the same record: on random
 * SequenceExamples and on damage to them the two must tell the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/rng.h"
#include "example.pb-c.h"
#include "example/lists.h"

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
	struct tfr_cursor c;
	struct tfr_bytes text;
	int64_t integer;
	float real;

	tfr_cursor_init(&c, f);
	switch (pb->kind_case) {
	case TFR__FEATURE__KIND_BYTES_LIST:
		cr_assert_eq(f->kind, TFR_KIND_BYTES);
		cr_assert_eq(f->count, pb->bytes_list->n_value);
		for (size_t i = 0; i < f->count; i++) {
			const ProtobufCBinaryData *want = &pb->bytes_list->value[i];

			cr_assert(tfr_cursor_bytes(&c, &text));
			cr_assert_eq(text.size, want->len);
			cr_assert(!text.size || !memcmp(text.data, want->data, text.size));
		}
		break;
	case TFR__FEATURE__KIND_FLOAT_LIST:
		cr_assert_eq(f->kind, TFR_KIND_FLOAT);
		cr_assert_eq(f->count, pb->float_list->n_value);
		for (size_t i = 0; i < f->count; i++)
			cr_assert(tfr_cursor_float(&c, &real) &&
				  !memcmp(&real, &pb->float_list->value[i], sizeof(real)));
		break;
	case TFR__FEATURE__KIND_INT64_LIST:
		cr_assert_eq(f->kind, TFR_KIND_INT64);
		cr_assert_eq(f->count, pb->int64_list->n_value);
		for (size_t i = 0; i < f->count; i++)
			cr_assert(tfr_cursor_int64(&c, &integer) &&
				  integer == pb->int64_list->value[i]);
		break;
	default:
		cr_assert_eq(f->kind, TFR_KIND_UNSET);
		cr_assert_eq(f->count, 0);
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

/* The entry of protobuf's message that counts for a key: the last. */
static const Tfr__FeatureListEntry *last_of(
	const Tfr__FeatureLists *all, const struct tfr_feature_list *list)
{
	const Tfr__FeatureListEntry *found = NULL;

	for (size_t i = 0; i < all->n_feature_list; i++) {
		const ProtobufCBinaryData *key = &all->feature_list[i]->key;

		if (!tfr_compare_bytes(key->data, key->len, list->key, list->key_size))
			found = all->feature_list[i];
	}
	return found;
}

/* Every list is one of protobuf's, every one of protobuf's is a list, and the keys rise. */
static void compare_lists(struct tfr_lists *l, const Tfr__FeatureLists *all)
{
	for (size_t i = 0; i < tfr_lists_count(l); i++) {
		const struct tfr_feature_list *list = tfr_lists_at(l, i), *before = list - 1;
		const Tfr__FeatureListEntry *entry = last_of(all, list);

		cr_assert_not_null(entry);
		compare_list(l, list, entry);
		cr_assert(!i || tfr_compare_bytes(before->key, before->key_size, list->key,
					list->key_size) < 0);
	}
	for (size_t k = 0; all && k < all->n_feature_list; k++) {
		const ProtobufCBinaryData *key = &all->feature_list[k]->key;
		bool found = false;

		for (size_t i = 0; i < tfr_lists_count(l); i++)
			found |= !tfr_compare_bytes(key->data, key->len, tfr_lists_at(l, i)->key,
				tfr_lists_at(l, i)->key_size);
		cr_assert(found);
	}
}

Test(lists, are_those_of_protobuf)
{
	struct tfr_lists *l = tfr_lists_new();
	TFR_AUTO_BUF record = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, 5, 0);
	for (int n = 0; n < 3000; n++) {
		Tfr__SequenceExample *message;

		make_record(&record, &r);
		message = tfr__sequence_example__unpack(NULL, record.size, record.data);
		cr_assert_not_null(message);
		cr_assert_eq(tfr_lists_parse(l, record.data, record.size, NULL), TFR_OK);
		compare_lists(l, message->feature_lists);
		tfr__sequence_example__free_unpacked(message, NULL);
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
