/* convert/folder/braces.h - names with braces, as WebDataset's are written:
 * 'train-{000000..000146}.tar'.
 */
#ifndef TFR_CONVERT_FOLDER_BRACES_H
#define TFR_CONVERT_FOLDER_BRACES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/name_list.h"

/* Adds what `text` stands for, in order: {A..B} is each number from A to B, with the zeros that A
 * begins with, {a,b} each of the words; braces may be several and in each other.  Other text stands
 * for itself.  TFR_EUSAGE: over a million names. */
enum tfr_status tfr_braces_expand(struct tfr_names *names, const char *text, struct tfr_error *err);
/* Adds `text` as it is. */
enum tfr_status tfr_names_add(struct tfr_names *names, const char *text, struct tfr_error *err);

#endif
