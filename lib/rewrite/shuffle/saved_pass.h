/* rewrite/shuffle/saved_pass.h - packs the positions of the records of a finished pass into the
 * bytes of a file, and unpacks them.
 *
 * The bytes have only numbers and no memory addresses: a bucket is a list of parts, and a part
 * is a list of pieces of the spill.  The bytes are not trusted: every number is checked against
 * the others, against the remaining bytes and against the files of the spill. */
#ifndef TFR_REWRITE_SHUFFLE_SAVED_PASS_H
#define TFR_REWRITE_SHUFFLE_SAVED_PASS_H

#include "base/buf.h"
#include "base/unread.h"
#include "rewrite/shuffle/scatter.h"

struct tfr_kept {
	uint64_t fingerprint;
	uint32_t spill_files;
	struct tfr_shuffle_report report;
};

/* Appends everything.  Every chunk must be in the spill.  False: out of memory. */
bool tfr_kept_pack(
	const struct tfr_kept *k, const struct tfr_buckets *buckets, struct tfr_buf *bytes);
/* Reads only the first number.  False: there is none. */
bool tfr_kept_fingerprint(struct tfr_unread bytes, uint64_t *fingerprint);
/* Fills `dealt`, one table per bucket, and `buckets`; both stay empty on failure.  TFR_EDATA:
 * the bytes were not written by tfr_kept_pack(). */
enum tfr_status tfr_kept_unpack(struct tfr_kept *k, struct tfr_unread bytes,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, struct tfr_error *err);
/* Whether the spill has all data that the buckets refer to. */
bool tfr_kept_fits(const struct tfr_buckets *buckets, const struct tfr_spill *spill);

#endif
