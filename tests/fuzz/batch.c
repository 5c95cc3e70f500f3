/* Any bytes, wanted in every way: the parser must stay inside them, and what it hands out must be
 * there to be read; varints are read as their plain twin reads them. */
#include <stdlib.h>
#include <string.h>

#include <tfr/batch.h>

#include "example/varint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t int_fill[2] = { 1, -1 };
static const float float_fill[2] = { 1, -1 };
static const struct tfr_bytes text_fill[2] = { { (const uint8_t *)"x", 1 },
	{ (const uint8_t *)"yz", 2 } };

/* The names are the letters that a corpus of small Examples has. */
static const struct tfr_batch_feature features[] = {
	{ .name = "a", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED, .splits32 = true },
	{ .name = "b", .kind = TFR_KIND_INT64, .layout = TFR_PADDED, .fill = int_fill },
	{ .name = "c", .kind = TFR_KIND_INT64, .count = 2, .fill = int_fill },
	{ .name = "d", .kind = TFR_KIND_FLOAT, .layout = TFR_RAGGED },
	{ .name = "e", .kind = TFR_KIND_FLOAT, .layout = TFR_PADDED, .count = 2 },
	{ .name = "f", .kind = TFR_KIND_FLOAT, .count = 2, .fill = float_fill },
	{ .name = "g", .kind = TFR_KIND_BYTES, .layout = TFR_RAGGED },
	{ .name = "h", .kind = TFR_KIND_BYTES, .layout = TFR_RAGGED, .copy = true },
	{ .name = "i",
		.kind = TFR_KIND_BYTES,
		.layout = TFR_PADDED,
		.copy = true,
		.fill = text_fill },
	{ .name = "j", .kind = TFR_KIND_BYTES, .count = 2, .fill = text_fill },
	{ .name = "", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED },
};

enum { N = sizeof(features) / sizeof(*features) };

static uint64_t sum; /* so that what is read is not left out */

static void read_column(const struct tfr_column *c, const struct tfr_batch_feature *f)
{
	for (size_t i = 0; i < c->count; i++) {
		const uint8_t *p;
		size_t n;

		if (f->kind == TFR_KIND_INT64) {
			sum += (uint64_t)c->int64s[i];
			continue;
		}
		if (f->kind == TFR_KIND_FLOAT) {
			sum += c->floats[i] > 0;
			continue;
		}
		p = f->copy ? c->text + c->offsets[i] : c->bytes[i].data;
		n = f->copy ? (size_t)(c->offsets[i + 1] - c->offsets[i]) : c->bytes[i].size;
		while (n)
			sum += p[--n];
	}
}

/* The varints of any bytes, by both ways. */
static void varints(const uint8_t *data, size_t size)
{
	size_t room = size + TFR_VARINT_SLACK;
	uint8_t *copy = calloc(1, size + 8);
	int64_t *fast = malloc(room * sizeof(*fast)), *plain = malloc(room * sizeof(*plain));
	const uint8_t *p = copy + 8, *q = p, *end = p + size;
	size_t n;

	memcpy(copy + 8, data, size);
	n = (size_t)(tfr_varints_decode(&p, end, end, fast) - fast);
	if (n != (size_t)(tfr_varints_decode_plain(&q, end, plain) - plain) || p != q ||
		memcmp(fast, plain, n * sizeof(*fast)) != 0)
		abort();
	free(copy);
	free(fast);
	free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_batch_parser *p;
	size_t half = size / 2, rows = 0;

	if (FUZZ_SAFE(tfr_batch_parser_new(&p, features, N, NULL)))
		abort();
	/* Twice, since the second time heads are known; and its halves, that rows differ. */
	rows += !tfr_batch_add(p, data, size, NULL);
	rows += !tfr_batch_add(p, data, size, NULL);
	rows += !tfr_batch_add(p, data, half, NULL);
	rows += !tfr_batch_add(p, data + half, size - half, NULL);
	if (rows != tfr_batch_rows(p) || tfr_batch_finish(p, NULL))
		abort();
	for (size_t i = 0; i < N && !fuzz_out_of_memory; i++) {
		const struct tfr_column *c = tfr_batch_column(p, i);

		if (c->rows != rows ||
			(features[i].layout != TFR_RAGGED && c->count != rows * c->width))
			abort();
		read_column(c, &features[i]);
	}
	tfr_batch_parser_free(p);
	varints(data, size);
	return 0;
}
