/* cmd/split.c - tfr split: records divided among sets by a hash. */
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "common/rewrite_options.h"
#include "split_report.h"

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
		if (rewriting_check_output(c, &s->common, set))
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

static void report(struct cmd *c, const struct tfr_split_report *r, const char *output)
{
	const struct split_settings *s = c->settings;

	cmd_progress_stop(); /* the tables come before the closing line */
	if (!c->quiet && !s->common.json)
		split_report_text(c, r);
	if (r->left)
		cmd_warn(c,
			"%llu of %llu records are in no set: the fractions add up to less than 1",
			(unsigned long long)r->left, (unsigned long long)r->common.taken);
	if (r->off)
		cmd_warn(c, "%llu records are beyond the exact counts: equal ones stay together",
			(unsigned long long)r->off);
	rewriting_finish(c, &s->common, TFR_OK, &r->common, NULL);
	if (s->stratify)
		cmd_closing_line(c, "the counts are exact, so new data may move old records to "
				    "another set");
	if (s->common.json)
		split_report_json(c, r, s->stratify, rewriting_json_file(output));
}

static int split(struct cmd *c, const struct tfr_share *shares, size_t count)
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

	if (rewriting_start(c, &s->common, &o.common, &input)) {
		rewriting_close(&o.common, input);
		return c->exit;
	}
	status = tfr_split(&o, &r, &err);
	if (status)
		rewriting_finish(c, &s->common, status, &r.common, &err);
	else
		report(c, &r, output_of(shares, count));
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
		split(c, shares, s->outputs.count);
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
