/* record/count_headers.h - follows the headers of a file, for callers that need more than the
 * number of records. */
#ifndef TFR_RECORD_COUNT_HEADERS_H
#define TFR_RECORD_COUNT_HEADERS_H

#include <tfr-private/record.h>

/* How the headers of a file are followed. */
struct tfr_hop {
	/* Gets `records` consecutive records, with the header of the first at `headers`, which is
	 * `offset` in the uncompressed stream.  Their headers are verified and in memory.  The
	 * payload of the last may be missing, or end after the end of the file; that is a failure.
	 * Any status but TFR_OK ends the count with it.  May be NULL. */
	enum tfr_status (*hopped)(void *ctx, const uint8_t *headers, uint64_t records,
		uint64_t offset, struct tfr_error *err);
	void *ctx;
	struct tfr_gzi *gzi; /* the flush points of a GZIP file are added; may be NULL */

	/* The result, up to a failure. */
	uint64_t records;
	uint64_t end; /* bytes of the uncompressed stream; 0 if unknown */
	enum tfr_compression compression;
};

/* As tfr_count_records(), with a callback. */
enum tfr_status tfr_hop_records(const char *path, const struct tfr_reader_opts *opts,
	struct tfr_hop *hop, struct tfr_error *err);

#endif
