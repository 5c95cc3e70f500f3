/* cmd/common/cmd.h - one run of a subcommand, and the functions that it can use.
 *
 * A subcommand is one `const struct command` and its row in the table of commands.c. */
#ifndef TFR_CMD_COMMON_CMD_H
#define TFR_CMD_COMMON_CMD_H

#include <stdio.h>

#include <tfr-private/tfr.h>

#include "common/opt.h"

/* The last row has no command. */
extern const struct command_row {
	const char *heading; /* of the group that begins with this command; NULL: none does */
	const struct command *command;
} commands[];

/* --- help (help.c) --- */

/* Finds a command by its name or alias.  NULL: none. */
const struct command *help_find_command(const char *name);
/* Fills the error, with a hint: the command that was probably meant. */
void help_unknown_command(const char *name, struct tfr_error *err);
void help_print_commands(FILE *f);
void help_print_command(const struct command *command);

/* One run of a command. */
struct cmd {
	const struct command *command;
	void *settings; /* the command's own struct, filled by its option table */
	const char **operands;
	size_t count;
	int argc;
	char **argv; /* of the process */
	char *line;  /* the command line, quoted if needed */
	int exit;    /* the highest status so far; cmd_error() and cmd_fail() raise it */
	bool quiet;
	/* --part: this process takes the input files, or writes the shards, part, part + parts, ...
	 * 0 parts: all of them. */
	uint32_t part, parts;
	/* Receives an error of data or of the system that ends the command, before it is printed:
	 * see findings_report_failures().  May be NULL. */
	void (*failed)(struct cmd *c, const struct tfr_error *err);
};

/* --- messages (messages.c) --- */

