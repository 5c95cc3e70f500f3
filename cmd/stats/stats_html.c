/* cmd/stats/stats_html.c - a page of statistics: one card per feature, with a histogram and the
 * most frequent values, followed by a few records as tfr show --html shows them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

enum { EXAMPLES = 24 };

/* --- figures --- */

static void put_row(struct page *page, const char *name, const char *value)
{
	page_format(page, "<tr><th>%s</th><td>", name);
	page_escaped(page, value, strlen(value));
	page_text(page, "</td></tr>\n");
}

static void put_number(struct page *page, const char *name, double value)
{
	char text[TFR_SIZE_TEXT];

	put_row(page, name, stats_number(value, text));
}

static void put_distribution(struct page *page, const struct tfr_distribution *d)
{
	if (!d->count)
		return;
	put_number(page, "minimum", d->min);
	put_number(page, "maximum", d->max);
	put_number(page, "mean", d->mean);
	put_number(page, "deviation", d->deviation);
	for (int i = 0; i < TFR_QUANTILES && d->min < d->max; i++) {
		char name[48];

		snprintf(name, sizeof(name), "%g%% are at most", 100 * tfr_quantiles[i]);
		put_number(page, name, d->quantiles[i]);
	}
}

static void put_top(struct page *page, const struct tfr_feature_stats *f)
{
	char text[STATS_VALUE];

	if (!f->top_count || (f->values > 1 && f->top[0].count < 2))
		return; /* no value occurs twice */
	page_text(page, "<table>\n");
	for (size_t i = 0; i < f->top_count; i++) {
		double share = (double)f->top[i].count / (double)f->values;

		page_text(page, "<tr><th>");
		stats_value(f, &f->top[i], text);
		page_escaped(page, text, strlen(text));
		page_format(page,
			"</th><td>%llu</td><td class=\"share\"><div style=\"width: %.4g%%\">"
			"</div></td></tr>\n",
			(unsigned long long)f->top[i].count, 100 * fmin(share, 1));
	}
	page_text(page, "</table>\n");
}

static void put_images(struct page *page, const struct tfr_feature_stats *f)
{
	if (!f->contents[TFR_VALUE_IMAGE])
		return;
	for (int i = TFR_IMAGE_JPEG; i <= TFR_IMAGE_JP2; i++)
		if (f->formats[i])
			put_number(page, tfr_image_format_name((enum tfr_image_format)i),
				(double)f->formats[i]);
	if (f->damaged)
		put_number(page, "damaged", (double)f->damaged);
	if (f->width.count) {
		put_number(page, "least width", f->width.min);
		put_number(page, "greatest width", f->width.max);
		put_number(page, "least height", f->height.min);
		put_number(page, "greatest height", f->height.max);
	}
}

static void put_feature(struct page *page, const struct tfr_feature_stats *f, uint64_t records)
{
	char counted[TFR_COUNTED_TEXT], size[TFR_SIZE_TEXT];

	page_text(page, "<article>\n<h3>");
	page_escaped(page, f->name, strlen(f->name));
	page_format(page, " <small>%s%s%s</small></h3>\n", f->steps.count ? "a feature list, " : "",
		tfr_kind_name(f->kind),
		f->kind == TFR_KIND_BYTES && f->values ? ", sizes in bytes" : "");
	if (f->kind != TFR_KIND_UNSET)
		stats_histogram(page, &f->numbers, f->kind != TFR_KIND_FLOAT);
	put_top(page, f);
	page_format(page, "<details><summary>in %.3g%% of the records, %s%s</summary>\n<table>\n",
		records ? 100.0 * (double)f->records / (double)records : 0,
		f->distinct_exact ? "" : "about ",
		tfr_format_counted(f->distinct, "different value", counted));
	put_number(page, "records", (double)f->records);
	put_number(page, "values", (double)f->values);
	put_row(page, "bytes", tfr_format_size(f->bytes, size));
	if (f->steps.count) {
		put_number(page, "steps", (double)f->all_steps);
		put_number(page, "fewest steps in a record", f->steps.min);
		put_number(page, "most steps in a record", f->steps.max);
	}
	if (f->length.count && f->length.min < f->length.max) {
		put_number(page, f->steps.count ? "fewest in a step" : "fewest in a record",
			f->length.min);
		put_number(page, f->steps.count ? "most in a step" : "most in a record",
			f->length.max);
	}
	put_distribution(page, &f->numbers);
	put_images(page, f);
	page_text(page, "</table>\n</details>\n</article>\n");
}

