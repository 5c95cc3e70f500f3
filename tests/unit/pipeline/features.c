/* Features of a batch in one block: its layout. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>

#include "base/rng.h"
#include "pipeline/transfer/feature_block.h"

enum { ROWS = 5 };

/* Record r: an int64 list of r values, two floats, r % 3 texts, and one key; the values follow from
 * their places. */
static void make_records(struct tfr_bytes records[ROWS])
{
	for (int r = 0; r < ROWS; r++) {
		struct tfr_builder *b = tfr_builder_new();
		int64_t ints[ROWS];
		struct tfr_bytes texts[2] = { { (const uint8_t *)"ab", 2 },
			{ (const uint8_t *)"cde", 3 } };
		const uint8_t *bytes;
		char key[8] = { 'k', (char)('0' + r), 0 };

		for (int i = 0; i < r; i++)
			ints[i] = 10 * r + i;
		tfr_builder_int64s(b, "ids", ints, (size_t)r, NULL);
		tfr_builder_floats(b, "xy", (float[]){ (float)r, (float)-r }, 2, NULL);
		tfr_builder_bytes(b, "words", texts, (size_t)r % 3, NULL);
		tfr_builder_text(b, "key", key, NULL);
		cr_assert_eq(tfr_builder_flatten(b, &bytes, &records[r].size, NULL), TFR_OK);
		records[r].data = memcpy(malloc(records[r].size), bytes, records[r].size);
		tfr_builder_free(b);
	}
}

static void free_records(struct tfr_bytes records[ROWS])
{
	for (int r = 0; r < ROWS; r++)
		free((void *)(uintptr_t)records[r].data);
}

static const struct tfr_batch_feature wanted[] = {
	{ .name = "ids", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED },
	{ .name = "xy", .kind = TFR_KIND_FLOAT, .count = 2 },
	{ .name = "ids", .kind = TFR_KIND_INT64, .layout = TFR_PADDED },
	{ .name = "words", .kind = TFR_KIND_BYTES, .layout = TFR_RAGGED, .splits32 = true },
	{ .name = "key", .kind = TFR_KIND_BYTES, .count = 1 },
};

struct tfr_run_block {
	struct tfr_feature_block f;
	struct tfr_batch_parser *p;
	uint8_t *memory;
	uint64_t bytes;
	struct tfr_tensor tensors[16];
};

