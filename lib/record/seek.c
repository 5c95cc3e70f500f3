/* record/seek.c - moves a reader to a record.
 *
 * The caller says where a record begins.  Reading it there verifies that, by its CRCs. */
#include <assert.h>

#include <tfr-private/gzi.h>

#include "base/error.h"
#include "record/reader.h"

enum tfr_status tfr_reader_seek(struct tfr_reader *r, const struct tfr_gzi *gzi, uint64_t offset,
	uint64_t index, struct tfr_error *err)
{
	enum tfr_status status;

	assert(r->framing == TFR_FRAMING_RECORDS);
	r->fault = TFR_FAULT_NONE;
	r->index = index;
	if (offset >= r->block_offset && offset - r->block_offset <= r->end) {
		r->begin = (size_t)(offset - r->block_offset);
		return TFR_OK;
	}
	r->begin = r->end = 0;
	r->ended = false;
	status = tfr_stream_seek(r->stream, gzi, offset, err);
	r->block_offset = tfr_stream_position(r->stream);
	if (status == TFR_EDATA)
		return tfr_reader_fail(r, TFR_FAULT_STREAM, err);
	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EUSAGE, tfr_reader_name(r),
			"there are fewer than %llu bytes before a record in",
			(unsigned long long)offset);
	return status;
}

enum tfr_status tfr_reader_open_at(struct tfr_reader **out, const char *path,
	const struct tfr_gzi *gzi, uint64_t offset, uint64_t index,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_reader *r = NULL;
	enum tfr_status status = tfr_reader_open(&r, path, opts, err);

	if (!status)
		status = tfr_reader_seek(r, gzi, offset, index, err);
	if (status)
		tfr_reader_close(r);
	else
		*out = r;
	return status;
}
