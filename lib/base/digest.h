/* base/digest.h - digests by libgcrypt. */
#ifndef TFR_BASE_DIGEST_H
#define TFR_BASE_DIGEST_H

#include <stddef.h>

/* Sets libgcrypt up, once per process: before any other use of it. */
void tfr_digests_begin(void);

/* `n` bytes as 2 * n lower-case hexadecimal digits, with a NUL.  Returns `text`. */
char *tfr_hex(const void *bytes, size_t n, char *text);

enum { TFR_SHA256_HEX = 64 + 1 };

/* SHA-256 (FIPS 180-4) of `size` bytes, as tfr_hex() writes it.  Returns `hex`. */
char *tfr_sha256(const void *data, size_t size, char hex[TFR_SHA256_HEX]);

#endif
