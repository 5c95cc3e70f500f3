/* convert/input_digest.h - what an input is made of, in a number: another one where a file was
 * changed, added or removed. */
#ifndef TFR_CONVERT_INPUT_DIGEST_H
#define TFR_CONVERT_INPUT_DIGEST_H

#include "convert/input.h"

/* TFR_EUSAGE, saying `why`: the input is a pipe or the like, which is not the same when it is read
 * again. */
enum tfr_status tfr_input_is_lasting(struct tfr_input *in, const char *why, struct tfr_error *err);
/* Of names, sizes and modification times of all files that are known before they are read. */
enum tfr_status tfr_input_digest(struct tfr_input *in, uint64_t *digest, struct tfr_error *err);

#endif
