/* diff/record_table.h - the notes on the records of both sides, and the memory for them.
 *
 * A note is a row for a sorter: the hash of the key, if there is one, the hash of the content, the
 * side, and the place.  After sorting, equal records are adjacent, those of A first, each side's in
 * its order. */
#ifndef TFR_DIFF_RECORD_TABLE_H
#define TFR_DIFF_RECORD_TABLE_H

#include <tfr-private/diff.h>

#include "base/error.h"
#include "rewrite/record_key.h"
#include "rewrite/sort/sorter.h"

enum {
	TFR_NOTE_HASH = TFR_VALUES_HASH,
	TFR_NOTE_SIDED = 1 + TFR_ROW_PLACE, /* side, place */
	TFR_NOTE_MAX = 2 * TFR_NOTE_HASH + TFR_NOTE_SIDED,
};

struct tfr_firsts;
struct tfr_note_worker;

/* Zero-initialised; it must not move while it is open. */
struct tfr_record_table {
	const struct tfr_diff_opts *o;
	bool contents; /* note contents: always but for an overlap of keys */
	size_t prefix; /* bytes of hashes in a row */
	size_t row;
	struct tfr_sorter *sorter;
	uint64_t memory; /* the total limit */
	struct tfr_spill_folders folders;
	unsigned n_workers;
	struct tfr_note_worker *workers;
	unsigned side;		   /* the side that is being read */
	unsigned __int128 sums[2]; /* sums of the contents' hashes, if there is no key */
};

enum tfr_status tfr_record_table_open(
	struct tfr_record_table *n, const struct tfr_diff_opts *opts, struct tfr_error *err);
void tfr_record_table_close(struct tfr_record_table *n);
/* Sweeps both sides.  The workers have ended when it returns. */
enum tfr_status tfr_record_table_take(
	struct tfr_record_table *n, struct tfr_sweep_report reports[2], struct tfr_error *err);
/* A sorter with the memory divided by `divisor`.  NULL: out of memory. */
struct tfr_sorter *tfr_record_table_sorter(
	const struct tfr_record_table *n, size_t row, unsigned divisor);

struct tfr_diff_place tfr_note_place(
	const struct tfr_diff_opts *opts, unsigned side, const uint8_t place[TFR_ROW_PLACE]);
/* Settles the rows, each a place in A and one in B, and lists them.  False: out of memory. */
bool tfr_note_pairs(const struct tfr_diff_opts *opts, struct tfr_firsts *rows,
	struct tfr_diff_pair **pairs, size_t *n);

/* --- the features that differ between records with one key (changed_features.c) --- */

enum { TFR_CHANGED_ROW = 2 * TFR_ROW_PLACE }; /* place in A, place in B */

/* Reads both sides once more.  `pairs` has rows of TFR_CHANGED_ROW bytes and is freed.  Fills the
 * report on changed records, except for their number. */
enum tfr_status tfr_changed_find(const struct tfr_record_table *table, struct tfr_sorter *pairs,
	struct tfr_diff_report *report, struct tfr_error *err);

#endif
