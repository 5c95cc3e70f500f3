/* record/index_read.h - what reading, judging and writing an index share. */
#ifndef TFR_RECORD_INDEX_READ_H
#define TFR_RECORD_INDEX_READ_H

#include <sys/stat.h>

#include <tfr-private/gzi.h>
#include <tfr-private/record.h>

/* Whether `a` was modified before `b`. */
bool tfr_stat_older(const struct stat *a, const struct stat *b);
/* The stat of a file that can have an index.  TFR_EUSAGE: a pipe or a device; TFR_ESYS. */
enum tfr_status tfr_stat_regular(const char *path, struct stat *st, struct tfr_error *err);

/* Where the next pair is looked for, in bytes of the text. */
uint64_t tfr_index_position(const struct tfr_index *ix);
/* Goes back or forth to such a place, of an index that is a regular file; `line` is for errors. */
void tfr_index_go_to(struct tfr_index *ix, uint64_t position, uint64_t line);

/* What stands beside a file, as far as it can be seen without inflating the file. */
struct tfr_index_seen {
	struct stat file;
	enum tfr_compression compression; /* of the file */
	/* Not TFR_INDEX_OTHER_END where the file is compressed, nor those that only
	 * tfr_index_write() finds out. */
	enum tfr_index_state state;
	/* Of a GZIP file that is to have points, whatever FILE.idx is like: one of the states of
	 * FILE.gzi, or TFR_INDEX_GOOD. */
	enum tfr_index_state points;
	uint64_t records, end; /* by FILE.idx; of the last line */
	/* The place in the text of line 0, 256, 512, … */
	uint64_t *marks;
	size_t mark_count;
	struct tfr_gzi gzi;
};
enum { TFR_INDEX_MARK = 256 };

/* TFR_EUSAGE: no regular file.  TFR_ESYS, TFR_ENOMEM.  To be cleared in any case. */
enum tfr_status tfr_index_look(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err);
/* The rest of tfr_index_inspect(): whether the index ends where a compressed file ends. */
enum tfr_status tfr_index_look_at_end(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err);
void tfr_index_seen_clear(struct tfr_index_seen *seen);

#endif
