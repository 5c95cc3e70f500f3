/* rewrite/shuffle/saved_pass.h - where the records of a finished pass are, as bytes of a file, and
 * back.
 *
 * The bytes hold numbers only, each written by itself, and nothing that refers to memory: a bucket
 * is its parts, a part is its pieces of the spill in their order.  They are read as if an enemy had
 * written them: every number is checked against the others, against the bytes that are left and
 * against the files of the spill. */
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

/* Appends all of it.  Every chunk is in the spill.  False: out of memory. */
bool tfr_kept_pack(
	const struct tfr_kept *k, const struct tfr_buckets *buckets, struct tfr_buf *bytes);
/* The first number alone.  False: there is none. */
bool tfr_kept_fingerprint(struct tfr_unread bytes, uint64_t *fingerprint);
/* Fills `dealt`, one table per bucket, and `buckets`; both are empty unless it succeeds.
 * TFR_EDATA: tfr_kept_pack() has not written these bytes. */
enum tfr_status tfr_kept_unpack(struct tfr_kept *k, struct tfr_unread bytes,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, struct tfr_error *err);
/* Whether the spill has all that the buckets refer to. */
bool tfr_kept_fits(const struct tfr_buckets *buckets, const struct tfr_spill *spill);

#endif
