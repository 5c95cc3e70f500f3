/* shard/manifests.h - reads and writes manifests: what is known about the files of a set before
 * they are opened.
 *
 * A manifest is untrusted input: its figures are only compared with the files. */
#ifndef TFR_SHARD_MANIFESTS_H
#define TFR_SHARD_MANIFESTS_H

#include <tfr-private/shard.h>

#include "base/buf.h"
#include "shard/class_map.h"

/* One file, as a manifest describes it. */
struct tfr_manifest_shard {
	char *name; /* without a directory */
	uint64_t records, bytes, sum;
	uint64_t mtime;	   /* nanoseconds since 1970 */
	int64_t published; /* an object's manifest: when it was, in seconds since 1970 */
	uint32_t crc;
};

/* What a part has written beside a set (struct tfr_writer_opts), until the set is finished. */
struct tfr_part_note {
	uint32_t part, parts;
	struct tfr_part_tally tally;
	char *labels; /* the text of the labels file; NULL: the set has none */
};

struct tfr_manifest {
	struct tfr_manifest_shard *shards;
	size_t count;
	uint64_t records, bytes, sum; /* the totals in the manifest */
	struct tfr_part_note *note;   /* the manifest of a part; NULL: that of a set */
	/* What a part hands on to the manifest of the set; 0 and NULL in a manifest without. */
	uint64_t payload_bytes, seed;
	char *command;
	struct tfr_class_count *counts;
	size_t n_counts;
	struct tfr_class_map classes; /* empty: the manifest has none */
	char *options;		      /* of the run that wrote it; NULL: not recorded */
	uint64_t inputs;	      /* with options: the digest of its inputs */
};

/* Appends a manifest to `text`, one line per shard, from m->shards, m->count, m->payload_bytes,
 * m->note and `info`; the other totals are added up. */
enum tfr_status tfr_manifest_format(struct tfr_buf *text, const struct tfr_manifest *m,
	const struct tfr_set_info *info, struct tfr_error *err);
/* Reads a manifest from memory.  TFR_EDATA: not a manifest, or another version. */
enum tfr_status tfr_manifest_parse(
	struct tfr_manifest **m, const void *text, size_t size, struct tfr_error *err);
/* The same from a file; `shards` limits its size. */
enum tfr_status tfr_manifest_read(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err);
void tfr_manifest_free(struct tfr_manifest *m); /* accepts NULL */

/* Reads the manifest of a set whose number of shards is known.  If the file named for the set does
 * not exist, it reads the name that version 0.1.0 used, if that describes this set.  *path, which
 * the caller frees, is the file that was read or should have been.  TFR_END: no manifest.
 * TFR_EDATA, TFR_ESYS: a manifest exists but cannot be read. */
enum tfr_status tfr_manifest_find(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err);

struct tfr_manifests;

/* Reads the manifests beside all files of a set.  A missing or bad manifest is not a failure; the
 * function below reports it for each of its files. */
enum tfr_status tfr_manifests_open(
	struct tfr_manifests **all, const struct tfr_set *set, struct tfr_error *err);
void tfr_manifests_close(struct tfr_manifests *all); /* accepts NULL */
/* The entry of file `i`; NULL: no manifest describes it, and *why has the reason.  *why is also
 * set, beside an entry, for a manifest that contradicts itself; report that once, at the first file
 * of the set (`first`).  Its status is TFR_EDATA, or TFR_ESYS if a manifest could not be read.  May
 * be called from any thread. */
const struct tfr_manifest_shard *tfr_manifests_at(
	const struct tfr_manifests *all, size_t i, const struct tfr_error **why, bool *first);
/* Whether the file at `path`, of which tfr_look() said `st`, has the size and time of its entry, so
 * that nothing was written to it since. */
bool tfr_manifest_fits(
	const struct tfr_manifest_shard *shard, const char *path, const struct stat *st);

#endif
