/* rewrite/resample/resample.c - gives a data set another distribution: checks the options, opens
 * the output, and publishes it.
 *
 * The output is opened first, under temporary names, so that a target that exists or cannot be
 * written is detected before any input is read.  It gets its final names when everything else is
 * complete. */
#include "rewrite/resample/resample.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rewrite/rewrite_sweep.h"
#include "sweep/deferred_faults.h"

static enum tfr_status refuse(struct tfr_error *err, const char *what, const char *hint)
{
	tfr_fail(err, TFR_EUSAGE, "%s", what);
	if (hint)
		tfr_error_hint(err, "%s", hint);
	return TFR_EUSAGE;
}

static enum tfr_status check_classes(const struct tfr_resample_opts *o, struct tfr_error *err)
{
	if (o->n_rules && o->by)
		return refuse(err, "--by and --class cannot be combined", NULL);
	if (o->bins && !o->by)
		return refuse(err, "--bins divides the values of --by FEATURE", NULL);
	if (o->target && o->per_class)
		return refuse(
			err, "--target and --per-class cannot be combined", NULL);
	if (!o->target && !o->per_class)
		return refuse(err, "no target: give one, such as --target uniform", NULL);
	if (o->per_class && o->size)
		return refuse(err, "--per-class sets the size; it cannot go with --total",
			NULL);
	if (o->per_class && o->method == TFR_RESAMPLE_REJECT)
		return refuse(err, "--method reject cannot write an exact number of each class",
			"Leave --method out, or give --method oversample.");
	if (o->initial && o->method != TFR_RESAMPLE_REJECT)
		return refuse(err, "--initial is for --method reject only",
			"The other methods count the classes themselves.");
	return TFR_OK;
}

static enum tfr_status check_options(const struct tfr_resample_opts *o, struct tfr_error *err)
{
	if (!o->output)
		return refuse(err, "no output: name a file or a set with -o", NULL);
	if (!o->by && !o->n_rules)
		return refuse(err, "no classes: name the feature that has them with --by FEATURE",
			"--class NAME=EXPR makes classes by expressions.");
	if (o->size && o->method == TFR_RESAMPLE_REJECT)
		return refuse(err, "the size of --method reject is random; it cannot go with --total",
			"Leave --method out to get exactly so many records.");
	return check_classes(o, err);
}

enum tfr_status tfr_resample_put(struct tfr_resampling *r, const struct tfr_swept *s, uint64_t sum,
	uint64_t copies, struct tfr_error *err)
{
	struct iovec piece = { (void *)(uintptr_t)s->rec.data, s->rec.size };
	struct tfr_digest digest = { .size = s->rec.size, .sum = sum, .crc = s->rec.crc };
	struct tfr_rewrite_report *report = &r->report->common;
	enum tfr_status status = TFR_OK;

	for (; !status && copies; copies--) {
		status = tfr_set_writer_put(r->out, (uint32_t)(report->written % r->shards), &piece,
			1, &digest, err);
		report->written++;
		report->bytes += s->rec.size;
		report->sum += sum;
	}
	return status;
}

enum tfr_status tfr_resample_check_twice(const struct tfr_resampling *r, struct tfr_error *err)
{
	const char *pipe = tfr_pass_pipe(r->o->common.sweep.input);

	if (!pipe)
		return TFR_OK;
	if (strcmp(pipe, "-"))
		tfr_fail_path(err, TFR_EUSAGE, pipe,
			"records are counted before they are chosen, and no pipe can be read "
			"twice:");
	else
		tfr_fail(err, TFR_EUSAGE,
			"records are counted before they are chosen, and standard input "
			"cannot be read twice");
	tfr_error_hint(err, "Put it into a file first.  With the shares of the classes in "
			    "--initial, --method reject reads once.");
	return TFR_EUSAGE;
}

struct tfr_sweep tfr_resample_sweep(const struct tfr_resampling *r, const char *phase)
{
	return (struct tfr_sweep){
		.opts = r->o->common.sweep,
		.phase = phase,
		.parse = true,
	};
}

/* Whether the classes chosen by have the numbers of the class map. */
static bool by_class_label(const struct tfr_resample_opts *o)
{
	static const char *const names[] = { "image/class/label", "audio/class/label", "label" };

	for (size_t i = 0; o->by && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(o->by, names[i]))
			return true;
	return false;
}

static uint64_t records_of(const struct tfr_resample_report *report, int64_t label)
{
	for (size_t i = 0; i < report->class_count; i++)
		if (report->classes[i].label == label)
			return report->classes[i].final;
	return 0;
}

/* The classes of the output, for the manifest: the map of the inputs with the final numbers of
 * records.  Without a map, the numbers of the classes, if these are labels. */
static enum tfr_status count_classes(
	const struct tfr_resampling *r, struct tfr_set_info *info, struct tfr_error *err)
{
	const struct tfr_resample_report *report = r->report;
	struct tfr_class_count *counts;
	enum tfr_status status = tfr_set_info_carry(info, r->o->common.sweep.input, err);

	if (status || !report->class_count || !report->classes[0].has_label ||
		(info->class_count && !by_class_label(r->o)))
		return status;
	counts = (struct tfr_class_count *)(uintptr_t)info->classes;
	for (size_t i = 0; i < info->class_count; i++)
		counts[i].records = records_of(report, counts[i].label);
	if (info->class_count)
		return TFR_OK;
	counts = calloc(report->class_count, sizeof(*counts));
	if (!counts)
		return tfr_fail_nomem(err, "writing a manifest");
	info->classes = counts;
	for (size_t i = 0; i < report->class_count; i++)
		if (report->classes[i].final)
			counts[info->class_count++] =
				(struct tfr_class_count){ .label = report->classes[i].label,
					.records = report->classes[i].final };
	return TFR_OK;
}

static enum tfr_status resample(
	struct tfr_resampling *r, struct tfr_set_info *info, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *common = &r->o->common;
	enum tfr_status status = tfr_set_writer_open(
		&r->out, r->o->output, &common->writer, common->sweep.warn, common->sweep.ctx, err);

	if (status)
		return status;
	r->shards = tfr_set_writer_shards(r->out);
	status = tfr_resample_by_class(r, err);
	if (!status)
		status = tfr_pass_expected(common, &r->report->common, err);
	if (!status)
		status = count_classes(r, info, err);
	info->beside[0] = common->sweep.quarantine;
	if (!status)
		status = tfr_set_writer_publish(r->out, info, err);
	tfr_set_writer_close(r->out);
	return status;
}

enum tfr_status tfr_resample(const struct tfr_resample_opts *opts,
	struct tfr_resample_report *report, struct tfr_error *err)
{
	struct tfr_set_info info = { .command = opts->common.command, .seed = opts->common.seed };
	struct tfr_resampling r = { .o = opts, .report = report };
	enum tfr_status status;

	*report = (struct tfr_resample_report){ 0 };
	status = check_options(opts, err);
	if (!status)
		status = resample(&r, &info, err);
	tfr_set_info_clear(&info);
	return status;
}

void tfr_resample_report_clear(struct tfr_resample_report *report)
{
	free(report->classes);
	free(report->names);
	report->classes = NULL;
	report->names = NULL;
	report->class_count = 0;
}
