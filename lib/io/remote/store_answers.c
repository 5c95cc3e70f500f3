/* io/remote/store_answers.c - reads the XML answers of stores.
 *
 * Keys may have characters that XML cannot hold, so they are asked for percent-encoded; a server
 * that does not know that parameter sends them plain, and <EncodingType> is the sign.
 *
 * Source: docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html, API_ListMultipartUploads,
 * cloud.google.com/storage/docs/xml-api/get-bucket-list. */
#include "io/remote/store_answers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "io/remote/credentials.h"
#include "io/remote/xml.h"

/* --- listings --- */

enum { ENTRIES_MOST = 10000, KEY_MOST = 1024 };

struct parsing {
	struct tfr_page *p;
	struct tfr_listed now;
	bool encoded;
};

static bool keep(struct parsing *s, const char *text, size_t *at)
{
	*at = s->p->text.size;
	return tfr_buf_append(&s->p->text, text, strlen(text) + 1);
}

static bool add(struct parsing *s)
{
	struct tfr_page *p = s->p;

	if (!s->now.key || p->n == ENTRIES_MOST || TFR_ARRAY_ONE_MORE(p->list, p->n))
		return false;
	p->list[p->n++] = s->now;
	s->now = (struct tfr_listed){ 0 };
	return true;
}

static bool read_size(const char *text, uint64_t *size)
{
	char *end;

	errno = 0;
	*size = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *size <= INT64_MAX;
}

static bool on_entry(struct parsing *s, const char *name, const char *text)
{
	if (!strcmp(name, "Key") || !strcmp(name, "Prefix"))
		return keep(s, text, &s->now.key);
	if (!strcmp(name, "ETag"))
		return keep(s, text, &s->now.etag);
	if (!strcmp(name, "UploadId"))
		return keep(s, text, &s->now.id);
	if (!strcmp(name, "Size"))
		return read_size(text, &s->now.size);
	if (!strcmp(name, "LastModified") || !strcmp(name, "Initiated"))
		s->now.mtime = tfr_parse_time(text);
	return true;
}

static bool on_top(struct parsing *s, const char *name, const char *text)
{
	if (!strcmp(name, "Contents") || !strcmp(name, "Upload"))
		return add(s);
	if (!strcmp(name, "CommonPrefixes")) {
		s->now.prefix = true;
		return add(s);
	}
	if (!strcmp(name, "IsTruncated")) {
		s->p->more = !strcmp(text, "true");
		return s->p->more || !strcmp(text, "false");
	}
	if (!strcmp(name, "EncodingType"))
		s->encoded = !strcmp(text, "url");
	else if (!strcmp(name, "NextContinuationToken") || !strcmp(name, "NextKeyMarker"))
		return keep(s, text, &s->p->next);
	else if (!strcmp(name, "NextUploadIdMarker"))
		return keep(s, text, &s->p->next_id);
	return true;
}

static bool on_listing(void *ctx, const struct tfr_xml_element *e)
{
	struct parsing *s = ctx;

	if (e->depth == 1)
		return !strcmp(e->path[0], "ListBucketResult") ||
		       !strcmp(e->path[0], "ListMultipartUploadsResult");
	if (!e->ends)
		return true;
	if (e->depth == 2)
		return on_top(s, e->path[1], e->text);
	if (e->depth == 3 && (!strcmp(e->path[1], "Contents") || !strcmp(e->path[1], "Upload") ||
				     !strcmp(e->path[1], "CommonPrefixes")))
		return on_entry(s, e->path[2], e->text);
	return true;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place; '+' is a space.  False: not percent-encoded, or a NUL, which no key has. */
static bool decode(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high, low;

		if (*text != '%') {
			*to++ = *text == '+' ? ' ' : *text;
			continue;
		}
		high = hex_digit(text[1]);
		low = high < 0 ? -1 : hex_digit(text[2]);
		if (low < 0 || high + low == 0)
			return false;
		*to++ = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
	return true;
}

static int by_key(const void *a, const void *b, void *text)
{
	return strcmp((char *)text + ((const struct tfr_listed *)a)->key,
		(char *)text + ((const struct tfr_listed *)b)->key);
}

static bool check_keys(struct parsing *s, const char *prefix)
{
	struct tfr_page *p = s->p;

	for (size_t i = 0; i < p->n; i++) {
		char *key = (char *)p->text.data + p->list[i].key;

		if (s->encoded && !decode(key))
			return false;
		if (strncmp(key, prefix, strlen(prefix)) != 0 || strlen(key) > KEY_MOST)
			return false;
	}
	return true;
}

bool tfr_page_parse(struct tfr_page *p, const void *text, size_t size, const char *prefix)
{
	struct parsing s = { .p = p };

	*p = (struct tfr_page){ 0 };
	/* Offset 0 is "none". */
	if (!tfr_buf_append(&p->text, "", 1) || !tfr_xml_read(text, size, on_listing, &s) ||
		!check_keys(&s, prefix) || (p->more && !p->next) ||
		/* a key marker is encoded, a token is not */
		(s.encoded && p->next_id && !decode((char *)p->text.data + p->next))) {
		tfr_page_clear(p);
		return false;
	}
	if (p->n)
		qsort_r(p->list, p->n, sizeof(*p->list), by_key, p->text.data);
	return true;
}

void tfr_page_clear(struct tfr_page *p)
{
	tfr_buf_clear(&p->text);
	free(p->list);
	*p = (struct tfr_page){ 0 };
}

/* --- uploads --- */

/* docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html: "a request could return
 * a 200 OK response and later fail". */

struct reading {
	const char *path; /* of the element that is wanted */
	char *to;
	size_t size;
	bool is_root; /* the root is that of `path` */
};

static bool on_upload(void *ctx, const struct tfr_xml_element *e)
{
	struct reading *r = ctx;

	if (e->depth == 1 && !e->ends)
		r->is_root = !strncmp(r->path, e->path[0], strlen(e->path[0])) &&
			     r->path[strlen(e->path[0])] == '/';
	if (!e->ends || !tfr_xml_is(e, r->path))
		return true;
	if (strlen(e->text) >= r->size)
		return false;
	strcpy(r->to, e->text);
	return true;
}

/* Stores keep the connection alive by spaces, some of them before the document. */
static void skip_spaces(const void **text, size_t *size)
{
	const char *at = *text;

	for (; *size && *at && strchr(" \t\r\n", *at); at++)
		--*size;
	*text = at;
}

static bool read_answer(struct reading *r, const void *text, size_t size)
{
	*r->to = '\0';
	return size && tfr_xml_read(text, size, on_upload, r) && r->is_root;
}

bool tfr_upload_started(char id[TFR_UPLOAD_ID], const void *text, size_t size)
{
	struct reading r = { "InitiateMultipartUploadResult/UploadId", id, TFR_UPLOAD_ID, false };
	struct reading of_rclone = { "InitiateMultipartUpload/UploadId", id, TFR_UPLOAD_ID, false };

	skip_spaces(&text, &size);
	return (read_answer(&r, text, size) || read_answer(&of_rclone, text, size)) && *id;
}

enum tfr_status tfr_upload_completed(
	char etag[TFR_ETAG], struct tfr_store_fault *fault, const void *text, size_t size)
{
	struct reading r = { "CompleteMultipartUploadResult/ETag", etag, TFR_ETAG, false };

	*fault = (struct tfr_store_fault){ .code = "" };
	skip_spaces(&text, &size);
	if (read_answer(&r, text, size))
		return TFR_OK;
	*etag = '\0';
	tfr_store_fault_parse(fault, text, size);
	return *fault->code ? TFR_END : TFR_ESYS;
}
