/* cmd/schema.c - tfr schema: the features of a set, and code that reads them.
 *
 * What the files contradict each other in is told on standard error beside any form, and ends in
 * status 1 where a feature has two kinds: nothing can read such a set. */
#include <stdlib.h>

#include "builtin.h"
#include "common/inspect_options.h"

struct schema_settings {
	struct looking common;
	uint64_t sample;
	int emit;
	bool json;
};

static const struct opt options[] = {
	OPT(CHOICE, 0, "emit", "FORM", "text|json|python|dali|pbtxt",
		"a table, what 'check --schema' takes, or code: text, json, python, dali or pbtxt "
		"[text]",
		struct schema_settings, emit),
	OPT_JSON(struct schema_settings, json),
	OPT(COUNT, 0, "sample", "N", NULL, "only the first N records of each file [0: all]",
		struct schema_settings, sample),
	LOOKING_OPTIONS(struct schema_settings),
	OPTIONS_END,
};

static void tell_contradiction(void *ctx, const char *text)
{
	struct tfr_error err = { .status = TFR_EDATA };

	snprintf(err.message, sizeof(err.message), "%s", text);
	cmd_error(ctx, &err);
}

static int print_schema(struct cmd *c, const struct tfr_survey *survey, enum tfr_schema_form form)
{
	struct tfr_error err = { 0 };
	char *text = NULL;
	size_t size;

	if (!tfr_survey_count(survey) && !tfr_survey_lists(survey)) {
		err.status = TFR_EDATA;
		snprintf(err.message, sizeof(err.message), "%s",
			tfr_survey_records(survey) ? "no record has a feature"
						   : "there are no records");
		return cmd_fail(c, &err);
	}
	tfr_survey_drift(survey, cmd_warn_text, c);
	tfr_survey_contradictions(survey, tell_contradiction, c);
	if (tfr_survey_schema(survey, form, &text, &size, &err))
		return cmd_fail(c, &err);
	fwrite(text, 1, size, stdout);
	free(text);
	return c->exit;
}

static int schema_main(struct cmd *c)
{
	const struct schema_settings *s = c->settings;
	struct tfr_survey_opts opts = { .first = s->sample };
	struct tfr_survey *survey = NULL;
	struct tfr_set *set = NULL;
	struct tfr_sweep_report report;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	if (s->json && s->emit && s->emit != TFR_SCHEMA_JSON)
		return cmd_usage(c, "--json is a form; it cannot go with another --emit");
	if (looking_start(c, &s->common, &opts.common, &set))
		return c->exit;
	status = tfr_survey_run(&survey, &opts, &report, &err);
	if (!looking_finish(c, status, &err))
		print_schema(c, survey, s->json ? TFR_SCHEMA_JSON : (enum tfr_schema_form)s->emit);
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
