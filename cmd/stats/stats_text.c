/* cmd/stats/stats_text.c - statistics for a person: a few lines per feature, and how well a set is
 * mixed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/screen.h"
#include "common/text.h"
#include "stats/stats.h"

const char *stats_number(double v, char text[TFR_SIZE_TEXT])
{
	if (v == floor(v) && fabs(v) < 1e15)
		snprintf(text, TFR_SIZE_TEXT, "%.0f", v);
	else
		snprintf(text, TFR_SIZE_TEXT, "%.6g", v);
	return text;
}

const char *stats_value(
	const struct tfr_feature_stats *f, const struct tfr_top_value *v, char text[STATS_VALUE])
{
	char raw[64], escaped[STATS_VALUE - 8];
	size_t size = v->bytes.size < sizeof(raw) ? v->bytes.size : sizeof(raw) - 4;

	if (f->kind == TFR_KIND_INT64) {
		snprintf(text, STATS_VALUE, "%lld", (long long)v->number);
		return text;
	}
	if (f->kind == TFR_KIND_FLOAT) {
		if (v->real != v->real) /* the usual form of NaN, whatever its sign */
			snprintf(text, STATS_VALUE, "NaN");
		else
			snprintf(text, STATS_VALUE, "%.9g", (double)v->real);
		return text;
	}
	if (!tfr_is_utf8(v->bytes.data, v->bytes.size) ||
		(v->bytes.size && memchr(v->bytes.data, 0, v->bytes.size))) {
		snprintf(text, STATS_VALUE, "(%zu bytes)", v->bytes.size);
		return text;
	}
	while (size < v->bytes.size && size && (v->bytes.data[size] & 0xc0) == 0x80)
		size--;
	snprintf(raw, sizeof(raw), "%.*s", (int)size, (const char *)v->bytes.data);
	snprintf(text, STATS_VALUE, "\"%s%s\"", tfr_escape_line(escaped, sizeof(escaped), raw),
		size < v->bytes.size ? "…" : "");
	return text;
}

static void print_quantiles(FILE *out, const struct tfr_distribution *d)
{
	char text[TFR_SIZE_TEXT];

	fprintf(out, "  at       ");
	for (int i = 0; i < TFR_QUANTILES; i++)
		fprintf(out, "%s%g%% %s", i ? ", " : "", 100 * tfr_quantiles[i],
			stats_number(d->quantiles[i], text));
	fprintf(out, "\n");
}

static void print_distribution(FILE *out, const struct tfr_distribution *d)
{
	char text[4][TFR_SIZE_TEXT];

	if (d->min == d->max)
		fprintf(out, "%s", stats_number(d->min, text[0]));
	else
		fprintf(out, "%s to %s, mean %s, deviation %s", stats_number(d->min, text[0]),
			stats_number(d->max, text[1]), stats_number(d->mean, text[2]),
			stats_number(d->deviation, text[3]));
}

static void print_where(FILE *out, const struct tfr_feature_stats *f, uint64_t records)
{
	char counted[TFR_COUNTED_TEXT];

	fprintf(out, "  in       %s (%.3g%%)", tfr_format_counted(f->records, "record", counted),
		100.0 * (double)f->records / (double)records);
	if (f->steps.count) {
		fprintf(out, ", steps in each: ");
		print_distribution(out, &f->steps);
		fprintf(out, "\n  steps    %llu", (unsigned long long)f->all_steps);
	}
	if (f->kind != TFR_KIND_UNSET && f->length.count) {
		fprintf(out, ", values in each: ");
		print_distribution(out, &f->length);
	}
	fprintf(out, "\n");
}

static void print_int64s(FILE *out, const struct tfr_feature_stats *f)
{
	char text[2][TFR_SIZE_TEXT];

	fprintf(out, "%lld", (long long)f->min);
	if (f->min < f->max)
		fprintf(out, " to %lld, mean %s, deviation %s", (long long)f->max,
			stats_number(f->numbers.mean, text[0]),
			stats_number(f->numbers.deviation, text[1]));
}

