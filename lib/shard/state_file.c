/* shard/state_file.c - the body in its form in memory, between a magic and a checksum. */
#include "shard/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/cleanup.h"
#include "io/output.h"

enum { BLOCK = 1 << 20 };

enum tfr_status tfr_state_save(const char *path, const char *magic, const struct tfr_buf *body,
	struct tfr_temporaries *temporaries, struct tfr_error *err)
{
	struct tfr_output_opts opts = { .force = true, .temporaries = temporaries };
	uint64_t sum = XXH3_64bits(body->data, body->size);
	TFR_AUTO_BUF all = { 0 };

	if (!tfr_buf_append(&all, magic, TFR_STATE_MAGIC) ||
		!tfr_buf_append(&all, body->data, body->size) ||
		!tfr_buf_append(&all, &sum, sizeof(sum)))
		return tfr_fail_nomem(err, "saving the state of a run");
	return tfr_output_whole(path, &opts, all.data, all.size, err);
}

static enum tfr_status refuse(
	const char *path, const char *why, const char *hint, struct tfr_error *err)
{
	tfr_fail_path(err, TFR_EDATA, path, "will not resume from %s:", why);
	tfr_error_hint(err, "%s", hint);
	return TFR_EDATA;
}

/* A file that another user could have created or changed is not read: the state decides what a
 * resumed run writes and where. */
static enum tfr_status check_owner(const char *path, const struct stat *st, struct tfr_error *err)
{
	static const char again[] = "Remove it to begin again.";
	const char *slash = strrchr(path, '/');
	TFR_AUTO_FREE char *folder =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	struct stat at;

	if (!folder)
		return tfr_fail_nomem(err, "looking for a run to resume");
	if (!S_ISREG(st->st_mode) || st->st_nlink != 1)
		return refuse(
			path, "anything that is not a regular file with one name", again, err);
	if (st->st_uid != geteuid())
		return refuse(path, "the file of another user", again, err);
	if (stat(folder, &at))
		return tfr_fail_errno(err, errno, folder, "cannot open");
	if ((st->st_mode & S_IWOTH) || ((at.st_mode & S_IWOTH) && !(at.st_mode & S_ISVTX)))
		return refuse(path, "a file that other users could replace",
			"Remove it to begin again; 'chmod o-w' on its folder makes the next run "
			"resumable.",
			err);
	return TFR_OK;
}

/* Reads the rest of the file in growing pieces: a sparse file can claim any size. */
static enum tfr_status read_rest(
	int fd, const char *path, struct tfr_buf *buf, size_t most, struct tfr_error *err)
{
	ssize_t n = 1;

	while (n && buf->size < most) {
		size_t room = most - buf->size < BLOCK ? most - buf->size : BLOCK;

		if (!tfr_buf_reserve(buf, room))
			return tfr_fail_nomem(err, "looking for a run to resume");
		n = read(fd, buf->data + buf->size, room);
		if (n < 0 && errno != EINTR)
			return tfr_fail_errno(err, errno, path, "cannot read");
		buf->size += n > 0 ? (size_t)n : 0;
	}
	return TFR_OK;
}

/* Reads the file completely, if it begins with the magic. */
static enum tfr_status read_file(
	const char *path, const char *magic, struct tfr_buf *buf, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int fd = TEMP_FAILURE_RETRY(
		open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
	enum tfr_status status;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return TFR_END;
	if (fd < 0 && errno == ELOOP)
		return refuse(path, "a symbolic link", "Remove it to begin again.", err);
	if (fd < 0 || fstat(fd, &st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (!st.st_nlink) /* the run that it belonged to has just ended */
		return TFR_END;
	status = check_owner(path, &st, err);
	if (!status)
		status = read_rest(fd, path, buf, TFR_STATE_MAGIC, err);
	if (!status && (buf->size < TFR_STATE_MAGIC || memcmp(buf->data, magic, TFR_STATE_MAGIC)))
		return TFR_END;
	return status ? status : read_rest(fd, path, buf, SIZE_MAX, err);
}

enum tfr_status tfr_state_load(const char *path, const char *magic, struct tfr_buf *body,
	struct tfr_unread *unread, struct tfr_error *err)
{
	enum tfr_status status;
	uint64_t sum;
	size_t size;

	body->size = 0;
	status = read_file(path, magic, body, err);
	if (status || body->size < TFR_STATE_MAGIC + sizeof(sum))
		return status ? status : TFR_END;
	size = body->size - TFR_STATE_MAGIC - sizeof(sum);
	memcpy(&sum, body->data + TFR_STATE_MAGIC + size, sizeof(sum));
	if (sum != XXH3_64bits(body->data + TFR_STATE_MAGIC, size))
		return TFR_END;
	*unread = (struct tfr_unread){ body->data + TFR_STATE_MAGIC,
		body->data + TFR_STATE_MAGIC + size };
	return TFR_OK;
}
