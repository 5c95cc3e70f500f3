/* tests/bench/make_values.c - Examples of one kind of value, to be printed.
 *
 *   make_values KIND RECORDS FILE
 *
 * KIND is floats (256 sums of uniform numbers, as weights and embeddings are), int64 (256 values of
 * 1 to 63 bits, each width as often), texts (32 words of 4 to 19 letters) or mixed (a number, a
 * label, two words, and eight floats: about 192 bytes).  Drawn by the record's number: the same
 * arguments give the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr-private/record.h>

#include "base/rng.h"

enum { NUMBERS = 256, WORDS = 32, WORD = 19 };

static void need(enum tfr_status status, const struct tfr_error *err)
{
	char text[8192];

	if (status == TFR_OK)
		return;
	fprintf(stderr, "make_values: %s\n", tfr_error_format(err, text, sizeof(text)));
	exit(3);
}

static void put_floats(struct tfr_builder *b, struct tfr_rng *r, const char *key, size_t n)
{
	float values[NUMBERS];
	struct tfr_error err = { 0 };

	for (size_t i = 0; i < n; i++) {
		double sum = -3;

		for (int k = 0; k < 6; k++)
			sum += tfr_rng_unit(r);
		values[i] = (float)sum;
	}
	need(tfr_builder_floats(b, key, values, n, &err), &err);
}

static void put_int64s(struct tfr_builder *b, struct tfr_rng *r, const char *key, size_t n)
{
	int64_t values[NUMBERS];
	struct tfr_error err = { 0 };

	for (size_t i = 0; i < n; i++)
		values[i] = (int64_t)(tfr_rng_u64(r) >> (1 + tfr_rng_below(r, 63)));
	need(tfr_builder_int64s(b, key, values, n, &err), &err);
}

static void put_texts(struct tfr_builder *b, struct tfr_rng *r, const char *key, size_t n)
{
	char letters[WORDS][WORD];
	struct tfr_bytes values[WORDS];
	struct tfr_error err = { 0 };

	for (size_t i = 0; i < n; i++) {
		values[i] = (struct tfr_bytes){ (uint8_t *)letters[i], 4 + tfr_rng_below(r, 16) };
		for (size_t k = 0; k < values[i].size; k++)
			letters[i][k] = (char)('a' + tfr_rng_below(r, 26));
	}
	need(tfr_builder_bytes(b, key, values, n, &err), &err);
}

/* False: there is no such kind. */
static bool put_kind(struct tfr_builder *b, const char *kind, uint64_t n)
{
	struct tfr_error err = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, 3, n);
	tfr_builder_reset(b);
	if (!strcmp(kind, "floats")) {
		put_floats(b, &r, "values", NUMBERS);
	} else if (!strcmp(kind, "int64")) {
		put_int64s(b, &r, "values", NUMBERS);
	} else if (!strcmp(kind, "texts")) {
		put_texts(b, &r, "values", WORDS);
	} else if (!strcmp(kind, "mixed")) {
		need(tfr_builder_int64(b, "id", (int64_t)n, &err), &err);
		need(tfr_builder_int64(b, "label", (int64_t)tfr_rng_below(&r, 1000), &err), &err);
		put_texts(b, &r, "words", 2);
		put_floats(b, &r, "embedding", 8);
		put_int64s(b, &r, "visited", 8);
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w = NULL;
	struct tfr_error err = { 0 };
	uint64_t records = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	const uint8_t *record;
	size_t size;

	if (!records || !b || !put_kind(b, argv[1], 0)) {
		fprintf(stderr, "usage: make_values floats|int64|texts|mixed RECORDS FILE\n");
		return 2;
	}
	need(tfr_writer_open(&w, argv[3], &(struct tfr_writer_opts){ .force = true }, &err), &err);
	for (uint64_t n = 0; n < records; n++) {
		put_kind(b, argv[1], n);
		need(tfr_builder_flatten(b, &record, &size, &err), &err);
		need(tfr_writer_put(w, record, size, &err), &err);
	}
	need(tfr_writer_publish(w, &err), &err);
	tfr_writer_close(w);
	tfr_builder_free(b);
	return 0;
}
