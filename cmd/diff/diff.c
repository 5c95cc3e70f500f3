/* cmd/diff/diff.c - tfr diff: the differences between two sets, or their overlap.
 *
 * Records are compared first.  If all of them are equal, so is everything else, and the second
 * reading that features would need is skipped. */
#include <string.h>

#include "common/cmd.h"
#include "common/sweep_options.h"
#include "diff/diff.h"

struct diff_settings {
	struct looking common;
	const char *only, *key;
	bool features, ordered, overlap;
	int format;
	double threshold;
	uint64_t examples, memory;
};

static const struct diff_settings defaults = { .threshold = 0, .examples = 5, .memory = 1 << 30 };

static const struct opt options[] = {
	OPT_HEADING("Comparison"),
	OPT(STRING, 0, "only", "PARTS", "schema|values|records",
		"compare only these, such as 'schema,values' [all: schema, values, records]",
		struct diff_settings, only),
	OPT(STRING, 0, "key", "FEATURE", NULL,
		"records with equal values of FEATURE belong together [equal records do]",
		struct diff_settings, key),
	OPT(FLAG, 0, "features", NULL, NULL,
		"records are equal that have equal features, however they are written",
		struct diff_settings, features),
	OPT(FLAG, 0, "ordered", NULL, NULL, "the order of the records counts", struct diff_settings,
		ordered),
	OPT(FLAG, 0, "overlap", NULL, NULL,
		"find what both have, such as leaks from training to validation",
		struct diff_settings, overlap),
	OPT(REAL, 0, "threshold", "D", NULL,
		"distributions that are no farther apart than D, from 0 to 1, are the same [0]",
		struct diff_settings, threshold),
	OPT_HEADING("Output"),
	OPT_ALIAS("n", "examples"), /* -n is --limit in other commands */
	OPT(COUNT, 0, "examples", "N", NULL, "name the first N of each finding [5]",
		struct diff_settings, examples),
	OPT_FORMAT(struct diff_settings, format),
	OPT_HEADING("Input"),
	LOOKING_INPUT(struct diff_settings),
	OPT_HEADING("Running"),
	LOOKING_RUNNING(struct diff_settings),
	OPT(SIZE, 'm', "memory", "SIZE", NULL, "memory for the hashes of the records [1G]",
		struct diff_settings, memory),
	OPT_GONE("tmpdir", "Set TMPDIR in the environment."),
	OPTIONS_END,
};

struct diff_run {
	struct cmd *c;
	const struct diff_settings *s;
	struct tfr_set *sets[2];
	struct tfr_sweep_opts sweeps[2];
	struct tfr_survey *surveys[2]; /* they hold the values that are reported */
	struct diff_result result;
};

/* --- options --- */

static int read_aspects(struct cmd *c, const char *text, unsigned *aspects)
{
	static const char *const names[] = { "schema", "values",
		"records" }; /* in the order of DIFF_… */
	enum { ASPECTS = sizeof(names) / sizeof(*names) };

	*aspects = text ? 0 : DIFF_ALL;
	while (text) {
		size_t n = strcspn(text, ","), i = 0;

		while (i < ASPECTS && (strlen(names[i]) != n || memcmp(names[i], text, n)))
			i++;
		if (i == ASPECTS)
			return cmd_usage(c, "--only takes schema, values and records, not '%.*s'",
				(int)n, text);
		*aspects |= 1u << i;
		text = text[n] ? text + n + 1 : NULL;
	}
	return 0;
}

static int check_usage(struct cmd *c, const struct diff_settings *s, unsigned *aspects)
{
	if (c->count != 2)
		return cmd_usage(c, "two sets are compared, and %zu %s named", c->count,
			c->count == 1 ? "is" : "are");
	if (read_aspects(c, s->only, aspects))
		return c->exit;
	if (s->overlap && (s->only || s->ordered || s->threshold != 0))
		return cmd_usage(c, "--overlap cannot go with --only, --ordered or --threshold");
	if (s->overlap && s->key && s->features)
		return cmd_usage(c, "--overlap compares keys or features, not both");
	if (!(*aspects & DIFF_RECORDS) && (s->key || s->features || s->ordered))
		return cmd_usage(c, "--key, --features and --ordered are about records, which "
				    "--only leaves out");
	if (!(*aspects & DIFF_VALUES) && s->threshold != 0)
		return cmd_usage(c, "--threshold is about values, which --only leaves out");
	if (!(s->threshold >= 0 && s->threshold <= 1))
		return cmd_usage(c, "--threshold takes 0 to 1");
	if (s->overlap)
		*aspects = 0;
	return 0;
}

