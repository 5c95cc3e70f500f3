/* shard/set_writer_state.h - the members of a set writer, for the files that implement it. */
#ifndef TFR_SHARD_SET_WRITER_STATE_H
#define TFR_SHARD_SET_WRITER_STATE_H

#include "base/latch.h"
#include "record/writer.h"
#include "shard/lock.h"
#include "shard/set_name.h"
#include "shard/set_writer.h"

struct tfr_companion {
	struct tfr_output *file;
	char *path; /* not NULL: this file is removed */
	bool proof;
};

struct tfr_set_writer {
	struct tfr_set_name name; /* base NULL: a single file */
	char *subject;		  /* the name that the caller gave */
	struct tfr_lock *lock;	  /* NULL: a stream, objects or a dry run, which need no lock */
	bool named;		  /* files or objects, and no dry run */
	struct tfr_companion *company; /* files that are published with the set */
	uint32_t n_company;
	struct tfr_writer **shards;
	char **files; /* of a set that fills: NULL until it is sealed */
	uint32_t count;
	size_t cap;
	uint32_t pinned; /* shards from here on hold no descriptor between writes */
	struct tfr_writer_opts opts;
	struct tfr_parallel_deflate *deflater; /* shared by all shards */
	bool sealed, published;
	struct tfr_latch failed; /* records are missing, or the set could not be published */
	void (*warn)(void *ctx, const char *text);
	void *ctx;

	/* Of a part (struct tfr_writer_opts): */
	char *note_path;
	bool repeats; /* the part has a note already: its shards are replaced */
	const struct tfr_part_tally *tally;
	const char *labels;

	bool fills;
	struct tfr_set_fill fill;
	uint64_t bytes, records; /* of the shard that fills now */
};

/* In set_publish.c: finds what the part has written before.  TFR_EUSAGE: it had other options or
 * inputs than `terms`, which may be NULL, and opts.force is not set. */
enum tfr_status tfr_set_part_open(
	struct tfr_set_writer *w, const struct tfr_set_info *terms, struct tfr_error *err);
/* Locks the target and, unless a run is resumed, removes the files of killed runs; in set_target.c.
 */
enum tfr_status tfr_set_writer_lock(
	struct tfr_set_writer *w, const char *target, bool resumes, struct tfr_error *err);

#endif
