/* io/remote/command.c - runs a command that prints credentials.
 *
 * The line is split into words as the vendors' tools do, by spaces and quotes, and no shell sees
 * it. The command's messages go to standard error. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/remote/credentials.h"

enum { WORDS = 64, OUTPUT_MOST = 64 << 10, SECONDS = 60 };

extern char **environ;

/* Splits in place.  False: an open quote, or too many words. */
static bool split(char *line, char **words)
{
	char *to = line;
	size_t n = 0;

	while (*line) {
		char quote = '\0';

		while (*line == ' ' || *line == '\t')
			line++;
		if (!*line)
			break;
		if (n == WORDS - 1)
			return false;
		words[n++] = to;
		for (; *line && (quote || (*line != ' ' && *line != '\t')); line++) {
			if (quote ? *line == quote : (*line == '"' || *line == '\''))
				quote = quote ? '\0' : *line;
			else if (*line == '\\' && quote != '\'' && line[1])
				*to++ = *++line;
			else
				*to++ = *line;
		}
		if (quote)
			return false;
		line += *line != '\0';
		*to++ = '\0';
	}
	words[n] = NULL;
	return n;
}

static enum tfr_status read_output(
	int fd, uint64_t end, const char *what, struct tfr_buf *output, struct tfr_error *err)
{
	ssize_t n = 1;

	while (n) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		uint64_t now = tfr_clock_ns();

		if (now >= end)
			return tfr_fail(err, TFR_ESYS, "%s runs longer than a minute", what);
		if (poll(&ready, 1, (int)((end - now) / 1000000) + 1) <= 0)
			continue;
		if (output->size > OUTPUT_MOST || !tfr_buf_reserve(output, 4096))
			return tfr_fail(err, TFR_ESYS, "%s prints more than 64 KiB", what);
		n = read(fd, output->data + output->size, 4096);
		if (n < 0 && errno != EINTR)
			return tfr_fail_errno(err, errno, NULL, "cannot read what %s prints", what);
		output->size += n > 0 ? (size_t)n : 0;
	}
	return tfr_buf_append(output, "", 1) ? TFR_OK : tfr_fail_nomem(err, "reading credentials");
}

static enum tfr_status start(
	pid_t *pid, int *fd, char *const *words, const char *what, struct tfr_error *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int pipes[2], failed;

	if (pipe2(pipes, O_CLOEXEC))
		return tfr_fail_errno(err, errno, NULL, "cannot run %s", what);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none); /* the engine's thread blocks all signals */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	failed = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(pipes[1]);
	*fd = pipes[0];
	if (!failed)
		return TFR_OK;
	close(pipes[0]);
	return tfr_fail_errno(err, failed, NULL, "cannot run %s", what);
}

/* A command may close its output and run on.  -1: it was killed for that. */
static int wait_for(pid_t pid, uint64_t end)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	pid_t ended;
	int result = 0;

	while ((ended = waitpid(pid, &result, WNOHANG)) != pid) {
		if (ended < 0 && errno != EINTR) /* a program that ignores SIGCHLD */
			return 0;
		if (tfr_clock_ns() >= end) {
			kill(pid, SIGKILL);
			(void)TEMP_FAILURE_RETRY(waitpid(pid, &result, 0));
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return result;
}

enum tfr_status tfr_run_command(
	const char *line, const char *what, struct tfr_buf *output, struct tfr_error *err)
{
	TFR_AUTO_FREE char *copy = strdup(line);
	char *words[WORDS];
	enum tfr_status status;
	int fd = -1, result;
	uint64_t end;
	pid_t pid;

	TFR_NEED_MEMORY(copy, err, "reading credentials");
	if (!split(copy, words))
		return tfr_fail(err, TFR_EUSAGE, "%s is not a command line", what);
	TFR_TRY(start(&pid, &fd, words, what, err));
	end = tfr_clock_ns() + SECONDS * UINT64_C(1000000000);
	status = read_output(fd, end, what, output, err);
	close(fd);
	result = wait_for(pid, status ? 0 : end);
	if (!status && result < 0)
		status = tfr_fail(err, TFR_ESYS, "%s runs longer than a minute", what);
	else if (!status && result)
		status = tfr_fail(err, TFR_ESYS, "%s fails with status %d", what,
			WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result));
	return status;
}
