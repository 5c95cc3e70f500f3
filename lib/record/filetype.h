/* record/filetype.h - names the format of a file that is not a TFRecord file. */
#ifndef TFR_RECORD_FILETYPE_H
#define TFR_RECORD_FILETYPE_H

#include <stddef.h>
#include <stdint.h>

/* The name of a file that starts with these bytes, such as "a JPEG image", with a hint or NULL in
 * *hint.  NULL: unknown. */
const char *tfr_filetype_name(const uint8_t *head, size_t size, const char **hint);

#endif