static void put_records(struct page *page, const struct stats *s)
{
	char records[TFR_COUNTED_TEXT], files[TFR_COUNTED_TEXT];

	page_text(page, "<article>\n<h3>all records <small>sizes in bytes</small></h3>\n");
	stats_histogram(page, &s->sizes, true);
	page_format(page, "<details open><summary>%s in %s</summary>\n<table>\n",
		tfr_format_counted(s->totals.records, "record", records),
		tfr_format_counted(s->totals.files, "file", files));
	put_distribution(page, &s->sizes);
	page_text(page, "</table>\n</details>\n</article>\n");
}

/* --- examples --- */

/* The first records that `where` selects, a few of each file. */
static enum tfr_status put_examples(
	struct show_html *h, const struct tfr_sweep_opts *o, struct tfr_error *err)
{
	size_t files = tfr_set_count(o->input), put = 0;
	struct tfr_example *ex = tfr_example_new();
	struct tfr_where *where = NULL;
	enum tfr_status status = o->where ? tfr_where_compile(&where, o->where, err) : TFR_OK;

	if (!status && !ex)
		status = cmd_fill_no_memory(err);
	for (size_t i = 0; !status && i < files && put < EXAMPLES && !show_html_full(h); i++) {
		struct tfr_reader_opts opts = { 0 };
		size_t most = put + (EXAMPLES + files - 1) / files;
		struct tfr_reader *r = NULL;
		struct tfr_record rec;

		status = tfr_reader_open(&r, tfr_set_path(o->input, i), &opts, err);
		while (!status && put < most && !show_html_full(h) &&
			!(status = tfr_reader_next(r, &rec, err))) {
			bool taken = true;

			if (where)
				status = tfr_example_parse(ex, rec.data, rec.size, err);
			if (where && !status)
				status = tfr_where_match(where, ex, &taken, err);
			if (!status && taken) {
				status = show_html_put(
					h, &rec, tfr_set_path(o->input, i), "", true, err);
				put++;
			}
		}
		/* The survey has warned of the damage. */
		if (status == TFR_END || (status == TFR_EDATA && o->on_fault))
			status = TFR_OK;
		tfr_reader_close(r);
	}
	tfr_where_free(where);
	tfr_example_free(ex);
	return status;
}

/* The cards under their headings, until the page is full, and records. */
static enum tfr_status put_page(struct show_html *h, const struct stats *s,
	const struct tfr_sweep_opts *examples, struct tfr_error *err)
{
	struct page *page = show_html_page(h);
	bool lists = false;
	size_t i;

	page_text(page, "<h2>Records</h2>\n");
	put_records(page, s);
	for (i = 0; i < s->n && !show_html_full(h); i++) {
		bool is_list = s->features[i].steps.count;

		if (!i || (is_list && !lists))
			page_text(
				page, is_list ? "<h2>Feature lists</h2>\n" : "<h2>Features</h2>\n");
		lists = lists || is_list;
		put_feature(page, &s->features[i], s->totals.records);
	}
	if (i < s->n)
		page_format(page,
			"<h2>%zu more features do not fit: tfr stats prints all of them</h2>\n",
			s->n - i);
	TFR_TRY(page_status(page, err));
	if (examples && !show_html_full(h)) {
		page_text(page, "<h2>First records</h2>\n");
		TFR_TRY(put_examples(h, examples, err));
	}
	return show_html_publish(h, err);
}

enum tfr_status stats_html(const struct show_html_opts *opts, const struct stats *s,
	const struct tfr_sweep_opts *examples, struct tfr_error *err)
{
	struct show_html *h = NULL;
	enum tfr_status status = show_html_open(&h, opts, err);

	if (!status)
		status = put_page(h, s, examples, err);
	show_html_close(h);
	return status;
}
