/* convert/folder/braces.h - names with braces, as for WebDataset: 'train-{000000..000146}.tar'. */
#ifndef TFR_CONVERT_FOLDER_BRACES_H
#define TFR_CONVERT_FOLDER_BRACES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/name_list.h"

/* Adds the names that `text` expands to, in order: {A..B} is each number from A to B with the
 * leading zeros of A, and {a,b} is each of the words.  There can be several braces, also nested.
 * Other text is one name.  TFR_EUSAGE: over a million names. */
enum tfr_status tfr_braces_expand(struct tfr_names *names, const char *text, struct tfr_error *err);
/* Adds `text` unchanged. */
enum tfr_status tfr_names_add(struct tfr_names *names, const char *text, struct tfr_error *err);

#endif
