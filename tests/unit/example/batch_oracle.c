/* Random Examples parsed into batches, against the reader of single features: whatever the order of
 * the keys, their lengths, their number; and damaged ones. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <tfr/batch.h>

#include "base/buf.h"
#include "base/rng.h"

enum { KEYS = 100, RECORDS = 200, MOST_VALUES = 40 };

/* Four keys of each length from 3 bytes on: two differ in their first bytes, two in their last. */
static const char *key_name(unsigned k, char name[64])
{
	size_t size = k / 4 + 3, at = k % 2 ? 0 : size - 2;

	memset(name, 'x', size);
	name[size] = '\0';
	name[at] = (char)('0' + k / 10);
	name[at + 1] = (char)('0' + k % 10);
	return name;
}

static enum tfr_kind key_kind(unsigned k)
{
	return (enum tfr_kind)(1 + k % 3);
}

/* Key `k` has the same kind in nearly all records, and every fifth key the same number of values.
 */
static void add_key(struct tfr_builder *b, struct tfr_rng *r, unsigned k)
{
	enum tfr_kind kind =
		tfr_rng_below(r, 300) ? key_kind(k) : 1 + (unsigned)tfr_rng_below(r, 3);
	size_t n = k % 5 == 0 && tfr_rng_below(r, 100) ? 2 : tfr_rng_below(r, MOST_VALUES);
	int64_t ints[MOST_VALUES];
	float floats[MOST_VALUES];
	struct tfr_bytes bytes[MOST_VALUES];
	char name[64];

	for (size_t i = 0; i < n; i++) {
		ints[i] = (int64_t)(tfr_rng_u64(r) >> tfr_rng_below(r, 64));
		floats[i] = (float)tfr_rng_unit(r);
		bytes[i] = (struct tfr_bytes){ (const uint8_t *)ints, tfr_rng_below(r, i * 8 + 1) };
	}
	key_name(k, name);
	if (kind == TFR_KIND_INT64)
		tfr_builder_int64s(b, name, ints, n, NULL);
	else if (kind == TFR_KIND_FLOAT)
		tfr_builder_floats(b, name, floats, n, NULL);
	else
		tfr_builder_bytes(b, name, bytes, n, NULL);
}

/* One to four Examples, one after another. */
static void random_record(struct tfr_builder *b, struct tfr_rng *r, struct tfr_buf *record)
{
	uint64_t keys = 1 + tfr_rng_below(r, KEYS);
	const uint8_t *data;
	size_t size;

	for (uint64_t parts = 1 + tfr_rng_below(r, 4); parts; parts--) {
		tfr_builder_reset(b);
		for (uint64_t i = 0; i < keys; i++)
			add_key(b, r, (unsigned)tfr_rng_below(r, KEYS));
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		tfr_buf_append(record, data, size);
	}
}

static const int64_t int_fill[2] = { -5, 6 };
static const float float_fill[2] = { 0.25f, -4 };
static const struct tfr_bytes text_fill[2] = { { (const uint8_t *)"first", 5 },
	{ (const uint8_t *)"second", 6 } };

/* Up to 30 features of different names. */
static size_t random_features(struct tfr_rng *r, struct tfr_batch_feature *f, char names[][64])
{
	size_t order[KEYS], n = tfr_rng_below(r, 31);

	for (size_t i = 0; i < KEYS; i++)
		order[i] = i;
	tfr_rng_shuffle(r, order, KEYS, sizeof(*order));
	for (size_t i = 0; i < n; i++) {
		unsigned k = (unsigned)order[i];
		const void *const fills[] = { NULL, text_fill, float_fill, int_fill };

		f[i] = (struct tfr_batch_feature){ .name = key_name(k, names[i]),
			.kind = key_kind(k),
			.layout = k % 5 == 0 ? TFR_DENSE : 1 + (unsigned)tfr_rng_below(r, 2),
			.count = k % 5 == 0 ? 2 : 1,
			.fill = tfr_rng_below(r, 20) ? fills[key_kind(k)] : NULL,
			.splits32 = tfr_rng_below(r, 2),
			.copy = tfr_rng_below(r, 2) };
	}
	return n;
}

/* Whether the record belongs into a batch. */
static bool fits(const struct tfr_batch_feature *f, const struct tfr_feature *got)
{
	if (!got)
		return f->layout != TFR_DENSE || f->fill;
	return got->kind == f->kind && (f->layout != TFR_DENSE || got->count == f->count);
}

