/* record/index.h - what reading and writing an index share. */
#ifndef TFR_RECORD_INDEX_H
#define TFR_RECORD_INDEX_H

#include <sys/stat.h>

#include <tfr/record.h>

/* Whether `a` was modified before `b`. */
bool tfr_stat_older(const struct stat *a, const struct stat *b);
/* The stat of a file that can have an index.  TFR_EUSAGE: a pipe or a device; TFR_ESYS. */
enum tfr_status tfr_stat_regular(const char *path, struct stat *st, struct tfr_error *err);

/* tfr_index_inspect() without the end, which is put into *end: TFR_INDEX_GOOD and all but
 * TFR_INDEX_OTHER_END. */
enum tfr_status tfr_index_look(const char *path, const char *index_path,
	enum tfr_index_state *state, uint64_t *end, struct tfr_error *err);

#endif
