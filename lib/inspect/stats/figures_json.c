/* inspect/stats/figures_json.c - statistics as JSON, followed by the state from which they are
 * computed.
 *
 * Readers use the figures, merging uses the state.  The text contains nothing else about a run, so
 * the same records give the same text. */
#include "base/base64.h"
#include "base/error.h"
#include "inspect/survey.h"

static const char *const quantile_names[TFR_QUANTILES] = { "0.01", "0.05", "0.25", "0.5", "0.75",
	"0.95", "0.99" };

/* Writes a whole number without a fraction, if the double holds it exactly. */
static void put_number(struct tfr_json *j, const char *key, double v, bool whole)
{
	if (whole && v >= -0x1p53 && v <= 0x1p53)
		tfr_json_i64(j, key, (int64_t)v);
	else
		tfr_json_f64(j, key, v);
}

static void put_spread(struct tfr_json *j, const struct tfr_distribution *d, bool whole)
{
	tfr_json_f64(j, "mean", d->mean);
	tfr_json_f64(j, "deviation", d->deviation);
	tfr_json_open_object(j, "quantiles");
	for (int i = 0; i < TFR_QUANTILES; i++)
		put_number(j, quantile_names[i], d->quantiles[i],
			whole && d->quantiles[i] == (double)(int64_t)d->quantiles[i]);
	tfr_json_close_object(j);
}

static void put_distribution(struct tfr_json *j, const char *key, const struct tfr_distribution *d)
{
	if (!d->count)
		return;
	tfr_json_open_object(j, key);
	put_number(j, "min", d->min, true);
	put_number(j, "max", d->max, true);
	put_spread(j, d, true);
	tfr_json_close_object(j);
}

/* For int64 and float, whose minimum and maximum are exact. */
static void put_numbers(struct tfr_json *j, const struct tfr_feature_stats *f)
{
	const struct tfr_distribution *d = &f->numbers;

	tfr_json_open_object(j, "numbers");
	if (f->kind == TFR_KIND_FLOAT) {
		tfr_json_u64(j, "finite", d->count);
		tfr_json_u64(j, "nan", f->nan);
		tfr_json_u64(j, "infinite", f->infinite);
		tfr_json_u64(j, "minus_infinite", f->minus_infinite);
	}
	if (d->count && f->kind == TFR_KIND_FLOAT) {
		tfr_json_f64(j, "min", d->min);
		tfr_json_f64(j, "max", d->max);
	} else if (d->count) {
		tfr_json_i64(j, "min", f->min);
		tfr_json_i64(j, "max", f->max);
	}
	if (d->count)
		put_spread(j, d, f->kind == TFR_KIND_INT64);
	tfr_json_close_object(j);
}

static bool put_value(
	struct tfr_json *j, const struct tfr_top_value *v, enum tfr_kind kind, struct tfr_buf *text)
{
	if (kind == TFR_KIND_INT64) {
		tfr_json_i64(j, "value", v->number);
	} else if (kind == TFR_KIND_FLOAT) {
		tfr_json_f64(j, "value", (double)v->real);
	} else if (tfr_is_utf8(v->bytes.data, v->bytes.size)) {
		tfr_json_bytes(j, "value", v->bytes.data, v->bytes.size);
	} else {
		text->size = 0;
		if (!tfr_base64_encode(text, v->bytes.data, v->bytes.size))
			return false;
		tfr_json_open_object(j, "value");
		tfr_json_bytes(j, "base64", text->data, text->size);
		tfr_json_close_object(j);
	}
	return true;
}

static bool put_top(struct tfr_json *j, const struct tfr_feature_stats *f)
{
	TFR_AUTO_BUF text = { 0 };
	bool ok = true;

	tfr_json_u64(j, "distinct", f->distinct);
	tfr_json_bool(j, "distinct_exact", f->distinct_exact);
	tfr_json_open_array(j, "top");
	for (size_t i = 0; ok && i < f->top_count; i++) {
		tfr_json_open_object(j, NULL);
		ok = put_value(j, &f->top[i], f->kind, &text);
		tfr_json_u64(j, "count", f->top[i].count);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_bool(j, "top_exact", f->top_exact);
	return ok;
}

static void put_bytes(struct tfr_json *j, const struct tfr_feature_stats *f)
{
	put_distribution(j, "sizes", &f->numbers);
	tfr_json_open_object(j, "contents");
	for (int i = 0; i < TFR_CONTENTS; i++)
		if (f->contents[i])
			tfr_json_u64(
				j, tfr_content_name((enum tfr_value_content)i), f->contents[i]);
	tfr_json_close_object(j);
	if (!f->contents[TFR_VALUE_IMAGE])
		return;
	tfr_survey_open_images(j, f->formats, f->damaged);
	put_distribution(j, "width", &f->width);
	put_distribution(j, "height", &f->height);
	tfr_json_close_object(j);
}

static bool put_feature(struct tfr_json *j, const struct tfr_feature_stats *f)
{
	bool ok = true;

	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "name", f->name);
	tfr_json_string(j, "kind", tfr_kind_name(f->kind));
	tfr_json_u64(j, "records", f->records);
	if (f->steps.count) {
		tfr_json_u64(j, "all_steps", f->all_steps);
		put_distribution(j, "steps", &f->steps);
	}
	if (f->kind != TFR_KIND_UNSET) {
		tfr_json_u64(j, "empty", f->empty);
		tfr_json_u64(j, "values", f->values);
		tfr_json_u64(j, "bytes", f->bytes);
		put_distribution(j, "length", &f->length);
		if (f->kind == TFR_KIND_BYTES)
			put_bytes(j, f);
		else
			put_numbers(j, f);
		ok = put_top(j, f);
	}
	tfr_json_close_object(j);
	return ok;
}

static enum tfr_status put_features(
	const struct tfr_survey *s, struct tfr_json *j, const char *key, struct tfr_error *err)
{
	tfr_json_open_array(j, key);
	for (size_t i = 0; i < s->n; i++) {
		struct tfr_feature_stats f;
		bool ok;

		TFR_TRY(tfr_survey_feature(s, i, &f, err));
		ok = put_feature(j, &f);
		tfr_feature_stats_clear(&f);
		TFR_NEED_MEMORY(ok, err, "writing statistics");
	}
	tfr_json_close_array(j);
	return TFR_OK;
}

enum tfr_status tfr_survey_json(
	const struct tfr_survey *s, struct tfr_json *j, struct tfr_error *err)
{
	struct tfr_distribution sizes;

	TFR_TRY(tfr_survey_sizes(s, &sizes, err));
	tfr_json_u64(j, "records", s->records);
	tfr_json_u64(j, "files", s->files);
	tfr_json_u64(j, "sequence_examples", s->sequences);
	put_distribution(j, "record_bytes", &sizes);
	free(sizes.bins);
	TFR_TRY(put_features(s, j, "features", err));
	if (s->lists)
		TFR_TRY(put_features(s->lists, j, "feature_lists", err));
	return tfr_survey_put_state(s, j) ? TFR_OK : tfr_fail_nomem(err, "writing statistics");
}
