/* record/count.h - hopping over the records of a file, for those who want more than their number.
 */
#ifndef TFR_RECORD_COUNT_H
#define TFR_RECORD_COUNT_H

#include <tfr/record.h>

/* Sees records as they are hopped over: `records` of them one behind the other, the header of the
 * first at `headers`, which is `offset` in the uncompressed stream.  Their headers are verified and
 * in memory; of the last one the payload may not be, and may turn out to lie past the end of the
 * file, which then fails the whole.  A status other than TFR_OK ends the hopping with it. */
struct tfr_hop_visitor {
	enum tfr_status (*hopped)(void *ctx, const uint8_t *headers, uint64_t records,
		uint64_t offset, struct tfr_error *err);
	void *ctx;
};

/* tfr_count_records(), with a visitor. */
enum tfr_status tfr_hop_records(const char *path, const struct tfr_reader_opts *opts,
	const struct tfr_hop_visitor *visitor, uint64_t *records, struct tfr_error *err);

#endif
