/* tfr-private/gzi.h - FILE.gzi: the points where decompression of a GZIP file can start.
 *
 * Decompression can start inside a GZIP stream only after a full flush.  There the compressor drops
 * its history: the point is at a byte boundary, and no later data refers to earlier data. libtfr
 * writes such a point about every MiB (tfr/record.h), and pigz --independent every 128 KiB; gzip
 * and TensorFlow write none.  A flush that is not full (Z_SYNC_FLUSH, Z_PARTIAL_FLUSH) is not
 * enough: the data after it may refer to the 32 KiB before it.
 *
 * The layout is htslib's (bgzip -i): u64 number of points, then for each point u64 offset in the
 * file and u64 offset in the uncompressed data, all little-endian.  The beginning of the file,
 * at (0, 0), is not among them. bgzip's points are the beginnings of GZIP members; both kinds
 * are read here. */
#ifndef TFR_PRIVATE_GZI_H
#define TFR_PRIVATE_GZI_H

#include <tfr-private/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_gzi_point {
	uint64_t compressed;   /* bytes from the beginning of the file */
	uint64_t uncompressed; /* uncompressed bytes, framing of records included */
};

/* Zero-initialised is empty.  Both offsets of the points ascend. */
struct tfr_gzi {
	struct tfr_gzi_point *points;
	size_t count;
};
void tfr_gzi_clear(struct tfr_gzi *gzi);

/* "FILE.gzi" for a file; the caller frees it.  NULL: out of memory. */
char *tfr_gzi_path(const char *path);

/* TFR_EDATA: the file is truncated, longer than its number of points says, or has points that do
 * not ascend. */
enum tfr_status tfr_gzi_read(struct tfr_gzi *gzi, const char *path, struct tfr_error *err);

/* The last point at or before `uncompressed`; the beginning of the file if there is none. */
struct tfr_gzi_point tfr_gzi_find(const struct tfr_gzi *gzi, uint64_t uncompressed);

#ifdef __cplusplus
}
#endif

#endif
