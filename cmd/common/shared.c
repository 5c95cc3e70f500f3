/* cmd/common/shared.c - errors, warnings, inputs, outputs and signals, the same in every
 * command. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cmd.h"

void cmd_print_error(const char *name, const struct tfr_error *err)
{
	const char *hint = tfr_error_hint_text(err);
	char text[4 * TFR_ERROR_TEXT + 1024];

	cmd_progress_hide();
	fprintf(stderr, "tfr%s%s: %s\n", name ? " " : "", name ? name : "",
		tfr_error_format(err, text, sizeof(text)));
	if (*hint)
		fprintf(stderr, "hint: %s\n", tfr_escape_line(text, sizeof(text), hint));
}

void cmd_error(struct cmd *c, const struct tfr_error *err)
{
	int status = tfr_status_exit_code(err->status);

	cmd_print_error(c->command->name, err);
	if (c->exit < status)
		c->exit = status;
}

void cmd_missing(void *ctx, const struct tfr_error *err)
{
	cmd_error(ctx, err);
}

int cmd_fail(struct cmd *c, const struct tfr_error *err)
{
	void (*failed)(struct cmd * c, const struct tfr_error *err) = c->failed;

	c->failed = NULL; /* it may fail, too */
	if (failed && err->status != TFR_EUSAGE)
		failed(c, err);
	cmd_error(c, err);
	return c->exit;
}

int cmd_no_memory(struct cmd *c)
{
	struct tfr_error err;

	cmd_fill_no_memory(&err);
	return cmd_fail(c, &err);
}

int cmd_usage(struct cmd *c, const char *format, ...)
{
	struct tfr_error err = { .status = TFR_EUSAGE };
	va_list args;

	va_start(args, format);
	vsnprintf(err.message, sizeof(err.message), format, args);
	va_end(args);
	return cmd_fail(c, &err);
}

int cmd_usage_word(struct cmd *c, const char *option, const char *said, const char *value)
{
	struct tfr_error err = { .status = TFR_EUSAGE };

	snprintf(err.message, sizeof(err.message), "--%s takes %s, not '%s'", option, said, value);
	for (const struct opt *o = c->command->options; o->type; o++)
		if (opt_is_option(o) && o->name && !strcmp(o->name, option) && o->values)
			opt_hint_word(o->values, value, &err);
	return cmd_fail(c, &err);
}

void cmd_warn(struct cmd *c, const char *format, ...)
{
	char text[4400], escaped[4 * sizeof(text)];
	va_list args;

	if (c->quiet)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cmd_progress_hide();
	fprintf(stderr, "tfr %s: warning: %s\n", c->command->name,
		tfr_escape_line(escaped, sizeof(escaped), text));
}

void cmd_warn_empty(struct cmd *c, const char *path)
{
	if (strcmp(path, "-"))
		cmd_warn(c, "'%s' holds no records", path);
}

void cmd_warn_text(void *ctx, const char *text)
{
	cmd_warn(ctx, "%s", text);
}

int cmd_expect(struct cmd *c, const struct expecting *e, struct tfr_expect *expect)
{
	static const char digits[] = "0123456789", hex[] = "0123456789abcdefABCDEF";
	char *end;

	*expect = (struct tfr_expect){
		.allow_empty = e->allow_empty, .has_records = e->records, .has_sum = e->sum
	};
	errno = 0;
	if (e->records)
		expect->records = strtoull(e->records, &end, 10);
	if (e->records && (errno || !*e->records || e->records[strspn(e->records, digits)]))
		return cmd_usage(c, "--expect takes a number of records, not '%s'", e->records);
	if (e->sum && (strlen(e->sum) != 16 || strspn(e->sum, hex) != 16))
		return cmd_usage(c,
			"--expect-sum takes 16 hexadecimal digits, as 'tfr count --sum' prints "
			"them, not '%s'",
			e->sum);
	if (e->sum)
		expect->sum = strtoull(e->sum, NULL, 16);
	return 0;
}

