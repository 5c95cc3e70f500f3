/* shard/manifests.h - manifests, read: what is known of the files of a set before they are opened.
 *
 * A manifest is input like any other: nothing it says is believed but for being compared. */
#ifndef TFR_SHARD_MANIFESTS_H
#define TFR_SHARD_MANIFESTS_H

#include <tfr-private/shard.h>

#include "shard/class_map.h"

/* What a manifest says of one file. */
struct tfr_manifest_shard {
	char *name; /* without a directory */
	uint64_t records, bytes, sum;
	uint64_t mtime; /* nanoseconds since 1970 */
	uint32_t crc;
};

struct tfr_manifest {
	struct tfr_manifest_shard *shards;
	size_t count;
	uint64_t records, bytes, sum; /* the totals as they stand there */
	struct tfr_class_map classes; /* empty: it has none */
	char *options;		      /* of the run that wrote it; NULL: they are not noted */
	uint64_t inputs;	      /* with options: the digest of its inputs */
};

/* Reads one whole manifest from memory.  TFR_EDATA: it is none, or not of this version. */
enum tfr_status tfr_manifest_parse(
	struct tfr_manifest **m, const void *text, size_t size, struct tfr_error *err);
/* The same of a file, for so many shards. */
enum tfr_status tfr_manifest_read(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err);
void tfr_manifest_free(struct tfr_manifest *m); /* accepts NULL */

/* Reads the manifest of a set whose count is known: the one named for it, or, where that is absent,
 * one of the name that version 0.1.0 gave it, if it describes this very set.  *path, which the
 * caller frees, is the one that was read, or should have been.  TFR_END: there is none.  TFR_EDATA,
 * TFR_ESYS: one is there that cannot be read. */
enum tfr_status tfr_manifest_find(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err);

struct tfr_manifests;

/* Reads the manifests beside all files of a set.  One that is missing or bad is no failure: it is
 * told of its files. */
enum tfr_status tfr_manifests_open(
	struct tfr_manifests **all, const struct tfr_set *set, struct tfr_error *err);
void tfr_manifests_close(struct tfr_manifests *all); /* accepts NULL */
/* What is said of file `i`; NULL: nothing, and *why says why not.  *why is also set, beside what is
 * said, for a manifest that contradicts itself.  `first`, the first file of its set, is where that
 * should be told once.  Any thread may ask. */
const struct tfr_manifest_shard *tfr_manifests_at(
	const struct tfr_manifests *all, size_t i, const char **why, bool *first);
/* Whether the file at `path` has the size and the time that are said of it, so that nothing was
 * written to it since. */
bool tfr_manifest_fits(const struct tfr_manifest_shard *shard, const char *path);

#endif
