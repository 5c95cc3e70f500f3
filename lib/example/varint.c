/* example/varint.c - packed varints: loads eight bytes and decodes all varints that end in them at
 * once.
 *
 * A varint ends in the first byte without its highest bit.  The lowest such bit of a word gives
 * its length, and masking, not looping, gives its value.  The number of varints in a word
 * varies, and a loop over them would be mispredicted for nearly every list.  Four are therefore
 * always decoded, from masked bytes if there are fewer, and only counted at the end.  Varints of
 * nine or ten bytes are read byte by byte. */
#include "example/varint.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#include "base/cpu.h"
#define BMI2 __attribute__((target("bmi,bmi2")))
#endif

#define MORE 0x8080808080808080u /* the bit of each byte that marks a continuation */

size_t tfr_varints_count(const uint8_t *p, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += p[i] < 0x80;
	return n;
}

/* Decodes one varint byte by byte.  NULL: it is cut short or too long. */
static const uint8_t *decode_one(const uint8_t *p, const uint8_t *end, int64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
		uint8_t byte = *p++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = (int64_t)v;
			return p;
		}
	}
	return NULL;
}

int64_t *tfr_varints_decode_plain(const uint8_t **p, const uint8_t *end, int64_t *out)
{
	while (*p < end) {
		const uint8_t *next = decode_one(*p, end, out);

		if (!next)
			break;
		*p = next;
		out++;
	}
	return out;
}

/* Loads the word at `p`, with zeros in place of bytes past `limit`. */
static inline uint64_t load(const uint8_t *p, const uint8_t *limit)
{
	size_t left = (size_t)(limit - p);
	uint64_t word;

	if (left >= 8) {
		memcpy(&word, p, 8);
		return word;
	}
	memcpy(&word, limit - 8, 8);
	return word >> (64 - 8 * left);
}

/* Compacts the bits of `word` under `mask`.  They are the lower seven of each byte of a varint
 * that has `below` bits under it. */
static inline uint64_t gather_plain(uint64_t word, uint64_t mask, uint64_t below)
{
	uint64_t x = (word & mask) >> __builtin_ctzll(~below | (uint64_t)1 << 63);

	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

typedef uint64_t gather_fn(uint64_t word, uint64_t mask, uint64_t below);

/* Decodes the `n` lowest varints of a word, whose last bytes are marked in `stops`.  If there
 * are fewer, the remaining values are arbitrary.  Removes these stops; *below is the number of
 * bits of the decoded varints. */
static inline __attribute__((always_inline)) void make(
	int64_t *out, int n, uint64_t word, uint64_t *stops, uint64_t *below, gather_fn *gather)
{
	for (int i = 0; i < n; i++) {
		uint64_t upto = *stops ^ (*stops - 1);

		out[i] = (int64_t)gather(word, upto & ~*below & ~MORE, *below);
		*below = upto;
		*stops &= *stops - 1;
	}
}

static inline __attribute__((always_inline)) int64_t *decode(const uint8_t **from,
	const uint8_t *end, const uint8_t *limit, int64_t *out, gather_fn *gather)
{
	const uint8_t *p = *from;

	while (p < end) {
		size_t left = (size_t)(end - p);
		unsigned above = left < 8 ? 64 - 8 * (unsigned)left : 0;
		uint64_t word = load(p, limit), stops = (~word & MORE) << above >> above;
		uint64_t below = 0;
		unsigned n = (unsigned)((stops >> 7) * 0x0101010101010101u >> 56);

		if (stops == MORE) {
			for (int i = 0; i < 8; i++)
				out[i] = (int64_t)(word >> 8 * i & 0x7f);
			p += 8;
		} else if (stops) {
			p += 8 - (unsigned)__builtin_clzll(stops) / 8;
			make(out, 4, word, &stops, &below, gather);
			if (n > 4)
				make(out + 4, 4, word, &stops, &below, gather);
		} else {
			const uint8_t *next = decode_one(p, end, out);

			if (!next)
				break;
			p = next;
			n = 1;
		}
		out += n;
	}
	*from = p;
	return out;
}

int64_t *tfr_varints_decode_word(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out)
{
	return decode(p, end, limit, out, gather_plain);
}

#if defined(__x86_64__)

BMI2 static inline uint64_t gather_pext(uint64_t word, uint64_t mask, uint64_t below)
{
	(void)below;
	return _pext_u64(word, mask);
}

BMI2 static int64_t *decode_bmi2(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out)
{
	return decode(p, end, limit, out, gather_pext);
}

static inline bool have_pext(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("bmi");
}

/* AMD's Zen and Zen 2 have pext, but it is many times slower than shifting. */
static inline bool slow_pext(void)
{
	return __builtin_cpu_is("znver1") || __builtin_cpu_is("znver2");
}

#else

#define decode_bmi2 tfr_varints_decode_word
#define have_pext() false
#define slow_pext() false

#endif

tfr_varints_fn *tfr_varints_way(unsigned i)
{
	tfr_varints_fn *ways[4] = { NULL };
	unsigned n = 0;

	if (tfr_varints_have_avx512())
		ways[n++] = tfr_varints_decode_avx512;
	if (have_pext() && !slow_pext())
		ways[n++] = decode_bmi2;
	ways[n++] = tfr_varints_decode_word;
	if (have_pext() && slow_pext())
		ways[n++] = decode_bmi2;
	return i < n ? ways[i] : NULL;
}

int64_t *tfr_varints_decode(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out)
{
	return tfr_varints_way(0)(p, end, limit, out);
}
