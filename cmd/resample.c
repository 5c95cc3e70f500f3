/* cmd/resample.c - tfr resample: write records with another distribution of classes. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/sweep_options.h"
#include "common/table.h"

enum { ROWS = 20 };

struct resample_settings {
	struct rewriting common;
	const char *output, *by, *target;
	struct opt_list classes;
	uint64_t per_class, total, max_record;
	int method;
};

static const struct resample_settings defaults = { .per_class = UINT64_MAX, .total = UINT64_MAX };

static const struct opt options[] = {
	REWRITING_INPUT(struct resample_settings),
	OPT_HEADING("Classes"),
	OPT(STRING, 0, "by", "FEATURE", NULL, "the class of a record is value 0 of FEATURE",
		struct resample_settings, by),
	OPT(LIST, 0, "class", "NAME=EXPR", NULL,
		"a class of the records for which EXPR holds; several times: the first that "
		"holds; 'other' where none does",
		struct resample_settings, classes),
	OPT_HEADING("Distribution"),
	OPT(STRING, 0, "target", "SPEC", "uniform|proportional^0.5",
		"the distribution to write: uniform, proportional^E, a list such as "
		"'0=0.5,1=0.5', or a file of lines CLASS TAB WEIGHT",
		struct resample_settings, target),
	OPT(COUNT, 0, "per-class", "N", NULL, "or N records of each class",
		struct resample_settings, per_class),
	OPT(CHOICE, 0, "method", "HOW", "exact|oversample",
		"how records are chosen: exact or oversample [exact]", struct resample_settings,
		method),
	OPT(COUNT, 0, "total", "N", NULL, "write N records [what the scarcest class allows]",
		struct resample_settings, total),
	OPT_ALIAS("size", "total"),
	OPT_GONE("bins", "Make classes of ranges with --class, such as --class low='x < 1'."),
	OPT_GONE("initial", "It was for --method reject; leave both out: the classes are counted."),
	OPT_GONE("weights", "Make classes with --class, such as --class heavy='w > 1', or take a "
			    "share of the records with tfr cat --sample P."),
	OPT_GONE(
		"shuffle", "Pipe the output: tfr resample ... -o - | tfr shuffle-to-disk -o OUT -"),
	OPT_GONE("tmpdir", "It was for --shuffle, which is the command shuffle-to-disk."),
	REWRITING_SEED(struct resample_settings),
	OPT_HEADING("Output"),
	OPT(STRING, 'o', "output", "OUT", NULL,
		"write OUT: a file, a set such as 'even@4.tfrecord' (round-robin), or -",
		struct resample_settings, output),
	REWRITING_OUTPUT(struct resample_settings),
	OPT_HEADING("Running"),
	OPT_RECORD_MEMORY(struct resample_settings, max_record),
	REWRITING_RUNNING(struct resample_settings),
	OPTIONS_END,
};

static const char *const methods[] = { "exact", "oversample" };

/* --- options --- */

static int take_numbers(struct cmd *c, struct tfr_resample_opts *o)
{
	const struct resample_settings *s = c->settings;

	if (!s->per_class || !s->total)
		return cmd_usage(
			c, "--%s takes a number above 0", s->total ? "per-class" : "total");
	o->per_class = s->per_class == UINT64_MAX ? 0 : s->per_class;
	o->size = s->total == UINT64_MAX ? 0 : s->total;
	return 0;
}

/* NAME=EXPR, the name up to the first =.  Names are copies, freed with free_rules(). */
static int take_rules(struct cmd *c, struct tfr_resample_opts *o)
{
	const struct opt_list *list = &((const struct resample_settings *)c->settings)->classes;
	struct tfr_resample_rule *rules = calloc(list->count + 1, sizeof(*rules));

	o->rules = rules;
	for (size_t i = 0; rules && i < list->count; i++) {
		const char *equals = strchr(list->values[i], '=');

		if (!equals || equals == list->values[i] || !equals[1])
			return cmd_usage(c, "--class takes NAME=EXPR, not '%s'", list->values[i]);
		rules[i].name = strndup(list->values[i], (size_t)(equals - list->values[i]));
		rules[i].expr = equals + 1;
		if (!rules[i].name)
			rules = NULL;
		o->n_rules++;
	}
	return rules ? 0 : cmd_no_memory(c);
}

static void free_rules(struct tfr_resample_opts *o)
{
	for (size_t i = 0; i < o->n_rules; i++)
		free((void *)(uintptr_t)o->rules[i].name);
	free((void *)(uintptr_t)o->rules);
}

/* --- the report --- */

/* A share for a person, in 7 columns at most. */
static const char *format_share(double x, char text[16])
{
	if (x > 0 && x < 0.001)
		snprintf(text, 16, "%.1e", x);
	else
		snprintf(text, 16, "%.*f", x < 10 ? 4 : x < 1000 ? 2 : 0, x);
	return text;
}

