/* convert/archive/members.c - the bytes of an archive, the kinds of archives, and names that stay
 * below a folder.
 *
 * There is one small buffer for headers.  In a file, the other bytes are skipped by position; from
 * a pipe they are read past the buffer, into the caller's memory. */
#include "convert/archive/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/module.h"

enum { HEAD = 512, NEAR = 4096, FAR = 16 << 10 };

/* --- bytes --- */

enum tfr_status tfr_feed_open(struct tfr_feed *f, const char *path, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	*f = (struct tfr_feed){ 0 };
	TFR_TRY(tfr_source_open(&source, path, err));
	return tfr_feed_of(f, source, err);
}

enum tfr_status tfr_feed_of(struct tfr_feed *f, struct tfr_source *source, struct tfr_error *err)
{
	bool seekable = tfr_source_seekable(source);

	*f = (struct tfr_feed){ .source = source,
		.name = tfr_source_name(source),
		.data = malloc(TFR_FEED_MOST),
		.block = seekable ? NEAR : FAR,
		.place = tfr_source_position(source),
		.seekable = seekable };
	TFR_NEED_MEMORY(f->data, err, "reading an archive");
	return TFR_OK;
}

enum tfr_status tfr_feed_peek(
	struct tfr_feed *f, size_t least, const uint8_t **data, size_t *got, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	size_t n = 1;

	if (f->size - f->at < least) {
		memmove(f->data, f->data + f->at, f->size - f->at);
		f->size -= f->at;
		f->at = 0;
	}
	while (!status && n && f->size - f->at < least) {
		status = tfr_source_read_some(
			f->source, f->data + f->size, f->block - f->size, &n, err);
		f->size += status ? 0 : n;
	}
	*data = f->data + f->at;
	*got = f->size - f->at;
	return status;
}

enum tfr_status tfr_feed_read(
	struct tfr_feed *f, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	size_t here = f->size - f->at < size ? f->size - f->at : size, more = 0;
	enum tfr_status status = TFR_OK;

	if (here)
		memcpy(buf, f->data + f->at, here);
	tfr_feed_take(f, here);
	if (here < size)
		status = tfr_source_read(f->source, (uint8_t *)buf + here, size - here, &more, err);
	f->place += more;
	*got = here + more;
	return status;
}

void tfr_feed_seek(struct tfr_feed *f, uint64_t place)
{
	tfr_source_seek(f->source, place);
	f->place = place;
	f->at = f->size = 0;
}

bool tfr_feed_has(struct tfr_feed *f, uint64_t bytes)
{
	size_t here = f->size - f->at;

	return bytes <= here || !f->seekable || tfr_source_has(f->source, bytes - here);
}

uint64_t tfr_feed_end(struct tfr_feed *f)
{
	return f->place + (f->size - f->at) + (f->seekable ? tfr_source_left(f->source) : 0);
}

enum tfr_status tfr_feed_skip(
	struct tfr_feed *f, uint64_t bytes, bool *there, struct tfr_error *err)
{
	const uint8_t *data;
	size_t got;

	*there = tfr_feed_has(f, bytes);
	if (*there && f->seekable && bytes > f->size - f->at) {
		tfr_feed_seek(f, f->place + bytes);
		return TFR_OK;
	}
	while (*there && bytes) {
		TFR_TRY(tfr_feed_peek(f, 1, &data, &got, err));
		*there = got > 0;
		got = got < bytes ? got : (size_t)bytes;
		tfr_feed_take(f, got);
		bytes -= got;
	}
	return TFR_OK;
}

void tfr_feed_close(struct tfr_feed *f)
{
	tfr_source_close(f->source);
	free(f->data);
	*f = (struct tfr_feed){ 0 };
}

/* --- archives --- */

bool tfr_archive_recognises(const uint8_t *head, size_t size)
{
	static const char *const magics[] = { "\x1f\x8b", "BZh", "\3757zXZ", "\x28\xb5\x2f\xfd",
		"PK\x03\x04", "PK\x05\x06" };

	if (tfr_tar_recognises(head, size))
		return true;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (size > strlen(magics[i]) && !memcmp(head, magics[i], strlen(magics[i])))
			return true;
	return false;
}

enum tfr_status tfr_packed_open(
	struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err)
{
	const void *calls;

	TFR_TRY(tfr_module_open(&calls, TFR_MODULE_ARCHIVE, err, "cannot read '%s'", feed->name));
	return ((const struct tfr_archive_module *)calls)->open(m, feed, err);
}

enum tfr_status tfr_archive_open(struct tfr_archive **m, const char *path, struct tfr_error *err)
{
	struct tfr_feed feed;
	const uint8_t *head;
	enum tfr_status status = tfr_feed_open(&feed, path, err);
	uint64_t begin = feed.place;
	size_t got = 0;

	*m = NULL;
	if (!status)
		status = tfr_feed_peek(&feed, HEAD, &head, &got, err);
	if (!status && !tfr_archive_recognises(head, got))
		status = tfr_fail_path(err, TFR_EFORMAT, feed.name, "not a tar or zip archive:");
	if (!status)
		status = tfr_tar_recognises(head, got) ? tfr_tar_open(m, &feed, err)
						       : tfr_packed_open(m, &feed, err);
	if (*m)
		(*m)->begin = begin;
	else
		tfr_feed_close(&feed);
	return status;
}

enum tfr_status tfr_archive_read_at(const struct tfr_archive *m, struct tfr_buf *into,
	uint64_t place, size_t size, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got;

	TFR_NEED_MEMORY(tfr_buf_reserve(into, size), err, "reading an archive");
	status =
		tfr_source_read_at(m->feed.source, place, into->data + into->size, size, &got, err);
	if (status)
		return status;
	into->size += got;
	if (got < size)
		return tfr_fail_path(err, TFR_EDATA, m->feed.name,
			"archive truncated while being read, at byte %llu:",
			(unsigned long long)(place + got));
	return TFR_OK;
}

struct tfr_archive *tfr_archive_share(struct tfr_archive *m)
{
	__atomic_add_fetch(&m->shared, 1, __ATOMIC_RELAXED);
	return m;
}

void tfr_archive_close(struct tfr_archive *m)
{
	struct tfr_feed feed;

	if (!m || __atomic_fetch_sub(&m->shared, 1, __ATOMIC_ACQ_REL))
		return;
	feed = m->feed;
	m->ops->close(m);
	tfr_feed_close(&feed);
}

/* --- names --- */

bool tfr_member_name(const char *path, struct tfr_buf *name, bool *hidden, const char **fault)
{
	const char *part = path;

	*hidden = false;
	*fault = *path == '/' ? "an absolute path" : NULL;
	name->size = 0;
	while (!*fault && *part) {
		size_t n = strcspn(part, "/");

		if (n == 2 && !memcmp(part, "..", 2))
			*fault = "a path with '..'";
		else if (n > 1 || (n && *part != '.')) {
			*hidden |= *part == '.';
			if ((name->size && !tfr_buf_append(name, "/", 1)) ||
				!tfr_buf_append(name, part, n))
				return false;
		}
		part += n;
		part += *part == '/';
	}
	if (!*fault && !name->size)
		*fault = "no name";
	if (*fault) {
		*hidden = false;
		name->size = 0;
		return tfr_buf_append(name, path, strlen(path) + 1);
	}
	return tfr_buf_append(name, "", 1);
}
