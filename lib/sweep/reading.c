/* sweep/reading.c - opens a file, reads past its faults, and gives each fault to the policy. */
#include "sweep/reading.h"

#include <assert.h>

#include "base/error.h"
#include "record/framing.h"

void tfr_reading_begin(struct tfr_reading *in, const char *path, uint32_t file)
{
	assert(!in->reader);
	in->path = path;
	in->file = file;
	in->seen = 0;
	in->over = false;
}

void tfr_reading_end(struct tfr_reading *in)
{
	tfr_reader_close(in->reader);
	in->reader = NULL;
}

enum tfr_status tfr_reading_meet(struct tfr_reading *in, struct tfr_error *err)
{
	struct tfr_fault_met fault = {
		.why = &in->why, .reader = in->reader, .path = in->path, .result = in->result
	};

	assert(in->why.status);
	in->seen++;
	return in->faults->meet(in->faults, &fault, err);
}

enum tfr_status tfr_reading_open(struct tfr_reading *in, const char *path, uint32_t file,
	const struct tfr_file_start *from, const struct tfr_reader_opts *opts,
	struct tfr_error *err)
{
	enum tfr_status status;

	tfr_reading_begin(in, path, file);
	if (from && from->records)
		status = tfr_reader_open_at(
			&in->reader, path, NULL, from->offset, from->records, opts, &in->why);
	else
		status = tfr_reader_open(&in->reader, path, opts, &in->why);
	return status ? tfr_reading_meet(in, err) : TFR_OK;
}

/* What a failure to read means: TFR_OK, that reading goes on. */
static enum tfr_status after_failure(
	struct tfr_reading *in, enum tfr_status status, struct tfr_error *err)
{
	in->over = status == TFR_END;
	return in->over ? TFR_END : tfr_reading_meet(in, err);
}

enum tfr_status tfr_reading_next(
	struct tfr_reading *in, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;

	while ((status = tfr_reader_next(in->reader, rec, &in->why)))
		TFR_TRY(after_failure(in, status, err));
	in->seen++;
	return TFR_OK;
}

static enum tfr_status read_run(struct tfr_reading *in, struct tfr_record_run *run)
{
	TFR_TRY(tfr_reader_next_run(in->reader, run, &in->why));
	if (!run->large)
		return TFR_OK;
	if (in->admit)
		TFR_TRY(in->admit(in, run, &in->why));
	return tfr_reader_large_run(in->reader, run, &in->why);
}

enum tfr_status tfr_reading_next_run(
	struct tfr_reading *in, struct tfr_record_run *run, struct tfr_error *err)
{
	enum tfr_status status;

	while ((status = read_run(in, run))) {
		assert(!run->records); /* a run leaves payloads to tfr_record_run_next_intact() */
		TFR_TRY(after_failure(in, status, err));
	}
	in->seen += run->records;
	return TFR_OK;
}

enum tfr_status tfr_record_run_meet(const struct tfr_record_run_origin *of,
	const struct tfr_record *rec, struct tfr_error *why, struct tfr_error *err)
{
	struct tfr_fault_met fault = {
		.why = why, .bad = rec, .path = of->path, .result = of->result
	};

	if (why->status == TFR_EDATA)
		tfr_error_locate(why, of->path, rec->index, rec->offset);
	return of->faults->meet(of->faults, &fault, err);
}

enum tfr_status tfr_record_run_meet_payload(
	const struct tfr_record_run_origin *of, const struct tfr_record *rec, struct tfr_error *err)
{
	struct tfr_error why;

	tfr_fail(&why, TFR_EDATA, TFR_PAYLOAD_FAULT);
	return tfr_record_run_meet(of, rec, &why, err);
}
