/* cmd/common/rewrite_options.h - the common parts of commands that rewrite sets
 * (shuffle-to-disk, resample, split, dedup): options, progress, warnings and the closing line. */
#ifndef TFR_CMD_COMMON_REWRITE_OPTIONS_H
#define TFR_CMD_COMMON_REWRITE_OPTIONS_H

#include "common/cmd.h"

/* A member `common` of the command's settings. */
struct rewriting {
	uint64_t jobs, seed;
	const char *where, *on_error;
	int compress, level, compression, progress;
	bool force, allow_missing, quiet, json;
	struct expecting expect;
};

/* Rows of the command's option table, for settings with a member `common`. */
#define REWRITING_OPTIONS(settings)                                                                \
	OPT(COUNT, 0, "seed", "N", NULL, "another draw for each N [0]", settings, common.seed),    \
		REWRITING_OPTIONS_BUT_SEED(settings)
/* For commands without random choices. */
#define REWRITING_OPTIONS_BUT_SEED(settings)                                                       \
	OPT(STRING, 0, "where", "EXPR", OPT_EXPRESSION,                                            \
		"only records for which EXPR holds, such as 'image/class/label == 3'", settings,   \
		common.where),                                                                     \
		OPT_FORCE(settings, common.force), OPT_COMPRESS(settings, common.compress),        \
		OPT_LEVEL(settings, common.level),                                                 \
		OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",                         \
			"damaged records: fail, or skip them with a warning, or put their bytes "  \
			"into a FILE [fail]",                                                      \
			settings, common.on_error),                                                \
		OPT_EXPECT_OUTPUT(settings, common.expect),                                        \
		OPT_COMPRESSION(settings, common.compression),                                     \
		OPT_MISSING(settings, common.allow_missing), OPT_JOBS(settings, common.jobs),      \
		OPT_JSON(settings, common.json), OPT_PROGRESS(settings, common.progress),          \
		OPT_QUIET(settings, common.quiet)

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
int rewriting_finish(struct cmd *c, enum tfr_status status, const struct tfr_rewrite_report *report,
	const struct tfr_error *err);
/* Where --json prints: standard error if standard output carries records. */
FILE *rewriting_json_file(const char *output);
/* Adds the members that every report has to an open object: records, bad, selected, written,
 * bytes, the sums, seconds. */
void rewriting_json(struct tfr_json *j, const struct tfr_rewrite_report *report);

#endif
