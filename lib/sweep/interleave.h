/* sweep/interleave.h - the order of tf.data's interleave(cycle_length, block_length) over files.
 *
 * A cycle has places, each with a file.  The turn goes from place to place, and each gives a block
 * of records.  The end of a file ends its block and passes the turn on, so an empty file takes up
 * one visit; its place takes the next file, which a caller may open at once or at its turn.
 *
 * struct tfr_interleave is the order, which follows from the numbers of records alone.  struct
 * tfr_cycle reads records in this order on the caller's thread. */
#ifndef TFR_SWEEP_INTERLEAVE_H
#define TFR_SWEEP_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr-private/shard.h>

#include "sweep/fault_policy.h"

struct tfr_interleave {
	size_t files, places; /* places: at least 1, at most `files` */
	size_t turn;	      /* the place that gives the next record */
	size_t next_file;     /* that no place has had yet */
	size_t busy;	      /* places with a file */
	uint64_t block;	      /* records of a block */
	uint64_t taken;	      /* of the block at `turn` */
};

/* With a cycle of 0, blocks have no end. */
void tfr_interleave_init(struct tfr_interleave *il, size_t files, struct tfr_interleaving order);
/* Starts, or starts again after the last record: place i has file i, if there are so many. */
void tfr_interleave_start(struct tfr_interleave *il);
/* Whether a place has a file. */
static inline bool tfr_interleave_more(const struct tfr_interleave *il)
{
	return il->busy;
}
/* The file at `turn` ended.  Passes the turn on, and returns the number of the next file of this
 * place; SIZE_MAX: no file is left for it. */
size_t tfr_interleave_end(struct tfr_interleave *il);
/* Passes over the place at `turn`, which has no file. */
void tfr_interleave_pass(struct tfr_interleave *il);
/* `n` more records of the file at `turn` were taken, at most what the block has left. */
void tfr_interleave_take(struct tfr_interleave *il, uint64_t n);

/* Records that the block at `turn` has left. */
static inline uint64_t tfr_interleave_left(const struct tfr_interleave *il)
{
	return il->block - il->taken;
}

/* --- reading in this order --- */

struct tfr_cycle;

struct tfr_cycle_opts {
	struct tfr_interleaving order;
	enum tfr_framing framing;
	enum tfr_compression compression;
	const struct tfr_growing *growing; /* the one file grows; NULL: no file does */
	struct tfr_fault_policy *faults;   /* a fault counts as one record */
	size_t beside; /* cycles that are open at a time, including this one: they share memory */
	/* The first number of a record, from `from` on, that is wanted.  A file whose index is
	 * current is read through it: no other records are read.  NULL: all are wanted. */
	uint64_t (*next_wanted)(void *ctx, uint64_t from);
	void *ctx;
	struct tfr_progress *progress; /* may be NULL */
};

/* The set must outlive the cycle. */
enum tfr_status tfr_cycle_open(struct tfr_cycle **c, const struct tfr_set *set,
	const struct tfr_cycle_opts *opts, struct tfr_error *err);
/* Reads the next record, a view until the next call.  TFR_END: there is none, or none is complete
 * in a growing file. */
enum tfr_status tfr_cycle_next(struct tfr_cycle *c, struct tfr_record *rec, struct tfr_error *err);
/* Records and faults that were read or passed so far: the last record's number is one less. */
uint64_t tfr_cycle_seen(const struct tfr_cycle *c);
/* Records that were read. */
uint64_t tfr_cycle_records_read(const struct tfr_cycle *c);
/* The file of the last record, as errors name it. */
const char *tfr_cycle_path(const struct tfr_cycle *c);
void tfr_cycle_close(struct tfr_cycle *c); /* accepts NULL */

#endif
