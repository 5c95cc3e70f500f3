/* rewrite/record_key.c - hashes the values of a feature as one stream of bytes. */
#include "rewrite/record_key.h"

#include <endian.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* keeps the streaming state on the stack */
#include <xxhash.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "example/wire.h"

enum { FEW = 64 };

/* Numbers are hashed a few at a time, little-endian.  The streaming functions of XXH3 for 64 and
 * for 128 bits have the same state and meaning. */
static void add_values(XXH3_state_t *state, const struct tfr_feature *f)
{
	uint8_t few[FEW * sizeof(uint64_t)];
	struct tfr_bytes bytes;
	struct tfr_cursor c;
	int64_t number;
	size_t n = 0;
	float real;

	tfr_cursor_init(&c, f);
	while (tfr_cursor_bytes(&c, &bytes)) {
		n = (size_t)(tfr_wire_put_varint(few, bytes.size) - few);
		XXH3_128bits_update(state, few, n);
		XXH3_128bits_update(state, bytes.data, bytes.size);
		n = 0;
	}
	while (tfr_cursor_int64(&c, &number)) {
		uint64_t word = htole64((uint64_t)number);

		memcpy(few + n, &word, sizeof(word));
		n = (n + sizeof(word)) % sizeof(few);
		if (!n)
			XXH3_128bits_update(state, few, sizeof(few));
	}
	while (tfr_cursor_float(&c, &real)) {
		uint32_t word;

		memcpy(&word, &real, sizeof(word));
		word = htole32(word);
		memcpy(few + n, &word, sizeof(word));
		n = (n + sizeof(word)) % sizeof(few);
		if (!n)
			XXH3_128bits_update(state, few, sizeof(few));
	}
	XXH3_128bits_update(state, few, n);
}

uint64_t tfr_key_hash(const struct tfr_feature *key, uint64_t seed)
{
	struct tfr_bytes only;
	XXH3_state_t state;

	if (key->kind == TFR_KIND_BYTES && key->count == 1 && tfr_feature_bytes(key, 0, &only))
		return XXH3_64bits_withSeed(only.data, only.size, seed);
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset_withSeed(&state, seed);
	add_values(&state, key);
	return XXH3_64bits_digest(&state);
}

/* The seed contains kind and number, since values of different kinds may have the same bytes. */
static XXH128_hash_t hash_values(const struct tfr_feature *f)
{
	uint64_t seed = f->count * (TFR_KIND_INT64 + 1) + f->kind, word;
	struct tfr_bytes bytes;
	XXH3_state_t state;
	int64_t number;

	if (f->count == 1 && tfr_feature_bytes(f, 0, &bytes))
		return XXH3_128bits_withSeed(bytes.data, bytes.size, seed);
	if (f->count == 1 && tfr_feature_int64(f, 0, &number)) {
		word = htole64((uint64_t)number);
		return XXH3_128bits_withSeed(&word, sizeof(word), seed);
	}
	XXH3_INITSTATE(&state);
	XXH3_128bits_reset_withSeed(&state, seed);
	add_values(&state, f);
	return XXH3_128bits_digest(&state);
}

void tfr_values_hash(const struct tfr_feature *f, uint8_t hash[TFR_VALUES_HASH])
{
	XXH128_canonicalFromHash((XXH128_canonical_t *)hash, hash_values(f));
}

static enum tfr_status fail_absent(
	const struct tfr_example *ex, const char *name, struct tfr_error *err)
{
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, name, strlen(name));
	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		tfr_suggestion_offer(&meant, f->key, f->key_size);
	}
	tfr_fail(err, TFR_EDATA, "no feature '%s'", name);
	tfr_suggestion_hint(&meant, err);
	return TFR_EDATA;
}

enum tfr_status tfr_key_find(const struct tfr_example *ex, const char *name,
	const struct tfr_feature **key, struct tfr_error *err)
{
	*key = tfr_example_get(ex, name);
	if (!*key || (*key)->kind == TFR_KIND_UNSET)
		return fail_absent(ex, name, err);
	if (!(*key)->count)
		return tfr_fail(err, TFR_EDATA, "no value in feature '%s'", name);
	return TFR_OK;
}
