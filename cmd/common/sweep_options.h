/* cmd/common/sweep_options.h - the common options of commands that read every record, and their
 * runs: those that write none (schema, stats), and those that rewrite sets (shuffle-to-disk,
 * resample, split, dedup). */
#ifndef TFR_CMD_COMMON_SWEEP_OPTIONS_H
#define TFR_CMD_COMMON_SWEEP_OPTIONS_H

#include "common/cmd.h"

/* --- commands that write no records --- */

/* A member `common` of the command's settings. */
struct looking {
	uint64_t jobs, max_record;
	const char *where;
	int on_error, progress;
	bool allow_missing, quiet;
};

/* Rows of the command's option table, for settings with a member `common`. */
#define LOOKING_INPUT(settings)                                                                    \
	OPT_WHERE(settings, common.where),                                                         \
		OPT(CHOICE, 0, "on-error", "HOW", "fail|skip",                                     \
			"damaged records: fail, or skip them with a warning [fail]", settings,     \
			common.on_error),                                                          \
		OPT_GONE_COMPRESSION, OPT_MISSING(settings, common.allow_missing)
#define LOOKING_RUNNING(settings)                                                                  \
	OPT_JOBS(settings, common.jobs), OPT_PROGRESS(settings, common.progress),                  \
		OPT_QUIET(settings, common.quiet)

/* Fills the options of a sweep over `input` from the common options. */
struct tfr_sweep_opts looking_sweep(
	struct cmd *c, const struct looking *l, const struct tfr_set *input);
/* Opens the operands and fills `o`; starts to show progress if requested.  On failure the error
 * is printed and the exit status returned; 0 is success. */
int looking_start(
	struct cmd *c, const struct looking *l, struct tfr_sweep_opts *o, struct tfr_set **input);
/* Ends the progress; prints `err` if there is a failure.  Returns the exit status. */
int looking_finish(struct cmd *c, enum tfr_status status, const struct tfr_error *err);

/* --- commands that rewrite sets --- */

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
	OPT_HEADING("Input"), OPT_WHERE(settings, common.where),                                   \
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
int rewriting_prepare_output(struct cmd *c, const struct rewriting *r, const char *output);
/* Opens the operands and fills `o`; starts to show progress if requested.  On failure the error
 * is printed and the exit status returned; 0 is success. */
int rewriting_start(struct cmd *c, const struct rewriting *r, struct tfr_rewrite_opts *o,
	struct tfr_set **input);
/* Cleans up after a rewriting_start() that succeeded. */
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
