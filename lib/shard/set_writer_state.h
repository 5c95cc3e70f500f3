/* shard/set_writer_state.h - the inside of a set writer. */
#ifndef TFR_SHARD_SET_WRITER_STATE_H
#define TFR_SHARD_SET_WRITER_STATE_H

#include "record/writer.h"
#include "shard/set_name.h"
#include "shard/set_writer.h"
#include "shard/lock.h"

struct tfr_company {
	struct tfr_output *file;
	char *path; /* not NULL: this file is removed */
	bool proof;
};

struct tfr_set_writer {
	struct tfr_set_name name; /* base NULL: a single file */
	char *subject;		  /* as the caller named it */
	struct tfr_lock *lock; /* NULL: a stream, which needs no lock */
	struct tfr_company *company; /* files that are published with the set */
	uint32_t n_company;
	struct tfr_writer **shards;
	char **files; /* of a set that fills: not known before it is sealed, NULL */
	uint32_t count, cap;
	uint32_t pinned; /* shards from here on hold no descriptor between writes */
	struct tfr_writer_opts opts;
	struct tfr_press *press; /* of all shards together: they share its threads */
	bool sealed;
	void (*warn)(void *ctx, const char *text);
	void *ctx;

	bool fills;
	struct tfr_set_fill fill;
	uint64_t bytes, records; /* of the shard whose turn it is */
};

/* Opens shard `shard`, whose place in the arrays is there. */
enum tfr_status tfr_set_writer_open_shard(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_unread *mark, struct tfr_error *err);

/* Whether a set of the same name with another number of shards is there: TFR_EEXIST, or with
 * opts.force a warning. */
enum tfr_status tfr_set_writer_check_others(struct tfr_set_writer *w, struct tfr_error *err);

/* Of a set that fills, in set_fill.c: */
/* Opens the next shard. */
enum tfr_status tfr_set_fill_grow(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err);
/* Now that there are no more, gives the shards their names. */
enum tfr_status tfr_set_fill_name(struct tfr_set_writer *w, struct tfr_error *err);

/* Locks the target and, unless a run is resumed, removes what killed runs left; in set_target.c. */
enum tfr_status tfr_set_writer_lock(
	struct tfr_set_writer *w, const char *target, bool resumes, struct tfr_error *err);

/* Opens every shard where a mark says, in set_mark.c. */
enum tfr_status tfr_set_writer_resume(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err);

#endif