static bool all_fit(const struct tfr_batch_feature *f, size_t n, const struct tfr_example *ex)
{
	for (size_t i = 0; i < n; i++)
		if (!fits(&f[i], tfr_example_get(ex, f[i].name)))
			return false;
	return true;
}

/* Value `at` of the column is value `i` of the feature; past its end, what rows are filled with. */
static void compare_value(const struct tfr_batch_feature *f, const struct tfr_column *c, size_t at,
	const struct tfr_feature *got, size_t i)
{
	size_t filled = f->layout == TFR_DENSE ? i : 0;
	struct tfr_bytes b = f->fill ? text_fill[filled] : (struct tfr_bytes){ NULL, 0 }, mine;
	int64_t v = f->fill ? int_fill[filled] : 0;
	float x = f->fill ? float_fill[filled] : 0;

	if (f->kind == TFR_KIND_INT64) {
		tfr_feature_int64(got, i, &v);
		cr_assert_eq(c->int64s[at], v);
	} else if (f->kind == TFR_KIND_FLOAT) {
		tfr_feature_float(got, i, &x);
		cr_assert(!memcmp(&c->floats[at], &x, sizeof(x)));
	} else {
		tfr_feature_bytes(got, i, &b);
		mine = f->copy ? (struct tfr_bytes){ c->text + c->offsets[at],
			(size_t)(c->offsets[at + 1] - c->offsets[at]) }
			       : c->bytes[at];
		cr_assert_eq(mine.size, b.size);
		cr_assert(!b.size || !memcmp(mine.data, b.data, b.size));
	}
}

static void compare_row(const struct tfr_batch_feature *f, const struct tfr_column *c, size_t row,
	const struct tfr_feature *got, size_t *ragged_at)
{
	size_t n = got ? got->count : 0;
	size_t at = f->layout == TFR_RAGGED ? *ragged_at : row * c->width;
	size_t shown = f->layout == TFR_RAGGED ? n : c->width;

	cr_assert_leq(n, c->width);
	for (size_t i = 0; i < shown; i++)
		compare_value(f, c, at + i, got, i);
	*ragged_at += n;
	if (f->layout != TFR_DENSE && f->splits32)
		cr_assert_eq((size_t)c->splits32[row + 1], *ragged_at);
	else if (f->layout != TFR_DENSE)
		cr_assert_eq((size_t)c->splits[row + 1], *ragged_at);
}

static void compare(const struct tfr_batch_parser *p, const struct tfr_batch_feature *f, size_t n,
	const struct tfr_buf *records, size_t rows)
{
	struct tfr_example *ex = tfr_example_new();
	size_t ragged_at[KEYS] = { 0 };

	cr_assert_eq(tfr_batch_rows(p), rows);
	for (size_t r = 0; r < rows; r++) {
		cr_assert_eq(tfr_example_parse(ex, records[r].data, records[r].size, NULL), TFR_OK);
		for (size_t i = 0; i < n; i++)
			compare_row(&f[i], tfr_batch_column(p, i), r,
				tfr_example_get(ex, f[i].name), &ragged_at[i]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tfr_column *c = tfr_batch_column(p, i);

		cr_assert_eq(c->rows, rows);
		cr_assert_eq(c->count, f[i].layout == TFR_RAGGED ? ragged_at[i] : rows * c->width);
	}
	tfr_example_free(ex);
}

Test(batch_oracle, random_examples)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	struct tfr_batch_feature f[KEYS];
	char names[KEYS][64];
	size_t taken = 0, refused = 0;
	struct tfr_rng r;

	tfr_rng_init(&r, 7, 0);
	for (int round = 0; round < 20; round++) {
		size_t n = random_features(&r, f, names), rows = 0;
		struct tfr_buf records[RECORDS] = { 0 };
		struct tfr_batch_parser *p;

		cr_assert_eq(tfr_batch_parser_new(&p, f, n, NULL), TFR_OK);
		for (int i = 0; i < RECORDS; i++) {
			struct tfr_buf *record = &records[rows];
			bool fit;

			record->size = 0;
			random_record(b, &r, record);
			cr_assert_eq(
				tfr_example_parse(ex, record->data, record->size, NULL), TFR_OK);
			fit = all_fit(f, n, ex);
			cr_assert_eq(tfr_batch_add(p, record->data, record->size, NULL),
				fit ? TFR_OK : TFR_EDATA);
			rows += fit;
			refused += !fit;
		}
		cr_assert_eq(tfr_batch_finish(p, NULL), TFR_OK);
		compare(p, f, n, records, rows);
		taken += rows;
		for (int i = 0; i < RECORDS; i++)
			tfr_buf_clear(&records[i]);
		tfr_batch_parser_free(p);
	}
	cr_assert_gt(taken, 1000);
	cr_assert_gt(refused, 100);
	tfr_builder_free(b);
	tfr_example_free(ex);
}