static void print_values(FILE *out, const struct tfr_feature_stats *f, uint64_t all_bytes)
{
	char size[TFR_SIZE_TEXT];

	fprintf(out, "  values   %llu, %s%llu different", (unsigned long long)f->values,
		f->distinct_exact ? "" : "about ", (unsigned long long)f->distinct);
	if (f->kind != TFR_KIND_BYTES && f->numbers.count) {
		fprintf(out, ": ");
		if (f->kind == TFR_KIND_INT64)
			print_int64s(out, f);
		else
			print_distribution(out, &f->numbers);
	}
	if (f->nan || f->infinite || f->minus_infinite)
		fprintf(out, "; %llu NaN, %llu infinite", (unsigned long long)f->nan,
			(unsigned long long)(f->infinite + f->minus_infinite));
	fprintf(out, "\n  bytes    %s (%.3g%% of all values)", tfr_format_size(f->bytes, size),
		all_bytes ? 100.0 * (double)f->bytes / (double)all_bytes : 0);
	if (f->kind == TFR_KIND_BYTES && f->numbers.count) {
		fprintf(out, "; each ");
		print_distribution(out, &f->numbers);
	}
	fprintf(out, "\n");
	if (f->numbers.count && f->numbers.min < f->numbers.max)
		print_quantiles(out, &f->numbers);
}

static void print_contents(FILE *out, const struct tfr_feature_stats *f)
{
	static const char *const contents[TFR_CONTENTS] = { "empty", "images", "text", "tensors",
		"messages", "binary" };
	const char *between = "  holds    ";

	for (int i = 0; i < TFR_CONTENTS; i++) {
		if (f->contents[i])
			fprintf(out, "%s%llu %s", between, (unsigned long long)f->contents[i],
				contents[i]);
		between = f->contents[i] ? ", " : between;
	}
	if (*between == ',')
		fprintf(out, "\n");
	if (!f->contents[TFR_VALUE_IMAGE])
		return;
	between = "  images   ";
	for (int i = TFR_IMAGE_JPEG; i <= TFR_IMAGE_JP2; i++) {
		if (f->formats[i])
			fprintf(out, "%s%llu %s", between, (unsigned long long)f->formats[i],
				tfr_image_format_name((enum tfr_image_format)i));
		between = f->formats[i] ? ", " : between;
	}
	if (f->damaged)
		fprintf(out, ", %llu damaged", (unsigned long long)f->damaged);
	if (f->width.count) {
		fprintf(out, "; width ");
		print_distribution(out, &f->width);
		fprintf(out, "; height ");
		print_distribution(out, &f->height);
	}
	fprintf(out, "\n");
}

/* The values that occur more than once and are text or numbers. */
static void print_top(FILE *out, const struct tfr_feature_stats *f)
{
	const char *between = "  most     ";
	char text[STATS_VALUE];

	for (size_t i = 0; i < f->top_count && (f->values == 1 || f->top[i].count > 1); i++) {
		if (f->kind == TFR_KIND_BYTES &&
			!tfr_is_utf8(f->top[i].bytes.data, f->top[i].bytes.size))
			continue;
		fprintf(out, "%s%s: %s%llu (%.3g%%)", between, stats_value(f, &f->top[i], text),
			f->top_exact ? "" : "at most ", (unsigned long long)f->top[i].count,
			100.0 * (double)f->top[i].count / (double)f->values);
		between = ", ";
	}
	if (*between == ',')
		fprintf(out, "\n");
}

static void print_all(FILE *out, const struct stats *s)
{
	char records[TFR_COUNTED_TEXT], files[TFR_COUNTED_TEXT], size[TFR_SIZE_TEXT];
	uint64_t n = s->totals.records, bytes = 0;

	fprintf(out, "%s in %s", tfr_format_counted(n, "record", records),
		tfr_format_counted(s->totals.files, "file", files));
	if (n) {
		fprintf(out, ", %s: bytes in each ",
			tfr_format_size((uint64_t)(s->sizes.mean * (double)n + 0.5), size));
		print_distribution(out, &s->sizes);
	}
	fprintf(out, "\n");
	for (size_t i = 0; i < s->n; i++)
		bytes += s->features[i].bytes;
	for (size_t i = 0; i < s->n; i++) {
		const struct tfr_feature_stats *f = &s->features[i];

		fprintf(out, "\n%s, %s%s\n", f->name, f->steps.count ? "a feature list, " : "",
			tfr_kind_name(f->kind));
		print_where(out, f, n);
		if (f->kind == TFR_KIND_UNSET || !f->values)
			continue;
		print_values(out, f, bytes);
		if (f->kind == TFR_KIND_BYTES)
			print_contents(out, f);
		print_top(out, f);
	}
}

/* --- the order --- */

static void print_cycles(FILE *out, const struct tfr_order_report *o)
{
	fprintf(out, "  files    read side by side:");
	for (unsigned i = 0; i < o->cycle_count; i++)
		fprintf(out, "%s %llu: %.4g bits", i ? "," : "",
			(unsigned long long)o->cycles[i].files, o->cycles[i].entropy);
	fprintf(out, "\n");
}

