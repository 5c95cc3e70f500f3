/* record/cut.h - where a file may be divided between two processes. */
#ifndef TFR_RECORD_CUT_H
#define TFR_RECORD_CUT_H

#include <tfr-private/record.h>

/* The start of a record. */
struct tfr_cut_place {
	uint64_t offset;  /* in the uncompressed stream */
	uint64_t records; /* before it, as a reader counts them */
};

/* Finds a place about `fraction` / 2^32 of the way through a file: by its index, where that is
 * usable; otherwise by the headers from the start of the file, which a plain file only is worth.
 * Every process finds the same one.  TFR_END: no record begins there or later. */
enum tfr_status tfr_cut_find(const char *path, uint64_t bytes, uint32_t fraction,
	struct tfr_cut_place *place, struct tfr_error *err);
/* Whether a file is worth dividing: it is plain, or GZIP with a usable index. */
bool tfr_cut_possible(const char *path);
/* Opens a reader at a place that was found.  TFR_EDATA: the file or its index has changed. */
enum tfr_status tfr_cut_open(struct tfr_reader **r, const char *path,
	const struct tfr_cut_place *place, const struct tfr_reader_opts *opts,
	struct tfr_error *err);

#endif
