/* cmd/stats/stats.c - tfr stats: how the values of a set are distributed, and how its records are
 * mixed.
 *
 * The figures come from records, or, with --merge, from kept statistics; both give the same output.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cmd.h"
#include "common/sweep_options.h"
#include "stats/stats.h"

enum { BATCH_MAX = 1 << 20 };

struct stats_settings {
	struct looking common;
	const char *html, *order, *part;
	uint64_t batch, buffer;
	bool merge, json, force;
};

static const struct stats_settings defaults = { .batch = 64, .buffer = 2048 };

static const struct opt options[] = {
	OPT(FLAG, 0, "merge", NULL, NULL,
		"each FILE is the output of --json: print the statistics of all together",
		struct stats_settings, merge),
	OPT(STRING, 0, "order", "FEATURE", NULL,
		"print how well the records are mixed, by the classes in FEATURE",
		struct stats_settings, order),
	OPT(COUNT, 0, "batch", "N", NULL, "with --order: the records in a batch [64]",
		struct stats_settings, batch),
	OPT(COUNT, 0, "shuffle-buffer", "N", NULL,
		"with --order: the records in the shuffle buffer [2048]", struct stats_settings,
		buffer),
	OPT(STRING, 0, "html", "FILE", NULL,
		"write a page of histograms and, unless --merge is given, a few records",
		struct stats_settings, html),
	OPT_FORCE(struct stats_settings, force),
	OPT_JSON(struct stats_settings, json),
	LOOKING_INPUT(struct stats_settings),
	OPT_PART(struct stats_settings, part),
	OPT_RECORD_MEMORY(struct stats_settings, common.max_record),
	LOOKING_RUNNING(struct stats_settings),
	OPTIONS_END,
};

struct stats_run {
	struct cmd *c;
	const struct stats_settings *s;
	struct stats stats;
	struct tfr_order_report order;
	const struct tfr_sweep_opts *input; /* NULL: merged */
};

static enum tfr_status print_json(struct stats_run *r, struct tfr_error *err)
{
	struct tfr_json *j = cmd_json_open(2);
	enum tfr_status status;

	if (r->s->order)
		stats_json_order(j, r->s->order, &r->order);
	status = tfr_survey_json(r->stats.survey, j, err);
	tfr_json_close_object(j);
	if (status)
		tfr_json_free(j);
	else
		cmd_print_json(r->c, j, stdout);
	return status;
}

static enum tfr_status sum_up(struct stats *s, struct tfr_error *err)
{
	struct tfr_survey_totals totals = tfr_survey_totals(s->survey);
	size_t n = totals.features;
	size_t all = n + (totals.lists ? tfr_survey_totals(totals.lists).features : 0);

	s->totals = totals;
	TFR_TRY(tfr_survey_sizes(s->survey, &s->sizes, err));
	s->features = calloc(all + 1, sizeof(*s->features));
	if (!s->features)
		return cmd_fill_no_memory(err);
	for (struct tfr_feature_stats *f = s->features; s->n < all; f++, s->n++)
		TFR_TRY(s->n < n ? tfr_survey_feature(s->survey, s->n, f, err)
				 : tfr_survey_feature(totals.lists, s->n - n, f, err));
	return TFR_OK;
}

/* No record has a value of the feature that --order names: suggests a name that may be meant. */
static void report_missing(struct stats_run *r)
{
	struct tfr_feature_watch *names = tfr_feature_watch_new();
	const char *name, *meant;

	if (!names || !tfr_feature_watch_add(names, r->s->order)) {
		cmd_no_memory(r->c);
		tfr_feature_watch_free(names);
		return;
	}
	for (size_t i = 0; i < r->stats.n && i < r->stats.totals.features; i++) {
		const char *known = r->stats.features[i].name;

		tfr_feature_watch_look_at(names, known, strlen(known));
	}
	if (tfr_feature_watch_missing(names, 0, &name, &meant))
		tfr_feature_watch_report(names, cmd_missing, cmd_warn_text, r->c);
	else
		cmd_warn(r->c, "no record has a value of '%s'", r->s->order);
	tfr_feature_watch_free(names);
}

static enum tfr_status print_statistics(struct stats_run *r, struct tfr_error *err)
{
	const struct stats_settings *s = r->s;
	struct show_html_opts page = { .path = s->html,
		.force = s->force,
		.command = "stats",
		.title = "Statistics of",
		.inputs = r->c->operands,
		.input_count = r->c->count,
		.values = 8,
		.limited = true };

