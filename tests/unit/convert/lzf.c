/* What LZF packs, by its description; what h5py packs is in tests/data/arrays. */
#include "support/temp.h"

#include "lzf.h"

static void expect(const char *packed, size_t n, const char *plain)
{
	size_t size = 0;
	char *out;

	cr_assert(tfr_lzf_measure((const uint8_t *)packed, n, &size));
	cr_assert_eq(size, strlen(plain));
	out = calloc(1, size + 1);
	cr_assert(out);
	tfr_lzf_unpack((const uint8_t *)packed, n, (uint8_t *)out);
	cr_assert_str_eq(out, plain);
	free(out);
}

Test(lzf, literals_and_copies)
{
	expect("", 0, "");
	expect("\2abc", 4, "abc");
	expect("\2abc\x20\2", 6, "abcabc");	       /* 1 + 2 bytes, from 3 back */
	expect("\0a\xc0\0", 4, "aaaaaaaaa");	       /* 6 + 2, each made of the one before */
	expect("\1ab\xe0\1\1\0!", 8, "abababababab!"); /* 7 + 1 + 2 bytes, from 2 back */
}

Test(lzf, far_copies)
{
	char packed[1024] = { 0 }, plain[2048];
	size_t n = 0, at = 0;

	for (unsigned k = 0; k < 17; k++) {
		packed[n++] = 31;
		for (unsigned i = 0; i < 32; i++)
			packed[n++] = plain[at++] = (char)('a' + (k * 7 + i) % 26);
	}
	packed[n++] = '\x22'; /* 3 bytes from 2 * 256 + 31 + 1 = 544 back, which is the first */
	packed[n++] = '\x1f';
	memcpy(plain + at, plain, 3);
	plain[at + 3] = '\0';
	expect(packed, n, plain);
}

Test(lzf, damage)
{
	static const struct {
		const char *bytes;
		size_t n;
	} bad[] = { { "\2ab", 3 }, { "\0a\x20", 3 }, { "\0a\xe0", 3 }, { "\0a\xe0\1", 4 },
		{ "\x20\0", 2 }, { "\0a\x20\1", 4 }, { "\x1f", 1 } };
	size_t size;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert(
			!tfr_lzf_measure((const uint8_t *)bad[i].bytes, bad[i].n, &size), "%zu", i);
}
