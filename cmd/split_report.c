/* cmd/split_report.c - how many records each set received, and of each class. */
#include "split_report.h"

#include <stdlib.h>
#include <string.h>

#include "common/rewrite_options.h"
#include "common/table.h"

enum { SETS_MAX = 4, ROWS_MAX = 20 };

/* --- for a person --- */

static double part(uint64_t records, uint64_t of)
{
	return of ? (double)records / (double)of : 0;
}

static void print_sets(struct cmd *c, const struct tfr_split_report *r)
{
	static const struct table_column columns[] = {
		{ .head = "set", .kind = TABLE_PATH },
		{ .head = "wanted", .drop = 1 },
		{ .head = "records" },
		{ .head = "actual" },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < r->set_count; i++) {
		const struct tfr_split_set *set = &r->sets[i];

		table_bytes(t, set->set, strlen(set->set));
		if (set->fraction > 0)
			table_cell(t, "%.6g", set->fraction);
		else
			table_cell(t, "the rest");
		table_count(t, set->records);
		table_cell(t, "%.4f", part(set->records, r->common.taken));
	}
	if (r->left) {
		table_cell(t, "(none)");
		table_cell(t, "%s", "");
		table_count(t, r->left);
		table_cell(t, "%.4f", part(r->left, r->common.taken));
	}
	table_finish(c, t, stderr);
}

/* "out/train@8.tfrecord" is train, and so is "out/train.tfrecord". */
static char *short_name(const char *set)
{
	const char *slash = strrchr(set, '/'), *name = slash && slash[1] ? slash + 1 : set;
	struct tfr_set_name parsed;
	size_t n;

	if (tfr_set_name_parse(&parsed, name, NULL) == TFR_OK) {
		n = strlen(parsed.base);
		tfr_set_name_clear(&parsed);
	} else {
		n = 1 + strcspn(name + 1, ".");
	}
	return strndup(name, n);
}

static void put_class_name(struct table *t, const struct tfr_split_class *class)
{
	if (class->kind == TFR_KIND_INT64)
		table_cell(t, "%lld", (long long)class->label);
	else if (class->text.size)
		table_bytes(t, class->text.data, class->text.size);
	else
		table_cell(t, "\"\"");
}

static void print_more(size_t n, const char *one, const char *many)
{
	fprintf(stderr, "… and %zu more %s\n", n, n == 1 ? one : many);
}

/* One column for each of the first sets, with its short name. */
static void print_classes(struct cmd *c, const struct tfr_split_report *r)
{
	struct table_column columns[2 + SETS_MAX] = { { .head = "class", .kind = TABLE_TEXT },
		{ .head = "records" } };
	size_t sets = r->set_count < SETS_MAX ? r->set_count : SETS_MAX;
	size_t rows = r->class_count < ROWS_MAX ? r->class_count : ROWS_MAX;
	char *names[SETS_MAX] = { 0 };
	struct table *t = table_new(columns, 2 + sets);

	for (size_t i = 0; i < sets; i++) {
		names[i] = short_name(r->sets[i].set);
		columns[2 + i].head = names[i];
		if (!names[i]) {
			table_free(t);
			t = NULL; /* table_finish() reports it */
		}
	}
	for (size_t k = 0; t && k < rows; k++) {
		struct tfr_split_class class = tfr_split_report_class(r, k);

		put_class_name(t, &class);
		table_count(t, class.records);
		for (size_t i = 0; i < sets; i++)
			table_count(t, class.received[i]);
	}
	fprintf(stderr, "\n");
	table_finish(c, t, stderr);
	for (size_t i = 0; i < sets; i++)
		free(names[i]);
	if (r->class_count > rows)
		print_more(r->class_count - rows, "class", "classes");
	if (r->set_count > sets)
		print_more(r->set_count - sets, "set", "sets");
}

void split_report_text(struct cmd *c, const struct tfr_split_report *r)
{
	print_sets(c, r);
	if (r->class_count)
		print_classes(c, r);
}

/* --- for a program --- */

static void put_sum(struct tfr_json *j, uint64_t sum)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)sum);
	tfr_json_string(j, "sum", text);
}

static void put_sets(struct tfr_json *j, const struct tfr_split_report *r)
{
	tfr_json_open_array(j, "sets");
	for (size_t i = 0; i < r->set_count; i++) {
		const struct tfr_split_set *set = &r->sets[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "set", set->set);
		if (set->fraction > 0)
			tfr_json_f64(j, "fraction", set->fraction);
		tfr_json_u64(j, "records", set->records);
		tfr_json_f64(j, "actual", part(set->records, r->common.taken));
		tfr_json_u64(j, "bytes", set->bytes);
		put_sum(j, set->sum);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

static void put_base64(struct tfr_json *j, const char *key, struct tfr_bytes b)
{
	size_t size = (b.size + 2) / 3 * 4;
	char *text = malloc(size + 1);

	if (!text)
		return;
	tfr_base64_digits(text, b.data, b.size);
	tfr_json_bytes(j, key, text, size);
	free(text);
}

static void put_counts(struct tfr_json *j, const char *key, const uint64_t *counts, size_t n)
{
	tfr_json_open_array(j, key);
	for (size_t i = 0; i < n; i++)
		tfr_json_u64(j, NULL, counts[i]);
	tfr_json_close_array(j);
}

/* Bytes that are not text would all print alike, so they are also written in base64. */
static void put_classes(struct tfr_json *j, const struct tfr_split_report *r)
{
	tfr_json_open_array(j, "classes");
	for (size_t k = 0; k < r->class_count; k++) {
		struct tfr_split_class class = tfr_split_report_class(r, k);

		tfr_json_open_object(j, NULL);
		if (class.kind == TFR_KIND_INT64) {
			tfr_json_i64(j, "class", class.label);
		} else {
			tfr_json_bytes(j, "class", class.text.data, class.text.size);
			put_base64(j, "base64", class.text);
		}
		tfr_json_u64(j, "records", class.records);
		put_counts(j, "received", class.received, r->set_count);
		put_counts(j, "wanted", class.wanted, r->set_count);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

void split_report_json(
	struct cmd *c, const struct tfr_split_report *r, const char *stratify, FILE *f)
{
	struct tfr_json *j = cmd_json_open(2);

	rewriting_json(j, &r->common);
	tfr_json_u64(j, "unassigned", r->left);
	put_sets(j, r);
	if (stratify) {
		tfr_json_string(j, "stratify", stratify);
		tfr_json_u64(j, "off_target", r->off);
		tfr_json_u64(j, "temp_bytes", r->temp_bytes);
		put_classes(j, r);
	}
	tfr_json_close_object(j);
	cmd_print_json(c, j, f);
}
