/* record/record_run.c - iterates over the records of a run. */
#include "record/record_run.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "record/framing.h"

enum tfr_status tfr_run_next(struct tfr_run *run, struct tfr_record *rec, struct tfr_error *err)
{
	const uint8_t *p = run->data + run->at;
	size_t length;

	if (run->at == run->size)
		return TFR_END;
	assert(run->size - run->at >= TFR_RECORD_OVERHEAD && run->seen < run->records);
	length = (size_t)tfr_load64(p);
	*rec = (struct tfr_record){ p + TFR_RECORD_HEADER, length, run->index + run->seen,
		run->offset + run->at, tfr_crc32c(0, p + TFR_RECORD_HEADER, length) };
	run->at += length + TFR_RECORD_OVERHEAD;
	run->seen++;
	if (tfr_load32(rec->data + length) == tfr_crc_mask(rec->crc))
		return TFR_OK;
	tfr_fail(err, TFR_EDATA, "data checksum mismatch");
	if (err) {
		err->has_record = true;
		err->record = rec->index;
		err->offset = rec->offset;
	}
	return TFR_EDATA;
}

uint64_t tfr_run_pass_intact(struct tfr_run *run)
{
	size_t left = run->size - run->at, end;
	bool bad;
	uint64_t records = tfr_intact_records(run->data + run->at, left, left, true, &end, &bad);

	run->at += end;
	run->seen += records;
	assert(run->at <= run->size && run->seen <= run->records);
	return records;
}

void tfr_run_clear(struct tfr_run *run)
{
	free(run->block);
	*run = (struct tfr_run){ 0 };
}
