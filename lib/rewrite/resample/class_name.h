/* rewrite/resample/class_name.h - what the name of a class is written like, in a target and in a
 * report. */
#ifndef TFR_REWRITE_RESAMPLE_CLASS_NAME_H
#define TFR_REWRITE_RESAMPLE_CLASS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number as we write it: no blank, no plus, no zero before it. */
bool tfr_class_number(const void *text, size_t size, int64_t *number);

/* Takes the escapes of tfr_escape_exactly() out, in place, and those that people write: \\, \", \',
 * \n, \r, \t and \xNN.  False: another one, at *size. */
bool tfr_class_unescape(char *text, size_t *size);

#endif
