/* Random Examples, and random damage to them: our reader and protobuf-c's generated one must tell
 * the same. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <tfr-private/example.h>

#include "base/buf.h"
#include "base/rng.h"
#include "example.pb-c.h"

static void add_random(struct tfr_builder *b, struct tfr_rng *r)
{
	char key[8];
	int64_t ints[8];
	float floats[8];
	struct tfr_bytes bytes[8];
	size_t n = tfr_rng_below(r, 8);

	snprintf(key, sizeof(key), "k%u", (unsigned)tfr_rng_below(r, 100));
	for (size_t i = 0; i < n; i++) {
		ints[i] = (int64_t)(tfr_rng_u64(r) >> tfr_rng_below(r, 64));
		floats[i] = (float)tfr_rng_unit(r);
		bytes[i] = (struct tfr_bytes){ (const uint8_t *)ints, tfr_rng_below(r, i * 8 + 1) };
	}
	switch (tfr_rng_below(r, 3)) {
	case 0:
		tfr_builder_int64s(b, key, ints, n, NULL);
		break;
	case 1:
		tfr_builder_floats(b, key, floats, n, NULL);
		break;
	default:
		tfr_builder_bytes_ref(b, key, bytes, n, NULL);
	}
}

static const Tfr__Feature *last_of(const Tfr__Example *e, const struct tfr_feature *f)
{
	const Tfr__Feature *found = NULL;

	for (size_t i = 0; i < e->features->n_feature; i++) {
		const Tfr__FeatureEntry *entry = e->features->feature[i];

		if (entry->key.len == f->key_size && !memcmp(entry->key.data, f->key, f->key_size))
			found = entry->value;
	}
	return found;
}

static void compare(const struct tfr_feature *f, const Tfr__Feature *pb)
{
	struct tfr_cursor c;
	struct tfr_bytes b;
	size_t i = 0;
	int64_t v;
	float x;

	cr_assert_eq((int)f->kind, (int)pb->kind_case);
	tfr_cursor_init(&c, f);
	for (; tfr_cursor_int64(&c, &v); i++)
		cr_assert_eq(v, pb->int64_list->value[i]);
	for (; tfr_cursor_float(&c, &x); i++)
		cr_assert_arr_eq(&x, &pb->float_list->value[i], 4);
	for (; tfr_cursor_bytes(&c, &b); i++) {
		cr_assert_eq(b.size, pb->bytes_list->value[i].len);
		cr_assert(!b.size || !memcmp(b.data, pb->bytes_list->value[i].data, b.size));
	}
	cr_assert_eq(i, f->count);
	if (f->kind == TFR_KIND_INT64)
		cr_assert_eq(i, pb->int64_list->n_value);
	if (f->kind == TFR_KIND_FLOAT)
		cr_assert_eq(i, pb->float_list->n_value);
	if (f->kind == TFR_KIND_BYTES)
		cr_assert_eq(i, pb->bytes_list->n_value);
}

Test(oracle, random_examples_read_as_protobuf_reads_them)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	struct tfr_rng r;

	tfr_rng_init(&r, 1, 0);
	for (int round = 0; round < 400; round++) {
		TFR_AUTO_BUF record = { 0 };
		Tfr__Example *pb;
		const uint8_t *data;
		size_t size;

		/* One to four Examples, one after another, are one. */
		for (uint64_t parts = 1 + tfr_rng_below(&r, 4); parts; parts--) {
			tfr_builder_reset(b);
			for (uint64_t n = 1 + tfr_rng_below(&r, 40); n; n--)
				add_random(b, &r);
			cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
			tfr_buf_append(&record, data, size);
		}
		cr_assert_eq(tfr_example_parse(ex, record.data, record.size, NULL), TFR_OK);
		pb = tfr__example__unpack(NULL, record.size, record.data);
		cr_assert(pb);
		for (size_t i = 0; i < pb->features->n_feature; i++)
			cr_assert(tfr_example_find(ex, pb->features->feature[i]->key.data,
				pb->features->feature[i]->key.len));
		for (size_t i = 0; i < tfr_example_count(ex); i++)
			compare(tfr_example_at(ex, i), last_of(pb, tfr_example_at(ex, i)));
		tfr__example__free_unpacked(pb, NULL);
	}
	tfr_builder_free(b);
	tfr_example_free(ex);
}

/* The same features in any order are the same bytes, and the bytes read back as what was put in. */
Test(oracle, what_is_read_builds_the_same_bytes_again)
{
	struct tfr_builder *b = tfr_builder_new(), *again = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	struct tfr_rng r;

	tfr_rng_init(&r, 2, 0);
	for (int round = 0; round < 200; round++) {
		const uint8_t *data, *data2;
		size_t size, size2, order[64];

		tfr_builder_reset(b);
		tfr_builder_reset(again);
		for (uint64_t n = tfr_rng_below(&r, 60); n; n--)
			add_random(b, &r);
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
		for (size_t i = 0; i < tfr_example_count(ex); i++)
			order[i] = i;
		tfr_rng_shuffle(&r, order, tfr_example_count(ex), sizeof(*order));
		for (size_t i = 0; i < tfr_example_count(ex); i++)
			tfr_builder_feature(again, tfr_example_at(ex, order[i]), NULL);
		cr_assert_eq(tfr_builder_flatten(again, &data2, &size2, NULL), TFR_OK);
		cr_assert_eq(size, size2);
		cr_assert(!size || !memcmp(data, data2, size));
	}
	tfr_builder_free(b);
	tfr_builder_free(again);
	tfr_example_free(ex);
}
