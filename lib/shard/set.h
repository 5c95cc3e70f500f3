/* shard/set.h - functions for inputs that other rooms need beyond the headers. */
#ifndef TFR_SHARD_SET_H
#define TFR_SHARD_SET_H

#include <tfr-private/shard.h>

/* Adds a hint to an error about a folder without files: its folders that have some. */
void tfr_set_hint_at_folders(const char *path, struct tfr_error *err);

/* The numbers of the files, by path and then by number; the caller frees them.  NULL: out of
 * memory. */
size_t *tfr_set_order(const struct tfr_set *set);

/* Whether the name of a file shows that it holds no records: hidden, an index, .json or .txt. */
bool tfr_set_never_records(const char *name);
/* Whether a file has a name that TFRecord files have. */
bool tfr_set_named_as_records(const char *name);

/* Whether parts have left notes beside the set: 'tfr finish' says what is missing.  TFR_END: none.
 * In set_finish.c. */
enum tfr_status tfr_set_has_notes(const struct tfr_set_name *name, struct tfr_error *err);

#endif