int cmd_put_text(FILE *out, const char *text, size_t n)
{
	int printed = 0;

	for (size_t len; n; text += len, n -= len) {
		len = tfr_text_harmless(text, n);
		printed += len ? (int)fwrite(text, 1, len, out)
			       : fprintf(out, "\\x%02x", (unsigned char)*text);
		len = len ? len : 1;
	}
	return printed;
}

bool cmd_put_word(FILE *out, const char *word)
{
	char *text = tfr_escape_word(word);

	if (text)
		fputs(text, out);
	free(text);
	return text;
}

int cmd_open_inputs(struct cmd *c, bool allow_missing, struct tfr_set **set)
{
	static const char *const standard_input[] = { "-" };
	struct tfr_set_opts opts = {
		.inputs = c->operands,
		.count = c->count,
		.allow_missing = allow_missing,
		.part = c->part,
		.parts = c->parts,
		.warn = cmd_warn_text,
		.ctx = c,
	};
	struct tfr_error err;

	if (!c->count && c->parts)
		return cmd_usage(c, "--part divides files, and there is no input: name files");
	if (!c->count) {
		if (isatty(STDIN_FILENO))
			return cmd_usage(c, "no input: name files, or '-' for standard input");
		opts.inputs = standard_input;
		opts.count = 1;
	}
	if (tfr_set_open(set, &opts, &err))
		return cmd_fail(c, &err);
	if (c->parts && !tfr_set_count(*set))
		cmd_closing_line(c, "part %u of %u has no files: there are fewer files than parts",
			c->part, c->parts);
	if (!cmd_check_apart(c, *set))
		return 0;
	tfr_set_close(*set);
	*set = NULL;
	return c->exit;
}

int cmd_check_terminal(struct cmd *c, const char *output, bool force)
{
	struct tfr_error err = { .status = TFR_EUSAGE,
		.message = "records are binary and standard output is a terminal" };

	if (strcmp(output, "-") || force || !isatty(STDOUT_FILENO))
		return 0;
	tfr_error_hint(&err, "Name a file with -o, or give -f.");
	return cmd_fail(c, &err);
}

/* --- signals --- */

static struct tfr_temporaries *temporaries;
static volatile bool interrupted;
static volatile sig_atomic_t interrupted_by;

static void die_of(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void name_uploads(const char *left)
{
	static const char what[] = "tfr: could not abort the uploads of ";

	if (*left && write(STDERR_FILENO, what, sizeof(what) - 1) > 0 &&
		write(STDERR_FILENO, left, strlen(left)) > 0)
		left = write(STDERR_FILENO, "\n", 1) > 0 ? "" : left;
}

/* Removes the temporary files and ends by the signal, so that a shell sees the reason.  The default
 * action is only taken when the handler returns and the signal is unblocked. */
static void on_signal(int signal_number)
{
	name_uploads(tfr_temporaries_unlink(temporaries));
	die_of(signal_number);
}

void cmd_abort_uploads(void)
{
	name_uploads(tfr_objects_abort(true));
}

static void install(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handler }, old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN) /* nohup, or a shell's background job */
			sigaction(signals[i], &action, NULL);
	}
}

struct tfr_temporaries *cmd_temporaries(void)
{
	if (!temporaries) {
		temporaries = tfr_temporaries_new();
		install(on_signal);
	}
	return temporaries;
}

/* Even if our parent ignores or blocks it: `yes | head` ends quietly everywhere. */
void cmd_catch_pipe(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigaction(SIGPIPE, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

static void on_first_signal(int signal_number)
{
	interrupted_by = signal_number;
	interrupted = true;
	signal(signal_number, temporaries ? on_signal : SIG_DFL);
}

const volatile bool *cmd_catch_signals(void)
{
	install(on_first_signal);
	tfr_objects_stop(&interrupted);
	return &interrupted;
}

void cmd_end_of_signal(void)
{
	if (!interrupted)
		return;
	fflush(stdout);
	cmd_abort_uploads();
	die_of(interrupted_by);
}
