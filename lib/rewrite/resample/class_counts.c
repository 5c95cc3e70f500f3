/* rewrite/resample/class_counts.c - counts the records of each class.
 *
 * Counting needs no order: each worker counts in its own small table, which is merged into the
 * common one when it is full.  Memory therefore depends on the number of classes, not on classes
 * times workers. */
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
	if (tfr_classes_full(&w->counts, &class))
		status = flush(r, w, err);
	return status ? status : tfr_classes_add(&w->counts, &class, 1, NULL, err);
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
	if (!status && r->report->common.taken)
		warn_missing(r);
	tfr_classes_sort(&r->classes);
	if (status || !r->classes.n ||
		r->classes.items[0].is_text == r->classes.items[r->classes.n - 1].is_text)
		return status;
	tfr_fail(err, TFR_EDATA, "feature '%s' is int64 in some records and bytes in others",
		r->o->by);
	tfr_error_hint(err, "'tfr schema' names a record of each kind.");
	return TFR_EDATA;
}
