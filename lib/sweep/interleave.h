/* sweep/interleave.h - the order of tf.data's interleave(cycle_length, block_length) over files.
 *
 * A cycle has places, each with a file.  The turn goes from place to place, and each gives a block
 * of records.  The end of a file ends its block and passes the turn on, so an empty file takes up
 * one visit; its place takes the next file, which a caller may open at once or at its turn. Nothing
 * is read here: the order follows from the numbers of records alone. */
#ifndef TFR_SWEEP_INTERLEAVE_H
#define TFR_SWEEP_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfr_interleave {
	size_t files, places; /* places: at least 1, at most `files` */
	size_t turn;	      /* the place that gives the next record */
	size_t next_file;     /* that no place has had yet */
	size_t busy;	      /* places with a file */
	uint64_t block;	      /* records of a block */
	uint64_t taken;	      /* of the block at `turn` */
};

/* `cycle` 0: one file after another, in blocks without an end. */
void tfr_interleave_init(struct tfr_interleave *il, size_t files, uint64_t cycle, uint64_t block);
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

#endif
