/* rewrite/resample/by_class.c - chooses records class by class, in input order.
 *
 * The table of classes is sorted between the passes and only read after that.  In the second
 * pass the workers compute the class, content sum and random draw of each record.  The one
 * thread that sees the records in order then only compares integers. */
#include "rewrite/resample/by_class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rewrite/resample/class_name.h"

/* --- choosing --- */

/* Finds the class of a record in the table.  The names in `initial` are text and match both
 * numbers and bytes. */
static uint32_t class_of(const struct tfr_by_class *b, const struct tfr_counted_class *class)
{
	struct tfr_counted_class like = *class;
	char text[24];

	if (b->o->initial && b->classes.n && b->classes.items[0].is_text &&
		class->kind == TFR_KIND_INT64) {
		like.kind = TFR_KIND_BYTES;
		like.text.data = (const uint8_t *)text;
		like.text.size =
			(size_t)snprintf(text, sizeof(text), "%lld", (long long)class->number);
	} else if (b->o->initial && class->kind == TFR_KIND_BYTES &&
		   tfr_class_number(class->text.data, class->text.size, &like.number) &&
		   b->classes.n && !b->classes.items[0].is_text) {
		like.kind = TFR_KIND_INT64;
	}
	return tfr_classes_find(&b->classes, &like);
}

static enum tfr_status look_again(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct tfr_by_class *b = ctx;
	struct tfr_counted_class class;
	struct tfr_resample_verdict v = { 0 };
	struct tfr_digest digest;
	char text[TFR_CLASS_TEXT];
	enum tfr_status status =
		tfr_classifier_look(&b->workers[worker].classifier, s->example, &class, err);

	if (status)
		return status;
	if (!b->o->initial && b->classes.n &&
		b->classes.items[0].is_text != (class.kind == TFR_KIND_BYTES))
		return tfr_fail(
			err, TFR_EDATA, "feature '%s' is of another kind than before", b->o->by);
	v.class = class_of(b, &class);
	v.kind = class.kind;
	if (v.class == TFR_CLASS_NONE && b->o->initial)
		return tfr_fail(err, TFR_EDATA, "class '%s', which --initial does not name,",
			tfr_class_text(&b->classing, &class, text));
	tfr_digest_record(&s->rec, &digest);
	v.sum = digest.sum;
	v.draw = tfr_resample_draw(b->o->common.seed, s->file, s->rec.index);
	memcpy(verdict, &v, sizeof(v));
	return TFR_OK;
}

/* In a single pass the kind of the first record is known only here.  Workers may be printing
 * other warnings, so this warning waits for the end. */
static enum tfr_status refuse_stray(struct tfr_by_class *b, const struct tfr_swept *s,
	enum tfr_kind kind, struct tfr_error *err)
{
	struct tfr_error stray = { 0 };

	tfr_fail_record(&stray, TFR_EDATA, s->path, s->rec.index, s->rec.offset,
		"feature '%s' is %s, but %s before", b->o->by, tfr_kind_name(kind),
		tfr_kind_name(b->kind));
	if (b->o->common.sweep.skip_damaged) {
		if (!b->strays++)
			b->stray = stray;
		return tfr_swept_put_aside(b->o->common.sweep.quarantine, s, err);
	}
	if (err)
		*err = stray;
	return TFR_EDATA;
}

static enum tfr_status choose(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct tfr_by_class *b = ctx;
	const struct tfr_resample_verdict *v = verdict;
	struct tfr_class_plan *p;
	uint64_t copies;

	if (v->class == TFR_CLASS_NONE)
		return tfr_pass_changed(err);
	p = &b->plans[v->class];
	if (b->o->initial) {
		b->kind = b->kind ? b->kind : v->kind;
		if (v->kind != b->kind)
			return refuse_stray(b, s, v->kind, err);
		b->classes.items[v->class].records++;
	} else if (!p->unseen) {
		return tfr_pass_changed(err);
	}
	b->r->report->common.taken_sum += v->sum;
	if (b->o->method == TFR_RESAMPLE_REJECT) {
		copies = tfr_draw_accepts(v->draw, p->acceptance);
	} else {
		bool selected = tfr_draw_selects(v->draw, p->unseen, p->wanted);

		p->wanted -= selected;
		copies = p->whole + selected;
	}
	p->unseen--;
	p->final += copies;
	return copies ? tfr_resample_put(b->r, s, v->sum, copies, err) : TFR_OK;
}

/* The records found must be those that were counted, or those that `initial` promised. */
static enum tfr_status check_seen(struct tfr_by_class *b, struct tfr_error *err)
{
	char text[TFR_CLASS_TEXT];

	for (size_t i = 0; i < b->classes.n; i++) {
		struct tfr_class_plan *p = &b->plans[i];
		struct tfr_counted_class class = tfr_classes_at(&b->classes, i);

		if (!b->o->initial && p->unseen)
			return tfr_pass_changed(err);
		if (b->o->initial && p->weight > 0 && !b->classes.items[i].records)
			return tfr_fail(err, TFR_EDATA, "class '%s' of --initial does not occur",
				tfr_class_text(&b->classing, &class, text));
		if (b->o->method == TFR_RESAMPLE_REJECT)
			p->expected = (double)b->classes.items[i].records * p->acceptance;
	}
	return TFR_OK;
}

