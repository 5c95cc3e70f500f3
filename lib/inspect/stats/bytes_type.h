/* inspect/stats/bytes_type.h - what the bytes of a value are, where they are no image. */
#ifndef TFR_INSPECT_STATS_BYTES_TYPE_H
#define TFR_INSPECT_STATS_BYTES_TYPE_H

#include <tfr-private/survey.h>

/* Any but TFR_VALUE_IMAGE. */
enum tfr_value_content tfr_nature_of(const uint8_t *p, size_t size);

/* --- its parts, and their plain twins --- */

/* UTF-8 without control characters other than white space. */
bool tfr_is_text(const uint8_t *p, size_t size);
bool tfr_is_text_plain(const uint8_t *p, size_t size);
/* Fields of protobuf up to the end, each whole.  Groups, which nobody writes any more, are none
 * here: bytes that happen to begin like one are costly to look through. */
bool tfr_is_message(const uint8_t *p, size_t size);
bool tfr_is_message_plain(const uint8_t *p, size_t size);

#endif
