/* media/formats/huffman.c - symbols of ITU-T T.81, annex F.2.2, several at a time.
 *
 * The data is first copied to a window without the zeros after each FF (B.1.1.5), so that eight
 * bytes of bits can be taken without examining them.  At the start of an MCU the window has at
 * least as many bytes as an MCU can take, or the rest of the segment followed by zeros.  So nothing
 * within an MCU checks for the end.  After the MCU, a check finds whether it took more bytes than
 * there were.
 *
 * The cost is latency: the place of a symbol is known only after the symbol before it, by a shift,
 * a load and a shift, seven cycles each.  So one table lookup finds two coefficients: their total
 * length and the places of their values.  The values are computed during the next lookup.  If the
 * values are not needed, one lookup skips all symbols whose codes it contains. */
#include "media/formats/jpeg.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

/* --- tables --- */

/* Lookup tables for the next bits of a JPEG's entropy-coded data.
 *
 * Each code has three tables: for one symbol, for two, and for all symbols whose codes are
 * complete.
 *
 * Assigns codes as ITU-T T.81 does, and precomputes the lookup for every pattern of bits.
 *
 * An entry only uses its own bits: a symbol counts if all of its code is among them; its value
 * may come after them. */

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

/* Registers a table that is wanted.  False: it differs from the one before. */
static bool huffman_known(struct tfr_huffman_table *t, const JHUFF_TBL *wanted)
{
	if (!memcmp(t->bits, wanted->bits, sizeof(t->bits)) &&
		!memcmp(t->symbols, wanted->huffval, sizeof(t->symbols)))
		return true;
	memcpy(t->bits, wanted->bits, sizeof(t->bits));
	memcpy(t->symbols, wanted->huffval, sizeof(t->symbols));
	t->made = false;
	return false;
}

/* Make the registered tables if necessary, in about 20 microseconds for AC.  libjpeg has verified
 * that the codes fit their lengths. */
static void huffman_make_dc(struct tfr_huffman_table *t)
{
	if (!t->made)
		make_codes(t, false);
	t->made = true;
}

static void huffman_make_ac(struct tfr_huffman_ac *t)
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

/* --- decoding --- */

enum {
	REFILLED = 56, /* the least number of bits available after a refill */
	LOOKS = 2,     /* lookups for which that is enough */
	SYMBOL_BITS = CODE_BITS + VALUE_BITS,
	MCU_BYTES = (D_MAX_BLOCKS_IN_MCU * DCTSIZE2 * SYMBOL_BITS + 7) / 8,
	SLACK = MCU_BYTES + 32, /* and the bytes that are read ahead */
	WINDOW = 16384,
	WORTH_TABLES = 16384, /* a larger image gets its own tables at once */
};

_Static_assert(
	LOOKS *(SKIP_BITS + VALUE_BITS) <= REFILLED && LOOK_BITS <= SKIP_BITS, "a refill lasts");

/* Bits are at the top of `word`.  Some bits after the first `count` may be present already. */
struct bits {
	uint64_t word;
	unsigned count;
	const uint8_t *next;
};

struct tfr_huffman {
	struct tfr_huffman_table dc[NUM_HUFF_TBLS];
	struct tfr_huffman_ac ac[NUM_HUFF_TBLS];
	bool (*read_mcu)(struct tfr_huffman *h, JBLOCKROW *blocks, bool wanted);
	struct bits bits;
	const uint8_t *in, *in_end; /* bytes that are not in the window yet */
	uint8_t *end;		    /* of the bytes in the window */
	bool ended;		    /* the segment ends in the window; `in` is at its marker */
	unsigned block_count;
	struct block {
		const struct tfr_huffman_table *dc;
		const struct tfr_huffman_ac *ac;
		uint32_t *last_dc; /* as wide as it can become: libjpeg lets it wrap */
		bool wanted;
	} blocks[D_MAX_BLOCKS_IN_MCU];
	uint32_t last_dc[MAX_COMPS_IN_SCAN];
	JDIMENSION columns, column, first, last; /* last: one after the last one wanted */
	unsigned restart_interval, restarts_to_go, restart;
	uint8_t window[WINDOW + SLACK];
};

/* ---- data ---- */

