/* shard/set.h - what the rooms above ask of inputs, beside the public functions. */
#ifndef TFR_SHARD_SET_H
#define TFR_SHARD_SET_H

#include <tfr/shard.h>

/* Whether one of the files is worth all threads, one file after the other (record/spread.h). */
bool tfr_set_has_large(const struct tfr_set *set);

#endif
