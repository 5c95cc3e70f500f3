/* io/output_temporary.c - temporary files of outputs: of this run, and of another one that is
 * continued. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/output_state.h"
#include "io/path.h"
#include "io/temp_names.h"
#include "io/temp_registry.h"

enum { NAMES_TRIED = 16 };

/* --- temporary names --- */

/* Creates a file under the temporary name, or links the nameless file to it.  -1 with errno. */
static int create_named(struct tfr_output *o)
{
	if (o->state == TFR_OUTPUT_NAMELESS)
		return tfr_nameless_link(o->fd, o->temp);
	o->fd = TEMP_FAILURE_RETRY(
		open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
	if (o->fd < 0)
		return -1;
	/* Another run took the file for a leftover before it was locked, and removed its name. */
	if (TEMP_FAILURE_RETRY(flock(o->fd, LOCK_EX | LOCK_NB)) == 0 &&
		fstat(o->fd, &o->held) == 0 && tfr_file_is_named(&o->held, o->temp)) {
		o->owned = true;
		return 0;
	}
	if (errno != EWOULDBLOCK && errno != ENOENT)
		unlink(o->temp);
	else
		errno = EEXIST;
	close(o->fd);
	o->fd = -1;
	return -1;
}

/* Gives the file the first temporary name that is free. */
static int name_temporary(struct tfr_output *o)
{
	for (int tries = 0; tries < NAMES_TRIED; tries++) {
		o->token = tries ? tfr_random_token() : 0;
		free(o->temp);
		o->temp = tfr_hidden_name(o->called, o->token, "tmp");
		if (!o->temp) {
			errno = ENOMEM;
			return -1;
		}
		tfr_left_file_remove(o->temp);
		if (create_named(o) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* The same, and registers it for the signal handler. */
enum tfr_status tfr_output_take_temporary(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	sigset_t saved;

	tfr_temporaries_begin(o->temporaries, &saved);
	if (name_temporary(o) == 0) {
		o->state = TFR_OUTPUT_TEMPORARY;
		o->noted = tfr_temporaries_note(o->temporaries, o->temp);
		if (o->temporaries && !o->noted)
			status = tfr_fail_nomem(err, "creating a file");
	} else {
		status = tfr_fail_create(err, errno, tfr_output_called(o));
		free(o->temp);
		o->temp = NULL;
	}
	tfr_temporaries_end(o->temporaries, &saved);
	return status;
}

/* --- a file of another run --- */

static enum tfr_status cannot_resume(const struct tfr_output *o, struct tfr_error *err)
{
	return tfr_fail_path(
		err, TFR_EDATA, o->temp, "not the file that the run to be resumed wrote:");
}

/* A sealed temporary was published before the run ended. */
static bool has_its_name(struct tfr_output *o, uint64_t size)
{
	struct stat st;

	if (!o->path || lstat(o->temp, &st) == 0)
		return false;
	o->fd = TEMP_FAILURE_RETRY(open(o->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	o->owned = o->fd >= 0;
	if (o->owned && tfr_file_is_ours(o->fd, &o->held) && (uint64_t)o->held.st_size == size) {
		o->before = TFR_OUTPUT_TEMPORARY;
		o->state = TFR_OUTPUT_PUBLISHED;
		return true;
	}
	tfr_output_give_back(o);
	return false;
}

enum tfr_status tfr_output_open_again(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	o->token = opts->token;
	o->temp = tfr_hidden_name(o->called, o->token, "tmp");
	if (!o->temp)
		return tfr_fail_nomem(err, "creating a file");
	if (opts->sealed && has_its_name(o, *opts->resume))
		return TFR_OK;
	o->fd = TEMP_FAILURE_RETRY(open(o->temp, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	o->owned = o->fd >= 0;
	if (o->fd < 0 || !tfr_file_is_ours(o->fd, &o->held) ||
		(uint64_t)o->held.st_size < *opts->resume)
		return cannot_resume(o, err);
	if (TEMP_FAILURE_RETRY(flock(o->fd, LOCK_EX | LOCK_NB)))
		return errno == EWOULDBLOCK ? tfr_fail_path(err, TFR_ESYS, tfr_output_called(o),
						      "another run is writing")
					    : tfr_fail_errno(err, errno, o->temp, "cannot lock");
	o->state = TFR_OUTPUT_TEMPORARY;
	o->size = *opts->resume;
	if (TEMP_FAILURE_RETRY(ftruncate(o->fd, (off_t)o->size)) ||
		lseek(o->fd, (off_t)o->size, SEEK_SET) < 0)
		return tfr_fail_errno(err, errno, o->temp, "cannot truncate");
	if (o->brief)
		tfr_output_give_back(o);
	return TFR_OK;
}
