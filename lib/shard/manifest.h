/* shard/manifest.h - the text of NAME.manifest.json, which proves that a set is complete. */
#ifndef TFR_SHARD_MANIFEST_H
#define TFR_SHARD_MANIFEST_H

#include "base/buf.h"
#include "shard/manifests.h"

/* Appends a manifest to `text`, one line per shard, from m->shards, m->count, m->payload_bytes,
 * m->note and `info`; the other totals are added up. */
enum tfr_status tfr_manifest_format(struct tfr_buf *text, const struct tfr_manifest *m,
	const struct tfr_set_info *info, struct tfr_error *err);

#endif
