/* io/remote/http/answer.c - the fields of a header that matter here; all others are ignored.
 *
 * libcurl checks the syntax of the status line and of Content-Length.  Values come from a server
 * that may be hostile: each is checked and bounded, and those for messages keep printable
 * characters only. */
#include "io/remote/http/answer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"

enum { HEADER_MOST = 256 << 10 };

static void copy_printable(char *to, size_t size, const char *text, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k + 1 < size; i++)
		if (text[i] >= ' ' && text[i] <= '~')
			to[k++] = text[i];
	to[k] = '\0';
}

/* An entity tag that does not fit is taken as none: it cannot be sent back. */
static void take_etag(struct tfr_answer *a, const char *text, size_t n)
{
	if (n >= sizeof(a->etag))
		return;
	copy_printable(a->etag, sizeof(a->etag), text, n);
	if (strlen(a->etag) != n)
		a->etag[0] = '\0';
}

static bool number(const char **text, const char *end, uint64_t *value)
{
	const char *p = *text;

	*value = 0;
	for (; p < end && isdigit((unsigned char)*p); p++) {
		if (*value > (UINT64_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(*p - '0');
	}
	if (p == *text)
		return false;
	*text = p;
	return true;
}

/* "bytes 0-9/100", "bytes 0-9/\*", "bytes *\/100" */
static bool take_range(struct tfr_answer *a, const char *text, const char *end)
{
	if (end - text < 6 || strncasecmp(text, "bytes ", 6) != 0)
		return false;
	text += 6;
	if (text < end && *text == '*')
		text++;
	else if (!number(&text, end, &a->first) || text == end || *text++ != '-' ||
		 !number(&text, end, &a->last) || a->last < a->first)
		return false;
	if (text == end || *text++ != '/')
		return false;
	if (text < end && *text == '*')
		return true;
	return number(&text, end, &a->total) && a->total <= INT64_MAX;
}

static bool take_length(struct tfr_answer *a, const char *text, const char *end)
{
	return number(&text, end, &a->length) && a->length <= INT64_MAX;
}

/* Seconds or a date. */
static void take_retry(struct tfr_answer_notes *n, const char *text, const char *end)
{
	char date[64];
	uint64_t seconds;
	time_t then;

	if (number(&text, end, &seconds)) {
		n->retry_after = seconds < 100000 ? (double)seconds : 100000;
		return;
	}
	copy_printable(date, sizeof(date), text, (size_t)(end - text));
	then = curl_getdate(date, NULL);
	if (then >= 0)
		n->retry_after = difftime(then, time(NULL)) > 0 ? difftime(then, time(NULL)) : 0;
}

static void take_crc32c(struct tfr_answer *a, const char *text, size_t n)
{
	TFR_AUTO_BUF sum = { 0 };

	if (n != 8 || !tfr_base64_decode(&sum, text, n) || sum.size != 4)
		return;
	a->crc32c = (uint32_t)sum.data[0] << 24 | (uint32_t)sum.data[1] << 16 |
		    (uint32_t)sum.data[2] << 8 | sum.data[3];
	a->has_crc32c = true;
}

/* "crc32c=AAAAAA==,md5=..." */
static void take_goog_hash(struct tfr_answer *a, const char *text, const char *end)
{
	static const char name[] = "crc32c=";
	const char *at = memmem(text, (size_t)(end - text), name, sizeof(name) - 1);

	if (at && end - at >= (ptrdiff_t)(sizeof(name) - 1 + 8))
		take_crc32c(a, at + sizeof(name) - 1, 8);
}

static void begin(
	struct tfr_answer *a, struct tfr_answer_notes *n, const char *line, const char *end)
{
	const char *reason = memchr(line, ' ', (size_t)(end - line));
	uint64_t status = 0;

	*a = (struct tfr_answer){ .body = a->body };
	a->length = a->first = a->last = a->total = UINT64_MAX;
	*n = (struct tfr_answer_notes){ .retry_after = -1, .header_bytes = n->header_bytes };
	if (reason) {
		reason++;
		number(&reason, end, &status);
	}
	a->status = status < 1000 ? (long)status : 0;
	reason = reason ? memchr(reason, ' ', (size_t)(end - reason)) : NULL;
	if (reason)
		copy_printable(
			n->reason, sizeof(n->reason), reason + 1, (size_t)(end - reason - 1));
}

static bool is(const char *line, size_t n, const char *name)
{
	return strlen(name) == n && !strncasecmp(line, name, n);
}

static bool take_field(struct tfr_answer *a, struct tfr_answer_notes *notes, const char *name,
	size_t n, const char *value, const char *end)
{
	size_t size = (size_t)(end - value);

	if (is(name, n, "etag"))
		take_etag(a, value, size);
	else if (is(name, n, "content-length"))
		return take_length(a, value, end);
	else if (is(name, n, "content-range"))
		return take_range(a, value, end);
	else if (is(name, n, "accept-ranges"))
		a->ranges = !is(value, size, "none");
	else if (is(name, n, "content-encoding"))
		a->encoded = size && !is(value, size, "identity");
	else if (is(name, n, "transfer-encoding"))
		notes->chunked = true;
	else if (is(name, n, "retry-after"))
		take_retry(notes, value, end);
	else if (is(name, n, "x-amz-request-id") || is(name, n, "x-guploader-uploadid") ||
		 is(name, n, "x-request-id"))
		copy_printable(notes->request_id, sizeof(notes->request_id), value, size);
	else if (is(name, n, "x-amz-bucket-region"))
		copy_printable(notes->region, sizeof(notes->region), value, size);
	else if (is(name, n, "x-amz-checksum-crc32c"))
		take_crc32c(a, value, size);
	else if (is(name, n, "x-amz-meta-tfr-upload") || is(name, n, "x-goog-meta-tfr-upload"))
		copy_printable(a->mark, sizeof(a->mark), value, size);
	else if (is(name, n, "x-goog-hash"))
		take_goog_hash(a, value, end);
	return true;
}

static void take_date(struct tfr_answer *a, const char *value, const char *end)
{
	char date[64];
	time_t when;

	copy_printable(date, sizeof(date), value, (size_t)(end - value));
	when = curl_getdate(date, NULL);
	a->mtime = when > 0 ? when : 0;
}

bool tfr_answer_line(
	struct tfr_answer *a, struct tfr_answer_notes *n, const char *line, size_t size)
{
	const char *end = line + size, *colon;

	n->header_bytes += size;
	if (n->header_bytes > HEADER_MOST)
		return false;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	/* Some servers answer ranges with 200.  The Content-Range says what the body is. */
	if (end == line && a->status == 200 && a->first != UINT64_MAX)
		a->status = 206;
	if (end - line >= 5 && !memcmp(line, "HTTP/", 5)) {
		begin(a, n, line, end);
		return true;
	}
	colon = memchr(line, ':', (size_t)(end - line));
	if (!colon)
		return true;
	size = (size_t)(colon - line);
	do {
		colon++;
	} while (colon < end && isspace((unsigned char)*colon));
	if (is(line, size, "last-modified"))
		take_date(a, colon, end);
	return take_field(a, n, line, size, colon, end);
}
