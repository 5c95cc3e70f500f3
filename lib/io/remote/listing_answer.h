/* io/remote/listing_answer.h - one page of a listing, as the server sends it. */
#ifndef TFR_IO_REMOTE_LISTING_ANSWER_H
#define TFR_IO_REMOTE_LISTING_ANSWER_H

#include "base/buf.h"

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

#endif
