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
/* The same for a file that need not exist.  TFR_END: it does not. */
enum tfr_status tfr_manifest_look(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err);
void tfr_manifest_free(struct tfr_manifest *m); /* accepts NULL */
static inline void tfr_manifest_auto_free(struct tfr_manifest **m)
{
	tfr_manifest_free(*m);
}
#define TFR_AUTO_MANIFEST __attribute__((cleanup(tfr_manifest_auto_free))) struct tfr_manifest *

/* Reads the manifest of a set whose number of shards is known.  If the file named for the set does
 * not exist, it reads the name that version 0.1.0 used, if that describes this set.  *path, which
 * the caller frees, is the file that was read or should have been; `path` may be NULL.  TFR_END: no
 * manifest. TFR_EDATA, TFR_ESYS: a manifest exists but cannot be read. */
enum tfr_status tfr_manifest_find(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err);

/* Whether the file at `path`, of which tfr_look() said `st`, has the size and time of its entry, so
 * that nothing was written to it since. */
bool tfr_manifest_fits(
	const struct tfr_manifest_shard *shard, const char *path, const struct stat *st);

/* --- finished runs --- */

/* A manifest holds what determines the bytes of a run: its options and a digest of its inputs. */

/* Finds the manifest of a set, or of a file, that such a run has written: it holds the same
 * options, and every file has the size and time that it states.  The caller frees it.  TFR_END:
 * there is no such manifest, or a file was written since. */
enum tfr_status tfr_finished_find(
	struct tfr_manifest **m, const char *target, struct tfr_error *err);
/* Compares two texts of options, one per line.  TFR_EUSAGE: they differ; the message has the first
 * difference and calls the earlier run `which`, such as "the run to be resumed". */
enum tfr_status tfr_options_compare(
	const char *then, const char *now, const char *which, struct tfr_error *err);
/* The same for the options and inputs of a run and those in a manifest. */
enum tfr_status tfr_terms_compare(const struct tfr_manifest *then, const struct tfr_set_info *now,
	const char *which, struct tfr_error *err);

/* --- the manifests beside many files --- */

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

#endif
