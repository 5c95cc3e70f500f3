/* cmd/schema.c - tfr schema: the features of a set, and code that reads them.
 *
 * Contradictions between records go to standard error in every form.  A feature of two kinds is
 * status 1: no reader can read such a set. */
#include <stdlib.h>

#include "common/cmd.h"
#include "common/findings.h"
#include "common/sweep_options.h"

struct schema_settings {
	struct looking common;
	int emit, format;
};

static const struct opt options[] = {
	OPT(CHOICE, 0, "emit", "FORM", "text|json|python|dali|torch|pbtxt",
		"a table, the JSON that 'check --schema' reads, an input function for TensorFlow, "
		"DALI or PyTorch, or a Schema of TensorFlow Metadata: text, json, python, dali, "
		"torch or pbtxt [text]",
		struct schema_settings, emit),
	OPT_FORMAT(struct schema_settings, format),
	OPT_GONE("first", "Pipe a part of the records: tfr cat --limit N FILE... | tfr schema"),
	OPT_GONE("sample", "Pipe a part of the records: tfr cat --sample P FILE... | tfr schema"),
	LOOKING_INPUT(struct schema_settings),
	OPT_RECORD_MEMORY(struct schema_settings, common.max_record),
	LOOKING_RUNNING(struct schema_settings),
	OPTIONS_END,
};

static void print_contradiction(void *ctx, const char *text)
{
	struct tfr_error err = { .status = TFR_EDATA };

	snprintf(err.message, sizeof(err.message), "%s", text);
	cmd_error(ctx, &err);
}

static void add_contradiction(void *ctx, const char *text)
{
	findings_add(ctx, &(struct finding){ .name = "contradiction", .text = text });
}

static void add_drift(void *ctx, const char *text)
{
	findings_add(
		ctx, &(struct finding){ .level = FINDING_NOTE, .name = "drift", .text = text });
}

/* For CI services: not the schema, but its contradictions.  Drift is a warning in every format and
 * never fails. */
static void print_findings(
	struct cmd *c, const struct tfr_survey *survey, enum report_format format)
{
	struct findings *f = findings_new(c, format);

	if (!f)
		return;
	tfr_survey_contradictions(survey, add_contradiction, f);
	tfr_survey_drift(survey, add_drift, f);
	findings_end_case(f, "schema");
	findings_print(f);
	findings_free(f);
}

static int print_schema(struct cmd *c, const struct tfr_survey *survey, enum tfr_schema_form form)
{
	struct tfr_error err = { 0 };
	char *text = NULL;
	size_t size;

	if (tfr_survey_schema(survey, form, &text, &size, &err))
		return cmd_fail(c, &err);
	fwrite(text, 1, size, stdout);
	free(text);
	return c->exit;
}

static int print_report(struct cmd *c, const struct tfr_survey *survey, enum report_format format)
{
	const struct schema_settings *s = c->settings;
	struct tfr_survey_totals totals = tfr_survey_totals(survey);
	struct tfr_error err = { .status = TFR_EDATA };

	if (!totals.features && !totals.lists) {
		snprintf(err.message, sizeof(err.message), "%s",
			totals.records ? "no record has a feature" : "there are no records");
		return cmd_fail(c, &err);
	}
	tfr_survey_drift(survey, cmd_warn_text, c);
	tfr_survey_contradictions(survey, print_contradiction, c);
	if (format == FORMAT_JUNIT || format == FORMAT_GITHUB)
		print_findings(c, survey, format);
	else
		print_schema(c, survey,
			format == FORMAT_JSON ? TFR_SCHEMA_JSON : (enum tfr_schema_form)s->emit);
	return c->exit;
}

static int schema_main(struct cmd *c)
{
	const struct schema_settings *s = c->settings;
	struct tfr_survey_opts opts = { 0 };
	struct tfr_survey *survey = NULL;
	struct tfr_set *set = NULL;
	struct tfr_sweep_report report;
	struct tfr_error err = { 0 };
	enum report_format format = (enum report_format)s->format;
	enum tfr_status status;

	if (format != FORMAT_TEXT && s->emit &&
		!(format == FORMAT_JSON && s->emit == TFR_SCHEMA_JSON))
		return cmd_usage(c, "--format prints another form; it cannot go with --emit");
	findings_report_failures(c, format);
	if (looking_start(c, &s->common, &opts.common, &set))
		return c->exit;
	status = tfr_survey_run(&survey, &opts, &report, &err);
	if (!looking_finish(c, status, &err))
		print_report(c, survey, format);
	tfr_survey_free(survey);
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_schema = {
	.name = "schema",
	.operands = "[FILE]...",
	.summary = "features, kinds and lengths, with code that reads them",
	.options = options,
	.settings_size = sizeof(struct schema_settings),
	.main = schema_main,
};
