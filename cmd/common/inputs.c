/* cmd/common/inputs.c - the operands as inputs.
 *
 * An input that is also standard output is refused before it is read: reading it would never
 * end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cmd.h"

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

/* --- standard output that is also an input --- */

/* Whether standard output is a file on a disk, which can be an input. */
static bool stdout_is_file(struct stat *out)
{
	return fstat(STDOUT_FILENO, out) == 0 && S_ISREG(out->st_mode);
}

static bool is_file(const struct stat *out, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") ? tfr_stat(path, &st) : fstat(STDIN_FILENO, &st))
		return false;
	return st.st_ino == out->st_ino && st.st_dev == out->st_dev;
}

static int refuse_stdout(struct cmd *c, const char *path)
{
	if (!strcmp(path, "-"))
		return cmd_usage(c, "standard input and standard output are the same file");
	return cmd_usage(c, "the input '%s' is the file that standard output goes to", path);
}

int cmd_check_apart(struct cmd *c, const struct tfr_set *set)
{
	struct stat out;

	if (!stdout_is_file(&out))
		return 0;
	for (size_t i = 0; i < tfr_set_count(set); i++)
		if (is_file(&out, tfr_set_path(set, i)))
			return refuse_stdout(c, tfr_set_path(set, i));
	return 0;
}

/* Whether the operand can be opened: reading from a pipe would take bytes that the command
 * needs. */
static bool may_look(const char *input)
{
	struct stat st;

	return *input != '@' || (!tfr_stat(input + 1, &st) && S_ISREG(st.st_mode));
}

int cmd_check_operands_apart(struct cmd *c)
{
	struct stat out;

	if (!stdout_is_file(&out))
		return 0;
	for (size_t i = 0; i < c->count; i++) {
		struct tfr_set_opts opts = {
			.inputs = &c->operands[i], .count = 1, .allow_missing = true
		};
		struct tfr_set *set = NULL;

		if (is_file(&out, c->operands[i]))
			return refuse_stdout(c, c->operands[i]);
		if (may_look(c->operands[i]) && !tfr_set_open(&set, &opts, NULL))
			cmd_check_apart(c, set);
		tfr_set_close(set);
		if (c->exit)
			break;
	}
	return c->exit;
}
