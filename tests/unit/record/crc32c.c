#include <criterion/criterion.h>

#include "base/rng.h"
#include "record/framing.h"
#include "unit/variants.h"

Test(crc32c, known_answers)
{
	cr_assert_eq(tfr_crc32c(0, "123456789", 9), 0xe3069283);
	cr_assert_eq(tfr_crc_mask(0xe3069283), 0xc78ab0e5);
	cr_assert_eq(tfr_crc32c(0, "", 0), 0);
	cr_assert_eq(tfr_crc_mask(0), 0xa282ead8);
	cr_assert_eq(tfr_crc32c(0, "a", 1), 0xc1d04330);
	cr_assert_eq(tfr_crc_unmask(0xc78ab0e5), 0xe3069283);
}

/* Each way that this processor has, from any start and at any address. */
static void compare_ways(const uint8_t *data, size_t n, uint32_t whole)
{
	uint32_t start = tfr_crc32c_plain(0, data, n / 5);
	size_t from = n / 5, left = n - from;

	if (tfr_crc32c_have_avx512())
		cr_assert(tfr_crc32c_avx512(0, data, n) == whole &&
			  tfr_crc32c_avx512(start, data + from, left) == whole);
	if (tfr_crc32c_have_sse42())
		cr_assert(tfr_crc32c_sse42(0, data, n) == whole &&
			  tfr_crc32c_sse42(start, data + from, left) == whole);
}

Test(crc32c, twins_agree_at_every_length_and_split)
{
	static uint8_t data[3000];
	struct tfr_rng r;

	variant(tfr_crc32c_have_avx512(), "crc32c", "avx512");
	variant(tfr_crc32c_have_sse42(), "crc32c", "sse4.2");
	tfr_rng_init(&r, 5, 0);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)tfr_rng_u32(&r);
	for (size_t n = 0; n < sizeof(data); n += n < 300 ? 1 : 97) {
		uint32_t whole = tfr_crc32c_plain(0, data, n);

		cr_assert_eq(tfr_crc32c(0, data, n), whole);
		compare_ways(data, n, whole);
		cr_assert_eq(
			tfr_crc32c(tfr_crc32c(0, data, n / 3), data + n / 3, n - n / 3), whole);
		cr_assert_eq(
			tfr_crc32c_plain(tfr_crc32c_plain(0, data, n / 3), data + n / 3, n - n / 3),
			whole);
	}
	cr_assert_eq(tfr_crc32c_u64_plain(tfr_load64(data)), tfr_crc32c_plain(0, data, 8));
}

Test(crc32c, headers_verify)
{
	const uint8_t zero_length[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0x29, 0x03, 0x98, 0x07 };
	const uint8_t zeros[12] = { 0 };

	cr_assert(tfr_header_verifies(zero_length));
	cr_assert_not(tfr_header_verifies(zeros));
	cr_assert_eq(tfr_find_header(zeros, 12), 12);
}

Test(sum, known_answer_in_one_piece_and_in_several)
{
	static uint8_t data[5000];
	struct tfr_digest whole, parts;

	/* XXH3-64 of nothing with seed 0, from xxHash's own sanity tests. */
	tfr_digest_pieces(&(struct iovec){ data, 0 }, 1, &whole);
	cr_assert_eq(whole.sum, 0x2d06800538d394c2);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i >> 3);
	for (size_t n = 0; n < sizeof(data); n += n < 300 ? 1 : 131) {
		struct iovec three[3] = { { data, n / 3 }, { data + n / 3, 0 },
			{ data + n / 3, n - n / 3 } };

		tfr_digest_pieces(&(struct iovec){ data, n }, 1, &whole);
		tfr_digest_pieces(three, 3, &parts);
		cr_assert(whole.sum == parts.sum && whole.crc == parts.crc && whole.size == n &&
			  parts.size == n);
	}
}
