/* io/remote/pile.c - memory first, then a file. */
#include "io/remote/pile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <gcrypt.h>

#include "base/base64.h"
#include "base/digest.h"
#include "io/remote/config_file.h"
#include "io/remote/http/engine.h"
#include "io/temporaries.h"

enum { BUDGET = 64 << 20, LEAST = 64 << 10, BLOCK = 256 << 10, MD5 = 16 };

static _Atomic uint64_t used;

static uint64_t budget(void)
{
	uint64_t memory = tfr_engine_opts()->memory;

	return memory ? memory : BUDGET;
}

static const char *folder(void)
{
	return tfr_engine_opts()->tmpdir ?: tfr_environment("TMPDIR") ?: "/tmp";
}

/* Doubles, so that small objects take little of the budget. */
static bool grow(struct tfr_pile *p, size_t wanted, size_t most, enum tfr_status *status,
	struct tfr_error *err)
{
	size_t cap = p->cap ? 2 * p->cap : LEAST;
	uint8_t *data;

	while (cap < wanted)
		cap *= 2;
	cap = cap > most && most >= wanted ? most : cap;
	if (atomic_fetch_add(&used, cap - p->cap) + (cap - p->cap) > budget()) {
		used -= cap - p->cap;
		return false;
	}
	data = realloc(p->data, cap);
	if (!data) {
		used -= cap - p->cap;
		*status = tfr_fail_nomem(err, "writing an object");
		return true;
	}
	p->data = data;
	p->cap = cap;
	return true;
}

static enum tfr_status append_file(
	struct tfr_pile *p, const uint8_t *data, size_t size, struct tfr_error *err)
{
	while (size) {
		ssize_t n = pwrite(p->fd, data, size, (off_t)p->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tfr_fail_errno(
				err, errno, folder(), "cannot write a temporary file in");
		p->size += (size_t)n;
		data += n;
		size -= (size_t)n;
	}
	return TFR_OK;
}

static enum tfr_status spill(struct tfr_pile *p, struct tfr_error *err)
{
	uint8_t *data = p->data;
	size_t size = p->size;
	enum tfr_status status;

	p->fd = tfr_temporary_nameless(folder());
	if (p->fd < 0) {
		tfr_fail_errno(err, errno, folder(), "cannot create a temporary file in");
		tfr_error_hint(err,
			"Parts that do not fit in memory (-m) are collected there; name "
			"another folder with --tmpdir, or use a smaller --part-size.");
		return TFR_ESYS;
	}
	p->data = NULL;
	p->size = 0;
	used -= p->cap;
	p->cap = 0;
	status = append_file(p, data, size, err);
	free(data);
	return status;
}

enum tfr_status tfr_pile_add(struct tfr_pile *p, const void *data, size_t size, size_t most,
	bool may_spill, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (p->fd >= 0)
		return append_file(p, data, size, err);
	if (p->size + size > p->cap && !grow(p, p->size + size, most, &status, err)) {
		if (!may_spill)
			return TFR_END;
		status = spill(p, err);
		return status ? status : append_file(p, data, size, err);
	}
	if (status)
		return status;
	memcpy(p->data + p->size, data, size);
	p->size += size;
	return TFR_OK;
}

struct tfr_request_body tfr_pile_body(const struct tfr_pile *p)
{
	static const char nothing[1];

	return (struct tfr_request_body){ .data = p->fd >= 0 ? NULL
						  : p->data  ? (const char *)p->data
							     : nothing,
		.fd = p->fd,
		.size = p->size };
}

static enum tfr_status hash_file(gcry_md_hd_t h, const struct tfr_pile *p, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *block = malloc(BLOCK);
	size_t at = 0;

	TFR_NEED_MEMORY(block, err, "writing an object");
	while (at < p->size) {
		ssize_t n = pread(p->fd, block, BLOCK, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tfr_fail_errno(
				err, n ? errno : EIO, folder(), "cannot read a temporary file in");
		gcry_md_write(h, block, (size_t)n);
		at += (size_t)n;
	}
	return TFR_OK;
}

enum tfr_status tfr_pile_md5(const struct tfr_pile *p, char *text, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	TFR_AUTO_BUF sum = { 0 };
	gcry_md_hd_t h;
	bool refused;

	tfr_digests_begin();
	/* As in sign.c; a fork need not wait for the bytes, which are hashed without a lock. */
	tfr_remote_lock();
	refused = gcry_md_open(&h, GCRY_MD_MD5, 0);
	tfr_remote_unlock();
	if (refused)
		return tfr_fail(err, TFR_EUNAVAILABLE, "this system's libgcrypt refuses MD5");
	if (p->fd >= 0)
		status = hash_file(h, p, err);
	else if (p->size)
		gcry_md_write(h, p->data, p->size);
	if (!status &&
		(!tfr_base64_encode(&sum, gcry_md_read(h, 0), MD5) || !tfr_buf_append(&sum, "", 1)))
		status = tfr_fail_nomem(err, "writing an object");
	tfr_remote_lock();
	gcry_md_close(h);
	tfr_remote_unlock();
	if (!status)
		memcpy(text, sum.data, sum.size);
	return status;
}

void tfr_pile_clear(struct tfr_pile *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->data)
		used -= p->cap;
	free(p->data);
	*p = TFR_EMPTY_PILE;
}

enum tfr_status tfr_pile_check(unsigned uploads, uint64_t most, struct tfr_error *err)
{
	uint64_t needed = uploads * most, room;
	struct statvfs vfs;

	if (needed <= budget() || statvfs(folder(), &vfs))
		return TFR_OK; /* creating the file reports what is wrong with the folder */
	room = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (room >= needed)
		return TFR_OK;
	tfr_fail_path(err, TFR_ESYS, folder(),
		"%u objects with parts of %llu MiB need more memory than -m allows, and more room "
		"than "
		"there is in",
		uploads, (unsigned long long)(most >> 20));
	tfr_error_hint(err,
		"Give more memory with -m, another folder with --tmpdir, or smaller parts "
		"with --part-size.");
	return TFR_ESYS;
}