static void fill(struct tfr_run_block *b, const struct tfr_batch_feature *list, size_t n,
	const struct tfr_bytes *records, size_t rows)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_feature_block_init(&b->f, list, n, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(tfr_feature_block_parser(&b->f, &b->p, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_parse(b->p, records, rows, &err), TFR_OK, "%s", err.message);
	b->bytes = tfr_feature_block_bytes(&b->f, b->p);
	cr_expect_eq(b->bytes % 64, 0);
	b->memory = aligned_alloc(64, b->bytes + 64);
	memset(b->memory, 0xee, b->bytes + 64);
	tfr_feature_block_write(&b->f, b->p, b->memory, 4096, b->tensors);
	for (unsigned i = 0; i < 64; i++)
		cr_expect_eq(b->memory[b->bytes + i], 0xee);
}

static void empty(struct tfr_run_block *b)
{
	tfr_batch_parser_free(b->p);
	tfr_feature_block_clear(&b->f);
	free(b->memory);
}

/* Tensor i is this, at the next multiple of 64, with zeros up to there. */
static uint64_t expect_tensor(const struct tfr_run_block *b, unsigned i, uint64_t at,
	const char *name, enum tfr_dtype dtype, unsigned rank, uint64_t rows, uint64_t width,
	const void *values)
{
	const struct tfr_tensor *t = &b->tensors[i];
	uint64_t bytes = rows * width * tfr_dtype_size(dtype), end = (at + bytes + 63) & ~63ull;

	cr_expect_str_eq(t->name, name);
	cr_expect_eq(t->dtype, dtype);
	cr_expect_eq(t->rank, rank);
	cr_expect_eq(t->shape[0], rows, "%s: %llu", name, (unsigned long long)t->shape[0]);
	cr_expect_eq(t->strides[0], (int64_t)(width * tfr_dtype_size(dtype)));
	if (rank == 2) {
		cr_expect_eq(t->shape[1], width);
		cr_expect_eq(t->strides[1], (int64_t)tfr_dtype_size(dtype));
	}
	cr_expect_eq(t->offset, 4096 + at);
	cr_expect_eq(t->data, b->memory + at);
	cr_expect_eq(memcmp(t->data, values, bytes), 0, "%s", name);
	for (uint64_t k = at + bytes; k < end; k++)
		cr_expect_eq(b->memory[k], 0);
	return end;
}

Test(features, lie_side_by_side)
{
	static const int64_t ids[] = { 10, 20, 21, 30, 31, 32, 40, 41, 42, 43 };
	static const int64_t splits[] = { 0, 0, 1, 3, 6, 10 };
	static const float xy[] = { 0, 0, 1, -1, 2, -2, 3, -3, 4, -4 };
	static const int64_t keys[] = { 0, 2, 4, 6, 8, 10 }, words[] = { 0, 2, 4, 7, 9 };
	static const int32_t word_splits[] = { 0, 0, 1, 3, 3, 4 };
	struct tfr_bytes records[ROWS];
	struct tfr_batch_feature list[4] = { wanted[0], wanted[1], wanted[3], wanted[4] };
	struct tfr_run_block b;
	uint64_t at;

	make_records(records);
	fill(&b, list, 4, records, ROWS);
	cr_assert_eq(b.f.tensors, 8);
	at = expect_tensor(&b, 0, 0, "ids", TFR_INT64, 1, 10, 1, ids);
	at = expect_tensor(&b, 1, at, "ids/row_splits", TFR_INT64, 1, 6, 1, splits);
	expect_tensor(&b, 2, at, "xy", TFR_FLOAT32, 2, 5, 2, xy);
	empty(&b);
	fill(&b, &wanted[3], 2, records, ROWS);
	at = expect_tensor(&b, 0, 0, "words", TFR_UINT8, 1, 9, 1, "ababcdeab");
	at = expect_tensor(&b, 1, at, "words/offsets", TFR_INT64, 1, 5, 1, words);
	at = expect_tensor(&b, 2, at, "words/row_splits", TFR_INT32, 1, 6, 1, word_splits);
	at = expect_tensor(&b, 3, at, "key", TFR_UINT8, 1, 10, 1, "k0k1k2k3k4");
	at = expect_tensor(&b, 4, at, "key/offsets", TFR_INT64, 1, 6, 1, keys);
	cr_expect_eq(at, b.bytes);
	empty(&b);
	free_records(records);
}

Test(features, rows_are_padded)
{
	static const int64_t ids[] = { 0, 0, 0, 0, 10, 0, 0, 0, 20, 21, 0, 0, 30, 31, 32, 0, 40, 41,
		42, 43 };
	struct tfr_bytes records[ROWS];
	struct tfr_run_block b;

	make_records(records);
	fill(&b, &wanted[2], 1, records, ROWS);
	cr_expect_eq(expect_tensor(&b, 0, 0, "ids", TFR_INT64, 2, 5, 4, ids), b.bytes);
	empty(&b);
	free_records(records);
}

Test(features, of_no_records)
{
	static const int64_t zero = 0;
	struct tfr_run_block b;
	uint64_t at;

	fill(&b, wanted, 1, NULL, 0);
	at = expect_tensor(&b, 0, 0, "ids", TFR_INT64, 1, 0, 1, "");
	cr_expect_eq(
		expect_tensor(&b, 1, at, "ids/row_splits", TFR_INT64, 1, 1, 1, &zero), b.bytes);
	empty(&b);
}

Test(features, a_sample_tells_the_size_of_a_batch)
{
	struct tfr_bytes records[ROWS];
	struct tfr_batch_feature list[4] = { wanted[0], wanted[1], wanted[3], wanted[4] };
	struct tfr_bytes many[100 * ROWS];
	struct tfr_run_block b;
	uint64_t guess;

	make_records(records);
	for (unsigned i = 0; i < 100 * ROWS; i++)
		many[i] = records[i % ROWS];
	fill(&b, list, 4, records, ROWS);
	guess = tfr_feature_block_guess(&b.f, b.p, 100 * ROWS);
	empty(&b);
	fill(&b, list, 4, many, 100 * ROWS);
	cr_expect_leq(b.bytes, guess);
	cr_expect_leq(guess, b.bytes * 3 / 2 + 8 * 64);
	empty(&b);
	free_records(records);
}

Test(features, refused)
{
	struct tfr_batch_feature list[2] = { wanted[1], wanted[1] };
	struct tfr_feature_block f;
	struct tfr_error err = { 0 };

	cr_expect_eq(tfr_feature_block_init(&f, list, 2, &err), TFR_EUSAGE);
	cr_expect_neq(err.message[0], '\0');
	cr_expect_null(f.list);
}
