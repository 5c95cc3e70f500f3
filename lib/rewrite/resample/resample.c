/* rewrite/resample/resample.c - gives a data set another distribution: chooses records class by
 * class, in input order.
 *
 * The output is opened first, under temporary names, so that a target that exists or cannot be
 * written is detected before any input is read.  It gets its final names when everything else is
 * complete.
 *
 * The table of classes is sorted between the passes and only read after that.  In the second
 * pass the workers compute the class, content sum and random draw of each record.  The one
 * thread that sees the records in order then only compares integers. */
#include "rewrite/resample/resample.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "rewrite/pass.h"

#define DRAWS 0x72736d70u /* "rsmp": the domain of these draws */

struct class_worker {
	struct tfr_classifier classifier;
	struct tfr_classes counts;
};

/* The plan for a class, and its results. */
struct class_plan {
	uint64_t unseen; /* records not yet seen */
	uint64_t wanted; /* of these, in addition to the full copies */
	uint64_t whole;	 /* full copies of each record */
	uint64_t final;	 /* records written */
};

struct resampling {
	const struct tfr_resample_opts *o;
	struct tfr_resample_report *report;
	struct tfr_set_writer *out;
	uint32_t shards;
	struct tfr_classing classing;
	struct class_worker *workers;
	unsigned n_workers;

	pthread_mutex_t lock; /* of the table, while counting */
	struct tfr_classes classes;

	struct tfr_target target;
	struct tfr_quotas quotas; /* of the target */
	struct class_plan *plans; /* one per class */
	double *weights;	  /* likewise */
	uint64_t size;
};

/* --- counting --- */

/* Counting needs no order: each worker counts in its own small table, which is merged into the
 * common one when it is full.  Memory therefore depends on the number of classes, not on classes
 * times workers. */

static enum tfr_status count_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct resampling *r = ctx;
	struct class_worker *w = &r->workers[worker];
	struct tfr_counted_class class;

	(void)verdict;
	TFR_TRY(tfr_classifier_look(&w->classifier, s->example, &class, err));
	if (tfr_classes_full(&w->counts, &class))
		TFR_TRY(tfr_classes_flush(&r->classes, &r->lock, &w->counts, err));
	return tfr_classes_add(&w->counts, &class, 1, NULL, err);
}

/* Reports a name that no record has for --class as for --where. */
static void warn_missing(struct resampling *r)
{
	const struct tfr_rewrite_opts *common = &r->o->common;

	for (size_t rule = 0; rule < r->classing.n_rules; rule++) {
		struct tfr_feature_watch *all =
			tfr_where_lookout(r->workers[0].classifier.wheres[rule]);

		for (unsigned k = 1; k < r->n_workers; k++)
			tfr_feature_watch_merge(
				all, tfr_where_lookout(r->workers[k].classifier.wheres[rule]));
		tfr_feature_watch_report(
			all, common->sweep.missing, common->sweep.warn, common->sweep.ctx);
	}
}

/* The first pass: fills and sorts `classes`, and warns of names in --class that no record has. */
static enum tfr_status count_classes(struct resampling *r, struct tfr_error *err)
{
	struct tfr_sweep sweep = {
		.opts = r->o->common.sweep,
		.phase = "counting",
		.parse = true,
		.examine = count_record,
		.ctx = r,
	};

	TFR_TRY(tfr_pass_run(&sweep, &r->report->common, err));
	for (unsigned k = 0; k < r->n_workers; k++)
		TFR_TRY(tfr_classes_flush(&r->classes, &r->lock, &r->workers[k].counts, err));
	if (r->report->common.taken)
		warn_missing(r);
	tfr_classes_sort(&r->classes);
	if (!r->classes.n ||
		r->classes.items[0].is_text == r->classes.items[r->classes.n - 1].is_text)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA, "'tfr schema' names a record of each kind.",
		"feature '%s' is int64 in some records and bytes in others", r->o->by);
}

/* --- planning --- */

static enum tfr_status refuse_size(struct resampling *r, uint64_t largest, size_t scarcest,
	const uint64_t *records, struct tfr_error *err)
{
	struct tfr_counted_class class;
	char text[TFR_CLASS_TEXT];

	if (scarcest == r->classes.n)
		return tfr_fail(err, TFR_EDATA,
			"a size of %llu cannot be had: no record has a class",
			(unsigned long long)r->o->size);
	class = tfr_classes_at(&r->classes, scarcest);
	return tfr_fail_hint(err, TFR_EDATA, "With --method oversample records are repeated.",
		"a size of %llu cannot be had: the largest that the target allows is %llu, since "
		"class "
		"'%s' has %llu",
		(unsigned long long)r->o->size, (unsigned long long)largest,
		tfr_class_text(&r->classing, &class, text), (unsigned long long)records[scarcest]);
}

