/* cmd/common/signals.c - ends the process by the signal that it received, without temporary files
 * and unfinished uploads.
 *
 * A command that only removes files ends in the handler.  One that called cmd_catch_signals()
 * reads a flag and ends itself; a second signal does not wait for that. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cmd.h"

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

static void install_handler(void (*handler)(int))
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
		install_handler(on_signal);
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
	install_handler(on_first_signal);
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