/* Prints "tfr NAME: message" and the hint, and raises the exit status. */
void cmd_error(struct cmd *c, const struct tfr_error *err);
/* The same, and returns the exit status: `return cmd_fail(c, &err);` */
int cmd_fail(struct cmd *c, const struct tfr_error *err);
/* "out of memory": as an error of the command, and as an error to return. */
int cmd_no_memory(struct cmd *c);
static inline enum tfr_status cmd_fill_no_memory(struct tfr_error *err)
{
	*err = (struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" };
	return TFR_ENOMEM;
}
/* Reports wrong usage, formatted as by printf; returns 2. */
int cmd_usage(struct cmd *c, const char *format, ...) TFR_PRINTF(2, 3);
/* The same with a hint, which may be NULL. */
int cmd_usage_hint(struct cmd *c, const char *hint, const char *format, ...) TFR_PRINTF(3, 4);
/* Reports that `value` is not one of the option's words: "--OPTION takes SAID, not 'value'", with a
 * hint.  SAID lists the words for the user; the hint is one of the words in the option's row. */
int cmd_usage_word(struct cmd *c, const char *option, const char *said, const char *value);
/* The same as cmd_error(), in the form of the library's callbacks: `ctx` is the struct cmd. */
void cmd_missing(void *ctx, const struct tfr_error *err);
/* "tfr NAME: warning: …"; the exit status does not change. */
void cmd_warn(struct cmd *c, const char *format, ...) TFR_PRINTF(2, 3);
/* Warns that `path` holds no records, which is valid but seldom intended.  An empty standard input
 * causes no warning. */
void cmd_warn_empty(struct cmd *c, const char *path);
/* cmd_warn() in the form of the library's callbacks: `ctx` is the struct cmd. */
void cmd_warn_text(void *ctx, const char *text);

/* Prints `n` bytes by tfr_escape_bytes().  Returns the number of bytes printed. */
int cmd_put_text(FILE *out, const char *text, size_t n);
/* Prints a word of a command line by tfr_escape_word().  False: out of memory. */
bool cmd_put_word(FILE *out, const char *word);
/* Prints "tfr NAME: message" and the hint; "tfr: message" if `name` is NULL. */
void cmd_print_error(const char *name, const struct tfr_error *err);

/* The line of --dry-run for an output file on standard output, with tabs between the columns. */
void cmd_print_planned(const char *path, uint64_t records, uint64_t bytes);

/* --- reports in JSON (messages.c) --- */

/* Opens the object of a report, with its "version"; `depth` as in tfr_json_pretty().  NULL: out of
 * memory; the functions of tfr_json ignore it, and cmd_print_json() reports it.
 * CMD_JSON_VERSION is raised when a key of any command is renamed or removed. */
enum { CMD_JSON_VERSION = 3 };
struct tfr_json *cmd_json_open(unsigned depth);
/* A content sum, as a string of hexadecimal digits. */
void cmd_json_sum(struct tfr_json *j, const char *key, uint64_t sum);
/* Prints the object as a line and frees it.  Returns the exit status: 3 if out of memory, or if
 * `to` is standard error and cannot be written. */
int cmd_print_json(struct cmd *c, struct tfr_json *j, FILE *to);

/* --- the standard streams (streams.c) --- */

/* Opens the closed ones as /dev/null, before any file is opened.  False: that failed. */
bool cmd_claim_streams(void);
/* Whether writing to standard output has failed; call it right after the write, so that errno is
 * kept for the message at the end. */
bool cmd_stdout_failed(void);
/* Flushes standard output at the end.  Returns `status`; if something was not written, prints that
 * and returns 3.  `name` of the command may be NULL. */
int cmd_finish_stdout(const char *name, int status);
/* Refuses to write binary data to a terminal without `force`.  0: accepted. */
int cmd_check_terminal(struct cmd *c, const char *output, bool force);

/* --- parts (part.c) --- */

/* Reads --part, "I/N", "auto/N" or "auto", into c->part and c->parts; the latter two ask the
 * environment.  NULL: not given.  On failure the error is printed and the exit status returned; 0
 * is success. */
int cmd_take_part(struct cmd *c, const char *text);
/* Refuses an option that a part cannot have, if both are given.  0: accepted. */
int cmd_refuse_in_part(struct cmd *c, bool given, const char *option, const char *hint);

/* --- inputs (inputs.c) --- */

/* Opens the operands as inputs; without any, standard input, unless it is a terminal.  On failure
 * the error is printed and the status returned; 0 is success. */
int cmd_open_inputs(struct cmd *c, bool allow_missing, struct tfr_set **set);
/* Refuses an input that is also standard output: reading it would never end.  0: accepted. */
int cmd_check_apart(struct cmd *c, const struct tfr_set *set);
/* The same for the operands of a command that does not open them with cmd_open_inputs(). */
int cmd_check_operands_apart(struct cmd *c);

/* The settings of --expect, --expect-sum and --allow-empty, as a member of the command's settings.
 */
struct expecting {
	const char *records, *sum;
	bool allow_empty;
};
/* Reads them.  On failure the error is printed and the exit status returned; 0 is success. */
int cmd_expect(struct cmd *c, const struct expecting *e, struct tfr_expect *expect);

/* --- the end by a signal (signals.c) --- */

/* The list of temporary files that a signal removes; give it to every output. */
struct tfr_temporaries *cmd_temporaries(void);
/* From now on, when the reader of a pipe has exited, the process removes its temporary files and
 * ends by SIGPIPE. */
void cmd_catch_pipe(void);
/* Whether SIGINT or SIGTERM was received, for a command that called cmd_catch_signals(), which also
 * ends requests for objects; a second one ends the process at once. */
const volatile bool *cmd_catch_signals(void);
/* Before the end: aborts the uploads that an error has left, and names those that remain. */
void cmd_abort_uploads(void);
/* After such a signal: flushes standard output and ends by the same signal.  Otherwise does
 * nothing. */
void cmd_end_of_signal(void);

/* --- what the options say about objects and memory (remote_options.c) --- */

/* Whether the command line has a URL, also in "NAME=URL", "@URL" and "--output=URL". */
bool cmd_names_object(const struct cmd *c);
/* Limits records to --memory.  Of a command that has a default for it, which is for more than a
 * record, 1 GiB is allowed in any case. */
void cmd_limit_records(const struct cmd *c);
/* Applies the options of objects, if the command line names any: their parts get a quarter of
 * --memory, and --tmpdir. */
int cmd_set_remote(struct cmd *c, const struct opt_remote_settings *s);
/* The next URL from `at` on in a word such as "--root=URL", "@URL" or "--mix=URL=1,URL=2", and its
 * size without a weight; NULL: there is none. */
char *cmd_next_url(char *const *argv, int i, char *at, size_t *size);

/* --- progress and the closing line (progress.c) --- */

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* Shows `p` on standard error every fifth of a second until stopped; AUTO: only if that is a
 * terminal. */
void cmd_progress_start(struct cmd *c, struct tfr_progress *p, enum progress_mode mode);
/* The same with the numbers of the library, which are valid only during its call: pass
 * cmd_show_progress() to it.  A signal ends the process, because this callback cannot cancel. */
void cmd_progress_follow(struct cmd *c, uint64_t total_bytes, enum progress_mode mode);
bool cmd_show_progress(void *ctx, const char *phase, const struct tfr_progress *p);
void cmd_progress_stop(void);
/* Wipes the bar until it is drawn next, so that a caller can print. */
void cmd_progress_hide(void);

/* Prints "tfr NAME: …", formatted as by printf, on standard error unless --quiet: the closing line.
 * On a terminal it is wrapped between words; elsewhere it is one line. */
void cmd_closing_line(struct cmd *c, const char *format, ...) TFR_PRINTF(2, 3);
/* The closing line of commands that move records. */
struct cmd_summary {
	uint64_t read, written, skipped, bad, sum;
	uint64_t bytes;	     /* of payloads, as written */
	uint64_t read_bytes; /* of the input, if that is not records; else 0 */
	double seconds;
	const char *kind; /* of the input, if it was detected; or NULL */
	bool dry_run; /* nothing was written; the numbers are those of a real run */
};
void cmd_print_summary(struct cmd *c, const struct cmd_summary *s);
/* Replaces it if an earlier run with --resume has done the work. */
void cmd_print_complete(struct cmd *c, uint64_t records, uint64_t sum);
/* Seconds since the start of the process. */
double cmd_seconds(void);

/* --- options that several commands share --- */

#define OPT_JOBS(settings, f)                                                                      \
	OPT(JOB, 'j', "jobs", "N", NULL, "use N processors; 0 means all of them [0]", settings, f)
#define OPT_RECORD_MEMORY(settings, f)                                                             \
	OPT(SIZE, 'm', "memory", "SIZE", NULL,                                                     \
		"refuse records that need more memory than SIZE [1GiB]", settings, f)
#define OPT_QUIET(settings, f)                                                                     \
	OPT(FLAG, 'q', "quiet", NULL, NULL, "no warnings, no closing line", settings, f)
#define OPT_FORCE(settings, f)                                                                     \
	OPT(FLAG, 'f', "force", NULL, NULL, "overwrite existing files", settings, f)
/* Read with cmd_take_part(). */
#define OPT_PART(settings, f)                                                                      \
	OPT(STRING, 0, "part", "I/N", NULL,                                                        \
		"take every Nth file from file I on, counted from 0; auto: ask the scheduler "     \
		"(tfr-cluster(7))",                                                                \
		settings, f)
#define OPT_DRY_RUN(settings, f)                                                                   \
	OPT(FLAG, 0, "dry-run", NULL, NULL, "print what would be written, and write nothing",      \
		settings, f)
#define OPT_JSON(settings, f)                                                                      \
	OPT(FLAG, 0, "json", NULL, NULL, "one JSON object in place of text", settings, f)
#define OPT_WHERE(settings, f)                                                                     \
	OPT(STRING, 0, "where", "EXPR", NULL,                                                      \
		"only records for which EXPR holds, such as 'image/class/label == 3'", settings,   \
		f)
#define OPT_MISSING(settings, f)                                                                   \
	OPT(FLAG, 0, "allow-missing", NULL, NULL, "continue when a set lacks members", settings, f)
/* `f` is a member of type struct expecting.  One macro is for commands that write nothing, the
 * other for commands that write. */
#define OPT_EXPECT(settings, f)                                                                    \
	OPT(STRING, 0, "expect", "N", NULL, "fail unless there are N records", settings,           \
		f.records),                                                                        \
		OPT(STRING, 0, "expect-sum", "SUM", NULL,                                          \
			"fail unless their content sum is SUM, as tfr count --sum prints it",      \
			settings, f.sum)
#define OPT_EXPECT_OUTPUT(settings, f)                                                             \
	OPT(STRING, 0, "expect", "N", NULL,                                                        \
		"write nothing and fail unless the input has N records", settings, f.records),     \
		OPT(STRING, 0, "expect-sum", "SUM", NULL,                                          \
			"likewise, unless their content sum is SUM, as tfr count --sum prints it", \
			settings, f.sum),                                                          \
		OPT(FLAG, 0, "allow-empty", NULL, NULL,                                            \
			"allow outputs without records, which are an error by default", settings,  \
			f.allow_empty)
#define OPT_GONE_COMPRESSION                                                                       \
	OPT_GONE("compression", "The compression of the input is detected from its contents.")
#define OPT_COMPRESS(settings, f)                                                                  \
	OPT(CHOICE, 'z', "compress", "KIND", "auto|none|gzip|zlib",                                \
		"compress the output: none, gzip or zlib [auto: gzip if the name ends in .gz]",    \
		settings, f)
#define OPT_LEVEL(settings, f)                                                                     \
	OPT(LEVEL, 0, NULL, NULL, NULL, "the compression level, from fastest to smallest [-2]",    \
		settings, f)
#define OPT_PROGRESS(settings, f)                                                                  \
	OPT(CHOICE, 0, "progress", "WHEN", "auto|always|never",                                    \
		"show progress: auto, always or never [auto: on a terminal]", settings, f)

#endif
