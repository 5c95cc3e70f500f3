/* tfr/lookup.h - reads the records of a file by number, through FILE.idx and FILE.gzi, or through
 * the headers of the file.
 *
 * The index has the place of record n; the checksums there verify it.  Every record that is
 * returned passed both checksums and has the length in its line of the index.  One fault can only
 * be found by reading the whole file: an index of another file of the same length, with a later
 * date, may give records of this file under wrong numbers.  tfr_index_write() compares file and
 * index from end to end. */
#ifndef TFR_LOOKUP_H
#define TFR_LOOKUP_H

#include <tfr/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_lookup;

/* Opens the index of `path`.  TFR_OK with *l, or with *l NULL if there is no usable index: *state
 * then has the reason.  Only a regular file that is plain or GZIP can have one.  For others the
 * state is TFR_INDEX_MISSING, for a GZIP file without FILE.gzi TFR_INDEX_NO_POINTS, and for one
 * with a damaged end TFR_INDEX_OTHER_END.  Of `opts` it uses compression, block_size (0: 64 KiB)
 * and threads; NULL: the defaults.  TFR_ESYS, TFR_ENOMEM, TFR_EFORMAT. */
TFR_API enum tfr_status tfr_lookup_open(struct tfr_lookup **l, const char *path,
	const struct tfr_reader_opts *opts, enum tfr_index_state *state, struct tfr_error *err);
/* Needs no index: follows the headers of all records first, as tfr_count_records(), and keeps 8
 * bytes per record.  A compressed file is inflated for that; later reads of a ZLIB file, or of a
 * GZIP file without flush points, start at its beginning if they go back.  Of `opts` it uses the
 * same.  TFR_EUSAGE: `path` is not a regular file.  TFR_EDATA, TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM:
 * as of tfr_count_records(). */
TFR_API enum tfr_status tfr_lookup_scan(struct tfr_lookup **l, const char *path,
	const struct tfr_reader_opts *opts, struct tfr_error *err);
TFR_API void tfr_lookup_close(struct tfr_lookup *l); /* accepts NULL */

/* The number of records: of lines of the index, or of headers. */
TFR_API uint64_t tfr_lookup_count(const struct tfr_lookup *l);

/* Reads record `number`, from 0; the view is valid until the next call.  Reading the record after
 * the previous one costs as much as tfr_reader_next(). TFR_END    the file has no such record.
 *   TFR_EDATA  the record is damaged, or the index has a wrong place or length, or the file
 * changed; the hint says what to do. TFR_ESYS, TFR_ENOMEM. */
TFR_API enum tfr_status tfr_lookup_read(
	struct tfr_lookup *l, uint64_t number, struct tfr_record *rec, struct tfr_error *err);

/* Opens a reader of the file, whose next record is `number`; it returns that record and all after
 * it, does not use the index again, and may outlive `l`.  Of `opts` it uses block_size and threads;
 * NULL: the defaults.  TFR_END: the file has no such record.  TFR_EDATA: the compressed stream is
 * damaged before it.  TFR_ESYS, TFR_ENOMEM.  A wrong index shows when the record is read. */
TFR_API enum tfr_status tfr_lookup_reader(struct tfr_lookup *l, uint64_t number,
	const struct tfr_reader_opts *opts, struct tfr_reader **r, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
