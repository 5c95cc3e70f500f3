#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/hash_index.h"

/* The position of `key` in keys[], of which each has the hash hash_of(). */
static bool find(const struct tfr_hash_index *x, const uint64_t *keys, uint64_t key, uint64_t hash,
	uint32_t *position)
{
	struct tfr_hash_probe p = tfr_hash_probe(hash);

	while (tfr_hash_next(x, &p, position))
		if (keys[*position] == key)
			return true;
	return false;
}

static uint64_t mix(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15;
	return key ^ key >> 29;
}

static uint64_t same(uint64_t key)
{
	(void)key;
	return 42;
}

static uint64_t high_bits_only(uint64_t key)
{
	return key << 48;
}

static void holds_all(uint64_t (*hash)(uint64_t), uint32_t n)
{
	struct tfr_hash_index x = { 0 };
	uint64_t *keys = calloc(n, sizeof(*keys));
	uint32_t at;

	cr_assert_not(find(&x, keys, 1, hash(1), &at));
	for (uint32_t i = 0; i < n; i++) {
		keys[i] = 3 * i + 1;
		cr_assert_not(find(&x, keys, keys[i], hash(keys[i]), &at));
		cr_assert_eq(tfr_hash_add(&x, hash(keys[i]), i), TFR_OK);
		cr_assert_eq(x.n, i + 1);
		cr_assert_leq(2 * x.n, x.size);
	}
	for (uint32_t i = 0; i < n; i++) {
		cr_assert(find(&x, keys, keys[i], hash(keys[i]), &at));
		cr_assert_eq(at, i);
		cr_assert_not(find(&x, keys, keys[i] + 1, hash(keys[i] + 1), &at));
	}
	tfr_hash_empty(&x);
	cr_assert_not(find(&x, keys, keys[0], hash(keys[0]), &at));
	cr_assert_eq(tfr_hash_add(&x, hash(keys[1]), 1), TFR_OK);
	cr_assert(find(&x, keys, keys[1], hash(keys[1]), &at));
	tfr_hash_clear(&x);
	cr_assert_eq(x.size, 0);
	tfr_hash_clear(&x);
	tfr_hash_empty(&x);
	free(keys);
}

Test(hash_index, finds_what_was_added)
{
	holds_all(mix, 50000);
}

Test(hash_index, hashes_that_collide)
{
	holds_all(same, 500);
	holds_all(high_bits_only, 3000);
}

Test(hash_index, elements_with_one_hash_come_in_the_order_of_their_adding)
{
	struct tfr_hash_index x = { 0 };
	struct tfr_hash_probe p = tfr_hash_probe(5);
	uint32_t at, next = 0;

	for (uint32_t i = 0; i < 31; i++)
		cr_assert_eq(tfr_hash_add(&x, 5, i), TFR_OK);
	while (tfr_hash_next(&x, &p, &at))
		cr_assert_eq(at, next++);
	cr_assert_eq(next, 31);
	tfr_hash_clear(&x);
}
