/* base/error.c - struct tfr_error is filled here and nowhere else, so that every message has the
 * same shape: what is wrong first, then the file in single quotes, then record and offset, then the
 * system's own words. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>

#include "config.h"

const char *tfr_version(void)
{
	return TFR_VERSION;
}

const char *tfr_build_features(void)
{
	return TFR_FEATURES;
}

static void fill(struct tfr_error *err, enum tfr_status status, const char *path,
	const char *format, va_list args)
{
	err->status = status;
	err->sys_errno = 0;
	err->has_record = false;
	err->record = err->offset = 0;
	err->hint[0] = '\0';
	vsnprintf(err->message, sizeof(err->message), format, args);
	snprintf(err->path, sizeof(err->path), "%s", path ? path : "");
}

/* Appends " 'path'" to the message, for failures that concern a whole file.  The message may be
 * cut, not the format. */
static void quote_path(struct tfr_error *err, const char *path)
{
	size_t n = strlen(err->message);

	if (path)
		snprintf(err->message + n, sizeof(err->message) - n, " '%s'", path);
}

enum tfr_status tfr_fail(struct tfr_error *err, enum tfr_status status, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	fill(err, status, NULL, format, args);
	va_end(args);
	return status;
}

enum tfr_status tfr_fail_path(
	struct tfr_error *err, enum tfr_status status, const char *path, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	fill(err, status, path, format, args);
	va_end(args);
	quote_path(err, path);
	return status;
}

enum tfr_status tfr_fail_errno(
	struct tfr_error *err, int sys_errno, const char *path, const char *format, ...)
{
	enum tfr_status status = sys_errno == ENOMEM ? TFR_ENOMEM : TFR_ESYS;
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	fill(err, status, path, format, args);
	va_end(args);
	quote_path(err, path);
	err->sys_errno = sys_errno;
	return status;
}

bool tfr_errno_of_process(int sys_errno)
{
	return sys_errno == ENOMEM || sys_errno == EMFILE || sys_errno == ENFILE;
}

enum tfr_status tfr_fail_record(struct tfr_error *err, enum tfr_status status, const char *path,
	uint64_t record, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	fill(err, status, path, format, args);
	va_end(args);
	err->has_record = true;
	err->record = record;
	err->offset = offset;
	return status;
}

enum tfr_status tfr_fail_nomem(struct tfr_error *err, const char *what)
{
	return tfr_fail(err, TFR_ENOMEM, "out of memory while %s", what);
}

void tfr_error_locate(struct tfr_error *err, const char *path, uint64_t record, uint64_t offset)
{
	if (!err)
		return;
	snprintf(err->path, sizeof(err->path), "%s", path ? path : "");
	err->has_record = true;
	err->record = record;
	err->offset = offset;
}

void tfr_error_hint(struct tfr_error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	vsnprintf(err->hint, sizeof(err->hint), format, args);
	va_end(args);
}

char *tfr_error_format(const struct tfr_error *err, char *text, size_t size)
{
	char raw[sizeof(err->message) + sizeof(err->path) + 256];
	int n = snprintf(raw, sizeof(raw), "%s", err->message);

	if (err->has_record)
		n += snprintf(raw + n, sizeof(raw) - (size_t)n,
			" in '%s', record %llu, offset %llu", err->path,
			(unsigned long long)err->record, (unsigned long long)err->offset);
	if (err->sys_errno)
		snprintf(raw + n, sizeof(raw) - (size_t)n, ": %s", strerror(err->sys_errno));
	return size ? tfr_escape_line(text, size, raw) : text;
}

int tfr_status_exit_code(enum tfr_status status)
{
	switch (status) {
	case TFR_OK:
	case TFR_END:
		return 0;
	case TFR_EDATA:
	case TFR_EFORMAT:
		return 1;
	case TFR_EUSAGE:
	case TFR_EEXIST:
		return 2;
	case TFR_ESYS:
	case TFR_ENOMEM:
	case TFR_EUNAVAILABLE:
	case TFR_ECANCELLED:
		return 3;
	}
	return 3;
}