static void print_classes(struct cmd *c, const struct tfr_resample_report *r)
{
	static const struct table_column columns[] = {
		{ .head = "class", .kind = TABLE_TEXT },
		{ .head = "records" },
		{ .head = "p", .least = 7, .drop = 2 },
		{ .head = "t", .least = 7, .drop = 1 },
		{ .head = "acceptance", .drop = 3 },
		{ .head = "final" },
	};
	size_t rows = r->class_count < ROWS ? r->class_count : ROWS;
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	char text[16];

	for (size_t i = 0; i < rows; i++) {
		const struct tfr_resample_class *class = &r->classes[i];

		table_bytes(t, class->name, strlen(class->name));
		table_count(t, class->records);
		table_cell(t, "%s", format_share(class->p, text));
		table_cell(t, "%s", format_share(class->t, text));
		table_cell(t, "%s", format_share(class->acceptance, text));
		table_count(t, class->final);
	}
	table_finish(c, t, stderr);
	if (rows < r->class_count)
		fprintf(stderr, "… and %zu more classes\n", r->class_count - rows);
}

/* Says what an exact distribution costs, and how many records the other method would write. */
static void print_cost(struct cmd *c, const struct tfr_resample_report *r)
{
	const struct resample_settings *s = c->settings;
	uint64_t records = 0, final = 0;
	double largest = 0;

	for (size_t i = 0; i < r->class_count; i++) {
		const struct tfr_resample_class *class = &r->classes[i];

		records += class->records;
		final += class->final;
		if (class->t > 0 && (double)class->records / class->t > largest)
			largest = (double)class->records / class->t;
	}
	if (s->method == TFR_RESAMPLE_EXACT && s->total == UINT64_MAX &&
		s->per_class == UINT64_MAX && final < records && largest > (double) final + 1)
		cmd_closing_line(c,
			"left out %llu of %llu records; --method oversample repeats records and "
			"writes about %.0f",
			(unsigned long long)(records - final), (unsigned long long)records,
			largest);
}

static void put_class(struct tfr_json *j, const struct tfr_resample_class *class)
{
	tfr_json_open_object(j, NULL);
	if (class->has_label)
		tfr_json_i64(j, "class", class->label);
	else
		tfr_json_string(j, "class", class->name);
	tfr_json_u64(j, "records", class->records);
	tfr_json_f64(j, "p", class->p);
	tfr_json_f64(j, "t", class->t);
	tfr_json_f64(j, "acceptance", class->acceptance);
	tfr_json_u64(j, "final", class->final);
	tfr_json_close_object(j);
}

static int print_json(struct cmd *c, const struct tfr_resample_report *r)
{
	const struct resample_settings *s = c->settings;
	struct tfr_json *j = cmd_json_open(2);

	tfr_json_string(j, "method", methods[s->method]);
	tfr_json_u64(j, "seed", s->common.seed);
	tfr_json_u64(j, "total", r->size);
	rewriting_json(j, &r->common);
	tfr_json_open_array(j, "classes");
	for (size_t i = 0; i < r->class_count; i++)
		put_class(j, &r->classes[i]);
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	return cmd_print_json(c, j, rewriting_json_file(s->output));
}

static int run_resample(struct cmd *c, struct tfr_resample_opts *o)
{
	const struct resample_settings *s = c->settings;
	struct tfr_resample_report report;
	struct tfr_error err = { 0 };
	struct tfr_set *input = NULL;
	enum tfr_status status;

	if (rewriting_start(c, &s->common, &o->common, &input))
		return c->exit;
	status = tfr_resample(o, &report, &err);
	cmd_progress_stop();
	if (!status && report.class_count && !c->quiet && !s->common.json)
		print_classes(c, &report);
	if (!rewriting_finish(c, &s->common, status, &report.common, &err) && s->common.json)
		print_json(c, &report);
	else if (!status && !s->common.json)
		print_cost(c, &report);
	tfr_resample_report_clear(&report);
	rewriting_close(&o->common, input);
	return c->exit;
}

static int resample_main(struct cmd *c)
{
	const struct resample_settings *s = c->settings;
	struct tfr_resample_opts o = {
		.output = s->output,
		.by = s->by,
		.target = s->target,
		.method = (enum tfr_resample_method)s->method,
	};

	c->quiet = s->common.quiet;
	if (!s->output)
		return cmd_usage(c, "no output: name a file or a set, such as -o even@4.tfrecord");
	if (rewriting_prepare_output(c, &s->common, s->output))
		return c->exit;
	if (!take_numbers(c, &o) && !take_rules(c, &o))
		run_resample(c, &o);
	free_rules(&o);
	return c->exit;
}

const struct command cmd_resample = {
	.name = "resample",
	.operands = "[FILE]...",
	.summary = "write records with another distribution of classes",
	.options = options,
	.settings_size = sizeof(struct resample_settings),
	.defaults = &defaults,
	.main = resample_main,
};
