/* io/root.c - a descriptor, or the URL of a prefix that ends in a slash. */
#include "io/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/object.h"
#include "io/source.h"

struct tfr_root {
	int fd;
	char *url; /* NULL: local */
};

static int open_prefix(struct tfr_root *f, const char *url)
{
	struct stat st;

	if (tfr_stat(url, &st))
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	f->url = tfr_asprintf(url[strlen(url) - 1] == '/' ? "%s" : "%s/", url);
	errno = ENOMEM;
	return f->url ? 0 : -1;
}

int tfr_root_open(struct tfr_root **out, const char *path)
{
	struct tfr_root *f = calloc(1, sizeof(*f));
	int failed, saved;

	*out = NULL;
	if (!f)
		return -1;
	f->fd = -1;
	if (tfr_is_url(path)) {
		failed = open_prefix(f, path);
	} else {
		f->fd = TEMP_FAILURE_RETRY(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
		failed = f->fd < 0;
	}
	saved = errno;
	if (failed)
		tfr_root_close(f);
	else
		*out = f;
	errno = saved;
	return failed ? -1 : 0;
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

	if (failed) {
		errno = ENOMEM;
		return -1;
	}
	return url ? tfr_stat(url, st) : fstatat(tfr_root_fd(f), name, st, 0);
}

static ssize_t head_of_object(const char *url, void *head, size_t size)
{
	struct tfr_error why = { .sys_errno = 0 };
	struct tfr_source *source = NULL;
	enum tfr_status status = tfr_source_open(&source, url, &why);
	size_t got = 0;

	if (!status)
		status = tfr_source_read(source, head, size, &got, &why);
	tfr_source_close(source); /* before errno is set */
	if (!status)
		return (ssize_t)got;
	errno = status == TFR_ENOMEM ? ENOMEM : why.sys_errno ? why.sys_errno : EIO;
	return -1;
}

ssize_t tfr_root_head(const struct tfr_root *f, const char *name, void *head, size_t size)
{
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(f, name, &failed);
	TFR_AUTO_CLOSE int fd = -1;

	if (failed) {
		errno = ENOMEM;
		return -1;
	}
	if (url)
		return head_of_object(url, head, size);
	fd = TEMP_FAILURE_RETRY(
		openat(tfr_root_fd(f), name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	return fd < 0 ? -1 : tfr_fd_read(fd, head, size, 0);
}