/* The conclusion comes first. */
static void print_verdict(FILE *out, const char *label, const struct tfr_order_report *o)
{
	fprintf(out, "order by ");
	cmd_put_text(out, label, strlen(label));
	fprintf(out, ": ");
	if (!o->batches) {
		fprintf(out, "not judged: there are fewer records than a batch of %llu has\n",
			(unsigned long long)o->batch);
		return;
	}
	fprintf(out, "%s\n", o->enough ? "enough" : "not enough");
	fprintf(out,
		"  batches  of %llu after a buffer of %llu: %.4g bits, of %.4g in a random order\n",
		(unsigned long long)o->batch, (unsigned long long)o->buffer, o->entropy,
		o->random_entropy);
	if (o->cycle_count > 1)
		print_cycles(out, o);
	if (!o->enough && o->enough_buffer)
		fprintf(out, "  enough   a buffer of %llu, or the order of 'tfr shuffle-to-disk'\n",
			(unsigned long long)o->enough_buffer);
	else if (!o->enough)
		fprintf(out, "  enough   no buffer up to 131072, but the order of 'tfr "
			     "shuffle-to-disk'\n");
}

static void print_order(FILE *out, const char *label, const struct tfr_order_report *o)
{
	double mean = o->runs ? (double)o->records / (double)o->runs : 0;

	print_verdict(out, label, o);
	fprintf(out, "  records  %llu of %llu class%s", (unsigned long long)o->records,
		(unsigned long long)o->classes, o->classes == 1 ? "" : "es");
	if (o->absent)
		fprintf(out, ", %llu without one", (unsigned long long)o->absent);
	fprintf(out, "\n");
	if (!o->records)
		return;
	fprintf(out,
		"  runs     of one class: %.4g records on average, %.4g in a random order; the "
		"longest %llu\n",
		mean, o->random_run, (unsigned long long)o->longest_run);
	fprintf(out,
		"  place    explained by the class: %.3g%% of the variance, %.3g%% in a random "
		"order\n",
		100 * o->position, 100 * o->random_position);
}

/* Prints the lines of `text`; of a field, only the text after its label is wrapped. */
static void print_wrapped(char *text)
{
	enum { INDENT = 11 };
	char label[INDENT + 1];

	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (strncmp(line, "  ", 2) || strlen(line) < INDENT) {
			text_field_escaped(stdout, 0, NULL, line);
			continue;
		}
		snprintf(label, sizeof(label), "%s", line);
		text_field_escaped(stdout, INDENT, label, line + INDENT);
	}
}

/* Prints the text collected so far. */
static enum tfr_status print_collected(struct text *t, struct tfr_error *err)
{
	char *text = text_close(t);

	if (!text)
		return cmd_fill_no_memory(err);
	print_wrapped(text);
	free(text);
	return TFR_OK;
}

enum tfr_status stats_print(const struct stats *s, struct tfr_error *err)
{
	struct text t;

	if (text_open(&t))
		print_all(t.f, s);
	return print_collected(&t, err);
}

enum tfr_status stats_print_order(
	const char *label, const struct tfr_order_report *o, struct tfr_error *err)
{
	struct text t;

	if (text_open(&t))
		print_order(t.f, label, o);
	return print_collected(&t, err);
}

void stats_json_order(struct tfr_json *j, const char *label, const struct tfr_order_report *o)
{
	tfr_json_open_object(j, "order");
	tfr_json_string(j, "label", label);
	tfr_json_u64(j, "records", o->records);
	tfr_json_u64(j, "absent", o->absent);
	tfr_json_u64(j, "classes", o->classes);
	tfr_json_u64(j, "runs", o->runs);
	tfr_json_u64(j, "longest_run", o->longest_run);
	tfr_json_f64(j, "random_run", o->random_run);
	tfr_json_f64(j, "position", o->position);
	tfr_json_f64(j, "random_position", o->random_position);
	tfr_json_u64(j, "batch", o->batch);
	tfr_json_u64(j, "buffer", o->buffer);
	tfr_json_u64(j, "batches", o->batches);
	tfr_json_f64(j, "entropy", o->entropy);
	tfr_json_f64(j, "random_entropy", o->random_entropy);
	tfr_json_bool(j, "enough", o->batches && o->enough);
	if (o->enough_buffer)
		tfr_json_u64(j, "enough_buffer", o->enough_buffer);
	tfr_json_open_array(j, "cycles");
	for (unsigned i = 0; i < o->cycle_count; i++) {
		tfr_json_open_object(j, NULL);
		tfr_json_u64(j, "files", o->cycles[i].files);
		tfr_json_f64(j, "entropy", o->cycles[i].entropy);
		tfr_json_bool(j, "enough", o->batches && o->cycles[i].enough);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_close_object(j);
}
