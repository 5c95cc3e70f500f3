/* record/count_headers.h - hopping over the records of a file, for those who want more than their
 * number.
 */
#ifndef TFR_RECORD_COUNT_HEADERS_H
#define TFR_RECORD_COUNT_HEADERS_H

#include <tfr-private/record.h>

/* A way through a file from header to header. */
struct tfr_hop {
	/* Sees records as they are hopped over: `records` of them one behind the other, the header
	 * of the first at `headers`, which is `offset` in the uncompressed stream.  Their headers
	 * are verified and in memory; of the last one the payload may not be, and may turn out to
	 * lie past the end of the file, which then fails the whole.  A status other than TFR_OK
	 * ends the hopping with it.  NULL: nobody does. */
	enum tfr_status (*hopped)(void *ctx, const uint8_t *headers, uint64_t records,
		uint64_t offset, struct tfr_error *err);
	void *ctx;
	struct tfr_gzi *gzi; /* the flush points of a GZIP file are added; may be NULL */

	/* What there was, as far as it came. */
	uint64_t records;
	uint64_t end; /* bytes of the uncompressed stream; 0 where nobody saw them go by */
	enum tfr_compression compression;
};

/* tfr_count_records(), and more. */
enum tfr_status tfr_hop_records(const char *path, const struct tfr_reader_opts *opts,
	struct tfr_hop *hop, struct tfr_error *err);

#endif
