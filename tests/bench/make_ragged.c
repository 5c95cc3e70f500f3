/* tests/bench/make_ragged.c - Examples of many int64 lists of uneven length, as recommenders have.
 *
 *   make_ragged RECORDS FEATURES FILE
 *
 * Features are called f00, f01 and so on; each has 0 to 7 values of 1 to 3 bytes, drawn by the
 * record's number: the same arguments give the same bytes. */
#include <stdio.h>
#include <stdlib.h>

#include <tfr-private/example.h>
#include <tfr-private/record.h>

#include "base/rng.h"

static void need(enum tfr_status status, const struct tfr_error *err)
{
	char text[8192];

	if (status == TFR_OK)
		return;
	fprintf(stderr, "make_ragged: %s\n", tfr_error_format(err, text, sizeof(text)));
	exit(3);
}

static void put(struct tfr_writer *w, struct tfr_builder *b, uint64_t n, unsigned features)
{
	struct tfr_error err = { 0 };
	const uint8_t *record;
	int64_t values[7];
	struct tfr_rng r;
	char name[16];
	size_t size;

	tfr_rng_init(&r, 2, n);
	tfr_builder_reset(b);
	for (unsigned f = 0; f < features; f++) {
		size_t count = tfr_rng_below(&r, 8);

		for (size_t i = 0; i < count; i++)
			values[i] =
				(int64_t)tfr_rng_below(&r, 1u << (7 + 7 * tfr_rng_below(&r, 3)));
		snprintf(name, sizeof(name), "f%02u", f);
		need(tfr_builder_int64s(b, name, values, count, &err), &err);
	}
	need(tfr_builder_flatten(b, &record, &size, &err), &err);
	need(tfr_writer_put(w, record, size, &err), &err);
}

int main(int argc, char **argv)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w = NULL;
	struct tfr_error err = { 0 };
	uint64_t records = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned features = records ? (unsigned)strtoul(argv[2], NULL, 10) : 0;

	if (!features || features > 100 || !b) {
		fprintf(stderr, "usage: make_ragged RECORDS FEATURES FILE\n");
		return 2;
	}
	need(tfr_writer_open(&w, argv[3], &(struct tfr_writer_opts){ .force = true }, &err), &err);
	for (uint64_t n = 0; n < records; n++)
		put(w, b, n, features);
	need(tfr_writer_publish(w, &err), &err);
	tfr_writer_close(w);
	tfr_builder_free(b);
	return 0;
}
