/* inspect/stats/bytes_type.h - detects the type of a bytes value that is not an image. */
#ifndef TFR_INSPECT_STATS_BYTES_TYPE_H
#define TFR_INSPECT_STATS_BYTES_TYPE_H

#include <tfr-private/survey.h>

/* Returns any type except TFR_VALUE_IMAGE. */
enum tfr_value_content tfr_nature_of(const uint8_t *p, size_t size);

/* --- the tests, and their plain twins --- */

/* UTF-8 without control characters other than white space. */
bool tfr_is_text(const uint8_t *p, size_t size);
bool tfr_is_text_plain(const uint8_t *p, size_t size);
/* Whether the bytes are complete protobuf fields up to the end.  Groups, which are obsolete, do not
 * count: random bytes that begin like a group are costly to scan. */
bool tfr_is_message(const uint8_t *p, size_t size);
bool tfr_is_message_plain(const uint8_t *p, size_t size);

#endif
