/* rewrite/record_key.h - hashes of a feature's values: the one that decides the set of a record,
 * and the one by which values are compared. */
#ifndef TFR_REWRITE_RECORD_KEY_H
#define TFR_REWRITE_RECORD_KEY_H

#include <tfr-private/example.h>

/* XXH3-64 of a feature's values, with `seed` (0: unseeded).  A single bytes value is hashed as
 * it is, so that the path in image/filename gives the same division as the folder.  Each of
 * several bytes values is preceded by its length as a varint, so that "ab", "c" and "a", "bc"
 * are different keys.  An int64 is 8 bytes, a float 4, little-endian. */
uint64_t tfr_key_hash(const struct tfr_feature *key, uint64_t seed);

/* 128 bits of the kind, number and values of a feature, to compare features by. */
enum { TFR_VALUES_HASH = 16 };
void tfr_values_hash(const struct tfr_feature *f, uint8_t hash[TFR_VALUES_HASH]);

/* The feature with that name, if it has a value.  TFR_EDATA: there is none. */
enum tfr_status tfr_key_find(const struct tfr_example *ex, const char *name,
	const struct tfr_feature **key, struct tfr_error *err);

#endif