/* The size: the requested one, or the one that the method derives from the counts. */
static enum tfr_status choose_size(struct resampling *r, const struct tfr_quotas *quotas,
	const uint64_t *records, struct tfr_error *err)
{
	uint64_t largest;
	size_t scarcest;

	r->size = r->o->size;
	largest = tfr_quotas_largest(quotas, records, &scarcest);
	if (r->o->method == TFR_RESAMPLE_EXACT) {
		if (r->size > largest)
			return refuse_size(r, largest, scarcest, records, err);
		r->size = r->size ? r->size : largest;
	} else {
		if (r->size && scarcest == r->classes.n)
			return refuse_size(r, largest, scarcest, records, err);
		r->size = r->size ? r->size : tfr_quotas_covering(quotas, records);
	}
	if (r->size <= TFR_QUOTA_MAX)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE, "Give a smaller --total N.",
		"the size would be more than %llu records", (unsigned long long)TFR_QUOTA_MAX);
}

static enum tfr_status divide_by_target(
	struct resampling *r, const uint64_t *records, uint64_t *quotas, struct tfr_error *err)
{
	const uint64_t *most = r->o->method == TFR_RESAMPLE_EXACT ? records : NULL;

	TFR_TRY(tfr_target_weights(&r->target, &r->classing, &r->classes, r->weights, err));
	TFR_TRY(tfr_quotas_open(&r->quotas, r->weights, r->classes.n, err));
	TFR_TRY(choose_size(r, &r->quotas, records, err));
	return tfr_quotas_divide(&r->quotas, r->size, most, quotas, err);
}

/* The same number of records of each class.  If records are not repeated, the smallest class
 * must have enough. */
static enum tfr_status divide_evenly(
	struct resampling *r, const uint64_t *records, uint64_t *quotas, struct tfr_error *err)
{
	size_t scarcest = 0;
	struct tfr_counted_class class;
	char text[TFR_CLASS_TEXT];

	for (size_t i = 0; i < r->classes.n; i++) {
		r->weights[i] = 1;
		quotas[i] = r->o->per_class;
		scarcest = records[i] < records[scarcest] ? i : scarcest;
	}
	if (r->o->per_class > TFR_QUOTA_MAX / (r->classes.n + 1))
		return tfr_fail(err, TFR_EUSAGE, "the size would be more than %llu records",
			(unsigned long long)TFR_QUOTA_MAX);
	r->size = r->o->per_class * r->classes.n;
	if (r->o->method == TFR_RESAMPLE_OVERSAMPLE || !r->classes.n ||
		records[scarcest] >= r->o->per_class)
		return TFR_OK;
	class = tfr_classes_at(&r->classes, scarcest);
	return tfr_fail_hint(err, TFR_EDATA, "With --method oversample records are repeated.",
		"class '%s' has %llu records, not the %llu wanted of each class",
		tfr_class_text(&r->classing, &class, text), (unsigned long long)records[scarcest],
		(unsigned long long)r->o->per_class);
}

/* Computes quotas, and from them the copies of each record of a class. */
static enum tfr_status plan_classes(struct resampling *r, struct tfr_error *err)
{
	size_t n = r->classes.n;
	TFR_AUTO_FREE uint64_t *records = calloc(2 * n + 1, sizeof(*records));
	uint64_t *quotas = records + n;

	r->plans = calloc(n + 1, sizeof(*r->plans));
	r->weights = calloc(n + 1, sizeof(*r->weights));
	TFR_NEED_MEMORY(records && r->plans && r->weights, err, "planning");
	for (size_t i = 0; i < n; i++)
		records[i] = r->classes.items[i].records;
	if (r->o->per_class)
		TFR_TRY(divide_evenly(r, records, quotas, err));
	else
		TFR_TRY(divide_by_target(r, records, quotas, err));
	for (size_t i = 0; i < n; i++) {
		struct class_plan *p = &r->plans[i];

		p->unseen = records[i];
		p->whole = quotas[i] / records[i];
		p->wanted = quotas[i] % records[i];
	}
	return TFR_OK;
}

/* --- options --- */

static enum tfr_status check_options(const struct tfr_resample_opts *o, struct tfr_error *err)
{
	assert(o->output);
	if (!o->by && !o->n_rules)
		return tfr_fail_hint(err, TFR_EUSAGE,
			"--class NAME=EXPR makes classes by expressions.",
			"no classes: name the feature that has them with --by FEATURE");
	if (o->n_rules && o->by)
		return tfr_fail(err, TFR_EUSAGE, "--by and --class cannot be combined");
	if (o->target && o->per_class)
		return tfr_fail(err, TFR_EUSAGE, "--target and --per-class cannot be combined");
	if (!o->target && !o->per_class)
		return tfr_fail(err, TFR_EUSAGE, "no target: give one, such as --target uniform");
	if (o->per_class && o->size)
		return tfr_fail(
			err, TFR_EUSAGE, "--per-class sets the size; it cannot go with --total");
	return TFR_OK;
}