/* --- the inputs --- */

static int open_side(struct diff_run *r, unsigned side)
{
	const struct looking *l = &r->s->common;
	struct tfr_set_opts opts = { .inputs = &r->c->operands[side],
		.count = 1,
		.allow_missing = l->allow_missing,
		.warn = cmd_warn_text,
		.ctx = r->c };
	struct tfr_error err = { 0 };

	if (tfr_set_open(&r->sets[side], &opts, &err))
		return cmd_fail(r->c, &err);
	if (cmd_check_apart(r->c, r->sets[side]))
		return r->c->exit;
	r->result.inputs[side] = r->c->operands[side];
	r->result.files[side] = tfr_set_count(r->sets[side]);
	r->sweeps[side] = looking_sweep(r->c, l, r->sets[side]);
	return 0;
}

static int open_sides(struct diff_run *r)
{
	const struct tfr_set *const *sets = (const struct tfr_set *const *)r->sets;
	unsigned aspects = r->result.aspects;
	bool records = aspects & DIFF_RECORDS,
	     twice = records && (aspects != DIFF_RECORDS || r->s->key);
	struct tfr_error err = { 0 };

	if (open_side(r, 0) || open_side(r, 1))
		return r->c->exit;
	if (!tfr_diff_check_sides(sets, twice, &err))
		return 0;
	if (*tfr_error_hint_text(&err) && !r->s->key)
		tfr_error_hint(&err,
			"Put its records into a file first, or compare --only records.");
	return cmd_fail(r->c, &err);
}

/* --- comparing --- */

static void warn_sequences(struct diff_run *r, unsigned side, const struct tfr_survey *s)
{
	struct tfr_survey_totals totals = tfr_survey_totals(s);

	if (totals.sequences)
		cmd_warn(r->c,
			"%llu of %llu records of %c are SequenceExamples: their context is "
			"compared, their feature lists are not",
			(unsigned long long)totals.sequences, (unsigned long long)totals.records,
			"AB"[side]);
}

/* Warns of records that the second sweep, which prints no warnings, does not report. */
static void warn_others(struct diff_run *r, unsigned side, const struct tfr_sweep_report *report)
{
	if (report->others)
		cmd_warn(r->c, "%llu of %llu records of %c are not Examples",
			(unsigned long long)report->others, (unsigned long long)report->records,
			"AB"[side]);
}

static enum tfr_status survey_side(struct diff_run *r, unsigned side, struct tfr_error *err)
{
	bool again = r->result.aspects & DIFF_RECORDS;
	struct tfr_survey_opts opts = { .common = r->sweeps[side],
		.values = r->result.aspects & DIFF_VALUES };
	struct tfr_sweep_report report = { 0 };
	enum tfr_status status;

	if (again) /* bad records are already reported and counted */
		opts.common.warn = NULL;
	status = tfr_survey_run(&r->surveys[side], &opts, &report, err);
	if (status == TFR_EDATA && again)
		tfr_error_hint(err, "'--only records' compares records that are not Examples.");
	TFR_TRY(status);
	if (again)
		warn_others(r, side, &report);
	else
		r->result.sides[side] = report;
	warn_sequences(r, side, r->surveys[side]);
	return TFR_OK;
}

static enum tfr_status compare_features(struct diff_run *r, struct tfr_error *err)
{
	const struct tfr_survey *const *sides = (const struct tfr_survey *const *)r->surveys;