	if (s->json)
		TFR_TRY(print_json(r, err));
	if (s->order && !s->json)
		TFR_TRY(stats_print_order(s->order, &r->order, err));
	if (s->order && !s->json && !s->html)
		putchar('\n');
	if (!s->json && !s->html)
		TFR_TRY(stats_print(&r->stats, err));
	if (!s->html)
		return TFR_OK;
	return stats_html(&page, &r->stats, r->input, err);
}

static int report_statistics(struct stats_run *r)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = sum_up(&r->stats, &err);

	if (r->s->order && !r->order.records && r->order.absent)
		report_missing(r);
	if (!status)
		status = print_statistics(r, &err);
	return status ? cmd_fail(r->c, &err) : r->c->exit;
}

/* --- the sources of the statistics --- */

/* The first file becomes the survey that the others are added to. */
static enum tfr_status merge_file(struct stats_run *r, const char *path, struct tfr_error *err)
{
	struct tfr_survey *read = NULL;
	enum tfr_status status;

	TFR_TRY(tfr_survey_read(&read, path, err));
	if (!r->stats.survey) {
		r->stats.survey = read;
		return TFR_OK;
	}
	status = tfr_survey_merge(r->stats.survey, read, err);
	tfr_survey_free(read);
	return status;
}

static int merge_surveys(struct stats_run *r)
{
	struct tfr_error err = { 0 };

	r->c->quiet = r->s->common.quiet;
	if (!r->c->count)
		return cmd_usage(r->c, "--merge takes the files that --json wrote");
	for (size_t i = 0; i < r->c->count; i++)
		if (merge_file(r, r->c->operands[i], &err))
			return cmd_fail(r->c, &err);
	return report_statistics(r);
}

/* --order and the records on a page need a second pass over the inputs. */
static int check_files(struct cmd *c, const struct tfr_set *set)
{
	struct stat st;

	for (size_t i = 0; i < tfr_set_count(set); i++) {
		const char *path = tfr_set_path(set, i);

		if (!strcmp(path, "-") || (!tfr_stat(path, &st) && !S_ISREG(st.st_mode)))
			return cmd_usage(c,
				"--order and --html read their input again; '%s' can be read once",
				path);
	}
	return 0;
}

static int survey_inputs(struct stats_run *r)
{
	const struct stats_settings *s = r->s;
	struct tfr_survey_opts opts = { .values = true };
	struct tfr_order_opts order = { .label = s->order, .batch = s->batch, .buffer = s->buffer };
	struct tfr_set *set = NULL;
	struct tfr_sweep_report report;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	if (looking_start(r->c, &s->common, &opts.common, &set))
		return r->c->exit;
	order.common = opts.common;
	r->input = &opts.common;
	if ((s->order || s->html) && check_files(r->c, set)) {
		cmd_progress_stop();
		tfr_set_close(set);
		return r->c->exit;
	}
	status = tfr_survey_run(&r->stats.survey, &opts, &report, &err);
	if (!status && s->order)
		status = tfr_order(&order, &r->order, &err);
	if (!looking_finish(r->c, status, &err))
		report_statistics(r);
	tfr_set_close(set);
	return r->c->exit;
}

static int check_usage(struct cmd *c, const struct stats_settings *s)
{
	if (s->merge && (s->order || s->common.where || s->common.on_error))
		return cmd_usage(c, "--merge reads no records; it cannot go with --order, --where "
				    "or --on-error");
	if (!s->order && (s->batch != defaults.batch || s->buffer != defaults.buffer))
		return cmd_usage(c, "--batch and --shuffle-buffer go with --order");
	if (!s->batch || s->batch > BATCH_MAX || !s->buffer)
		return cmd_usage(
			c, "--batch takes 1 to %d, and --shuffle-buffer 1 or more", BATCH_MAX);
	if (s->force && !s->html)
		return cmd_usage(c, "--force goes with --html");
	return 0;
}

static int stats_main(struct cmd *c)
{
	struct stats_run r = { .c = c, .s = c->settings };

	if (check_usage(c, r.s) || cmd_take_part(c, r.s->part) ||
		cmd_refuse_in_part(
			c, r.s->merge, "--merge", "It adds up the statistics of all parts."))
		return c->exit;
	if (r.s->merge)
		merge_surveys(&r);
	else
		survey_inputs(&r);
	for (size_t i = 0; i < r.stats.n; i++)
		tfr_feature_stats_clear(&r.stats.features[i]);
	free(r.stats.features);
	free(r.stats.sizes.bins);
	tfr_survey_free(r.stats.survey);
	return c->exit;
}

const struct command cmd_stats = {
	.name = "stats",
	.operands = "[FILE]...",
	.summary = "distributions of values, and how well records are mixed",
	.options = options,
	.settings_size = sizeof(struct stats_settings),
	.defaults = &defaults,
	.main = stats_main,
};
