/* tfr/lzf.h - decompresses LZF, the fast compression of h5py. */
#ifndef TFR_LZF_H
#define TFR_LZF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of `packed` when decompressed.  False: it is damaged. */
bool tfr_lzf_measure(const uint8_t *packed, size_t n, size_t *size);
/* Decompresses data that was measured to so many bytes. */
void tfr_lzf_unpack(const uint8_t *packed, size_t n, uint8_t *out);

#endif
