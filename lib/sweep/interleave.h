/* sweep/interleave.h - the order of tf.data's interleave(cycle_length, block_length) over files.
 *
 * A cycle has places, each with an open file.  The turn goes from place to place, and each gives a
 * block of records.  A place without a file takes the next file when its turn comes.  The end of a
 * file ends its block and passes the turn on, so an empty file takes up one visit.  Nothing is read
 * here: the order follows from the numbers of records alone. */
#ifndef TFR_SWEEP_INTERLEAVE_H
#define TFR_SWEEP_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfr_interleave {
	size_t files, places; /* places: at least 1, at most `files` */
	size_t turn;	      /* the place that gives the next record */
	size_t next_file;     /* that no place has had yet */
	size_t open;	      /* places with a file */
	uint64_t block;	      /* records of a block */
	uint64_t taken;	      /* of the block at `turn` */
};

/* `cycle` 0: one file after another, in blocks without an end. */
void tfr_interleave_init(
	struct tfr_interleave *il, size_t files, uint64_t cycle, uint64_t block);
/* Goes back to the first file.  No file may be open. */
void tfr_interleave_restart(struct tfr_interleave *il);

/* Whether a place has a file, or a file is left to open. */
bool tfr_interleave_more(const struct tfr_interleave *il);
/* Gives the place at `turn`, which has no file, the next file, and returns its number.  SIZE_MAX:
 * no file is left, and the turn has passed on. */
size_t tfr_interleave_next_file(struct tfr_interleave *il);
/* The file at `turn` ended. */
void tfr_interleave_end(struct tfr_interleave *il);
/* `n` more records of the file at `turn` were taken, at most what the block has left. */
void tfr_interleave_take(struct tfr_interleave *il, uint64_t n);

/* Records that the block at `turn` has left. */
static inline uint64_t tfr_interleave_left(const struct tfr_interleave *il)
{
	return il->block - il->taken;
}

#endif
