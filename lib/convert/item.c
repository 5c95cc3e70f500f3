/* convert/item.c - reads a file with four system calls, and makes the record that points into
 * it.
 *
 * The bytes of the file are never copied: the record's pieces are in the buffer that read()
 * filled, and are written from there. */
#include "convert/item.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "io/object.h"
#include "io/root.h"
#include "io/source.h"

enum {
	KEEP = 1 << 20,	 /* a buffer up to this size is kept for the next file */
	LOOK = 64 << 10, /* of a file larger than KEEP: read first, to recognise it */
};

void tfr_room_reserve(const struct tfr_room *room, uint64_t bytes)
{
	if (room->lanes)
		tfr_lanes_reserve(room->lanes, room->item, bytes);
}

enum tfr_status tfr_item_start(struct tfr_item *item, uint64_t number, struct tfr_error *err)
{
	item->number = number;
	item->file.size = item->more.size = 0;
	item->size = 0;
	item->mark = 0;
	item->records = 1;
	item->framed = (struct tfr_framed){ 0 };
	item->class = TFR_NO_CLASS;
	item->prefix = NULL;
	item->skipped = item->hashed = item->placed = false;
	item->found = 0;
	item->came = (struct tfr_image_info){ 0 };
	if (!item->builder)
		item->builder = tfr_builder_new();
	TFR_NEED_MEMORY(item->builder, err, "building records");
	tfr_builder_reset(item->builder);
	return TFR_OK;
}

bool tfr_item_name(struct tfr_item *item, const char *name, size_t size)
{
	item->name.size = 0;
	return tfr_buf_append(&item->name, name, size) && tfr_buf_append(&item->name, "", 1);
}

uint64_t tfr_item_hash(const struct tfr_item *item)
{
	return item->hashed ? item->hash : XXH3_64bits(item->name.data, item->name.size - 1);
}

void tfr_item_skip(struct tfr_item *item, enum tfr_status why, const char *format, ...)
{
	va_list args;

	item->skipped = true;
	item->why = why;
	item->finding = why == TFR_ESYS ? TFR_FOUND_UNREADABLE : TFR_FOUND_UNUSABLE;
	va_start(args, format);
	vsnprintf(item->reason, sizeof(item->reason), format, args);
	va_end(args);
}

void tfr_item_skip_error(struct tfr_item *item, const struct tfr_error *why)
{
	tfr_item_skip(item, why->status == TFR_ENOMEM ? TFR_ENOMEM : TFR_EDATA, "%s", why->message);
}

/* A fault of the file skips it.  A fault of the process does not, because the next file would
 * have it too. */
static enum tfr_status fault(struct tfr_item *item, int sys_errno, const char *path,
	const char *what, struct tfr_error *err)
{
	if (tfr_errno_of_process(sys_errno))
		return tfr_fail_errno(err, sys_errno, path, "%s", what);
	tfr_item_skip(item, TFR_ESYS, "%s: %s", what, strerror(sys_errno));
	return TFR_OK;
}

/* Reads until `size` bytes are in the buffer, or `least`, the size when the file was opened:
 * reading beyond that costs a call, and fewer bytes skip the item. */
static enum tfr_status fill(struct tfr_item *item, int fd, const char *path, size_t least,
	size_t size, struct tfr_error *err)
{
	ssize_t n = 1;

	while (n && item->file.size < least) {
		n = read(fd, item->file.data + item->file.size, size - item->file.size);
		if (n < 0 && errno != EINTR)
			return fault(item, errno, path, "cannot read", err);
		item->file.size += n > 0 ? (size_t)n : 0;
	}
	if (item->file.size < least)
		tfr_item_skip(item, TFR_ESYS, "it ends at byte %zu of %zu", item->file.size, least);
	return TFR_OK;
}

static enum tfr_status read_open(struct tfr_item *item, int fd, const char *path, size_t size,
	void (*look)(struct tfr_item *item), struct tfr_error *err)
{
	if (size >= item->file.cap) {
		tfr_buf_clear(&item->file);
		TFR_NEED_MEMORY(tfr_buf_reserve(&item->file, size + 1), err, "reading files");
	}
	if (look && size > KEEP) {
		TFR_TRY(fill(item, fd, path, LOOK, LOOK, err));
		if (!item->skipped)
			look(item);
	}
	/* One byte more than expected: a full read then shows that the file has grown. */
	if (!item->skipped)
		TFR_TRY(fill(item, fd, path, size, size + 1, err));
	if (!item->skipped && item->file.size > size)
		tfr_item_skip(item, TFR_EDATA, "it grew while being read");
	return TFR_OK;
}

/* An object that is gone skips the item; any other fault of a server would be that of the next
 * item as well. */
