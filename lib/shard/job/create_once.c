/* shard/job/create_once.c - a file that appears complete, and for one process only.
 *
 * A complete file gets its name by a second link, which network file systems make in one step; an
 * object is created by a conditional request.  Nothing here depends on locks. */
#include "shard/job/create_once.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/object.h"
#include "io/output.h"
#include "io/path.h"

uint64_t tfr_draw_number(void)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		number = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&number;
	return number;
}

static enum tfr_status write_file(
	const char *path, const void *data, size_t size, struct tfr_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), failed = 0;
	const char *p = data;

	if (fd < 0)
		return tfr_fail_create(err, errno, path);
	while (size && !failed) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno != EINTR)
			failed = errno;
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	if (!failed && fsync(fd))
		failed = errno;
	if (close(fd) && !failed)
		failed = errno;
	if (!failed)
		return TFR_OK;
	unlink(path);
	return tfr_fail_errno(err, failed, path, "cannot write");
}

static enum tfr_status create_local(
	const char *path, const void *data, size_t size, struct tfr_error *err)
{
	TFR_AUTO_FREE char *temporary =
		tfr_asprintf("%s.%016llx", path, (unsigned long long)tfr_draw_number());
	enum tfr_status status = temporary ? write_file(temporary, data, size, err)
					   : tfr_fail_nomem(err, "creating a file");
	struct stat st;
	int failed;

	if (status)
		return status;
	failed = link(temporary, path) ? errno : 0;
	/* A network file system repeats a call whose answer was lost, and then says EEXIST. */
	if (failed && !stat(temporary, &st) && st.st_nlink == 2)
		failed = 0;
	/* A file system without links: a rename that replaces nothing. */
	if ((failed == EPERM || failed == ENOTSUP || failed == ENOSYS) &&
		!renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
		failed = 0;
	unlink(temporary);
	if (!failed)
		return tfr_sync_directory_of(path, err);
	if (failed == EEXIST)
		return tfr_fail_path(err, TFR_EEXIST, path, "will not overwrite");
	return tfr_fail_create(err, failed, path);
}

enum tfr_status tfr_create_once(const char *path, const void *data, size_t size,
	struct tfr_temporaries *temporaries, struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .temporaries = temporaries };

	return tfr_is_url(path) ? tfr_output_whole(path, &opts, data, size, err)
				: create_local(path, data, size, err);
}

void tfr_remove_once(const char *path)
{
	const struct tfr_object_module *calls;

	if (!tfr_is_url(path))
		unlink(path);
	else if (!tfr_objects(&calls, path, NULL))
		calls->remove(path, NULL);
}
