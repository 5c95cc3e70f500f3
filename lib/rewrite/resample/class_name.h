/* rewrite/resample/class_name.h - the spelling of a class name in a target and in a report. */
#ifndef TFR_REWRITE_RESAMPLE_CLASS_NAME_H
#define TFR_REWRITE_RESAMPLE_CLASS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number in canonical form: no blank, no plus sign, no leading zero. */
bool tfr_class_number(const void *text, size_t size, int64_t *number);

/* Removes escapes in place: those of tfr_escape_exactly(), and \\, \", \', \n, \r, \t and \xNN,
 * which users write.  False: an unknown escape, at *size. */
bool tfr_class_unescape(char *text, size_t *size);

#endif
