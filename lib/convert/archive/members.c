/* convert/archive/members.c - selects the kind of an archive, and makes names that stay below a
 * folder. */
#include "convert/archive/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/module.h"

enum { HEAD = 512 };

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

void tfr_archive_close(struct tfr_archive *m)
{
	struct tfr_feed feed;

	if (!m)
		return;
	feed = m->feed;
	m->ops->close(m);
	tfr_feed_close(&feed);
}

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
