/* shard/set.h - functions for inputs that other rooms need beyond the headers. */
#ifndef TFR_SHARD_SET_H
#define TFR_SHARD_SET_H

#include <tfr-private/shard.h>

#include "record/cut.h"

/* Adds a hint to an error about a folder without files: its folders that have some. */
void tfr_set_hint_at_folders(const char *path, struct tfr_error *err);

/* Adds a hint to the error about a file or set that does not exist: the name that may have been
 * meant, of the files and sets in its folder, or with another folder where that is misspelt. */
void tfr_set_hint_at_name(const char *input, struct tfr_error *err);

/* What a part of a job reads of a file. */
struct tfr_piece {
	bool here; /* something */
	struct tfr_cut_place begin;
	uint64_t until; /* the offset at which the next part begins; UINT64_MAX: to the end */
};

/* The piece of a file that is read here: all of it without a job.  False: nothing. */
bool tfr_set_piece(const struct tfr_set *set, size_t file, struct tfr_piece *piece);
static inline bool tfr_piece_is_whole(const struct tfr_piece *p)
{
	return p->here && !p->begin.offset && p->until == UINT64_MAX;
}
/* Opens a reader of the piece of a file. */
enum tfr_status tfr_set_reader(struct tfr_reader **r, const struct tfr_set *set, size_t file,
	const struct tfr_reader_opts *opts, struct tfr_error *err);
/* Whether a reader that has no more ended where the next part begins: TFR_EDATA if the file has
 * changed. */
enum tfr_status tfr_set_piece_ends(
	const struct tfr_set *set, size_t file, const struct tfr_reader *r, struct tfr_error *err);
/* The set belongs to a job; takes the pieces over. */
void tfr_set_join(struct tfr_set *set, struct tfr_job *job, struct tfr_piece *pieces);

/* Whether the name of a file shows that it holds no records: hidden, an index, .json or .txt. */
bool tfr_set_never_records(const char *name);

#endif
