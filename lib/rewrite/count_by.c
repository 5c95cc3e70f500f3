/* rewrite/count_by.c - counts the records that an expression selects, and the values of a feature.
 *
 * A value is identified by its printed text.  Counting needs no order: each worker counts in its
 * own small table, which is merged into the common one when it is full. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/rewrite.h>
#include <tfr-private/text.h>

#include "base/error.h"
#include "base/escape.h"
#include "rewrite/class_table.h"
#include "sweep/sweep.h"

static const struct tfr_classes_bounds bounds = {
	.text_bytes = 64 << 20,
	.hint = "A feature with about as many values as there are records makes no classes.",
};

struct count_worker {
	struct tfr_classes values;
	struct tfr_buf text;
	struct tfr_json *number;
	struct tfr_feature_watch *watch; /* for `by` */
	uint64_t absent;
};

struct count_by {
	const struct tfr_count_by_opts *o;
	struct count_worker *workers;
	unsigned n_workers;
	pthread_mutex_t lock; /* of `values` */
	struct tfr_classes values;
	uint64_t *records, *sums; /* of each file */
};

/* Numbers as in JSON, but without the quotes around NaN and infinities. */
static bool write_number(struct count_worker *w)
{
	const char *text;
	size_t size;

	text = tfr_json_text(w->number, &size);
	if (!text)
		return false;
	if (*text == '"') {
		text++;
		size -= 2;
	}
	return tfr_buf_append(&w->text, text, size);
}

/* Writes the next value as text.  *more false: there are no more. */
static bool write_value(struct count_worker *w, struct tfr_cursor *cursor, bool *more)
{
	struct tfr_bytes bytes;
	int64_t integer;
	float real;

	w->text.size = 0;
	*more = true;
	if (tfr_cursor_bytes(cursor, &bytes))
		return tfr_escape_exactly(&w->text, bytes.data, bytes.size);
	tfr_json_reset(w->number);
	if (tfr_cursor_int64(cursor, &integer))
		tfr_json_i64(w->number, NULL, integer);
	else if (tfr_cursor_float(cursor, &real))
		tfr_json_f32(w->number, NULL, real);
	else
		*more = false;
	return !*more || write_number(w);
}

static enum tfr_status count_values(struct count_by *b, struct count_worker *w,
	const struct tfr_feature *f, struct tfr_error *err)
{
	struct tfr_cursor cursor;
	bool more;

	tfr_cursor_init(&cursor, f);
	for (;;) {
		struct tfr_counted_class value = { .kind = TFR_KIND_BYTES };

		TFR_NEED_MEMORY(write_value(w, &cursor, &more), err, "counting");
		if (!more)
			return TFR_OK;
		value.text = (struct tfr_bytes){ w->text.data, w->text.size };
		if (tfr_classes_full(&w->values, &value))
			TFR_TRY(tfr_classes_flush(&b->values, &b->lock, &w->values, err));
		TFR_TRY(tfr_classes_add(&w->values, &value, 1, NULL, err));
	}
}

static enum tfr_status count_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct count_by *b = ctx;
	struct count_worker *w = &b->workers[worker];
	const struct tfr_feature *f;
	struct tfr_digest d;

	(void)verdict;
	__atomic_fetch_add(&b->records[s->file], 1, __ATOMIC_RELAXED);
	if (b->o->sum) {
		tfr_digest_record(&s->rec, &d);
		__atomic_fetch_add(&b->sums[s->file], d.sum, __ATOMIC_RELAXED);
	}
	if (!b->o->by)
		return TFR_OK;
	tfr_feature_watch_look(w->watch, s->example);
	f = tfr_example_get(s->example, b->o->by);
	if (!f || !f->count) {
		w->absent++;
		return TFR_OK;
	}
	return count_values(b, w, f, err);
}

