/* shard/manifest.h - the text of NAME.manifest.json, which proves that a set is complete. */
#ifndef TFR_SHARD_MANIFEST_H
#define TFR_SHARD_MANIFEST_H

#include <tfr-private/shard.h>

#include "base/buf.h"

/* Appends the manifest of the sealed shards to `text`, one line per shard. */
enum tfr_status tfr_manifest_format(struct tfr_buf *text, char *const *files,
	struct tfr_writer *const *shards, uint32_t count, const struct tfr_set_info *info,
	struct tfr_error *err);

#endif
