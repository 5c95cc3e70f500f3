/* convert/sha256.h - the key that object_detection's records name an image by. */
#ifndef TFR_CONVERT_SHA256_H
#define TFR_CONVERT_SHA256_H

#include <stddef.h>

#define TFR_SHA256_HEX (64 + 1)

/* SHA-256 (FIPS 180-4) of `size` bytes in lower-case hex digits, with their NUL.  Returns `hex`. */
char *tfr_sha256(const void *data, size_t size, char hex[TFR_SHA256_HEX]);

#endif