/* Fills the window, up to the end of the segment. */
static bool fill_window(struct tfr_huffman *h)
{
	size_t kept = (size_t)(h->end - h->bits.next);
	uint8_t *out = h->window + kept, *limit = h->window + WINDOW;

	memmove(h->window, h->bits.next, kept);
	h->bits.next = h->window;
	while (out < limit) {
		size_t most = (size_t)(limit - out), n = (size_t)(h->in_end - h->in);
		const uint8_t *ff = memchr(h->in, 0xff, n < most ? n : most);

		n = ff ? (size_t)(ff - h->in) : n < most ? n : most;
		memcpy(out, h->in, n);
		out += n;
		h->in += n;
		if (h->in_end - h->in < 2)
			return false; /* a marker is missing */
		if (!ff)
			break;
		if (h->in[1]) {
			h->ended = true;
			memset(out, 0, SLACK);
			break;
		}
		*out++ = 0xff;
		h->in += 2;
	}
	h->end = out;
	return true;
}

static void start_segment(struct tfr_huffman *h)
{
	h->bits = (struct bits){ .next = h->window };
	h->end = h->window;
	h->ended = false;
	memset(h->last_dc, 0, sizeof(h->last_dc));
	h->restarts_to_go = h->restart_interval;
}

/* The number of unused bits in the window; negative if more were used than it had. */
static ptrdiff_t bits_left(const struct tfr_huffman *h)
{
	return (h->end - h->bits.next) * 8 + (ptrdiff_t)h->bits.count;
}

/* Starts the next segment if the current one was used up to its last byte and the expected marker
 * follows. */
static bool pass_restart(struct tfr_huffman *h)
{
	if (!h->ended || bits_left(h) >= 8 || h->in_end - h->in < 2 ||
		h->in[1] != JPEG_RST0 + h->restart)
		return false;
	h->in += 2;
	h->restart = (h->restart + 1) % 8;
	start_segment(h);
	h->restarts_to_go--;
	return true;
}

/* ---- symbols ---- */

static TFR_INLINE uint64_t be64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Bits beyond the counted bytes are loaded once more; they are the same. */
static TFR_INLINE void refill_bits(struct bits *b)
{
	b->word |= be64(b->next) >> b->count;
	b->next += (63 - b->count) >> 3;
	b->count |= REFILLED;
}

static TFR_INLINE void take_bits(struct bits *b, unsigned n)
{
	b->word <<= n;
	b->count -= n;
}

/* The symbol at the top of `word`; 0: no such code. */
static __attribute__((noinline)) look_t look_further(
	const struct tfr_huffman_table *t, uint64_t word, bool ac)
{
	uint32_t next = (uint32_t)(word >> (64 - CODE_BITS));
	unsigned length = LOOK_BITS + 1;

	while (next >= t->limit[length])
		length++;
	if (length > CODE_BITS)
		return 0;
	next >>= CODE_BITS - length;
	return look_of(length, t->symbols[((int32_t)next + t->offset[length]) & 255], ac);
}

static TFR_INLINE look_t look_one(const struct tfr_huffman_table *t, uint64_t word, bool ac)
{
	look_t l = t->look[word >> (64 - LOOK_BITS)];

	return __builtin_expect(l != 0, 1) ? l : look_further(t, word, ac);
}

/* The value of 63 - `rest` bits that begins after `from` bits (F.2.2.1, EXTEND).  A value that
 * begins with 0 is negative: its bits are the complement of its magnitude. */
static TFR_INLINE JCOEF value_at(uint64_t word, unsigned from, unsigned rest)
{
	uint64_t bits = word << from, negative = (uint64_t)((int64_t)~bits >> 63);

	/* In two steps, because a value may have no bits. */
	bits = (bits ^ negative) >> 1 >> rest;
	return (JCOEF)((bits ^ negative) - negative);
}

static TFR_INLINE JCOEF look_value_at(uint64_t word, look_t l)
{
	return value_at(word, look_code(l), 63 - look_value(l));
}

/* The position of the k-th coefficient (figure A.6).  Indices from 64 on are ends of blocks: their
 * 0 goes to the position of the last coefficient, which is absent then. */
static const uint8_t zigzag[DCTSIZE2 + END_OF_BLOCK] = {
	/* clang-format off */
	 0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	[DCTSIZE2 ... DCTSIZE2 + END_OF_BLOCK - 1] = 63,
	/* clang-format on */
};

