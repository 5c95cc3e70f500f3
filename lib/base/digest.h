/* convert/sha256.h - the digest that object_detection's records use as the key of an image. */
#ifndef TFR_CONVERT_SHA256_H
#define TFR_CONVERT_SHA256_H

#include <stddef.h>

#define TFR_SHA256_HEX (64 + 1)

/* SHA-256 (FIPS 180-4) of `size` bytes as lower-case hexadecimal digits, with a NUL.  Returns
 * `hex`. */
char *tfr_sha256(const void *data, size_t size, char hex[TFR_SHA256_HEX]);

#endif