/* --- choosing --- */

/* What look_again() computes of a record for choose_record(). */
struct verdict {
	uint64_t draw, sum;
	uint32_t class;
};

static enum tfr_status look_again(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct resampling *r = ctx;
	struct tfr_counted_class class;
	struct verdict v = { 0 };
	struct tfr_digest digest;

	TFR_TRY(tfr_classifier_look(&r->workers[worker].classifier, s->example, &class, err));
	v.class = tfr_classes_find(&r->classes, &class);
	tfr_digest_record(&s->rec, &digest);
	v.sum = digest.sum;
	v.draw = tfr_record_draw(r->o->common.seed, s->file, s->rec.index, DRAWS);
	memcpy(verdict, &v, sizeof(v));
	return TFR_OK;
}

/* Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S) with integers: the record is one of the
 * `wanted` that are still to be taken from `unseen`, which counts it too. */
static enum tfr_status choose_record(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct resampling *r = ctx;
	const struct verdict *v = verdict;
	struct tfr_rewrite_report *report = &r->report->common;
	struct iovec piece = { (void *)(uintptr_t)s->rec.data, s->rec.size };
	struct tfr_digest digest = { .size = s->rec.size, .sum = v->sum, .crc = s->rec.crc };
	struct class_plan *p;
	uint64_t copies;
	bool selected;

	if (v->class == TFR_CLASS_NONE || !r->plans[v->class].unseen)
		return tfr_pass_changed(err);
	p = &r->plans[v->class];
	selected = (uint64_t)((unsigned __int128)v->draw * p->unseen >> 64) < p->wanted;
	copies = p->whole + selected;
	p->wanted -= selected;
	p->unseen--;
	p->final += copies;
	report->taken_sum += v->sum;
	for (; copies; copies--) {
		uint32_t shard = (uint32_t)(report->written++ % r->shards);

		report->bytes += s->rec.size;
		report->sum += v->sum;
		TFR_TRY(tfr_set_writer_put(r->out, shard, &piece, 1, &digest, err));
	}
	return TFR_OK;
}

/* The records found must be those that were counted. */
static enum tfr_status write_chosen(struct resampling *r, struct tfr_error *err)
{
	struct tfr_sweep sweep = {
		.opts = r->o->common.sweep,
		.phase = "writing",
		.parse = true,
		.again = true,
		.last = true,
		.verdict_size = sizeof(struct verdict),
		.examine = look_again,
		.settle = choose_record,
		.ctx = r,
	};

	TFR_TRY(tfr_pass_run(&sweep, &r->report->common, err));
	for (size_t i = 0; i < r->classes.n; i++)
		if (r->plans[i].unseen)
			return tfr_pass_changed(err);
	return TFR_OK;
}

/* --- report --- */

static enum tfr_status name_classes(struct resampling *r, struct tfr_error *err)
{
	struct tfr_resample_report *report = r->report;
	TFR_AUTO_BUF names = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < r->classes.n; i++) {
		struct tfr_counted_class class = tfr_classes_at(&r->classes, i);

		TFR_NEED_MEMORY(tfr_classing_name(&r->classing, &class, &names) &&
					tfr_buf_append(&names, "", 1),
			err, "reporting");
	}
	report->names = (char *)TFR_STEAL(names.data);
	for (size_t i = 0; i < r->classes.n; i++) {
		report->classes[i].name = report->names + at;
		at += strlen(report->names + at) + 1;
	}
	return TFR_OK;
}

static enum tfr_status make_report(struct resampling *r, struct tfr_error *err)
{
	struct tfr_resample_report *report = r->report;
	double records = 0, weight = 0;

