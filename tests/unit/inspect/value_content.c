/* What bytes are, the fast way and the plain one: noise, texts and messages, whole, cut and
 * changed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "inspect/stats/facts.h"

enum { ROUNDS = 400000, LONGEST = 80 };

/* A text: ASCII, white space, characters of 2 to 4 bytes. */
static size_t make_text(struct tfr_rng *rng, uint8_t *p, size_t size)
{
	static const char *const others[] = { "\t", "\n", "\r", "\xc3\xa9", "\xed\x9f\xbf",
		"\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xc2\x80",
		"\xef\xbf\xbf" };
	size_t n = 0;
	bool plain = tfr_rng_below(rng, 3) == 0;

	while (n + 4 <= size) {
		const char *other = others[tfr_rng_below(rng, 10)];

		if (plain || tfr_rng_below(rng, 4)) {
			p[n++] = (uint8_t)(0x20 + tfr_rng_below(rng, 0x5f));
			continue;
		}
		memcpy(p + n, other, strlen(other));
		n += strlen(other);
	}
	return n;
}

static size_t put_varint(uint8_t *p, uint64_t v, unsigned more)
{
	size_t n = 0;

	for (; v >= 0x80 || more; v >>= 7, more -= more > 0)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

/* Fields of all types, some of their varints longer than they must be. */
static size_t make_message(struct tfr_rng *rng, uint8_t *p, size_t size)
{
	size_t n = 0;

	while (n + 24 <= size) {
		static const uint8_t types[] = { 0, 0, 1, 2, 2, 2, 5, 5 };
		uint64_t type = types[tfr_rng_below(rng, 8)], number = tfr_rng_u64(rng);
		unsigned more = tfr_rng_below(rng, 8) ? 0 : (unsigned)tfr_rng_below(rng, 3);
		uint64_t inside = tfr_rng_below(rng, size - n - 23);

		number >>= 35 + tfr_rng_below(rng, 29); /* up to 29 bits, and 0 */
		n += put_varint(p + n, number << 3 | type, more);
		if (type == 0)
			n += put_varint(p + n, tfr_rng_u64(rng) >> tfr_rng_below(rng, 64), 0);
		if (type == 2)
			n += put_varint(p + n, inside, more) + inside;
		n += type == 1 ? 8 : type == 5 ? 4 : 0;
	}
	return n < size ? n : size;
}

Test(nature, both_ways_say_the_same)
{
	uint64_t texts = 0, messages = 0;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 8, 8);
	for (int round = 0; round < ROUNDS; round++) {
		size_t size = tfr_rng_below(&rng, LONGEST);
		/* Of its own size, so that a byte behind it is found out. */
		uint8_t *p = malloc(size + 1);
		bool text, message;

		for (size_t i = 0; i < size; i++)
			p[i] = (uint8_t)tfr_rng_u32(&rng);
		if (round % 3 == 1)
			size = make_text(&rng, p, size);
		else if (round % 3 == 2)
			size = make_message(&rng, p, size);
		if (size && round % 4 == 0)
			p[tfr_rng_below(&rng, size)] = (uint8_t)tfr_rng_u32(&rng);
		p = realloc(p, size ? size : 1);
		text = tfr_is_text_plain(p, size);
		message = tfr_is_message_plain(p, size);
		cr_assert_eq(tfr_is_text(p, size), text);
		cr_assert_eq(tfr_is_message(p, size), message);
		texts += text;
		messages += message;
		free(p);
	}
	cr_assert_gt(texts, ROUNDS / 5);
	cr_assert_gt(messages, ROUNDS / 10);
}

/* Each byte at each place of a block. */
Test(nature, every_byte_at_every_place)
{
	for (unsigned c = 0; c < 256; c++)
		for (unsigned at = 0; at < 40; at++) {
			uint8_t p[40];

			memset(p, 'x', sizeof(p));
			p[at] = (uint8_t)c;
			cr_assert_eq(tfr_is_text(p, 40), tfr_is_text_plain(p, 40), "%x %u", c, at);
		}
}
