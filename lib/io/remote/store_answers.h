/* io/remote/store_answers.h - the XML that stores answer: a page of a listing, and the start and
 * the completion of an upload. */
#ifndef TFR_IO_REMOTE_STORE_ANSWERS_H
#define TFR_IO_REMOTE_STORE_ANSWERS_H

#include "io/remote/http/failure.h"

struct tfr_listed {
	size_t key, etag, id; /* offsets in `text`; the last two of an object, and of an upload */
	bool prefix;	      /* it ends in '/' and stands for the keys below it */
	uint64_t size;
	int64_t mtime; /* seconds since 1970: changed, or begun */
};

struct tfr_page {
	struct tfr_buf text; /* C strings */
	struct tfr_listed *list;
	size_t n;
	bool more;	      /* there are further pages */
	size_t next, next_id; /* the offsets of what the next request names */
};

/* Parses a ListBucketResult or a ListMultipartUploadsResult; entries are sorted by their keys'
 * bytes.  False: it is malformed, or a key does not begin with `prefix` or has a NUL byte. */
bool tfr_page_parse(struct tfr_page *p, const void *text, size_t size, const char *prefix);
void tfr_page_clear(struct tfr_page *p);

/* The UploadId of an InitiateMultipartUploadResult.  False: there is none, or it is longer than
 * TFR_UPLOAD_ID. */
bool tfr_upload_started(char id[TFR_UPLOAD_ID], const void *text, size_t size);

/* The body of a 200 to CompleteMultipartUpload: stores send the status line before they know how it
 * ends.  TFR_OK: a CompleteMultipartUploadResult, with its ETag in `etag` ("" if it has none).
 * TFR_END: an <Error>, which is in `fault`.  TFR_ESYS: neither, such as a body that was cut. */
enum tfr_status tfr_upload_completed(
	char etag[TFR_ETAG], struct tfr_store_fault *fault, const void *text, size_t size);

#endif
