/* rewrite/sort/spill.c - append-only files, each with the offset of its end. */
#include "rewrite/sort/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "io/output.h"
#include "io/source.h"
#include "io/temporaries.h"

/* --- folders --- */

static char *folder_of(const char *output)
{
	const char *slash = strrchr(output, '/'), *dir = getenv("TMPDIR");

	if (!strcmp(output, "-") || tfr_is_url(output))
		return strdup(dir && *dir ? dir : "/tmp");
	return slash ? strndup(output, slash == output ? 1 : (size_t)(slash - output))
		     : strdup(".");
}

bool tfr_spill_folders_choose(
	struct tfr_spill_folders *f, const char *const *given, size_t count, const char *output)
{
	*f = (struct tfr_spill_folders){ .list = given, .count = count };
	if (count)
		return true;
	f->own = folder_of(output);
	f->list = (const char *const *)&f->own;
	f->count = 1;
	return f->own;
}

void tfr_spill_folders_clear(struct tfr_spill_folders *f)
{
	free(f->own);
	*f = (struct tfr_spill_folders){ 0 };
}

enum tfr_status tfr_spill_folders_free(
	const struct tfr_spill_folders *f, uint64_t *bytes, struct tfr_error *err)
{
	TFR_AUTO_FREE dev_t *seen = calloc(f->count + 1, sizeof(*seen));
	struct statvfs vfs;
	struct stat st;

	TFR_NEED_MEMORY(seen, err, "looking for temporary space");
	*bytes = 0;
	for (size_t k = 0; k < f->count; k++) {
		bool again = false;

		if (stat(f->list[k], &st) || statvfs(f->list[k], &vfs))
			return tfr_fail_errno(
				err, errno, f->list[k], "cannot make temporary files in");
		if (!S_ISDIR(st.st_mode))
			return tfr_fail_errno(
				err, ENOTDIR, f->list[k], "cannot make temporary files in");
		seen[k] = st.st_dev;
		for (size_t i = 0; i < k; i++)
			again = again || seen[i] == st.st_dev;
		if (!again)
			*bytes += (uint64_t)vfs.f_bavail * vfs.f_frsize;
	}
	return TFR_OK;
}

/* --- files --- */

struct file {
	int fd; /* -1: not yet created */
	const char *folder;
	uint64_t end;
	bool full;
};

struct tfr_spill {
	struct file *files;
	unsigned count;
	uint64_t bytes;
	struct tfr_spill_opts opts;
	pthread_mutex_t making;
};

enum tfr_status tfr_spill_open(
	struct tfr_spill **out, const struct tfr_spill_opts *opts, struct tfr_error *err)
{
	const struct tfr_spill_folders *f = opts->folders;
	unsigned count = opts->files > f->count ? opts->files : (unsigned)f->count;
	TFR_AUTO_FREE struct tfr_spill *s = calloc(1, sizeof(*s));
	struct file *files = calloc(count, sizeof(*files));

	if (!s || !files) {
		free(files);
		return tfr_fail_nomem(err, "opening temporary files");
	}
	s->opts = *opts;
	pthread_mutex_init(&s->making, NULL);
	for (unsigned k = 0; k < count; k++)
		files[k] = (struct file){ .fd = -1, .folder = f->list[k % f->count] };
	s->files = files;
	s->count = count;
	*out = TFR_STEAL(s);
	return TFR_OK;
}

void tfr_spill_close(struct tfr_spill *s)
{
	if (!s)
		return;
	for (unsigned k = 0; k < s->count; k++)
		if (s->files[k].fd >= 0)
			close(s->files[k].fd);
	pthread_mutex_destroy(&s->making);
	free(s->files);
	free(s);
}

static enum tfr_status no_space(struct tfr_spill *s, const struct file *f, struct tfr_error *err)
{
	char written[TFR_SIZE_TEXT], needed[TFR_SIZE_TEXT];

	tfr_fail_errno(err, ENOSPC, f->folder, "cannot write temporary records in");
	tfr_format_size(tfr_spill_bytes(s), written);
	if (s->opts.expected)
		tfr_error_hint(err,
			"About %s are needed in all, %s were written.  Name a folder with more "
			"space, or several, with --tmpdir.",
			tfr_format_size(s->opts.expected, needed), written);
	else
		tfr_error_hint(err,
			"%s were written, and more is to come.  Name a folder with more space, or "
			"several, with --tmpdir.",
			written);
	return TFR_ESYS;
}

static enum tfr_status make_file(struct tfr_spill *s, struct file *f, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (__atomic_load_n(&f->fd, __ATOMIC_ACQUIRE) >= 0)
		return TFR_OK;
	pthread_mutex_lock(&s->making);
	if (f->fd < 0) {
		int fd = tfr_temporary_nameless(f->folder);

		if (fd < 0)
			status = tfr_fail_errno(
				err, errno, f->folder, "cannot make a temporary file in");
		/* Other threads write as soon as they see it. */
		__atomic_store_n(&f->fd, fd, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&s->making);
	return status;
}

enum tfr_status tfr_spill_write(struct tfr_spill *s, unsigned writer, const void *data, size_t size,
	struct tfr_spot *spot, struct tfr_error *err)
{
	struct file *f = NULL;

	for (unsigned k = 0; k < s->count; k++) {
		unsigned number = (writer + k) % s->count;

		f = &s->files[number];
		if (__atomic_load_n(&f->full, __ATOMIC_RELAXED))
			continue;
		TFR_TRY(make_file(s, f, err));
		*spot = (struct tfr_spot){ __atomic_fetch_add(&f->end, size, __ATOMIC_RELAXED),
			number, (uint32_t)size };
		if (tfr_fd_write(f->fd, data, size, (int64_t)spot->offset)) {
			__atomic_fetch_add(&s->bytes, size, __ATOMIC_RELAXED);
			return TFR_OK;
		}
		if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)
			return tfr_fail_errno(
				err, errno, f->folder, "cannot write temporary records in");
		tfr_spill_release(s, spot);
		__atomic_store_n(&f->full, true, __ATOMIC_RELAXED);
	}
	return no_space(s, f, err);
}

enum tfr_status tfr_spill_read(
	struct tfr_spill *s, const struct tfr_spot *spot, void *data, struct tfr_error *err)
{
	const struct file *f = &s->files[spot->file];
	ssize_t n = tfr_fd_read(f->fd, data, spot->size, (int64_t)spot->offset);

	if (n < 0)
		return tfr_fail_errno(err, errno, f->folder, "cannot read temporary records in");
	if ((size_t)n < spot->size)
		return tfr_fail_path(
			err, TFR_EDATA, f->folder, "temporary records are cut short in");
	return TFR_OK;
}

void tfr_spill_release(struct tfr_spill *s, const struct tfr_spot *spot)
{
	/* If this is not supported, closing the file releases the space. */
	(void)!fallocate(s->files[spot->file].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)spot->offset, (off_t)spot->size);
}

uint64_t tfr_spill_bytes(const struct tfr_spill *s)
{
	return __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
}
