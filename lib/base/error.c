/* base/error.c - the only place where struct tfr_error is filled, so that all messages have the
 * same shape.  First the message says what is wrong.  Then follow the file in single quotes, the
 * record and the offset, and the system's own error text. */
#include "base/error.h"

#include "base/url.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/io.h>
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

/* A path of PATH_MAX bytes by value would make the struct four times as large, in every slot of
 * every ring that holds one.  A path by reference would have to outlive its reader or set, which is
 * closed before the caller prints the error. */
enum { MESSAGE_MOST = 575, HINT_MOST = 383, LEAST_PATH = 24 };

_Static_assert(sizeof(struct tfr_error) <= 1024, "an error is passed by value");
_Static_assert(MESSAGE_MOST + 1 + HINT_MOST + 1 + LEAST_PATH + 1 <= TFR_ERROR_TEXT,
	"the longest message and hint leave room for a path");

static size_t shorter(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Copies `path`, or its beginning and end if it is too long.  The cuts are at UTF-8 character
 * boundaries, so that the rest is not printed as escapes. */
static void put_path(char *to, size_t room, const char *path)
{
	size_t n = tfr_path_shown(path), head = (room - sizeof("...")) / 2, tail;

	assert(room > LEAST_PATH);
	if (n < room) {
		memcpy(to, path, n);
		to[n] = '\0';
		return;
	}
	while (head && (path[head] & 0xc0) == 0x80)
		head--;
	tail = n - (room - sizeof("...") - head);
	while (tail < n && (path[tail] & 0xc0) == 0x80)
		tail++;
	snprintf(to, room, "%.*s...%.*s", (int)head, path, (int)(n - tail), path + tail);
}

/* Stores the three texts in the buffer.  None of them may point into the buffer. */
static void compose(struct tfr_error *err, const char *message, const char *hint, const char *path)
{
	size_t n = shorter(strlen(message), MESSAGE_MOST), at = n + 1;

	memcpy(err->message, message, n);
	err->message[n] = '\0';
	err->path_at = err->hint_at = 0;
	if (*hint) {
		n = shorter(strlen(hint), HINT_MOST);
		err->hint_at = (uint16_t)at;
		memcpy(err->message + at, hint, n);
		err->message[at + n] = '\0';
		at += n + 1;
	}
	if (path && *path) {
		err->path_at = (uint16_t)at;
		put_path(err->message + at, sizeof(err->message) - at, path);
	}
}

/* vsnprintf(), without the secrets of URLs in quotes. */
static void put_text(char *to, size_t size, const char *format, va_list args)
{
	vsnprintf(to, size, format, args);
	for (char *at = strchr(to, '\''), *end; at; at = strchr(end, '\'')) {
		char *cut, quote;

		end = strchrnul(at + 1, '\'');
		quote = *end;
		*end = '\0';
		cut = at + 1 + tfr_path_shown(at + 1);
		*end = quote;
		memmove(cut, end, strlen(end) + 1);
		end = cut;
	}
}

static void fill_error(struct tfr_error *err, enum tfr_status status, const char *path,
	const char *format, va_list args)
{
	char message[MESSAGE_MOST + 1];

	if (!err)
		return;
	put_text(message, sizeof(message), format, args);
	err->status = status;
	err->sys_errno = 0;
	err->has_record = err->explained = false;
	err->record = err->offset = 0;
	compose(err, message, "", path);
}

void tfr_error_append(struct tfr_error *err, const char *format, ...)
{
	struct tfr_error old;
	char message[MESSAGE_MOST + 1];
	size_t n;
	va_list args;

	if (!err)
		return;
	old = *err;
	n = (size_t)snprintf(message, sizeof(message), "%s", old.message);
	n = shorter(n, MESSAGE_MOST);
	va_start(args, format);
	put_text(message + n, sizeof(message) - n, format, args);
	va_end(args);
	compose(err, message, tfr_error_hint_text(&old), tfr_error_path(&old));
}

/* Appends " 'path'" to the message, for failures that concern a file as such. */
static void quote_path(struct tfr_error *err, const char *path)
{
	if (path)
		tfr_error_append(err, " '%.*s'", (int)tfr_path_shown(path), path);
}

enum tfr_status tfr_fail(struct tfr_error *err, enum tfr_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill_error(err, status, NULL, format, args);
	va_end(args);
	return status;
}

enum tfr_status tfr_fail_hint(
	struct tfr_error *err, enum tfr_status status, const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill_error(err, status, NULL, format, args);
	va_end(args);
	tfr_error_hint(err, "%s", hint);
	return status;
}

enum tfr_status tfr_fail_path(
	struct tfr_error *err, enum tfr_status status, const char *path, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill_error(err, status, path, format, args);
	va_end(args);
	quote_path(err, path);
	return status;
}

enum tfr_status tfr_fail_errno(
	struct tfr_error *err, int sys_errno, const char *path, const char *format, ...)
{
	enum tfr_status status = sys_errno == ENOMEM ? TFR_ENOMEM : TFR_ESYS;
	va_list args;

	va_start(args, format);
	fill_error(err, status, path, format, args);
	va_end(args);
	quote_path(err, path);
	if (err)
		err->sys_errno = sys_errno;
	/* Such a path looks like a folder that is not there. */
	if (err && sys_errno == ENOENT && path && strstr(path, "://") && !tfr_is_url(path))
		tfr_error_hint(err, "Addresses begin with s3://, gs://, https:// or http://.");
	return status;
}

void tfr_error_explained(struct tfr_error *err, int sys_errno)
{
	if (!err)
		return;
	err->sys_errno = sys_errno;
	err->explained = true;
}

bool tfr_errno_of_process(int sys_errno)
{
	return sys_errno == ENOMEM || sys_errno == EMFILE || sys_errno == ENFILE;
}

enum tfr_status tfr_fail_record(struct tfr_error *err, enum tfr_status status, const char *path,
	uint64_t record, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill_error(err, status, path, format, args);
	va_end(args);
	tfr_error_locate(err, path, record, offset);
	return status;
}

enum tfr_status tfr_fail_nomem(struct tfr_error *err, const char *what)
{
	return tfr_fail(err, TFR_ENOMEM, "out of memory while %s", what);
}

enum tfr_status tfr_error_pass(const struct tfr_error *why, struct tfr_error *err)
{
	if (why->status && err)
		*err = *why;
	return why->status;
}

void tfr_error_set_path(struct tfr_error *err, const char *path)
{
	struct tfr_error old;

	if (!err)
		return;
	old = *err;
	compose(err, old.message, tfr_error_hint_text(&old), path);
}

void tfr_error_locate(struct tfr_error *err, const char *path, uint64_t record, uint64_t offset)
{
	if (!err)
		return;
	tfr_error_set_path(err, path);
	err->has_record = true;
	err->record = record;
	err->offset = offset;
}

void tfr_error_hint(struct tfr_error *err, const char *format, ...)
{
	struct tfr_error old;
	char hint[HINT_MOST + 1];
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	put_text(hint, sizeof(hint), format, args);
	va_end(args);
	old = *err;
	compose(err, old.message, hint, tfr_error_path(&old));
}

char *tfr_error_format(const struct tfr_error *err, char *text, size_t size)
{
	char raw[sizeof(err->message) + 256];
	int n = snprintf(raw, sizeof(raw), "%s", err->message);

	if (err->has_record)
		n += snprintf(raw + n, sizeof(raw) - (size_t)n,
			" in '%s', record %llu, offset %llu", tfr_error_path(err),
			(unsigned long long)err->record, (unsigned long long)err->offset);
	if (err->sys_errno && !err->explained)
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
