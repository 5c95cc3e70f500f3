/* cmd/common/streams.c - the three standard streams: open before any file is, and checked at the
 * end.
 *
 * A file that is opened while a standard descriptor is closed gets that number, and then
 * messages are written into it.  So /dev/null takes the number of each closed descriptor, opened
 * in the other direction: using the stream still fails. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cmd.h"

bool cmd_claim_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

/* errno of the first failure that cmd_stdout_failed() saw; what runs later changes errno. */
static int stdout_error;

bool cmd_stdout_failed(void)
{
	if (ferror(stdout) && !stdout_error)
		stdout_error = errno ? errno : EIO;
	return stdout_error != 0;
}

int cmd_finish_stdout(const char *name, int status)
{
	int error = cmd_stdout_failed() ? stdout_error : 0;

	if (fflush(stdout) && !error)
		error = errno;
	if (!error)
		return status;
	fprintf(stderr, "tfr%s%s: cannot write to standard output: %s\n", name ? " " : "",
		name ? name : "", strerror(error));
	return 3;
}

struct tfr_json *cmd_json_open(unsigned depth)
{
	struct tfr_json *j = tfr_json_new();

	if (depth)
		tfr_json_pretty(j, depth);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "version", CMD_JSON_VERSION);
	return j;
}

void cmd_json_sum(struct tfr_json *j, const char *key, uint64_t sum)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)sum);
	tfr_json_string(j, key, text);
}

int cmd_print_json(struct cmd *c, struct tfr_json *j, FILE *to)
{
	const char *text = tfr_json_text(j, NULL);
	bool made = text, written = text && fprintf(to, "%s\n", text) > 0;

	tfr_json_free(j);
	if (!made)
		return cmd_no_memory(c);
	/* A failure to write to standard output is noticed at the end. */
	if (!written && to == stderr)
		c->exit = 3;
	return c->exit;
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

static int refuse(struct cmd *c, const char *path)
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
			return refuse(c, tfr_set_path(set, i));
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
			return refuse(c, c->operands[i]);
		if (may_look(c->operands[i]) && !tfr_set_open(&set, &opts, NULL))
			cmd_check_apart(c, set);
		tfr_set_close(set);
		if (c->exit)
			break;
	}
	return c->exit;
}
