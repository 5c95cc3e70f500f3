/* rewrite/class_name.h - what the name of a class is written like, in a target and in a report. */
#ifndef TFR_REWRITE_CLASS_NAME_H
#define TFR_REWRITE_CLASS_NAME_H

#include <stdint.h>

#include "base/buf.h"

/* Reads a decimal number as we write it: no blank, no plus, no zero before it. */
bool tfr_class_number(const void *text, size_t size, int64_t *number);

/* Appends bytes as a target takes and a report shows them: UTF-8 as it is, but control characters
 * and what is no UTF-8 as \xNN and a backslash doubled.  False: out of memory. */
bool tfr_class_escape(struct tfr_buf *b, const void *text, size_t size);
/* Takes the escapes out, in place: \\, \", \', \n, \r, \t and \xNN.  False: another one, at *size.
 */
bool tfr_class_unescape(char *text, size_t *size);

#endif