static enum tfr_status write_chosen(struct tfr_by_class *b, struct tfr_error *err)
{
	struct tfr_rewrite_report *report = &b->r->report->common;
	struct tfr_sweep sweep = tfr_resample_sweep(b->r, "writing");
	enum tfr_status status;
	char text[8192];

	sweep.again = !b->o->initial;
	sweep.last = true;
	sweep.verdict_size = sizeof(struct tfr_resample_verdict);
	sweep.examine = look_again;
	sweep.settle = choose;
	sweep.ctx = b;
	status = tfr_pass_run(&sweep, report, err);
	report->bad += b->strays;
	report->taken -= b->strays;
	if (b->strays && b->o->common.sweep.warn)
		b->o->common.sweep.warn(
			b->o->common.sweep.ctx, tfr_error_format(&b->stray, text, sizeof(text)));
	if (!status && b->o->initial && report->taken)
		tfr_by_class_warn_missing(b);
	return status ? status : check_seen(b, err);
}

/* --- report --- */

static enum tfr_status name_classes(struct tfr_by_class *b, struct tfr_error *err)
{
	struct tfr_resample_report *report = b->r->report;
	TFR_AUTO_BUF names = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < b->classes.n; i++) {
		struct tfr_counted_class class = tfr_classes_at(&b->classes, i);

		if (!tfr_classing_name(&b->classing, &class, &names) ||
			!tfr_buf_append(&names, "", 1))
			return tfr_fail_nomem(err, "reporting");
	}
	report->names = (char *)TFR_STEAL(names.data);
	for (size_t i = 0; i < b->classes.n; i++) {
		report->classes[i].name = report->names + at;
		at += strlen(report->names + at) + 1;
	}
	return TFR_OK;
}

static enum tfr_status make_report(struct tfr_by_class *b, struct tfr_error *err)
{
	struct tfr_resample_report *report = b->r->report;
	double have = 0, weight = 0;

	report->size = b->size;
	report->classes = calloc(b->classes.n + 1, sizeof(*report->classes));
	if (!report->classes)
		return tfr_fail_nomem(err, "reporting");
	report->class_count = b->classes.n;
	for (size_t i = 0; i < b->classes.n; i++) {
		have += b->plans[i].have;
		weight += b->plans[i].weight;
	}
	for (size_t i = 0; i < b->classes.n; i++) {
		const struct tfr_class_plan *p = &b->plans[i];
		const struct tfr_classes_item *class = &b->classes.items[i];
		bool has_label = !class->is_text && !b->classing.names.n;

		report->classes[i] = (struct tfr_resample_class){
			.has_label = has_label,
			.label = has_label ? class->number : 0,
			.records = class->records,
			.p = p->have / have,
			.t = weight > 0 ? p->weight / weight : 0,
			.acceptance = p->acceptance,
			.expected = p->expected,
			.final = p->final,
		};
	}
	return name_classes(b, err);
}

/* --- entry point --- */

static enum tfr_status open_workers(struct tfr_by_class *b, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	b->n_workers = tfr_sweep_threads(b->o->common.sweep.threads);
	b->workers = calloc(b->n_workers, sizeof(*b->workers));
	if (!b->workers)
		return tfr_fail_nomem(err, "starting the workers");
	for (unsigned k = 0; !status && k < b->n_workers; k++) {
		b->workers[k].counts.bounds = &tfr_resample_bounds;
		status = tfr_classifier_open(&b->workers[k].classifier, &b->classing, err);
	}
	return status;
}

static enum tfr_status run(struct tfr_by_class *b, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *common = &b->o->common;
	enum tfr_status status = tfr_classing_open(&b->classing, b->o, err);

	if (!status && b->o->target)
		status = tfr_target_open(&b->target, b->o->target, "--target", err);
	if (!status)
		status = open_workers(b, err);
	if (!status && !b->o->initial) {
		status = tfr_resample_check_twice(b->r, err);
		if (!status)
			status = tfr_by_class_count(b, err);
	}
	if (!status)
		status = tfr_by_class_plan(b, err);
	if (!status && !b->classes.n && common->sweep.warn)
		common->sweep.warn(common->sweep.ctx, "no record has a class: nothing is written");
	if (!status)
		status = write_chosen(b, err);
	return status ? status : make_report(b, err);
}

enum tfr_status tfr_resample_by_class(struct tfr_resampling *r, struct tfr_error *err)
{
	struct tfr_by_class b = {
		.r = r,
		.o = r->o,
		.classes.bounds = &tfr_resample_bounds,
	};
	struct tfr_error own;
	enum tfr_status status;

	pthread_mutex_init(&b.lock, NULL);
	status = run(&b, err ? err : &own);
	for (unsigned k = 0; b.workers && k < b.n_workers; k++) {
		tfr_classifier_close(&b.workers[k].classifier);
		tfr_classes_clear(&b.workers[k].counts);
	}
	free(b.workers);
	free(b.plans);
	tfr_target_clear(&b.target);
	tfr_classes_clear(&b.classes);
	tfr_classing_clear(&b.classing);
	pthread_mutex_destroy(&b.lock);
	return status;
}