/* A block ends after its last coefficient, or at an end-of-block code. */
static TFR_INLINE bool ends_well(unsigned k)
{
	return k == DCTSIZE2 || (k > END_OF_BLOCK && k < END_OF_BLOCK + DCTSIZE2);
}

/* Decodes one symbol, where the table of pairs does not suffice.  False: an invalid code. */
static TFR_INLINE bool decode_symbol(
	const struct tfr_huffman_table *t, struct bits *b, unsigned *k, JCOEF *out)
{
	look_t l;

	refill_bits(b);
	l = look_one(t, b->word, true);
	*k += look_advance(l);
	if (out)
		out[zigzag[*k - 1]] = look_value_at(b->word, l);
	take_bits(b, look_bits(l));
	return l;
}

/* Without a second one, its 0 goes to the position of the first and is overwritten. */
static TFR_INLINE void put_pair(struct bits *b, pair_t p, unsigned k, unsigned after, JCOEF *out)
{
	unsigned first = k + (p >> 32 & 255);

	out[zigzag[after - 1]] = value_at(b->word, p >> 40 & 63, p >> 48 & 63);
	out[zigzag[first - 1]] = value_at(b->word, p >> 16 & 63, p >> 24 & 63);
	take_bits(b, p & 255);
}

/* Decodes the coefficients of a block from the first AC on.  False: an invalid code, or too many
 * coefficients. */
static TFR_INLINE bool read_block(const struct tfr_huffman_ac *t, struct bits *bits, JCOEF *out)
{
	struct bits b = *bits;
	unsigned k = 1, after = 1;

	do {
		pair_t p = 0;

		refill_bits(&b);
		for (int i = 0; i < LOOKS; i++) {
			p = t->pair[b.word >> (64 - LOOK_BITS)];
			after = k + (p >> 8 & 255);
			if (after >= DCTSIZE2)
				break;
			put_pair(&b, p, k, after, out);
			k = after;
		}
		if (after < DCTSIZE2)
			continue;
		if (ends_well(after)) {
			put_pair(&b, p, k, after, out);
			k = after;
		} else if (!decode_symbol(&t->one, &b, &k, out)) {
			return false;
		}
	} while (k < DCTSIZE2);
	*bits = b;
	return ends_well(k);
}

/* The same without the values.  A lookup may see bits of the next block if this one has all of its
 * coefficients and therefore no end-of-block code. */
static TFR_INLINE bool skip_block(const struct tfr_huffman_ac *t, struct bits *bits)
{
	struct bits b = *bits;
	unsigned k = 1, after = 1;

	do {
		skip_t found = 0;

		refill_bits(&b);
		for (int i = 0; i < LOOKS; i++) {
			found = t->skip[b.word >> (64 - SKIP_BITS)];
			after = k + (found & 255);
			if (after >= DCTSIZE2)
				break;
			take_bits(&b, found >> 8);
			k = after;
		}
		if (after < DCTSIZE2)
			continue;
		if (ends_well(after)) {
			take_bits(&b, found >> 8);
			k = after;
		} else if (!decode_symbol(&t->one, &b, &k, NULL)) {
			return false;
		}
	} while (k < DCTSIZE2);
	*bits = b;
	return ends_well(k);
}

static TFR_INLINE bool read_dc(const struct tfr_huffman_table *t, struct bits *b, int *difference)
{
	look_t l;

	refill_bits(b);
	l = look_one(t, b->word, false);
	*difference = look_value_at(b->word, l);
	take_bits(b, look_bits(l));
	return l;
}

/* ---- MCUs ---- */

static TFR_INLINE bool read_mcu(struct tfr_huffman *h, JBLOCKROW *blocks, bool wanted)
{
	struct bits b = h->bits;

	for (unsigned i = 0; i < h->block_count; i++) {
		const struct block *block = &h->blocks[i];
		int difference;

		if (!read_dc(block->dc, &b, &difference))
			return false;
		*block->last_dc += (uint32_t)difference;
		if (wanted && block->wanted) {
			JCOEF *out = *blocks[i];

			out[0] = (JCOEF)*block->last_dc;
			if (!read_block(block->ac, &b, out))
				return false;
		} else if (!skip_block(block->ac, &b)) {
			return false;
		}
	}
	h->bits = b;
	return bits_left(h) >= 0;
}

