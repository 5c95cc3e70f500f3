/* record/filetype.h - naming a file that is not a TFRecord file for what it is. */
#ifndef TFR_RECORD_FILETYPE_H
#define TFR_RECORD_FILETYPE_H

#include <stddef.h>
#include <stdint.h>

/* What a person would call a file that starts with these bytes ("a JPEG image"), with a hint in
 * *hint or NULL; NULL when nobody knows. */
const char *tfr_filetype_name(const uint8_t *head, size_t size, const char **hint);

#endif
