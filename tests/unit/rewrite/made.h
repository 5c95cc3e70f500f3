/* tests/unit/rewrite/made.h - small files of records that say which they are. */
#ifndef TESTS_UNIT_REWRITE_MADE_H
#define TESTS_UNIT_REWRITE_MADE_H

#include <tfr-private/rewrite.h>

#include "support/temp.h"

/* Record i of file f: "f:i:" and as many more bytes as `size` says, at least that. */
static inline size_t made_payload(char *text, size_t cap, unsigned file, uint64_t i, size_t size)
{
	size_t n = (size_t)snprintf(text, cap, "%u:%llu:", file, (unsigned long long)i);

	for (; n < size && n < cap; n++)
		text[n] = (char)('a' + (n * 7 + i) % 26);
	return n;
}

static inline void made_file(const char *path, unsigned file, uint64_t records, size_t size)
{
	struct tfr_writer_opts opts = { .force = true };
	struct tfr_writer *w = NULL;
	char *text = malloc(size + 64);

	cr_assert_eq(tfr_writer_open(&w, path, &opts, NULL), TFR_OK);
	for (uint64_t i = 0; i < records; i++)
		cr_assert_eq(tfr_writer_put(w, text,
				     made_payload(text, size + 64, file, i,
					     size ? (size_t)(i * 2654435761u % size) : 0),
				     NULL),
			TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	free(text);
}

static inline struct tfr_set *made_open(const char *const *inputs, size_t count)
{
	struct tfr_set_opts opts = { .inputs = inputs, .count = count };
	struct tfr_set *set = NULL;

	cr_assert_eq(tfr_set_open(&set, &opts, NULL), TFR_OK);
	return set;
}

/* Records and content sum of some files. */
static inline struct tfr_totals made_totals(const char *const *inputs, size_t count)
{
	struct tfr_set *set = made_open(inputs, count);
	struct tfr_totals t = { 0 };

	for (size_t k = 0; k < tfr_set_count(set); k++) {
		struct tfr_reader *r = NULL;
		struct tfr_record rec;
		struct tfr_digest d;

		cr_assert_eq(tfr_reader_open(&r, tfr_set_path(set, k), NULL, NULL), TFR_OK);
		while (!tfr_reader_next(r, &rec, NULL)) {
			tfr_digest_record(&rec, &d);
			t.records++;
			t.sum += d.sum;
			t.payload_bytes += d.size;
		}
		tfr_reader_close(r);
	}
	tfr_set_close(set);
	return t;
}

#endif