static enum tfr_status fetch(struct tfr_item *item, const char *url, const char *path,
	void (*look)(struct tfr_item *item), const struct tfr_room *room, struct tfr_error *err)
{
	enum tfr_status status;
	struct tfr_error why = { .sys_errno = 0 };
	const struct tfr_object_module *remote;
	struct stat st;
	void *data = NULL;
	size_t size = 0;

	TFR_TRY(tfr_objects(&remote, url, err));
	status = remote->fetch(url, TFR_ITEM_MOST, &data, &size, &st, &why);
	item->file.size = 0;
	if (status == TFR_END) {
		tfr_item_skip(item, TFR_EDATA, "larger than 2 GiB, the limit of an Example");
		return TFR_OK;
	}
	if (status && why.sys_errno == ENOENT)
		return fault(item, ENOENT, path, "cannot open", err);
	if (status)
		return tfr_error_pass(&why, err);
	st.st_size = (off_t)size;
	item->mark += tfr_opened_mark(path, &st, true);
	tfr_room_reserve(room, size);
	tfr_buf_clear(&item->file);
	item->file = (struct tfr_buf){ data, size, size };
	if (look && size > KEEP)
		look(item);
	item->size = size;
	return TFR_OK;
}

/* A file that is a part of another one. */
static enum tfr_status read_part(struct tfr_item *item, const struct tfr_source *source,
	const char *path, uint64_t place, uint64_t size, const struct tfr_room *room,
	struct tfr_error *err)
{
	const struct stat st = { .st_size = (off_t)size };
	size_t got = 0;

	if (size > TFR_ITEM_MOST) {
		tfr_item_skip(item, TFR_EDATA, "larger than 2 GiB, the limit of an Example");
		return TFR_OK;
	}
	item->mark += tfr_opened_mark(path, &st, false);
	tfr_room_reserve(room, size);
	item->file.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&item->file, size + 1), err, "reading files");
	TFR_TRY(tfr_source_read_at(source, place, item->file.data, size, &got, err));
	item->size = item->file.size = got;
	if (got < size)
		tfr_item_skip(item, TFR_ESYS, "it ends at byte %zu of %llu", got,
			(unsigned long long)size);
	return TFR_OK;
}

enum tfr_status tfr_item_read(struct tfr_item *item, const struct tfr_root *root, const char *path,
	void (*look)(struct tfr_item *item), const struct tfr_room *room, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(root, path, &failed);
	const struct tfr_source *source;
	uint64_t place, size;
	struct stat st;
	bool there;
	int fd;

	if (failed)
		return tfr_fail_nomem(err, "reading files");
	if (url)
		return fetch(item, url, path, look, room, err);
	source = tfr_root_part(root, path, &there, &place, &size);
	if (source && there)
		return read_part(item, source, path, place, size, room, err);
	if (source)
		return fault(item, ENOENT, path, "cannot open", err);
	/* Does not block if a FIFO has replaced the file since it was found. */
	fd = TEMP_FAILURE_RETRY(
		openat(tfr_root_fd(root), path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	item->file.size = 0;
	if (fd < 0)
		return fault(item, errno, path, "cannot open", err);
	if (fstat(fd, &st)) {
		status = fault(item, errno, path, "cannot read", err);
	} else if (!S_ISREG(st.st_mode)) {
		tfr_item_skip(item, TFR_EDATA, "not a regular file");
	} else if (st.st_size > TFR_ITEM_MOST) {
		tfr_item_skip(item, TFR_EDATA, "larger than 2 GiB, the limit of an Example");
	} else {
		item->mark += tfr_opened_mark(path, &st, false);
		tfr_room_reserve(room, (uint64_t)st.st_size);
		status = read_open(item, fd, path, (size_t)st.st_size, look, err);
	}
	close(fd);
	item->size = item->file.size;
	return status;
}

enum tfr_status tfr_item_read_other(struct tfr_item *item, struct tfr_buf *into,
	const struct tfr_root *root, const char *path, const struct tfr_room *room,
	struct tfr_error *err)
{
	struct tfr_buf first = item->file; /* exchanged, not copied: the record points into both */
	size_t before = item->size;
	enum tfr_status status;

	item->file = *into;
	status = tfr_item_read(item, root, path, NULL, room, err);
	*into = item->file;
	item->file = first;
	item->size += before;
	return status;
}

void tfr_item_blame(struct tfr_item *item, const char *what, const char *name)
{
	char reason[sizeof(item->reason)];

	assert(item->skipped);
	memcpy(reason, item->reason, sizeof(reason));
	tfr_item_skip(item, item->why, "%s '%s': %s", what, name, reason);
}

enum tfr_status tfr_item_gather(struct tfr_item *item, struct tfr_error *err)
{
	size_t size;

	TFR_TRY(tfr_builder_gather(item->builder, &item->pieces, &item->n_pieces, &size, err));
	tfr_digest_pieces(item->pieces, item->n_pieces, &item->digest);
	return TFR_OK;
}

void tfr_item_trim(struct tfr_item *item)
{
	if (item->file.cap > KEEP + 1)
		tfr_buf_clear(&item->file);
	if (item->own && item->trim_own)
		item->trim_own(item->own);
	if (item->more.cap > KEEP)
		tfr_buf_clear(&item->more);
	/* For large values that are not references, such as floats. */
	if (item->builder && !tfr_builder_trim(item->builder, KEEP)) {
		tfr_builder_free(item->builder);
		item->builder = NULL;
	}
}

void tfr_item_clear(struct tfr_item *item)
{
	tfr_buf_clear(&item->name);
	tfr_buf_clear(&item->file);
	tfr_buf_clear(&item->more);
	tfr_builder_free(item->builder);
	if (item->own)
		item->free_own(item->own);
	*item = (struct tfr_item){ 0 };
}
