/* shard/set.h - what the rooms above ask of inputs, beside the public functions. */
#ifndef TFR_SHARD_SET_H
#define TFR_SHARD_SET_H

#include <tfr/shard.h>

/* Adds a hint to the error about a folder without files: the folders in it that have some. */
void tfr_set_hint_at_folders(const char *path, struct tfr_error *err);

#endif
