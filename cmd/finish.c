/* cmd/finish.c - tfr finish: completes sets that were written in parts. */
#include "common/cmd.h"

struct finish_settings {
	uint64_t jobs;
	bool quick, quiet;
	int progress;
	struct expecting expect;
};

static const struct opt options[] = {
	OPT(FLAG, 0, "quick", NULL, NULL, "compare the sizes of shards, and read none of them",
		struct finish_settings, quick),
	OPT_EXPECT_OUTPUT(struct finish_settings, expect),
	OPT_JOBS(struct finish_settings, jobs),
	OPT_PROGRESS(struct finish_settings, progress),
	OPT_QUIET(struct finish_settings, quiet),
	OPTIONS_END,
};

static void print_end(struct cmd *c, const char *set, const struct tfr_finish_report *r)
{
	const struct tfr_part_tally *t = &r->tally;
	char name[4 * 4096], size[TFR_SIZE_TEXT], items[96] = "", left[64] = "";

	tfr_escape_line(name, sizeof(name), set);
	if (t->left)
		snprintf(left, sizeof(left), ", %llu in no set", (unsigned long long)t->left);
	if (t->read || t->skipped)
		snprintf(items, sizeof(items), "read %llu, skipped %llu%s, ",
			(unsigned long long)t->read, (unsigned long long)t->skipped, left);
	if (!r->parts)
		cmd_closing_line(c, "'%s' was finished before: %s, sum %016llx", name,
			tfr_format_counted(r->records, "record", items),
			(unsigned long long)r->sum);
	else
		cmd_closing_line(c, "'%s': %u part%s, %swritten %llu, %s, sum %016llx", name,
			r->parts, r->parts == 1 ? "" : "s", items, (unsigned long long)r->records,
			tfr_format_size(r->payload_bytes, size), (unsigned long long)r->sum);
}

static void finish_set(struct cmd *c, const char *set, const struct tfr_expect *expect)
{
	const struct finish_settings *s = c->settings;
	struct tfr_progress progress = { 0 };
	const struct tfr_finish_opts opts = {
		.threads = (unsigned)s->jobs,
		.quick = s->quick,
		.expect = *expect,
		.temporaries = cmd_temporaries(),
		.progress = &progress,
		.judge = tfr_convert_judge,
		.fault = cmd_missing,
		.ctx = c,
	};
	struct tfr_finish_report report;
	enum tfr_status status;
	struct tfr_error err;

	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_set_finish(set, &opts, &report, &err);
	cmd_progress_stop();
	if (status)
		cmd_error(c, &err);
	else
		print_end(c, set, &report);
}

static int finish_main(struct cmd *c)
{
	const struct finish_settings *s = c->settings;
	struct tfr_expect expect;

	c->quiet = s->quiet;
	if (!c->count)
		return cmd_usage(c, "no set: name sets that were written in parts");
	if (c->count > 1 && (s->expect.records || s->expect.sum))
		return cmd_usage(c, "--expect and --expect-sum go with one set");
	if (cmd_expect(c, &s->expect, &expect))
		return c->exit;
	for (size_t i = 0; i < c->count; i++)
		finish_set(c, c->operands[i], &expect);
	return c->exit;
}

const struct command cmd_finish = {
	.name = "finish",
	.operands = "SET...",
	.summary = "complete sets that were written in parts",
	.options = options,
	.settings_size = sizeof(struct finish_settings),
	.main = finish_main,
};
