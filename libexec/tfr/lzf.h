/* tfr/lzf.h - what LZF has packed, which is how h5py packs where it is to be fast. */
#ifndef TFR_LZF_H
#define TFR_LZF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes `packed` becomes.  False: it is damaged. */
bool tfr_lzf_measure(const uint8_t *packed, size_t n, size_t *size);
/* Unpacks what was measured, to so many bytes. */
void tfr_lzf_unpack(const uint8_t *packed, size_t n, uint8_t *out);

#endif
