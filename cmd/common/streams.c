/* cmd/common/streams.c - the three standard streams: open before any file is, and checked at the
 * end.
 *
 * A file that is opened while a standard descriptor is closed gets that number, and then
 * messages are written into it.  So /dev/null takes the number of each closed descriptor, opened
 * in the other direction: using the stream still fails. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

int cmd_check_terminal(struct cmd *c, const char *output, bool force)
{
	struct tfr_error err = { .status = TFR_EUSAGE,
		.message = "records are binary and standard output is a terminal" };

	if (strcmp(output, "-") || force || !isatty(STDOUT_FILENO))
		return 0;
	tfr_error_hint(&err, "Name a file with -o, or give -f.");
	return cmd_fail(c, &err);
}
