/* tfr-private/gzi.h - FILE.gzi: where one can begin to read a GZIP file.
 *
 * A GZIP stream can be read from its middle only behind a full flush, where the compressor forgot
 * all that it had seen: at a byte's edge, with nothing before it referred to.  libtfr writes such a
 * point about every MiB (tfr/record.h), and pigz --independent every 128 KiB; gzip and TensorFlow
 * write none.  A flush that is not full (Z_SYNC_FLUSH, Z_PARTIAL_FLUSH) is not enough: what follows
 * it may refer to the 32 KiB before it.
 *
 * The layout is htslib's (bgzip -i): u64 number of points, then for each point u64 offset in the
 * file and u64 offset in what it inflates to, all little-endian.  The beginning of the file, at
 * (0, 0), is not among them.  bgzip's points are the beginnings of GZIP members; both kinds are
 * read here. */
#ifndef TFR_PRIVATE_GZI_H
#define TFR_PRIVATE_GZI_H

#include <tfr-private/progress.h>
#include <tfr-private/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_gzi_point {
	uint64_t compressed;   /* bytes from the beginning of the file */
	uint64_t uncompressed; /* bytes of what it inflates to, framing of records included */
};

/* Zero-initialised is empty.  Points ascend in both. */
struct tfr_gzi {
	struct tfr_gzi_point *points;
	size_t count;
};
void tfr_gzi_clear(struct tfr_gzi *gzi);

/* "FILE.gzi" for a file; the caller frees it.  NULL: out of memory. */
char *tfr_gzi_path(const char *path);

struct tfr_gzi_opts {
	unsigned threads;	       /* 0: one a processor */
	struct tfr_progress *progress; /* uncompressed bytes; may be NULL */
};

/* Reads the GZIP file `path` and appends its points to `gzi`; each is proved by inflating what
 * follows it with nothing known of what lies before.  Between two points that are told there are 32
 * KiB of the file or more.  *size: bytes that the file inflates to.  NULL opts: the defaults.
 *   TFR_EUSAGE  it is not GZIP, or has no such points and is larger than 4 MiB, so that an index
 *               would be of no use; the hint says what to do.
 *   TFR_EDATA   the stream is damaged.
 *   TFR_ESYS, TFR_ENOMEM. */
enum tfr_status tfr_gzi_scan(struct tfr_gzi *gzi, const char *path, const struct tfr_gzi_opts *opts,
	uint64_t *size, struct tfr_error *err);

/* Writes the index, whole or not at all; of `opts`, force and temporaries count.  NULL: the
 * defaults. */
enum tfr_status tfr_gzi_write(const struct tfr_gzi *gzi, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err);
/* TFR_EDATA: cut off, longer than its number says, or points that do not ascend. */
enum tfr_status tfr_gzi_read(struct tfr_gzi *gzi, const char *path, struct tfr_error *err);

/* The last point at or before `uncompressed`; the beginning of the file where there is none. */
struct tfr_gzi_point tfr_gzi_find(const struct tfr_gzi *gzi, uint64_t uncompressed);

/* Opens a file at a record: `offset` bytes behind the beginning of what it inflates to, which is
 * where record `index` begins (tfr_reader_next() counts from there; a FILE.idx knows both).  With a
 * GZIP file, inflating begins at the last point before it, so the checksum at the end of that
 * member cannot be checked; those of the records are.  A plain file is read from there and needs no
 * points; a ZLIB file is inflated from its beginning.  NULL gzi: no points; NULL opts: the
 * defaults. */
enum tfr_status tfr_reader_open_at(struct tfr_reader **r, const char *path,
	const struct tfr_gzi *gzi, uint64_t offset, uint64_t index,
	const struct tfr_reader_opts *opts, struct tfr_error *err);

/* Moves an open reader of records to another one, back or forth, as tfr_reader_open_at() has it.  A
 * move that fails can be tried again; before one that succeeds nothing can be read.
 *   TFR_EUSAGE  there are fewer bytes; or a pipe, which cannot go back.
 *   TFR_EDATA   the compressed stream is damaged before it.
 *   TFR_ESYS, TFR_ENOMEM. */
enum tfr_status tfr_reader_seek(struct tfr_reader *r, const struct tfr_gzi *gzi, uint64_t offset,
	uint64_t index, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
