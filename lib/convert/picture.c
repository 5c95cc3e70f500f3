/* convert/picture.c - a file read whole, in four system calls, and the record that points into it.
 *
 * The bytes of the picture are never copied: the record's pieces lie in the buffer that read()
 * filled, and are written from there. */
#include "convert/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEEP = 1 << 20,	 /* a buffer up to this size is kept for the next file */
	LOOK = 64 << 10, /* of a file larger than KEEP: read first, to see what it is */
};

void tfr_picture_skip(struct tfr_picture *p, enum tfr_status why, const char *format, ...)
{
	va_list args;

	p->skipped = true;
	p->why = why;
	va_start(args, format);
	vsnprintf(p->reason, sizeof(p->reason), format, args);
	va_end(args);
}

/* A fault of the file skips it; one of the process, which the next file would meet too, does not.
 */
static enum tfr_status fault(
	struct tfr_picture *p, int sys_errno, const char *what, struct tfr_error *err)
{
	if (sys_errno == EMFILE || sys_errno == ENFILE || sys_errno == ENOMEM)
		return tfr_fail_errno(err, sys_errno, (const char *)p->path.data, "%s", what);
	tfr_picture_skip(p, TFR_ESYS, "%s: %s", what, strerror(sys_errno));
	return TFR_OK;
}

/* Reads until `size` bytes are in the buffer, or the file ends. */
static enum tfr_status fill(struct tfr_picture *p, int fd, size_t size, struct tfr_error *err)
{
	while (p->file.size < size) {
		ssize_t n = read(fd, p->file.data + p->file.size, size - p->file.size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fault(p, errno, "cannot read", err);
		p->file.size += (size_t)n;
		/* A regular file gives all it has: less is its end, and asking again is a call. */
		if (!n || p->file.size < size)
			break;
	}
	return TFR_OK;
}

/* A large file is looked at before it is read: an archive among the pictures is no picture after
 * its first block. */
static enum tfr_status look(struct tfr_picture *p, int fd, struct tfr_error *err)
{
	enum tfr_image_format format;
	struct tfr_image_info info;
	struct tfr_error why;
	enum tfr_status status = fill(p, fd, LOOK, err);

	if (status || p->skipped)
		return status;
	format = tfr_image_sniff(p->file.data, p->file.size);
	if (format != TFR_IMAGE_JPEG && format != TFR_IMAGE_PNG &&
		tfr_image_probe(p->file.data, p->file.size, &info, &why))
		tfr_picture_skip(p, why.status, "%s", why.message);
	return TFR_OK;
}

static enum tfr_status read_open(struct tfr_picture *p, int fd, size_t size, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	p->file.size = 0;
	if (size >= p->file.cap) {
		tfr_buf_clear(&p->file);
		if (!tfr_buf_reserve(&p->file, size + 1))
			return tfr_fail_nomem(err, "reading pictures");
	}
	if (size > KEEP)
		status = look(p, fd, err);
	/* One byte more than there should be: a full read then shows that the file has grown. */
	if (!status && !p->skipped)
		status = fill(p, fd, size + 1, err);
	if (!status && !p->skipped && p->file.size > size)
		tfr_picture_skip(p, TFR_EDATA, "it grew while it was read");
	return status;
}

static enum tfr_status read_file(struct tfr_picture *p, int root, struct tfr_lanes_run *run,
	uint64_t item, struct tfr_error *err)
{
	const char *path = (const char *)p->path.data;
	enum tfr_status status;
	struct stat st;
	/* Should a FIFO have taken the file's place since it was found, this does not wait. */
	int fd = openat(root, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return fault(p, errno, "cannot open", err);
	if (fstat(fd, &st)) {
		status = fault(p, errno, "cannot read", err);
	} else if (!S_ISREG(st.st_mode)) {
		tfr_picture_skip(p, TFR_EDATA, "not a regular file");
		status = TFR_OK;
	} else if (st.st_size > INT32_MAX - (1 << 16)) {
		tfr_picture_skip(p, TFR_EDATA, "larger than the 2 GiB that an Example can hold");
		status = TFR_OK;
	} else {
		if (run)
			tfr_lanes_reserve(run, item, (uint64_t)st.st_size);
		status = read_open(p, fd, (size_t)st.st_size, err);
	}
	close(fd);
	return status;
}

enum tfr_status tfr_picture_load(struct tfr_picture *p, int root, struct tfr_lanes_run *run,
	uint64_t item, struct tfr_image_info *info, struct tfr_error *err)
{
	struct tfr_error why;
	enum tfr_status status;

	p->skipped = false;
	p->file.size = 0;
	status = read_file(p, root, run, item, err);
	p->size = p->file.size;
	if (status || p->skipped)
		return status;
	if (tfr_image_probe(p->file.data, p->file.size, info, &why))
		tfr_picture_skip(p, why.status, "%s", why.message);
	return TFR_OK;
}

enum tfr_status tfr_picture_build(struct tfr_picture *p, const struct tfr_image_info *info,
	const struct tfr_picture_class *class, struct tfr_error *err)
{
	struct tfr_bytes encoded = { p->file.data, p->file.size };
	struct tfr_builder *b;
	enum tfr_status status;
	size_t size;

	if (!p->builder)
		p->builder = tfr_builder_new();
	b = p->builder;
	if (!b)
		return tfr_fail_nomem(err, "building records");
	tfr_builder_reset(b);
	status = tfr_builder_int64(b, "image/channels", info->channels, err);
	if (!status && class->text)
		status = tfr_builder_int64(b, "image/class/label", class->label, err);
	if (!status && class->text)
		status = tfr_builder_text(b, "image/class/text", class->text, err);
	if (!status)
		status = tfr_builder_bytes_ref(b, "image/encoded", &encoded, 1, err);
	if (!status)
		status = tfr_builder_text(b, "image/filename", (const char *)p->path.data, err);
	if (!status)
		status = tfr_builder_text(
			b, "image/format", tfr_image_format_name(info->format), err);
	if (!status)
		status = tfr_builder_int64(b, "image/height", info->height, err);
	if (!status)
		status = tfr_builder_int64(b, "image/width", info->width, err);
	if (!status)
		status = tfr_builder_gather(b, &p->pieces, &p->n_pieces, &size, err);
	if (!status)
		tfr_digest_pieces(p->pieces, p->n_pieces, &p->digest);
	return status;
}

void tfr_picture_trim(struct tfr_picture *p)
{
	if (p->file.cap > KEEP + 1)
		tfr_buf_clear(&p->file);
}

void tfr_picture_clear(struct tfr_picture *p)
{
	tfr_buf_clear(&p->path);
	tfr_buf_clear(&p->file);
	tfr_builder_free(p->builder);
	p->builder = NULL;
}
