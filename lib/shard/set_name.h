/* shard/set_name.h - reading a shard's file name back into its parts. */
#ifndef TFR_SHARD_SET_NAME_H
#define TFR_SHARD_SET_NAME_H

#include <tfr/shard.h>

struct tfr_shard_file {
	size_t base_size;      /* bytes of the name before "-NNNNN-of-NNNNN" */
	const char *extension; /* points into the name */
	uint32_t shard, count;
};

/* Whether `file` ends in -NNNNN-of-NNNNN[.ext] with a shard below the count. */
bool tfr_shard_file_parse(const char *file, struct tfr_shard_file *f);

#endif
