/* rewrite/record_key.h - the hash that decides where a record goes. */
#ifndef TFR_REWRITE_RECORD_KEY_H
#define TFR_REWRITE_RECORD_KEY_H

#include <tfr-private/example.h>

/* XXH3-64 of a feature's values, with `seed` (0: the plain one).  One bytes value is hashed as it
 * is, so that the path in image/filename gives what a folder was divided by; of several, each comes
 * after its length as a varint, so that "ab", "c" and "a", "bc" are two keys.  An int64 is 8 bytes,
 * a float 4, little-endian. */
uint64_t tfr_key_hash(const struct tfr_feature *key, uint64_t seed);

/* The feature of that name with a value in it.  TFR_EDATA: there is none. */
enum tfr_status tfr_key_find(const struct tfr_example *ex, const char *name,
	const struct tfr_feature **key, struct tfr_error *err);

#endif
