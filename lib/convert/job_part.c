/* convert/job_part.c - divides the items of an input by their number.
 *
 * Every part lists the input and shuffles the list in the same way, and reads only its own items.
 * Their records go to the exchange of the part.  Inputs of records are divided by bytes instead,
 * before they come here. */
#include "convert/job_part.h"

#include <string.h>

#include "convert/input_digest.h"
#include "shard/job/job.h"

enum tfr_status tfr_job_part_check(struct tfr_job *job, const struct tfr_convert_opts *o,
	struct tfr_input *in, struct tfr_error *err)
{
	const char *what = o->resume				    ? "--resume"
			   : o->dry_run				    ? "--dry-run"
			   : o->findings			    ? "--report"
			   : o->tfds				    ? "--tfds"
			   : o->descriptor			    ? "--follow"
			   : o->on_error == TFR_ON_ERROR_QUARANTINE ? "--on-error quarantine"
								    : NULL;
	enum tfr_status status = TFR_OK;
	uint64_t digest;

	if (what)
		return tfr_fail(err, TFR_EUSAGE, "%s cannot go with --part", what);
	if (in->ops->framed)
		return TFR_OK; /* dividing them has noted them */
	if (in->items == TFR_STREAM || in->groups) {
		tfr_fail(err, TFR_EUSAGE,
			"%s is read from its start, and cannot be divided into parts",
			in->ops->what);
		tfr_error_hint(err,
			"Parts can convert folders of files and their annotations, and records.");
		return TFR_EUSAGE;
	}
	status = tfr_input_digest(in, &digest, err);
	if (!status)
		tfr_job_inputs(job, digest);
	return status;
}

enum tfr_status tfr_job_part_start(struct tfr_job *job, struct tfr_input *in, struct tfr_sets *sets,
	const uint32_t *order, uint64_t *next, uint64_t *end, struct tfr_error *err)
{
	uint64_t items = in->items, parts = tfr_job_parts(job), part = tfr_job_part(job), first;
	struct tfr_item item = { 0 };
	enum tfr_status status = TFR_OK;
	uint32_t lane;

	if (items == TFR_STREAM)
		return TFR_OK;
	first = (uint64_t)((unsigned __int128)items * part / parts);
	*end = (uint64_t)((unsigned __int128)items * (part + 1) / parts);
	for (; !status && *next < first; ++*next) {
		status = tfr_item_start(&item, order ? order[*next] : *next, err);
		in->order = order;
		in->place = *next;
		if (!status)
			status = in->ops->next(in, &item, &(struct tfr_room){ 0 }, err);
		if (!status)
			tfr_sets_place(sets, &item, &lane);
		tfr_item_trim(&item);
	}
	tfr_item_clear(&item);
	return status;
}

/* The first item that was skipped is that of the first part that has one. */
static enum tfr_status take_first(
	struct tfr_job *job, struct tfr_losses *losses, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (uint32_t k = 0; !status && k < tfr_job_parts(job); k++) {
		char first[sizeof(losses->first)];

		status = tfr_job_take_struct(job, k, "first", first, sizeof(first), err);
		first[sizeof(first) - 1] = 0;
		if (!status && !*losses->first)
			memcpy(losses->first, first, sizeof(first));
	}
	return status;
}

enum tfr_status tfr_job_part_exchange(struct tfr_job *job, struct tfr_convert_report *report,
	struct tfr_losses *losses, struct tfr_sets *sets, struct tfr_error *err)
{
	uint64_t sums[6] = { report->files, report->skipped, report->left, report->bytes,
		losses->expected, losses->lost };
	enum tfr_status status = tfr_job_sum(job, "convert", sums, 6, err);

	report->files = sums[0];
	report->skipped = sums[1];
	report->left = sums[2];
	report->bytes = sums[3];
	losses->expected = sums[4];
	losses->lost = sums[5];
	if (!status)
		status = tfr_job_sum(job, "found", report->found, TFR_FINDINGS, err);
	if (!status && tfr_job_act(job) == TFR_JOB_REPLAY)
		status = take_first(job, losses, err);
	else if (!status)
		status = tfr_job_put(job, "first", losses->first, sizeof(losses->first), err);
	return status ? status : tfr_sets_exchange(sets, err);
}
