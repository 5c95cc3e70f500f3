/* record/salvage.h - a damaged file read so that nothing is left over: each of its bytes is in one
 * whole record, in one record whose payload alone is damaged, or in one span that is lost.
 *
 * tfr_reader_next() believes a length whose checksum fits and goes on behind it.  Here a length is
 * believed when what ends with it fits as well: the data checksum, or else a header or the end of
 * the file right behind it.  So a record out of which bytes are missing does not take the one
 * behind it along, and a forged length not those within it. */
#ifndef TFR_RECORD_SALVAGE_H
#define TFR_RECORD_SALVAGE_H

#include "record/reader.h"

struct tfr_salvaged {
	enum tfr_salvaged_kind {
		TFR_SALVAGED_RECORD,  /* whole */
		TFR_SALVAGED_PAYLOAD, /* its data checksum does not fit, its length does */
		TFR_SALVAGED_NOTHING, /* a span in which no record was found */
	} kind;
	struct tfr_record rec; /* unless it is nothing; rec.crc is that of the payload as it is */
	uint64_t index;	       /* as tfr_record.index; a span counts as one record */
	uint64_t offset, size; /* of the span, framing included */
	bool broken;	       /* the compressed stream ends here, in damage; `size` may be 0 */
};

/* The bytes of a span in which nothing was found go to `passed`, in order, before the call that
 * tells of it returns. */
static inline void tfr_salvage_to(struct tfr_reader *r, tfr_passed_fn *passed, void *ctx)
{
	r->passed = passed;
	r->passed_ctx = ctx;
}

/* The next piece of the file.  TFR_OK: err->message has the reason unless the record is whole.
 * TFR_END, TFR_ESYS, TFR_ENOMEM, and what `passed` returns.  `err` must not be NULL.  Where the
 * file can be read at any place, what looks like a large record is believed before it is read into
 * memory. */
enum tfr_status tfr_salvage_next(
	struct tfr_reader *r, struct tfr_salvaged *s, struct tfr_error *err);

#endif
