/* io/root.c - a descriptor, or the URL of a prefix that ends in a slash. */
#include "io/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/object.h"
#include "io/path.h"
#include "io/source.h"

struct tfr_root {
	int fd;
	char *url; /* NULL: local */
	/* of files that are parts of another one; else NULL */
	const struct tfr_source *source;
	tfr_root_find *find;
	const void *ctx;
};

static enum tfr_status open_prefix(struct tfr_root *f, const char *url, struct tfr_error *err)
{
	struct stat st;
	enum tfr_status status = tfr_look(url, &st, err);

	if (status == TFR_END)
		return tfr_fail_errno(err, ENOENT, url, "cannot open folder");
	TFR_TRY(status);
	if (!S_ISDIR(st.st_mode))
		return tfr_fail_path(err, TFR_EUSAGE, url, "not a folder:");
	f->url = tfr_asprintf(url[strlen(url) - 1] == '/' ? "%s" : "%s/", url);
	TFR_NEED_MEMORY(f->url, err, "opening a folder");
	return TFR_OK;
}

static enum tfr_status open_local(struct tfr_root *f, const char *path, struct tfr_error *err)
{
	f->fd = TEMP_FAILURE_RETRY(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (f->fd < 0 && errno == ENOTDIR)
		return tfr_fail_path(err, TFR_EUSAGE, path, "not a folder:");
	return f->fd < 0 ? tfr_fail_errno(err, errno, path, "cannot open folder") : TFR_OK;
}

enum tfr_status tfr_root_open(struct tfr_root **out, const char *path, struct tfr_error *err)
{
	struct tfr_root *f = calloc(1, sizeof(*f));
	enum tfr_status status;

	*out = NULL;
	TFR_NEED_MEMORY(f, err, "opening a folder");
	f->fd = -1;
	status = tfr_is_url(path) ? open_prefix(f, path, err) : open_local(f, path, err);
	if (status)
		tfr_root_close(f);
	else
		*out = f;
	return status;
}

enum tfr_status tfr_root_of_parts(struct tfr_root **out, const struct tfr_source *source,
	tfr_root_find *find, const void *ctx, struct tfr_error *err)
{
	struct tfr_root *f = calloc(1, sizeof(*f));

	TFR_NEED_MEMORY(f, err, "opening an archive");
	*f = (struct tfr_root){ .fd = -1, .source = source, .find = find, .ctx = ctx };
	*out = f;
	return TFR_OK;
}

const struct tfr_source *tfr_root_part(
	const struct tfr_root *f, const char *name, bool *there, uint64_t *place, uint64_t *size)
{
	if (!f || !f->source || tfr_is_url(name))
		return NULL;
	*there = f->find(f->ctx, name, place, size);
	return f->source;
}

void tfr_root_close(struct tfr_root *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->url);
	free(f);
}

int tfr_root_fd(const struct tfr_root *f)
{
	return f ? f->fd : AT_FDCWD;
}

bool tfr_root_is_remote(const struct tfr_root *f)
{
	return f && f->url;
}

char *tfr_root_url(const struct tfr_root *f, const char *name, bool *failed)
{
	char *url;

	*failed = false;
	if (tfr_is_url(name))
		url = strdup(name);
	else if (f && f->url)
		url = tfr_asprintf("%s%s", f->url, name);
	else
		return NULL;
	*failed = !url;
	return url;
}

int tfr_root_stat(const struct tfr_root *f, const char *name, struct stat *st)
{
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(f, name, &failed);

	uint64_t place, size;
	bool there;

	if (failed) {
		errno = ENOMEM;
		return -1;
	}
	if (tfr_root_part(f, name, &there, &place, &size)) {
		*st = (struct stat){ .st_mode = S_IFREG, .st_size = there ? (off_t)size : 0 };
		errno = ENOENT;
		return there ? 0 : -1;
	}
	return url ? tfr_stat(url, st) : fstatat(tfr_root_fd(f), name, st, 0);
}

static enum tfr_status head_of_object(
	const char *url, void *head, size_t size, size_t *got, struct tfr_error *err)
{
	TFR_AUTO_SOURCE source = NULL;

	TFR_TRY(tfr_source_open(&source, url, err));
	return tfr_source_read(source, head, size, got, err);
}

/* A socket cannot be opened, and a FIFO has no beginning. */
static enum tfr_status head_of_file(const struct tfr_root *f, const char *name, void *head,
	size_t size, size_t *got, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int fd = TEMP_FAILURE_RETRY(
		openat(tfr_root_fd(f), name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	ssize_t n = fd < 0 ? -1 : tfr_fd_read(fd, head, size, 0);

	if (n < 0 && errno != ENXIO && errno != ESPIPE)
		return tfr_fail_errno(err, errno, name, "cannot open");
	*got = n > 0 ? (size_t)n : 0;
	return TFR_OK;
}

enum tfr_status tfr_root_head(const struct tfr_root *f, const char *name, void *head, size_t size,
	size_t *got, struct tfr_error *err)
{
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(f, name, &failed);
	struct tfr_error why = { .sys_errno = 0 };
	enum tfr_status status;

	const struct tfr_source *source;
	uint64_t place, most;
	bool there;

	*got = 0;
	if (failed)
		return tfr_fail_nomem(err, "opening a file");
	source = tfr_root_part(f, name, &there, &place, &most);
	if (source && there)
		return tfr_source_read_at(
			source, place, head, size < most ? size : (size_t)most, got, err);
	if (source) {
		tfr_fail_errno(err, ENOENT, name, "cannot open");
		return TFR_END;
	}
	status = url ? head_of_object(url, head, size, got, &why)
		     : head_of_file(f, name, head, size, got, &why);
	tfr_error_pass(&why, err);
	return status && (why.sys_errno == ENOENT || why.sys_errno == ENOTDIR) ? TFR_END : status;
}
