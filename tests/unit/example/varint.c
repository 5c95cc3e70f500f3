/* The fast decoder of packed varints against its plain twin, on random bytes and on random numbers.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "example/varint.h"

enum { MOST = 200 };

/* Both on the same bytes, which end where reading must end, or `slack` bytes before. */
static void compare(const uint8_t *bytes, size_t size, size_t slack)
{
	uint8_t *exact = malloc(size + slack + 1);
	const uint8_t *p = exact, *q = exact, *end = exact + size;
	int64_t fast[MOST], plain[MOST], *fast_end, *plain_end;

	memcpy(exact, bytes, size);
	memset(end == exact ? exact : exact + size, 0x01, slack);
	exact = realloc(exact, size + slack ? size + slack : 1);
	p = q = exact;
	end = exact + size;
	fast_end = tfr_varints_decode(&p, end, end + slack, fast);
	plain_end = tfr_varints_decode_plain(&q, end, plain);
	cr_assert_eq(p, q);
	cr_assert_eq(fast_end - fast, plain_end - plain);
	cr_assert_leq((size_t)(fast_end - fast), tfr_varints_count(exact, size));
	if (p == end)
		cr_assert_eq((size_t)(fast_end - fast), tfr_varints_count(exact, size));
	cr_assert(!memcmp(fast, plain, (size_t)(fast_end - fast) * sizeof(*fast)));
	free(exact);
}

static size_t put(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

Test(varint, numbers_of_all_lengths)
{
	struct tfr_rng r;
	uint8_t bytes[MOST + 10];
	int64_t want[MOST], got[MOST];

	tfr_rng_init(&r, 5, 0);
	for (int round = 0; round < 20000; round++) {
		unsigned widest = 1 + (unsigned)tfr_rng_below(&r, 64);
		size_t size = 0, n = 0, count = tfr_rng_below(&r, 20);
		const uint8_t *p = bytes;

		for (; n < count; n++) {
			want[n] = (int64_t)(tfr_rng_u64(&r) >> (64 - widest) >>
					    tfr_rng_below(&r, widest));
			size += put(bytes + size, (uint64_t)want[n]);
		}
		cr_assert_eq(
			tfr_varints_decode(&p, bytes + size, bytes + sizeof(bytes), got), got + n);
		cr_assert_eq(p, bytes + size);
		cr_assert(!memcmp(got, want, n * sizeof(*got)));
		compare(bytes, size, tfr_rng_below(&r, 10));
		compare(bytes, size ? size - 1 : 0, 0);
	}
}

Test(varint, any_bytes)
{
	struct tfr_rng r;
	uint8_t bytes[MOST];

	tfr_rng_init(&r, 6, 0);
	for (int round = 0; round < 50000; round++) {
		size_t size = tfr_rng_below(&r, 64);
		uint64_t more = tfr_rng_below(&r, 9); /* of 8 bytes, how many go on */

		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)(tfr_rng_below(&r, 128) |
					     (tfr_rng_below(&r, 8) < more ? 0x80 : 0));
		compare(bytes, size, tfr_rng_below(&r, 10));
	}
}

Test(varint, ends_of_the_type)
{
	static const uint64_t ends[] = { 0, 127, 128, 0x3fff, 0x4000, (uint64_t)1 << 56,
		((uint64_t)1 << 56) - 1, ((uint64_t)1 << 63) - 1, (uint64_t)1 << 63, UINT64_MAX };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		uint8_t bytes[32] = { 0 };
		size_t size = put(bytes, ends[i]);
		const uint8_t *p = bytes;
		int64_t got;

		cr_assert_eq(tfr_varints_decode(&p, bytes + size, bytes + 32, &got), &got + 1);
		cr_assert_eq((uint64_t)got, ends[i]);
	}
	/* Eleven bytes are none, ten with bits past 64 are. */
	compare((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, 0);
	compare((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01", 11, 0);
}