/* A record cut short anywhere is refused, but where an Example of the record ends; and whatever is
 * read of a flipped one lies in it. */
Test(batch_oracle, every_truncation_and_every_flip)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_batch_feature f[KEYS];
	char names[KEYS][64];
	struct tfr_batch_parser *p;
	TFR_AUTO_BUF record = { 0 };
	struct tfr_rng r;
	const uint8_t *data;
	size_t size;

	tfr_rng_init(&r, 8, 0);
	for (unsigned k = 0; k < 9; k++) {
		add_key(b, &r, k);
		f[k] = (struct tfr_batch_feature){ .name = key_name(k, names[k]),
			.kind = key_kind(k),
			.layout = k % 2 ? TFR_PADDED : TFR_RAGGED,
			.copy = k % 4 == 0 };
	}
	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	tfr_buf_append(&record, data, size);
	cr_assert_eq(tfr_batch_parser_new(&p, f, 9, NULL), TFR_OK);
	for (size_t n = 0; n <= size; n++) {
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, record.data, n);
		cr_assert_eq(tfr_batch_add(p, exact, n, NULL),
			n == 0 || n == size ? TFR_OK : TFR_EDATA, "at %zu", n);
		free(exact);
	}
	for (size_t i = 0; i < 8 * size; i++) {
		uint8_t *exact = malloc(size);

		memcpy(exact, record.data, size);
		exact[i / 8] ^= (uint8_t)(1 << i % 8);
		tfr_batch_add(p, exact, size, NULL);
		cr_assert_eq(tfr_batch_finish(p, NULL), TFR_OK);
		free(exact);
	}
	tfr_batch_parser_free(p);
	tfr_builder_free(b);
}

/* 100,000 features, all of them wanted and in no order, and a list of 10 million values. */
Test(batch_oracle, large_records)
{
	enum { FEATURES = 100000, VALUES = 10000000 };
	struct tfr_batch_feature *f = calloc(FEATURES + 1, sizeof(*f));
	char(*names)[8] = calloc(FEATURES, sizeof(*names));
	int64_t *values = malloc(VALUES * sizeof(*values));
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_batch_parser *p;
	struct tfr_error err = { 0 };
	struct tfr_bytes twice[2];
	const struct tfr_column *c;
	struct tfr_rng r;

	tfr_rng_init(&r, 9, 0);
	for (int64_t i = 0; i < VALUES; i++)
		values[i] = i % 3 ? i % 128 : -i;
	for (int i = 0; i < FEATURES; i++) {
		snprintf(names[i], sizeof(*names), "%d", i);
		cr_assert_eq(tfr_builder_int64(b, names[i], i, NULL), TFR_OK);
		f[i] = (struct tfr_batch_feature){ .name = names[i], .kind = TFR_KIND_INT64 };
	}
	f[FEATURES] = (struct tfr_batch_feature){
		.name = "values", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED
	};
	cr_assert_eq(tfr_builder_int64s(b, "values", values, VALUES, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_flatten(b, &twice[0].data, &twice[0].size, NULL), TFR_OK);
	tfr_rng_shuffle(&r, f, FEATURES + 1, sizeof(*f));
	twice[1] = twice[0];
	cr_assert_eq(tfr_batch_parser_new(&p, f, FEATURES + 1, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_parse(p, twice, 2, &err), TFR_OK, "%s", err.message);
	for (int i = 0; i <= FEATURES; i++) {
		c = tfr_batch_column(p, (size_t)i);
		if (f[i].layout == TFR_DENSE) {
			cr_assert_eq(c->int64s[0], atoi(f[i].name));
			cr_assert_eq(c->int64s[1], atoi(f[i].name));
			continue;
		}
		cr_assert_eq(c->splits[2], 2 * VALUES);
		cr_assert(!memcmp(c->int64s, values, VALUES * sizeof(*values)));
		cr_assert(!memcmp(c->int64s + VALUES, values, VALUES * sizeof(*values)));
	}
	tfr_batch_parser_free(p);
	tfr_builder_free(b);
	free(values);
	free(names);
	free(f);
}
