/* record/resync.h - looks for records after damage, and divides a damaged file completely: each
 * byte is in an intact record, in a record whose payload alone is damaged, or in a lost span.
 *
 * tfr_find_header() (framing.h) is the only search for a header at an unknown position.  Here the
 * header needs a proof; count_headers.c guesses without one, and checks its guess where it joins its
 * ranges.
 *
 * tfr_reader_next() trusts a length whose CRC verifies and continues after it.  Here a length also
 * needs a valid data CRC, or a header or the end of the file right after the record.  So a record
 * with missing bytes does not take the next one with it, and a forged length does not take the
 * records inside it. */
#ifndef TFR_RECORD_RESYNC_H
#define TFR_RECORD_RESYNC_H

#include "record/reader.h"

/* The proof that a header whose CRC verifies starts a record. */
enum tfr_proof {
	TFR_PROOF_NONE,
	TFR_PROOF_DATA,	  /* its data CRC */
	TFR_PROOF_END,	  /* a header or the end of the file right after it, whatever its data */
	TFR_PROOF_BEYOND, /* only bytes that were not given can prove it */
};

/* For bytes in memory.  Finds the first header in `size` bytes that verifies, and that the bytes
 * after it prove or do not disprove.  Returns its position; `size` with TFR_PROOF_NONE if there is
 * none.  `last`: the file ends after these bytes.  *allowed: bytes that may be read as payloads of
 * false records; once they are used up, only the bytes after a record prove it. */
size_t tfr_find_record(
	const uint8_t *p, size_t size, bool last, uint64_t *allowed, enum tfr_proof *proof);

struct tfr_salvaged {
	enum tfr_salvaged_kind {
		TFR_SALVAGED_RECORD,  /* intact */
		TFR_SALVAGED_PAYLOAD, /* the length CRC verifies, the data CRC does not */
		TFR_SALVAGED_NOTHING, /* a span in which no record was found */
	} kind;
	struct tfr_record rec; /* unless the span is lost; rec.crc is computed from the payload */
	uint64_t index;	       /* as tfr_record.index; a span counts as one record */
	uint64_t offset, size; /* of the span, framing included */
	bool broken;	       /* the compressed stream is damaged from here on; `size` may be 0 */
};

/* Sends the bytes of lost spans to `skipped`, in order, before the call that reports the span
 * returns. */
static inline void tfr_salvage_to(struct tfr_reader *r, tfr_skipped_fn *skipped, void *ctx)
{
	r->skipped = skipped;
	r->skipped_ctx = ctx;
}

/* Reads the next piece of the file.  TFR_OK: err->message has the reason unless the record is
 * intact.  TFR_END, TFR_ESYS, TFR_ENOMEM, and the status of `skipped`.  `err` must not be NULL.  In
 * a seekable file, a large record is verified before it is read into memory. */
enum tfr_status tfr_salvage_next(
	struct tfr_reader *r, struct tfr_salvaged *s, struct tfr_error *err);

#endif
