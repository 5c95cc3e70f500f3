/* io/remote/upload_answer.c - reads the answers to the start and the completion of an upload.
 *
 * Source: docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html: "a request
 * could return a 200 OK response and later fail". */
#include "io/remote/upload_answer.h"

#include <string.h>

#include "io/remote/xml.h"

struct reading {
	const char *path; /* of the element that is wanted */
	char *to;
	size_t size;
	bool is_root; /* the root is that of `path` */
};

static bool on_element(void *ctx, const struct tfr_xml_element *e)
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
	return size && tfr_xml_read(text, size, on_element, r) && r->is_root;
}

bool tfr_upload_started(char id[TFR_UPLOAD_ID], const void *text, size_t size)
{
	struct reading r = { "InitiateMultipartUploadResult/UploadId", id, TFR_UPLOAD_ID, false };

	skip_spaces(&text, &size);
	return read_answer(&r, text, size) && *id;
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
