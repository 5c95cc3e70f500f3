/* convert/input_digest.h - a digest of an input: it changes if a file is changed, added or
 * removed. */
#ifndef TFR_CONVERT_INPUT_DIGEST_H
#define TFR_CONVERT_INPUT_DIGEST_H

#include "convert/input.h"

/* TFR_EUSAGE with the reason `why`: the input is a pipe or the like, which cannot be read again. */
enum tfr_status tfr_input_is_lasting(struct tfr_input *in, const char *why, struct tfr_error *err);
/* The digest of the names, sizes and modification times of all files that are known before
 * reading. */
enum tfr_status tfr_input_digest(struct tfr_input *in, uint64_t *digest, struct tfr_error *err);

#endif