static bool open_count(struct count_by *b)
{
	size_t files = tfr_set_count(b->o->common.input);

	b->records = calloc(files + 1, sizeof(*b->records));
	b->sums = calloc(files + 1, sizeof(*b->sums));
	b->workers = calloc(b->n_workers, sizeof(*b->workers));
	for (unsigned k = 0; b->workers && k < b->n_workers; k++) {
		struct count_worker *w = &b->workers[k];

		w->number = tfr_json_new();
		w->watch = tfr_feature_watch_new();
		if (!w->number || !w->watch ||
			(b->o->by && !tfr_feature_watch_add(w->watch, b->o->by)))
			return false;
	}
	return b->records && b->sums && b->workers;
}

static void close_count(struct count_by *b)
{
	for (unsigned k = 0; b->workers && k < b->n_workers; k++) {
		tfr_classes_clear(&b->workers[k].values);
		tfr_buf_clear(&b->workers[k].text);
		tfr_json_free(b->workers[k].number);
		tfr_feature_watch_free(b->workers[k].watch);
	}
	free(b->workers);
	free(b->records);
	free(b->sums);
	tfr_classes_clear(&b->values);
	pthread_mutex_destroy(&b->lock);
}

/* Reports the values in order, then the files, after all records were read. */
static void report_counts(struct count_by *b)
{
	const struct tfr_count_by_opts *o = b->o;

	tfr_classes_sort(&b->values);
	for (size_t i = 0; o->value && i < b->values.n; i++) {
		struct tfr_counted_class value = tfr_classes_at(&b->values, i);

		o->value(o->common.ctx, &value.text, b->values.items[i].records);
	}
	for (size_t i = 0; o->file && i < tfr_set_count(o->common.input); i++)
		o->file(o->common.ctx, tfr_set_path(o->common.input, i), b->records[i], b->sums[i]);
}

static void warn_absent(const struct count_by *b, uint64_t absent, uint64_t taken)
{
	const struct tfr_sweep_opts *common = &b->o->common;
	const char *name, *meant;
	char text[600];

	if (tfr_feature_watch_missing(b->workers[0].watch, 0, &name, &meant)) {
		tfr_feature_watch_report(
			b->workers[0].watch, common->missing, common->warn, common->ctx);
		return;
	}
	if (!common->warn)
		return;
	if (absent == taken)
		snprintf(text, sizeof(text), "no record has a value of '%s'", b->o->by);
	else
		snprintf(text, sizeof(text), "%llu of %llu records have no value of '%s'",
			(unsigned long long)absent, (unsigned long long)taken, b->o->by);
	common->warn(common->ctx, text);
}

static enum tfr_status count_all(struct count_by *b, struct tfr_sweep_report *report,
	uint64_t *absent, struct tfr_error *err)
{
	struct tfr_sweep sweep = {
		.opts = b->o->common,
		.phase = "counting",
		.parse = b->o->by != NULL,
		.examine = count_record,
		.ctx = b,
	};

	TFR_NEED_MEMORY(open_count(b), err, "counting");
	TFR_TRY(tfr_sweep_run(&sweep, report, err));
	for (unsigned k = 0; k < b->n_workers; k++) {
		*absent += b->workers[k].absent;
		if (k)
			tfr_feature_watch_merge(b->workers[0].watch, b->workers[k].watch);
		TFR_TRY(tfr_classes_flush(&b->values, &b->lock, &b->workers[k].values, err));
	}
	if (*absent)
		warn_absent(b, *absent, report->taken);
	report_counts(b);
	return TFR_OK;
}

enum tfr_status tfr_count_by(const struct tfr_count_by_opts *opts, struct tfr_sweep_report *report,
	uint64_t *absent, struct tfr_error *err)
{
	struct count_by b = { .o = opts,
		.n_workers = tfr_sweep_threads(opts->common.threads),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.values.bounds = &bounds };
	enum tfr_status status;

	*absent = 0;
	*report = (struct tfr_sweep_report){ 0 };
	status = count_all(&b, report, absent, err);
	close_count(&b);
	return status;
}
