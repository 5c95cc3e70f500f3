/* rewrite/resample/class_counts.c - counts the records of each class.
 *
 * Counting needs no order: each worker counts in its own small table, which is merged into the
 * common one when it is full.  Memory therefore depends on the number of classes, not on classes
 * times workers. */
#include <stdio.h>

#include "base/error.h"
#include "rewrite/resample/resample.h"

static enum tfr_status flush(
	struct tfr_resampling *r, struct tfr_class_worker *w, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(&r->lock);
	status = tfr_classes_merge(&r->classes, &w->counts, err);
	pthread_mutex_unlock(&r->lock);
	tfr_classes_reset(&w->counts);
	return status;
}

static void note_place(struct tfr_place *p, const struct tfr_swept *s)
{
	if (!p->there || s->file < p->file || (s->file == p->file && s->rec.index < p->record))
		*p = (struct tfr_place){ true, s->file, s->rec.index, s->rec.offset };
}

static enum tfr_status count_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct tfr_resampling *r = ctx;
	struct tfr_class_worker *w = &r->workers[worker];
	struct tfr_counted_class class;
	enum tfr_status status = tfr_classifier_look(&w->classifier, s->example, &class, err);

	(void)verdict;
	if (status)
		return status;
	note_place(&w->first[class.kind == TFR_KIND_BYTES], s);
	if (tfr_classes_full(&w->counts, &class))
		status = flush(r, w, err);
	return status ? status : tfr_classes_add(&w->counts, &class, 1, NULL, err);
}

/* Keeps the classes of one kind only. */
static enum tfr_status keep_kind(
	struct tfr_resampling *r, enum tfr_kind kind, struct tfr_error *err)
{
	struct tfr_classes kept = { .bounds = r->classes.bounds };
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < r->classes.n; i++) {
		struct tfr_counted_class class = tfr_classes_at(&r->classes, i);

		if (class.kind == kind)
			status = tfr_classes_add(
				&kept, &class, r->classes.items[i].records, NULL, err);
	}
	tfr_classes_clear(&r->classes);
	r->classes = kept;
	return status;
}

/* A feature that is int64 in some records and bytes in others has no usable classes.  The kind
 * of the first record is taken as correct, and the others are bad records. */
static enum tfr_status check_kinds(struct tfr_resampling *r, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *common = &r->o->common;
	struct tfr_place first[2] = { 0 };
	struct tfr_error stray = { 0 };
	char text[8192];
	unsigned other;

	for (unsigned k = 0; k < r->n_workers; k++)
		for (unsigned i = 0; i < 2; i++) {
			const struct tfr_place *p = &r->workers[k].first[i];

			if (p->there)
				note_place(&first[i], &(struct tfr_swept){ .file = p->file,
							      .rec = { .index = p->record,
								      .offset = p->offset } });
		}
	if (!first[0].there || !first[1].there)
		return TFR_OK;
	other = first[1].file > first[0].file ||
		(first[1].file == first[0].file && first[1].record > first[0].record);
	tfr_fail_record(&stray, TFR_EDATA, tfr_set_path(common->sweep.input, first[other].file),
		first[other].record, first[other].offset, "feature '%s' is %s, but %s before",
		r->o->by, other ? "bytes" : "int64", other ? "int64" : "bytes");
	if (!common->sweep.skip_damaged) {
		if (err)
			*err = stray;
		return TFR_EDATA;
	}
	if (common->sweep.warn)
		common->sweep.warn(common->sweep.ctx, tfr_error_format(&stray, text, sizeof(text)));
	return keep_kind(r, other ? TFR_KIND_INT64 : TFR_KIND_BYTES, err);
}

/* Reports a name that no record has for --class as for --where. */
static void warn_missing(struct tfr_resampling *r)
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

enum tfr_status tfr_resample_count(struct tfr_resampling *r, struct tfr_error *err)
{
	struct tfr_sweep sweep = {
		.opts = r->o->common.sweep,
		.phase = "counting",
		.parse = true,
		.examine = count_record,
		.ctx = r,
	};
	enum tfr_status status = tfr_pass_run(&sweep, &r->report->common, err);

	for (unsigned k = 0; !status && k < r->n_workers; k++)
		status = flush(r, &r->workers[k], err);
	if (!status)
		status = check_kinds(r, err);
	if (!status && r->report->common.taken)
		warn_missing(r);
	tfr_classes_sort(&r->classes);
	return status;
}
