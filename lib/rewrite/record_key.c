/* rewrite/record_key.c - hashes the values of a feature as one stream of bytes. */
#include "rewrite/record_key.h"

#include <endian.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* keeps the streaming state on the stack */
#include <xxhash.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "example/wire.h"

static void add_bytes(XXH3_state_t *state, const struct tfr_bytes *value)
{
	uint8_t length[TFR_VARINT_MAX];

	XXH3_64bits_update(
		state, length, (size_t)(tfr_wire_put_varint(length, value->size) - length));
	XXH3_64bits_update(state, value->data, value->size);
}

static void add_values(XXH3_state_t *state, const struct tfr_feature *key)
{
	struct tfr_cursor c;
	struct tfr_bytes bytes;
	int64_t number;
	float real;

	tfr_cursor_init(&c, key);
	while (tfr_cursor_bytes(&c, &bytes))
		add_bytes(state, &bytes);
	while (tfr_cursor_int64(&c, &number)) {
		uint64_t word = htole64((uint64_t)number);

		XXH3_64bits_update(state, &word, sizeof(word));
	}
	while (tfr_cursor_float(&c, &real)) {
		uint32_t word;

		memcpy(&word, &real, sizeof(word));
		word = htole32(word);
		XXH3_64bits_update(state, &word, sizeof(word));
	}
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