	report->size = r->size;
	report->classes = calloc(r->classes.n + 1, sizeof(*report->classes));
	TFR_NEED_MEMORY(report->classes, err, "reporting");
	report->class_count = r->classes.n;
	for (size_t i = 0; i < r->classes.n; i++) {
		records += (double)r->classes.items[i].records;
		weight += r->weights[i];
	}
	for (size_t i = 0; i < r->classes.n; i++) {
		const struct class_plan *p = &r->plans[i];
		const struct tfr_classes_item *class = &r->classes.items[i];
		bool has_label = !class->is_text && !r->classing.names.n;

		report->classes[i] = (struct tfr_resample_class){
			.has_label = has_label,
			.label = has_label ? class->number : 0,
			.records = class->records,
			.p = (double)class->records / records,
			.t = weight > 0 ? r->weights[i] / weight : 0,
			.acceptance = (double)p->final / (double)class->records,
			.final = p->final,
		};
	}
	return name_classes(r, err);
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
static enum tfr_status list_classes(
	const struct resampling *r, struct tfr_set_info *info, struct tfr_error *err)
{
	const struct tfr_resample_report *report = r->report;
	struct tfr_class_count *counts;

	TFR_TRY(tfr_set_info_carry(info, r->o->common.sweep.input, err));
	if (!report->class_count || !report->classes[0].has_label ||
		(info->class_count && !by_class_label(r->o)))
		return TFR_OK;
	counts = (struct tfr_class_count *)(uintptr_t)info->classes;
	for (size_t i = 0; i < info->class_count; i++)
		counts[i].records = records_of(report, counts[i].label);
	if (info->class_count)
		return TFR_OK;
	counts = calloc(report->class_count, sizeof(*counts));
	TFR_NEED_MEMORY(counts, err, "writing a manifest");
	info->classes = counts;
	for (size_t i = 0; i < report->class_count; i++)
		if (report->classes[i].final)
			counts[info->class_count++] =
				(struct tfr_class_count){ .label = report->classes[i].label,
					.records = report->classes[i].final };
	return TFR_OK;
}

/* --- entry point --- */

static enum tfr_status open_workers(struct resampling *r, struct tfr_error *err)
{
	r->n_workers = tfr_sweep_threads(r->o->common.sweep.threads);
	r->workers = calloc(r->n_workers, sizeof(*r->workers));
	TFR_NEED_MEMORY(r->workers, err, "starting the workers");
	for (unsigned k = 0; k < r->n_workers; k++) {
		r->workers[k].counts.bounds = &tfr_resample_bounds;
		TFR_TRY(tfr_classifier_open(&r->workers[k].classifier, &r->classing, err));
	}
	return TFR_OK;
}

/* Counts, plans and writes; after TFR_OK all records are written. */
static enum tfr_status write_classes(struct resampling *r, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *common = &r->o->common;

	TFR_TRY(tfr_classing_open(&r->classing, r->o, err));
	if (r->o->target)
		TFR_TRY(tfr_target_open(&r->target, r->o->target, err));
	TFR_TRY(open_workers(r, err));
	TFR_TRY(tfr_pass_refuse_by(common->sweep.input,
		"records are counted before they are chosen, and standard input cannot be read "
		"twice",
		"records are counted before they are chosen, and no pipe can be read twice:",
		"Put it into a file first.", err));
	TFR_TRY(count_classes(r, err));
	TFR_TRY(plan_classes(r, err));
	if (!r->classes.n && common->sweep.warn)
		common->sweep.warn(common->sweep.ctx, "no record has a class: nothing is written");
	TFR_TRY(write_chosen(r, err));
	return make_report(r, err);
}

static enum tfr_status resample(struct resampling *r, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *common = &r->o->common;
	TFR_AUTO_SET_INFO info = { .command = common->command, .seed = common->seed };

	TFR_TRY(check_options(r->o, err));
	TFR_TRY(tfr_set_writer_open(&r->out, r->o->output, &common->writer, common->sweep.warn,
		common->sweep.ctx, err));
	r->shards = tfr_set_writer_shards(r->out);
	TFR_TRY(write_classes(r, err));
	TFR_TRY(tfr_pass_expected(common, &r->report->common, err));
	TFR_TRY(list_classes(r, &info, err));
	info.beside[0] = common->sweep.quarantine;
	return tfr_set_writer_publish(r->out, &info, err);
}

static void clear_resampling(struct resampling *r)
{
	tfr_set_writer_close(r->out);
	for (unsigned k = 0; r->workers && k < r->n_workers; k++) {
		tfr_classifier_close(&r->workers[k].classifier);
		tfr_classes_clear(&r->workers[k].counts);
	}
	free(r->workers);
	free(r->plans);
	free(r->weights);
	tfr_target_clear(&r->target);
	tfr_quotas_clear(&r->quotas);
	tfr_classes_clear(&r->classes);
	tfr_classing_clear(&r->classing);
	pthread_mutex_destroy(&r->lock);
}

enum tfr_status tfr_resample(const struct tfr_resample_opts *opts,
	struct tfr_resample_report *report, struct tfr_error *err)
{
	struct resampling r = {
		.o = opts,
		.report = report,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.classes.bounds = &tfr_resample_bounds,
	};
	struct tfr_error own;
	enum tfr_status status;

	err = err ? err : &own;
	*report = (struct tfr_resample_report){ 0 };
	status = resample(&r, err);
	clear_resampling(&r);
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