	for (unsigned side = 0; side < 2; side++)
		TFR_TRY(survey_side(r, side, err));
	if (r->result.aspects & DIFF_SCHEMA)
		TFR_TRY(tfr_diff_schemas(sides, &r->result.schema, err));
	return r->result.aspects & DIFF_VALUES
		       ? tfr_diff_distributions(sides, &r->result.values, err)
		       : TFR_OK;
}

/* Whether schema or values can differ: not if all records are equal, even in another order. */
static bool may_differ(const struct diff_result *result)
{
	const struct tfr_diff_report *d = &result->records;

	return !(result->aspects & DIFF_RECORDS) || d->only[0] || d->only[1] || d->changed;
}

static enum tfr_status compare_sets(struct diff_run *r, struct tfr_error *err)
{
	const struct diff_settings *s = r->s;
	struct diff_result *result = &r->result;
	struct tfr_diff_opts opts = { .sides = { r->sweeps[0], r->sweeps[1] },
		.key = s->key,
		.features = s->features,
		.overlap = s->overlap,
		.identity = s->overlap && !s->key && !s->features,
		.parse = s->common.on_error && result->aspects != DIFF_RECORDS && result->aspects,
		.ordered = s->ordered,
		.memory = s->memory ? s->memory : 1,
		.examples = s->examples };

	result->same = true;
	if (!result->aspects || result->aspects & DIFF_SCHEMA)
		TFR_TRY(tfr_diff_classes(
			(const struct tfr_set *const *)r->sets, &result->classes, err));
	if (!result->aspects || result->aspects & DIFF_RECORDS) {
		TFR_TRY(tfr_diff_records(&opts, &result->records, err));
		result->same = !tfr_diff_differs(&result->records);
		memcpy(result->sides, result->records.sides, sizeof(result->sides));
	}
	if (result->aspects && result->aspects != DIFF_RECORDS && may_differ(result))
		TFR_TRY(compare_features(r, err));
	while (result->values_above < result->values.n &&
		result->values.list[result->values_above].distance > result->threshold)
		result->values_above++;
	result->same &= !result->schema.n && !result->values_above && !result->classes.differ;
	return TFR_OK;
}

/* --- run and output --- */

static int run_diff(struct diff_run *r)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;

	findings_report_failures(r->c, (enum report_format)r->s->format);
	if (open_sides(r))
		return r->c->exit;
	cmd_progress_follow(r->c, 0, (enum progress_mode)r->s->common.progress);
	status = compare_sets(r, &err);
	cmd_progress_stop();
	if (status)
		return cmd_fail(r->c, &err);
	if (r->s->format == FORMAT_JSON)
		diff_print_json(r->c, &r->result);
	else if (r->s->format == FORMAT_TEXT)
		diff_print(&r->result);
	else
		diff_print_findings(r->c, &r->result, (enum report_format)r->s->format);
	if (!r->result.same && !r->c->exit)
		r->c->exit = 1;
	return r->c->exit;
}

static void clear_run(struct diff_run *r)
{
	struct diff_result *result = &r->result;

	tfr_diff_schemas_clear(&result->schema);
	tfr_diff_distributions_clear(&result->values);
	tfr_diff_report_clear(&result->records);
	tfr_survey_free(r->surveys[0]);
	tfr_survey_free(r->surveys[1]);
	tfr_set_close(r->sets[0]);
	tfr_set_close(r->sets[1]);
}

static int diff_main(struct cmd *c)
{
	const struct diff_settings *s = c->settings;
	struct diff_run r = { .c = c,
		.s = s,
		.result = { .key = s->key,
			.features = s->features,
			.ordered = s->ordered,
			.threshold = s->threshold,
			.examples = s->examples } };

	c->quiet = s->common.quiet;
	if (!check_usage(c, s, &r.result.aspects))
		run_diff(&r);
	clear_run(&r);
	return c->exit;
}

const struct command cmd_diff = {
	.name = "diff",
	.operands = "A B",
	.summary = "compare two sets: what differs, or what both contain",
	.options = options,
	.settings_size = sizeof(struct diff_settings),
	.defaults = &defaults,
	.main = diff_main,
};
