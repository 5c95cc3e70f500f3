/* cmd/shard/follow.c - a process that writes an epoch opens the FIFO, writes records and closes it.
 *
 * One of our descriptors is always open, so that no writer gets SIGPIPE.  The next one is opened
 * before the last one is closed.  Since it has seen no writer yet, poll() on it waits until one has
 * come, even if that writer has already gone.  A signal can end the process anywhere: an epoch that
 * is being written has only temporary files. */
#include "shard/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char PLACE[] = "{epoch}";

static int check(struct cmd *c, const struct tfr_convert_opts *o)
{
	struct stat st;

	if (o->input_count != 1 || tfr_stat(o->inputs[0], &st) || !S_ISFIFO(st.st_mode))
		return cmd_usage(c, "--follow reads one FIFO, as mkfifo creates it");
	if (o->from && strcmp(o->from, "records"))
		return cmd_usage(c, "--follow reads records");
	if (o->dry_run || o->resume)
		return cmd_usage(c, "--follow and %s exclude each other",
			o->resume ? "--resume" : "--dry-run");
	if (o->target_count != 1 || !strstr(o->targets[0].set, PLACE))
		return cmd_usage(c, "--follow needs one -o with '{epoch}' in its name, in place of "
				    "the number of the epoch");
	return 0;
}

/* Fills in the pattern with the epoch's number. */
static char *name_epoch(const char *pattern, unsigned long epoch)
{
	char number[24], *name, *to;
	size_t places = 0;

	snprintf(number, sizeof(number), "%lu", epoch);
	for (const char *p = pattern; (p = strstr(p, PLACE)); p++)
		places++;
	name = to = malloc(strlen(pattern) + places * sizeof(number) + 1);
	while (name && *pattern) {
		if (!strncmp(pattern, PLACE, strlen(PLACE))) {
			to = stpcpy(to, number);
			pattern += strlen(PLACE);
		} else {
			*to++ = *pattern++;
		}
	}
	if (name)
		*to = '\0';
	return name;
}

static int fail(struct cmd *c, const char *path)
{
	struct tfr_error err = { .status = TFR_ESYS };

	snprintf(err.message, sizeof(err.message), "cannot read '%s': %s", path, strerror(errno));
	return cmd_fail(c, &err);
}

/* Waits for a writer.  *fd becomes a descriptor that reads its bytes; the old one is closed.
 * Returns 0, or the exit status after a failure. */
static int wait_for_writer(struct cmd *c, const char *path, int *fd)
{
	struct pollfd ready = { .events = POLLIN };
	int last = *fd;

	for (;;) {
		ready.fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
		if (last >= 0)
			close(last);
		*fd = last = ready.fd;
		if (ready.fd < 0 || (poll(&ready, 1, -1) < 0 && errno != EINTR))
			return fail(c, path);
		if (ready.revents & POLLIN)
			break;
	}
	if (fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK))
		return fail(c, path);
	return 0;
}

int shard_follow(struct cmd *c, const struct tfr_convert_opts *o,
	int (*run)(struct cmd *c, struct tfr_convert_opts *o))
{
	int fd = -1;

	if (check(c, o))
		return c->exit;
	for (unsigned long epoch = 0; !c->exit; epoch++) {
		struct tfr_share target = o->targets[0];
		struct tfr_convert_opts own = *o;
		char *name = name_epoch(target.set, epoch);

		if (!name)
			return cmd_no_memory(c);
		target.set = name;
		own.from = "records";
		own.targets = &target;
		own.descriptor = &fd;
		if (!wait_for_writer(c, o->inputs[0], &fd))
			run(c, &own);
		free(name);
	}
	if (fd >= 0)
		close(fd);
	return c->exit;
}
