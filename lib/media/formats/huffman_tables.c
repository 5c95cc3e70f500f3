/* media/formats/huffman_tables.c - assigns codes as ITU-T T.81 does, and precomputes the lookup for
 * every pattern of bits.
 *
 * An entry only uses its own bits: a symbol counts if all of its code is among them; its value may
 * come after them. */
#include "media/formats/huffman_tables.h"

#include <string.h>

static void fill_looks(
	struct tfr_huffman_table *t, unsigned length, uint32_t code, uint8_t symbol, bool ac)
{
	unsigned first = code << (LOOK_BITS - length), n = 1u << (LOOK_BITS - length);
	look_t l = look_of(length, symbol, ac);

	for (unsigned i = first; i < first + n; i++)
		t->look[i] = l;
}

/* As T.81 C.2 assigns codes: in order of length, counting up.  libjpeg has verified that they fit.
 */
static void make_codes(struct tfr_huffman_table *t, bool ac)
{
	uint32_t code = 0;
	int32_t place = 0;

	memset(t->look, 0, sizeof(t->look));
	for (unsigned length = 1; length <= CODE_BITS; length++, code <<= 1) {
		t->offset[length] = place - (int32_t)code;
		for (unsigned i = 0; i < t->bits[length]; i++, code++, place++)
			if (length <= LOOK_BITS)
				fill_looks(t, length, code, t->symbols[place], ac);
		t->limit[length] = code << (CODE_BITS - length);
	}
	t->limit[CODE_BITS + 1] = UINT32_MAX;
}

/* The symbol after `used` of `bits` known bits; 0: its code is not complete. */
static look_t look_at(
	const struct tfr_huffman_table *t, uint32_t look, unsigned bits, unsigned used)
{
	uint32_t rest = look << used & ((1u << bits) - 1);
	look_t l = t->look[rest >> (bits - LOOK_BITS)];

	return used + look_code(l) <= bits ? l : 0;
}

static pair_t pair_of(const struct tfr_huffman_table *t, uint32_t look)
{
	look_t first = t->look[look], second = 0;
	unsigned used = look_bits(first), advance = look_advance(first);

	if (!first)
		return (pair_t)UNKNOWN << 8;
	if (used < LOOK_BITS && advance != END_OF_BLOCK)
		second = look_at(t, look, LOOK_BITS, used);
	return (used + look_bits(second)) | (advance + look_advance(second)) << 8 |
	       (pair_t)look_code(first) << 16 | (pair_t)(63 - look_value(first)) << 24 |
	       (pair_t)advance << 32 | (pair_t)(used + look_code(second)) << 40 |
	       (pair_t)(63 - look_value(second)) << 48;
}

static skip_t skip_of(const struct tfr_huffman_table *t, uint32_t look)
{
	unsigned used = 0, advance = 0;
	look_t l;

	while (used < SKIP_BITS && advance < DCTSIZE2 && (l = look_at(t, look, SKIP_BITS, used))) {
		used += look_bits(l);
		advance += look_advance(l);
	}
	return (skip_t)(used ? used << 8 | advance : UNKNOWN);
}

bool tfr_huffman_known(struct tfr_huffman_table *t, const JHUFF_TBL *wanted)
{
	if (!memcmp(t->bits, wanted->bits, sizeof(t->bits)) &&
		!memcmp(t->symbols, wanted->huffval, sizeof(t->symbols)))
		return true;
	memcpy(t->bits, wanted->bits, sizeof(t->bits));
	memcpy(t->symbols, wanted->huffval, sizeof(t->symbols));
	t->made = false;
	return false;
}

void tfr_huffman_make_dc(struct tfr_huffman_table *t)
{
	if (!t->made)
		make_codes(t, false);
	t->made = true;
}

void tfr_huffman_make_ac(struct tfr_huffman_ac *t)
{
	if (t->one.made)
		return;
	make_codes(&t->one, true);
	t->one.made = true;
	for (uint32_t i = 0; i < 1u << LOOK_BITS; i++)
		t->pair[i] = pair_of(&t->one, i);
	for (uint32_t i = 0; i < 1u << SKIP_BITS; i++)
		t->skip[i] = skip_of(&t->one, i);
}
