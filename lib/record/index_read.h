/* record/index_read.h - shared by reading, judging and writing an index. */
#ifndef TFR_RECORD_INDEX_READ_H
#define TFR_RECORD_INDEX_READ_H

#include <sys/stat.h>

#include <tfr-private/gzi.h>
#include <tfr-private/record.h>

/* Whether `a` was modified before `b`. */
bool tfr_stat_older(const struct stat *a, const struct stat *b);
/* Stats a file that can have an index.  TFR_EUSAGE: a pipe or a device.  TFR_ESYS. */
enum tfr_status tfr_stat_regular(const char *path, struct stat *st, struct tfr_error *err);

/* The offset of the next pair in the text. */
uint64_t tfr_index_position(const struct tfr_index *ix);
/* Moves to such an offset, in an index that is a regular file.  `line` is for errors. */
void tfr_index_go_to(struct tfr_index *ix, uint64_t position, uint64_t line);

/* The state of a file's indexes, without inflating the file. */
struct tfr_index_seen {
	struct stat file;
	enum tfr_compression compression; /* of the file */
	/* Not TFR_INDEX_OTHER_END for a compressed file, nor the states that only
	 * tfr_index_write() finds. */
	enum tfr_index_state state;
	/* Of a GZIP file that needs points, independent of FILE.idx: a state of FILE.gzi, or
	 * TFR_INDEX_GOOD. */
	enum tfr_index_state points;
	uint64_t records, end; /* by FILE.idx; of the last line */
	/* The offsets in the text of lines 0, 256, 512, … */
	uint64_t *marks;
	size_t mark_count;
	struct tfr_gzi gzi;
};
enum { TFR_INDEX_MARK = 256 };

/* TFR_EUSAGE: not a regular file.  TFR_ESYS, TFR_ENOMEM.  Must be cleared in any case. */
enum tfr_status tfr_index_look(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err);
/* The last step of tfr_index_inspect(): whether the index ends where a compressed file ends. */
enum tfr_status tfr_index_look_at_end(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err);
void tfr_index_seen_clear(struct tfr_index_seen *seen);

#endif
