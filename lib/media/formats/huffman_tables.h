/* media/formats/huffman_tables.h - what the next bits of a JPEG's entropy-coded data mean.
 *
 * Three tables of each code: one symbol, two, or all whose codes are seen. */
#ifndef TFR_MEDIA_FORMATS_HUFFMAN_TABLES_H
#define TFR_MEDIA_FORMATS_HUFFMAN_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

#define TFR_INLINE inline __attribute__((always_inline))

enum {
	LOOK_BITS = 10,
	SKIP_BITS = 12,
	CODE_BITS = 16,	    /* of the longest code */
	VALUE_BITS = 15,    /* of the longest value */
	END_OF_BLOCK = 128, /* coefficients that it moves on: past any other */
	UNKNOWN = 192,	    /* likewise, what a table does not say */
};

/* A symbol, a byte each: bits with its value (0: the table does not say), bits of its code, bits of
 * its value, coefficients that it moves on. */
typedef uint32_t look_t;

/* Two symbols, or one and nothing, a byte each: bits of both, coefficients that both move on; where
 * the first's value begins, 63 less the bits it has, coefficients it moves on; the second's
 * likewise but for the last. */
typedef uint64_t pair_t;

/* Symbols passed over, a byte each: coefficients that they move on, bits. */
typedef uint16_t skip_t;

struct tfr_huffman_table {
	bool made;			/* or only known */
	uint8_t bits[17], symbols[256]; /* what it is made from, as in DHT */
	/* Of codes of n bits: the next 16 bits are less than limit[n]; the symbol's place is the
	 * code + offset[n]. */
	uint32_t limit[CODE_BITS + 2];
	int32_t offset[CODE_BITS + 1];
	look_t look[1 << LOOK_BITS];
};

struct tfr_huffman_ac {
	struct tfr_huffman_table one;
	pair_t pair[1 << LOOK_BITS];
	skip_t skip[1 << SKIP_BITS];
};

static TFR_INLINE unsigned look_bits(look_t l)
{
	return l & 255;
}

static TFR_INLINE unsigned look_code(look_t l)
{
	return l >> 8 & 255;
}

static TFR_INLINE unsigned look_value(look_t l)
{
	return l >> 16 & 255;
}

static TFR_INLINE unsigned look_advance(look_t l)
{
	return l >> 24;
}

static inline look_t look_of(unsigned code, uint8_t symbol, bool ac)
{
	unsigned value = symbol & 15, run = symbol >> 4;
	unsigned advance = ac && !value && run != 15 ? END_OF_BLOCK : run + 1;

	return (code + value) | code << 8 | value << 16 | advance << 24;
}

/* Takes note of a table that is wanted.  False: it is another one than before. */
bool tfr_huffman_known(struct tfr_huffman_table *t, const JHUFF_TBL *wanted);

/* Make what is known, unless it is made: some 20 microseconds for AC.  libjpeg has seen that the
 * codes fit their lengths. */
void tfr_huffman_make_dc(struct tfr_huffman_table *t);
void tfr_huffman_make_ac(struct tfr_huffman_ac *t);

#endif
