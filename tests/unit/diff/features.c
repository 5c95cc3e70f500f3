/* Hashes of features: alike where kind, number and values are, and else never. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "diff/record_table.h"

enum { MOST = 200, NUMBERS = 131 };

struct made {
	struct tfr_builder *b;
	struct tfr_example *ex;
	uint8_t hashes[MOST][TFR_NOTE_HASH];
	size_t n;
	char name[16];
};

static const char *next_name(struct made *m)
{
	snprintf(m->name, sizeof(m->name), "%03zu", m->n++);
	return m->name;
}

static void add_bytes(struct made *m, const char *const *texts, const size_t *sizes, size_t n)
{
	struct tfr_bytes values[4];

	for (size_t i = 0; i < n; i++)
		values[i] = (struct tfr_bytes){ (const uint8_t *)texts[i], sizes[i] };
	cr_assert_eq(tfr_builder_bytes(m->b, next_name(m), values, n, NULL), TFR_OK);
}

/* As many numbers as a hash takes at a time, one more and one less, and the last another. */
static void add_numbers(struct made *m)
{
	const size_t counts[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, NUMBERS };
	int64_t ints[NUMBERS];
	float floats[NUMBERS];

	for (int i = 0; i < NUMBERS; i++) {
		ints[i] = i - 3;
		floats[i] = (float)i / 8;
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (int change = 0; change < 3 && (counts[i] || !change); change++) {
			size_t last = counts[i] ? counts[i] - 1 : 0;
			int64_t was = ints[last];
			float was_real = floats[last];

			ints[last] += (int64_t)change << 40;
			floats[last] = change == 2 ? -0.0f : was_real + (float)change * 3000;
			cr_assert_eq(
				tfr_builder_int64s(m->b, next_name(m), ints, counts[i], NULL), 0);
			cr_assert_eq(
				tfr_builder_floats(m->b, next_name(m), floats, counts[i], NULL), 0);
			ints[last] = was;
			floats[last] = was_real;
		}
}

static void make(struct made *m)
{
	static const char lengths[] = "\2\0\0\0\0\0\0\0ab\1\0\0\0\0\0\0\0c";
	const uint8_t *data;
	size_t size;

	m->b = tfr_builder_new();
	m->ex = tfr_example_new();
	add_bytes(m, (const char *[]){ "ab", "c" }, (size_t[]){ 2, 1 }, 2);
	add_bytes(m, (const char *[]){ "a", "bc" }, (size_t[]){ 1, 2 }, 2);
	add_bytes(m, (const char *[]){ "abc" }, (size_t[]){ 3 }, 1);
	add_bytes(m, (const char *[]){ lengths }, (size_t[]){ sizeof(lengths) - 1 }, 1);
	add_bytes(m, (const char *[]){ "abc", "" }, (size_t[]){ 3, 0 }, 2);
	add_bytes(m, (const char *[]){ "", "abc" }, (size_t[]){ 0, 3 }, 2);
	add_bytes(m, (const char *[]){ "" }, (size_t[]){ 0 }, 1);
	add_bytes(m, (const char *[]){ "", "" }, (size_t[]){ 0, 0 }, 2);
	add_bytes(m, NULL, NULL, 0);
	add_bytes(m, (const char *[]){ "\1\0\0\0\0\0\0\0" }, (size_t[]){ 8 }, 1);
	add_numbers(m);
	cr_assert_leq(m->n, MOST);
	cr_assert_eq(tfr_builder_flatten(m->b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(m->ex, data, size, NULL), TFR_OK);
	for (size_t i = 0; i < m->n; i++)
		tfr_values_hash(tfr_example_at(m->ex, i), m->hashes[i]);
	tfr_example_free(m->ex);
	tfr_builder_free(m->b);
}

Test(features, alike_only_where_they_are)
{
	static struct made a, b;

	make(&a);
	make(&b);
	cr_assert(a.n == b.n && !memcmp(a.hashes, b.hashes, sizeof(a.hashes)));
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = 0; k < i; k++)
			cr_assert(memcmp(a.hashes[i], a.hashes[k], TFR_NOTE_HASH), "%zu and %zu", k,
				i);
}
