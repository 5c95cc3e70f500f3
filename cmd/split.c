/* cmd/split.c - tfr split: records divided among sets by a hash. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/sweep_options.h"
#include "common/table.h"

/* --- the report --- */

/* How many records each set received, and of each class. */

enum { SETS_MAX = 4, ROWS_MAX = 20 };

/* --- for a person --- */

static double fraction_of(uint64_t records, uint64_t of)
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
		table_cell(t, "%.4f", fraction_of(set->records, r->common.taken));
	}
	if (r->left) {
		table_cell(t, "(none)");
		table_cell(t, "%s", "");
		table_count(t, r->left);
		table_cell(t, "%.4f", fraction_of(r->left, r->common.taken));
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

/* Tables on standard error, at most 80 columns wide. */
static void split_report_text(struct cmd *c, const struct tfr_split_report *r)
{
	print_sets(c, r);
	if (r->class_count)
		print_classes(c, r);
}

/* --- for a program --- */

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
		tfr_json_f64(j, "actual", fraction_of(set->records, r->common.taken));
		tfr_json_u64(j, "bytes", set->bytes);
		cmd_json_sum(j, "sum", set->sum);
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

/* `stratify` is the feature, or NULL. */
static void split_report_json(
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

/* --- the command --- */

struct split_settings {
	struct rewriting common;
	struct opt_list outputs;
	uint64_t memory;
	struct opt_list tmpdirs;
	const char *key, *stratify;
};

static const struct split_settings defaults = { .memory = 1 << 30 };

static const struct opt options[] = {
	REWRITING_INPUT(struct split_settings),
	OPT_HEADING("Division"),
	OPT(LIST, 'o', "output", "SET[=FRACTION]", NULL,
		"write this share of the records to SET, such as 'train@8.tfrecord=0.9'; several "
		"times; a SET without a fraction takes the rest",
		struct split_settings, outputs),
	OPT(STRING, 0, "key", "FEATURE", NULL,
		"records with equal values of FEATURE stay together [content: equal bytes]",
		struct split_settings, key),
	OPT(STRING, 0, "stratify", "FEATURE", NULL,
		"divide each class exactly; FEATURE is the class, such as 'image/class/label'",
		struct split_settings, stratify),
	REWRITING_SEED(struct split_settings),
	OPT_HEADING("Output"),
	REWRITING_OUTPUT(struct split_settings),
	OPT_HEADING("Running"),
	OPT_MEMORY("memory for the classes of --stratify", struct split_settings, memory),
	OPT_TMPDIR(struct split_settings, tmpdirs),
	REWRITING_RUNNING(struct split_settings),
	OPTIONS_END,
};

static void free_shares(struct tfr_share *shares, size_t count)
{
	for (size_t i = 0; shares && i < count; i++)
		free((void *)(uintptr_t)shares[i].set);
	free(shares);
}

/* The sets that -o names; their names are copies. */
static int parse_outputs(struct cmd *c, struct tfr_share *shares)
{
	const struct split_settings *s = c->settings;
	struct tfr_error err;

	for (size_t i = 0; i < s->outputs.count; i++) {
		char *set;

		if (tfr_share_parse(s->outputs.values[i], &set, &shares[i].fraction, &err))
			return cmd_fail(c, &err);
		shares[i].set = set;
		if (rewriting_prepare_output(c, &s->common, set))
			return c->exit;
	}
	return 0;
}

static const char *output_of(const struct tfr_share *shares, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(shares[i].set, "-"))
			return "-";
	return "";
}

static void print_report(struct cmd *c, const struct tfr_split_report *r, const char *output)
{
	const struct split_settings *s = c->settings;
	char off[TFR_COUNTED_TEXT];

	cmd_progress_stop(); /* the tables come before the closing line */
	if (!c->quiet && !s->common.json)
		split_report_text(c, r);
	if (r->left)
		cmd_warn(c,
			"%llu of %llu records are in no set: the fractions add up to less than 1",
			(unsigned long long)r->left, (unsigned long long)r->common.taken);
	if (r->off)
		cmd_warn(c, "%s beyond the exact counts: equal ones stay together",
			tfr_format_counted(r->off, "record", off));
	rewriting_finish(c, &s->common, TFR_OK, &r->common, NULL);
	if (s->stratify)
		cmd_closing_line(c, "the counts are exact, so new data may move old records to "
				    "another set");
	if (s->common.json)
		split_report_json(c, r, s->stratify, rewriting_json_file(output));
}

static int run_split(struct cmd *c, const struct tfr_share *shares, size_t count)
{
	const struct split_settings *s = c->settings;
	struct tfr_split_opts o = {
		.shares = shares,
		.share_count = count,
		.key = s->key,
		.stratify = s->stratify,
		.memory = s->memory ? s->memory : 1,
		.tmpdirs = s->tmpdirs.values,
		.tmpdir_count = s->tmpdirs.count,
	};
	struct tfr_split_report r = { 0 };
	struct tfr_set *input = NULL;
	struct tfr_error err;
	enum tfr_status status;

	if (rewriting_start(c, &s->common, &o.common, &input))
		return c->exit;
	status = tfr_split(&o, &r, &err);
	if (status)
		rewriting_finish(c, &s->common, status, &r.common, &err);
	else
		print_report(c, &r, output_of(shares, count));
	tfr_split_report_clear(&r);
	rewriting_close(&o.common, input);
	return c->exit;
}

static int split_main(struct cmd *c)
{
	const struct split_settings *s = c->settings;
	struct tfr_share *shares;

	if (!s->outputs.count)
		return cmd_usage(c, "no output: name sets, such as -o train@8.tfrecord=0.9 "
				    "-o val@1.tfrecord");
	shares = calloc(s->outputs.count, sizeof(*shares));
	if (!shares)
		return cmd_no_memory(c);
	if (!parse_outputs(c, shares))
		run_split(c, shares, s->outputs.count);
	free_shares(shares, s->outputs.count);
	return c->exit;
}

const struct command cmd_split = {
	.name = "split",
	.operands = "[FILE]...",
	.summary = "divide records among sets, by a key or by content",
	.options = options,
	.settings_size = sizeof(struct split_settings),
	.defaults = &defaults,
	.main = split_main,
};