static bool read_mcu_plain(struct tfr_huffman *h, JBLOCKROW *blocks, bool wanted)
{
	return read_mcu(h, blocks, wanted);
}

#ifdef __x86_64__
/* The same in C: shifts by a number in any register, without changing the flags. */
__attribute__((target("bmi,bmi2"))) static bool read_mcu_bmi2(
	struct tfr_huffman *h, JBLOCKROW *blocks, bool wanted)
{
	return read_mcu(h, blocks, wanted);
}
#endif

bool tfr_huffman_mcu(struct tfr_huffman *h, JBLOCKROW *blocks)
{
	bool wanted = blocks && h->column >= h->first && h->column < h->last;

	if (h->restart_interval && !h->restarts_to_go-- && !pass_restart(h))
		return false;
	if (!h->ended && h->end - h->bits.next < SLACK && !fill_window(h))
		return false;
	h->column = h->column + 1 == h->columns ? 0 : h->column + 1;
	return h->read_mcu(h, blocks, wanted);
}

/* ---- beginning and end ---- */

struct tfr_huffman *tfr_huffman_new(void)
{
	struct tfr_huffman *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->read_mcu = read_mcu_plain;
#ifdef __x86_64__
	if (tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("bmi2"))
		h->read_mcu = read_mcu_bmi2;
#endif
	return h;
}

void tfr_huffman_free(struct tfr_huffman *h)
{
	free(h);
}

/* Most files use the tables of T.81's annex K, which are made once.  Other tables are made for a
 * large image, or if the next image uses them, too: making them takes as long as a small image. */
static bool have_tables(struct tfr_huffman *h, const struct jpeg_decompress_struct *c)
{
	bool known = true, dc[NUM_HUFF_TBLS] = { false }, ac[NUM_HUFF_TBLS] = { false };

	for (int i = 0; i < c->comps_in_scan; i++) {
		dc[c->cur_comp_info[i]->dc_tbl_no] = true;
		ac[c->cur_comp_info[i]->ac_tbl_no] = true;
	}
	for (int i = 0; i < NUM_HUFF_TBLS; i++) {
		known &= !dc[i] || huffman_known(&h->dc[i], c->dc_huff_tbl_ptrs[i]);
		known &= !ac[i] || huffman_known(&h->ac[i].one, c->ac_huff_tbl_ptrs[i]);
	}
	if (!known && c->src->bytes_in_buffer < WORTH_TABLES)
		return false;
	for (int i = 0; i < NUM_HUFF_TBLS; i++) {
		if (dc[i])
			huffman_make_dc(&h->dc[i]);
		if (ac[i])
			huffman_make_ac(&h->ac[i]);
	}
	return true;
}

static bool is_for_us(const struct jpeg_decompress_struct *c)
{
	return !c->progressive_mode && !c->arith_code && c->comps_in_scan == c->num_components &&
	       c->Ss == 0 && c->Se == DCTSIZE2 - 1 && c->Ah == 0 && c->Al == 0 &&
	       c->unread_marker == 0;
}

bool tfr_huffman_start(struct tfr_huffman *h, const struct jpeg_decompress_struct *c,
	JDIMENSION first, JDIMENSION last)
{
	if (!is_for_us(c) || !have_tables(h, c))
		return false;
	for (int i = 0; i < c->blocks_in_MCU; i++) {
		int component = c->MCU_membership[i];
		const jpeg_component_info *info = c->cur_comp_info[component];

		h->blocks[i] = (struct block){ .dc = &h->dc[info->dc_tbl_no],
			.ac = &h->ac[info->ac_tbl_no],
			.last_dc = &h->last_dc[component],
			.wanted = info->component_needed };
	}
	h->block_count = (unsigned)c->blocks_in_MCU;
	h->in = c->src->next_input_byte;
	h->in_end = h->in + c->src->bytes_in_buffer;
	h->columns = c->MCUs_per_row;
	h->column = 0;
	h->first = first;
	h->last = last;
	h->restart_interval = c->restart_interval;
	h->restart = 0;
	start_segment(h);
	return true;
}

const uint8_t *tfr_huffman_position(const struct tfr_huffman *h)
{
	return h->in;
}
