/* media/formats/huffman_tables.h - lookup tables for the next bits of a JPEG's entropy-coded data.
 *
 * Each code has three tables: for one symbol, for two, and for all symbols whose codes are
 * complete. */
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
	END_OF_BLOCK = 128, /* coefficients to advance: past any other */
	UNKNOWN = 192,	    /* likewise: the table does not know */
};

/* A symbol, one byte each: bits with its value (0: the table does not know), bits of its code, bits
 * of its value, coefficients to advance. */
typedef uint32_t look_t;

/* Two symbols, or one and nothing, one byte each: bits of both; coefficients to advance for both.
 * For the first symbol: where its value begins, 63 less its bits, coefficients to advance.  For the
 * second: the same without the last. */
typedef uint64_t pair_t;

/* Skipped symbols, one byte each: coefficients to advance, bits. */
typedef uint16_t skip_t;

struct tfr_huffman_table {
	bool made;			/* or only known */
	uint8_t bits[17], symbols[256]; /* the source, as in DHT */
	/* For codes of n bits: the next 16 bits are less than limit[n]; the symbol's index is the
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

/* Registers a table that is wanted.  False: it differs from the one before. */
bool tfr_huffman_known(struct tfr_huffman_table *t, const JHUFF_TBL *wanted);

/* Make the registered tables if necessary, in about 20 microseconds for AC.  libjpeg has verified
 * that the codes fit their lengths. */
void tfr_huffman_make_dc(struct tfr_huffman_table *t);
void tfr_huffman_make_ac(struct tfr_huffman_ac *t);

#endif
