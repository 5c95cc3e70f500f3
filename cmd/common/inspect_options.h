/* cmd/common/inspect_options.h - the common options of commands that read every record and write
 * none: schema and stats. */
#ifndef TFR_CMD_COMMON_INSPECT_OPTIONS_H
#define TFR_CMD_COMMON_INSPECT_OPTIONS_H

#include "common/cmd.h"

/* A member `common` of the command's settings. */
struct looking {
	uint64_t jobs, max_record;
	const char *where;
	int on_error, progress;
	bool allow_missing, quiet;
};

/* Rows of the command's option table, for settings with a member `common`. */
#define LOOKING_INPUT(settings)                                                                    \
	OPT(STRING, 0, "where", "EXPR", NULL,                                                      \
		"only records for which EXPR holds, such as 'image/class/label == 3'", settings,   \
		common.where),                                                                     \
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

#endif
