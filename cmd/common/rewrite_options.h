/* cmd/common/rewrite_options.h - what the commands that rewrite sets have in common
 * (shuffle-to-disk, resample, split, dedup): options, progress, warnings and the closing line. */
#ifndef TFR_CMD_COMMON_REWRITE_OPTIONS_H
#define TFR_CMD_COMMON_REWRITE_OPTIONS_H

#include "common/cmd.h"

/* A member `common` of the command's settings. */
struct rewriting {
	uint64_t jobs, seed;
	const char *where, *on_error;
	int compress, level, progress;
	bool force, allow_missing, dry_run, quiet, json;
	struct expecting expect;
};

/* Rows of the command's option table, for settings with a member `common`: the section "Input",
 * those of the sections "Output" and "Running" after the command's own. */
#define REWRITING_INPUT(settings)                                                                  \
	OPT_HEADING("Input"),                                                                      \
		OPT(STRING, 0, "where", "EXPR", NULL,                                              \
			"only records for which EXPR holds, such as 'image/class/label == 3'",     \
			settings, common.where),                                                   \
		OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",                         \
			"damaged records: fail, skip, or quarantine=FILE, which skips them and "   \
			"writes their bytes to FILE [fail]",                                       \
			settings, common.on_error),                                                \
		OPT_GONE_COMPRESSION, OPT_MISSING(settings, common.allow_missing)
#define REWRITING_OUTPUT(settings)                                                                 \
	OPT_FORCE(settings, common.force), OPT_COMPRESS(settings, common.compress),                \
		OPT_LEVEL(settings, common.level), OPT_EXPECT_OUTPUT(settings, common.expect),     \
		OPT_JSON(settings, common.json)
#define REWRITING_RUNNING(settings)                                                                \
	OPT_DRY_RUN(settings, common.dry_run), OPT_JOBS(settings, common.jobs),                    \
		OPT_PROGRESS(settings, common.progress), OPT_QUIET(settings, common.quiet)
#define OPT_MEMORY(what, settings, f)                                                              \
	OPT(SIZE, 'm', "memory", "SIZE", NULL, what " [1GiB]", settings, f)
#define OPT_TMPDIR(settings, f)                                                                    \
	OPT(LIST, 0, "tmpdir", "DIR", NULL,                                                        \
		"put temporary files in DIR; several times: spread over all [beside the output]",  \
		settings, f)
#define REWRITING_SEED(settings)                                                                   \
	OPT(COUNT, 0, "seed", "N", NULL, "another random choice for each N [0]", settings,         \
		common.seed)

/* Refuses to write to a terminal, and checks the name of the quarantine.  Returns the exit
 * status; 0 is success. */
int rewriting_check_output(struct cmd *c, const struct rewriting *r, const char *output);
/* Opens the operands and fills `o`; starts to show progress if requested.  On failure the error
 * is printed and the exit status returned; 0 is success. */
int rewriting_start(struct cmd *c, const struct rewriting *r, struct tfr_rewrite_opts *o,
	struct tfr_set **input);
/* Cleans up after rewriting_start(), whether it succeeded or not. */
void rewriting_close(struct tfr_rewrite_opts *o, struct tfr_set *input);
/* Ends the progress; prints `err` if there is a failure, otherwise the closing line. */
int rewriting_finish(struct cmd *c, const struct rewriting *r, enum tfr_status status,
	const struct tfr_rewrite_report *report, const struct tfr_error *err);
/* Where --json prints: standard error if standard output carries records. */
FILE *rewriting_json_file(const char *output);
/* Adds the members that every report has to an open object: records, bad, selected, written,
 * bytes, the sums, seconds. */
void rewriting_json(struct tfr_json *j, const struct tfr_rewrite_report *report);

#endif
