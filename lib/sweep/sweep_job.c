/* sweep/sweep_job.c - what a part of a job records of a sweep, and the sweep that is made of the
 * records of all parts. */
#include "base/error.h"
#include "shard/set.h"
#include "sweep/parts.h"

struct recorded {
	struct tfr_sweep_report report;
	struct tfr_content_counts types, failed;
};

enum tfr_status tfr_sweep_record(
	struct run *r, const struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct tfr_job *job = tfr_set_job(r->o->input);
	struct recorded mine = { .report = *report };
	TFR_AUTO_BUF watch = { 0 };
	enum tfr_status status;

	for (unsigned k = 0; k < r->threads; k++) {
		tfr_content_merge(&mine.types, &r->workers[k].types);
		tfr_content_merge(&mine.failed, &r->workers[k].failed);
	}
	status = tfr_job_put(job, "sweep", &mine, sizeof(mine), err);
	if (status || !r->workers->where)
		return status;
	if (!tfr_feature_watch_save(tfr_where_lookout(r->workers->where), &watch))
		return tfr_fail_nomem(err, "recording the result of a part");
	return tfr_job_put(job, "watch", watch.data, watch.size, err);
}

static enum tfr_status take_part(
	struct run *r, struct tfr_job *job, uint32_t part, struct tfr_error *err)
{
	struct worker *w = r->workers;
	struct tfr_unread watch = { 0 };
	struct recorded theirs;
	enum tfr_status status =
		tfr_job_take_struct(job, part, "sweep", &theirs, sizeof(theirs), err);

	if (status)
		return status;
	w->records += theirs.report.records;
	w->taken += theirs.report.taken;
	r->faults.faults += theirs.report.bad;
	tfr_content_merge(&w->types, &theirs.types);
	tfr_content_merge(&w->failed, &theirs.failed);
	if (!w->where)
		return TFR_OK;
	status = tfr_job_take(job, part, "watch", &watch, err);
	if (!status && !tfr_feature_watch_load(tfr_where_lookout(w->where), &watch))
		status = tfr_job_bad_record(job, part, "lacks something", err);
	return status;
}

enum tfr_status tfr_sweep_replay(struct run *r, struct tfr_error *err)
{
	struct tfr_job *job = tfr_set_job(r->o->input);
	enum tfr_status status = TFR_OK;

	for (uint32_t part = 0; !status && part < tfr_job_parts(job); part++)
		status = take_part(r, job, part, err);
	return status;
}
